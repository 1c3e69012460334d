//! The self-test of a registration: our MCP server is started as the agent starts it, by a real MCP client, and a first
//! list has to arrive at the gateway.

use anyhow::Context;
use futures_util::StreamExt;
use protocol::{Backend, Event, Transport};
use rmcp::ServiceExt;
use rmcp::model::CallToolRequestParams;
use rmcp::transport::TokioChildProcess;
use serde::Serialize;
use serde_json::json;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// How long one step may take; agents give up after ten seconds and more.
const STEP: Duration = Duration::from_secs(10);

/// The session that the list goes to: one for all self-tests, emptied after each.
pub(crate) const LABEL: &str = "sightline self-test";

/// The only variables that Codex passes on to a server.
const OF_CODEX: [&str; 8] = ["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"];

/// A registration as an agent has it.
pub(crate) struct Registered<'a> {
    pub(crate) agent: &'a str,
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<OsString>,
}

/// What came of it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    agent: String,
    ok: bool,
    steps: Vec<Step>,
    /// What to do about the step that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    mend: Option<String>,
}

#[derive(Serialize)]
struct Step {
    ok: bool,
    what: String,
}

impl Report {
    pub(crate) fn is_ok(&self) -> bool {
        self.ok
    }

    /// For people, a line for each step.
    pub(crate) fn lines(&self) -> Vec<String> {
        let step = |step: &Step| format!("{} {}", if step.ok { "✓" } else { "✗" }, todo::text::plain(&step.what));
        let mend = self.mend.iter().map(|mend| format!("  {}", todo::text::plain(mend)));
        self.steps.iter().map(step).chain(mend).collect()
    }
}

/// A step that failed: what is wrong, and the mend.
struct Failed {
    what: String,
    mend: String,
}

pub(crate) async fn run(registered: &Registered<'_>, data_dir: &Path) -> Report {
    let mut steps = Vec::new();
    let failed = perform(registered, data_dir, &mut steps).await.err();
    let ok = failed.is_none();
    let mend = failed.map(|failed| {
        steps.push(Step { ok: false, what: failed.what });
        failed.mend
    });
    Report { agent: registered.agent.to_owned(), ok, steps, mend }
}

async fn perform(registered: &Registered<'_>, data_dir: &Path, steps: &mut Vec<Step>) -> Result<(), Failed> {
    let shown = shown(registered);
    let mut done = |what: String| steps.push(Step { ok: true, what });
    let mut command = tokio::process::Command::new(&registered.program);
    command.args(&registered.arguments).kill_on_drop(true);
    // Run by an agent, it must not be taken for that agent's own session.
    for name in sources::OWN_SESSIONS.map(|(_, variable)| variable) {
        command.env_remove(name);
    }
    if registered.agent == "codex" {
        command.env_clear();
        command.envs(OF_CODEX.iter().filter_map(|name| Some((*name, std::env::var_os(name)?))));
    }
    let begun = Instant::now();
    let spawned = TokioChildProcess::builder(command).stderr(Stdio::null()).spawn();
    let (process, _) = spawned.map_err(|error| Failed {
        what: format!("{shown} cannot be started: {error}"),
        mend: format!("Is Sightline where it was? `sightline connect {}` registers it as it is now.", registered.agent),
    })?;
    done(format!("started {shown}"));

    let by_hand = || format!("Run it by hand to see why, and look into {}.", data_dir.join("logs").display());
    let client = within(().serve(process)).await.map_err(|problem| Failed {
        what: format!("it does not answer as an MCP server: {problem}"),
        mend: by_hand(),
    })?;
    done(format!("answered after {}", millis(begun)));

    let tools = within(client.list_all_tools())
        .await
        .map_err(|problem| Failed { what: format!("it does not list its tools: {problem}"), mend: by_hand() })?;
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    if !names.contains(&"todo_write") {
        return Err(Failed {
            what: format!("it has no todo_write, but {}", names.join(", ")),
            mend: format!("Another program is registered in our place; `sightline connect {}`.", registered.agent),
        });
    }
    done(format!("offers {}", names.join(", ")));

    let arrived = arrival(&client, registered.agent, data_dir).await.map_err(|error| Failed {
        what: format!("a list that it was sent did not arrive: {error:#}"),
        mend: format!("Does a gateway run on {}? `sightline serve` says what is wrong.", data_dir.display()),
    })?;
    done(format!("a first list arrived after {}", shown_millis(arrived)));
    if let Err(error) = client.cancel().await {
        tracing::debug!(%error, "the server did not end in good order");
    }
    Ok(())
}

/// Sends a list through the tool and waits until a subscriber of the gateway sees it; then empties it.
async fn arrival(
    client: &rmcp::service::RunningService<rmcp::RoleClient, ()>,
    agent: &str,
    data_dir: &Path,
) -> anyhow::Result<Duration> {
    let backend = app::remote(data_dir, app::client("sightline self-test", Transport::Cli, None), true);
    let mut events = tokio::time::timeout(STEP, backend.subscribe(None)).await.context("no gateway came up")??.events;
    let content = format!("Self-test of {agent}, {}", app::new_uid());
    let write = |todos: serde_json::Value| {
        let arguments = json!({ "session": LABEL, "todos": todos }).as_object().cloned().unwrap_or_default();
        client.call_tool(CallToolRequestParams::new("todo_write").with_arguments(arguments))
    };
    let begun = Instant::now();
    let result = tokio::time::timeout(STEP, write(json!([{ "content": content, "status": "completed" }])))
        .await
        .context("the call was not answered in time")??;
    anyhow::ensure!(result.is_error != Some(true), "the call was refused: {:?}", result.content);
    let seen = async {
        while let Some(event) = events.next().await {
            if let Event::TodoUpdate(update) = event.event()
                && update.todos.iter().any(|item| item.content == content)
            {
                return Some(begun.elapsed());
            }
        }
        None
    };
    let seen = tokio::time::timeout(STEP, seen).await.context("nobody was told of it in time")?;
    let arrived = seen.context("the gateway went away")?;
    tokio::time::timeout(STEP, write(json!([]))).await.context("the list could not be emptied again")??;
    Ok(arrived)
}

async fn within<T, E: std::fmt::Display>(step: impl Future<Output = Result<T, E>>) -> Result<T, String> {
    match tokio::time::timeout(STEP, step).await {
        Ok(done) => done.map_err(|error| error.to_string()),
        Err(_) => Err(format!("no answer in {} seconds", STEP.as_secs())),
    }
}

fn shown(registered: &Registered<'_>) -> String {
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
