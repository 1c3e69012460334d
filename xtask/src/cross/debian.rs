//! A Debian of its own, beside the system, with the compiler and what it needs for other platforms.

use super::Platform;
use crate::call::Call;
use crate::steps::Steps;
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

const RELEASE: &str = "sid";
/// The last one has `dlltool`, which the standard library for Windows is built with.
const PACKAGES: &str = "ca-certificates,cargo,gcc,libc6-dev,rust-src,rustc,binutils-mingw-w64-x86-64";
/// The packages that link for Windows, and that run what was linked.
const WINE_PACKAGES: [&str; 4] = ["gcc-mingw-w64-x86-64-win32", "nasm", "wine", "wine64"];
const WITHIN: &str = include_str!("within.sh");
const STAND_IN: &str = include_str!("stand-in.sh");
/// The folder of the stand-ins, which is searched where nothing is linked.
const STAND_INS: &str = "usr/local/stand-in";
/// The manifest of a package of nothing, with which cargo builds the standard library.
const NOTHING: &str = "[package]\nname = \"nothing\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n";

/// A Debian of its own, beside the system.
pub(super) struct Debian {
    checkout: PathBuf,
    folder: PathBuf,
    root: PathBuf,
    /// The folder of all that is made, `/box` in there.
    pub(super) data: PathBuf,
}

impl Debian {
    pub(super) fn new(workspace: &Workspace) -> Self {
        let folder = workspace.target.join("cross");
        Self { checkout: workspace.root.clone(), root: folder.join("root"), data: folder.join("data"), folder }
    }

    pub(super) fn unpack(&self, steps: &mut Steps) -> Result<()> {
        fs::create_dir_all(&self.data)?;
        // As it is today, also for a Debian of an earlier day.
        fs::write(self.folder.join("within.sh"), WITHIN)?;
        let complete = self.folder.join("complete");
        if fs::read_to_string(&complete).is_ok_and(|packages| packages == PACKAGES) {
            return Ok(());
        }
        steps.step("Unpacking a Debian with its Rust, once", || {
            // The remains of an attempt that was cut off are removed.
            for folder in [&self.root, &self.folder.join("debootstrap")] {
                if folder.exists() {
                    fs::remove_dir_all(folder)?;
                }
            }
            fs::create_dir_all(self.data.join("home"))?;
            self.debootstrap()?;
            // Trusted is whom this system trusts, and names are found as here.
            for file in ["etc/resolv.conf", "etc/ssl/certs/ca-certificates.crt"] {
                fs::copy(Path::new("/").join(file), self.root.join(file)).with_context(|| format!("/{file}"))?;
            }
            Ok(fs::write(&complete, PACKAGES)?)
        })
    }

    fn debootstrap(&self) -> Result<()> {
        let advice = "see that Debian's packages can be reached (apt-get update), then try again";
        // It is a shell script: unpacked, not installed, so that the system stays as it is.
        let own = self.folder.join("debootstrap");
        fs::create_dir_all(&own)?;
        Call::new("apt-get").args(["download", "debootstrap"]).within(&own).advice(advice).run()?;
        let package = fs::read_dir(&own)?.next().context("apt-get downloaded nothing")??.path();
        Call::new("dpkg-deb").arg("-x").arg(package).arg(&own).run()?;
        let targets = ["indextargets", "--format", "$(SITE)", "Created-By: Packages"];
        let sites = Call::new("apt-get").args(targets).output().unwrap_or_default();
        let mirror = sites.lines().find(|site| site.ends_with("/debian")).unwrap_or("http://deb.debian.org/debian");
        Call::new("sh")
            .arg(own.join("usr/sbin/debootstrap"))
            .args(["--variant=minbase", &format!("--include={PACKAGES}"), RELEASE])
            .arg(&self.root)
            .arg(mirror)
            .env("DEBOOTSTRAP_DIR", own.join("usr/share/debootstrap"))
            .advice(advice)
            .run()
    }

    /// A call in there, in one of its folders; the project's is `/src`, and what is made goes below `/box`.
    pub(super) fn call(&self, folder: &str, words: &[&str]) -> Call {
        self.call_by(Call::new("unshare"), folder, words)
    }

    /// The same by a call that ends with `unshare`.
    pub(super) fn call_by(&self, unshare: Call, folder: &str, words: &[&str]) -> Call {
        let paths = [&self.folder.join("within.sh"), &self.root, &self.data, &self.checkout];
        unshare.args(["--mount", "sh"]).args(paths).arg(folder).args(words)
    }

    /// Gives the compiler a platform's standard library, and its build scripts their programs.
    pub(super) fn prepare(&self, steps: &mut Steps, platform: &Platform) -> Result<()> {
        let Platform { name, target, .. } = platform;
        let library = self.root.join("usr/lib/rustlib").join(target).join("lib");
        if library.exists() {
            return Ok(());
        }
        steps.step(&format!("The standard library for {name}, once"), || {
            let stand_ins = self.root.join(STAND_INS);
            fs::create_dir_all(&stand_ins)?;
            for tool in platform.tools {
                let file = stand_ins.join(tool);
                fs::write(&file, STAND_IN)?;
                Call::new("chmod").arg("+x").arg(&file).run()?;
            }
            let package = self.data.join("nothing");
            fs::create_dir_all(package.join("src"))?;
            fs::write(package.join("Cargo.toml"), NOTHING)?;
            fs::write(package.join("src/lib.rs"), "#![no_std]\n")?;
            let parts = library.with_extension("new");
            fs::create_dir_all(&parts)?;
            let build = ["cargo", "build", "--release", "-Z", "build-std=std,panic_abort,panic_unwind,proc_macro,test"];
            self.call("/box/nothing", &["RUSTC_BOOTSTRAP=1", "CARGO_TARGET_DIR=/box/std"])
                .args(build)
                .args(["--target", target])
                .run()?;
            for made in fs::read_dir(self.data.join("std").join(target).join("release/deps"))? {
                let made = made?.path();
                let name = made.file_name().context("it has a name")?;
                let is_library = made.extension().is_some_and(|ending| ending == "rlib");
                if is_library && !name.to_string_lossy().starts_with("libnothing") {
                    fs::copy(&made, parts.join(name))?;
                }
            }
            if target.ends_with("windows-gnu") {
                self.build_ends(target)?;
            }
            Ok(fs::rename(parts, &library)?)
        })
    }

    /// Builds what a program of this target begins and ends with.
    fn build_ends(&self, target: &str) -> Result<()> {
        for part in ["rsbegin", "rsend"] {
            let object = format!("/usr/lib/rustlib/{target}/lib.new/{part}.o");
            let source = format!("/usr/lib/rustlib/src/rust/library/rtstartup/{part}.rs");
            let words = ["rustc", "--target", target, "--emit=obj", "-o", &object, &source];
            self.call("/", &["RUSTC_BOOTSTRAP=1"]).args(words).run()?;
        }
        Ok(())
    }

    /// Installs what links for Windows, and Wine.
    pub(super) fn prepare_wine(&self, steps: &mut Steps) -> Result<()> {
        // Each is a link that leads somewhere only within.
        let is_there = |program: &&str| self.root.join("usr/bin").join(program).is_symlink();
        if ["x86_64-w64-mingw32-gcc", "wine"].iter().all(is_there) {
            return Ok(());
        }
        steps.step("Wine and a linker for Windows, once", || {
            self.call("/", &["apt-get", "install", "--yes", "--quiet", "--no-install-recommends"])
                .args(WINE_PACKAGES)
                .advice(
                    "see that Debian's packages can be reached; remove target/cross where it is old, then try again",
                )
                .run()
        })
    }
}
