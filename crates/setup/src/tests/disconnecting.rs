//! There and back, byte for byte, with files as people and programs write them.

use super::{CLAUDE, CODEX, GEMINI, OPENCODE, QWEN, TestFolders, apply, server};
use crate::{Registration, look};
use agents::{Agent, Scope};
use proptest::prelude::*;
use rstest::rstest;
use std::fs;

const JSON: [&str; 17] = [
    "",
    "\n",
    "{}",
    "{}\n",
    "{ }",
    "{\n}\n",
    "// only words\n",
    "/* a */ {\n  // b\n}\n// c",
    "{\"theme\":\"dark\",\"mcpServers\":{\"a\":{\"command\":\"x\"}},\"mcp\":{\"a\":{\"type\":\"local\",\"command\":[\"x\"]}}}",
    "{\n  \"mcpServers\": {},\n  \"mcp\": {},\n  \"hooks\": { \"Stop\": [], \"AfterTool\": [ ] }\n}\n",
    "\u{feff}{\r\n\t\"mcpServers\": {\r\n\t\t// theirs\r\n\t\t\"a\": { \"command\": \"x\" }, // one\r\n\t},\r\n}\r\n",
    "{\n    \"hooks\": {\n        \"PostToolUse\": [\n            {\n                \"matcher\": \"Edit\", // both\n                \"hooks\": [\n                    { \"type\": \"command\", \"command\": \"lint\" },\n                    { \"type\": \"command\", \"command\": \"sightline-other hook gemini\" }\n                ]\n            }\n        ]\n    },\n    \"é\": \"ü\"\n}",
    "{\n  \"a\": 1, \"b\": [\n 1,2 ]}",
    "{\"env\": {\"A\": \"b\"}, \"tools\": {\"todoWrite\": {\"enabled\": false}}}",
    "{\n  \"zeta\": 1,\n  \"alpha\": { \"mcpServers\": 2 },\n  \"last\": true // no comma\n  /* end */ }\n\n\n",
    "{\n  \"mcp\": { \"excluded\": [\"a\", \"sightline\"], \"allowed\": [] } // off\n}\n",
    "{\n  \"mcp\": {\n    \"a\": { \"type\": \"remote\", \"url\": \"http://h\" /* , */ }\n    // none after\n  },\n\n}",
];

const TOML: [&str; 8] = [
    "",
    "\n\n",
    "# only words",
    "model = \"gpt-5\"\n\n[mcp_servers.a]\ncommand = 'x' # c\n[mcp_servers.a.env]\nB = \"1\"\n\n# end\n",
    "\u{feff}model = 'm'\r\n[tools]\r\nweb_search = true\r\n",
    "mcp_servers = { a = { command = 'x' } }\n",
    "[[profiles]]\nname = \"a\"\n[hooks.state]\n\"x\" = 'y'",
    "[mcp_servers]\n",
];

fn text_of(agent: &'static dyn Agent, file: usize, text: &'static str) -> &'static str {
    // Codex's first file is TOML.
    if agent == CODEX && file == 0 {
        TOML[JSON.iter().position(|own| *own == text).unwrap_or(0) % TOML.len()]
    } else {
        text
    }
}

#[rstest]
fn there_and_back(
    #[values(CLAUDE, CODEX, GEMINI, OPENCODE, QWEN)] agent: &'static dyn Agent,
    #[values(0, 1)] scope: usize,
) {
    for text in JSON {
        let folders = TestFolders::new();
        let scope = folders.scopes()[scope].clone();
        let found = look(&folders.environment(), agent, &scope, &server()).expect("it can be looked at");
        // A file that is ours as a whole was not there before.
        let own: Vec<_> = agent.own_files(&folders.environment(), &scope).into_iter().map(|file| file.path).collect();
        let shared: Vec<_> = found.files.iter().filter(|path| !own.contains(path)).collect();
        for (number, path) in shared.iter().enumerate() {
            folders.write(path, text_of(agent, number, text));
        }
        let before = folders.files();
        let backups = apply(folders.connect(agent, &scope)).backups;
        assert_eq!(backups.len(), shared.len(), "each that was there");
        assert_ne!(folders.files(), before);
        let found = look(&folders.environment(), agent, &scope, &server()).expect("it can be looked at");
        assert_eq!(
            (&found.server, found.hooks.unwrap_or(Registration::Ours)),
            (&Registration::Ours, Registration::Ours)
        );
        assert!(folders.connect(agent, &scope).expect("a plan").is_nothing(), "connected already: {text:?}");
        apply(folders.disconnect(agent, &scope));
        assert_eq!(folders.files(), before, "as it was");
        assert!(folders.disconnect(agent, &scope).expect("a plan").is_nothing(), "disconnected already");
    }
}

#[rstest]
fn from_nothing_to_nothing(
    #[values(CLAUDE, CODEX, GEMINI, OPENCODE, QWEN)] agent: &'static dyn Agent,
    #[values(0, 1)] scope: usize,
) {
    let folders = TestFolders::new();
    let scope = folders.scopes()[scope].clone();
    assert!(apply(folders.connect(agent, &scope)).backups.is_empty());
    apply(folders.disconnect(agent, &scope));
    for name in ["home", "project"] {
        let left: Vec<_> =
            fs::read_dir(folders.path(name)).expect("a folder").flatten().map(|file| file.file_name()).collect();
        assert!(left.is_empty() || left == [".config"], "{left:?}");
    }
}

/// Others' additions since then stay; tables that we leave empty go.
#[rstest]
#[case(GEMINI, "{\n  \"mcpServers\": {", "{\n  \"new\": 1,\n  \"mcpServers\": {", "{\n  \"new\": 1\n}\n")]
#[case(
    QWEN,
    "\"sightline\": {\n      \"command\"",
    "\"b\": {},\n    \"sightline\": {\n      \"trust\": true,\n      \"command\"",
    "{\n  \"mcpServers\": {\n    \"b\": {}\n  }\n}\n"
)]
#[case(CODEX, "[mcp_servers", "a = 1\n[mcp_servers", "a = 1\n")]
#[case(
    OPENCODE,
    "\"enabled\": true\n    }\n  }\n}\n",
    "\"enabled\": false\n    }\n  } // mine\n}\n",
    "{\n  // mine\n}\n"
)]
fn what_came_meanwhile_stays(
    #[case] agent: &'static dyn Agent,
    #[case] from: &str,
    #[case] to: &str,
    #[case] expected: &str,
) {
    let folders = TestFolders::new();
    apply(folders.connect(agent, &Scope::User));
    let found = look(&folders.environment(), agent, &Scope::User, &server()).expect("it can be looked at");
    let path = &found.files[0];
    let text = fs::read_to_string(path).expect("a file");
    assert!(text.contains(from), "{text}");
    fs::write(path, text.replacen(from, to, 1)).expect("it can be written");
    apply(folders.disconnect(agent, &Scope::User));
    assert_eq!(fs::read_to_string(path).expect("it stays"), expected);
}

/// Somebody put another hook into our group: only ours goes, and an old path of it is changed in its place.
#[test]
fn a_hook_beside_ours_stays() {
    let folders = TestFolders::new();
    let path = folders.path("home/.codex/hooks.json");
    let text = |ours: &str| {
        format!(
            "{{\n  \"hooks\": {{\"Stop\": [{{\"hooks\": [{ours}{{\"command\": \"other\"}}]}}], \"Odd\": [{{\"hooks\": [{ours}1]}}]}}\n}}\n"
        )
    };
    folders.write(&path, &text("{\"command\": \"/old/sightline hook codex\", \"timeout\": 1}, "));
    apply(folders.connect(CODEX, &Scope::User));
    let connected = fs::read_to_string(&path).expect("a file");
    assert_eq!(connected.matches("/old/").count(), 0, "{connected}");
    assert_eq!(connected.matches("hook codex").count(), 6, "five events and an odd one: {connected}");
    apply(folders.disconnect(CODEX, &Scope::User));
    assert_eq!(
        fs::read_to_string(&path).expect("a file"),
        text("").replace("[{\"", "[ {\"").replace("[ {\"hooks", "[{\"hooks").replace("[1", "[ 1")
    );
}

#[test]
fn without_its_backup_only_what_was_empty_is_lost() {
    let folders = TestFolders::new();
    let path = folders.path("home/.qwen/settings.json");
    folders.write(&path, "{\n  \"a\": 1,\n  \"hooks\": {}\n}\n");
    for backup in apply(folders.connect(QWEN, &Scope::User)).backups {
        fs::remove_file(backup).expect("it can be removed");
    }
    apply(folders.disconnect(QWEN, &Scope::User));
    assert_eq!(fs::read_to_string(&path).expect("a file"), "{\n  \"a\": 1\n}\n");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Whatever else was done in between with the same files.
    #[test]
    fn in_any_order(steps in prop::collection::vec(0..6_usize, 1..6), text in 0..JSON.len(), agent in 0..5_usize) {
        let (folders, agent) = (TestFolders::new(), [CLAUDE, CODEX, GEMINI, OPENCODE, QWEN][agent]);
        let environment = folders.environment();
        let files = look(&environment, agent, &Scope::User, &server()).expect("it can be looked at").files;
        for (number, path) in files.iter().enumerate() {
            folders.write(path, text_of(agent, number, JSON[text]));
        }
        let before = folders.files();
        for step in steps {
            let plan = match step {
                0..3 => folders.connect(agent, &Scope::User),
                3 => crate::connect(&environment, agent, &Scope::User, &super::server_at("/old/sightline"), crate::Options::default()),
                4 => crate::connect(&environment, agent, &Scope::User, &server(), crate::Options { hooks: false, ..crate::Options::default() }),
                _ => folders.disconnect(agent, &Scope::User),
            };
            apply(plan);
        }
        apply(folders.disconnect(agent, &Scope::User));
        prop_assert_eq!(folders.files(), before);
    }
}

/// Of a name that is there twice the last one counts for the agents; the first may hold anything.
#[test]
fn what_is_there_twice_keeps_its_first() {
    let folders = TestFolders::new();
    let path = folders.path("home/.qwen/settings.json");
    let text = "{\"mcpServers\": {\"a\": {\"command\": \"x\"}}, \"mcpServers\": {}, \"hooks\": {\"Stop\": [1]}, \"hooks\": {}}";
    folders.write(&path, text);
    for backup in apply(folders.connect(QWEN, &Scope::User)).backups {
        fs::remove_file(backup).expect("it can be removed");
    }
    apply(folders.disconnect(QWEN, &Scope::User));
    assert_eq!(fs::read_to_string(&path).expect("a file"), text);
}

#[test]
fn an_entry_that_is_there_twice_is_refused() {
    let folders = TestFolders::new();
    let path = folders.path("home/.qwen/settings.json");
    apply(folders.connect(QWEN, &Scope::User));
    let text = fs::read_to_string(&path).expect("a file");
    let twice = text.replacen("\"sightline\": {", "\"sightline\": {\"command\": \"theirs\"}, \"sightline\": {", 1);
    fs::write(&path, &twice).expect("it can be written");
    let error = folders.disconnect(QWEN, &Scope::User).expect_err("theirs would come back");
    assert!(error.to_string().contains("`mcpServers.sightline` is there 2 times"), "{error}");
    assert_eq!(fs::read_to_string(&path).expect("a file"), twice);
}
