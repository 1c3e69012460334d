//! The page is compiled in from `ui/dist`; without a built UI there is a page that says how to build it.

use std::path::Path;

fn main() -> std::io::Result<()> {
    println!("cargo::rerun-if-changed=../../ui/dist");
    let dist = Path::new("../../ui/dist");
    if !dist.join("index.html").exists() {
        std::fs::create_dir_all(dist)?;
        std::fs::write(
            dist.join("index.html"),
            "<!doctype html><title>Sightline</title><p>The page is not built yet: run <code>cargo xtask run</code>.</p>\n",
        )?;
    }
    Ok(())
}
