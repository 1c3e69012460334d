//! The machine that a gateway runs on: the agents there, and their transcripts.

use super::AskKind;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use texts::{Text, TextRef};
use ts_rs::TS;

/// Asks for the agents on this computer, and how each is connected.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentsList {
    /// Leaves out `agents`: nothing on the computer is looked at, so the answer comes at once.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub known_only: bool,
}

/// The agents on this computer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
pub struct AgentOverview {
    /// Every agent that can be connected, installed or not; empty with `knownOnly`.
    pub agents: Vec<AgentSetup>,
    /// The program and arguments of our tool server, for an agent that is not known; empty with `knownOnly`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub server: Vec<String>,
    /// Every agent that is known, also those that cannot be connected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<KnownAgent>>", optional)]
    pub known: Vec<KnownAgent>,
    /// The import that runs, or the last one since the gateway started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub import: Option<ImportProgress>,
}

/// The facts about an agent that hold on every machine.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KnownAgent {
    /// Its name in requests: `codex`.
    pub agent: String,
    /// Its name for people: `Codex`.
    pub title: String,
    /// Other names under which its sessions may be stored: `claude-code`.
    pub aliases: Vec<String>,
    /// True if it can be connected.
    pub connectable: bool,
    /// True if edits can reach it by hooks.
    pub hooks: bool,
    /// True if its old transcripts can be imported.
    pub transcripts: bool,
    /// True if the command that resumes a run is known.
    pub resumable: bool,
    /// True if it can be started with a task.
    #[serde(default)]
    pub starts: bool,
    /// True if a run of its can be resumed with a prompt.
    #[serde(default)]
    pub continues: bool,
}

/// The state of an agent's program in our tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Proof {
    /// This version or a newer one; or the version is not known.
    #[default]
    Seen,
    /// An older version than this one.
    Newer,
    /// Nothing: what is known of it is from its documentation.
    Untried,
}

/// State of our entry in an agent's configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Registered {
    /// There is no entry.
    Absent,
    /// The entry is as it has to be.
    Ours,
    /// The entry is from another version or folder; connecting updates it.
    Outdated,
    /// The entry is switched off; connecting switches it on.
    Disabled,
    /// Another server has our name.
    Other,
    /// The configuration cannot be read.
    Unreadable,
}

/// State of an agent's built-in list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OwnSwitch {
    /// On.
    On,
    /// Off.
    Off,
    /// The agent decides by its model, or it cannot be told.
    Unknown,
    /// The agent has no switch for it.
    None,
}

/// An agent on this computer, and its connection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentSetup {
    /// Name in requests: `codex`.
    pub agent: String,
    /// Name for people: `Codex`.
    pub title: String,
    /// Path of its program; absent where it was not found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub program: Option<String>,
    /// Version that the program says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub version: Option<String>,
    /// The state of this version in our tests.
    pub proof: Proof,
    /// The version that our tests have seen; absent where the program itself was never tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub proven: Option<String>,
    /// Our tool server in its configuration.
    pub server: Registered,
    /// Problem with that entry, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub server_problem: Option<String>,
    /// The same in the catalogue, where it is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub server_problem_text: Option<TextRef>,
    /// Our hooks in its configuration; absent where the agent has no hooks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub hooks: Option<Registered>,
    /// Problem with the hooks, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub hooks_problem: Option<String>,
    /// The same in the catalogue, where it is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub hooks_problem_text: Option<TextRef>,
    /// The time at which its hooks can answer its permission prompts; absent where they cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub asks: Option<AskKind>,
    /// Seconds for which it waits for an answer that is given here; absent where it is not connected so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub answers: Option<u32>,
    /// Its built-in list.
    pub own_list: OwnSwitch,
    /// Last time it wrote a list here (RFC 3339, UTC); absent where it never did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "string", optional)]
    pub last_list: Option<Timestamp>,
    /// Last time it wrote its built-in list (RFC 3339, UTC).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "string", optional)]
    pub last_own_list: Option<Timestamp>,
    /// The file that gets the line about Sightline: `AGENTS.md`.
    pub instructions: String,
}

/// Changes of an agent's configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum AgentChange {
    /// Registers our tool server and our hooks.
    #[default]
    Connect,
    /// Removes both.
    Disconnect,
    /// Switches the built-in list on.
    OwnListOn,
    /// Switches it off again, where Sightline switched it on.
    OwnListOff,
    /// Adds a line to the project's instructions that makes the agent keep its list here.
    Instruct,
    /// Removes that line.
    Uninstruct,
}

/// Previews a change of an agent's configuration; nothing is changed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentsPlan {
    /// Name of the agent.
    pub agent: String,
    /// The change.
    pub change: AgentChange,
    /// Absolute path of a project, whose configuration is changed instead of the user's. Needed for instructions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub folder: Option<String>,
    /// Connects without hooks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub no_hooks: bool,
    /// Replaces another server of our name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub replace: bool,
    /// Has permission prompts answered here, too: seconds for which the agent waits, at most 3,600. An agent that is asked at
    /// every call waits for nobody, whatever it says. As it is when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub answers: Option<u32>,
    /// Has the agent ask by itself again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub no_answers: bool,
}

/// Preview of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentsPlanned {
    /// Id of the plan, for [`AgentsApply`]. The plan is kept until the next one for the same agent, or until the
    /// gateway ends.
    pub plan_id: String,
    /// Unified diff of the files, and commands as `$ command`; empty where nothing has to change.
    pub diff: String,
    /// Further things for the user to know or to do, each a sentence without a full stop.
    pub notes: Vec<String>,
    /// The same in the catalogue, one for each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<TextRef>>", optional)]
    pub note_texts: Vec<TextRef>,
}

/// Carries a plan out. Refused when a file has changed since the plan was made.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentsApply {
    /// Id of the plan.
    pub plan_id: String,
}

/// The outcome of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentsApplied {
    /// Files that were written or removed.
    pub written: Vec<String>,
    /// Copies of the files as they were.
    pub backups: Vec<String>,
    /// Further things for the user to know or to do, each a sentence without a full stop.
    pub notes: Vec<String>,
    /// The same in the catalogue, one for each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<TextRef>>", optional)]
    pub note_texts: Vec<TextRef>,
}

/// Notes in the log that a command has changed an agent's configuration, which it does without the gateway.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentsWritten {
    /// Files that were written or removed.
    pub written: Vec<String>,
}

/// Tests an agent's connection: our server is started as the agent starts it, and a first list has to arrive. Each step
/// is told as it is taken (`agents.step`).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentsTest {
    /// Name of the agent.
    pub agent: String,
    /// Lets the agent itself make a call as well, for which it asks its model.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub real: bool,
}

/// Ends the tests of an agent's connection that are under way, and the agent itself where it was started for one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentsTestCancel {
    /// Name of the agent.
    pub agent: String,
}

/// Starts a demo beside this gateway: recorded sessions in a throw-away data folder, which ends with its window or page.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DemoStart {}

/// A demo that was started.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DemoStarted {
    /// The address of its page, with a code that opens it once; left out where it has a window of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub page: Option<String>,
}

/// Opens something of this gateway's on its computer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GatewayOpen {
    /// The thing to open.
    pub what: GatewayThing,
}

/// Something of a gateway's that can be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum GatewayThing {
    /// Its data folder, in the file manager.
    DataFolder,
    /// Its page, in the browser, which is paired by that.
    Page,
}

/// The outcome of a test.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentsTested {
    /// Name of the agent.
    pub agent: String,
    /// Every step succeeded.
    pub ok: bool,
    /// It was ended before it was over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub cancelled: bool,
    /// The steps, in order.
    pub steps: Vec<TestStep>,
    /// Advice on the step that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub mend: Option<String>,
    /// The same in the catalogue, for clients that show it to people in their own language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub mend_text: Option<TextRef>,
}

/// A step of a test.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct TestStep {
    /// The step succeeded.
    pub ok: bool,
    /// The step in words.
    pub what: String,
    /// The same in the catalogue, for clients that show it to people in their own language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub text: Option<TextRef>,
}

/// Begins to import the lists in agents' transcripts into the history, in the background.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct ImportStart {
    /// Names of agents whose [`KnownAgent`] has `transcripts`; all when empty.
    #[serde(default)]
    pub agents: Vec<String>,
}

/// Ends the import; what was imported stays.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct ImportCancel {}

/// Progress of an import, told as `import.progress` as well.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportProgress {
    /// The agent whose transcripts are being read; absent before the first and after the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub agent: Option<String>,
    /// Transcripts read.
    pub read: u32,
    /// Transcripts found.
    pub total: u32,
    /// Runs with a list among those read.
    pub runs: u32,
    /// Lists that were new.
    pub lists: u32,
    /// Transcripts that could not be read, each with the reason; at most 20.
    pub unreadable: Vec<String>,
    /// The same in the catalogue, for clients that show them to people in their own language; empty where one has no name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<TextRef>>", optional)]
    pub unreadable_texts: Vec<TextRef>,
    /// The import is over.
    pub done: bool,
    /// It was ended before all transcripts were read.
    pub cancelled: bool,
}

impl ImportProgress {
    /// Notes a transcript that could not be read.
    pub fn leave_out(&mut self, text: Text) {
        let has_names = self.unreadable_texts.len() == self.unreadable.len();
        match text.named.filter(|_| has_names) {
            Some(named) => self.unreadable_texts.push(named),
            None => self.unreadable_texts.clear(),
        }
        self.unreadable.push(text.english);
    }
}

/// Opens the folder of a session, or a file in it, on the gateway's computer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionOpen {
    /// The session.
    pub session_id: String,
    /// The program to open it with.
    pub with: OpenWith,
    /// Path of a file in the folder, for `editor` and `diff`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub file: Option<String>,
}

/// Programs that open a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum OpenWith {
    /// The system's file manager.
    Folder,
    /// A terminal: `terminal` of the settings, else the system's.
    Terminal,
    /// An editor: `editor` of the settings, else one that is found.
    Editor,
    /// A terminal with what git says that has changed in a file.
    Diff,
}

/// Brings the window, tab or pane to the front in which a session's agent runs, on the gateway's computer.
///
/// Errors: `UNAVAILABLE` with the reason where it is not known or cannot be raised.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionRaise {
    /// The session.
    pub session_id: String,
}

/// The window, tab or pane that was brought to the front.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Raised {
    /// Its name in words: `tmux pane %2, X11 window 0x1200007`.
    pub raised: String,
    /// The same in the catalogue, for clients that show it to people in their own language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub raised_text: Option<TextRef>,
    /// A part of the way to it that could not be raised, with the reason: tmux's window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub note: Option<String>,
    /// The same in the catalogue, for clients that show it to people in their own language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub note_text: Option<TextRef>,
}

/// Asks for the command that resumes a session's run in a terminal.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionResume {
    /// The session.
    pub session_id: String,
}

/// A command that resumes a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResumeCommand {
    /// The command, ready to paste into a terminal: `cd /home/ann/api && codex resume 0199…`.
    pub command: String,
}
