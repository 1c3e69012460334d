//! `cargo xtask cross`: checks the types of the whole workspace for Windows and for macOS, on Debian.
//!
//! The standard library of another platform has to come from the sources of the very compiler that is used.
//! Debian's unstable release has a recent compiler and its sources as packages, so it is unpacked into `target/cross`.
//! Nothing outside that folder is changed.

use crate::call::Call;
use crate::npm;
use crate::setup;
use crate::steps::Steps;
use crate::workspace::{self, Workspace};
use anyhow::{Context, Result, ensure};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

const RELEASE: &str = "sid";
const PACKAGES: &str = "ca-certificates,cargo,gcc,libc6-dev,rust-src,rustc";
const WITHIN: &str = include_str!("cross/within.sh");
const STAND_IN: &str = include_str!("cross/stand-in.sh");
/// The folder of the standard library's sources, in Debian's `rust-src`.
const SOURCES: &str = "/usr/lib/rustlib/src/rust/library";

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Check for Windows only
    #[arg(long)]
    windows: bool,
    /// Check for macOS only
    #[arg(long, conflicts_with = "windows")]
    macos: bool,
}

struct Platform {
    name: &'static str,
    target: &'static str,
    /// The programs that build scripts call to compile C and resources, and to make archives.
    tools: &'static [&'static str],
    /// The environment by which build scripts find them, where it is not by their names.
    environment: &'static [&'static str],
}

const WINDOWS: Platform = Platform {
    name: "Windows",
    target: "x86_64-pc-windows-gnu",
    tools: &["x86_64-w64-mingw32-gcc", "x86_64-w64-mingw32-ar", "x86_64-w64-mingw32-windres"],
    environment: &[],
};

const MACOS: Platform = Platform {
    name: "macOS",
    target: "aarch64-apple-darwin",
    tools: &["mac-cc", "mac-ar"],
    // With a folder of Apple's headers named, `xcrun` is not asked for one.
    environment: &["CC_aarch64_apple_darwin=mac-cc", "AR_aarch64_apple_darwin=mac-ar", "SDKROOT=/box/sdk"],
};

pub(crate) fn cross(steps: &mut Steps, workspace: &Workspace, options: &Options) -> Result<()> {
    let debian = Debian::new(workspace);
    possible()?;
    // The gateway and the window embed the built UI, so their crates are not complete without it.
    setup::node(steps)?;
    npm::packages(steps, workspace, "ui")?;
    npm::build_ui(steps, workspace)?;
    debian.unpack(steps)?;
    let chosen = [(&WINDOWS, options.macos), (&MACOS, options.windows)];
    for (platform, _) in chosen.iter().filter(|(_, left_out)| !left_out) {
        debian.prepare(steps, platform)?;
        debian.check(steps, platform)?;
    }
    Ok(())
}

/// Says what is missing where it cannot be done.
fn possible() -> Result<()> {
    const ELSEWHERE: &str = "run it as root on Debian or Ubuntu, amd64; the hosted workflow builds on the real systems";
    let has = |name| workspace::find_program(name).is_some();
    let is_debian = env::consts::OS == "linux" && has("apt-get") && has("dpkg-deb") && has("unshare");
    ensure!(is_debian, "this needs apt-get, dpkg-deb and unshare\n  What to do: {ELSEWHERE}");
    let mounts = Call::new("unshare").args(["--mount", "true"]).succeeds();
    ensure!(mounts, "this user cannot mount folders\n  What to do: {ELSEWHERE}");
    Ok(())
}

/// A Debian of its own, beside the system.
struct Debian {
    checkout: PathBuf,
    folder: PathBuf,
    root: PathBuf,
    data: PathBuf,
}

impl Debian {
    fn new(workspace: &Workspace) -> Self {
        let folder = workspace.target.join("cross");
        Self { checkout: workspace.root.clone(), root: folder.join("root"), data: folder.join("data"), folder }
    }

    fn unpack(&self, steps: &mut Steps) -> Result<()> {
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
            fs::write(self.folder.join("within.sh"), WITHIN)?;
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
    fn call(&self, folder: &str, words: &[&str]) -> Call {
        let paths = [&self.folder.join("within.sh"), &self.root, &self.data, &self.checkout];
        Call::new("unshare").args(["--mount", "sh"]).args(paths).arg(folder).args(words)
    }

    /// Gives the compiler the types of a platform's standard library, and its build scripts their programs.
    fn prepare(&self, steps: &mut Steps, platform: &Platform) -> Result<()> {
        let Platform { name, target, .. } = platform;
        let library = self.root.join("usr/lib/rustlib").join(target).join("lib");
        if library.exists() {
            return Ok(());
        }
        steps.step(&format!("The standard library for {name}, once"), || {
            let words = ["RUSTC_BOOTSTRAP=1", "RUSTFLAGS=-Zforce-unstable-if-unmarked", "CARGO_TARGET_DIR=/box/std"];
            let cargo = ["cargo", "check", "--locked", "--package", "sysroot", "--target", target];
            self.call(SOURCES, &words).args(cargo).run()?;
            for tool in platform.tools {
                let file = self.root.join("usr/local/bin").join(tool);
                fs::write(&file, STAND_IN)?;
                Call::new("chmod").arg("+x").arg(&file).run()?;
            }
            let parts = library.with_extension("new");
            fs::create_dir_all(&parts)?;
            for made in fs::read_dir(self.data.join("std").join(target).join("debug/deps"))? {
                let made = made?.path();
                if made.extension().is_some_and(|ending| ending == "rmeta") {
                    fs::copy(&made, parts.join(made.file_name().context("it has a name")?))?;
                }
            }
            Ok(fs::rename(parts, &library)?)
        })
    }

    fn check(&self, steps: &mut Steps, platform: &Platform) -> Result<()> {
        let Platform { name, target, environment, .. } = platform;
        steps.step(&format!("Types for {name}"), || {
            // Left-overs of the other platforms are mistakes; of new warnings only the project's own compiler decides.
            self.call("/src", &["RUSTFLAGS=-Dunused"])
                .args(*environment)
                .args([
                    "cargo",
                    "check",
                    "--locked",
                    "--keep-going",
                    "--workspace",
                    "--all-targets",
                    "--target",
                    target,
                ])
                .advice("mend what is named above; code for one platform stands behind #[cfg]")
                .run()
        })
    }
}
