//! The trait of an agent, with what most agents have in common as its defaults.

use crate::asking::{self, AskedCall, AskingHook};
use crate::configuration::{
    BuiltInSwitch, ConfigurationFiles, DisablingSwitch, HookAnswer, HookEvent, Hooks, OwnFile, Scope, ServerForm,
};
use crate::hooks::{HookKind, HookPayload};
use crate::lists::{ListTool, ListWritten, whole_list};
use crate::transcript::Transcript;
use crate::{Environment, SERVER, TOOLS};
use protocol::{PermissionDecided, Question, Text};
use serde_json::{Map, Value, json};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

/// The facts about an agent that are plain data.
#[derive(Debug, Clone, Copy)]
pub struct Facts {
    /// The name in requests, sessions and commands: `codex`.
    pub name: &'static str,
    /// The name for people: `Codex`.
    pub title: &'static str,
    /// Other names under which its sessions are stored.
    pub aliases: &'static [&'static str],
    /// The beginnings of the names that its MCP client gives in the handshake.
    pub mcp_clients: &'static [&'static str],
    /// The version of its program that the tests have seen. `None` where the program itself was never tried, so that
    /// everything here is from its documentation.
    pub proven: Option<&'static str>,
    /// The program's name on the search path.
    pub program: &'static str,
    /// The arguments before a session's id that make the program resume it, where they are known.
    pub resume: Option<&'static [&'static str]>,
    /// The arguments before a prompt that make the program begin with it and stay, also where a run is resumed; none of them
    /// where the prompt stands by itself. `None` where it is not known.
    pub prompt: Option<&'static [&'static str]>,
    /// The variable in which the programs that it starts find its session's id.
    pub session_variable: Option<SessionVariable>,
    /// The program at the other end of its MCP calls over HTTP, where it opens an MCP session for each call and a process
    /// of that name serves one run: the process then stands for the run.
    pub run_process: Option<&'static str>,
    /// True if that process works in the folder of its run, wherever it was started.
    pub run_process_has_folder: bool,
    /// The variable in which the programs that it starts find its version.
    pub version_variable: Option<&'static str>,
    /// The only variables passed on to an MCP server, where the agent withholds the others.
    pub server_variables: Option<ServerVariables>,
    /// The file in a project's folder that its model reads first.
    pub instructions: &'static str,
    /// True if its model sees the tools of a server by their own names: `todo_write`.
    pub bare_tools: bool,
    /// The form of our server in its configuration. `None` for an agent that cannot be connected.
    pub server_form: Option<ServerForm>,
    /// Its hooks. `None` for an agent without hooks.
    pub hooks: Option<Hooks>,
    /// The tools that write its built-in list.
    pub list_tools: &'static [ListTool],
    /// True if its transcripts are below their folders, and not only directly in them.
    pub nested_transcripts: bool,
    /// True if its transcripts are read while they grow, and not only on import.
    pub live_transcripts: bool,
}

impl Facts {
    /// The facts of an agent of which only the names are known.
    #[must_use]
    pub const fn new(name: &'static str, title: &'static str) -> Self {
        Self {
            name,
            title,
            aliases: &[],
            mcp_clients: &[],
            proven: None,
            program: name,
            resume: None,
            prompt: None,
            session_variable: None,
            run_process: None,
            run_process_has_folder: false,
            version_variable: None,
            server_variables: None,
            instructions: "AGENTS.md",
            bare_tools: false,
            server_form: None,
            hooks: None,
            list_tools: &[],
            nested_transcripts: true,
            live_transcripts: true,
        }
    }
}

/// The variables that an agent passes on to an MCP server.
#[derive(Debug, Clone, Copy)]
pub struct ServerVariables {
    /// Those on Linux and macOS.
    pub unix: &'static [&'static str],
    /// Those on Windows, where no program that uses sockets starts without `SYSTEMROOT`.
    pub windows: &'static [&'static str],
}

impl ServerVariables {
    /// Those on this system.
    #[must_use]
    pub const fn here(&self) -> &'static [&'static str] {
        if cfg!(windows) { self.windows } else { self.unix }
    }
}

/// A coding agent: its names, and how to find, configure, hear, read, start and resume it.
pub trait Agent: Send + Sync {
    /// The facts that are plain data.
    fn facts(&self) -> &'static Facts;

    /// The version in the output of `PROGRAM --version`.
    fn version_in(&self, output: &str) -> Option<String> {
        let words = output.split_whitespace().map(|word| word.trim_start_matches('v'));
        let mut versions =
            words.filter(|word| word.starts_with(|first: char| first.is_ascii_digit()) && word.contains('.'));
        versions.next().map(|word| word.trim_end_matches([',', ')']).to_owned())
    }

    /// A headless run that may call `todo_write` and nothing else, as far as the agent can be restricted. `None` where
    /// that is not known.
    fn headless_call(&self, _prompt: &str) -> Option<Invocation> {
        None
    }

    /// The session that the `_meta` of an MCP request names.
    fn call_origin(&self, _meta: &Map<String, Value>) -> Option<CallOrigin> {
        None
    }

    /// The agent's own id of a call, in the `_meta` of its MCP request, where its hooks name the call by the same.
    fn call_id(&self, _meta: &Map<String, Value>) -> Option<String> {
        None
    }

    /// The configuration files of a scope.
    fn files(&self, _environment: &Environment, _scope: &Scope) -> ConfigurationFiles {
        ConfigurationFiles::default()
    }

    /// Settings outside of our entries that keep our server or hooks from running, with their files.
    fn disabling_switches(&self, _environment: &Environment, _scope: &Scope) -> Vec<(PathBuf, DisablingSwitch)> {
        Vec::new()
    }

    /// The setting that turns its built-in list on. `None` where there is no such setting.
    fn built_in_switch(&self) -> Option<BuiltInSwitch> {
        None
    }

    /// Sentences, without a full stop, on what the user has to do or to know after connecting.
    fn notes(&self, _hooks: bool, _scope: &Scope) -> Vec<Text> {
        Vec::new()
    }

    /// Limits of its use with us, and their reasons: sentences without a full stop, for the page on agents.
    fn limits(&self) -> &'static [&'static str] {
        &[]
    }

    // Hooks.

    /// Reads the payload of a hook.
    ///
    /// # Errors
    /// [`protocol::Code::InvalidMessage`] where the payload is not JSON, or has no session or event.
    fn read_hook(&self, payload: &[u8]) -> protocol::Result<HookPayload> {
        HookPayload::read(self, payload)
    }

    /// An event with a hook of ours.
    fn hook_event(&self, name: &str) -> Option<&'static HookEvent> {
        self.facts().hooks?.events.iter().find(|known| known.name == name)
    }

    /// The agent's name for a member of a hook's payload that Claude Code calls this.
    fn hook_member(&self, name: &'static str) -> &'static str {
        name
    }

    /// The meaning of a hook's event.
    fn hook_kind(&self, event: &str) -> HookKind {
        HookKind::of(event)
    }

    /// The answer to a hook that tells the model something: context that is added, or the reason why the turn goes on.
    fn hook_answer(&self, event: &str, text: &str) -> Value {
        match self.hook_event(event).map(|known| known.answer) {
            Some(HookAnswer::GoesOn) => self.hook_goes_on(event, text),
            _ => self.hook_context(event, text),
        }
    }

    /// The answer to a hook that adds context for the model. A text is for agents that read no JSON.
    fn hook_context(&self, event: &str, text: &str) -> Value {
        json!({ "hookSpecificOutput": { "hookEventName": event, "additionalContext": text } })
    }

    /// The answer to a hook at the end of a turn that makes the model go on with a reason.
    fn hook_goes_on(&self, _event: &str, reason: &str) -> Value {
        json!({ "decision": "block", "reason": reason })
    }

    /// The event at which a hook can answer for the user. `None` for an agent that only tells that it asks, or not even that.
    fn asking(&self) -> Option<AskingHook> {
        None
    }

    /// The questions in the input of a call that asks the user something; empty for any other call. `None` for questions
    /// that are not understood, which the agent then asks by itself.
    fn questions(&self, _tool: &str, _input: &str) -> Option<Vec<Question>> {
        Some(Vec::new())
    }

    /// The answer of a hook that decides for the user. `None` where nothing was decided, or nothing that the agent can be
    /// told: it then asks by itself.
    fn hook_decision(&self, event: &str, _asked: &AskedCall, decided: &PermissionDecided) -> Option<Value> {
        asking::decision(event, decided, Map::new())
    }

    /// The files of a scope that are ours as a whole and hear the agent's events.
    fn own_files(&self, _environment: &Environment, _scope: &Scope) -> Vec<OwnFile> {
        Vec::new()
    }

    // Lists.

    /// The list that a call of one of its tools has written. `None` for other tools, for calls that failed, and for input
    /// that is not understood. A response that is not known is `null`.
    fn list_written(&self, tool: &str, input: &Value, response: &Value) -> Option<ListWritten> {
        whole_list(self.list_tool(tool)?, input, response)
    }

    /// The tool of this name, where it writes the built-in list.
    fn list_tool(&self, name: &str) -> Option<&'static ListTool> {
        self.facts().list_tools.iter().find(|tool| tool.name == name)
    }

    /// Returns whether a tool, as this agent's model sees it, is one of ours: by its ending and our server's name before
    /// it, since agents join the two in six ways (`mcp__sightline__todo_write`, `sightline-todo_write`, …).
    fn is_our_tool(&self, tool: &str) -> bool {
        let prefix = TOOLS.iter().find_map(|ours| tool.strip_suffix(ours));
        let is_between = |letter: char| "_-./:".contains(letter);
        prefix.is_some_and(|prefix| match prefix.trim_end_matches(is_between) {
            "" => prefix.is_empty() && self.facts().bare_tools,
            server => server.len() < prefix.len() && server.rsplit(is_between).next() == Some(SERVER),
        })
    }

    // Transcripts.

    /// The folders that hold its transcripts, whether or not they exist.
    fn transcript_folders(&self, _environment: &Environment) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Returns whether its transcripts are understood.
    fn has_transcripts(&self) -> bool {
        !self.transcript_folders(&Environment::default()).is_empty()
    }

    /// The transcript that a file belongs to: a file, a folder or a database. `None` for other files, such as locks.
    fn transcript_of(&self, _path: &Path) -> Option<PathBuf> {
        None
    }

    /// A parser for the transcript at a path that [`Agent::transcript_of`] has given.
    fn open_transcript(&self, _path: &Path) -> Option<Transcript> {
        None
    }
}

/// A variable in which an agent tells its session's id to the programs it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionVariable {
    /// The variable's name.
    pub name: &'static str,
    /// True if a running program can outlive the session, so that the id may be an old one.
    pub may_be_old: bool,
}

/// The session that an MCP call comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallOrigin {
    /// The agent's own id of the session, with a subagent's after a slash.
    pub session: String,
    /// The session of the agent that a subagent works for.
    pub parent: Option<String>,
}

/// Arguments, environment and input that start an agent's program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Invocation {
    /// Arguments of the program.
    pub arguments: Vec<String>,
    /// Variables to set.
    pub variables: Vec<(&'static str, &'static str)>,
    /// Text for its standard input, which is closed without one.
    pub input: Option<String>,
    /// Files to write into the folder that it runs in, by their names.
    pub files: Vec<(&'static str, &'static str)>,
}

impl Invocation {
    /// An invocation with these arguments.
    pub(crate) fn new(arguments: &[&str]) -> Self {
        Self { arguments: arguments.iter().map(|&word| word.to_owned()).collect(), ..Self::default() }
    }
}

/// The id of a subagent's session, made of its agent's and its own: the same for hooks, transcripts and calls.
#[must_use]
pub fn subagent_session(session: &str, subagent: &str) -> String {
    format!("{session}/{subagent}")
}

impl dyn Agent + '_ {
    /// The name in requests, sessions and commands: `codex`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.facts().name
    }

    /// The name for people: `Codex`.
    #[must_use]
    pub fn title(&self) -> &'static str {
        self.facts().title
    }

    /// The arguments that start it with a prompt.
    #[must_use]
    pub fn start_with(&self, prompt: &str) -> Option<Vec<String>> {
        let before = self.facts().prompt?.iter().map(|&word| word.to_owned());
        Some(before.chain([as_argument(prompt)]).collect())
    }

    /// The arguments that resume the run of this id with a prompt.
    #[must_use]
    pub fn resume_with(&self, id: &str, prompt: &str) -> Option<Vec<String>> {
        let resume = self.facts().resume?.iter().map(|&word| word.to_owned()).chain([id.to_owned()]);
        Some(resume.chain(self.start_with(prompt)?).collect())
    }
}

/// A prompt as one argument. One that could be read as an option, as the name of a command or as a file gets a space before
/// it, which changes nothing of what it says. Control characters are none of a prompt.
fn as_argument(prompt: &str) -> String {
    let is_control = |letter: char| letter.is_control() && letter != '\n' && letter != '\t';
    let prompt = prompt.replace("\r\n", "\n").replace(is_control, " ");
    let is_word = !prompt.trim().contains(char::is_whitespace);
    if is_word || prompt.starts_with(['-', '@']) { format!(" {prompt}") } else { prompt }
}

// Each agent is one value, known by its name.

impl PartialEq for dyn Agent {
    fn eq(&self, other: &Self) -> bool {
        self.facts().name == other.facts().name
    }
}

impl Eq for dyn Agent {}

impl PartialOrd for dyn Agent {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for dyn Agent {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.facts().name.cmp(other.facts().name)
    }
}

impl Hash for dyn Agent {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.facts().name.hash(state);
    }
}

impl fmt::Debug for dyn Agent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.facts().name)
    }
}

#[cfg(test)]
mod tests {
    use super::as_argument;
    use crate::KNOWN;

    #[test]
    fn a_prompt_is_one_argument_that_is_no_option_command_or_file() {
        for (prompt, argument) in [
            ("Fix it", "Fix it"),
            ("Say \"hello\"; $(rm -rf ~)", "Say \"hello\"; $(rm -rf ~)"),
            ("one\r\ntwo\tthree", "one\ntwo\tthree"),
            ("-p x", " -p x"),
            ("--yolo", " --yolo"),
            ("@secret.txt read it", " @secret.txt read it"),
            ("exec", " exec"),
            ("a \0 b \x1b[31m", "a   b  [31m"),
        ] {
            assert_eq!(as_argument(prompt), argument, "{prompt:?}");
        }
        let gemini = KNOWN.named("gemini").expect("it is known");
        assert_eq!(gemini.start_with("Go on").expect("it can"), ["--prompt-interactive", "Go on"]);
        let codex = KNOWN.named("codex").expect("it is known");
        assert_eq!(codex.resume_with("id-1", "Go on").expect("it can"), ["resume", "id-1", "Go on"]);
        // Its one way to take a prompt ends with the answer.
        assert_eq!(KNOWN.named("kimi").expect("it is known").start_with("Go on"), None);
    }
}
