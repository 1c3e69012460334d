//! The parts of ACP's messages that are read here. Everything else in them is nobody's business and stays unread.
//!
//! By protocol version 1, schema 1.15.1; of version 2, which is a draft, the plan of items. A message of another form is
//! passed on like every other, and tells nothing.

use protocol::Usage;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// The protocol version in which lines of ours are added.
pub(crate) const VERSION: u64 = 1;

/// A request, a notification or an answer.
#[derive(Deserialize)]
pub(crate) struct Message<'a> {
    #[serde(borrow, default)]
    pub(crate) id: Option<&'a RawValue>,
    #[serde(default)]
    pub(crate) method: Option<String>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

impl<'a> Message<'a> {
    pub(crate) fn read(line: &'a [u8]) -> Option<Self> {
        serde_json::from_slice(line).ok()
    }

    /// The text of its id, by which an answer belongs to its request; each side may write the same letters in its own way.
    pub(crate) fn id(&self) -> Option<String> {
        self.id.map(id_text)
    }

    pub(crate) fn params<T: Deserialize<'a>>(&self) -> Option<T> {
        serde_json::from_str(self.params?.get()).ok()
    }

    /// The outcome of a request: its result, or the message of its error.
    pub(crate) fn outcome<T: Deserialize<'a>>(&self) -> Result<Option<T>, String> {
        match self.error {
            Some(error) => Err(serde_json::from_str::<Refusal>(error.get()).unwrap_or_default().message),
            None => Ok(self.result.and_then(|result| serde_json::from_str(result.get()).ok())),
        }
    }
}

/// The text of an id, whichever of JSON's ways its letters are written in.
pub(crate) fn id_text(id: &RawValue) -> String {
    let text = serde_json::from_str::<String>(id.get()).map(|text| Value::String(text).to_string());
    text.unwrap_or_else(|_| id.get().to_owned())
}

#[derive(Deserialize, Default)]
struct Refusal {
    #[serde(default)]
    message: String,
}

/// The result of `initialize`.
#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Initialized {
    pub(crate) protocol_version: u64,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) agent_capabilities: Capabilities,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) agent_info: AgentInfo,
}

#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Capabilities {
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) mcp_capabilities: McpCapabilities,
}

#[derive(Deserialize, Debug, Default)]
pub(crate) struct McpCapabilities {
    #[serde(default)]
    pub(crate) http: bool,
}

#[derive(Deserialize, Debug, Default)]
pub(crate) struct AgentInfo {
    #[serde(default)]
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) version: Option<String>,
}

/// The parameters of a request that opens a session, and the result of one.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Opening {
    #[serde(default)]
    pub(crate) session_id: Option<String>,
    #[serde(default)]
    pub(crate) cwd: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    models: Option<Models>,
    #[serde(default, deserialize_with = "or_default")]
    config_options: Vec<ConfigOption>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Models {
    current_model_id: String,
}

/// A choice that an agent offers.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ConfigOption {
    #[serde(default, deserialize_with = "or_default")]
    category: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    current_value: Option<String>,
}

impl Opening {
    /// The model of the session.
    pub(crate) fn model(self) -> Option<String> {
        let mut options = self.config_options.into_iter();
        let chosen = options.find(|option| option.category.as_deref() == Some("model"));
        chosen.and_then(|option| option.current_value).or(self.models.map(|models| models.current_model_id))
    }
}

/// The parameters of any request about a session.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OfSession {
    pub(crate) session_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Prompt {
    pub(crate) session_id: String,
    #[serde(default)]
    prompt: Vec<Content>,
}

#[derive(Deserialize)]
struct Content {
    #[serde(default, deserialize_with = "or_default")]
    text: Option<String>,
}

impl Prompt {
    /// The words of the user.
    pub(crate) fn text(&self) -> String {
        self.prompt.iter().filter_map(|content| content.text.as_deref()).collect::<Vec<_>>().join("\n")
    }
}

/// The result of `session/prompt`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TurnEnd {
    #[serde(default, deserialize_with = "or_default")]
    stop_reason: Option<String>,
}

impl TurnEnd {
    /// Returns whether the agent did not come to an end by itself.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop_reason.as_deref().is_some_and(|reason| reason != "end_turn")
    }
}

/// The parameters of `session/update`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Notice<'a> {
    pub(crate) session_id: String,
    #[serde(borrow)]
    update: &'a RawValue,
}

pub(crate) enum SessionUpdate {
    /// The agent's plan, as a whole.
    Plan(Vec<Value>),
    Call(ToolCall),
    /// The context, and the cost so far.
    Used(Usage),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct UpdateKind {
    session_update: String,
}

#[derive(Deserialize)]
struct UsageUpdate {
    used: u64,
    size: u64,
    #[serde(default, deserialize_with = "or_default")]
    cost: Option<Cost>,
}

#[derive(Deserialize)]
struct Cost {
    amount: f64,
    currency: String,
}

impl From<UsageUpdate> for Usage {
    fn from(UsageUpdate { used, size, cost }: UsageUpdate) -> Self {
        let dollars = cost.filter(|cost| cost.currency == "USD").map(|cost| cost.amount);
        Self {
            context_tokens: Some(used),
            context_window: (size > 0).then_some(size),
            micro_dollars: dollars.and_then(Self::micro_dollars),
            ..Self::default()
        }
    }
}

/// The agent's plan; as a draft has it, one plan of several.
#[derive(Deserialize)]
struct PlanUpdate {
    plan: PlanOfItems,
}

#[derive(Deserialize)]
struct PlanOfItems {
    /// Absent in a plan that is a text or a file.
    #[serde(default)]
    entries: Option<Vec<Value>>,
}

impl Notice<'_> {
    /// The update, where it is of a kind that is followed.
    pub(crate) fn update(&self) -> Option<SessionUpdate> {
        let update = self.update.get();
        let UpdateKind { session_update } = serde_json::from_str(update).ok()?;
        match session_update.as_str() {
            "plan" => serde_json::from_str::<PlanOfItems>(update).ok()?.entries.map(SessionUpdate::Plan),
            "plan_update" => serde_json::from_str::<PlanUpdate>(update).ok()?.plan.entries.map(SessionUpdate::Plan),
            "usage_update" => {
                serde_json::from_str::<UsageUpdate>(update).ok().map(|told| SessionUpdate::Used(told.into()))
            }
            "tool_call" | "tool_call_update" => serde_json::from_str(update).ok().map(SessionUpdate::Call),
            _ => None,
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ToolCall {
    pub(crate) tool_call_id: String,
    #[serde(default)]
    pub(crate) title: Option<String>,
    #[serde(default)]
    pub(crate) kind: Option<String>,
    #[serde(default)]
    pub(crate) status: Option<String>,
    #[serde(default)]
    pub(crate) raw_input: Option<Box<RawValue>>,
}

impl ToolCall {
    pub(crate) fn has_ended(&self) -> bool {
        matches!(self.status.as_deref(), Some("completed" | "failed" | "cancelled"))
    }

    /// The arguments to the letter, where there are any.
    pub(crate) fn input(&self) -> Option<&str> {
        let input = self.raw_input.as_ref()?.get();
        let is_empty = serde_json::from_str::<Value>(input).is_ok_and(|it| it == Value::Object(serde_json::Map::new()));
        (!is_empty).then_some(input)
    }

    /// The command that a shell is to run.
    pub(crate) fn command(&self) -> Option<String> {
        protocol::command_of(self.input()?).map(|(command, _)| command)
    }
}

/// The parameters of `session/request_permission`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Permission<'a> {
    pub(crate) session_id: String,
    #[serde(borrow)]
    pub(crate) tool_call: &'a RawValue,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) options: Vec<PermissionOption>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PermissionOption {
    pub(crate) option_id: String,
    pub(crate) name: String,
    /// `allow_once`, `allow_always`, `reject_once` or `reject_always`.
    pub(crate) kind: String,
}

/// The parameters of `elicitation/create`, where it belongs to a session.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Elicitation<'a> {
    pub(crate) session_id: String,
    #[serde(default)]
    pub(crate) message: String,
    /// A form to fill in; absent where it is a page to visit.
    #[serde(borrow, default)]
    pub(crate) requested_schema: Option<&'a RawValue>,
}

/// An unreadable member counts as absent.
fn or_default<'de, T: DeserializeOwned + Default, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    Ok(T::deserialize(Value::deserialize(deserializer)?).unwrap_or_default())
}
