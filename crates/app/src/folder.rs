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
    std::path::absolute(&folder).with_context(|| say::path_no_name(folder.display()))
}

/// Makes the folder, or takes the one that is there: it is this user's, and nobody else can enter it.
pub(crate) fn make(folder: &Path) -> anyhow::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    #[cfg(windows)]
    let was_there = folder.exists();
    builder.create(folder).map_err(|error| say::data_folder_made(folder.display(), error))?;
    #[cfg(unix)]
    privacy::keep_others_out(folder)?;
    #[cfg(windows)]
    if std::fs::read_dir(folder)?.next().is_none()
        && let Err(error) = access_list::keep_others_out(folder)
    {
        // Nobody is to take it for one that is private.
        if !was_there {
            let _ = std::fs::remove_dir(folder);
        }
        return Err(error);
    }
    Ok(())
}

/// True for a folder of this user that nobody else can enter. A link is none.
#[cfg(unix)]
pub(crate) fn is_private(folder: &Path) -> bool {
    std::fs::symlink_metadata(folder).is_ok_and(|metadata| privacy::is_private(&metadata))
}

/// The access list of a folder on Windows with nothing in it. What comes into it inherits the list. One that has something in
/// it keeps its own: it may be shared on purpose, or be a whole drive.
#[cfg(any(windows, test))]
mod access_list {
    use std::path::Path;

    /// Lets only this user, the system and administrators in, as they are in the user's profile; there nothing is changed.
    #[cfg(windows)]
    pub(super) fn keep_others_out(folder: &Path) -> anyhow::Result<()> {
        use std::process::{Command, Stdio};
        if std::env::home_dir().is_some_and(|profile| is_in(folder, &profile)) {
            return Ok(());
        }
        let variable = |name: &str| std::env::var(name).ok();
        let open = || protocol::say::data_folder_open(folder.display());
        let arguments = arguments(folder, variable).ok_or_else(open)?;
        let system = std::env::var_os("SYSTEMROOT").ok_or_else(open)?;
        let mut command = Command::new(Path::new(&system).join("System32").join("icacls.exe"));
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        programs::without_window(&mut command);
        if command.status().is_ok_and(|status| status.success()) {
            return Ok(());
        }
        Err(open().into())
    }

    /// The arguments for `icacls`; `None` where the user's name is not known.
    pub(super) fn arguments(folder: &Path, variable: impl Fn(&str) -> Option<String>) -> Option<Vec<String>> {
        const SYSTEM: &str = "*S-1-5-18";
        const ADMINISTRATORS: &str = "*S-1-5-32-544";
        let user = variable("USERNAME").filter(|name| !name.is_empty())?;
        let user = match variable("USERDOMAIN").filter(|domain| !domain.is_empty()) {
            Some(domain) => format!(r"{domain}\{user}"),
            None => user,
        };
        let mut words = vec![folder.to_str()?.to_owned(), "/inheritance:r".to_owned(), "/grant:r".to_owned()];
        words.extend([user.as_str(), SYSTEM, ADMINISTRATORS].map(|who| format!("{who}:(OI)(CI)F")));
        Some(words)
    }

    /// True if a folder is below another, whatever the case of their letters.
    pub(super) fn is_in(folder: &Path, profile: &Path) -> bool {
        let low = |path: &Path| path.to_string_lossy().to_lowercase();
        Path::new(&low(folder)).starts_with(low(profile))
    }

    #[cfg(test)]
    mod tests {
        use super::{arguments, is_in};
        use std::path::Path;

        #[test]
        fn a_new_folder_outside_of_the_profile_is_the_users_alone() {
            let variable = |name: &str| match name {
                "USERNAME" => Some("Zoë K".to_owned()),
                "USERDOMAIN" => Some("DESK".to_owned()),
                _ => None,
            };
            let words = arguments(Path::new(r"D:\my data"), variable).expect("the user is known");
            let grants = [r"DESK\Zoë K:(OI)(CI)F", "*S-1-5-18:(OI)(CI)F", "*S-1-5-32-544:(OI)(CI)F"];
            assert_eq!(words[..3], [r"D:\my data", "/inheritance:r", "/grant:r"]);
            assert_eq!(words[3..], grants);
            assert_eq!(arguments(Path::new("D:"), |_| None), None);
        }

        #[test]
        fn the_profile_is_private_already() {
            assert!(is_in(Path::new("/Users/Zoë/AppData/Roaming/x"), Path::new("/users/zoë")));
            assert!(!is_in(Path::new("/Users/Zoëlla/x"), Path::new("/users/zoë")));
        }
    }
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
        let look = || std::fs::metadata(folder).with_context(|| say::path_not_seen(&name));
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
        let file = options.open(&path).with_context(|| say::path_not_open(path.display()))?;
        #[cfg(unix)]
        file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))
            .with_context(|| say::path_not_private(path.display()))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error).with_context(|| say::path_not_locked(path.display())),
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
    write().with_context(|| say::path_not_written(folder.join(name).display()))
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
