//! The built-in agent: prompts, its answers as they stream, approvals, and the models that it can have.
//!
//! Messages and fields that the Tek protocol has are its own (`chat.send`, `tool.approval.response`,
//! `preflight.approval`, `vault.keys.*`); each event names its session as well.

use super::settings::{Settings, invalid};
use crate::Result;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use ts_rs::TS;

/// Gives the built-in agent a task, in a session or in a new one. Answered as soon as the run has begun; what comes of it
/// are events with the `requestId` in the answer. One session has one run at a time.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ChatSend {
    /// A session of the built-in agent's; a new one when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session_id: Option<String>,
    /// What is to be done: at most 100,000 characters.
    pub content: String,
    /// `provider:model`, for this session from now on; when left out that of the session, else that of the settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub model: Option<String>,
    /// The folder that a new session works in, for its tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub folder: Option<String>,
    /// The message's id as the transport saw it, which names the run. Transports set it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub request_id: Option<String>,
}

/// A run of the built-in agent's has begun.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ChatStarted {
    /// In which session.
    pub session_id: String,
    /// Names the run in its events.
    pub request_id: String,
    /// `provider:model`.
    pub model: String,
    /// The session is new.
    pub created: bool,
}

/// Stops the run of a session at once. What was in progress becomes pending; where nothing runs, nothing happens.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ChatAbort {
    /// Whose.
    pub session_id: String,
}

/// Goes on where a session's last run ended, without a new prompt: with its list, a plan that waits, or the prompt where
/// that came to nothing. Nothing completed is done again.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ChatResume {
    /// Whose.
    pub session_id: String,
    /// See [`ChatSend::model`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub model: Option<String>,
    /// See [`ChatSend::request_id`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub request_id: Option<String>,
}

/// Asks for a session's conversation as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ChatGet {
    /// Whose.
    pub session_id: String,
    /// Only messages before this one (its `seq`); the newest when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub before: Option<u64>,
}

/// A conversation with the built-in agent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Chat {
    /// Whose.
    pub session_id: String,
    /// `provider:model` of its next answer; empty where none was chosen.
    pub model: String,
    /// At most 200 messages, oldest first.
    pub messages: Vec<ChatMessage>,
    /// There are older ones.
    pub more: bool,
    /// What is going on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub run: Option<ChatRun>,
    /// The last run left open items or a plan that waits, so that it can be resumed.
    pub can_resume: bool,
}

/// Something that was said in a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ChatMessage {
    /// Its number in the conversation, from 1; some are left out.
    #[ts(type = "number")]
    pub seq: u64,
    /// When (RFC 3339, UTC).
    #[ts(type = "string")]
    pub at: Timestamp,
    /// What.
    #[serde(flatten)]
    pub said: ChatSaid,
}

/// What a message of a conversation says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub enum ChatSaid {
    /// The user's prompt.
    User {
        /// Its words.
        content: String,
    },
    /// The model's answer.
    Assistant {
        /// Its prose, Markdown, without `<todo>` blocks. Not trusted.
        content: String,
        /// What it thought before, where the model shows that.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        #[ts(as = "Option<String>", optional)]
        reasoning: String,
    },
    /// A tool call and what came of it.
    Tool {
        /// Names the call.
        tool_call_id: String,
        /// Which tool.
        tool_name: String,
        /// As the model sent them.
        #[ts(type = "unknown")]
        args: Value,
        /// What it gave, or why it failed or was not made; none while it is under way.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        result: Option<String>,
        /// It failed, or was not made.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[ts(as = "Option<bool>", optional)]
        is_error: bool,
        /// It was not made: refused, denied, not answered in time, or stopped before it began.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[ts(as = "Option<bool>", optional)]
        not_made: bool,
    },
    /// Something to know beside the answers: a continuation, a new plan, a retry.
    Notice {
        /// For people.
        message: String,
        /// What failed, where it says that a model is asked once more. Of such notices in a row the last is enough.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        retries: Option<String>,
    },
    /// A run was over.
    End {
        /// How.
        outcome: ChatOutcome,
        /// For people; empty where there is nothing to add.
        message: String,
        /// What it took, where its model said so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        usage: Option<ChatUsage>,
        /// What that cost, where its provider said so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        cost: Option<ChatCost>,
    },
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum ChatOutcome {
    /// The task is done, or answered.
    #[default]
    Completed,
    /// Nothing more can be done without the user: items wait or are blocked, continuations are used up, an approval was
    /// refused or not given.
    Waiting,
    /// The user stopped it.
    Aborted,
    /// An error ended it.
    Failed,
    /// Sightline ended in the middle of it.
    Interrupted,
}

/// A run that goes on.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ChatRun {
    /// Names it in its events.
    pub request_id: String,
    /// What of the answer under way has come so far.
    pub content: String,
    /// What its model has thought so far.
    pub reasoning: String,
    /// What it does, for people: `Planning`.
    pub doing: String,
    /// The call that waits for the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub approval: Option<ToolApprovalRequest>,
    /// The plan that waits for the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub preflight: Option<PreflightChecklist>,
}

/// The user's answer to a [`ToolApprovalRequest`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ToolApprovalResponse {
    /// Which call.
    pub tool_call_id: String,
    /// It may be made.
    pub approved: bool,
    /// And all later ones of this tool in this session.
    #[serde(default)]
    pub session_approve: bool,
}

/// The user's answer to a [`PreflightChecklist`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PreflightApproval {
    /// Of which run.
    pub request_id: String,
    /// Of which session; needed only where several clients named their runs alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session_id: Option<String>,
    /// It may begin.
    pub approved: bool,
    /// With these steps; as they are when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub edited_steps: Option<Vec<PreflightEdit>>,
}

/// A step of a plan as the user wants it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PreflightEdit {
    /// Its words.
    pub description: String,
    /// The tool that it is to use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tool_name: Option<String>,
    /// It is left out.
    #[serde(default)]
    pub skip: bool,
}

/// Asks which models there are.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
pub struct ChatModels {}

/// The models that the built-in agent can have.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
pub struct ChatModelsThere {
    /// By provider, those without configuration first.
    pub providers: Vec<ChatProviderThere>,
}

/// A provider of models.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ChatProviderThere {
    /// Its name: the part of a model's name before the colon.
    pub name: String,
    /// Its models, each `provider:model`.
    pub models: Vec<String>,
    /// Why they could not be asked for, and what to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub problem: Option<String>,
    /// Where its key is: `environment`, `keyring`, `file`, or empty where there is none.
    pub key: String,
    /// It answers nobody without a key.
    pub needs_key: bool,
}

/// Tries a model with a short question.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
pub struct ChatTest {
    /// `provider:model`.
    pub model: String,
}

/// Asks for the tools that the built-in agent has beside the list's own; the configured servers are connected for it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
pub struct ChatTools {}

/// The built-in agent's tools.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
pub struct ChatToolsThere {
    /// By the configured servers, in their order.
    pub servers: Vec<ChatServerThere>,
}

/// A server of tools.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ChatServerThere {
    /// Its name in the settings.
    pub name: String,
    /// Its tools.
    pub tools: Vec<ChatToolThere>,
    /// Why it cannot be reached, and what to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub problem: Option<String>,
}

/// A tool.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ChatToolThere {
    /// Its name, as the policies have it.
    pub name: String,
    /// What it says of itself. Not trusted.
    pub description: String,
    /// What has to happen before it is called.
    pub policy: ToolPolicy,
}

/// Asks whose keys are kept; never for the keys.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
pub struct VaultKeysList {}

/// The providers with a key.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
pub struct VaultKeys {
    /// Where each provider's key is: `environment`, `keyring` or `file`.
    pub keys: BTreeMap<String, String>,
}

/// Keeps a provider's key, in the system's keyring where there is one. Answered with all that are kept.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
pub struct VaultKeysSet {
    /// Whose.
    pub provider: String,
    /// The key.
    pub key: String,
}

impl std::fmt::Debug for VaultKeysSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VaultKeysSet").field("provider", &self.provider).finish_non_exhaustive()
    }
}

/// Takes a provider's key away.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
pub struct VaultKeysDelete {
    /// Whose.
    pub provider: String,
}

/// What has to happen before a tool is called (REQUIREMENTS G3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum ToolPolicy {
    /// Nothing.
    Auto,
    /// The user is asked.
    #[default]
    Ask,
    /// It is not called.
    Deny,
}

/// When a new prompt puts the list into the history (REQUIREMENTS P1, G4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Archiving {
    /// When nothing of it is open.
    #[default]
    WhenCompleted,
    /// Each time.
    Always,
    /// Only the user does that.
    Never,
}

/// What a provider of models speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum ProviderKind {
    /// OpenAI's chat completions, as most servers do.
    #[default]
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// Gemini's.
    Gemini,
    /// Ollama's.
    Ollama,
}

/// A provider of models that the user added, beside `openai`, `anthropic`, `gemini` and `ollama`; one of those names
/// changes that one's address.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
pub struct ChatProvider {
    /// Letters, digits and hyphens.
    pub name: String,
    /// What it speaks.
    pub kind: ProviderKind,
    /// The base address: `http://127.0.0.1:1234/v1/`.
    pub endpoint: String,
}

/// An MCP server with tools for the built-in agent: a command, or an address.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct ChatServer {
    /// Letters, digits and hyphens.
    pub name: String,
    /// The program and its arguments; empty where there is a `url`.
    pub command: Vec<String>,
    /// Its environment, beside this one's. `${NAME}` in a value is this one's: no secret is written down here.
    pub env: BTreeMap<String, String>,
    /// Its folder; the session's when empty.
    pub folder: String,
    /// `http://127.0.0.1:8080/mcp`; empty where there is a `command`.
    pub url: String,
    /// For each request; `${NAME}` as in `env`.
    pub headers: BTreeMap<String, String>,
    /// It is left alone.
    pub disabled: bool,
}

/// An answer begins to stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ChatStreamStart {
    /// The run.
    pub request_id: String,
    /// Its session.
    pub session_id: String,
    /// `provider:model`.
    pub model: String,
}

/// More of an answer's prose (`chat.stream.delta`), or of what its model thinks (`chat.stream.reasoning`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ChatStreamDelta {
    /// The run.
    pub request_id: String,
    /// Its session.
    pub session_id: String,
    /// What comes behind what came before. Not trusted.
    pub delta: String,
    /// What came of this answer before it, in UTF-16 code units: where `content` or `reasoning` of a [`ChatRun`] that is
    /// longer has it already.
    #[ts(type = "number")]
    pub offset: u64,
}

/// A run is over, other than by an error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ChatStreamEnd {
    /// The run.
    pub request_id: String,
    /// Its session.
    pub session_id: String,
    /// What it took; zeros where the model does not say.
    pub usage: ChatUsage,
    /// What that cost; zeros where the provider does not say.
    pub cost: ChatCost,
    /// How it ended.
    pub outcome: ChatOutcome,
    /// For people; empty where there is nothing to add.
    pub message: String,
}

/// Tokens, of all calls of the model in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ChatUsage {
    /// Read.
    #[ts(type = "number")]
    pub input_tokens: u64,
    /// Written.
    #[ts(type = "number")]
    pub output_tokens: u64,
    /// Both.
    #[ts(type = "number")]
    pub total_tokens: u64,
}

/// US dollars. Providers that say only what the whole cost leave the parts zero.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ChatCost {
    /// Of what was read.
    pub input_cost: f64,
    /// Of what was written.
    pub output_cost: f64,
    /// Both.
    pub total_cost: f64,
}

/// The model calls a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ToolCalled {
    /// The run.
    pub request_id: String,
    /// Its session.
    pub session_id: String,
    /// Names the call.
    pub tool_call_id: String,
    /// Which tool.
    pub tool_name: String,
    /// As the model sent them: an object, or text where they are no JSON.
    #[ts(type = "unknown")]
    pub args: Value,
}

/// What a tool gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ToolResulted {
    /// The run.
    pub request_id: String,
    /// Its session.
    pub session_id: String,
    /// Which call.
    pub tool_call_id: String,
    /// Which tool.
    pub tool_name: String,
    /// Text. Not trusted.
    pub result: String,
}

/// A tool failed, or was not called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ToolFailed {
    /// The run.
    pub request_id: String,
    /// Its session.
    pub session_id: String,
    /// Which call.
    pub tool_call_id: String,
    /// Which tool.
    pub tool_name: String,
    /// Why. Not trusted.
    pub error: String,
}

/// A call waits for the user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ToolApprovalRequest {
    /// The run.
    pub request_id: String,
    /// Its session.
    pub session_id: String,
    /// Names the call, in the answer too.
    pub tool_call_id: String,
    /// Which tool.
    pub tool_name: String,
    /// As the model sent them.
    #[ts(type = "unknown")]
    pub args: Value,
    /// When it counts as not answered (RFC 3339, UTC).
    #[ts(type = "string")]
    pub expires_at: Timestamp,
}

/// A plan waits for the user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PreflightChecklist {
    /// The run, in the answer too.
    pub request_id: String,
    /// Its session.
    pub session_id: String,
    /// In their order.
    pub steps: Vec<PreflightStep>,
    /// Of the whole; zeros, nobody can know.
    pub estimated_cost: PreflightCost,
    /// The tools that are asked for.
    pub required_permissions: Vec<String>,
    /// None.
    pub warnings: Vec<String>,
    /// When it counts as not answered (RFC 3339, UTC).
    #[ts(type = "string")]
    pub expires_at: Timestamp,
}

/// A step of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PreflightStep {
    /// Its words.
    pub description: String,
    /// The tool that it means to use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tool_name: Option<String>,
    /// `high` where its tool needs approval, else `low`.
    pub risk: String,
    /// Its tool needs approval.
    pub needs_approval: bool,
}

/// What a plan may cost.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PreflightCost {
    /// Tokens to read.
    #[ts(type = "number")]
    pub input_tokens: u64,
    /// Tokens to write.
    #[ts(type = "number")]
    pub output_tokens: u64,
    /// US dollars.
    #[serde(rename = "estimatedUSD")]
    pub estimated_usd: f64,
}

/// A conversation is otherwise than its other events tell: a message was added, or what waited for the user was answered
/// (in another window, perhaps) or expired.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ChatUpdated {
    /// Whose.
    pub session_id: String,
    /// The message that was added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub message: Option<ChatMessage>,
    /// What goes on now; none where nothing does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub run: Option<ChatRun>,
    /// See [`Chat::can_resume`].
    pub can_resume: bool,
}

/// Providers and servers that can be configured.
const CONFIGURED: usize = 50;

/// Policies of tools by name.
const POLICIES: usize = 1_000;

/// Characters of a command, an address or a value of the built-in agent's configuration.
const CHARACTERS: usize = 2_000;

/// What is wrong with the settings of the built-in agent.
pub(super) fn check(settings: &Settings) -> Result<()> {
    let (providers, servers) = (&settings.chat_providers, &settings.chat_servers);
    for (what, names) in [
        ("chatProviders", providers.iter().map(|one| &one.name).collect::<Vec<_>>()),
        ("chatServers", servers.iter().map(|one| &one.name).collect()),
    ] {
        if names.len() > CONFIGURED {
            return Err(invalid(format!("\"{what}\" takes at most {CONFIGURED}")));
        }
        for (at, name) in names.iter().enumerate() {
            if !is_name(name) {
                return Err(invalid(format!(
                    "a name in \"{what}\" has 1 to 32 letters, digits and hyphens, and begins with a letter"
                )));
            }
            if names.iter().take(at).any(|other| other == name) {
                return Err(invalid(format!("\"{what}\" has the name {name} twice")));
            }
        }
    }
    for server in servers {
        if server.command.is_empty() == server.url.is_empty() {
            return Err(invalid(format!("the server {} needs a \"command\" or a \"url\", and not both", server.name)));
        }
    }
    let addresses = providers.iter().map(|one| &one.endpoint).chain(servers.iter().map(|one| &one.url));
    for address in addresses.filter(|address| !address.is_empty()) {
        if !address.starts_with("http://") && !address.starts_with("https://") {
            return Err(invalid(format!(
                "an address begins with http:// or https://, unlike \"{}\"",
                todo::short(address)
            )));
        }
    }
    let words = servers.iter().flat_map(|one| {
        let values = one.env.iter().chain(&one.headers).flat_map(|(name, value)| [name, value]);
        one.command.iter().chain([&one.folder]).chain(values)
    });
    let words = words.chain(providers.iter().map(|one| &one.endpoint)).chain(servers.iter().map(|one| &one.url));
    for text in words.chain([&settings.chat_model]).chain(settings.chat_tools.keys()) {
        if text.chars().count() > CHARACTERS || text.chars().any(char::is_control) {
            return Err(invalid(format!(
                "texts of the built-in agent's settings are one line of at most {CHARACTERS} characters"
            )));
        }
    }
    if settings.chat_tools.len() > POLICIES {
        return Err(invalid(format!("\"chatTools\" takes at most {POLICIES} tools")));
    }
    if !settings.chat_model.is_empty() && !settings.chat_model.contains(':') {
        return Err(invalid("\"chatModel\" is written provider:model, such as ollama:llama3.2, or empty"));
    }
    if !(1..=1_000).contains(&settings.chat_steps) {
        return Err(invalid("\"chatSteps\" must be 1 to 1000"));
    }
    if !(10..=86_400).contains(&settings.chat_approval_seconds) {
        return Err(invalid("\"chatApprovalSeconds\" must be 10 to 86400"));
    }
    Ok(())
}

fn is_name(name: &str) -> bool {
    name.len() <= 32
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.chars().all(|one| one.is_ascii_alphanumeric() || one == '-')
}
