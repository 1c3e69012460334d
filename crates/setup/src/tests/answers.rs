//! Permission prompts that are answered here: an opt-in of its own, with a time limit of its own.

use super::{CLAUDE, CODEX, GEMINI, OPENCODE, QWEN, TestFolders, apply, server};
use crate::{Answers, Error, Options, Plan, Registration, Result, Status, connect, look};
use agents::{Agent, Scope};
use rstest::rstest;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

const CLINE: &dyn Agent = &agents::cline::Cline;

const PI: &dyn Agent = &agents::pi::Pi;

const COPILOT: &dyn Agent = &agents::copilot::Copilot;

const KIMI: &dyn Agent = &agents::kimi::Kimi;

const VIBE: &dyn Agent = &agents::vibe::Vibe;

fn with(folders: &TestFolders, agent: &'static dyn Agent, answers: Answers) -> Result<Plan> {
    connect(&folders.environment(), agent, &Scope::User, &server(), Options { answers, ..Options::default() })
}

fn state(folders: &TestFolders, agent: &'static dyn Agent) -> Status {
    look(&folders.environment(), agent, &Scope::User, &server()).expect("it can be looked at")
}

fn hooks_file(folders: &TestFolders, agent: &dyn Agent) -> PathBuf {
    agent.files(&folders.environment(), &Scope::User).hooks.expect("a file")
}

fn hook(folders: &TestFolders, agent: &dyn Agent, event: &str) -> Value {
    let text = fs::read_to_string(hooks_file(folders, agent)).expect("a file");
    serde_json::from_str::<Value>(&text).expect("JSON")["hooks"][event].clone()
}

// S16
#[cfg(unix)]
#[rstest]
#[case::claude(CLAUDE, "PermissionRequest", Some(5), None, 300, 305)]
#[case::codex(CODEX, "PermissionRequest", None, None, 30, 35)]
#[case::qwen(QWEN, "PermissionRequest", None, None, 30, 35)]
#[case::copilot(COPILOT, "PermissionRequest", None, None, 0, 5)]
#[case::gemini(GEMINI, "BeforeTool", None, Some("*"), 0, 5_000)]
fn the_asking_event_waits_where_it_is_wished(
    #[case] agent: &'static dyn Agent,
    #[case] event: &str,
    #[case] limit_before: Option<u32>,
    #[case] matcher: Option<&str>,
    #[case] seconds: u32,
    #[case] limit: u32,
) {
    let folders = TestFolders::new();
    let nothing = folders.files();
    apply(with(&folders, agent, Answers::Unchanged));
    let plain = folders.files();
    assert_eq!(state(&folders, agent).answers, None);
    assert_eq!(hook(&folders, agent, event)[0]["hooks"][0]["timeout"].as_u64(), limit_before.map(u64::from));

    apply(with(&folders, agent, Answers::On(None)));
    let group = hook(&folders, agent, event);
    let line = format!(
        r#"'/opt/sight line/sightline' hook {} --data-dir "/home/u/it's data" --answers {seconds}"#,
        agent.name()
    );
    assert_eq!(group.as_array().map(Vec::len), Some(1), "{group}");
    assert_eq!(group[0]["hooks"][0]["command"], line);
    assert_eq!((group[0]["hooks"][0]["timeout"].as_u64(), group[0]["matcher"].as_str()), (Some(limit.into()), matcher));
    let found = state(&folders, agent);
    assert_eq!((found.hooks, found.answers), (Some(Registration::Ours), Some(seconds)));
    assert!(with(&folders, agent, Answers::Unchanged).expect("a plan").is_nothing(), "it is kept");

    apply(with(&folders, agent, Answers::Off));
    assert_eq!(folders.files(), plain, "byte for byte");
    apply(with(&folders, agent, Answers::On(None)));
    apply(folders.disconnect(agent, &Scope::User));
    assert_eq!(folders.files(), nothing, "nothing is left");
}

// S16
#[rstest]
#[case::kimi(KIMI, "event = \"PreToolUse\"", "matcher = \"^mcp__sightline__\"", "matcher = \".*\"")]
#[case::vibe(VIBE, "type = \"pre_tool\"", "match = \"mcp_sightline.*\"", "match = \"*\"")]
fn a_hook_that_hears_our_tools_hears_all_where_rules_decide(
    #[case] agent: &'static dyn Agent,
    #[case] event: &str,
    #[case] ours: &str,
    #[case] all: &str,
) {
    let folders = TestFolders::new();
    apply(with(&folders, agent, Answers::Unchanged));
    let plain = folders.files();
    let at_event = || {
        let text = fs::read_to_string(hooks_file(&folders, agent)).expect("a file");
        let tables: Vec<String> =
            text.split("[[hooks]]").filter(|table| table.contains(event)).map(str::to_owned).collect();
        <[String; 1]>::try_from(tables).expect("one hook")
    };
    assert!(at_event()[0].contains(ours) && !at_event()[0].contains("--answers"), "{}", at_event()[0]);

    apply(with(&folders, agent, Answers::On(None)));
    assert!(at_event()[0].contains(all) && at_event()[0].contains("--answers 0"), "{}", at_event()[0]);
    assert_eq!(state(&folders, agent).answers, Some(0));
    assert!(with(&folders, agent, Answers::Unchanged).expect("a plan").is_nothing(), "it is kept");

    apply(with(&folders, agent, Answers::Off));
    assert_eq!(folders.files(), plain, "byte for byte");
}

// S16
#[test]
fn a_changed_limit_is_out_of_date() {
    let folders = TestFolders::new();
    apply(with(&folders, CLAUDE, Answers::On(Some(20))));
    let path = hooks_file(&folders, CLAUDE);
    let text = fs::read_to_string(&path).expect("a file");
    assert!(text.contains("--answers 20\"") && text.contains("\"timeout\": 25"), "{text}");
    fs::write(&path, text.replace("\"timeout\": 25", "\"timeout\": 5")).expect("it can be written");
    let found = state(&folders, CLAUDE);
    let outdated = Registration::Outdated(texts::all::hook_limit("PermissionRequest"));
    assert_eq!((found.hooks, found.answers), (Some(outdated), Some(20)));
    apply(with(&folders, CLAUDE, Answers::Unchanged));
    assert_eq!(fs::read_to_string(&path).expect("a file"), text);
    apply(with(&folders, CLAUDE, Answers::On(Some(60))));
    assert_eq!(state(&folders, CLAUDE).answers, Some(60));
    let now = fs::read_to_string(&path).expect("a file");
    assert_eq!(now, text.replace("--answers 20\"", "--answers 60\"").replace("\"timeout\": 25", "\"timeout\": 65"));
}

/// The file and the last words of the hook that asks.
const HOOK_OF_CLINE: (&str, &str) =
    if cfg!(windows) { ("PreToolUse.cjs", r#""--answers","0"]"#) } else { ("PreToolUse.sh", " --answers 0\n") };

// S16
#[rstest]
#[case::by_rules(CLINE, HOOK_OF_CLINE.0, HOOK_OF_CLINE.1, 0)]
#[case::a_plugin(OPENCODE, "sightline.js", " --answers 60\n", 60)]
fn a_hook_that_is_a_file_answers(
    #[case] agent: &'static dyn Agent,
    #[case] name: &str,
    #[case] words: &str,
    #[case] seconds: u32,
) {
    let folders = TestFolders::new();
    apply(with(&folders, agent, Answers::Unchanged));
    let plain = folders.files();
    apply(with(&folders, agent, Answers::On(Some(60))));
    let changed: Vec<_> = folders.files().into_iter().filter(|(path, text)| plain.get(path) != Some(text)).collect();
    let [(path, text)] = changed.as_slice() else { panic!("one file: {changed:?}") };
    assert!(path.ends_with(name) && text.contains(words), "{text}");
    let found = state(&folders, agent);
    assert_eq!((found.hooks, found.answers), (Some(Registration::Ours), Some(seconds)));
    assert!(with(&folders, agent, Answers::Unchanged).expect("a plan").is_nothing());
    apply(with(&folders, agent, Answers::Off));
    assert_eq!(folders.files(), plain);
}

#[test]
fn an_agent_without_such_hooks_says_so() {
    let folders = TestFolders::new();
    let refused = with(&folders, PI, Answers::On(None)).expect_err("no hook can answer");
    assert!(matches!(refused, Error::NoAnswers { .. }), "{refused}");
    assert!(with(&folders, PI, Answers::Off).is_ok());
}
