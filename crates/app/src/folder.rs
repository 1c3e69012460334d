//! The data folder and its lock.

use anyhow::Context;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

/// The app's identifier, by which the window's framework names its folders too.
pub const IDENTIFIER: &str = "dev.sightline.desktop";

/// The data folder: the one given, else the user's own.
///
/// # Errors
/// When none was given and the machine does not say where a user's data belongs.
pub fn data_dir(given: Option<PathBuf>) -> anyhow::Result<PathBuf> {
    let folder = match given {
        Some(folder) => folder,
        None => dirs::data_dir()
            .context("this machine does not say where data belongs; name a folder with --data-dir")?
            .join(IDENTIFIER),
    };
    std::path::absolute(&folder).with_context(|| format!("{} is not a folder's name", folder.display()))
}

/// Makes the folder, readable by its owner only.
pub(crate) fn make(folder: &Path) -> anyhow::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
        .create(folder)
        .with_context(|| format!("the data folder {} cannot be made; choose another with --data-dir", folder.display()))
}

/// The lock of the process that has the hub, for its whole life. The system releases it however the process ends.
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock; `None` when another process has it.
    pub(crate) fn take(folder: &Path) -> anyhow::Result<Option<Self>> {
        let path = folder.join("lock");
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .with_context(|| format!("{} cannot be opened", path.display()))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => {
                Err(error).with_context(|| format!("{} cannot be locked", path.display()))
            }
        }
    }
}

/// Writes a file that only its owner may read. After a crash it has its old or its new content, never a part of it.
pub(crate) fn write_private(folder: &Path, name: &str, text: &str) -> anyhow::Result<()> {
    use std::io::Write;
    let write = || -> std::io::Result<()> {
        // A temporary file is made with mode 0600.
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(folder.join(name))?;
        Ok(())
    };
    write().with_context(|| format!("{} cannot be written", folder.join(name).display()))
}
