//! Entries that connecting writes.

use super::{CLAUDE, CODEX, DRIVE, GEMINI, OPENCODE, QWEN, TestFolders, apply, data, now, program, server, server_at};
use crate::{Error, Options, Registration, connect, disconnect, json, look};
use agents::{Agent, Scope};
use rstest::rstest;
use serde_json::{Value, json};
use std::fs;

#[cfg(unix)]
const HOOK: &str = "'/opt/sight line/sightline' hook gemini --data-dir \"/home/u/it's data\"";

#[cfg(unix)]
#[test]
fn gemini_gets_its_server_and_hooks() {
    let folders = TestFolders::new();
    let path = folders.path("home/.gemini/settings.json");
    folders.write(&path, "{\n  // Mine\n  \"mcpServers\": {},\n  \"hooks\": { \"AfterTool\": [{ \"hooks\": [{ \"command\": \"x\" }] }] },\n}\n");
    apply(folders.connect(GEMINI, &Scope::User));
    let text = fs::read_to_string(&path).expect("a file");
    assert!(text.starts_with("{\n  // Mine\n"), "{text}");
    let value = json::value(&text).expect("JSON");
    let args = ["mcp", "--agent", "gemini", "--data-dir", "/home/u/it's data"];
    assert_eq!(value["mcpServers"]["sightline"], json!({ "command": "/opt/sight line/sightline", "args": args }));
    let hook = json!({ "name": "sightline", "type": "command", "command": HOOK, "timeout": 5000 });
    assert_eq!(
        value["hooks"]["AfterTool"],
        json!([{ "hooks": [{ "command": "x" }] }, { "matcher": "*", "hooks": [hook] }])
    );
    assert_eq!(value["hooks"]["BeforeAgent"], json!([{ "hooks": [hook] }]));
    assert_eq!(value["hooks"].as_object().map(serde_json::Map::len), Some(6));
}

#[test]
fn codex_gets_two_files_and_its_user_a_note() {
    let folders = TestFolders::new();
    let plan = folders.connect(CODEX, &Scope::User).expect("a plan");
    assert!(plan.notes[0].english.contains("trust"), "{:?}", plan.notes);
    let paths: Vec<_> = plan.edits.iter().map(|edit| edit.path.clone()).collect();
    assert_eq!(paths, [folders.path("home/.codex/config.toml"), folders.path("home/.codex/hooks.json")]);
    assert_eq!(
        plan.edits[0].after.as_deref(),
        Some(&*format!(
            "[mcp_servers.sightline]\ncommand = \"{}\"\nargs = [\"mcp\", \"--agent\", \"codex\", \"--data-dir\", \"{}\"]\n",
            program(),
            data()
        ))
    );
    let hooks = json::value(plan.edits[1].after.as_deref().expect("a file")).expect("JSON");
    let events: Vec<&str> = hooks["hooks"].as_object().expect("events").keys().map(String::as_str).collect();
    for event in ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"] {
        assert!(events.contains(&event), "{event}");
        assert_eq!(hooks["hooks"][event][0]["hooks"][0]["timeout"], 3);
    }
}

#[test]
fn opencode_gets_one_list_of_words_in_the_file_there_is() {
    let folders = TestFolders::new();
    let path = folders.path("project/opencode.jsonc");
    folders.write(&path, "// mine\n{\"$schema\": \"x\",}\n");
    apply(folders.connect(OPENCODE, &folders.scopes()[1]));
    let value = json::value(&fs::read_to_string(&path).expect("a file")).expect("JSON");
    let command = [&program(), "mcp", "--agent", "opencode", "--data-dir", &data()];
    assert_eq!(value["mcp"]["sightline"], json!({ "type": "local", "command": command, "enabled": true }));
    assert!(!folders.path("project/opencode.json").exists());
}

#[test]
fn folders_move_with_their_variables() {
    let folders = TestFolders::new();
    let mut environment = folders.environment();
    let moved = [
        ("CLAUDE_CONFIG_DIR", CLAUDE, vec!["c/.claude.json", "c/settings.json"]),
        ("CODEX_HOME", CODEX, vec!["c/config.toml", "c/hooks.json"]),
        ("GEMINI_CLI_HOME", GEMINI, vec!["c/.gemini/settings.json"]),
        ("QWEN_HOME", QWEN, vec!["c/settings.json"]),
        ("XDG_CONFIG_HOME", OPENCODE, vec!["c/opencode/opencode.json", "c/opencode/plugin/sightline.js"]),
    ];
    for (variable, agent, expected) in moved {
        environment.variables.insert(variable.to_owned(), folders.path("c").display().to_string());
        let found = look(&environment, agent, &Scope::User, &server()).expect("it can be looked at");
        assert_eq!(found.files, expected.iter().map(|name| folders.path(name)).collect::<Vec<_>>(), "{variable}");
    }
    environment.variables.insert("QWEN_HOME".to_owned(), "~/q".to_owned());
    let found = look(&environment, QWEN, &Scope::User, &server()).expect("it can be looked at");
    assert_eq!(found.files, [folders.path("home/q/settings.json")]);
}

#[rstest]
fn an_old_path_is_brought_up_to_date_and_only_it(
    #[values(CLAUDE, CODEX, GEMINI, OPENCODE, QWEN)] agent: &'static dyn Agent,
    #[values(0, 1)] scope: usize,
) {
    let folders = TestFolders::new();
    let (environment, scope) = (folders.environment(), folders.scopes()[scope].clone());
    let old = server_at("/old/sightline");
    apply(connect(&environment, agent, &scope, &old, Options::default()));
    let before = folders.files();
    let found = look(&environment, agent, &scope, &server()).expect("it can be looked at");
    assert!(
        matches!(&found.server, Registration::Outdated(words) if words.english.starts_with(&format!("{DRIVE}/old/sightline mcp")))
    );
    apply(folders.connect(agent, &scope));
    let quoted = |text: &str| {
        text.replace("& 'C:/opt/sight line/sightline'", "C:/old/sightline")
            .replace("'/opt/sight line/sightline'", "/old/sightline")
            .replace("/opt/sight line/sightline", "/old/sightline")
    };
    let after: std::collections::BTreeMap<_, _> =
        folders.files().into_iter().map(|(path, text)| (path, quoted(&text))).collect();
    assert_eq!(after, before);
    apply(disconnect(&environment, agent, &scope, &old));
    assert_eq!(folders.files().len(), 0, "another path than the registered one takes it away, too");
}

#[rstest]
#[case(GEMINI, "{\"mcpServers\": {\"sightline\": {\"command\": \"node\", \"args\": [\"mcp\"]}}}", "node mcp")]
#[case(QWEN, "{\"mcpServers\": {\"sightline\": {\"httpUrl\": \"http://h/mcp\"}}}", "http://h/mcp")]
#[case(OPENCODE, "{\"mcp\": {\"sightline\": {\"type\": \"local\", \"command\": [\"a\", \"b\"]}}}", "a b")]
#[case(CODEX, "[mcp_servers.sightline]\nurl = \"http://h/mcp\"\n", "http://h/mcp")]
#[case(CODEX, "mcp_servers.sightline.command = \"/bin/sightline\"\n", "/bin/sightline")]
fn a_foreign_server_of_our_name_stays(#[case] agent: &'static dyn Agent, #[case] text: &str, #[case] runs: &str) {
    let folders = TestFolders::new();
    let environment = folders.environment();
    let path = look(&environment, agent, &Scope::User, &server()).expect("it can be looked at").files[0].clone();
    folders.write(&path, text);
    match folders.connect(agent, &Scope::User) {
        Err(Error::Foreign { runs: said, .. }) => assert_eq!(said, runs),
        other => panic!("it is not ours: {other:?}"),
    }
    let plan = folders.disconnect(agent, &Scope::User).expect("a plan");
    assert!(plan.is_nothing() && plan.notes[0].english.contains(runs), "{plan:?}");
    apply(connect(
        &environment,
        agent,
        &Scope::User,
        &server(),
        Options { replace: true, hooks: false, ..Options::default() },
    ));
    let found = look(&environment, agent, &Scope::User, &server()).expect("it can be looked at");
    assert_eq!(found.server, Registration::Ours);
}

#[cfg(unix)]
#[test]
fn claudes_own_command_is_called_where_it_is() {
    let folders = TestFolders::new();
    let program = folders.path("bin/claude");
    fs::write(&program, "#!/bin/sh\nprintf '%s\\n' \"$HOME\" \"$@\" > \"$HOME/called\"\n").expect("a program");
    make_program(&program);
    let plan = folders.connect(CLAUDE, &Scope::User).expect("a plan");
    let diff = plan.diff();
    assert!(diff.contains("\n$ claude mcp add-json --scope user sightline \"{"), "{diff}");
    plan.apply(now()).expect("it can be done");
    let called = fs::read_to_string(folders.path("home/called")).expect("it was called");
    let words: Vec<&str> = called.lines().collect();
    assert_eq!(words[0], folders.path("home").display().to_string());
    assert_eq!(words[1..6], ["mcp", "add-json", "--scope", "user", "sightline"]);
    let entry: Value = serde_json::from_str(words[6]).expect("JSON");
    assert_eq!((&entry["alwaysLoad"], &entry["args"][2]), (&json!(true), &json!("claude")));

    let old = connect(
        &agents::Environment { variables: [].into(), ..folders.environment() },
        CLAUDE,
        &Scope::User,
        &server_at("/old/sightline"),
        Options::default(),
    );
    apply(old);
    let shown: Vec<String> =
        folders.connect(CLAUDE, &Scope::User).expect("a plan").calls.iter().map(crate::Call::shown).collect();
    assert!(shown[0] == "claude mcp remove --scope user sightline" && shown.len() == 2, "{shown:?}");
    let shown: Vec<String> =
        folders.disconnect(CLAUDE, &Scope::User).expect("a plan").calls.iter().map(crate::Call::shown).collect();
    assert_eq!(shown, ["claude mcp remove --scope user sightline"]);
}

#[cfg(unix)]
pub(super) fn make_program(path: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it can be made a program");
}

#[test]
fn a_path_that_is_not_absolute_is_refused() {
    let folders = TestFolders::new();
    let plan = connect(&folders.environment(), QWEN, &Scope::User, &server_at("sightline"), Options::default());
    assert!(matches!(plan, Err(Error::Path { .. })));
}
