//! What is read of a hook's payload.

use super::Agent;
use crate::calls::{Listed, list_of, list_tool};
use protocol::{Code, Error, Happened, Result, SessionReport, SubagentCall, TodoObserve};
use serde_json::Value;

/// Our tools, whatever the agent puts before their names (`mcp__sightline__todo_write`, `mcp_sightline_todo_write`).
const TOOLS: [&str; 3] = ["todo_write", "todo_read", "todo_manager"];

/// The longest session id that is taken; agents send 36 characters.
const ID_CHARS: usize = 200;

/// The parts of a payload that count.
#[derive(Debug, PartialEq)]
pub(super) struct Payload {
    pub(super) session: String,
    pub(super) event: String,
    pub(super) folder: Option<String>,
    /// Added context reaches the model with this event.
    pub(super) listens: bool,
    /// The session of ours that a result of ours named.
    pub(super) read: Option<String>,
    /// It is of the agent itself and not of a subagent: a run is known from then on.
    pub(super) begins: bool,
    /// A call of a tool that is not about a list has ended.
    pub(super) tool: bool,
    /// The list that the agent wrote with a tool of its own.
    pub(super) list: Option<TodoObserve>,
    /// The subagent that it is of.
    pub(super) subagent: Option<String>,
    /// The call of a tool of ours that the subagent is about to make.
    pub(super) calls: Option<SubagentCall>,
    pub(super) happened: Happened,
    pub(super) text: Option<String>,
}

impl Payload {
    pub(super) fn read(agent: Agent, payload: &Value) -> Result<Self> {
        let text = |field: &str| payload.get(field).and_then(Value::as_str).filter(|text| !text.is_empty());
        let word = |field: &str| text(field).filter(|text| is_word(text));
        let needed = |field: &str| {
            word(field).map(str::to_owned).ok_or_else(|| {
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
        let subagent = word("agent_id").map(str::to_owned);
        let (happened, said) = match event.as_str() {
            // Qwen fires it before each request of a model's; only one with words is the user's.
            "UserPromptSubmit" | "BeforeAgent" => match text("prompt") {
                Some(prompt) => (Happened::Prompted, Some(prompt.to_owned())),
                None => (Happened::Worked, None),
            },
            "PermissionRequest" => (Happened::Waits, Some(approval(tool))),
            "Notification" if text("notification_type").is_none_or(is_for_the_user) => {
                (Happened::Waits, text("message").map(str::to_owned))
            }
            // A subagent's end is not its agent's.
            "Stop" | "AfterAgent" if of_agent => (Happened::Rests, None),
            "StopFailure" if of_agent => (Happened::Failed, text("error_details").or(text("error")).map(str::to_owned)),
            "SessionEnd" if of_agent => (Happened::Ended, text("reason").map(str::to_owned)),
            _ => (Happened::Worked, None),
        };
        Ok(Self {
            begins: of_agent,
            list: own_list(agent, &event, tool, payload),
            tool: matches!(event.as_str(), "PostToolUse" | "PostToolUseFailure" | "AfterTool")
                && tool.is_none_or(|tool| !is_ours && list_tool(agent.kind(), tool).is_none())
                && of_agent,
            calls: subagent.clone().filter(|_| is_ours && event == "PreToolUse").map(|subagent| SubagentCall {
                subagent,
                arguments: payload.get("tool_input").cloned().unwrap_or_default(),
            }),
            subagent,
            happened,
            text: said,
            session: needed("session_id")?,
            folder: text("cwd").map(str::to_owned),
            // Our own tools' results have told it; what a subagent hears its agent does not, and its list is another.
            listens: listens && !is_ours && of_agent,
            read: (is_ours && of_agent).then(|| mcp::session_in(response)).flatten(),
            event,
        })
    }

    #[cfg(feature = "fuzz")]
    pub(super) fn fits(&self) {
        let words = [Some(&self.session), Some(&self.event), self.subagent.as_ref()];
        assert!(words.into_iter().flatten().all(|word| is_word(word)), "{self:?}");
        let is_empty = |text: &Option<String>| text.as_deref() == Some("");
        assert!(!is_empty(&self.text) && !is_empty(&self.folder), "{self:?}");
    }

    pub(super) fn report(&self) -> SessionReport {
        SessionReport {
            happened: self.happened,
            at: None,
            tool: self.tool,
            calls: self.calls.clone(),
            text: self.text.clone(),
            session_id: self.read.clone(),
            listens: self.listens,
            begins: self.begins,
        }
    }
}

/// Something that can be an id or a name.
fn is_word(text: &str) -> bool {
    text.len() <= ID_CHARS && !text.chars().any(char::is_control)
}

/// The list that a call of the agent's own tool has written.
fn own_list(agent: Agent, event: &str, tool: Option<&str>, payload: &Value) -> Option<TodoObserve> {
    if !matches!(event, "PostToolUse" | "AfterTool") {
        return None;
    }
    let part = |name: &str| payload.get(name).unwrap_or(&Value::Null);
    let listed = list_of(agent.kind(), tool?, part("tool_input"), part("tool_response"))?;
    let (tool, todos, merge) = match listed {
        Listed::Whole { tool, todos } => (tool, todos, false),
        Listed::Part { tool, todos } => (tool, todos, true),
    };
    Some(TodoObserve { tool: tool.to_owned(), todos, merge, ..TodoObserve::default() })
}

/// Whether a notification says that something is needed of the user.
fn is_for_the_user(kind: &str) -> bool {
    matches!(kind, "permission_prompt" | "idle_prompt" | "elicitation_dialog" | "ToolPermission")
}

fn approval(tool: Option<&str>) -> String {
    tool.map_or_else(|| "approval".to_owned(), |tool| format!("approval: {tool}"))
}
