//! The clock is set while something is waited for.

use super::own_lists::{hook, listens, run};
use super::{World, todos, user};
use protocol::{AnnouncedCall, NoteSend, SessionReport, TodoWrite, Transport};
use rstest::rstest;
use serde_json::json;

fn announced(subagent: &str, contents: &[&str]) -> SessionReport {
    let call =
        AnnouncedCall { subagent: Some(subagent.to_owned()), id: None, arguments: json!({ "todos": todos(contents) }) };
    SessionReport { calls: Some(Box::new(call)), ..SessionReport::default() }
}

#[rstest]
#[case::ahead(120)]
#[case::back(-120)]
#[tokio::test]
async fn an_announced_call_is_its_subagents(#[case] minutes: i64) {
    let world = World::new().await;
    let mcp = run("run", Transport::Mcp);
    let above = world.write(&mcp, todos(&["Plan"])).await.session_id;
    world.report(&hook("run"), announced("one", &["A"])).await;
    world.set_clock(minutes);
    world.report(&hook("run"), announced("two", &["B"])).await;
    let write = |contents: &[&str]| TodoWrite { todos: todos(contents), ..TodoWrite::default() };
    let one = world.ask(&mcp, write(&["A"])).await.expect("it is written");
    assert_ne!(one.session_id, above);
    world.pass(2);
    let two = world.ask(&mcp, write(&["B"])).await.expect("it is written");
    assert_eq!(two.session_id, above, "a call that did not come in a minute is not waited for");
}

#[tokio::test]
async fn an_answer_that_got_lost_is_told_again_after_the_clock_was_set_back() {
    let world = World::new().await;
    let id = world.write(&run("run", Transport::Mcp), todos(&["Plan"])).await.session_id;
    world.ask(&user(), NoteSend { session_id: id, text: "Mind the gap".to_owned() }).await.expect("it is sent");
    assert_eq!(world.report(&hook("run"), listens()).await.edits.len(), 1);
    assert_eq!(world.report(&hook("run"), listens()).await.edits, [], "it is on its way");
    world.set_clock(-60);
    world.pass(1);
    assert_eq!(world.report(&hook("run"), listens()).await.edits.len(), 1);
}
