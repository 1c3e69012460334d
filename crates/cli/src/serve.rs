//! `sightline serve`: the gateway and its page, without a window.

use crate::output;
use crate::words::{text, word};
use app::demo::Scene;
use app::{Config, Demo, Started};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Duration;

/// Serve the gateway and its page, without a window
///
/// With --json the first line says where it listens and has the address of its page, wherever the output goes. The code in
/// that address is trusted: within ten minutes it pairs one browser, and the first browser of a data folder administers.
/// Use --json only where nobody else reads the output. Without it, the code is printed at a terminal only.
#[derive(clap::Args)]
pub(crate) struct Serve {
    /// The port on loopback; 0 for any free one [default: the last one, or 3271 and up]
    #[arg(long)]
    port: Option<u16>,
    /// Answer to this host as well, by which a proxy with TLS on this machine is reached; with a port where that is not 443.
    /// May be given several times
    #[arg(long, value_name = "NAME", value_parser = public_host)]
    public_host: Vec<String>,
    /// End when nobody has used it for so many seconds
    #[arg(long, value_name = "N")]
    idle_seconds: Option<u64>,
    /// Play a demo in a throw-away data folder, with agents that are made up: typical, one, full, odd or empty
    #[arg(long, value_name = "SCENE", num_args = 0..=1, default_missing_value = "typical")]
    demo: Option<Scene>,
    /// For pictures: the demo's clock stands still at this time (RFC 3339)
    #[arg(long, value_name = "TIME", requires = "demo", hide = true)]
    still_at: Option<jiff::Timestamp>,
}

/// Reads a named host.
fn public_host(text: &str) -> Result<String, String> {
    protocol::public_host(text).ok_or_else(|| protocol::say::setting_public_host(todo::text::plain(text)).english)
}

impl Serve {
    /// The demo to play.
    fn demo(&self) -> Option<Demo> {
        self.demo.map(|scene| Demo { scene, still_at: self.still_at })
    }
}

pub(crate) async fn run(serve: Serve, given: Option<PathBuf>, json: bool) -> anyhow::Result<()> {
    let demo = serve.demo();
    let data_dir = if demo.is_some() { app::demo::folder(given)? } else { app::data_dir(given)? };
    let _logs = app::logs(&data_dir, false)?;
    let idle = serve.idle_seconds.map(Duration::from_secs);
    // Any free port for a demo, since agents connect to the usual ones.
    let port = serve.port.or_else(|| demo.map(|_| 0));
    let mut running =
        match app::start(Config { data_dir: data_dir.clone(), port, public_hosts: serve.public_host, idle, demo })
            .await?
        {
            Started::Here(running) => running,
            Started::Elsewhere(runtime) => {
                let (address, pid) = (runtime.address(), runtime.pid);
                return if json {
                    output::json(&serde_json::json!({ "alreadyRunning": true, "address": address, "pid": pid }))
                } else {
                    let running = text("terminal_already_running", &[("address", &address), ("pid", &pid)]);
                    output::line(&format!("{running}\n{}", word("terminal_open_prints")))
                };
            }
        };
    let runtime = &running.runtime;
    // From before the address is printed, so that no signal is missed.
    let end = end_signals()?;
    output::announce(&if json {
        serde_json::json!({ "listening": runtime.address(), "page": running.page(), "dataDir": data_dir }).to_string()
    } else {
        // A code is for a person at a terminal, not for a log.
        let page = match std::io::stdout().is_terminal() {
            true => text("terminal_open_page", &[("page", &running.page())]),
            false => word("terminal_open_prints").to_owned(),
        };
        format!("{}\n{page}", text("terminal_listening", &[("address", &runtime.address())]))
    });
    tokio::select! {
        signal = end => signal?,
        () = running.idle() => tracing::info!("nobody uses this gateway any more"),
    }
    running.stop().await;
    Ok(())
}

/// Waits for Ctrl+C, for SIGTERM on Unix, and for the end of the terminal; on Windows for that of the user's session, too.
pub(crate) async fn end_signal() -> anyhow::Result<()> {
    end_signals()?.await
}

/// A future of the same that counts signals from now on.
pub(crate) fn end_signals() -> anyhow::Result<impl Future<Output = anyhow::Result<()>>> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (mut term, mut hangup) = (signal(SignalKind::terminate())?, signal(SignalKind::hangup())?);
        let mut interrupt = signal(SignalKind::interrupt())?;
        Ok(async move {
            tokio::select! {
                _ = hangup.recv() => {}
                _ = interrupt.recv() => {}
                _ = term.recv() => {}
            }
            Ok(())
        })
    }
    #[cfg(windows)]
    {
        use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close, ctrl_logoff, ctrl_shutdown};
        let (mut interrupt, mut pause, mut close) = (ctrl_c()?, ctrl_break()?, ctrl_close()?);
        let (mut logoff, mut shutdown) = (ctrl_logoff()?, ctrl_shutdown()?);
        Ok(async move {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = pause.recv() => {}
                _ = close.recv() => {}
                _ = logoff.recv() => {}
                _ = shutdown.recv() => {}
            }
            Ok(())
        })
    }
}
