//! `sightline chat`: a task for the built-in agent, from a terminal.

use crate::output;
use crate::session::Hub;
use anyhow::Context;
use clap::Args;
use console::{Term, style};
use futures_util::StreamExt;
use protocol::{
    ChatAbort, ChatOutcome, ChatResume, ChatSaid, ChatSend, ChatStarted, Event, PreflightApproval, PreflightChecklist,
    SharedEvent, ToolApprovalRequest, ToolApprovalResponse,
};
use std::fmt::Write;
use std::path::Path;
use todo::text::plain;

/// Characters of a tool call that are shown.
const ARGS: usize = 200;

#[derive(Args)]
pub(crate) struct Chat {
    /// Go on in this session: its id, the first letters of it, or its label [default: a new one]
    #[arg(long, value_name = "ID-OR-LABEL")]
    session: Option<String>,
    /// The model: ollama:llama3.2 [default: that of the session, else that of the settings]
    #[arg(long)]
    model: Option<String>,
    /// Go on with the list of the session, without a new task
    #[arg(long, requires = "session", conflicts_with_all = ["task", "model"])]
    resume: bool,
    /// What is to be done
    #[arg(required_unless_present = "resume")]
    task: Vec<String>,
}

pub(crate) async fn run(chat: Chat, data_dir: &Path, json: bool) -> anyhow::Result<()> {
    let hub = Hub::open(data_dir).await?;
    let done = talk(&hub, chat, json).await;
    hub.close().await;
    done
}

async fn talk(hub: &Hub, chat: Chat, json: bool) -> anyhow::Result<()> {
    let mut events = hub.backend().subscribe(None).await?.events;
    let session_id = match &chat.session {
        Some(name) => Some(hub.session(Some(name)).await?.session_id),
        None => None,
    };
    let started = match (chat.resume, session_id) {
        (true, Some(session_id)) => hub.ask(ChatResume { session_id, request_id: None }).await?,
        (_, session_id) => {
            let folder = std::env::current_dir().ok().map(|folder| folder.display().to_string());
            let (content, model) = (chat.task.join(" "), chat.model);
            hub.ask(ChatSend { session_id, content, model, folder, request_id: None }).await?
        }
    };
    let mut stopping = false;
    loop {
        let event = tokio::select! {
            event = events.next() => event.context("the gateway has ended; `sightline chat --resume` goes on later")?,
            _ = tokio::signal::ctrl_c(), if !stopping => {
                stopping = true;
                hub.ask(ChatAbort { session_id: started.session_id.clone() }).await?;
                continue;
            }
        };
        if !is_of(&event, &started) {
            continue;
        }
        if json {
            output::line(&event.json())?;
        }
        if let Some(ended) = heard(hub, event.event(), json).await? {
            return ended;
        }
    }
}

/// Shows an event, and asks what it asks; the run's end ends it.
async fn heard(hub: &Hub, event: &Event, json: bool) -> anyhow::Result<Option<anyhow::Result<()>>> {
    match event {
        Event::ChatStreamDelta(delta) if !json => output::piece(&delta.delta)?,
        Event::ToolCall(call) if !json => {
            let args: String = plain(&call.args.to_string()).chars().take(ARGS).collect();
            output::line(&format!("\n{} {}", style(plain(&call.tool_name)).bold(), style(args).dim()))?;
        }
        Event::ToolError(failed) if !json => output::line(&format!("{}", style(plain(&failed.error)).red()))?,
        Event::ChatUpdated(updated) if !json => match updated.message.as_ref().map(|message| &message.said) {
            Some(ChatSaid::Notice { message }) => output::line(&format!("\n{}", style(plain(message)).yellow()))?,
            Some(ChatSaid::Assistant { .. }) => output::line("")?,
            _ => {}
        },
        Event::ToolApprovalRequest(request) => approve(hub, request, json).await?,
        Event::PreflightChecklist(checklist) => check(hub, checklist, json).await?,
        Event::ChatStreamEnd(end) => {
            return Ok(Some(match end.outcome {
                ChatOutcome::Completed => Ok(()),
                _ => Err(anyhow::anyhow!("{}", plain(&end.message))),
            }));
        }
        Event::Error(error) => return Ok(Some(Err(anyhow::anyhow!("{}", plain(&error.message))))),
        _ => {}
    }
    Ok(None)
}

async fn approve(hub: &Hub, request: &ToolApprovalRequest, json: bool) -> anyhow::Result<()> {
    let args = plain(&request.args.to_string());
    let question =
        format!("\nMay {} be called?\n{args}\n[y]es, for this [s]ession, or no: ", plain(&request.tool_name));
    let Some(answer) = asked(question, json).await? else { return Ok(()) };
    let response = ToolApprovalResponse {
        tool_call_id: request.tool_call_id.clone(),
        approved: matches!(answer.as_str(), "y" | "yes" | "s"),
        session_approve: answer == "s",
    };
    answered(hub.ask(response).await.map(|_| ()))
}

async fn check(hub: &Hub, checklist: &PreflightChecklist, json: bool) -> anyhow::Result<()> {
    let mut question = "\nThis is the plan:\n".to_owned();
    for (at, step) in checklist.steps.iter().enumerate() {
        let tool = step.tool_name.as_deref().filter(|_| step.needs_approval);
        let tool = tool.map(|tool| format!(" ({})", plain(tool))).unwrap_or_default();
        let _ = writeln!(question, "{}. {}{tool}", at + 1, plain(&step.description));
    }
    question.push_str("Begin? [y]es or no: ");
    let Some(answer) = asked(question, json).await? else { return Ok(()) };
    let approval = PreflightApproval {
        request_id: checklist.request_id.clone(),
        session_id: Some(checklist.session_id.clone()),
        approved: matches!(answer.as_str(), "y" | "yes"),
        edited_steps: None,
    };
    answered(hub.ask(approval).await.map(|_| ()))
}

/// Somebody may have answered it in the window meanwhile.
fn answered(done: anyhow::Result<()>) -> anyhow::Result<()> {
    match done {
        Err(error) => output::line(&format!("{error}")),
        Ok(()) => Ok(()),
    }
}

/// What the user says, in small letters; nothing where nobody sits there, who can answer in the window.
async fn asked(question: String, json: bool) -> anyhow::Result<Option<String>> {
    let term = Term::stdout();
    if json || !term.is_term() {
        if !json {
            output::line(&format!("{}\nNobody is at this terminal; answer it in the window.", question.trim_end()))?;
        }
        return Ok(None);
    }
    term.write_str(&question)?;
    let line = tokio::task::spawn_blocking(move || term.read_line()).await??;
    Ok(Some(line.trim().to_lowercase()))
}

fn is_of(event: &SharedEvent, started: &ChatStarted) -> bool {
    let (session, run) = match event.event() {
        Event::ChatStreamDelta(event) => (&event.session_id, Some(&event.request_id)),
        Event::ChatStreamStart(event) => (&event.session_id, Some(&event.request_id)),
        Event::ChatStreamEnd(event) => (&event.session_id, Some(&event.request_id)),
        Event::ToolCall(event) => (&event.session_id, Some(&event.request_id)),
        Event::ToolResult(event) => (&event.session_id, Some(&event.request_id)),
        Event::ToolError(event) => (&event.session_id, Some(&event.request_id)),
        Event::ToolApprovalRequest(event) => (&event.session_id, Some(&event.request_id)),
        Event::PreflightChecklist(event) => (&event.session_id, Some(&event.request_id)),
        Event::ChatUpdated(event) => (&event.session_id, None),
        Event::Error(event) => match &event.session_id {
            Some(session) => (session, event.request_id.as_ref()),
            None => return false,
        },
        _ => return false,
    };
    *session == started.session_id && run.is_none_or(|run| *run == started.request_id)
}
