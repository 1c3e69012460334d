//! Hooks: an agent's events come in, and the user's edits go back as added context.
//!
//! Claude Code, Codex, Gemini CLI and Qwen Code take one form of answer, `{"hookSpecificOutput": {"hookEventName",
//! "additionalContext"}}`, and nothing at all where there is nothing to say. Each agent says with which events added
//! context reaches its model:
//!
//! - After a tool call: Claude Code, Codex and Qwen `PostToolUse`, Claude Code and Qwen also `PostToolUseFailure`;
//!   Gemini `AfterTool`, but not when the tool answered with an error, since the model then reads only that.
//! - With a prompt: `UserPromptSubmit`, Gemini `BeforeAgent`. Qwen sends it before each model request, too.
//! - At the end of a turn, where the agent can be made to go on: it is, with what it has not seen as the reason, a few
//!   times in a row at most. The end of a subagent's is let be.
//! - Nothing is added at a session's start, where the prompt follows at once.
//!
//! Read from the sources of Gemini CLI 0.61.0, Qwen Code 0.24.4, openai/codex (`codex-rs/hooks`) and from Claude Code's
//! pages on hooks of August 2026.

#[cfg(test)]
mod tests;

use crate::git_folder::GitFolder;
use agents::{Agent, AskedCall, HookPayload, Registry, subagent_session};
use protocol::{
    AgentIdentity, AgentInfo, AskKind, Backend, Caller, Code, Error, Happened, PermissionAsk, PermissionDecided, Reply,
    Result, SessionReport, Terminal, TodoDelivered, Transport,
};
use serde_json::Value;
use std::path::Path;

/// The most characters of an unknown agent's name in a message.
const NAME_CHARS: usize = 40;

/// The agent with hooks of this name.
///
/// # Errors
/// [`Code::InvalidMessage`] with the names there are.
pub fn hooked(agents: Registry, name: &str) -> Result<&'static dyn Agent> {
    agents.hooked().find(|agent| agent.name() == name).ok_or_else(|| {
        let known = Registry::names(agents.hooked());
        let name: String = name.chars().filter(|c| !c.is_control()).take(NAME_CHARS).collect();
        Error::new(Code::InvalidMessage, format!("no hooks are known of \"{name}\"; there are {known}"))
    })
}

/// The answer to a hook, and what is to be noted once it was sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The answer that the agent reads: JSON, or a text for one that reads none.
    pub body: String,
    caller: Caller,
    delivered: Vec<TodoDelivered>,
}

impl Answer {
    /// Notes that the answer was sent, so that what it tells is delivered. The requests are made at once, in their order.
    ///
    /// # Errors
    /// The backend's errors; the edits are then told again.
    pub fn sent(self, backend: &dyn Backend) -> protocol::BoxFuture<Result<()>> {
        let caller = self.caller;
        let noted: Vec<_> =
            self.delivered.into_iter().map(|delivered| backend.call(caller.clone(), delivered.into())).collect();
        Box::pin(async move {
            for noted in noted {
                noted.await?;
            }
            Ok(())
        })
    }
}

/// The largest payload: a hook sends the whole result of a tool, which may be a file.
pub const BYTES: usize = 16 * 1024 * 1024;

/// The facts about a hook that is a process of its own; nothing for one that came over HTTP.
#[derive(Debug, Clone, Default)]
pub struct HookProcess {
    /// The processes above it ([`crate::above`]).
    pub processes: Vec<String>,
    /// The terminal that it runs in ([`crate::terminal`]).
    pub terminal: Option<Box<Terminal>>,
}

/// Reports the event of a hook, whose payload was read. Returns the answer, where the agent has to be told something.
///
/// # Errors
/// Those of the backend.
pub async fn hear(
    backend: &dyn Backend,
    agent: &'static dyn Agent,
    heard: HookPayload,
    process: HookProcess,
) -> Result<Option<Answer>> {
    let caller = caller(agent, &heard, process).await;
    if let Some(list) = &heard.list {
        let writer = match &heard.subagent {
            Some(subagent) => of_subagent(&caller, &heard.session, subagent),
            None => caller.clone(),
        };
        // A list that cannot be read does not keep the rest of the event from being reported.
        if let Err(error) = backend.call(writer, list.clone().into()).await {
            tracing::info!(%error, agent = agent.name(), "a built-in list was not taken");
        }
    }
    let Reply::SessionReport(reported) = backend.call(caller.clone(), report(&heard).into()).await? else {
        return Err(Error::new(Code::Internal, "the gateway gave the answer to another request"));
    };
    let Some(session_id) = reported.session_id else { return Ok(None) };
    let mut told = Vec::new();
    if let Some(ours) = mcp::hook_report(&reported.edits, &reported.todos, reported.agent.as_deref()) {
        told.push((session_id, ours));
    }
    if let Some(own) = reported.own
        && let Some(theirs) = mcp::built_in_list_report(&own.edits, &own.todos, &own.tool)
    {
        told.push((own.session_id, theirs));
    }
    if told.is_empty() {
        return Ok(None);
    }
    let text = told.iter().map(|(_, told)| told.text.as_str()).collect::<Vec<_>>().join("\n\n");
    let body = match agent.hook_answer(&heard.event, &text) {
        Value::String(text) => text,
        answer => answer.to_string(),
    };
    let tool_call = Some(format!("hook {}", heard.event));
    // Our list is not in it, so it is not what the agent knows from now on.
    let delivered = told.into_iter().map(|(session_id, told)| TodoDelivered {
        session_id,
        revision: None,
        edits: told.edits,
        tool_call: tool_call.clone(),
    });
    Ok(Some(Answer { body, caller, delivered: delivered.collect() }))
}

/// Reports a hook that asks about a call. Returns who asks.
///
/// # Errors
/// Those of the backend.
pub async fn hear_asking(
    backend: &dyn Backend,
    agent: &'static dyn Agent,
    mut heard: HookPayload,
    process: HookProcess,
) -> Result<Caller> {
    // The hub knows by itself whether the user is waited for.
    (heard.happened, heard.text) = (Happened::Worked, None);
    let caller = caller(agent, &heard, process).await;
    backend.call(caller.clone(), report(&heard).into()).await?;
    Ok(caller)
}

/// Has the user decide on a call within so many seconds.
///
/// # Errors
/// Those of the backend.
pub async fn ask(backend: &dyn Backend, caller: Caller, asked: &AskedCall, seconds: u32) -> Result<PermissionDecided> {
    let ask = PermissionAsk {
        tool: asked.tool.clone(),
        input: asked.input.clone(),
        wait_seconds: if asked.kind == AskKind::EveryCall { 0 } else { seconds },
        alone: asked.kind == AskKind::Before,
        questions: asked.questions.clone(),
    };
    match backend.call(caller, ask.into()).await? {
        Reply::PermissionAsk(decided) => Ok(decided),
        _ => Err(Error::new(Code::Internal, "the gateway gave the answer to another request")),
    }
}

/// The report of an event, with the secret that a result of our tools has.
pub(crate) fn report(heard: &HookPayload) -> SessionReport {
    SessionReport {
        happened: heard.happened,
        at: None,
        tool: heard.tool,
        done: heard.done.clone().map(Box::new),
        usage: heard.usage.clone().map(Box::new),
        calls: heard.calls.clone().map(Box::new),
        subagent: heard.subagent_event,
        text: heard.text.clone(),
        proof: heard.our_result.as_ref().and_then(mcp::proof_in),
        listens: heard.adds_context,
        begins: heard.begins,
        prompts: false,
    }
}

async fn caller(agent: &dyn Agent, heard: &HookPayload, process: HookProcess) -> Caller {
    let git = match &heard.folder {
        Some(folder) => GitFolder::of(Path::new(folder)).await,
        None => GitFolder::default(),
    };
    let identity = AgentIdentity {
        agent: AgentInfo { name: agent.name().to_owned(), version: None },
        own_session: Some(heard.session.clone()),
        processes: process.processes,
        terminal: process.terminal,
        folder: heard.folder.clone(),
        project: git.project,
        branch: git.branch,
        ..AgentIdentity::default()
    };
    Caller::agent(Transport::Hook, heard.session.clone(), identity)
}

/// The caller for a subagent's list. Its run has no id of its own; one under its agent's is made.
fn of_subagent(caller: &Caller, session: &str, subagent: &str) -> Caller {
    let mut caller = caller.clone();
    if let Some(identity) = &mut caller.agent {
        identity.own_session = Some(subagent_session(session, subagent));
        identity.parent = Some(session.to_owned());
        identity.processes.clear();
    }
    caller
}
