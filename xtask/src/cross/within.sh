#!/bin/sh
# within.sh ROOT DATA CHECKOUT FOLDER [NAME=VALUE...] COMMAND...: runs a command in the Debian at ROOT.
# It is called in a mount namespace of its own, so that the mounts end with it: `cargo clean` never sees the checkout
# through one of them.
set -eu
root=$1 data=$2 checkout=$3 folder=$4
shift 4
mkdir -p "$root/proc" "$root/dev" "$root/src" "$root/box" "$data/home"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount --rbind "$data" "$root/box"
mount --bind "$checkout" "$root/src"
exec chroot "$root" /usr/bin/env -i --chdir="$folder" PATH=/usr/local/bin:/usr/bin:/bin HOME=/box/home LANG=C.UTF-8 \
    CARGO_HOME=/box/cargo CARGO_TARGET_DIR=/box/target CARGO_INCREMENTAL=0 DEBIAN_FRONTEND=noninteractive "$@"
