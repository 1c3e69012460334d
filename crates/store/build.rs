//! The migrations are compiled in; a changed folder makes them anew.

fn main() {
    println!("cargo::rerun-if-changed=../../migrations");
}
