#!/bin/sh
# Stands in for a C compiler, an archiver and a resource compiler where types are checked and nothing is linked:
# the file that is asked for is made, empty.
made=
while [ $# -gt 0 ]; do
    case $1 in
        -o | --output) made=$2; shift ;;
        --output=*) made=${1#--output=} ;;
        *.a | *.lib) made=${made:-$1} ;;
    esac
    shift
done
[ -z "$made" ] || : > "$made"
