//! The process that has a data folder: found, or become.

use crate::folder::{Lock, is_locked};
use crate::runtime::Runtime;
use remote::Address;
use std::path::Path;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Time that another process may take between taking the lock and serving, or to let go of it.
pub(crate) const STARTING: Duration = Duration::from_secs(20);

/// Pause before a folder is looked at again.
pub(crate) const PAUSE: Duration = Duration::from_millis(20);

/// Time that a gateway may take to answer `/health`.
const ANSWERING: Duration = Duration::from_secs(2);

/// The process that has a data folder.
pub(crate) enum Holder {
    /// This one, from now on.
    Here(Lock),
    /// That of a gateway that answers.
    Gateway(Runtime),
}

/// Takes the lock of a folder, or finds the gateway that has it. Waits while another process holds the lock without a
/// gateway: it may be about to serve, or about to let go.
pub(crate) async fn holder(data_dir: &Path) -> anyhow::Result<Holder> {
    let until = Instant::now() + STARTING;
    loop {
        if let Some(lock) = Lock::take(data_dir)? {
            return Ok(Holder::Here(lock));
        }
        if let Some(runtime) = answering(data_dir).await {
            return Ok(Holder::Gateway(runtime));
        }
        anyhow::ensure!(Instant::now() < until, protocol::say::data_folder_held(data_dir.display()));
        sleep(PAUSE).await;
    }
}

/// The gateway of a folder, if it answers. Without the lock there is none, whatever a file says that a crash left behind.
pub async fn answering(data_dir: &Path) -> Option<Runtime> {
    if !is_locked(data_dir) {
        return None;
    }
    let runtime = Runtime::read(data_dir)?;
    tokio::time::timeout(ANSWERING, health(&runtime.way_in(data_dir))).await.ok()?.ok()?;
    // Read again: the file may have been that of a gateway that died, while its successor has answered.
    Runtime::read(data_dir)
}

/// Asks a gateway for its `/health`; an error for the answer of any other program.
async fn health(address: &Address) -> anyhow::Result<()> {
    let health: serde_json::Value = serde_json::from_str(&remote::get(address, "/health").await?)?;
    // One that cannot write just now says so to each change.
    anyhow::ensure!(health["status"].is_string(), "this is no gateway");
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::private_socket::NAME;
    use std::io::{Read, Write};
    use std::os::unix::net::UnixListener;

    fn of_port(port: u16) -> Runtime {
        Runtime::here(port, None)
    }

    /// Answers one question after another about its health, each after `meanwhile` is done.
    fn serve(folder: &Path, meanwhile: impl Fn() + Send + 'static) {
        let listener = UnixListener::bind(folder.join(NAME)).expect("there is none");
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                // The whole question, or its first part: it is always the same.
                let _ = stream.read(&mut [0; 512]).expect("it asks");
                meanwhile();
                stream.write_all(b"HTTP/1.0 200 OK\r\n\r\n{\"status\":\"ok\"}").expect("it hears");
            }
        });
    }

    #[tokio::test]
    async fn a_successor_that_answers_is_not_taken_for_the_one_that_died() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let dir = folder.path().to_owned();
        of_port(1).write(&dir).expect("it can be written");
        assert!(answering(&dir).await.is_none(), "nobody has the lock");
        let lock = Lock::take(&dir).expect("it opens").expect("nobody has it");
        assert!(answering(&dir).await.is_none(), "nobody listens");
        let written = dir.clone();
        serve(&dir, move || of_port(2).write(&written).expect("it can be written"));
        assert_eq!(answering(&dir).await.map(|runtime| runtime.port), Some(2));
        let stale = Runtime::take_stale(&dir, &lock).expect("it can be removed");
        assert_eq!(stale.map(|stale| stale.port), Some(2));
        assert!(Runtime::take_stale(&dir, &lock).expect("there is none").is_none());
        assert!(answering(&dir).await.is_none(), "it is not said where");
    }
}
