//! Tools of real processes: a server that does wrong what it is asked to (`server.py`), and names.

#[cfg(target_os = "linux")]
mod confined;
mod far;
#[cfg(unix)]
mod folder;
mod lives;

use super::names::{is_reserved, name};
use super::server::expand;
use super::{Options, Server, ToolResult, Tools, Transport};
use crate::fsm::TODO_TOOLS;
use crate::prompt::DONE_TOOL;
use rstest::rstest;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/tools/tests/server.py");

fn options() -> Options {
    let environment = |name: &str| match name {
        "PATH" => std::env::var("PATH").ok(),
        "GIVEN" => Some("its value".to_owned()),
        "OPENAI_API_KEY" => Some("sk-secret".to_owned()),
        _ => None,
    };
    Options {
        start: Duration::from_secs(60),
        call: Duration::from_secs(60),
        ..Options::new(Arc::new(environment), Path::new("/nonexistent"))
    }
}

/// A server of the script, in this mode, with its notes in this folder.
fn server(name: &str, folder: &Path, mode: &str) -> Server {
    let env = BTreeMap::from([("ASKED".to_owned(), "<${GIVEN}>".to_owned())]);
    let args = vec![SCRIPT.to_owned(), folder.display().to_string(), mode.to_owned()];
    Server {
        name: name.to_owned(),
        transport: Transport::Process { command: "python3".to_owned(), args, env, cwd: None, confined: false },
    }
}

async fn tools(folder: &Path) -> Tools {
    let tools = Tools::connect(vec![server("faulty", folder, "")], options()).await;
    assert_eq!(tools.failures(), []);
    tools
}

fn fine(text: &str) -> ToolResult {
    ToolResult { text: text.to_owned(), is_error: false }
}

#[rstest]
#[case::echo("faulty__echo", json!({"b": 1, "a": "ä"}), r#"{"a": "\u00e4", "b": 1}"#, false)]
#[case::no_arguments("faulty__echo", Value::Null, "{}", false)]
#[case::wrong_arguments("faulty__echo", json!("{oops"), "The arguments are no JSON object; nothing was called. Send them as one.", true)]
#[case::failed("faulty__fail", json!({}), "it did not work", true)]
#[case::refused("faulty__refuse", json!({}), "not with these arguments", true)]
#[case::after_garbage("faulty__garbage", json!({}), "after the garbage", false)]
#[case::structured("faulty__structured", json!({}), r#"{"a":[1]}"#, false)]
#[case::structured_beside_a_picture("faulty__both", json!({}), "[image: image/png, 3 bytes]\n{\"a\":1}", false)]
#[case::structured_beside_its_text("faulty__twice", json!({}), "a is 1", false)]
#[case::unknown("faulty__none", json!({}), "There is no tool \"faulty__none\".", true)]
#[case::all_kinds(
    "faulty__image",
    json!({}),
    "a picture\n[image: image/png, 3 bytes]\n[audio: audio/wav, 2 bytes]\nread\n[x://2: data, 6 bytes]\n[three: x://3]",
    false
)]
#[tokio::test]
async fn a_call(#[case] tool: &str, #[case] args: Value, #[case] text: &str, #[case] is_error: bool) {
    let folder = tempfile::tempdir().expect("a folder");
    let tools = tools(folder.path()).await;
    assert_eq!(tools.call(tool, &args).await, ToolResult { text: text.to_owned(), is_error });
    tools.close().await;
}

#[tokio::test]
async fn a_result_that_is_too_long_is_cut_between_characters() {
    let folder = tempfile::tempdir().expect("a folder");
    let outcome = tools(folder.path()).await.call("faulty__huge", &json!({})).await;
    let (text, rest) = outcome.text.split_once('\n').expect("a line about the rest");
    assert_eq!(text, "é".repeat(51_200));
    assert_eq!(rest, "[cut: 9897600 of 10000000 bytes were left out]");
    assert!(!outcome.is_error);
}

#[tokio::test]
async fn every_tool_can_be_called_by_its_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let servers = vec![server("faulty", folder.path(), ""), server("faulty 2", folder.path(), "")];
    let tools = Tools::connect(servers, options()).await;
    let names: HashSet<&str> = tools.specs().iter().map(|spec| spec.name.as_str()).collect();
    assert_eq!(names.len(), 34, "{names:?}");
    for spec in tools.specs() {
        assert!(spec.description.starts_with("Does ") && spec.description.len() <= 8192, "{spec:?}");
        assert!(spec.name.len() <= 64 && spec.schema["type"] == "object", "{spec:?}");
    }
    let odd: Vec<&&str> = names.iter().filter(|name| name.contains("Mit") || name.contains("tttt")).collect();
    assert_eq!(odd.len(), 4);
    for name in odd {
        let outcome = tools.call(name, &json!({})).await;
        assert!(!outcome.is_error && outcome.text.starts_with("called "), "{outcome:?}");
    }
}

#[tokio::test]
async fn a_server_gets_what_it_is_given_and_no_key() {
    let folder = tempfile::tempdir().expect("a folder");
    let outcome = tools(folder.path()).await.call("faulty__environment", &json!({})).await;
    let environment: BTreeMap<String, String> = serde_json::from_str(&outcome.text).expect("JSON");
    assert_eq!(environment.get("ASKED").map(String::as_str), Some("<its value>"));
    assert!(environment.contains_key("PATH"));
    // A variable of these tests that the server's options do not pass on.
    assert!(std::env::var_os("HOME").is_some(), "these tests have a home");
    assert!(!environment.contains_key("HOME"), "{environment:?}");
}

#[rstest]
#[case::plain("files", "read_file", "files__read_file")]
#[case::dash("my-files", "read-file", "my-files__read-file")]
fn a_name_that_fits_stays(#[case] server: &str, #[case] tool: &str, #[case] expected: &str) {
    assert_eq!(name(server, tool), expected);
}

#[test]
fn names_differ_and_are_fit_for_every_provider() {
    let parts = [
        "",
        "_",
        "__",
        "a",
        "a_",
        "_a",
        "a__b",
        "b__b",
        "b",
        "ä",
        "ö",
        "a b",
        "todo_write",
        "x/y",
        &"l".repeat(70),
        "🦀",
    ];
    let mut seen = HashSet::new();
    for server in parts {
        for tool in parts {
            let name = name(server, tool);
            assert!(name.len() <= 64 && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c)), "{name}");
            assert!(!is_reserved(&name), "{name}");
            assert!(seen.insert(name.clone()), "{name} for {server} and {tool}");
        }
    }
    assert!(is_reserved(DONE_TOOL) && TODO_TOOLS.iter().all(|tool| is_reserved(tool)));
    // Approvals go by it: it may never change.
    assert_eq!(name("a b", "c"), "a_b__c-69634808855226cf");
}

#[rstest]
#[case::none("plain", Ok("plain"))]
#[case::some("a${GIVEN}b${GIVEN}", Ok("aits valuebits value"))]
#[case::other_dollars("$GIVEN ${} ${a b} ${GIVEN", Ok("$GIVEN ${} ${a b} ${GIVEN"))]
#[case::missing("${MISSING}", Err("The variable MISSING is not set in the environment."))]
fn variables(#[case] value: &str, #[case] expected: Result<&str, &str>) {
    let expanded = expand(value, &options().environment).map_err(|text| text.english);
    assert_eq!(expanded, expected.map(str::to_owned).map_err(str::to_owned));
}
