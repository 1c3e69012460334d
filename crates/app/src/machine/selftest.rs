//! The self-test of a registration: our MCP server is started as the agent starts it, by a real MCP client, and a first
//! list has to arrive at the gateway.

use super::real;
use super::steps::{Failed, STEP, Steps, Tell, forget, label, seen};
use agents::{Agent, KNOWN};
use anyhow::Context;
use protocol::{AgentsTested, Backend};
use rmcp::ServiceExt;
use rmcp::model::CallToolRequestParams;
use rmcp::transport::TokioChildProcess;
use serde_json::json;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Our MCP server as an agent runs it.
#[derive(Debug, Clone)]
pub struct RegisteredServer {
    agent: &'static dyn Agent,
    program: PathBuf,
    arguments: Vec<OsString>,
}

impl RegisteredServer {
    /// The program that an agent starts once it is connected.
    #[must_use]
    pub fn of(agent: &'static dyn Agent, server: &setup::Server) -> Self {
        let arguments = ["mcp", "--agent", agent.name(), "--data-dir"].map(Into::into).into_iter();
        Self {
            agent,
            program: server.command.clone(),
            arguments: arguments.chain([server.data_dir.clone().into_os_string()]).collect(),
        }
    }
}

/// Starts our MCP server as the agent does, speaks to it as a real MCP client, and waits until a list that it is sent
/// arrives at a subscriber of the gateway.
///
/// With `agent`, the agent's own program, it then makes one call itself, for which it asks its model.
pub async fn test(
    registered: &RegisteredServer,
    agent: Option<&Path>,
    backend: &dyn Backend,
    data_dir: &Path,
    tell: &mut Tell<'_>,
) -> AgentsTested {
    let mut steps = Steps::new(tell);
    let mut outcome = perform(registered, backend, data_dir, &mut steps).await;
    if let (Ok(()), Some(program)) = (&outcome, agent) {
        outcome = real::perform(registered.agent, program, backend, &mut steps).await;
    }
    steps.end(registered.agent.name(), outcome)
}

async fn perform(
    registered: &RegisteredServer,
    backend: &dyn Backend,
    data_dir: &Path,
    steps: &mut Steps<'_>,
) -> Result<(), Failed> {
    let shown = shown(registered);
    let mut command = tokio::process::Command::new(&registered.program);
    command.args(&registered.arguments).kill_on_drop(true);
    // Run by an agent, it must not be taken for that agent's own session.
    for name in KNOWN.session_variables() {
        command.env_remove(name);
    }
    if let Some(passed_on) = registered.agent.facts().server_variables {
        command.env_clear();
        command.envs(passed_on.iter().filter_map(|name| Some((*name, std::env::var_os(name)?))));
    }
    let begun = Instant::now();
    let spawned = TokioChildProcess::builder(command).stderr(Stdio::null()).spawn();
    let (process, _) = spawned.map_err(|error| Failed {
        what: format!("{shown} cannot be started: {error}"),
        mend: format!(
            "Is Sightline where it was? `sightline connect {}` registers it as it is now.",
            registered.agent.name()
        ),
    })?;
    steps.done(format!("started {shown}"));

    let by_hand = || format!("Run it by hand to see why, and look into {}.", data_dir.join("logs").display());
    let client = within(().serve(process)).await.map_err(|problem| Failed {
        what: format!("it does not answer as an MCP server: {problem}"),
        mend: by_hand(),
    })?;
    steps.done(format!("answered after {}", millis(begun)));

    let tools = within(client.list_all_tools())
        .await
        .map_err(|problem| Failed { what: format!("it does not list its tools: {problem}"), mend: by_hand() })?;
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    if !names.contains(&"todo_write") {
        return Err(Failed {
            what: format!("it has no todo_write, but {}", names.join(", ")),
            mend: format!(
                "Another program is registered in our place; `sightline connect {}`.",
                registered.agent.name()
            ),
        });
    }
    steps.done(format!("offers {}", names.join(", ")));

    let label = label();
    let arrived = arrival(&client, backend, registered.agent.name(), &label).await.map_err(|error| Failed {
        what: format!("a list that it was sent did not arrive: {error:#}"),
        mend: format!("Does a gateway run on {}? `sightline serve` says what is wrong.", data_dir.display()),
    });
    if let Err(error) = client.cancel().await {
        tracing::debug!(%error, "the server did not end in good order");
    }
    forget(backend, &label).await;
    steps.done(format!("a first list arrived after {}", shown_millis(arrived?)));
    Ok(())
}

/// Sends a list through the tool and waits until a subscriber of the gateway sees it.
async fn arrival(
    client: &rmcp::service::RunningService<rmcp::RoleClient, ()>,
    backend: &dyn Backend,
    agent: &str,
    label: &str,
) -> anyhow::Result<Duration> {
    let events = tokio::time::timeout(STEP, backend.subscribe(None)).await.context("no gateway came up")??.events;
    let content = format!("Self-test of {agent}, {}", crate::clock::new_uid());
    let todos = json!([{ "content": content, "status": "completed" }]);
    let arguments = json!({ "session": label, "todos": todos }).as_object().cloned().unwrap_or_default();
    let begun = Instant::now();
    let call = client.call_tool(CallToolRequestParams::new("todo_write").with_arguments(arguments));
    let result = tokio::time::timeout(STEP, call).await.context("the call was not answered in time")??;
    anyhow::ensure!(result.is_error != Some(true), "the call was refused: {:?}", result.content);
    let seen = tokio::time::timeout(STEP, seen(events, &content)).await.context("nobody was told of it in time")?;
    seen.map(|()| begun.elapsed()).context("the gateway went away")
}

async fn within<T, E: std::fmt::Display>(step: impl Future<Output = Result<T, E>>) -> Result<T, String> {
    match tokio::time::timeout(STEP, step).await {
        Ok(done) => done.map_err(|error| error.to_string()),
        Err(_) => Err(format!("no answer in {} seconds", STEP.as_secs())),
    }
}

fn shown(registered: &RegisteredServer) -> String {
    let words =
        std::iter::once(registered.program.as_os_str()).chain(registered.arguments.iter().map(OsString::as_os_str));
    words.map(std::ffi::OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

fn millis(begun: Instant) -> String {
    shown_millis(begun.elapsed())
}

fn shown_millis(time: Duration) -> String {
    format!("{} ms", time.as_millis())
}
