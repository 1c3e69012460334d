//! `sightline mcp`: MCP on stdio, one process for each session of an agent.
//!
//! It answers the handshake by itself and finds (or starts) the gateway meanwhile, so that an agent never waits for
//! it and never notices that it was restarted.

use crate::serve::end_signal;
use agents::{Agent, KNOWN};
use anyhow::Context;
use mcp::{Acknowledging, Origin, TodoServer};
use protocol::{AgentIdentity, AgentInfo, Backend, Caller, SessionLeave, Transport};
use rmcp::ServiceExt;
use rmcp::transport::IntoTransport;
use sources::GitFolder;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The longest time for saying goodbye.
const GOODBYE: Duration = Duration::from_secs(2);

#[derive(clap::Args)]
pub(crate) struct Mcp {
    /// The agent's name [default: what it says of itself]
    #[arg(long)]
    agent: Option<String>,
    /// Write to the session of this label, instead of one for each process
    #[arg(long, value_name = "LABEL")]
    session: Option<String>,
}

pub(crate) async fn run(options: Mcp, data_dir: PathBuf) -> anyhow::Result<()> {
    // Standard output belongs to the protocol.
    let _logs = app::logs(&data_dir, false).ok();
    let connection = format!("stdio:{}", app::new_uid());
    let folder = std::env::current_dir().ok();
    let git = match &folder {
        Some(folder) => GitFolder::of(folder).await,
        None => GitFolder::default(),
    };
    let origin = Origin {
        agents: KNOWN,
        agent: options.agent,
        label: options.session,
        own_sessions: from_environment(|agent| Some(agent.facts().session_variable?.name)),
        versions: from_environment(|agent| agent.facts().version_variable),
        connection: Some(connection.clone()),
        processes: sources::above(),
        terminal: sources::terminal(app::machine::variables()),
        folder: folder.map(|folder| folder.display().to_string()),
        project: git.project,
        branch: git.branch,
        project_and_branch: None,
    };
    let remote = app::remote(&data_dir, app::client("sightline mcp", Transport::Mcp, None), true);
    let backend: Arc<dyn Backend> = Arc::new(remote);
    let server = TodoServer::new(backend.clone(), origin, app::VERSION.to_owned());
    let stdio = IntoTransport::<rmcp::RoleServer, _, _>::into_transport(rmcp::transport::stdio());
    let transport = Acknowledging::new(stdio, backend.clone(), server.receipts());
    let serving = match server.serve(transport).await {
        Ok(serving) => serving,
        // An agent that starts us only to look, and goes, is no fault.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(error).context("the agent's first message is not the beginning of an MCP session"),
    };
    tokio::select! {
        ended = serving.waiting() => {
            let _ = ended.context("the MCP session failed")?;
        }
        signal = end_signal() => signal?,
    }
    goodbye(&backend, connection).await;
    Ok(())
}

/// The values of a variable of each agent's that the environment has, by the agent's name.
fn from_environment(variable: fn(&dyn Agent) -> Option<&'static str>) -> Vec<(&'static str, String)> {
    let value = |agent: &'static dyn Agent| Some((agent.name(), std::env::var(variable(agent)?).ok()?));
    KNOWN.iter().filter_map(value).filter(|(_, value)| !value.is_empty()).collect()
}

/// Reports that the agent has gone, if a gateway is there.
pub(crate) async fn goodbye(backend: &Arc<dyn Backend>, connection: String) {
    let agent =
        AgentIdentity { agent: AgentInfo::default(), connection: Some(connection.clone()), ..AgentIdentity::default() };
    let caller = Caller::agent(Transport::Mcp, connection, agent);
    let leaving = backend.call(caller, SessionLeave {}.into());
    match tokio::time::timeout(GOODBYE, leaving).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => tracing::info!(%error, "nobody heard the goodbye"),
        Err(_) => tracing::info!("nobody heard the goodbye in time"),
    }
}
