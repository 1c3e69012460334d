//! `sightline hook`, which an agent's hook runs: it reads the event from standard input and prints the answer for the
//! agent, or nothing.
//!
//! With `--answers` it asks the user for the agent about the call that the event is about, and prints the decision.
//!
//! It never stands in the agent's way: without a gateway, with a payload that it does not understand, or when
//! anything fails it prints nothing, on neither output, and ends well; the log says why.

use agents::{Agent, AskedCall, HookPayload, KNOWN, Registry};
use protocol::{Backend, PERMISSION_SECONDS, Transport};
use sources::hooks::{BYTES, HookProcess, ask, hear, hear_asking, hooked};
use std::io::{Read, Write};
use std::path::PathBuf;
use std::time::Duration;

/// The longest time that an agent is kept waiting; their own limits are 3 seconds and more.
const PATIENCE: Duration = Duration::from_secs(2);

/// The time between two looks for the agent while its user is asked.
const LOOK: Duration = Duration::from_secs(1);

#[derive(clap::Args)]
pub(crate) struct Hook {
    #[arg(help = format!("The hook's agent: one of {}", Registry::names(KNOWN.hooked())))]
    agent: String,
    /// Ask the user about the call that the agent asks about, and wait this long for an answer
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(..=i64::from(PERMISSION_SECONDS)))]
    answers: Option<u32>,
}

pub(crate) async fn run(options: Hook, data_dir: PathBuf) -> anyhow::Result<()> {
    // An unknown name is a slip in the registration, and the one error that is shown.
    let agent = hooked(KNOWN, &options.agent)?;
    let _logs = app::logs(&data_dir, false).ok();
    let limit = PATIENCE + Duration::from_secs(options.answers.unwrap_or_default().into());
    match tokio::time::timeout(limit, tell(agent, &data_dir, options.answers)).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(error = format!("{error:#}"), agent = agent.name(), "a hook was not heard"),
        Err(_) => tracing::warn!(agent = agent.name(), "the gateway did not answer a hook in time"),
    }
    Ok(())
}

async fn tell(agent: &'static dyn Agent, data_dir: &std::path::Path, answers: Option<u32>) -> anyhow::Result<()> {
    let payload = tokio::task::spawn_blocking(payload).await??;
    if app::answering(data_dir).await.is_none() {
        return Ok(());
    }
    let mut heard = agent.read_hook(&payload)?;
    drop(payload);
    let backend = app::remote(data_dir, app::client("sightline hook", Transport::Hook, None), false);
    let process = HookProcess { processes: sources::above(), terminal: sources::terminal(app::machine::variables()) };
    if let Some((asked, seconds)) = heard.asks.take().zip(answers) {
        return decide(&backend, agent, heard, &asked, process, seconds).await;
    }
    let Some(answer) = hear(&backend as &dyn Backend, agent, heard, process).await? else { return Ok(()) };
    print(&answer.body)?;
    answer.sent(&backend).await?;
    Ok(())
}

/// Asks the user about a call, and prints what was decided. A gateway that does not even take the report keeps nobody.
async fn decide(
    backend: &dyn Backend,
    agent: &'static dyn Agent,
    heard: HookPayload,
    asked: &AskedCall,
    process: HookProcess,
    seconds: u32,
) -> anyhow::Result<()> {
    let (event, above) = (heard.event.clone(), process.processes.clone());
    let caller = tokio::time::timeout(PATIENCE, hear_asking(backend, agent, heard, process)).await??;
    let decided = tokio::select! {
        decided = ask(backend, caller, asked, seconds) => decided?,
        () = left(above) => return Ok(()),
    };
    match agent.hook_decision(&event, asked, &decided) {
        Some(decision) => print(&decision.to_string()),
        None => Ok(()),
    }
}

/// Waits until a process above this one has ended: nobody reads an answer then, and nobody is to be asked.
async fn left(above: Vec<String>) {
    loop {
        tokio::time::sleep(LOOK).await;
        if tokio::task::spawn_blocking(sources::above).await.is_ok_and(|now| now != above) {
            return;
        }
    }
}

fn print(answer: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{answer}")?;
    out.flush()?;
    Ok(())
}

/// The payload on standard input.
fn payload() -> anyhow::Result<Vec<u8>> {
    let mut payload = Vec::new();
    std::io::stdin().take(BYTES as u64 + 1).read_to_end(&mut payload)?;
    anyhow::ensure!(payload.len() <= BYTES, "the payload has more than {BYTES} bytes");
    Ok(payload)
}
