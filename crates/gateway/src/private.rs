//! The private socket: a way in that only programs of this user have, by the word of the system and not by a key.
//!
//! Windows has none yet. A named pipe belongs here, with the same two parts: the listener, and the peer's user.

#[cfg(unix)]
pub use unix::PrivateListener;
#[cfg(not(unix))]
pub use without::PrivateListener;

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

#[cfg(not(unix))]
mod without {
    use crate::accept::Door;
    use crate::visits::WayIn;
    use std::io::Result;
    use tokio::net::TcpStream;

    /// There is none on this system.
    pub enum PrivateListener {}

    impl Door for PrivateListener {
        type Stream = TcpStream;

        async fn accept(&self) -> Result<Option<(TcpStream, WayIn)>> {
            match *self {}
        }
    }
}
