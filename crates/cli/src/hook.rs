//! `sightline hook`, which an agent's hook runs: it reads the event from standard input and prints the answer for the
//! agent, or nothing.
//!
//! It never stands in the agent's way: without a gateway, with a payload that it does not understand, or when
//! anything fails it prints nothing, on neither output, and ends well; the log says why.

use agents::{Agent, KNOWN, Registry};
use protocol::{Backend, Transport};
use sources::hooks::{BYTES, HookProcess, hear, hooked};
use std::io::{Read, Write};
use std::path::PathBuf;
use std::time::Duration;

/// The longest time that an agent is kept waiting; their own limits are 3 seconds and more.
const PATIENCE: Duration = Duration::from_secs(2);

#[derive(clap::Args)]
pub(crate) struct Hook {
    #[arg(help = format!("The hook's agent: one of {}", Registry::names(KNOWN.hooked())))]
    agent: String,
}

pub(crate) async fn run(options: Hook, data_dir: PathBuf) -> anyhow::Result<()> {
    // An unknown name is a slip in the registration, and the one error that is shown.
    let agent = hooked(KNOWN, &options.agent)?;
    let _logs = app::logs(&data_dir, false).ok();
    match tokio::time::timeout(PATIENCE, tell(agent, &data_dir)).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(error = format!("{error:#}"), agent = agent.name(), "a hook was not heard"),
        Err(_) => tracing::warn!(agent = agent.name(), "the gateway did not answer a hook in time"),
    }
    Ok(())
}

async fn tell(agent: &'static dyn Agent, data_dir: &std::path::Path) -> anyhow::Result<()> {
    let payload = tokio::task::spawn_blocking(payload).await??;
    if app::answering(data_dir).await.is_none() {
        return Ok(());
    }
    let heard = agent.read_hook(&payload)?;
    drop(payload);
    let backend = app::remote(data_dir, app::client("sightline hook", Transport::Hook, None), false);
    let process = HookProcess { processes: sources::above(), terminal: sources::terminal(app::machine::variables()) };
    let Some(answer) = hear(&backend as &dyn Backend, agent, heard, process).await? else { return Ok(()) };
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", answer.body)?;
    out.flush()?;
    drop(out);
    answer.sent(&backend).await?;
    Ok(())
}

/// The payload on standard input.
fn payload() -> anyhow::Result<Vec<u8>> {
    let mut payload = Vec::new();
    std::io::stdin().take(BYTES as u64 + 1).read_to_end(&mut payload)?;
    anyhow::ensure!(payload.len() <= BYTES, "the payload has more than {BYTES} bytes");
    Ok(payload)
}
