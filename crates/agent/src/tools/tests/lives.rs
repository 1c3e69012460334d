//! Servers that start, hang, die, and end.

use super::{fine, options, server, tools};
use crate::tools::{Failure, Options, Server, ToolResult, Tools, Transport};
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

// The call that such a message answers is not known: all of them fail, at once.
#[tokio::test]
async fn a_message_that_is_too_long_ends_the_server_and_its_calls() {
    let folder = tempfile::tempdir().expect("a folder");
    let tools = tools(folder.path()).await;
    let (none, fits, flood) = (json!({}), json!({"bytes": 15 << 20}), json!({"bytes": 17 << 20}));
    let outcome = tools.call("faulty__flood", &fits).await;
    assert!(!outcome.is_error && outcome.text.ends_with("bytes were left out]"), "{}", outcome.text);
    let (flooded, hanging) = tokio::join!(tools.call("faulty__flood", &flood), tools.call("faulty__hang", &none));
    for outcome in [flooded, hanging] {
        let why = "The server \"faulty\" has sent a message of more than 16 MiB, and was ended;";
        assert!(outcome.is_error && outcome.text.starts_with(why), "{outcome:?}");
    }
    until("it has ended", || processes(folder.path()).iter().all(|id| !is_alive(*id))).await;
    assert_eq!(tools.call("faulty__echo", &none).await, fine("{}"));
    assert_eq!(processes(folder.path()).len(), 2);
}

#[tokio::test]
async fn a_server_that_cannot_be_started_again_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("server.py");
    std::fs::copy(super::SCRIPT, &script).expect("a copy");
    let args = vec![script.display().to_string(), folder.path().display().to_string()];
    let transport =
        Transport::Process { command: "python3".to_owned(), args, env: BTreeMap::new(), cwd: None, confined: false };
    let tools = Tools::connect(vec![Server { name: "faulty".to_owned(), transport }], options()).await;
    std::fs::remove_file(&script).expect("it is there");
    let _ = tools.call("faulty__die", &json!({})).await;
    let outcome = tools.call("faulty__echo", &json!({})).await;
    assert!(outcome.is_error && outcome.text.contains("cannot be started again"), "{outcome:?}");
}

#[rstest]
#[case::no_program(Transport::Process { command: "no-such-program".into(), args: vec![], env: BTreeMap::new(), cwd: None, confined: false }, "\"no-such-program\" cannot be started")]
#[case::no_server(Transport::Process { command: "true".into(), args: vec![], env: BTreeMap::new(), cwd: None, confined: false }, "does not answer as an MCP server")]
#[case::no_variable(Transport::Process { command: "true".into(), args: vec![], env: BTreeMap::from([("A".into(), "${NONE}".into())]), cwd: None, confined: false }, "NONE is not set")]
#[case::no_address(Transport::Url { url: "http://127.0.0.1:1/mcp".into(), headers: BTreeMap::new() }, "does not answer as an MCP server")]
#[case::no_header(Transport::Url { url: "http://127.0.0.1:1/mcp".into(), headers: BTreeMap::from([("a b".into(), "x".into())]) }, "The header \"a b\"")]
#[tokio::test]
async fn one_that_fails_is_reported_and_the_others_work(#[case] transport: Transport, #[case] why: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let servers = vec![
        Server { name: "broken".to_owned(), transport },
        server("faulty", folder.path(), ""),
        server("faulty", folder.path(), ""),
        server("gone", folder.path(), "gone"),
    ];
    let tools = Tools::connect(servers, options()).await;
    let failed: Vec<&str> = tools.failures().iter().map(|failure| failure.server.as_str()).collect();
    assert_eq!(failed, ["broken", "faulty", "gone"]);
    assert!(tools.failures()[0].why.english.contains(why), "{:?}", tools.failures());
    assert!(tools.failures()[1].why.english.contains("Two servers"), "{:?}", tools.failures());
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

#[tokio::test]
async fn those_that_are_as_they_were_go_on_and_the_others_are_begun_or_ended() {
    let folders: Vec<_> = (0..3).map(|_| tempfile::tempdir().expect("a folder")).collect();
    let [stays, changes, goes] = [0, 1, 2].map(|at: usize| folders[at].path());
    let away = Server {
        name: "away".to_owned(),
        transport: Transport::Url { url: "not an address".into(), headers: BTreeMap::new() },
    };
    let first =
        vec![server("stays", stays, ""), server("changes", changes, ""), server("goes", goes, ""), away.clone()];
    let before = Tools::connect(first, options()).await;
    assert_eq!(before.failures().len(), 1, "{:?}", before.failures());
    let were = [stays, changes, goes].map(processes);
    let then = vec![server("stays", stays, ""), server("changes", changes, "talkative"), server("away", goes, "")];
    let now = Tools::connect_beside(then, options(), Some(&before)).await;
    assert_eq!(now.failures(), []);
    before.close_but(&now).await;
    assert_eq!(processes(stays), were[0], "it was not started again");
    for name in ["stays", "changes", "away"] {
        assert_eq!(now.call(&format!("{name}__echo"), &json!({})).await, fine("{}"), "{name}");
    }
    assert!(now.call("goes__echo", &json!({})).await.is_error);
    assert!(before.call("stays__echo", &json!({})).await.is_error, "nobody calls it here any more");
    until("the others have ended", || were[1..].iter().flatten().all(|id| !is_alive(*id))).await;
    now.close().await;
    until("all have ended", || [stays, changes, goes].iter().all(|at| processes(at).iter().all(|id| !is_alive(*id))))
        .await;
}

#[tokio::test]
async fn who_was_waited_for_in_vain_is_not_waited_for_as_long_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = Options { start: Duration::from_secs(2), again: Duration::from_secs(1), ..options() };
    let silent = || vec![server("faulty", folder.path(), "silent")];
    let before = Tools::connect(silent(), options.clone()).await;
    assert_eq!(before.failures()[0].why, "It was not ready within 2 seconds.");
    let again = Tools::connect_beside(silent(), options.clone(), Some(&before)).await;
    assert_eq!(again.failures()[0].why, "It was not ready within 1 seconds.");
    // Once it is another it has its whole time.
    let others = vec![server("faulty", folder.path(), "")];
    let options = Options { again: Duration::ZERO, start: Duration::from_secs(60), ..options };
    assert_eq!(Tools::connect_beside(others, options, Some(&again)).await.failures(), []);
}

#[cfg(unix)]
#[tokio::test]
async fn one_that_has_ended_meanwhile_is_begun_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let before = tools(folder.path()).await;
    let first = processes(folder.path());
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(first[0]), nix::sys::signal::Signal::SIGKILL).expect("it ends");
    let is_known =
        || before.servers[0].connection.try_lock().is_ok_and(|it| it.as_ref().and_then(|it| it.peer()).is_none());
    until("that is known", is_known).await;
    let now = Tools::connect_beside(vec![server("faulty", folder.path(), "")], options(), Some(&before)).await;
    assert_eq!(processes(folder.path()).len(), 2);
    before.close_but(&now).await;
    assert_eq!(now.call("faulty__echo", &json!({})).await, fine("{}"));
}

/// The names of a server's tools.
fn names(tools: &Tools) -> Vec<&str> {
    tools.specs().iter().map(|spec| spec.name.as_str()).collect()
}

#[tokio::test]
async fn a_server_that_says_so_is_asked_for_its_tools_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let old = tools(folder.path()).await;
    assert!(!old.have_changed());
    old.call("faulty__grow", &json!({})).await;
    until("it has said so", || old.have_changed()).await;
    assert!(!names(&old).contains(&"faulty__grown"));
    let new = old.renewed().await;
    assert!(names(&new).contains(&"faulty__grown") && !new.have_changed());
    old.close_but(&new).await;
    assert_eq!(new.call("faulty__grown", &json!({})).await, fine("called grown"));
    assert_eq!(processes(folder.path()).len(), 1, "it goes on");
    new.call("faulty__alter", &json!({})).await;
    until("it has said so", || new.have_changed()).await;
    let last = Tools::connect_beside(vec![server("faulty", folder.path(), "")], options(), Some(&new)).await;
    let echo = |tools: &Tools| tools.specs().iter().find(|spec| spec.name == "faulty__echo").cloned();
    assert!(echo(&last).expect("it is there").description.starts_with("Also Does echo"));
    assert_ne!(echo(&last), echo(&new));
    last.close().await;
}

#[tokio::test]
async fn one_whose_tools_change_without_end_is_asked_once_each_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let listed = || notes(folder.path()).iter().filter(|note| *note == "listed").count();
    let first = Tools::connect(vec![server("faulty", folder.path(), "restless")], options()).await;
    assert_eq!((first.failures(), listed()), (&[][..], 1));
    until("it says so", || first.have_changed()).await;
    let second = first.renewed().await;
    assert_eq!(second.call("faulty__echo", &json!({})).await, fine("{}"));
    assert_eq!(listed(), 2);
    second.close().await;
}

#[tokio::test]
async fn one_that_does_not_name_its_changed_tools_is_none_any_more() {
    let folder = tempfile::tempdir().expect("a folder");
    let wanted = || vec![server("faulty", folder.path(), "mute")];
    let options = Options { again: Duration::from_secs(3), ..options() };
    let old = Tools::connect(wanted(), options.clone()).await;
    old.call("faulty__grow", &json!({})).await;
    until("it has said so", || old.have_changed()).await;
    assert!(tokio::time::timeout(Duration::from_millis(50), old.renewed()).await.is_err());
    assert!(old.have_changed(), "who gave up has not heard it");
    let new = old.renewed().await;
    let why = protocol::say::server_names_late(3);
    assert_eq!(why, "It has changed its tools, and did not name them within 3 seconds.");
    assert_eq!(new.failures(), [Failure { server: "faulty".to_owned(), why }]);
    assert!(new.specs().is_empty() && !new.have_changed());
    old.close_but(&new).await;
    let options = Options { again: Duration::from_secs(60), ..options };
    let again = Tools::connect_beside(wanted(), options, Some(&new)).await;
    assert_eq!(again.call("faulty__echo", &json!({})).await, fine("{}"), "it was begun anew");
    again.close().await;
}

#[tokio::test]
async fn a_tool_that_is_another_since_its_server_was_started_again_is_not_called() {
    let folder = tempfile::tempdir().expect("a folder");
    let old = tools(folder.path()).await;
    old.call("faulty__grow", &json!({})).await;
    until("it has said so", || old.have_changed()).await;
    let new = old.renewed().await;
    assert!(new.call("faulty__die", &json!({})).await.is_error);
    let why = "The server has another tool of this name by now; nothing was called.";
    for _ in 0..2 {
        let outcome = new.call("faulty__grown", &json!({})).await;
        assert_eq!(outcome, ToolResult { text: why.to_owned(), is_error: true });
    }
    assert!(new.have_changed() && !names(&new.renewed().await).contains(&"faulty__grown"));
    assert_eq!(new.call("faulty__echo", &json!({})).await, fine("{}"), "which is as it was");
    new.close().await;
}
