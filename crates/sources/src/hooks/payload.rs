//! What is read of a hook's payload.

use super::Agent;
use protocol::{Code, Error, Result, SessionReport};
use serde_json::Value;

/// Our tools, whatever the agent puts before their names (`mcp__sightline__todo_write`, `mcp_sightline_todo_write`).
const TOOLS: [&str; 3] = ["todo_write", "todo_read", "todo_manager"];

/// The longest session id that is taken; agents send 36 characters.
const ID_CHARS: usize = 200;

/// The parts of a payload that count.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Payload {
    pub(super) session: String,
    pub(super) event: String,
    pub(super) folder: Option<String>,
    /// Added context reaches the model with this event.
    pub(super) listens: bool,
    /// The session of ours that a result of ours named.
    pub(super) read: Option<String>,
}

impl Payload {
    pub(super) fn read(agent: Agent, payload: &Value) -> Result<Self> {
        let text = |field: &str| payload.get(field).and_then(Value::as_str).filter(|text| !text.is_empty());
        let needed = |field: &str| {
            let value = text(field).filter(|text| text.len() <= ID_CHARS && !text.chars().any(char::is_control));
            value.map(str::to_owned).ok_or_else(|| {
                let problem = format!("this is no hook payload of {}: it has no \"{field}\"", agent.name());
                Error::new(Code::InvalidMessage, problem)
            })
        };
        let event = needed("hook_event_name")?;
        let tool = text("tool_name");
        let is_ours = tool.is_some_and(|tool| tool.contains("mcp") && TOOLS.iter().any(|ours| tool.ends_with(ours)));
        let of_agent = text("agent_id").is_none();
        let response = payload.get("tool_response").unwrap_or(&Value::Null);
        let listens = match event.as_str() {
            "UserPromptSubmit" => agent != Agent::Gemini,
            "BeforeAgent" => agent == Agent::Gemini,
            "PostToolUse" => agent != Agent::Gemini,
            "PostToolUseFailure" => matches!(agent, Agent::Claude | Agent::Qwen),
            "AfterTool" => agent == Agent::Gemini && response.get("error").is_none_or(Value::is_null),
            _ => false,
        };
        Ok(Self {
            session: needed("session_id")?,
            folder: text("cwd").map(str::to_owned),
            // Our own tools' results have told it; what a subagent hears its agent does not, and its list is another.
            listens: listens && !is_ours && of_agent,
            read: (is_ours && of_agent).then(|| mcp::session_in(response)).flatten(),
            event,
        })
    }

    pub(super) fn report(&self) -> SessionReport {
        SessionReport { session_id: self.read.clone(), listens: self.listens }
    }
}
