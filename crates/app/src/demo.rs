//! A demo: its scene, its clock and its data folder.

pub use ::demo::Scene;

use crate::clock::now;
use ::demo::Clock;
use jiff::Timestamp;
use std::io::{ErrorKind, Result as IoResult, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The file that marks a folder as a demo's, which may be emptied.
const MARK: &str = ".sightline-demo";

/// The whole content of that file.
const MARKED: &str = "The folder of a demo. It is made anew with each demo and can be deleted.\n";

/// Prefix of the folder of a demo for which none was named.
const TEMPORARY: &str = "sightline-demo-";

/// A demo to play.
#[derive(Debug, Clone, Copy, Default)]
pub struct Demo {
    pub scene: Scene,
    /// The time at which the clock stands still, for pictures.
    pub still_at: Option<Timestamp>,
}

impl Demo {
    pub(crate) fn clock(self) -> Clock {
        Clock::new(Arc::new(now), self.still_at.unwrap_or_else(now))
    }
}

/// A data folder for a demo: the one given, if it is new or a demo's, else a temporary one.
///
/// # Errors
/// When the folder holds anything else.
pub fn folder(given: Option<PathBuf>) -> anyhow::Result<PathBuf> {
    let folder = match given {
        Some(folder) => std::path::absolute(&folder)?,
        None => temporary()?,
    };
    let is_there = folder.exists();
    let is_empty = || std::fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_none());
    anyhow::ensure!(!is_there || is_demo(&folder) || is_empty(), protocol::say::demo_in_use(folder.display()));
    crate::folder::make(&folder)?;
    if !is_demo(&folder) {
        std::fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(folder.join(MARK))?
            .write_all(MARKED.as_bytes())?;
    }
    Ok(folder)
}

/// A new folder, readable by its owner only.
fn temporary() -> IoResult<PathBuf> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    Ok(builder.tempdir()?.keep())
}

/// True if a folder is a demo's: no agent of this machine is to be connected to it.
#[must_use]
pub fn is_demo(data_dir: &Path) -> bool {
    std::fs::read_to_string(data_dir.join(MARK)).is_ok_and(|text| text == MARKED)
}

/// Refuses the folder of a demo for other data, which the next demo would remove.
///
/// # Errors
/// When it is a demo's folder.
pub(crate) fn refuse(data_dir: &Path) -> anyhow::Result<()> {
    anyhow::ensure!(!is_demo(data_dir), protocol::say::demo_folder(data_dir.display()));
    Ok(())
}

/// Removes the data of an earlier demo. The caller holds the folder's lock.
pub(crate) fn make_anew(data_dir: &Path) -> anyhow::Result<()> {
    anyhow::ensure!(is_demo(data_dir), "{} is no demo's folder", data_dir.display());
    for name in ["sightline.db", "sightline.db-wal", "sightline.db-shm"] {
        ignore_missing(std::fs::remove_file(data_dir.join(name)))?;
    }
    ignore_missing(std::fs::remove_dir_all(data_dir.join("home")))?;
    Ok(())
}

fn ignore_missing(removed: IoResult<()>) -> IoResult<()> {
    removed.or_else(|error| if error.kind() == ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

/// Removes a demo's folder if it was temporary.
pub(crate) fn remove(data_dir: &Path) {
    if data_dir.starts_with(std::env::temp_dir())
        && is_demo(data_dir)
        && data_dir.file_name().is_some_and(|name| name.to_string_lossy().starts_with(TEMPORARY))
        && let Err(error) = std::fs::remove_dir_all(data_dir)
    {
        tracing::warn!(%error, "the demo's folder stays");
    }
}
