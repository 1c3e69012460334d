//! What concerns the machine that a gateway runs on: the agents there, and their transcripts.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Asks which agents there are and how each is connected.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
pub struct AgentsList {}

/// The answer to [`AgentsList`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AgentsThere {
    /// Every agent that can be connected, installed or not.
    pub agents: Vec<AgentSetup>,
    /// The import that runs, or the last one since the gateway started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub import: Option<ImportProgress>,
}

/// How something of ours stands in an agent's configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum Registered {
    /// It is not there.
    Absent,
    /// As it has to be.
    Ours,
    /// Ours, from another version or folder; connecting mends it.
    Outdated,
    /// Ours, and switched off there; connecting mends it.
    Disabled,
    /// Something of somebody else's has our name.
    Other,
    /// The configuration cannot be read.
    Unreadable,
}

/// Whether an agent's own todo list is switched on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum OwnSwitch {
    /// On.
    On,
    /// Off.
    Off,
    /// The agent decides by its model, or it cannot be told.
    Unknown,
    /// There is no switch.
    None,
}

/// One agent on this machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AgentSetup {
    /// Its name in requests: `codex`.
    pub agent: String,
    /// Its name for people: `Codex`.
    pub title: String,
    /// Its program; none where it was not found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub program: Option<String>,
    /// The version that it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub version: Option<String>,
    /// Our tool server in its configuration.
    pub server: Registered,
    /// What of it is otherwise, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub server_problem: Option<String>,
    /// Our hooks; none where the agent has no hooks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub hooks: Option<Registered>,
    /// What of them is otherwise, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub hooks_problem: Option<String>,
    /// Its own todo list.
    pub own_list: OwnSwitch,
    /// When it last wrote a list of ours (RFC 3339, UTC); none where it never called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "string", optional)]
    pub last_list: Option<Timestamp>,
    /// When it last wrote its own (RFC 3339, UTC).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "string", optional)]
    pub last_own_list: Option<Timestamp>,
    /// The file that the line about us goes into: `AGENTS.md`.
    pub instructions: String,
}

/// What to do to an agent's configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum AgentChange {
    /// Register our tool server and our hooks.
    #[default]
    Connect,
    /// Take them away.
    Disconnect,
    /// Switch the agent's own todo list on.
    OwnListOn,
    /// Switch it off again, where we switched it on.
    OwnListOff,
    /// Add the line to the project's instructions that makes the agent keep its list here.
    Instruct,
    /// Take it away.
    Uninstruct,
}

/// Asks what would change; nothing is changed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AgentsPlan {
    /// Which agent.
    pub agent: String,
    /// What to do.
    pub change: AgentChange,
    /// The project's folder, absolute: its configuration instead of the user's. Needed for instructions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub folder: Option<String>,
    /// Connect without hooks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub no_hooks: bool,
    /// Take the place of another server of our name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub replace: bool,
}

/// The answer to [`AgentsPlan`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AgentsPlanned {
    /// Names the plan, for [`AgentsApply`]. It is kept until the next plan for the same agent, or the gateway's end.
    pub plan_id: String,
    /// A unified diff of the files, and commands as `$ command`; empty where nothing has to change.
    pub diff: String,
    /// What the user has to know or to do besides, each a sentence without a full stop.
    pub notes: Vec<String>,
}

/// Carries a plan out, unless a file has changed since it was made.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AgentsApply {
    /// Which plan.
    pub plan_id: String,
}

/// The answer to [`AgentsApply`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AgentsApplied {
    /// The files that were written or removed.
    pub written: Vec<String>,
    /// Where they are kept as they were.
    pub backups: Vec<String>,
    /// See [`AgentsPlanned::notes`].
    pub notes: Vec<String>,
}

/// Tests an agent's connection: our server is started as the agent starts it, and a first list has to arrive.
/// The steps are told as they are taken (`agents.step`).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AgentsTest {
    /// Which agent.
    pub agent: String,
    /// Also let the agent itself make one call; it asks its model for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub real: bool,
}

/// The answer to [`AgentsTest`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AgentsTested {
    /// Which agent.
    pub agent: String,
    /// Every step went well.
    pub ok: bool,
    /// The steps that were taken, in order.
    pub steps: Vec<TestStep>,
    /// What to do about the one that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub mend: Option<String>,
}

/// One step of a test.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
pub struct TestStep {
    /// It went well.
    pub ok: bool,
    /// What was done, in words.
    pub what: String,
}

/// Begins to take the lists in agents' transcripts into the history, in the background.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
pub struct ImportStart {
    /// Whose: `claude`, `codex`, `gemini`, `opencode`, `qwen`, `llxprt`; all when empty.
    #[serde(default)]
    pub agents: Vec<String>,
}

/// Ends the import; what was taken in stays.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
pub struct ImportCancel {}

/// How far an import is. Told as `import.progress`, too.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ImportProgress {
    /// Whose transcripts are read just now; none before the first and after the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub agent: Option<String>,
    /// Transcripts that were read.
    pub read: u32,
    /// Transcripts there are.
    pub total: u32,
    /// Runs with a list among them.
    pub runs: u32,
    /// Lists that were new.
    pub lists: u32,
    /// Transcripts that could not be read, each with why, at most 20.
    pub unreadable: Vec<String>,
    /// It is over.
    pub done: bool,
    /// It was ended before it was through.
    pub cancelled: bool,
}

/// Opens the folder of a session on the gateway's machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionOpen {
    /// Which session.
    pub session_id: String,
    /// With what.
    pub with: OpenWith,
}

/// What opens a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum OpenWith {
    /// The system's file manager.
    Folder,
    /// A terminal: `Settings::terminal`, else the system's.
    Terminal,
    /// An editor: `Settings::editor`, else one that is found.
    Editor,
}

/// Asks for the command that goes on with a session's run in a terminal.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionResume {
    /// Which session.
    pub session_id: String,
}

/// The answer to [`SessionResume`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ResumeCommand {
    /// Ready to paste into a terminal: `cd /home/ann/api && codex resume 0199…`.
    pub command: String,
}
