//! Tools written in Rust that tests and fuzzing need, installed into `target/tools` where the machine lacks them.

use crate::lint;
use crate::steps::Steps;
use crate::workspace::Workspace;
use anyhow::Result;
use std::env;
use std::fs;
use std::path::PathBuf;

const CARGO_FUZZ: &str = "0.13.2";
const NEXTEST: &str = "0.9.143";
const TAURI_DRIVER: &str = "2.1.0";

/// Installs `cargo nextest` if it is missing.
pub(crate) fn nextest(steps: &mut Steps, workspace: &Workspace) -> Result<()> {
    if workspace.cargo().args(["nextest", "--version"]).succeeds() {
        return Ok(());
    }
    install(steps, workspace, "cargo-nextest", NEXTEST)
}

/// Installs `cargo fuzz` if it is missing.
pub(crate) fn cargo_fuzz(steps: &mut Steps, workspace: &Workspace) -> Result<()> {
    if workspace.cargo().args(["fuzz", "--version"]).succeeds() {
        return Ok(());
    }
    install(steps, workspace, "cargo-fuzz", CARGO_FUZZ)
}

/// Installs the program that drives the window, if it is missing, and returns its path.
pub(crate) fn tauri_driver(steps: &mut Steps, workspace: &Workspace) -> Result<PathBuf> {
    let installed = fs::read_to_string(workspace.tools().join(".crates.toml")).unwrap_or_default();
    if !installed.contains(&format!("\"tauri-driver {TAURI_DRIVER} ")) {
        install(steps, workspace, "tauri-driver", TAURI_DRIVER)?;
    }
    Ok(workspace.tools().join("bin").join(format!("tauri-driver{}", env::consts::EXE_SUFFIX)))
}

fn install(steps: &mut Steps, workspace: &Workspace, name: &str, version: &str) -> Result<()> {
    steps.step(&format!("Installing {name} {version}, once"), || {
        // Unoptimised: these tools run for a moment, but building them takes long.
        workspace
            .cargo()
            .args(["install", name, "--version", version, "--locked", "--debug", "--root"])
            .arg(workspace.tools())
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            // Nobody lints the code of others.
            .env(lint::COMPILER, "")
            .advice(format!("install it yourself: cargo install {name} --version {version} --locked"))
            .run()
    })
}
