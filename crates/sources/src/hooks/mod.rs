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
    delivered: TodoDelivered,
}

impl Answer {
    /// The answer went out: what it tells is delivered.
    ///
    /// # Errors
    /// Those of the backend; the edits are then told again.
    pub fn sent(self, backend: &dyn Backend) -> protocol::BoxFuture<Result<Reply>> {
        backend.call(self.caller, self.delivered.into())
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
    let payload = Payload::read(agent, payload)?;
    let place = payload.folder.as_deref().map(|folder| Place::of(Path::new(folder))).unwrap_or_default();
    let identity = AgentIdentity {
        agent: AgentInfo { name: agent.name().to_owned(), version: None },
        own_session: Some(payload.session.clone()),
        processes,
        folder: payload.folder.clone(),
        project: place.project,
        branch: place.branch,
        ..AgentIdentity::default()
    };
    let caller = Caller { transport: Transport::Hook, client: payload.session.clone(), agent: Some(identity) };
    let Reply::SessionReport(reported) = backend.call(caller.clone(), payload.report().into()).await? else {
        return Err(Error::new(Code::Internal, "the gateway gave the answer to another request"));
    };
    let Some(session_id) = reported.session_id else { return Ok(None) };
    let Some(told) = mcp::told_by_hook(&reported.edits, &reported.todos) else { return Ok(None) };
    let body = json!({ "hookSpecificOutput": { "hookEventName": payload.event, "additionalContext": told.text } });
    // The list is not in it, so it is not what the agent knows from now on.
    let delivered = TodoDelivered {
        session_id,
        revision: None,
        edits: told.edits,
        tool_call: Some(format!("hook {}", payload.event)),
    };
    Ok(Some(Answer { body: body.to_string(), caller, delivered }))
}

fn todo_text(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(40).collect()
}
