//! Permissions that agents ask for, the user's answers, and the rules that answer for the user.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The most bytes of a call's arguments that are shown here. An agent with a longer one asks by itself.
pub const PERMISSION_INPUT_BYTES: usize = 256 * 1024;

/// The longest time that an agent waits for an answer, in seconds.
pub const PERMISSION_SECONDS: u32 = 3_600;

/// The time at which an agent's hook can answer for the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum AskKind {
    /// While the agent's own prompt is shown: the first answer counts.
    Beside,
    /// Before the agent's own prompt, which is shown when nobody has answered in time.
    Before,
    /// Before every call, allowed or not: only the user's rules decide, and nobody waits.
    EveryCall,
}

/// An agent asks whether it may call a tool. The answer comes when the user or a rule has decided, when the time is up or
/// when the agent's own prompt was answered.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PermissionAsk {
    /// The tool, as the agent calls it: 1 to 200 characters.
    pub tool: String,
    /// The arguments of the call as JSON text, to the letter as the agent wrote it: at most 256 KiB.
    pub input: String,
    /// Seconds for which the agent waits, at most 3,600. With 0 only the user's rules decide.
    #[serde(default)]
    pub wait_seconds: u32,
    /// The agent shows no prompt of its own until this one is over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub alone: bool,
    /// The choices that the agent gives the user, where the call is a question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<Question>>", optional)]
    pub questions: Vec<Question>,
}

/// A question of an agent to its user.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// The question: at most 2,000 characters.
    pub text: String,
    /// A few words for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub header: Option<String>,
    /// The answers to choose from, at most 20.
    pub options: Vec<QuestionOption>,
    /// Several may be chosen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub multiple: bool,
}

/// An answer that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuestionOption {
    /// The answer.
    pub label: String,
    /// Its meaning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub description: Option<String>,
}

/// The answer to [`PermissionAsk`]. Without a decision the agent asks by itself.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PermissionDecided {
    /// True to allow the call, false to deny it; absent where nobody decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub allowed: Option<bool>,
    /// The user's words to the model, where the call is denied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub message: Option<String>,
    /// The chosen answers, for each question its own, where questions were asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<Vec<String>>>", optional)]
    pub answers: Vec<Vec<String>>,
}

/// Answers an agent that asks for a permission.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PermissionAnswer {
    /// Id of the session.
    pub session_id: String,
    /// Id of the permission.
    pub permission_id: String,
    /// True to allow the call, false to deny it.
    pub allow: bool,
    /// Words to the model, where the call is denied: at most 2,000 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub message: Option<String>,
    /// The chosen answers, for each question its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<Vec<String>>>", optional)]
    pub answers: Vec<Vec<String>>,
    /// A rule that is made with it, and answers such calls from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub rule: Option<RuleNew>,
}

/// Lists permissions: those that wait for an answer, the longest first; or with a session all of it, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PermissionList {
    /// Id of a session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session_id: Option<String>,
    /// Permissions at most: 1 to 200; 50 when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub limit: Option<u32>,
}

/// Permissions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct Permissions {
    /// The permissions.
    pub permissions: Vec<Permission>,
}

/// The state of a permission that an agent asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum PermissionState {
    /// Nobody has answered.
    Open,
    /// The user or a rule has allowed it.
    Allowed,
    /// The user or a rule has denied it.
    Denied,
    /// It was answered in the agent's own prompt, or the agent has gone on.
    Elsewhere,
    /// Nobody answered in time, or the agent or Sightline ended meanwhile.
    Expired,
}

/// A permission that an agent asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Permission {
    /// Its id.
    pub permission_id: String,
    /// Id of the session.
    pub session_id: String,
    /// Its state.
    pub state: PermissionState,
    /// The tool, as the agent calls it.
    pub tool: String,
    /// The arguments of the call as JSON text, to the letter as the agent wrote it.
    pub input: String,
    /// The command, where the call runs one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub command: Option<String>,
    /// The narrowest rule for such calls.
    pub narrowest: RuleCalls,
    /// Path of the folder that the agent works in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub folder: Option<String>,
    /// The questions, where the call asks the user something.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<Question>>", optional)]
    pub questions: Vec<Question>,
    /// The agent shows no prompt of its own until this one is over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub alone: bool,
    /// Time at which the agent asked (RFC 3339, UTC).
    #[ts(type = "string")]
    pub asked_at: Timestamp,
    /// Time after which the agent asks by itself (RFC 3339, UTC).
    #[ts(type = "string")]
    pub expires_at: Timestamp,
    /// Time at which it was settled (RFC 3339, UTC).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "string", optional)]
    pub settled_at: Option<Timestamp>,
    /// Id of the rule that has answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub rule_id: Option<String>,
    /// The user's words to the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub message: Option<String>,
}

/// The calls that a rule is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum RuleCalls {
    /// Every call of the tool.
    Tool,
    /// Calls with these very arguments.
    Input {
        /// The arguments as JSON text, or the command alone where it is not a plain one.
        input: String,
    },
    /// One simple command that begins with these words: no pipe, no second command, no redirection, no substitution.
    Command {
        /// The words, as a shell would split them: at least one.
        words: Vec<String>,
    },
}

/// Makes a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleNew {
    /// True to allow such calls, false to deny them.
    pub allow: bool,
    /// The agent whose calls it is for; any agent's when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub agent: Option<String>,
    /// The session that it is for; any when left out. It goes with the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session_id: Option<String>,
    /// The folder that it is for, with all below it; any when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub folder: Option<String>,
    /// The tool, as the agent calls it.
    pub tool: String,
    /// The calls of that tool.
    pub calls: RuleCalls,
}

/// Lists the rules, the newest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct RuleList {}

/// The user's rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct Rules {
    /// The rules, the newest first.
    pub rules: Vec<Rule>,
}

/// A rule that answers for the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rule {
    /// Its id.
    pub rule_id: String,
    /// Its text and effect.
    #[serde(flatten)]
    pub says: RuleNew,
    /// Time at which it was made (RFC 3339, UTC).
    #[ts(type = "string")]
    pub created_at: Timestamp,
    /// Calls that it has decided.
    pub decided: u64,
    /// Time of the last of them (RFC 3339, UTC).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "string", optional)]
    pub decided_at: Option<Timestamp>,
}

/// Changes a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleEdit {
    /// Id of the rule.
    pub rule_id: String,
    /// Its text and effect from now on.
    #[serde(flatten)]
    pub says: RuleNew,
}

/// Deletes a rule.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleDelete {
    /// Id of the rule.
    pub rule_id: String,
}
