//! The process that has a data folder: found, or become.

use crate::folder::Lock;
use crate::runtime::Runtime;
use std::path::Path;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};

/// Time that another process may take between taking the lock and serving, or to let go of it.
pub(crate) const STARTING: Duration = Duration::from_secs(20);

/// Pause before a folder is looked at again.
pub(crate) const PAUSE: Duration = Duration::from_millis(20);

/// Time that a gateway may take to answer `/health`, and the most that it may answer.
const ANSWERING: Duration = Duration::from_secs(2);
const HEALTH_BYTES: u64 = 4096;

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
        anyhow::ensure!(
            Instant::now() < until,
            "another process has the data folder {} and serves no gateway; end it, or choose another folder with --data-dir",
            data_dir.display()
        );
        sleep(PAUSE).await;
    }
}

/// The gateway of a folder, if it answers; the file of a process that has died counts as none.
pub async fn answering(data_dir: &Path) -> Option<Runtime> {
    let runtime = Runtime::read(data_dir)?;
    let pid = tokio::time::timeout(ANSWERING, health(runtime.port)).await.ok()?.ok()?;
    (pid == u64::from(runtime.pid)).then_some(runtime)
}

/// The process id of the gateway on a port, from its `/health`; an error for the answer of any other program.
async fn health(port: u16) -> std::io::Result<u64> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
    stream.write_all(b"GET /health HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n").await?;
    let mut answer = Vec::new();
    stream.take(HEALTH_BYTES).read_to_end(&mut answer).await?;
    let text = String::from_utf8_lossy(&answer);
    let body = text.split_once("\r\n\r\n").map(|(_, body)| body).unwrap_or_default();
    let health: serde_json::Value = serde_json::from_str(body).unwrap_or_default();
    health["pid"].as_u64().ok_or_else(|| std::io::Error::other("this is no gateway"))
}
