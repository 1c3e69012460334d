//! An empty program that `xtask/src/build.rs` names, so that cargo takes dev-dependencies into account.

fn main() {}
