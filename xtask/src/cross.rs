//! `cargo xtask cross`: checks the types of the whole workspace for Windows and for macOS, on Debian; with `--smoke` and
//! `--test` it links for Windows, and runs that under Wine.
//!
//! The standard library of another platform has to come from the sources of the very compiler that is used.
//! Debian's unstable release has a recent compiler and its sources as packages, so it is unpacked into `target/cross`.
//! Nothing outside that folder is changed.

mod agents;
mod debian;
mod smoke;
mod under_wine;
mod wine;

use crate::call::Call;
use crate::npm;
use crate::setup;
use crate::steps::Steps;
use crate::workspace::{self, Workspace};
use anyhow::{Result, ensure};
use debian::Debian;
use std::env;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Check for Windows only
    #[arg(long)]
    windows: bool,
    /// Check for macOS only
    #[arg(long, conflicts_with = "windows")]
    macos: bool,
    /// Build the command and the window for Windows and use them under Wine, as their users would
    #[arg(long, conflicts_with_all = ["windows", "macos"])]
    smoke: bool,
    /// Build the tests for Windows, but not the window's, and run them under Wine
    #[arg(long, conflicts_with_all = ["windows", "macos"])]
    test: bool,
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
    if options.smoke || options.test {
        debian.prepare(steps, &WINDOWS)?;
        debian.prepare_wine(steps)?;
        if options.smoke {
            smoke::smoke(steps, &debian)?;
        }
        if options.test {
            under_wine::test(steps, &debian)?;
        }
        return Ok(());
    }
    let chosen = [(&WINDOWS, options.macos), (&MACOS, options.windows)];
    for (platform, _) in chosen.iter().filter(|(_, left_out)| !left_out) {
        debian.prepare(steps, platform)?;
        check(steps, &debian, platform)?;
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

fn check(steps: &mut Steps, debian: &Debian, platform: &Platform) -> Result<()> {
    let Platform { name, target, environment, .. } = platform;
    steps.step(&format!("Types for {name}"), || {
        // Left-overs of the other platforms are mistakes; of new warnings only the project's own compiler decides.
        let path = "PATH=/usr/local/stand-in:/usr/bin:/bin";
        debian
            .call("/src", &["RUSTFLAGS=-Dunused", path])
            .args(*environment)
            .args(["cargo", "check", "--locked", "--keep-going", "--workspace", "--all-targets", "--target", target])
            .advice("mend what is named above; code for one platform stands behind #[cfg]")
            .run()
    })
}
