//! The project's npm packages, and the UI that is built with them.

use crate::fingerprint;
use crate::steps::Steps;
use crate::workspace::Workspace;
use anyhow::{Result, ensure};

/// Folders that the UI's own tools write beside its sources.
const MADE: [&str; 5] = ["node_modules", "dist", "coverage", "test-results", ".svelte-kit"];

/// Installs the packages in a folder's lock file, unless they were installed from the same one.
pub(crate) fn packages(steps: &mut Steps, workspace: &Workspace, folder: &str) -> Result<()> {
    let place = workspace.root.join(folder);
    let lock = place.join("package-lock.json");
    ensure!(lock.is_file(), "{folder}/package-lock.json is missing: the checkout is not complete");
    let stamp = place.join("node_modules/.sightline-lock");
    let fingerprint = fingerprint::of_file(&lock)?;
    if fingerprint::is_stamped(&stamp, &fingerprint) {
        println!("· The npm packages of {folder} are as locked");
        return Ok(());
    }
    steps.step(&format!("Installing the npm packages of {folder}"), || {
        workspace
            .npm(folder)
            .args(["ci", "--no-audit", "--no-fund"])
            .advice("read npm's message above; it needs its registry, and a package-lock.json that fits package.json")
            .run()?;
        fingerprint::write_stamp(&stamp, &fingerprint)
    })
}

/// Builds the UI into `ui/dist`, unless it was built from the same sources.
pub(crate) fn build_ui(steps: &mut Steps, workspace: &Workspace) -> Result<()> {
    let ui = workspace.root.join("ui");
    let stamp = ui.join("node_modules/.sightline-built");
    let built = ui.join("dist/index.html").is_file();
    if built && fingerprint::is_stamped(&stamp, &fingerprint::of_folder(&ui, &MADE)?) {
        println!("· The UI is built");
        return Ok(());
    }
    steps.step("Building the UI", || {
        script(workspace, "ui", "build", "mend what the build names above")?;
        // After the build, which may write sources of its own.
        fingerprint::write_stamp(&stamp, &fingerprint::of_folder(&ui, &MADE)?)
    })
}

/// Runs one script of a folder's package.json.
pub(crate) fn script(workspace: &Workspace, folder: &str, name: &str, advice: &str) -> Result<()> {
    workspace.npm(folder).args(["run", name]).advice(advice).run()
}
