//! Editors, whose agents are started through our proxy.

use super::{TestFolders, apply, data, program, server, server_at};
use crate::{Error, Options, Registration, connect, disconnect, json, look};
use agents::{Agent, Scope};
use rstest::rstest;
use serde_json::json;
use std::fs;

const ZED: &dyn Agent = &agents::zed::Zed;
const JETBRAINS: &dyn Agent = &agents::jetbrains::JetBrains;

const SETTINGS: &str = r#"// Zed settings
{
  "theme": "One Dark", // mine
  "agent_servers": {
    "OpenCode": {
      "type": "custom",
      "command": "opencode",
      "args": ["acp"], /* over ACP */
      "env": { "KEY": "secret" },
    },
    "claude-acp": { "type": "registry" },
    "Bare": {
      "type": "custom",
      "command": "/opt/my agent/run"
    },
  },
}
"#;

const ACP_JSON: &str = r#"{"default_mcp_settings": {}, "agent_servers": {"OpenCode": {"command": "opencode", "args": ["acp"], "env": {}}}}"#;

const FILES: [(&dyn Agent, &str, &str); 2] =
    [(ZED, "home/.config/zed/settings.json", SETTINGS), (JETBRAINS, "home/.jetbrains/acp.json", ACP_JSON)];

fn state(folders: &TestFolders, agent: &'static dyn Agent) -> Registration {
    look(&folders.environment(), agent, &Scope::User, &server()).expect("it can be looked at").server
}

#[cfg(unix)]
#[rstest]
#[case::zed(FILES[0])]
#[case::jetbrains(FILES[1])]
fn agents_are_started_through_our_proxy_and_back(#[case] (editor, name, text): (&'static dyn Agent, &str, &str)) {
    let folders = TestFolders::new();
    let path = folders.path(name);
    folders.write(&path, text);
    let before = folders.files();
    assert_eq!(state(&folders, editor), Registration::Absent);
    apply(folders.connect(editor, &Scope::User));
    assert_eq!(state(&folders, editor), Registration::Ours);
    let connected = fs::read_to_string(&path).expect("a file");
    let agents = json::value(&connected).expect("JSON")["agent_servers"].clone();
    let ours = ["acp", "--data-dir", "/home/u/it's data", "--"];
    assert_eq!(agents["OpenCode"]["command"], "/opt/sight line/sightline");
    assert_eq!(agents["OpenCode"]["args"], json!([&ours[..], &["opencode", "acp"]].concat()));
    assert_eq!(agents["OpenCode"]["env"], json::value(text).expect("JSON")["agent_servers"]["OpenCode"]["env"]);
    if agents.get("Bare").is_some() {
        assert_eq!(agents["Bare"]["args"], json!([&ours[..], &["/opt/my agent/run"]].concat()));
        assert_eq!(agents["claude-acp"], json!({ "type": "registry" }), "the editor starts it by itself");
        assert!(connected.contains("/* over ACP */\n") && connected.contains("// mine\n"), "{connected}");
    }
    assert!(folders.connect(editor, &Scope::User).expect("a plan").is_nothing(), "once more");

    // Also where somebody has changed the file since, so that no backup tells how it was.
    fs::write(&path, connected.replace("\"agent_servers\"", "\"new\": 1, \"agent_servers\"")).expect("it is written");
    apply(folders.disconnect(editor, &Scope::User));
    let text = fs::read_to_string(&path).expect("a file");
    assert_eq!(text.replace("\"new\": 1, ", ""), before[&path]);
    assert_eq!(state(&folders, editor), Registration::Absent);
}

#[test]
fn a_proxy_from_elsewhere_is_brought_up_to_date_with_its_options_and_a_new_agent_gets_it() {
    let folders = TestFolders::new();
    let path = folders.path("home/.jetbrains/acp.json");
    let by_hand = r#"{"agent_servers": {"A": {"command": "/old/sightline", "args": ["acp", "--agent", "mine", "--", "a", "b"]}}}"#;
    folders.write(&path, by_hand);
    assert!(matches!(state(&folders, JETBRAINS), Registration::Outdated(_)));
    apply(folders.connect(JETBRAINS, &Scope::User));
    let value = |path| json::value(&fs::read_to_string(path).expect("a file")).expect("JSON");
    let words = ["acp", "--data-dir", &data(), "--agent", "mine", "--", "a", "b"];
    assert_eq!(value(&path)["agent_servers"]["A"], json!({ "command": program(), "args": words }));
    let text = fs::read_to_string(&path).expect("a file");
    fs::write(&path, text.replace("{\"A\":", "{\"B\": {\"command\": \"b\"}, \"A\":")).expect("it is written");
    let Registration::Outdated(what) = state(&folders, JETBRAINS) else { panic!("one is without") };
    assert_eq!(what, "B: b");
    apply(folders.connect(JETBRAINS, &Scope::User));
    assert_eq!(state(&folders, JETBRAINS), Registration::Ours);
    // From another program of ours, too.
    apply(disconnect(&folders.environment(), JETBRAINS, &Scope::User, &server_at("/new/sightline")));
    assert_eq!(
        value(&path)["agent_servers"],
        json!({ "B": { "command": "b" }, "A": { "command": "a", "args": ["b"] } })
    );
}

#[rstest]
#[case::no_file(None)]
#[case::none(Some("{}"))]
#[case::of_the_registry(Some(r#"{"agent_servers": {"claude-acp": {"type": "registry"}}}"#))]
#[case::without_its_type(Some(r#"{"agent_servers": {"a": {"command": "a"}}}"#))]
fn an_editor_without_agents_is_told_so(#[case] text: Option<&str>) {
    let folders = TestFolders::new();
    let path = folders.path("home/.config/zed/settings.json");
    if let Some(text) = text {
        folders.write(&path, text);
    }
    let before = folders.files();
    let environment = folders.environment();
    let refused = connect(&environment, ZED, &Scope::User, &server(), Options::default()).expect_err("there is none");
    assert!(matches!(refused, Error::NoAgents { .. }), "{refused}");
    assert!(folders.disconnect(ZED, &Scope::User).expect("a plan").is_nothing());
    assert_eq!(folders.files(), before);
    let project = folders.scopes()[1].clone();
    assert!(matches!(folders.connect(ZED, &project), Err(Error::Unknown { .. })), "agents are the user's");
}

#[test]
fn a_program_of_ours_that_starts_no_agent_is_nobodys_proxy() {
    let folders = TestFolders::new();
    let path = folders.path("home/.jetbrains/acp.json");
    let text = r#"{"agent_servers": {"A": {"command": "sightline", "args": ["acp", "--"]}, "B": {"command": "b", "args": "x"}}}"#;
    folders.write(&path, text);
    assert_eq!(state(&folders, JETBRAINS), Registration::Absent);
    assert!(folders.disconnect(JETBRAINS, &Scope::User).expect("a plan").is_nothing());
}
