//! A Python that can make virtual environments, and the one made for the tests.

use crate::call::Call;
use crate::fingerprint;
use crate::steps::Steps;
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// The newest tested clients need 3.10. `ensurepip` is in a package of its own on Debian, python3-venv.
const PROBE: &str = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";

/// A Python of the machine that can make a virtual environment; the one on `PATH` need not be the system's.
pub(crate) fn interpreter() -> Option<&'static str> {
    let candidates = ["python3", "/usr/bin/python3", "python"];
    candidates.into_iter().find(|python| Call::new(python).args(["-c", PROBE]).succeeds())
}

/// Makes a virtual environment with the required packages, such as `target/venv`, and returns its Python.
pub(crate) fn environment(
    steps: &mut Steps,
    workspace: &Workspace,
    name: &str,
    requirements: &Path,
) -> Result<PathBuf> {
    let folder = workspace.target.join(name);
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let stamp = folder.join(".sightline-requirements");
    let fingerprint = fingerprint::of_file(requirements)?;
    let works = Call::new(&python).arg("--version").succeeds();
    if works && fingerprint::is_stamped(&stamp, &fingerprint) {
        println!("· The Python packages are as required");
        return Ok(python);
    }
    steps.step("Installing the Python packages", || {
        let system = interpreter().context("no Python 3.10 or newer with venv and ensurepip was found")?;
        Call::new(system).args(["-m", "venv", "--clear"]).arg(&folder).run()?;
        Call::new(&python)
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"])
            .arg(requirements)
            .advice("read pip's message above; it needs its package index")
            .run()?;
        fingerprint::write_stamp(&stamp, &fingerprint)
    })?;
    Ok(python)
}
