//! Hooks: an agent's events come in, and what the user changed goes back as added context.
//!
//! All four agents take one form of answer, `{"hookSpecificOutput": {"hookEventName", "additionalContext"}}`, and
//! nothing at all where there is nothing to say. What differs is when context reaches the model:
//!
//! - After a tool call: Claude Code, Codex and Qwen `PostToolUse`, Claude Code and Qwen also `PostToolUseFailure`;
//!   Gemini `AfterTool`, but not when the tool answered with an error, since the model then reads only that.
//! - With a prompt: `UserPromptSubmit`, Gemini `BeforeAgent`. Qwen fires it before each model request, too.
//! - At a session's start the prompt follows at once, and at a turn's end added context makes some agents go on:
//!   nothing is told there.
//!
//! Read from the sources of Gemini CLI 0.61.0, Qwen Code 0.24.4, openai/codex (`codex-rs/hooks`) and from Claude Code's
//! pages on hooks of August 2026.

mod payload;

#[cfg(test)]
mod tests;

use crate::Place;
use crate::files::Kind;
use payload::Payload;
use protocol::{AgentIdentity, AgentInfo, Backend, Caller, Code, Error, Reply, Result, TodoDelivered, Transport};
use serde_json::{Value, json};
use std::path::Path;

/// An agent whose hooks are understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agent {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// Qwen Code.
    Qwen,
}

impl Agent {
    /// Those there are.
    pub const ALL: [Self; 4] = [Self::Claude, Self::Codex, Self::Gemini, Self::Qwen];

    /// Its name, as its sessions have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Qwen => "qwen",
        }
    }

    pub(crate) fn kind(self) -> Kind {
        match self {
            Self::Claude => Kind::Claude,
            Self::Codex => Kind::Codex,
            Self::Gemini => Kind::Gemini,
            Self::Qwen => Kind::Qwen,
        }
    }

    /// The agent of that name.
    ///
    /// # Errors
    /// [`Code::InvalidMessage`] with the names there are.
    pub fn named(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|agent| agent.name() == name).ok_or_else(|| {
            let known = Self::ALL.map(Self::name).join(", ");
            let name = todo_text(name);
            Error::new(Code::InvalidMessage, format!("no hooks are known of \"{name}\"; there are {known}"))
        })
    }
}

/// What a hook answers, and what is to be noted once the answer went out.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// JSON for the agent.
    pub body: String,
    caller: Caller,
    delivered: Vec<TodoDelivered>,
}

impl Answer {
    /// The answer went out: what it tells is delivered. The requests are made at once, in their order.
    ///
    /// # Errors
    /// Those of the backend; the edits are then told again.
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

/// Hears what a hook says; gives what the agent has to be told, or nothing. `processes` are those above the hook's, where
/// it has one ([`crate::above`]).
///
/// # Errors
/// [`Code::InvalidMessage`] where it is no payload of a hook, and those of the backend.
pub async fn hear(
    backend: &dyn Backend,
    agent: Agent,
    payload: &Value,
    processes: Vec<String>,
) -> Result<Option<Answer>> {
    let heard = Payload::read(agent, payload)?;
    let caller = caller(agent, &heard, processes);
    if let Some(list) = &heard.list {
        let writer = match &heard.subagent {
            Some(subagent) => of_subagent(&caller, &heard.session, subagent),
            None => caller.clone(),
        };
        // A list that we cannot read stands in the way of nothing else that the hook says.
        if let Err(error) = backend.call(writer, list.clone().into()).await {
            tracing::info!(%error, agent = agent.name(), "an agent's own list was not taken");
        }
    }
    let Reply::SessionReport(reported) = backend.call(caller.clone(), heard.report().into()).await? else {
        return Err(Error::new(Code::Internal, "the gateway gave the answer to another request"));
    };
    let Some(session_id) = reported.session_id else { return Ok(None) };
    let mut told = Vec::new();
    if let Some(ours) = mcp::told_by_hook(&reported.edits, &reported.todos) {
        told.push((session_id, ours));
    }
    if let Some(own) = reported.own
        && let Some(theirs) = mcp::told_of_own_list(&own.edits, &own.todos, &own.tool)
    {
        told.push((own.session_id, theirs));
    }
    if told.is_empty() {
        return Ok(None);
    }
    let text = told.iter().map(|(_, told)| told.text.as_str()).collect::<Vec<_>>().join("\n\n");
    let body = json!({ "hookSpecificOutput": { "hookEventName": heard.event, "additionalContext": text } });
    let tool_call = Some(format!("hook {}", heard.event));
    // Our list is not in it, so it is not what the agent knows from now on.
    let delivered = told.into_iter().map(|(session_id, told)| TodoDelivered {
        session_id,
        revision: None,
        edits: told.edits,
        tool_call: tool_call.clone(),
    });
    Ok(Some(Answer { body: body.to_string(), caller, delivered: delivered.collect() }))
}

/// What is taken of a payload is as long as it may be.
#[cfg(feature = "fuzz")]
pub(crate) fn fits(agent: Agent, payload: &serde_json::Value) {
    if let Ok(heard) = Payload::read(agent, payload) {
        heard.fits();
    }
}

fn caller(agent: Agent, heard: &Payload, processes: Vec<String>) -> Caller {
    let place = heard.folder.as_deref().map(|folder| Place::of(Path::new(folder))).unwrap_or_default();
    let identity = AgentIdentity {
        agent: AgentInfo { name: agent.name().to_owned(), version: None },
        own_session: Some(heard.session.clone()),
        processes,
        folder: heard.folder.clone(),
        project: place.project,
        branch: place.branch,
        ..AgentIdentity::default()
    };
    Caller { transport: Transport::Hook, client: heard.session.clone(), agent: Some(identity) }
}

/// A subagent's run has no id of its own; one under its agent's is.
fn of_subagent(caller: &Caller, session: &str, subagent: &str) -> Caller {
    let mut caller = caller.clone();
    if let Some(identity) = &mut caller.agent {
        identity.own_session = Some(crate::of_subagent(session, subagent));
        identity.parent = Some(session.to_owned());
        identity.processes.clear();
    }
    caller
}

fn todo_text(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(40).collect()
}
