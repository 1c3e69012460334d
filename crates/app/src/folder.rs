//! The data folder and its lock.

use anyhow::Context;
use protocol::say;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

/// The app's identifier, by which the window's framework names its folders too.
pub const IDENTIFIER: &str = "dev.sightline.desktop";

const LOCK: &str = "lock";

/// The data folder: the one given, else the user's own.
///
/// # Errors
/// When none was given and the machine does not say where a user's data belongs.
pub fn data_dir(given: Option<PathBuf>) -> anyhow::Result<PathBuf> {
    let folder = match given {
        Some(folder) => folder,
        None => dirs::data_dir().ok_or_else(say::no_data_folder)?.join(IDENTIFIER),
    };
    std::path::absolute(&folder).with_context(|| format!("{} is not a folder's name", folder.display()))
}

/// Makes the folder, or takes the one that is there: it is this user's, and nobody else can enter it.
pub(crate) fn make(folder: &Path) -> anyhow::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| say::data_folder_made(folder.display(), error))?;
    #[cfg(unix)]
    privacy::keep_others_out(folder)?;
    Ok(())
}

/// True for a folder of this user that nobody else can enter. A link is none.
#[cfg(unix)]
pub(crate) fn is_private(folder: &Path) -> bool {
    std::fs::symlink_metadata(folder).is_ok_and(|metadata| privacy::is_private(&metadata))
}

#[cfg(unix)]
mod privacy {
    use anyhow::{Context, Result, ensure};
    use protocol::say;
    use std::fs::{Metadata, Permissions};
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::path::Path;

    const OTHERS: u32 = 0o077;
    const OTHERS_WRITE: u32 = 0o022;
    /// Set on folders that all users share, such as /tmp.
    const SHARED: u32 = 0o1000;

    fn own() -> u32 {
        nix::unistd::geteuid().as_raw()
    }

    pub(super) fn is_private(metadata: &Metadata) -> bool {
        metadata.is_dir() && metadata.uid() == own() && metadata.mode() & OTHERS == 0
    }

    /// Takes a folder's permissions for others away. One that is not this user's, or that holds what others wrote, is
    /// refused.
    pub(super) fn keep_others_out(folder: &Path) -> Result<()> {
        let name = folder.display();
        let look = || std::fs::metadata(folder).with_context(|| format!("{name} cannot be looked at"));
        let found = look()?;
        if is_private(&found) {
            return Ok(());
        }
        ensure!(found.uid() == own(), say::data_folder_of_other(name, found.uid()));
        ensure!(found.mode() & SHARED == 0, say::data_folder_shared(name));
        std::fs::set_permissions(folder, Permissions::from_mode(found.mode() & 0o700))
            .and_then(|()| std::fs::metadata(folder))
            .ok()
            .filter(is_private)
            .ok_or_else(|| say::data_folder_open(name))?;
        if found.mode() & OTHERS_WRITE != 0 {
            for entry in std::fs::read_dir(folder)? {
                let entry = entry?;
                ensure!(entry.metadata()?.uid() == own(), say::data_file_of_other(entry.path().display()));
            }
        }
        Ok(())
    }
}

/// The lock of the process that has the hub, for its whole life. The system releases it however the process ends.
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock; `None` when another process has it.
    pub(crate) fn take(folder: &Path) -> anyhow::Result<Option<Self>> {
        let path = folder.join(LOCK);
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        // Opening the file is enough to hold the lock.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).with_context(|| format!("{} cannot be opened", path.display()))?;
        #[cfg(unix)]
        file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))
            .with_context(|| format!("{} cannot be kept from other users", path.display()))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => {
                Err(error).with_context(|| format!("{} cannot be locked", path.display()))
            }
        }
    }
}

/// Returns whether a process has the lock of a folder. The question holds it for a moment, together with others who ask;
/// a process that wants it tries again.
pub(crate) fn is_locked(folder: &Path) -> bool {
    let Ok(file) = OpenOptions::new().write(true).open(folder.join(LOCK)) else { return false };
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).expect("it is there").permissions().mode() & 0o7777
    }

    #[test]
    fn a_folder_that_others_can_read_is_closed() {
        let parent = tempfile::tempdir().expect("a folder can be made");
        for open in [0o755, 0o777, 0o711, 0o750] {
            let folder = parent.path().join(format!("{open:o}"));
            std::fs::create_dir(&folder).expect("it can be made");
            std::fs::set_permissions(&folder, Permissions::from_mode(open)).expect("it is ours");
            std::fs::write(folder.join("lock"), "").expect("it can be written");
            std::fs::set_permissions(folder.join("lock"), Permissions::from_mode(0o644)).expect("it is ours");
            make(&folder).expect("it is ours");
            assert_eq!(mode(&folder), 0o700);
            assert!(is_private(&folder));
            let _lock = Lock::take(&folder).expect("it opens").expect("nobody has it");
            assert_eq!(mode(&folder.join("lock")), 0o600);
        }
    }

    #[test]
    fn a_folder_that_all_share_is_left_as_it_is() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        std::fs::set_permissions(folder.path(), Permissions::from_mode(0o1777)).expect("it is ours");
        assert!(make(folder.path()).is_err_and(|error| error.to_string().contains("inside of it")));
        assert_eq!(mode(folder.path()), 0o1777);
    }

    #[test]
    fn a_link_is_no_private_folder() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        make(&real).expect("it can be made");
        std::os::unix::fs::symlink(&real, &link).expect("it can be made");
        assert!(is_private(&real) && !is_private(&link));
    }

    #[test]
    fn asking_for_the_lock_does_not_take_it() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        assert!(!is_locked(folder.path()));
        let lock = Lock::take(folder.path()).expect("it opens").expect("nobody has it");
        assert!(is_locked(folder.path()) && is_locked(folder.path()));
        drop(lock);
        assert!(!is_locked(folder.path()));
    }
}
