//! The private socket: a way in that only programs of this user have, by the word of the system and not by a key.
//!
//! On Unix it is a socket, on Windows a named pipe.

#[cfg(unix)]
pub use unix::PrivateListener;
#[cfg(windows)]
pub use windows::PrivateListener;

#[cfg(unix)]
mod unix {
    use crate::accept::Door;
    use crate::visits::WayIn;
    use std::io::Result;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;
    use tokio::net::{UnixListener, UnixStream};

    /// Listens on a Unix socket, and accepts programs of the user of this process only.
    pub struct PrivateListener {
        listener: UnixListener,
        user: u32,
    }

    impl PrivateListener {
        /// Makes the socket, in a folder that only this user can enter.
        ///
        /// # Errors
        /// When there is a file, the name is too long, or the file system has no sockets.
        pub fn bind(path: &Path) -> Result<Self> {
            let listener = UnixListener::bind(path)?;
            std::fs::set_permissions(path, PermissionsExt::from_mode(0o600))?;
            Ok(Self { listener, user: nix::unistd::geteuid().as_raw() })
        }
    }

    impl Door for PrivateListener {
        type Stream = UnixStream;

        async fn accept(&self) -> Result<Option<(UnixStream, WayIn)>> {
            let (stream, _) = self.listener.accept().await?;
            match stream.peer_cred().map(|peer| peer.uid()) {
                Ok(user) if user == self.user => Ok(Some((stream, WayIn::Private))),
                Ok(user) => {
                    tracing::warn!(user, "another user was at the private socket, and is refused");
                    Ok(None)
                }
                // It has gone.
                Err(_) => Ok(None),
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use tokio::io::AsyncReadExt;

        #[tokio::test]
        async fn only_the_own_user_is_let_in() {
            let folder = tempfile::tempdir().expect("a folder can be made");
            let path = folder.path().join("socket");
            let mut door = PrivateListener::bind(&path).expect("a socket can be made");
            assert_eq!(std::fs::metadata(&path).expect("it is there").permissions().mode() & 0o777, 0o600);
            assert!(PrivateListener::bind(&path).is_err(), "one that is there is left alone");
            let _peer = UnixStream::connect(&path).await.expect("it listens");
            let accepted = door.accept().await.expect("it accepts").map(|(_, way)| way);
            assert_eq!(accepted, Some(WayIn::Private));
            // To a process of another user, this one is another user.
            door.user = door.user.wrapping_add(1);
            let mut peer = UnixStream::connect(&path).await.expect("it listens");
            assert!(door.accept().await.expect("it accepts").is_none());
            assert_eq!(peer.read(&mut [0]).await.expect("it is closed"), 0);
        }
    }
}

#[cfg(windows)]
mod windows {
    use crate::accept::Door;
    use crate::visits::WayIn;
    use std::io::Result;
    use std::os::windows::io::{AsHandle, BorrowedHandle};
    use std::path::{Path, PathBuf};
    use tokio::net::windows::named_pipe::{NamedPipeServer, ServerOptions};
    use tokio::sync::Mutex;

    /// Listens on a named pipe, and accepts programs of the user of this process only. The system itself lets other users
    /// read from one, and only this user and administrators write to it.
    pub struct PrivateListener {
        path: PathBuf,
        is_of_this_user: fn(BorrowedHandle<'_>) -> Result<bool>,
        /// The end that waits for the next program.
        next: Mutex<NamedPipeServer>,
    }

    impl PrivateListener {
        /// Makes the pipe, the first of its name: others can list the names of pipes.
        ///
        /// # Errors
        /// When there is one of this name.
        pub fn bind(path: &Path) -> Result<Self> {
            let first = options().first_pipe_instance(true).create(path)?;
            Ok(Self { path: path.to_owned(), is_of_this_user: programs::is_of_this_user, next: Mutex::new(first) })
        }
    }

    fn options() -> ServerOptions {
        let mut options = ServerOptions::new();
        options.reject_remote_clients(true);
        options
    }

    impl Door for PrivateListener {
        type Stream = NamedPipeServer;

        async fn accept(&self) -> Result<Option<(NamedPipeServer, WayIn)>> {
            let mut next = self.next.lock().await;
            let is_there = next.connect().await;
            // One that came and went has used this end up, too.
            let connected = std::mem::replace(&mut *next, options().create(&self.path)?);
            if is_there.is_err() {
                return Ok(None);
            }
            match (self.is_of_this_user)(connected.as_handle()) {
                Ok(true) => Ok(Some((connected, WayIn::Private))),
                Ok(false) => {
                    tracing::warn!("another user was at the named pipe, and is refused");
                    Ok(None)
                }
                // It has gone.
                Err(_) => Ok(None),
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        use tokio::net::windows::named_pipe::ClientOptions;

        fn path(name: &str) -> PathBuf {
            PathBuf::from(format!(r"\\.\pipe\sightline-{name}-{}", std::process::id()))
        }

        #[tokio::test]
        async fn nobody_takes_the_name_of_a_pipe() {
            let path = path("taken");
            let _door = PrivateListener::bind(&path).expect("a pipe can be made");
            assert!(PrivateListener::bind(&path).is_err(), "one that is there is left alone");
        }

        #[tokio::test]
        async fn only_the_own_user_is_let_in() {
            let path = path("refused");
            let mut door = PrivateListener::bind(&path).expect("a pipe can be made");
            door.is_of_this_user = |_| Ok(false);
            let mut client = ClientOptions::new().open(&path).expect("it listens");
            assert!(door.accept().await.expect("it accepts").is_none());
            assert!(matches!(client.read(&mut [0]).await, Ok(0) | Err(_)), "it is closed");
        }

        #[tokio::test]
        async fn programs_come_one_after_the_other() {
            let path = path("served");
            let door = PrivateListener::bind(&path).expect("a pipe can be made");
            for word in [b"first", b"other"] {
                let mut client = ClientOptions::new().open(&path).expect("it listens");
                let (mut served, way) = door.accept().await.expect("it accepts").expect("it is let in");
                assert_eq!(way, WayIn::Private);
                client.write_all(word).await.expect("written");
                let mut heard = [0; 5];
                served.read_exact(&mut heard).await.expect("read");
                assert_eq!(&heard, word);
            }
        }
    }
}
