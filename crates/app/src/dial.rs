//! The way from a program's pipes to the gateway of a data folder, for hosts that are reached by a command.

use crate::attach::ensure_gateway;
use anyhow::Context;
use remote::ByteStream;
use std::path::Path;
use std::time::Duration;
use tokio::io::{AsyncWriteExt, copy, split, stdin, stdout};
use tokio::time::timeout;

/// Time for the gateway's last words after standard input has ended.
const GOODBYE: Duration = Duration::from_secs(5);

/// Connects to the private socket of a folder's gateway, which is started where none runs.
///
/// # Errors
/// When there is no gateway and none can be started.
pub async fn private_stream(data_dir: &Path) -> anyhow::Result<Box<dyn ByteStream>> {
    let way_in = ensure_gateway(data_dir).await?.way_in(data_dir);
    Ok(remote::connect(&way_in).await?)
}

/// Bridges standard input and output to the private socket of a folder's gateway, which is started where none runs. Ends
/// when either side does.
///
/// # Errors
/// When there is no gateway and none can be started, or a pipe fails.
pub async fn dial_stdio(data_dir: &Path) -> anyhow::Result<()> {
    let (mut from, mut to) = split(private_stream(data_dir).await?);
    let down = async {
        let mut out = stdout();
        copy(&mut from, &mut out).await?;
        out.flush().await
    };
    let up = async {
        copy(&mut stdin(), &mut to).await?;
        to.shutdown().await
    };
    tokio::pin!(down);
    tokio::select! {
        ended = &mut down => ended,
        ended = up => match ended {
            Ok(()) => timeout(GOODBYE, down).await.unwrap_or(Ok(())),
            // The gateway has gone first: its last words count.
            Err(_) => down.await,
        },
    }
    .context("the connection to the gateway has failed")
}
