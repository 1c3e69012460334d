//! The private socket of a data folder: its place, and its file, which is there while the process has the folder's lock.
//!
//! It is in the data folder. Where its name would be too long for the system, or the file system has no sockets, it is in
//! a private folder elsewhere that `runtime.json` names. On Windows it is a named pipe, whose name is always there.

#[cfg(unix)]
pub(crate) use unix::{PrivateSocket, make};
#[cfg(windows)]
pub(crate) use windows::{PrivateSocket, make};

/// Name of the socket in its folder.
pub(crate) const NAME: &str = "gateway.sock";

#[cfg(windows)]
mod windows {
    use crate::clock;
    use crate::folder::Lock;
    use anyhow::Context;
    use gateway::PrivateListener;
    use std::path::{Path, PathBuf};

    /// The name of a pipe, which goes with its listener.
    pub(crate) struct PrivateSocket(PathBuf);

    impl PrivateSocket {
        /// Returns its path, which is never in the data folder.
        pub(crate) fn elsewhere(&self) -> Option<PathBuf> {
            Some(self.0.clone())
        }
    }

    /// Makes a pipe with a new name: nobody can have taken one that nobody could know.
    pub(crate) fn make(_: &Path, _: &Lock, _: Option<&Path>) -> anyhow::Result<(PrivateListener, PrivateSocket)> {
        let path = PathBuf::from(format!(r"\\.\pipe\sightline-{}", clock::new_secret()));
        let listener = PrivateListener::bind(&path).context("no named pipe can be made")?;
        Ok((listener, PrivateSocket(path)))
    }
}

#[cfg(unix)]
mod unix {
    use super::NAME;
    use crate::folder::{Lock, is_private};
    use gateway::PrivateListener;
    use std::io::{Error, ErrorKind, Result};
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{FileTypeExt, PermissionsExt};
    use std::path::{Path, PathBuf};

    /// The longest name of a socket: Linux has room for 107 bytes, macOS for 103.
    const PATH_BYTES: usize = 100;

    /// Prefix of a private folder for a socket.
    const FOLDER: &str = "sightline-";

    /// The file of a socket, removed with this value.
    pub(crate) struct PrivateSocket {
        path: PathBuf,
        /// Its folder, where that is not the data folder.
        folder: Option<tempfile::TempDir>,
    }

    impl PrivateSocket {
        /// Returns its path where it is not in the data folder.
        pub(crate) fn elsewhere(&self) -> Option<PathBuf> {
            self.folder.as_ref().map(|_| self.path.clone())
        }
    }

    impl Drop for PrivateSocket {
        fn drop(&mut self) {
            if let Err(error) = std::fs::remove_file(&self.path)
                && error.kind() != ErrorKind::NotFound
            {
                tracing::warn!(%error, "the private socket could not be removed");
            }
        }
    }

    /// Makes the socket of a data folder. One that is there, or `stale`, was left by a process that has died: the lock
    /// shows it.
    pub(crate) fn make(
        data_dir: &Path,
        _: &Lock,
        stale: Option<&Path>,
    ) -> anyhow::Result<(PrivateListener, PrivateSocket)> {
        remove_stale(data_dir, stale);
        let problem = match bind(data_dir) {
            Ok((listener, path)) => return Ok((listener, PrivateSocket { path, folder: None })),
            Err(problem) => problem,
        };
        tracing::info!(%problem, "the private socket cannot be in the data folder");
        elsewhere().ok_or_else(|| anyhow::Error::new(protocol::say::socket_nowhere(data_dir.display(), problem)))
    }

    fn bind(folder: &Path) -> Result<(PrivateListener, PathBuf)> {
        let path = folder.join(NAME);
        let length = path.as_os_str().as_bytes().len();
        if length > PATH_BYTES {
            let problem = format!("its name would have {length} bytes, and {PATH_BYTES} are sure to work");
            return Err(Error::new(ErrorKind::InvalidFilename, problem));
        }
        Ok((PrivateListener::bind(&path)?, path))
    }

    /// Makes a private folder and the socket in it.
    fn elsewhere() -> Option<(PrivateListener, PrivateSocket)> {
        let of_user = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|folder| is_private(folder));
        let places = of_user.into_iter().chain([std::env::temp_dir(), "/tmp".into()]);
        // Named in a text file, and found from any folder.
        let mut places = places.filter(|place| place.is_absolute() && place.to_str().is_some());
        places.find_map(|place| {
            let permissions = PermissionsExt::from_mode(0o700);
            let folder = tempfile::Builder::new().prefix(FOLDER).permissions(permissions).tempdir_in(place).ok()?;
            let (listener, path) = is_private(folder.path()).then(|| bind(folder.path()).ok())??;
            Some((listener, PrivateSocket { path, folder: Some(folder) }))
        })
    }

    /// Removes the socket that a process has left which died.
    fn remove_stale(data_dir: &Path, elsewhere: Option<&Path>) {
        let is_socket = |path: &Path| std::fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket());
        let remove = |path: &Path| {
            if is_socket(path)
                && let Err(error) = std::fs::remove_file(path)
            {
                tracing::warn!(%error, "a socket that was left behind could not be removed");
            }
        };
        remove(&data_dir.join(NAME));
        let Some((path, folder)) = elsewhere.and_then(|path| Some((path, path.parent()?))) else { return };
        let is_ours = folder.file_name().is_some_and(|name| name.as_bytes().starts_with(FOLDER.as_bytes()));
        if is_ours && is_private(folder) {
            remove(path);
            // Only an empty one goes.
            let _ = std::fs::remove_dir(folder);
        }
    }

    #[cfg(test)]
    mod tests {
        use crate::folder::{self, Lock};
        use crate::private_socket::{NAME, make};
        use std::os::unix::net::UnixStream;
        use std::path::Path;

        fn locked(folder: &Path) -> Lock {
            folder::make(folder).expect("it can be made");
            Lock::take(folder).expect("it opens").expect("nobody has it")
        }

        #[tokio::test]
        async fn a_socket_that_was_left_is_replaced_and_the_own_goes_with_its_value() {
            let folder = tempfile::tempdir().expect("a folder can be made");
            let (path, lock) = (folder.path().join(NAME), locked(folder.path()));
            drop(std::os::unix::net::UnixListener::bind(&path).expect("it can be made"));
            assert!(UnixStream::connect(&path).is_err(), "nobody listens at it");
            let (listener, socket) = make(folder.path(), &lock, None).expect("there is a place");
            assert_eq!(socket.elsewhere(), None);
            UnixStream::connect(&path).expect("it listens");
            drop((listener, socket));
            assert!(!path.exists());
        }

        #[tokio::test]
        async fn a_long_name_and_a_file_in_its_place_lead_elsewhere() {
            let folder = tempfile::tempdir().expect("a folder can be made");
            let (long, taken) = (folder.path().join("n".repeat(120)), folder.path().join("taken"));
            for folder in [&long, &taken] {
                let lock = locked(folder);
                std::fs::write(taken.join(NAME), "mine").ok();
                let made = make(folder, &lock, None).expect("there is a place");
                let elsewhere = made.1.elsewhere().expect("it is elsewhere");
                assert!(folder::is_private(elsewhere.parent().expect("it has a folder")));
                UnixStream::connect(&elsewhere).expect("it listens");
                drop(made);
                assert!(!elsewhere.parent().expect("it had a folder").exists(), "it leaves nothing");
            }
            assert_eq!(std::fs::read_to_string(taken.join(NAME)).ok().as_deref(), Some("mine"));
        }
    }
}
