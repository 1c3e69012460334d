//! The self-test of a registration: our MCP server is started as the agent starts it, by a real MCP client, and a first
//! list has to arrive at the gateway.

use super::real;
use super::steps::{Failed, STEP, Steps, Tell, forget, label, seen};
use agents::{Agent, KNOWN};
use protocol::{AgentsTested, Backend, Text, say};
use rmcp::ServiceExt;
use rmcp::model::CallToolRequestParams;
use rmcp::transport::TokioChildProcess;
use serde_json::json;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// The number of steps where all succeed.
const STEPS: u32 = 4;

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
/// With `agent`, the agent's own program, it then makes one call itself, for which it asks its model. All of it ends at
/// `stop`.
pub async fn test(
    registered: &RegisteredServer,
    agent: Option<&Path>,
    (backend, data_dir): (&dyn Backend, &Path),
    tell: &mut Tell<'_>,
    stop: &CancellationToken,
) -> AgentsTested {
    let mut steps = Steps::new(STEPS + if agent.is_some() { real::STEPS } else { 0 }, tell);
    let label = label();
    let mut outcome = tokio::select! {
        outcome = perform(registered, backend, (data_dir, &label), &mut steps) => outcome,
        () = stop.cancelled() => Err(Failed::cancelled()),
    };
    forget(backend, &label).await;
    if let (Ok(()), Some(program)) = (&outcome, agent) {
        outcome = real::perform(registered.agent, program, backend, &mut steps, stop).await;
    }
    let tested = steps.end(registered.agent.name(), outcome);
    match stop.is_cancelled() && !tested.ok {
        true => AgentsTested { cancelled: true, mend: None, mend_text: None, ..tested },
        false => tested,
    }
}

async fn perform(
    registered: &RegisteredServer,
    backend: &dyn Backend,
    (data_dir, label): (&Path, &str),
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
        command.envs(passed_on.here().iter().filter_map(|name| Some((*name, std::env::var_os(name)?))));
    }
    programs::without_window(command.as_std_mut());
    let begun = Instant::now();
    let spawned = TokioChildProcess::builder(command).stderr(Stdio::null()).spawn();
    let (process, _) = spawned.map_err(|error| Failed {
        what: say::test_not_started(&shown, error),
        mend: say::mend_moved(registered.agent.name()),
    })?;
    steps.done(say::test_started(&shown));

    let by_hand = || say::mend_by_hand(data_dir.join("logs").display());
    let client = within(().serve(process))
        .await
        .map_err(|problem| Failed { what: say::test_no_server(&problem).with("problem", &problem), mend: by_hand() })?;
    steps.done(say::test_answered(millis(begun)));

    let tools = within(client.list_all_tools())
        .await
        .map_err(|problem| Failed { what: say::test_no_tools(&problem).with("problem", &problem), mend: by_hand() })?;
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    if !names.contains(&"todo_write") {
        return Err(Failed {
            what: say::test_no_todo_write(names.join(", ")),
            mend: say::mend_other(registered.agent.name()),
        });
    }
    steps.done(say::test_offers(names.join(", ")));

    let arrived = arrival(&client, backend, registered.agent.name(), label).await.map_err(|problem| Failed {
        what: say::test_not_arrived(&problem).with("problem", &problem),
        mend: say::mend_gateway(data_dir.display()),
    });
    if let Err(error) = client.cancel().await {
        tracing::debug!(%error, "the server did not end in good order");
    }
    steps.done(say::test_arrived(shown_millis(arrived?)));
    Ok(())
}

/// Sends a list through the tool and waits until a subscriber of the gateway sees it.
async fn arrival(
    client: &rmcp::service::RunningService<rmcp::RoleClient, ()>,
    backend: &dyn Backend,
    agent: &str,
    label: &str,
) -> Result<Duration, Text> {
    let subscribed = tokio::time::timeout(STEP, backend.subscribe(None)).await;
    let events = subscribed.map_err(|_| say::test_no_gateway())?.map_err(protocol::Error::into_text)?.events;
    let content = format!("Self-test of {agent}, {}", crate::clock::new_uid());
    let todos = json!([{ "content": content, "status": "completed" }]);
    let arguments = json!({ "session": label, "todos": todos }).as_object().cloned().unwrap_or_default();
    let begun = Instant::now();
    let call = client.call_tool(CallToolRequestParams::new("todo_write").with_arguments(arguments));
    let result = tokio::time::timeout(STEP, call).await.map_err(|_| say::test_call_late())?;
    let result = result.map_err(|error| error.to_string())?;
    if result.is_error == Some(true) {
        return Err(say::test_call_refused(format!("{:?}", result.content)));
    }
    let seen = tokio::time::timeout(STEP, seen(events, &content)).await.map_err(|_| say::test_not_told())?;
    seen.map(|()| begun.elapsed()).ok_or_else(say::test_gateway_gone)
}

async fn within<T, E: std::fmt::Display>(step: impl Future<Output = Result<T, E>>) -> Result<T, Text> {
    match tokio::time::timeout(STEP, step).await {
        Ok(done) => done.map_err(|error| error.to_string().into()),
        Err(_) => Err(say::test_silent(STEP.as_secs())),
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
