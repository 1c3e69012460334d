//! `sightline chat`: a task for the built-in agent, from a terminal.

use crate::output;
use crate::rows::ShownList;
use crate::session::Hub;
use crate::words::{is_one_of, sent, text, word};
use anyhow::Context;
use clap::Args;
use console::{Term, style};
use futures_util::StreamExt;
use protocol::{
    ChatAbort, ChatContent, ChatGet, ChatOutcome, ChatResume, ChatSend, ChatStarted, ChatStreamEnd, ChatUpdated, Code,
    Event, GatewayState, PreflightApproval, PreflightChecklist, PreflightEdit, PreflightStep, Reply, SessionGet,
    ToolApprovalRequest, ToolApprovalResponse,
};
use std::fmt::Write;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use todo::Item;
use todo::text::{exact, plain};
use tokio::sync::mpsc;

/// Characters of a tool call's arguments that are shown.
const ARGS: usize = 200;

#[derive(Args)]
pub(crate) struct Chat {
    /// Go on in this session: its id, the first letters of it, or its label [default: a new one]
    #[arg(long, value_name = "ID-OR-LABEL")]
    session: Option<String>,
    /// The model: ollama:llama3.2 [default: that of the session, else that of the settings]
    #[arg(long)]
    model: Option<String>,
    /// Go on with the list of the session, or with a task that came to nothing, without a new one
    #[arg(long, requires = "session", conflicts_with = "task")]
    resume: bool,
    /// Let the model read the session's conversation although it was imported
    #[arg(long, requires = "session")]
    allow_imported: bool,
    /// The task
    #[arg(required_unless_present = "resume")]
    task: Vec<String>,
}

pub(crate) async fn run(chat: Chat, data_dir: &Path, json: bool) -> anyhow::Result<()> {
    let hub = Hub::open(data_dir).await?;
    let done = talk(&hub, chat, data_dir, json).await;
    hub.close().await;
    done
}

async fn talk(hub: &Hub, chat: Chat, data_dir: &Path, json: bool) -> anyhow::Result<()> {
    let mut events = hub.backend().subscribe(None).await?.events;
    let session_id = match &chat.session {
        Some(name) => Some(hub.session(Some(name)).await?.session_id),
        None => None,
    };
    let is_named = chat.model.is_some();
    let (model, allow_imported) = (chat.model, chat.allow_imported);
    let started = match (chat.resume, session_id) {
        (true, Some(session_id)) => hub.ask(ChatResume { session_id, model, allow_imported, request_id: None }).await,
        (_, session_id) => {
            let folder = std::env::current_dir().ok().map(|folder| folder.display().to_string());
            let content = chat.task.join(" ");
            hub.ask(ChatSend { session_id, content, model, folder, allow_imported, request_id: None }).await
        }
    };
    let started = started.map_err(|error| match error.downcast_ref::<protocol::Error>().map(|known| known.code) {
        Some(Code::ProviderNotConfigured) if !is_named && !chat.resume => error.context(word("terminal_name_a_model")),
        Some(Code::ImportedConversation) => anyhow::anyhow!(word("terminal_allow_imported")),
        _ => error,
    })?;
    let mut keyboard = Keyboard::default();
    let mut question = None;
    let mut shown = ShownList::default();
    if !started.created && !json {
        let get = SessionGet { session_id: started.session_id.clone(), revision: None };
        show(&mut shown, &hub.ask(get).await?.todos)?;
    }
    let mut interrupt = Box::pin(tokio::signal::ctrl_c());
    let (mut is_stopping, mut can_resume) = (false, false);
    let again = again(data_dir, &started.session_id);
    loop {
        let event = tokio::select! {
            event = events.next() => match event {
                Some(event) if !is_lagged(event.event()) => event,
                lagged => {
                    if lagged.is_some() && !json {
                        let slow = word("terminal_too_slow");
                        output::line(&format!("\n{}", style(slow).yellow()))?;
                    }
                    let subscription = hub.backend().subscribe(None).await;
                    events = subscription.with_context(|| text("terminal_gateway_ended", &[("again", &again)]))?.events;
                    let state = state_of(hub, &started, json).await?;
                    question = match state.question {
                        Some(question) if !json => keyboard.ask(question)?,
                        _ => None,
                    };
                    match state.ended {
                        Some(ended) => return ended.map_err(|error| with_advice(error, state.can_resume, &again)),
                        None => continue,
                    }
                }
            },
            Some(line) = keyboard.line(), if question.is_some() => {
                if let Some(question) = question.take() {
                    answered(answer(hub, question, &line).await)?;
                }
                continue;
            }
            _ = &mut interrupt => {
                anyhow::ensure!(!is_stopping, word("terminal_left_early"));
                is_stopping = true;
                interrupt.set(tokio::signal::ctrl_c());
                hub.ask(ChatAbort { session_id: started.session_id.clone() }).await?;
                continue;
            }
        };
        if !is_of(event.event(), &started) {
            continue;
        }
        if json {
            output::line(&event.json())?;
        }
        if let Event::ChatUpdated(updated) = event.event() {
            can_resume = updated.can_resume;
        }
        match event.event() {
            Event::ToolApprovalRequest(_) | Event::PreflightChecklist(_) if json => {}
            Event::TodoUpdate(update) if !json => show(&mut shown, &update.todos)?,
            Event::ToolApprovalRequest(request) => question = keyboard.ask(Question::Call(request.clone()))?,
            Event::PreflightChecklist(checklist) => question = keyboard.ask(Question::Plan(checklist.clone()))?,
            Event::ChatUpdated(updated) if question.as_ref().is_some_and(|question| question.is_gone(updated)) => {
                question = None;
                output::line(&format!("\n{}", word("terminal_answered_elsewhere")))?;
            }
            event => {
                if let Some(ended) = show_event(event, json)? {
                    return ended.map_err(|error| with_advice(error, can_resume, &again));
                }
            }
        }
    }
}

/// Prints the lines of the list that changed.
fn show(shown: &mut ShownList, todos: &[Item]) -> anyhow::Result<()> {
    let lines = shown.of(todos);
    match lines.is_empty() {
        true => Ok(()),
        false => output::line(&format!("\n{}", lines.join("\n"))),
    }
}

/// The command that continues a run.
fn again(data_dir: &Path, session_id: &str) -> String {
    let usual = app::data_dir(std::env::var_os("SIGHTLINE_DATA_DIR").map(PathBuf::from));
    let elsewhere = match usual {
        Ok(usual) if usual == data_dir => String::new(),
        _ => format!(" --data-dir {data_dir:?}"),
    };
    format!("`sightline chat{elsewhere} --session {session_id} --resume`")
}

fn is_lagged(event: &Event) -> bool {
    matches!(event, Event::GatewayState(state) if state.state == GatewayState::Lagged)
}

/// The state of a run after events of it were missed.
struct RunState {
    question: Option<Question>,
    ended: Option<anyhow::Result<()>>,
    can_resume: bool,
}

/// Prints the last answer of a run of which events were missed, and returns its state.
async fn state_of(hub: &Hub, started: &ChatStarted, json: bool) -> anyhow::Result<RunState> {
    let chat = hub.ask(ChatGet { session_id: started.session_id.clone(), before: None }).await?;
    let run = chat.run.as_ref().filter(|run| run.request_id == started.request_id);
    if json {
        output::line(&serde_json::to_string(&Reply::ChatGet(chat.clone()))?)?;
    }
    let can_resume = chat.can_resume;
    if let Some(run) = run {
        let question = run.approval.clone().map(Question::Call).or(run.preflight.clone().map(Question::Plan));
        return Ok(RunState { question, ended: None, can_resume });
    }
    let mut ended = Ok(());
    for message in &chat.messages {
        match &message.content {
            ChatContent::End { outcome: ChatOutcome::Completed, .. } => ended = Ok(()),
            ChatContent::End { message, text, .. } => {
                ended = Err(anyhow::anyhow!("{}", plain(&sent(message, text.as_ref()))));
            }
            _ => {}
        }
    }
    // The messages since the prompt, newest first.
    let since = chat.messages.iter().rev().take_while(|message| !matches!(message.content, ChatContent::User { .. }));
    let mut answers = since.filter_map(|message| match &message.content {
        ChatContent::Assistant { content, .. } if !content.is_empty() => Some(content),
        _ => None,
    });
    if let (false, Some(answer)) = (json, answers.next()) {
        output::line(&format!("{}\n", word("terminal_last_of_it")))?;
        answer.lines().try_for_each(|line| output::line(&plain(line)))?;
    }
    Ok(RunState { question: None, ended: Some(ended), can_resume })
}

/// Adds to an error the command that continues the run, if it can be continued.
fn with_advice(error: anyhow::Error, can_resume: bool, again: &str) -> anyhow::Error {
    if can_resume { anyhow::anyhow!("{error}\n{}", text("terminal_goes_on", &[("again", &again)])) } else { error }
}

/// Prints an event; returns the result of the run at its end.
fn show_event(event: &Event, json: bool) -> anyhow::Result<Option<anyhow::Result<()>>> {
    match event {
        Event::ChatStreamDelta(delta) if !json => output::piece(&delta.delta)?,
        Event::ToolCall(call) if !json => {
            let args: String = plain(&call.args.to_string()).chars().take(ARGS).collect();
            output::line(&format!("\n{} {}", style(plain(&call.tool_name)).bold(), style(args).dim()))?;
        }
        Event::ToolError(failed) if !json => output::line(&format!("{}", style(plain(&failed.error)).red()))?,
        Event::ChatUpdated(updated) if !json => match updated.message.as_ref().map(|message| &message.content) {
            Some(ChatContent::Notice { message, text, .. }) => {
                output::line(&format!("\n{}", style(plain(&sent(message, text.as_ref()))).yellow()))?
            }
            Some(ChatContent::Assistant { .. }) => output::line("")?,
            _ => {}
        },
        Event::ChatStreamEnd(end) => {
            if !json && end.usage.total_tokens > 0 && Term::stdout().is_term() {
                output::line(&format!("{}", style(took(end)).dim()))?;
            }
            return Ok(Some(match end.outcome {
                ChatOutcome::Completed => Ok(()),
                _ => Err(anyhow::anyhow!("{}", plain(&sent(&end.message, end.text.as_ref())))),
            }));
        }
        Event::Error(error) => {
            return Ok(Some(Err(anyhow::anyhow!("{}", plain(&sent(&error.message, error.text.as_ref()))))));
        }
        _ => {}
    }
    Ok(None)
}

fn took(end: &ChatStreamEnd) -> String {
    let cost = end.cost.total_cost;
    let cost = (cost > 0.0).then(|| text("terminal_cost", &[("cost", &format!("{cost:.4}"))]));
    let usage = &end.usage;
    let tokens = text("terminal_tokens", &[("input", &usage.input_tokens), ("output", &usage.output_tokens)]);
    [Some(tokens), cost].into_iter().flatten().collect::<Vec<_>>().join(word("terminal_comma"))
}

/// A question that waits for the user.
enum Question {
    Call(ToolApprovalRequest),
    Plan(PreflightChecklist),
}

impl Question {
    fn text(&self) -> String {
        match self {
            Self::Call(request) => format!(
                "\n{}{}\n{}\n{}",
                text("terminal_may_be_called", &[("tool", &exact(&request.tool_name))]),
                if request.changed { format!(" {}", word("terminal_has_changed")) } else { String::new() },
                exact(&request.args.to_string()),
                word("terminal_yes_or_no")
            ),
            Self::Plan(checklist) => {
                let mut text = format!("\n{}\n", word("terminal_the_plan"));
                for (at, step) in checklist.steps.iter().enumerate() {
                    let tool = step.tool_name.as_deref().filter(|_| step.needs_approval);
                    let tool = tool.map(|tool| format!(" ({})", exact(tool))).unwrap_or_default();
                    let _ = writeln!(text, "{}. {}{tool}", at + 1, exact(&step.description));
                }
                text + word("terminal_begin")
            }
        }
    }

    /// True if the question was answered elsewhere or withdrawn.
    fn is_gone(&self, updated: &ChatUpdated) -> bool {
        updated.run.as_ref().is_none_or(|run| match self {
            Self::Call(request) => {
                run.approval.as_ref().is_none_or(|waiting| waiting.tool_call_id != request.tool_call_id)
            }
            Self::Plan(_) => run.preflight.is_none(),
        })
    }
}

/// Answers with the words that the user typed; anything but consent is a refusal.
async fn answer(hub: &Hub, question: Question, words: &str) -> anyhow::Result<()> {
    let words = words.trim().to_lowercase();
    let is_yes = is_one_of(&words, "terminal_yes");
    match question {
        Question::Call(request) => {
            let session_approve = !is_yes && is_one_of(&words, "terminal_for_session");
            let approved = is_yes || session_approve;
            let tool_call_id = request.tool_call_id;
            hub.ask(ToolApprovalResponse { tool_call_id, approved, session_approve }).await?;
        }
        Question::Plan(checklist) => {
            let edited_steps = without(&checklist.steps, &words);
            let approved = is_yes || edited_steps.is_some();
            let (request_id, session_id) = (checklist.request_id, Some(checklist.session_id));
            hub.ask(PreflightApproval { request_id, session_id, approved, edited_steps }).await?;
        }
    }
    Ok(())
}

/// The plan without the steps of these numbers; none where the words are anything but numbers of steps.
fn without(steps: &[PreflightStep], words: &str) -> Option<Vec<PreflightEdit>> {
    let numbers = words.split([' ', ',']).filter(|word| !word.is_empty());
    let numbers: Vec<usize> = numbers.map(|word| word.parse().ok()).collect::<Option<_>>()?;
    if numbers.is_empty() || numbers.iter().any(|number| !(1..=steps.len()).contains(number)) {
        return None;
    }
    let edit = |(at, step): (usize, &PreflightStep)| PreflightEdit {
        description: step.description.clone(),
        tool_name: step.tool_name.clone(),
        skip: numbers.contains(&(at + 1)),
    };
    Some(steps.iter().enumerate().map(edit).collect())
}

/// Prints the error of an answer, such as for a question that was answered in the window meanwhile.
fn answered(done: anyhow::Result<()>) -> anyhow::Result<()> {
    match done {
        Err(error) => output::line(&crate::words::of_error(&error)),
        Ok(()) => Ok(()),
    }
}

/// The lines that the user types. They are read in the background, since a question may be answered in the window
/// instead.
#[derive(Default)]
struct Keyboard(Option<mpsc::Receiver<String>>);

impl Keyboard {
    /// Prints a question. Where no user is at the terminal, it can only be answered in the window.
    fn ask(&mut self, question: Question) -> anyhow::Result<Option<Question>> {
        let text = question.text();
        if !Term::stdout().is_term() || !std::io::stdin().is_terminal() {
            output::line(&format!("{}\n{}", text.trim_end(), word("terminal_nobody_here")))?;
            return Ok(None);
        }
        let lines = self.0.get_or_insert_with(read_lines);
        // Lines that were typed before the question do not answer it.
        while lines.try_recv().is_ok() {}
        Term::stdout().write_str(&text)?;
        Ok(Some(question))
    }

    /// The next line; none after the end of the input.
    async fn line(&mut self) -> Option<String> {
        match &mut self.0 {
            Some(lines) => lines.recv().await,
            None => None,
        }
    }
}

/// Reads lines on a thread of its own, which does not hold up the end of the process while it waits for a line.
fn read_lines() -> mpsc::Receiver<String> {
    let (send, lines) = mpsc::channel(16);
    std::thread::spawn(move || {
        for line in std::io::stdin().lines() {
            let Ok(line) = line else { break };
            if send.blocking_send(line).is_err() {
                break;
            }
        }
    });
    lines
}

fn is_of(event: &Event, started: &ChatStarted) -> bool {
    match event {
        Event::ChatUpdated(updated) => updated.session_id == started.session_id,
        Event::TodoUpdate(update) => update.session_id == started.session_id,
        other => other.run() == Some((&started.request_id, &started.session_id)),
    }
}
