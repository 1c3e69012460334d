//! One real call: the agent itself is asked to send a list, in a folder of its own, allowed to use that one tool only.

use super::steps::{Failed, Steps, forget, label, seen};
use agents::{Agent, Invocation, KNOWN};
use protocol::{Backend, Caller, Reply, Session, SessionDelete, SessionList, Text, Transport, say};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;
use tokio_util::sync::CancellationToken;

/// The number of steps where all succeed.
pub(super) const STEPS: u32 = 2;

/// The longest time until the agent has sent its list; it starts, and asks its model twice or more.
const PATIENCE: Duration = Duration::from_secs(120);

/// The longest time until it ends after that, and until its hooks and files have told of it.
const END: Duration = Duration::from_secs(30);
const SETTLE: Duration = Duration::from_millis(300);
/// Together longer than new folders take to be found (`sources`: every 2 s).
const SETTLES: usize = 10;

/// The most characters of its output that are shown where it failed.
const SAID_CHARS: usize = 400;

pub(crate) async fn perform(
    agent: &'static dyn Agent,
    program: &Path,
    backend: &dyn Backend,
    steps: &mut Steps<'_>,
    stop: &CancellationToken,
) -> Result<(), Failed> {
    let (name, title) = (agent.name(), agent.title());
    let failed = |what: Text| Failed { what, mend: say::mend_agent(title) };
    let folder = tempfile::tempdir().map_err(|error| failed(say::test_no_room(error)))?;
    let content = format!("Real call of {name}, {}", crate::clock::new_uid());
    let label = label();
    let arguments = json!({ "session": label, "todos": [{ "content": content, "status": "completed" }] });
    let prompt = format!(
        "Call the tool todo_write of the MCP server sightline exactly once, with these arguments: {arguments}. \
         Then say that it is done. Do nothing else."
    );
    let subscribed =
        backend.subscribe(None).await.map_err(|error| failed(Text { english: error.message, named: error.text }))?;
    let begun = Instant::now();
    let invocation = agent.headless_call(&prompt).ok_or_else(|| failed(say::test_not_headless(title)))?;
    let Invocation { arguments, variables, input, files } = invocation;
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).map_err(|error| {
            failed(say::setup_write(name, &error).in_english(format!("{name} cannot be written: {error}")))
        })?;
    }
    let mut command = Command::new(program);
    command.args(arguments).envs(variables).current_dir(folder.path()).env("PWD", folder.path());
    command
        .stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    // It is nobody's session that this is started from.
    for variable in KNOWN.session_variables() {
        command.env_remove(variable);
    }
    let mut child = programs::together(command).map_err(|error| failed(say::test_not_started(title, error)))?;
    if let Some((mut stdin, input)) = child.stdin().take().zip(input) {
        stdin.write_all(input.as_bytes()).await.map_err(|error| failed(say::test_deaf(title, error)))?;
    }
    let said = tokio::spawn(said(child.stdout().take(), child.stderr().take()));
    steps.done(say::test_asked(title));
    let mut went_well = false;
    let arrived = tokio::select! {
        seen = seen(subscribed.events, &content) => seen.ok_or_else(say::test_gateway_gone),
        ended = child.wait() => match ended {
            Ok(status) => {
                went_well = status.success();
                Err(say::test_ended(status))
            }
            Err(error) => Err(error.to_string().into()),
        },
        () = stop.cancelled() => Err(say::test_cancelled()),
        () = tokio::time::sleep(PATIENCE) => Err(say::test_no_list(PATIENCE.as_secs())),
    };
    let after = begun.elapsed();
    if arrived.is_ok() {
        tokio::select! {
            ended = tokio::time::timeout(END, child.wait()) => if ended.is_err() {
                tracing::info!(agent = name, "the agent did not end after its call");
            },
            () = stop.cancelled() => {}
        }
    }
    // The rest of it is killed.
    drop(child);
    forget(backend, &label).await;
    forget_runs(backend, folder.path()).await;
    match arrived {
        Ok(()) => {
            steps.done(say::test_called(title, format!("{:.1}", after.as_secs_f64())));
            Ok(())
        }
        Err(_) if stop.is_cancelled() => Err(Failed::cancelled()),
        Err(problem) => {
            let (out, err) = said.await.unwrap_or_default();
            // A failed call is explained by its complaints (stderr), another one by its answer (stdout).
            let said = if (went_well && !out.is_empty()) || err.is_empty() { out } else { err };
            Err(failed(say::test_not_called(title, &problem, said).with("problem", &problem)))
        }
    }
}

/// Its hooks and files have told of the run, too, and its files may do so a little later.
async fn forget_runs(backend: &dyn Backend, folder: &Path) {
    let folder = real(folder).await.unwrap_or_else(|| folder.to_owned());
    let caller = || Caller::user(Transport::Cli, "sightline self-test");
    for _ in 0..SETTLES {
        tokio::time::sleep(SETTLE).await;
        let Ok(Reply::SessionList(listed)) = backend.call(caller(), SessionList::default().into()).await else {
            return;
        };
        // Other agents' folders may not answer; this one's name is like no other.
        let may_be = |session: &Session| {
            session.folder.as_deref().map(Path::new).is_some_and(|of| of.file_name() == folder.file_name())
        };
        for session in listed.sessions.into_iter().filter(may_be) {
            let of = session.folder.as_deref().map(Path::new).unwrap_or(&folder);
            if real(of).await.as_ref() != Some(&folder) {
                continue;
            }
            let gone =
                backend.call(caller(), SessionDelete { session_id: session.session_id, for_good: true }.into()).await;
            if let Err(error) = gone {
                tracing::debug!(%error, "a session of the test is gone already");
            }
        }
    }
}

/// A path without links.
async fn real(path: &Path) -> Option<PathBuf> {
    let there = path.to_owned();
    careful::aside(path, careful::PATIENCE, move || dunce::canonicalize(there)).await.ok()?.ok()
}

/// The ends of what it said and of what it complained of, each in one line.
async fn said(out: Option<impl AsyncReadExt + Unpin>, err: Option<impl AsyncReadExt + Unpin>) -> (String, String) {
    let (out, err) = tokio::join!(end_of(out), end_of(err));
    let shown = |text: String| -> String {
        let text = todo::text::plain(text.trim()).split_whitespace().collect::<Vec<_>>().join(" ");
        let skip = text.chars().count().saturating_sub(SAID_CHARS);
        text.chars().skip(skip).collect()
    };
    (shown(out), shown(err))
}

async fn end_of(pipe: Option<impl AsyncReadExt + Unpin>) -> String {
    let Some(mut pipe) = pipe else { return String::new() };
    let mut end = Vec::new();
    let mut chunk = vec![0; 8 * 1024];
    while let Ok(count @ 1..) = pipe.read(&mut chunk).await {
        end.extend_from_slice(&chunk[..count]);
        let surplus = end.len().saturating_sub(4 * SAID_CHARS);
        end.drain(..surplus);
    }
    String::from_utf8_lossy(&end).into_owned()
}
