//! The terms in which an agent describes its configuration. `setup` reads and edits the files.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;
use std::path::PathBuf;

/// The user or project that a configuration is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// The user's, for all projects.
    User,
    /// That of the project in this folder. Nothing secret is ever written there.
    Project(PathBuf),
}

/// An agent's configuration files of one scope. Some agents keep everything in one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ConfigurationFiles {
    /// Files that can hold the MCP servers. The first that has ours is taken, else the first that exists, else the first.
    pub servers: Vec<PathBuf>,
    /// The file with the hooks.
    pub hooks: Option<PathBuf>,
    /// The file with the switch of the built-in list.
    pub built_in_switch: Option<PathBuf>,
    /// The folder that is the agent's own, made by whoever comes first. One that a variable names is the user's.
    pub own_folder: Option<PathBuf>,
    /// The agent's command that edits the servers, where the agent rewrites that file while it runs.
    pub command: Option<ManagementCommand>,
}

/// A command of the agent's program that changes its MCP servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ManagementCommand {
    /// The arguments that add a server; its name and its entry as JSON follow.
    pub add: &'static [&'static str],
    /// The arguments that remove a server; its name follows.
    pub remove: &'static [&'static str],
    /// The variable that moves the configuration, which the command has to be given.
    pub folder_variable: &'static str,
}

/// The language of a configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// JSON, comments allowed.
    Json,
    Toml,
    /// YAML, for lists of servers.
    Yaml,
}

/// The form in which an agent's configuration has our server.
#[derive(Debug, Clone, Copy)]
pub enum ServerForm {
    /// An entry among those of others.
    Entry(EntryForm),
    /// A file of ours with this text, such as an extension that speaks to our server.
    File(fn(&OurCommand<'_>) -> String),
    /// No server of ours, but our proxy before the command of each agent that an editor starts over ACP.
    Agents(EditorAgents),
}

/// The form in which an editor's JSON lists the agents that it starts: `NAME = {command, args, env}` in an object.
#[derive(Debug, Clone, Copy)]
pub struct EditorAgents {
    /// The name of the object.
    pub agents: &'static str,
    /// The member and its value in an entry with a command, where there are others.
    pub kind: Option<(&'static str, &'static str)>,
}

impl ServerForm {
    /// `mcpServers.NAME = {command, args}` in JSON.
    pub const MCP_SERVERS: Self = Self::Entry(EntryForm::MCP_SERVERS);
}

/// The form in which an agent's configuration lists MCP servers.
#[derive(Debug, Clone, Copy)]
pub struct EntryForm {
    /// The language of the file.
    pub syntax: Syntax,
    /// The name of the object, table or list that holds the servers.
    pub servers: &'static str,
    /// True if the servers are a list of entries with a `name`, and not an object or table by name.
    pub is_list: bool,
    /// The member of an entry and its value that keep the server from starting. `None` where the agent reads no such word.
    pub off: Option<(&'static str, bool)>,
    /// True if the file means nothing without the user's own part, so that it is not made for a user who has none.
    pub needs_file: bool,
    /// The entry of a server that runs this program with these arguments.
    pub entry: fn(program: &str, arguments: Vec<String>) -> Entry,
}

impl EntryForm {
    /// `mcpServers.NAME = {command, args}` in JSON.
    pub const MCP_SERVERS: Self = Self {
        syntax: Syntax::Json,
        servers: "mcpServers",
        is_list: false,
        off: None,
        needs_file: false,
        entry: Entry::program,
    };
}

/// Our program as an agent is to run it.
#[derive(Debug, Clone, Copy)]
pub struct OurCommand<'a> {
    /// The agent that runs it.
    pub agent: &'static str,
    /// The absolute path of the program.
    pub program: &'a str,
    /// The data folder.
    pub data_dir: &'a str,
    /// The command of a hook as a line for the shell.
    pub hook_line: &'a str,
    /// The seconds for which the agent waits for the user's answer here, where the user wants that.
    pub answers: Option<u32>,
}

/// The option of a hook that waits for an answer.
pub const ANSWERS: &str = "--answers";

impl<'a> OurCommand<'a> {
    /// The program of a hook and its arguments.
    #[must_use]
    pub const fn hook_words(&self) -> [&'a str; 5] {
        [self.program, "hook", self.agent, "--data-dir", self.data_dir]
    }

    /// The program of a hook at the event at which the agent asks for a permission, and its arguments.
    #[must_use]
    pub fn asking_words(&self) -> Vec<String> {
        let answers = self.answers.map(|seconds| [ANSWERS.to_owned(), seconds.to_string()]);
        self.hook_words().into_iter().map(str::to_owned).chain(answers.into_iter().flatten()).collect()
    }

    /// The same as a line for the shell.
    #[must_use]
    pub fn asking_line(&self) -> String {
        let answers = self.answers.map(|seconds| format!(" {ANSWERS} {seconds}"));
        format!("{}{}", self.hook_line, answers.unwrap_or_default())
    }

    /// The arguments with which the program is our MCP server.
    #[must_use]
    pub fn server_arguments(&self) -> Vec<String> {
        ["mcp", "--agent", self.agent, "--data-dir", self.data_dir].map(str::to_owned).to_vec()
    }
}

/// The shell to which an agent hands a hook's line on Windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowsShell {
    /// `cmd`, as Node's `shell: true` has it.
    Cmd,
    PowerShell,
    /// Git Bash where the agent finds one, else PowerShell. Which of them it is may change after it was connected.
    BashOrPowerShell,
    /// That which the hook names, and another one than PowerShell where it names none.
    Named,
}

/// A file that is ours as a whole, such as an extension, or a hook that is a program.
#[derive(Debug, Clone)]
pub struct OwnFile {
    /// Its path.
    pub path: PathBuf,
    /// True if the agent runs the file itself.
    pub is_program: bool,
    /// Its text, with `hook AGENT` or `connect AGENT` in it, by which it is known as ours at another version.
    pub text: fn(&OurCommand<'_>) -> String,
}

/// The members of a server's entry, in the order in which they are written.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry(pub Vec<(&'static str, Value)>);

impl Entry {
    /// An entry with `command` and `args`.
    #[must_use]
    pub fn program(program: &str, arguments: Vec<String>) -> Self {
        Self(vec![("command", program.into()), ("args", arguments.into())])
    }
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// The form in which an agent's configuration has hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HooksForm {
    /// JSON: `hooks.EVENT = [{matcher, hooks: [{type, command, timeout}]}]`.
    Groups,
    /// TOML: `[[hooks]]`, a table for each hook.
    Tables(HookTables),
    /// Files of ours ([`crate::Agent::own_files`]).
    Files,
}

/// The members of a `[[hooks]]` table, beside `command` and `timeout`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HookTables {
    /// The member with the event's name.
    pub event: &'static str,
    /// The member with the pattern of tools.
    pub matcher: &'static str,
    /// True if each hook needs a name that no other has.
    pub named: bool,
}

/// The hooks of an agent.
#[derive(Debug, Clone, Copy)]
pub struct Hooks {
    /// The form in which they are configured.
    pub form: HooksForm,
    /// The events that we hear.
    pub events: &'static [HookEvent],
    /// The time limit of a hook in the agent's own unit, unless its event has one.
    pub timeout: u32,
    /// True if the agent shows a hook's name.
    pub named: bool,
    /// The shell that runs a hook on Windows.
    pub windows_shell: WindowsShell,
    /// A switch in the same file that turns all hooks off, and its value then.
    pub off: Option<(&'static [&'static str], bool)>,
}

/// An event with a hook of ours.
#[derive(Debug, Clone, Copy)]
pub struct HookEvent {
    /// The agent's name for the event.
    pub name: &'static str,
    /// A pattern of tools; some agents want one for tool events.
    pub matcher: Option<&'static str>,
    /// The effect of an answer.
    pub answer: HookAnswer,
    /// Its own time limit, in the agent's unit.
    pub timeout: Option<u32>,
}

/// The effect of a hook's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookAnswer {
    /// None: the event is heard.
    Nothing,
    /// Added context reaches the model.
    Context,
    /// The turn does not end, and the model goes on with the answer's reason.
    GoesOn,
}

impl HookEvent {
    /// An event that is heard and not answered.
    #[must_use]
    pub const fn heard(name: &'static str) -> Self {
        Self { name, matcher: None, answer: HookAnswer::Nothing, timeout: None }
    }

    /// An event with which added context reaches the model.
    #[must_use]
    pub const fn answered(name: &'static str) -> Self {
        Self { answer: HookAnswer::Context, ..Self::heard(name) }
    }

    /// The end of a turn, which an answer can put off.
    #[must_use]
    pub const fn goes_on(name: &'static str) -> Self {
        Self { answer: HookAnswer::GoesOn, ..Self::heard(name) }
    }

    /// The event for tools of this pattern.
    #[must_use]
    pub const fn of(self, matcher: &'static str) -> Self {
        Self { matcher: Some(matcher), ..self }
    }
}

/// The setting that turns an agent's built-in list on.
#[derive(Debug, Clone, PartialEq)]
pub struct BuiltInSwitch {
    /// The language of its file.
    pub syntax: Syntax,
    /// The names that lead to it. In TOML they are three: a table in a table, and a key.
    pub path: &'static [&'static str],
    /// The value that turns it on.
    pub on: Value,
    /// True if the list is off without it. Otherwise the agent decides by its version and model.
    pub off_by_default: bool,
}

/// A setting outside of our entries that can keep our server or our hooks from running.
#[derive(Debug, Clone, Copy)]
pub struct DisablingSwitch {
    /// The part that is turned off.
    pub disables: Disables,
    /// The names that lead to the setting in its JSON file.
    pub path: &'static [&'static str],
    /// The meaning of its value.
    pub kind: DisablingSwitchKind,
}

/// The part of ours that a switch turns off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disables {
    /// The MCP server.
    Server,
    Hooks,
}

/// The meaning of a disabling switch's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DisablingSwitchKind {
    /// A list of names that are left out.
    Excluded(NameMatch),
    /// A list of the only names that are let in, where the list exists.
    Allowed(NameMatch),
    /// `false` turns it off.
    Enabled,
    /// `true` turns it off.
    Disabled,
}

/// The way in which an agent compares a name in a list with a server's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameMatch {
    /// To the letter.
    Exact,
    /// Without regard to case and to space around it.
    AnyCase,
    /// As a pattern with `*` (any characters) and `?` (any one).
    Pattern,
}
