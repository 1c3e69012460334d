//! `sightline serve`: the gateway and its page, without a window.

use crate::output;
use app::{Config, Started};
use std::path::PathBuf;
use std::time::Duration;

#[derive(clap::Args)]
pub(crate) struct Serve {
    /// The port on loopback; 0 for any free one [default: the last one, or 3271 and up]
    #[arg(long)]
    port: Option<u16>,
    /// End when nobody has used it for so many seconds
    #[arg(long, value_name = "N")]
    idle_seconds: Option<u64>,
}

pub(crate) async fn run(serve: Serve, data_dir: PathBuf, json: bool) -> anyhow::Result<()> {
    let _logs = app::logs(&data_dir, false)?;
    let idle = serve.idle_seconds.map(Duration::from_secs);
    let running = match app::start(Config { data_dir: data_dir.clone(), port: serve.port, idle }).await? {
        Started::Here(running) => running,
        Started::Elsewhere(runtime) => {
            let (address, pid) = (runtime.address(), runtime.pid);
            return if json {
                output::json(&serde_json::json!({ "alreadyRunning": true, "address": address, "pid": pid }))
            } else {
                output::line(&format!("already running at {address} (process {pid}); its page is {}", runtime.page()))
            };
        }
    };
    let runtime = &running.runtime;
    output::announce(&if json {
        serde_json::json!({ "listening": runtime.address(), "page": runtime.page(), "dataDir": data_dir }).to_string()
    } else {
        format!("listening on {}\nopen {}", runtime.address(), runtime.page())
    });
    tokio::select! {
        signal = told_to_end() => signal?,
        () = running.idle() => tracing::info!("nobody uses this gateway any more"),
    }
    running.stop().await;
    Ok(())
}

/// Waits for Ctrl+C or, on Unix, for SIGTERM.
pub(crate) async fn told_to_end() -> anyhow::Result<()> {
    #[cfg(unix)]
    {
        let mut term = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
        tokio::select! {
            signal = tokio::signal::ctrl_c() => Ok(signal?),
            _ = term.recv() => Ok(()),
        }
    }
    #[cfg(not(unix))]
    Ok(tokio::signal::ctrl_c().await?)
}
