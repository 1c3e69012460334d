//! A hook's payload in the form that Claude Code began and others took over.

use crate::asking::AskedCall;
use crate::calls;
use crate::lean::{self, Budget};
use crate::lists::OUTCOMES;
use crate::{Agent, HookAnswer};
use protocol::{
    AnnouncedCall, Code, DoneCall, Error, Happened, PERMISSION_INPUT_BYTES, Result, SubagentEvent, TodoObserve, Usage,
    input_digest, say,
};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The most bytes of a session's id; agents send 36.
const ID_BYTES: usize = 200;

/// The most characters of a prompt or a reason.
const TEXT_CHARS: usize = 4_000;

/// The most bytes of a folder's path.
const FOLDER_BYTES: usize = 4_096;

/// The most of a built-in list, which is cut to fit later: many times what agents send.
const LIST: Budget = Budget { values: 32_768, bytes: 2 * 1024 * 1024 };

/// The most of the arguments of a call of our tools. A larger one is refused when it comes.
const ARGUMENTS: Budget = Budget { values: 4_096, bytes: 256 * 1024 };

/// The most of a result of our tools: a list, and its texts.
const RESULT: Budget = Budget { values: 16_384, bytes: 2 * 1024 * 1024 };

/// The most of a part of a response that tells whether a call failed.
const OUTCOME: Budget = Budget { values: 64, bytes: 16 * 1024 };

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
    /// The call of one of our tools that is about to be made.
    pub calls: Option<AnnouncedCall>,
    /// The call that the agent asks about, where a hook can answer.
    pub asks: Option<AskedCall>,
    /// The call of a tool that has ended.
    pub done: Option<DoneCall>,
    /// The model, and what else is told of it.
    pub usage: Option<Usage>,
    /// A subagent has begun or ended, where its own events do not say that they are its.
    pub subagent_event: Option<SubagentEvent>,
    /// The event in our terms.
    pub happened: Happened,
    /// The prompt, or what the agent waits for, or why it ended.
    pub text: Option<String>,
}

/// The meaning of a hook's event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookKind {
    /// A prompt is sent to the model.
    Prompt,
    /// A tool is about to be called.
    ToolBegins,
    /// A call of a tool has ended.
    ToolDone,
    /// A call of a tool has failed.
    ToolFailed,
    /// The user is asked for an approval.
    Asks,
    /// The user is told something, which may be that the agent waits.
    Notification,
    /// A turn is over.
    TurnEnd,
    /// A turn has failed.
    Failure,
    /// The session is over.
    End,
    /// Anything else that shows that the agent works.
    Other,
}

impl HookKind {
    /// The meaning of an event by the names that Claude Code began and most agents took over.
    #[must_use]
    pub fn of(event: &str) -> Self {
        match event {
            "UserPromptSubmit" | "BeforeAgent" => Self::Prompt,
            "PreToolUse" => Self::ToolBegins,
            "PostToolUse" | "AfterTool" => Self::ToolDone,
            "PostToolUseFailure" => Self::ToolFailed,
            "PermissionRequest" => Self::Asks,
            "Notification" => Self::Notification,
            "Stop" | "AfterAgent" => Self::TurnEnd,
            "StopFailure" => Self::Failure,
            "SessionEnd" => Self::End,
            _ => Self::Other,
        }
    }
}

/// The members of a payload that are read; a result may be in it, of which the rest can be megabytes.
const MEMBERS: [&str; 15] = [
    "hook_event_name",
    "session_id",
    "cwd",
    "tool_name",
    "agent_id",
    "prompt",
    "notification_type",
    "message",
    "error_details",
    "error",
    "reason",
    "tool_input",
    "tool_response",
    "tool_use_id",
    "model",
];

/// The members of a payload, by the names in [`MEMBERS`].
struct Members<'a>([Option<&'a RawValue>; MEMBERS.len()]);

impl<'a> Members<'a> {
    fn read(agent: &(impl Agent + ?Sized), payload: &'a [u8]) -> Result<Self> {
        let members = lean::members(payload, MEMBERS.map(|name| agent.hook_member(name))).map_err(|error| {
            Error::new(Code::InvalidMessage, format!("a hook's payload is JSON, this is not ({error})"))
        })?;
        Ok(Self(members.unwrap_or_default()))
    }

    fn member(&self, name: &str) -> Option<&'a RawValue> {
        self.0[MEMBERS.iter().position(|known| *known == name)?]
    }

    fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        self.member(name).and_then(lean::text).filter(|text| !text.is_empty())
    }

    fn word(&self, name: &str) -> Option<String> {
        self.text(name).filter(|text| is_word(text)).map(Cow::into_owned)
    }

    /// A text for people, cut to what they read.
    fn words(&self, name: &str) -> Option<String> {
        self.text(name).map(|text| text.chars().take(TEXT_CHARS).collect())
    }
}

impl HookPayload {
    /// Reads the payload of an agent's hook, without holding more of it than is needed.
    ///
    /// # Errors
    /// [`Code::InvalidMessage`] where it is not JSON, or has no session or event.
    pub fn read(agent: &(impl Agent + ?Sized), payload: &[u8]) -> Result<Self> {
        let members = Members::read(agent, payload)?;
        let needed = |name: &str| {
            members.word(name).ok_or_else(|| {
                let problem = format!("this is no hook payload of {}: it has no \"{name}\"", agent.facts().name);
                Error::new(Code::InvalidMessage, problem)
            })
        };
        let event = needed("hook_event_name")?;
        let tool = members.words("tool_name");
        let tool = tool.as_deref();
        let is_ours = tool.is_some_and(|tool| agent.is_our_tool(tool));
        let of_agent = members.text("agent_id").is_none();
        let subagent = members.word("agent_id");
        let kind = agent.hook_kind(&event);
        let (happened, said) = match kind {
            // Qwen Code sends it before each request to its model; only one with words is the user's.
            HookKind::Prompt => match members.words("prompt") {
                // A subagent's prompt is its agent's.
                Some(prompt) if of_agent => (Happened::Prompted, Some(prompt)),
                _ => (Happened::Worked, None),
            },
            HookKind::Asks => (Happened::Waits, Some(approval(tool))),
            HookKind::Notification if members.text("notification_type").is_none_or(|kind| is_for_the_user(&kind)) => {
                (Happened::Waits, members.words("message"))
            }
            // A subagent's end is not its agent's.
            HookKind::TurnEnd if of_agent => (Happened::Rests, None),
            HookKind::Failure if of_agent => {
                (Happened::Failed, members.words("error_details").or_else(|| members.words("error")))
            }
            HookKind::End if of_agent => (Happened::Ended, members.words("reason")),
            _ => (Happened::Worked, None),
        };
        let within = |name: &str, budget| {
            let value = members.member(name).and_then(|raw| lean::value(raw.get().as_bytes(), budget).ok());
            value.unwrap_or_default()
        };
        Ok(Self {
            begins: of_agent,
            list: built_in_list(agent, kind, tool, &members),
            tool: matches!(kind, HookKind::ToolDone | HookKind::ToolFailed)
                && tool.is_none_or(|tool| !is_ours && agent.list_tool(tool).is_none())
                && of_agent,
            calls: (is_ours && kind == HookKind::ToolBegins).then(|| AnnouncedCall {
                subagent: subagent.clone(),
                id: members.word("tool_use_id"),
                arguments: within("tool_input", ARGUMENTS),
            }),
            asks: asked(agent, &event, tool, &members),
            done: done(agent, kind, tool, &members),
            usage: members
                .word("model")
                .filter(|_| of_agent)
                .map(|model| Usage { model: Some(model), ..Usage::default() }),
            subagent_event: None,
            subagent,
            happened,
            text: said,
            session: needed("session_id")?,
            folder: members.text("cwd").filter(|folder| folder.len() <= FOLDER_BYTES).map(Cow::into_owned),
            // The result of our own tool has told the edits. A subagent does not pass on what it hears, and its list is
            // another one.
            adds_context: adds_context(agent, &event, &members) && !is_ours && of_agent,
            our_result: (is_ours && of_agent).then(|| within("tool_response", RESULT)),
            event,
        })
    }

    /// The same, where an agent says how much of its context is used.
    pub(crate) fn read_with_context(agent: &(impl Agent + ?Sized), payload: &[u8]) -> Result<Self> {
        let mut heard = Self::read(agent, payload)?;
        let told = lean::members(payload, ["input_tokens", "context_limit"]).ok().flatten().unwrap_or_default();
        let [context_tokens, context_window] = told.map(|told| told?.get().parse().ok().filter(|number| *number > 0));
        if heard.subagent.is_none() && context_tokens.or(context_window).is_some() {
            heard.usage = Some(Usage { context_tokens, context_window, ..heard.usage.unwrap_or_default() });
        }
        Ok(heard)
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
fn adds_context(agent: &(impl Agent + ?Sized), event: &str, members: &Members<'_>) -> bool {
    let has_error = || !outcome(members).get("error").is_none_or(Value::is_null);
    agent.hook_event(event).is_some_and(|known| known.answer != HookAnswer::Nothing)
        && !(event == "AfterTool" && has_error())
}

/// The response of a tool, with no more of it than says whether the call failed and how a new task is called.
fn outcome(members: &Members<'_>) -> Value {
    let Some(response) = members.member("tool_response") else { return Value::Null };
    let read = |raw: &RawValue| lean::value(raw.get().as_bytes(), OUTCOME).unwrap_or_default();
    match lean::members(response.get().as_bytes(), OUTCOMES) {
        Ok(Some(found)) => {
            let told = OUTCOMES.into_iter().zip(found).filter_map(|(name, raw)| Some((name.to_owned(), read(raw?))));
            Value::Object(told.collect())
        }
        _ => read(response),
    }
}

/// Returns whether a text can be an id or a name.
pub(crate) fn is_word(text: &str) -> bool {
    text.len() <= ID_BYTES && !text.chars().any(char::is_control)
}

/// The list that a call of the agent's built-in tool has written.
fn built_in_list(
    agent: &(impl Agent + ?Sized),
    kind: HookKind,
    tool: Option<&str>,
    members: &Members<'_>,
) -> Option<TodoObserve> {
    let tool = agent.list_tool(tool?).filter(|_| kind == HookKind::ToolDone)?;
    let input = members.member("tool_input")?;
    let input = lean::value(input.get().as_bytes(), LIST).unwrap_or_default();
    let list = agent.list_written(tool.name, &input, &outcome(members))?;
    Some(TodoObserve { tool: list.tool.to_owned(), todos: list.todos, merge: list.is_part, ..TodoObserve::default() })
}

/// The call that the agent asks about. One that is too large to be shown the agent asks about by itself.
fn asked(agent: &(impl Agent + ?Sized), event: &str, tool: Option<&str>, members: &Members<'_>) -> Option<AskedCall> {
    let asking = agent.asking().filter(|asking| asking.event.name == event)?;
    let tool = tool.filter(|tool| is_word(tool))?.to_owned();
    let input = members.member("tool_input")?.get();
    if input.len() > PERMISSION_INPUT_BYTES {
        return None;
    }
    let questions = agent.questions(&tool, input)?;
    Some(AskedCall { tool, input: input.to_owned(), questions, kind: asking.kind })
}

/// The call that has ended.
fn done(agent: &(impl Agent + ?Sized), kind: HookKind, tool: Option<&str>, members: &Members<'_>) -> Option<DoneCall> {
    let tool = tool.filter(|_| matches!(kind, HookKind::ToolDone | HookKind::ToolFailed))?;
    // A larger one was never asked about.
    let given = members.member("tool_input").filter(|input| input.get().len() <= PERMISSION_INPUT_BYTES);
    let input = Some(input_digest(given.map(RawValue::get).unwrap_or_default()));
    // The list shows what our tools and the agent's own list tool did.
    let is_list = agent.is_our_tool(tool) || agent.list_tool(tool).is_some();
    let (text, file) = given.filter(|_| !is_list).map(|input| calls::subject(tool, input)).unwrap_or_default();
    let file = file.filter(|_| kind == HookKind::ToolDone);
    Some(DoneCall { tool: tool.to_owned(), input, text, file })
}

/// Returns whether a notification of this type says that the user is needed.
fn is_for_the_user(kind: &str) -> bool {
    matches!(kind, "permission_prompt" | "idle_prompt" | "elicitation_dialog" | "ToolPermission")
}

fn approval(tool: Option<&str>) -> String {
    tool.map_or_else(say::reason_approval_unnamed, say::reason_approval).english
}
