//! Servers that start, hang, die, and end.

use super::{fine, options, server, tools};
use crate::tools::{At, Options, Server, Tools};
use rstest::rstest;
use serde_json::json;
use std::collections::BTreeMap;
use std::future::Future;
use std::path::Path;
use std::time::Duration;

fn notes(folder: &Path) -> Vec<String> {
    std::fs::read_to_string(folder.join("notes")).unwrap_or_default().lines().map(str::to_owned).collect()
}

/// The processes that were started.
fn processes(folder: &Path) -> Vec<i32> {
    let id = |note: String| note.strip_prefix("started ").map(|id| id.parse().expect("a number"));
    notes(folder).into_iter().filter_map(id).collect()
}

fn is_alive(id: i32) -> bool {
    // One that has ended and was not waited for by its parent is a zombie.
    let status = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    !status.is_empty() && !status.contains(") Z ")
}

/// Waits until it is so; that it never is, is the test's end.
async fn until(what: &str, condition: impl Fn() -> bool) {
    let waiting = async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), waiting).await.unwrap_or_else(|_| panic!("never: {what}"));
}

/// Lets a call run until the server hangs in it, and drops it.
async fn drop_when_hanging(folder: &Path, call: impl Future) {
    let hanging = until("it hangs", || notes(folder).contains(&"hanging".to_owned()));
    tokio::select! {
        _ = call => panic!("it cannot answer"),
        () = hanging => {}
    }
}

#[tokio::test]
async fn a_call_that_is_dropped_is_cancelled_at_the_server() {
    let folder = tempfile::tempdir().expect("a folder");
    let tools = tools(folder.path()).await;
    drop_when_hanging(folder.path(), tools.call("faulty__hang", &json!({}))).await;
    until("it is told", || notes(folder.path()).contains(&"cancelled".to_owned())).await;
    assert_eq!(tools.call("faulty__echo", &json!({})).await, fine("{}"), "and it goes on");
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_cancelled() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = Options { call: Duration::from_millis(300), ..options() };
    let tools = Tools::connect(vec![server("faulty", folder.path(), "")], options).await;
    let outcome = tools.call("faulty__hang", &json!({})).await;
    assert!(outcome.is_error);
    assert_eq!(outcome.text, "The call took longer than 0.3 seconds, and was cancelled.");
    until("it is told", || notes(folder.path()).contains(&"cancelled".to_owned())).await;
}

#[tokio::test]
async fn calls_do_not_wait_for_each_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let tools = tools(folder.path()).await;
    let none = json!({});
    tokio::select! {
        _ = tools.call("faulty__hang", &none) => panic!("it cannot answer"),
        outcome = tools.call("faulty__echo", &none) => assert_eq!(outcome, fine("{}")),
    }
}

#[tokio::test]
async fn a_server_that_died_is_started_again_at_the_next_call() {
    let folder = tempfile::tempdir().expect("a folder");
    let tools = tools(folder.path()).await;
    let outcome = tools.call("faulty__die", &json!({})).await;
    assert!(outcome.is_error && outcome.text.contains("The server \"faulty\" has ended"), "{outcome:?}");
    assert_eq!(tools.call("faulty__echo", &json!({})).await, fine("{}"));
    assert_eq!(processes(folder.path()).len(), 2);
}

#[tokio::test]
async fn a_server_that_cannot_be_started_again_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("server.py");
    std::fs::copy(super::SCRIPT, &script).expect("a copy");
    let args = vec![script.display().to_string(), folder.path().display().to_string()];
    let at = At::Process { command: "python3".to_owned(), args, env: BTreeMap::new(), cwd: None };
    let tools = Tools::connect(vec![Server { name: "faulty".to_owned(), at }], options()).await;
    std::fs::remove_file(&script).expect("it is there");
    let _ = tools.call("faulty__die", &json!({})).await;
    let outcome = tools.call("faulty__echo", &json!({})).await;
    assert!(outcome.is_error && outcome.text.contains("cannot be started again"), "{outcome:?}");
}

#[rstest]
#[case::no_program(At::Process { command: "no-such-program".into(), args: vec![], env: BTreeMap::new(), cwd: None }, "\"no-such-program\" cannot be started")]
#[case::no_server(At::Process { command: "true".into(), args: vec![], env: BTreeMap::new(), cwd: None }, "does not answer as an MCP server")]
#[case::no_variable(At::Process { command: "true".into(), args: vec![], env: BTreeMap::from([("A".into(), "${NONE}".into())]), cwd: None }, "NONE is not set")]
#[case::no_address(At::Url { url: "http://127.0.0.1:1/mcp".into(), headers: BTreeMap::new() }, "does not answer as an MCP server")]
#[case::no_header(At::Url { url: "http://127.0.0.1:1/mcp".into(), headers: BTreeMap::from([("a b".into(), "x".into())]) }, "The header \"a b\"")]
#[tokio::test]
async fn one_that_fails_is_reported_and_the_others_work(#[case] at: At, #[case] why: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let servers = vec![
        Server { name: "broken".to_owned(), at },
        server("faulty", folder.path(), ""),
        server("faulty", folder.path(), ""),
        server("gone", folder.path(), "gone"),
    ];
    let tools = Tools::connect(servers, options()).await;
    let failed: Vec<&str> = tools.failures().iter().map(|failure| failure.server.as_str()).collect();
    assert_eq!(failed, ["broken", "faulty", "gone"]);
    assert!(tools.failures()[0].why.contains(why), "{:?}", tools.failures());
    assert!(tools.failures()[1].why.contains("Two servers"), "{:?}", tools.failures());
    assert_eq!(tools.call("faulty__echo", &json!({})).await, fine("{}"));
}

#[tokio::test]
async fn a_server_that_is_never_ready_is_given_up_and_ended() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = Options { start: Duration::from_secs(1), ..options() };
    let tools = Tools::connect(vec![server("faulty", folder.path(), "silent")], options).await;
    assert_eq!(tools.failures()[0].why, "It was not ready within 1 seconds.");
    until("it has ended", || processes(folder.path()).iter().all(|id| !is_alive(*id))).await;
}

#[tokio::test]
async fn an_endless_list_of_tools_is_cut() {
    let folder = tempfile::tempdir().expect("a folder");
    let tools = Tools::connect(vec![server("faulty", folder.path(), "endless")], options()).await;
    assert_eq!(tools.failures(), []);
    assert!((1..=4).contains(&tools.specs().len()), "{}", tools.specs().len());
}

#[tokio::test]
async fn what_a_server_says_besides_holds_nothing_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let tools = Tools::connect(vec![server("faulty", folder.path(), "talkative")], options()).await;
    assert_eq!(tools.call("faulty__echo", &json!({})).await, fine("{}"));
}

#[rstest]
#[tokio::test]
async fn nothing_is_left_behind(#[values("", "children", "stubborn")] mode: &str, #[values(true, false)] closes: bool) {
    let folder = tempfile::tempdir().expect("a folder");
    let tools = Tools::connect(vec![server("faulty", folder.path(), mode)], options()).await;
    let processes = processes(folder.path());
    assert_eq!(processes.len(), if mode == "children" { 2 } else { 1 });
    assert!(processes.iter().all(|id| is_alive(*id)), "they run");
    if closes {
        tools.close().await;
        for id in &processes {
            until("it is gone", || !is_alive(*id)).await;
        }
        let outcome = tools.call("faulty__echo", &json!({})).await;
        assert!(outcome.is_error, "nothing is started again: {outcome:?}");
    }
    drop(tools);
    until("all have ended", || self::processes(folder.path()).iter().all(|id| !is_alive(*id))).await;
}
