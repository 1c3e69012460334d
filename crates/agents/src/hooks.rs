//! A hook's payload in the form that Claude Code began and others took over.

use crate::Agent;
use protocol::{Code, Error, Happened, Result, SubagentCall, TodoObserve};
use serde_json::Value;

/// The most bytes of a session's id; agents send 36.
const ID_BYTES: usize = 200;

/// The parts of a hook's payload that count.
#[derive(Debug, PartialEq)]
pub struct HookPayload {
    /// The agent's own id of the session.
    pub session: String,
    /// The event's name.
    pub event: String,
    /// The folder that the agent works in.
    pub folder: Option<String>,
    /// True if context that the answer adds reaches the model.
    pub adds_context: bool,
    /// The result of one of our tools, which may name a session of ours.
    pub our_result: Option<Value>,
    /// True if it is about the agent itself and not a subagent, so that a run is known from then on.
    pub begins: bool,
    /// True if a call of a tool that is not about a list has ended.
    pub tool: bool,
    /// The list that the agent wrote with its built-in tool.
    pub list: Option<TodoObserve>,
    /// The subagent that it is about.
    pub subagent: Option<String>,
    /// The call of one of our tools that the subagent is about to make.
    pub calls: Option<SubagentCall>,
    /// The event in our terms.
    pub happened: Happened,
    /// The prompt, or what the agent waits for, or why it ended.
    pub text: Option<String>,
}

impl HookPayload {
    /// Reads the payload of an agent's hook.
    ///
    /// # Errors
    /// [`Code::InvalidMessage`] where it has no session or event.
    pub fn read(agent: &(impl Agent + ?Sized), payload: &Value) -> Result<Self> {
        let text = |field: &str| payload.get(field).and_then(Value::as_str).filter(|text| !text.is_empty());
        let word = |field: &str| text(field).filter(|text| is_word(text));
        let needed = |field: &str| {
            word(field).map(str::to_owned).ok_or_else(|| {
                let problem = format!("this is no hook payload of {}: it has no \"{field}\"", agent.facts().name);
                Error::new(Code::InvalidMessage, problem)
            })
        };
        let event = needed("hook_event_name")?;
        let tool = text("tool_name");
        let is_ours = tool.is_some_and(|tool| agent.is_our_tool(tool));
        let of_agent = text("agent_id").is_none();
        let response = payload.get("tool_response").unwrap_or(&Value::Null);
        let subagent = word("agent_id").map(str::to_owned);
        let (happened, said) = match event.as_str() {
            // Qwen Code sends it before each request to its model; only one with words is the user's.
            "UserPromptSubmit" | "BeforeAgent" => match text("prompt") {
                // A subagent's prompt is its agent's.
                Some(prompt) if of_agent => (Happened::Prompted, Some(prompt.to_owned())),
                _ => (Happened::Worked, None),
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
            list: built_in_list(agent, &event, tool, payload),
            tool: matches!(event.as_str(), "PostToolUse" | "PostToolUseFailure" | "AfterTool")
                && tool.is_none_or(|tool| !is_ours && agent.list_tool(tool).is_none())
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
            // The result of our own tool has told the edits. A subagent does not pass on what it hears, and its list is
            // another one.
            adds_context: adds_context(agent, &event, response) && !is_ours && of_agent,
            our_result: (is_ours && of_agent).then(|| response.clone()),
            event,
        })
    }

    /// Panics where a part is longer than it may be; `fuzz/` calls it.
    pub fn check(&self) {
        let words = [Some(&self.session), Some(&self.event), self.subagent.as_ref()];
        assert!(words.into_iter().flatten().all(|word| is_word(word)), "{self:?}");
        let is_empty = |text: &Option<String>| text.as_deref() == Some("");
        assert!(!is_empty(&self.text) && !is_empty(&self.folder), "{self:?}");
    }
}

/// Returns whether context added to this event reaches the model. After an error of a tool Gemini CLI's model reads only that.
fn adds_context(agent: &(impl Agent + ?Sized), event: &str, response: &Value) -> bool {
    let has_failed = event == "AfterTool" && response.get("error").is_some_and(|error| !error.is_null());
    let is_answered = |hooks: crate::Hooks| hooks.events.iter().any(|known| known.name == event && known.adds_context);
    !has_failed && agent.facts().hooks.is_some_and(is_answered)
}

/// Returns whether a text can be an id or a name.
fn is_word(text: &str) -> bool {
    text.len() <= ID_BYTES && !text.chars().any(char::is_control)
}

/// The list that a call of the agent's built-in tool has written.
fn built_in_list(
    agent: &(impl Agent + ?Sized),
    event: &str,
    tool: Option<&str>,
    payload: &Value,
) -> Option<TodoObserve> {
    if !matches!(event, "PostToolUse" | "AfterTool") {
        return None;
    }
    let part = |name: &str| payload.get(name).unwrap_or(&Value::Null);
    let list = agent.list_written(tool?, part("tool_input"), part("tool_response"))?;
    Some(TodoObserve { tool: list.tool.to_owned(), todos: list.todos, merge: list.is_part, ..TodoObserve::default() })
}

/// Returns whether a notification of this type says that the user is needed.
fn is_for_the_user(kind: &str) -> bool {
    matches!(kind, "permission_prompt" | "idle_prompt" | "elicitation_dialog" | "ToolPermission")
}

fn approval(tool: Option<&str>) -> String {
    tool.map_or_else(|| "approval".to_owned(), |tool| format!("approval: {tool}"))
}
