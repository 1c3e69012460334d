//! opencode 1, read in the package of 1.18.33 and run, and what Kilo Code, which is made of it, has in common with it.

mod database;
mod rows;
mod runs;

use crate::lists::ListTool;
use crate::transcript::{Transcript, ends};
use crate::{
    Agent, AskedCall, AskingHook, ConfigurationFiles, Entry, EntryForm, Environment, Facts, HookEvent, HookKind,
    HookPayload, Hooks, HooksForm, Invocation, OurCommand, OwnFile, Scope, ServerForm, Syntax, WindowsShell, asking,
    lean,
};
use protocol::{AskKind, DoneCall, PermissionDecided, Question, QuestionOption, input_digest};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// opencode, or an agent that is made of it.
pub struct Opencode {
    facts: &'static Facts,
    /// The names of its configuration file.
    names: &'static [&'static str],
    /// The folder of its own in a project.
    project_folder: &'static str,
    /// The variable with the permissions of a run.
    permission: &'static str,
}

pub const OPENCODE: Opencode = Opencode {
    facts: &Facts { proven: Some("1.18.33"), mcp_clients: &["opencode"], ..Opencode::facts_of("opencode", "opencode") },
    names: &["opencode.json", "opencode.jsonc"],
    project_folder: ".opencode",
    permission: "OPENCODE_PERMISSION",
};

impl Opencode {
    /// An agent that is made of opencode.
    pub(crate) const fn fork(
        facts: &'static Facts,
        names: &'static [&'static str],
        project_folder: &'static str,
        permission: &'static str,
    ) -> Self {
        Self { facts, names, project_folder, permission }
    }

    /// The facts that opencode has in common with those made of it.
    pub(crate) const fn facts_of(name: &'static str, title: &'static str) -> Facts {
        Facts {
            resume: Some(&["--session"]),
            prompt: Some(&["--prompt"]),
            server_form: Some(ServerForm::Entry(EntryForm {
                syntax: Syntax::Json,
                servers: "mcp",
                is_list: false,
                off: Some(("enabled", false)),
                needs_file: false,
                entry,
            })),
            hooks: Some(HOOKS),
            list_tools: &LIST_TOOLS,
            // Beside the database are whole copies of projects.
            nested_transcripts: false,
            ..Facts::new(name, title)
        }
    }

    /// Its folder of a scope.
    fn folder(&self, environment: &Environment, scope: &Scope) -> PathBuf {
        match scope {
            Scope::User => environment.folder_or_home(&["XDG_CONFIG_HOME"], ".config").join(self.facts.name),
            Scope::Project(project) => project.join(self.project_folder),
        }
    }
}

const LIST_TOOLS: [ListTool; 1] = [ListTool::new("todowrite")];

/// The events that our plugin reports, in the form that other agents' hooks have.
const HOOKS: Hooks = Hooks {
    form: HooksForm::Files,
    events: &[
        HookEvent::answered("UserPromptSubmit"),
        HookEvent::heard("PreToolUse"),
        HookEvent::answered("PostToolUse"),
        HookEvent::heard("PermissionRequest"),
        HookEvent::heard("Notification"),
        HookEvent::heard("Answered"),
        HookEvent::goes_on("Stop"),
        HookEvent::heard("SessionIdle"),
        HookEvent::heard("StopFailure"),
    ],
    // In the plugin, in milliseconds.
    timeout: 5000,
    named: false,
    windows_shell: WindowsShell::PowerShell,
    off: None,
};

fn entry(program: &str, arguments: Vec<String>) -> Entry {
    let words: Vec<String> = std::iter::once(program.to_owned()).chain(arguments).collect();
    Entry(vec![("type", json!("local")), ("command", words.into()), ("enabled", json!(true))])
}

fn plugin(ours: &OurCommand<'_>) -> String {
    let text = include_str!("plugin.js").replace("[\"@WORDS@\"]", &json!(ours.hook_words()).to_string());
    let seconds = match ours.answers {
        // By the comment it is known how long it waits.
        Some(seconds) => format!("{seconds}; // sightline hook {} --answers {seconds}", ours.agent),
        None => "0;".to_owned(),
    };
    text.replace("0; // @SECONDS@", &seconds).replace("@AGENT@", ours.agent)
}

/// The questions of its tool `question`.
#[derive(Deserialize)]
struct Questions {
    questions: Vec<Asked>,
}

#[derive(Deserialize)]
struct Asked {
    question: String,
    #[serde(default)]
    header: Option<String>,
    options: Vec<QuestionOption>,
    #[serde(default)]
    multiple: bool,
}

impl Agent for Opencode {
    fn facts(&self) -> &'static Facts {
        self.facts
    }

    /// The prompt is its input: one that is an argument would be put in quotes.
    fn headless_call(&self, prompt: &str) -> Option<Invocation> {
        let permission = r#"{"*":"deny","sightline_todo_write":"allow"}"#;
        let variables = vec![(self.permission, permission)];
        Some(Invocation { variables, input: Some(prompt.to_owned()), ..Invocation::new(&["run"]) })
    }

    /// It reads several files of a folder and merges them; its own `mcp add` writes into the first that exists. The
    /// variables that name a file or a folder add to these, so they move nothing.
    fn files(&self, environment: &Environment, scope: &Scope) -> ConfigurationFiles {
        let own = self.folder(environment, scope);
        let folders = match scope {
            Scope::User => vec![own.clone()],
            Scope::Project(project) => vec![project.clone(), own.clone()],
        };
        let below = |folder: &PathBuf| self.names.iter().map(|name| folder.join(name)).collect::<Vec<_>>();
        let servers = folders.iter().flat_map(below).collect();
        ConfigurationFiles { servers, own_folder: Some(own), ..ConfigurationFiles::default() }
    }

    /// Its own prompt is there meanwhile; our plugin hands on what is answered here first.
    fn asking(&self) -> Option<AskingHook> {
        Some(AskingHook::new(HookEvent::heard("PermissionRequest"), AskKind::Beside))
    }

    fn questions(&self, tool: &str, input: &str) -> Option<Vec<Question>> {
        if tool != "question" {
            return Some(Vec::new());
        }
        let asked: Questions = serde_json::from_str(input).ok()?;
        let question =
            |Asked { question, header, options, multiple }| Question { text: question, header, options, multiple };
        Some(asked.questions.into_iter().map(question).collect()).filter(|questions: &Vec<_>| !questions.is_empty())
    }

    /// Its plugin takes the answers to questions beside the decision.
    fn hook_decision(&self, event: &str, asked: &AskedCall, decided: &PermissionDecided) -> Option<Value> {
        let mut more = Map::new();
        if decided.allowed == Some(true) && !asked.questions.is_empty() {
            let is_all = decided.answers.len() == asked.questions.len();
            more.insert("answers".to_owned(), Some(&decided.answers).filter(|_| is_all)?.clone().into_iter().collect());
        }
        asking::decision(event, decided, more)
    }

    /// Once its own prompt was answered, so is ours.
    fn read_hook(&self, payload: &[u8]) -> protocol::Result<HookPayload> {
        let mut heard = HookPayload::read(self, payload)?;
        if heard.event == "Answered" {
            let [tool, input] = lean::members(payload, ["tool_name", "tool_input"]).ok().flatten().unwrap_or_default();
            let tool: Option<String> = tool.and_then(|tool| serde_json::from_str(tool.get()).ok());
            let input = input.map(|input| input_digest(input.get()));
            heard.done = tool.map(|tool| DoneCall { tool, input, ..DoneCall::default() });
        }
        Ok(heard)
    }

    fn own_files(&self, environment: &Environment, scope: &Scope) -> Vec<OwnFile> {
        let path = self.folder(environment, scope).join("plugin").join("sightline.js");
        vec![OwnFile { path, is_program: false, text: plugin }]
    }

    /// `SessionIdle` is the end of a turn after which the process ends at once.
    fn hook_kind(&self, event: &str) -> HookKind {
        match event {
            "SessionIdle" => HookKind::TurnEnd,
            other => HookKind::of(other),
        }
    }

    fn transcript_folders(&self, environment: &Environment) -> Vec<PathBuf> {
        vec![environment.folder_or_home(&["XDG_DATA_HOME"], ".local/share").join(self.facts.name)]
    }

    /// Builds other than the released ones have their channel in the database's name.
    fn transcript_of(&self, path: &Path) -> Option<PathBuf> {
        let name = path.file_name()?.to_str()?;
        let database = name.strip_suffix("-wal").or_else(|| name.strip_suffix("-shm")).unwrap_or(name);
        let is_named = database.starts_with(self.facts.name) || database.starts_with("opencode");
        (is_named && ends(Path::new(database), "db")).then(|| path.with_file_name(database))
    }

    fn open_transcript(&self, _path: &Path) -> Option<Transcript> {
        Some(Transcript::Database(Box::new(database::History::default())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kilo::KILO;
    use crate::{ListWritten, TOOLS};
    use protocol::Happened;
    use rstest::rstest;

    fn ours(agent: &'static str) -> OurCommand<'static> {
        OurCommand {
            agent,
            program: r#"C:\a "b"\sightline.exe"#,
            data_dir: "/home/u/it's data",
            hook_line: "sightline hook",
            answers: None,
        }
    }

    #[rstest]
    #[case("opencode")]
    #[case("kilo")]
    fn the_plugin_runs_our_program(#[case] agent: &'static str) {
        let text = plugin(&ours(agent));
        let words = format!(r#"= ["C:\\a \"b\"\\sightline.exe","hook","{agent}","--data-dir","/home/u/it's data"];"#);
        assert!(text.contains(&words), "{text}");
        assert!(!text.contains('@'), "nothing is left to fill in: {text}");
        let first = text.lines().next().unwrap_or_default();
        assert!(first.contains("Sightline") && first.contains(&format!("connect {agent}")), "it is known as ours");
        for tool in TOOLS {
            assert!(text.contains(tool.trim_start_matches("todo_")), "{tool} is announced");
        }
    }

    #[rstest]
    #[case(&OPENCODE, ".config/opencode/plugin/sightline.js", ".opencode/plugin/sightline.js")]
    #[case(&KILO, ".config/kilo/plugin/sightline.js", ".kilo/plugin/sightline.js")]
    fn the_plugin_is_where_the_agent_looks(#[case] agent: &Opencode, #[case] user: &str, #[case] project: &str) {
        let environment = Environment { home: PathBuf::from("/home/u"), ..Environment::default() };
        let path = |scope| agent.own_files(&environment, &scope).remove(0).path;
        assert_eq!(path(Scope::User), Path::new("/home/u").join(user));
        assert_eq!(path(Scope::Project(PathBuf::from("/p"))), Path::new("/p").join(project));
    }

    #[rstest]
    #[case(&OPENCODE, "opencode.db-wal", Some("opencode.db"))]
    #[case(&OPENCODE, "opencode-dev.db", Some("opencode-dev.db"))]
    #[case(&OPENCODE, "kilo.db", None)]
    #[case(&KILO, "kilo.db", Some("kilo.db"))]
    #[case(&KILO, "opencode-dev.db-shm", Some("opencode-dev.db"))]
    #[case(&KILO, "telemetry-id", None)]
    fn the_database_is_told_from_other_files(#[case] agent: &Opencode, #[case] file: &str, #[case] is: Option<&str>) {
        let folder = Path::new("/d");
        assert_eq!(agent.transcript_of(&folder.join(file)), is.map(|name| folder.join(name)));
    }

    /// Reports as the plugin made them in runs of opencode 1.18.33 and Kilo Code 7.7.9.
    #[rstest]
    #[case(r#""hook_event_name":"UserPromptSubmit","prompt":"Prepare the release.""#, Happened::Prompted, true)]
    #[case(r#""hook_event_name":"PostToolUse","tool_name":"bash""#, Happened::Worked, true)]
    #[case(r#""hook_event_name":"PermissionRequest","tool_name":"bash""#, Happened::Waits, false)]
    #[case(r#""hook_event_name":"Answered""#, Happened::Worked, false)]
    #[case(r#""hook_event_name":"Stop""#, Happened::Rests, true)]
    #[case(r#""hook_event_name":"SessionIdle""#, Happened::Rests, false)]
    #[case(r#""hook_event_name":"StopFailure","error":"bad thing""#, Happened::Failed, false)]
    fn reports_are_read(#[case] members: &str, #[case] happened: Happened, #[case] adds_context: bool) {
        let payload = format!(r#"{{"session_id":"ses_1","cwd":"/p",{members}}}"#);
        let heard = KILO.read_hook(payload.as_bytes()).expect("a payload");
        assert_eq!((heard.happened, heard.adds_context), (happened, adds_context));
        assert_eq!((heard.session.as_str(), heard.folder.as_deref()), ("ses_1", Some("/p")));
    }

    // S16
    #[rstest]
    #[case(&OPENCODE)]
    #[case(&KILO)]
    fn the_plugin_has_the_user_asked_here_where_that_is_wished(#[case] agent: &Opencode) {
        let name = agent.facts.name;
        let without = plugin(&ours(name));
        let with = plugin(&OurCommand { answers: Some(60), ..ours(name) });
        let line = format!("const SECONDS = 60; // sightline hook {name} --answers 60");
        assert_eq!(with, without.replace("const SECONDS = 0;", &line));
        assert_ne!(with, without);
    }

    // S16
    #[test]
    fn a_question_is_answered_by_its_words() {
        let input = r#"{"questions":[{"question":"Which one?","header":"Pick","options":[{"label":"A","description":"a"},{"label":"B"}],"multiple":true}]}"#;
        let payload = format!(
            r#"{{"hook_event_name":"PermissionRequest","session_id":"ses_1","tool_name":"question","tool_input":{input}}}"#
        );
        let asked = OPENCODE.read_hook(payload.as_bytes()).expect("a payload").asks.expect("it asks");
        let [question] = asked.questions.as_slice() else { panic!("one question: {asked:?}") };
        assert_eq!((question.text.as_str(), question.multiple, question.options.len()), ("Which one?", true, 2));
        let answer = |answers: &[&[&str]]| {
            let words = |words: &&[&str]| words.iter().map(|&word| word.to_owned()).collect();
            let answers = answers.iter().map(words).collect();
            let decided = PermissionDecided { allowed: Some(true), answers, ..PermissionDecided::default() };
            OPENCODE.hook_decision("PermissionRequest", &asked, &decided)
        };
        let decision = json!({ "behavior": "allow", "answers": [["A", "B"]] });
        let told = json!({ "hookSpecificOutput": { "hookEventName": "PermissionRequest", "decision": decision } });
        assert_eq!(answer(&[&["A", "B"]]), Some(told));
        assert_eq!(answer(&[]), None);
    }

    // S16
    #[test]
    fn what_was_answered_in_its_own_prompt_is_settled() {
        let input = r#"{"command":"cargo test"}"#;
        let payload =
            format!(r#"{{"hook_event_name":"Answered","session_id":"ses_1","tool_name":"bash","tool_input":{input}}}"#);
        let done = OPENCODE.read_hook(payload.as_bytes()).expect("a payload").done;
        let expected = DoneCall { tool: "bash".to_owned(), input: Some(input_digest(input)), ..DoneCall::default() };
        assert_eq!(done, Some(expected));
    }

    #[test]
    fn a_subagent_announces_its_call() {
        let payload = r#"{"hook_event_name":"PreToolUse","session_id":"ses_1","agent_id":"ses_2","cwd":"/p",
            "tool_name":"sightline_todo_write","tool_input":{"todos":[{"content":"Read the lexer"}]}}"#;
        let heard = OPENCODE.read_hook(payload.as_bytes()).expect("a payload");
        let call = heard.calls.expect("a call");
        assert_eq!(call.arguments, json!({ "todos": [{ "content": "Read the lexer" }] }));
        assert_eq!(heard.subagent.as_deref(), Some("ses_2"));
    }

    #[test]
    fn the_built_in_list_is_read_without_a_response() {
        let input = json!({ "todos": [{ "content": "N", "status": "in_progress", "priority": "high" }] });
        let ListWritten { tool, is_part, .. } =
            OPENCODE.list_written("todowrite", &input, &json!(null)).expect("a list");
        assert_eq!((tool, is_part), ("todowrite", false));
    }
}
