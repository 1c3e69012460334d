//! Paths: the folders of the project, its programs, and programs of the machine.

use crate::build::Profile;
use crate::call::Call;
use anyhow::{Context, Result};
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The folder of the project and the one that cargo builds into.
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    pub(crate) target: PathBuf,
}

impl Workspace {
    pub(crate) fn find() -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask has no parent folder")?;
        let metadata = Call::new(cargo())
            .args(["metadata", "--no-deps", "--format-version", "1"])
            .within(root)
            .output()
            .context("`cargo metadata` failed; run it yourself to see why")?;
        let metadata: serde_json::Value = serde_json::from_str(&metadata).context("`cargo metadata` gave no JSON")?;
        let target = metadata["target_directory"].as_str().context("`cargo metadata` names no target folder")?;
        Ok(Self { root: root.to_owned(), target: PathBuf::from(target) })
    }

    /// A call of cargo in the project's folder that finds the tools installed for the project.
    pub(crate) fn cargo(&self) -> Call {
        Call::new(cargo()).within(&self.root).env("PATH", self.path())
    }

    /// A call of npm in one of the project's folders.
    pub(crate) fn npm(&self, folder: &str) -> Call {
        Call::new(npm()).within(&self.root.join(folder))
    }

    /// The file of a program of ours.
    pub(crate) fn program(&self, profile: Profile, name: &str) -> PathBuf {
        self.target.join(profile.folder()).join(format!("{name}{}", env::consts::EXE_SUFFIX))
    }

    /// The file of an example of ours.
    pub(crate) fn example(&self, profile: Profile, name: &str) -> PathBuf {
        self.target.join(profile.folder()).join("examples").join(format!("{name}{}", env::consts::EXE_SUFFIX))
    }

    /// The folder of tools that only this project needs.
    pub(crate) fn tools(&self) -> PathBuf {
        self.target.join("tools")
    }

    /// A program of the machine, or one installed for the project.
    pub(crate) fn find_program(&self, name: &str) -> Option<PathBuf> {
        find_in(&self.path(), name)
    }

    fn path(&self) -> OsString {
        let own = self.tools().join("bin");
        let path = env::var_os("PATH").unwrap_or_default();
        let folders = env::split_paths(&path).chain(std::iter::once(own));
        env::join_paths(folders).unwrap_or(path)
    }
}

/// The cargo that started this program.
fn cargo() -> OsString {
    env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"))
}

/// The name of npm's program: on Windows it is a script, which is not found without its ending.
pub(crate) fn npm() -> &'static str {
    if cfg!(windows) { "npm.cmd" } else { "npm" }
}

/// A program of the machine, by its name on `PATH`.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    find_in(&env::var_os("PATH").unwrap_or_default(), name)
}

fn find_in(path: &OsStr, name: &str) -> Option<PathBuf> {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    env::split_paths(path).map(|folder| folder.join(&file)).find(|program| program.is_file())
}
