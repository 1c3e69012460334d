//! `sightline acp`: between an editor and an agent that speak ACP.
//!
//! What they say is passed on as it came. The gateway is found (or started) meanwhile; neither side ever waits for it.

use crate::mcp::goodbye;
use crate::serve::end_signals;
use acp::{Connect, Stream};
use agents::KNOWN;
use anyhow::Context;
use protocol::{Backend, BoxFuture, Code, Error, Transport};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

/// Time that the agent has to end by itself when it is told to.
const GRACE: Duration = Duration::from_secs(5);

/// Time for the last news and the goodbye: the editor waits for the end of this process.
const LAST: Duration = Duration::from_millis(500);

#[derive(clap::Args)]
pub(crate) struct Acp {
    /// The agent's name [default: that of its program, or what it says of itself]
    #[arg(long)]
    agent: Option<String>,
    /// The command that starts the agent, as the editor would start it
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

pub(crate) async fn run(options: Acp, data_dir: PathBuf) -> anyhow::Result<()> {
    // Standard output belongs to the protocol, and standard error to the agent.
    let _logs = app::logs(&data_dir, false).ok();
    let ends = end_signals()?;
    let connection = format!("acp:{}", app::new_uid());
    let remote = app::remote(&data_dir, app::client("sightline acp", Transport::Hook, None), true);
    let backend: Arc<dyn Backend> = Arc::new(remote);
    let program = options.command.first().map(|word| word.display().to_string()).unwrap_or_default();
    let config = acp::Config {
        command: options.command,
        agent: options.agent.clone(),
        agents: KNOWN,
        backend: backend.clone(),
        connect: Some(way_to_gateway(&data_dir)),
        tool_server: tool_server(&data_dir, options.agent)?,
        connection: connection.clone(),
        new_label: Box::new(|| format!("acp-{}", app::new_uid())),
    };
    let started = acp::start(config, std::io::stdin(), std::io::stdout()).await;
    let mut conversation = started.with_context(|| format!("{program} cannot be started"))?;
    let status = tokio::select! {
        status = conversation.ended() => status,
        signal = ends => {
            signal?;
            conversation.terminate();
            match tokio::time::timeout(GRACE, conversation.ended()).await {
                Ok(status) => status,
                Err(_) => {
                    conversation.kill();
                    conversation.ended().await
                }
            }
        }
    };
    conversation.finish(LAST).await;
    let _ = tokio::time::timeout(LAST, goodbye(&backend, connection)).await;
    // As the agent has ended: an editor looks at that. It reads our input no more, so nothing else ends here.
    std::process::exit(code(status.context("the agent's end is not known")?))
}

/// The exit code for a process that has ended so, as shells give it.
fn code(status: ExitStatus) -> i32 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return 128 + signal;
    }
    status.code().unwrap_or(1)
}

/// Our tool server as a program, without the session.
fn tool_server(data_dir: &Path, agent: Option<String>) -> anyhow::Result<(String, Vec<String>)> {
    let own = std::env::current_exe().context("the path of this program is not known")?;
    let text = |path: &Path| path.to_str().map(str::to_owned).with_context(|| format!("{} is no text", path.display()));
    let data_dir = std::path::absolute(data_dir).with_context(|| format!("{} has no place", data_dir.display()))?;
    let mut arguments = vec!["mcp".to_owned(), "--data-dir".to_owned(), text(&data_dir)?];
    arguments.extend(agent.into_iter().flat_map(|name| ["--agent".to_owned(), name]));
    Ok((text(&own)?, arguments))
}

/// The way to the private socket of the gateway, which is started when none runs.
fn way_to_gateway(data_dir: &Path) -> Connect {
    let data_dir = data_dir.to_owned();
    let connect = move || -> BoxFuture<protocol::Result<Box<dyn Stream>>> {
        let data_dir = data_dir.clone();
        Box::pin(async move {
            match app::private_stream(&data_dir).await {
                Ok(stream) => Ok(Box::new(stream) as Box<dyn Stream>),
                Err(error) => Err(Error::new(Code::Unavailable, format!("{error:#}"))),
            }
        })
    };
    Arc::new(connect)
}
