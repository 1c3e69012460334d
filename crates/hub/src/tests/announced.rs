//! Calls that say nothing of their run, which a hook has announced.

use super::{World, agent, contents, todos, user};
use protocol::{
    AgentIdentity, AgentInfo, AnnouncedCall, Caller, EditState, NoteSend, SessionGet, SessionReport, SubagentEvent,
    TodoDelivered, TodoRead, TodoWrite, Transport,
};
use rstest::rstest;
use serde_json::json;

/// A hook of a run of `kilo`, with the processes above it.
fn hook(own: &str, process: &str) -> Caller {
    let identity = AgentIdentity {
        agent: AgentInfo { name: "kilo".to_owned(), version: None },
        own_session: Some(own.to_owned()),
        processes: vec!["shell 7".to_owned(), process.to_owned()],
        ..AgentIdentity::default()
    };
    Caller::agent(Transport::Hook, own.to_owned(), identity)
}

/// A call of its one tool server, which does not know its session.
fn server(process: &str) -> Caller {
    let mut caller = agent(&format!("server of {process}"));
    let identity = caller.agent.as_mut().expect("an agent");
    identity.agent.name = "kilo".to_owned();
    identity.processes = vec![process.to_owned()];
    caller
}

fn announces(contents: &[&str], subagent: Option<&str>, id: Option<&str>) -> SessionReport {
    let call = AnnouncedCall {
        subagent: subagent.map(str::to_owned),
        id: id.map(str::to_owned),
        arguments: json!({ "todos": todos(contents) }),
    };
    SessionReport { calls: Some(Box::new(call)), begins: true, ..SessionReport::default() }
}

async fn write(world: &World, caller: &Caller, contents: &[&str]) -> protocol::TodoWritten {
    let ask = TodoWrite { todos: todos(contents), prove: true, ..TodoWrite::default() };
    world.ask(caller, ask).await.expect("it is taken")
}

#[tokio::test]
async fn two_runs_of_one_process_are_two() {
    let world = World::new().await;
    for (own, words) in [("run-1", "A"), ("run-2", "B")] {
        world.report(&hook(own, "kilo 1"), announces(&[words], None, None)).await;
    }
    let two = write(&world, &server("kilo 1"), &["B"]).await;
    let one = write(&world, &server("kilo 1"), &["A"]).await;
    assert_ne!(one.session_id, two.session_id);
    assert_eq!((one.proof, two.proof), (None, None), "no secret is needed");
    for (own, session) in [("run-1", &one.session_id), ("run-2", &two.session_id)] {
        let heard = world.report(&hook(own, "kilo 1"), SessionReport::default()).await;
        assert_eq!(heard.session_id.as_ref(), Some(session), "the hooks tell of the same");
    }
    // Edits in a result count as delivered, whichever of the two it was about.
    for session in [&one.session_id, &two.session_id] {
        let note = NoteSend { session_id: session.clone(), text: "Ask first".to_owned() };
        world.ask(&user(), note).await.expect("it is taken");
    }
    world.report(&hook("run-1", "kilo 1"), announces(&["A"], None, None)).await;
    let told = write(&world, &server("kilo 1"), &["A"]).await;
    assert_eq!((&told.session_id, told.edits.len()), (&one.session_id, 1));
    let edits = told.edits.iter().map(|edit| edit.edit_id.clone()).collect();
    let delivered =
        TodoDelivered { session_id: told.session_id, revision: Some(told.revision), edits, tool_call: None };
    world.ask(&server("kilo 1"), delivered).await.expect("it is its own");
    let edits =
        world.ask(&user(), SessionGet { session_id: one.session_id, revision: None }).await.expect("there").edits;
    assert_eq!(edits[0].state, EditState::Delivered);
    world.running.stop().await;
}

#[rstest]
#[case::of_another_process(hook("run-1", "kilo 2"), &["A"])]
#[case::of_another_call(hook("run-1", "kilo 1"), &["A", "B"])]
#[tokio::test]
async fn what_was_not_announced_there_is_not_taken_for_it(#[case] by: Caller, #[case] contents: &[&str]) {
    let world = World::new().await;
    world.report(&by, announces(contents, None, None)).await;
    let written = write(&world, &server("kilo 1"), &["A"]).await;
    assert!(written.proof.is_some(), "its hooks have to prove it");
    let heard = world.report(&by, SessionReport::default()).await;
    assert_ne!(heard.session_id, Some(written.session_id));
    world.running.stop().await;
}

#[tokio::test]
async fn a_call_with_a_key_is_not_taken_for_one_that_another_announced() {
    let world = World::new().await;
    let mut by = hook("run-1", "kilo 1");
    by.key = Some("key-1".to_owned());
    world.report(&by, announces(&["A"], None, None)).await;
    let mut stranger = server("kilo 1");
    stranger.key = Some("key-2".to_owned());
    assert!(write(&world, &stranger, &["A"]).await.proof.is_some());
    world.running.stop().await;
}

#[tokio::test]
async fn a_subagents_call_is_its_own() {
    let world = World::new().await;
    world.report(&hook("run-1", "kilo 1"), announces(&["A"], None, None)).await;
    let main = write(&world, &server("kilo 1"), &["A"]).await.session_id;
    let announced = SessionReport { begins: false, ..announces(&["Look"], Some("sub"), None) };
    world.report(&hook("run-1", "kilo 1"), announced).await;
    let sub = write(&world, &server("kilo 1"), &["Look"]).await.session_id;
    assert_eq!(world.session(&sub).await.parent_session_id, Some(main.clone()));
    let read = world.ask(&user(), TodoRead { session_id: Some(main), ..TodoRead::default() }).await.expect("there");
    assert_eq!(contents(&read.todos), ["A"]);
    world.running.stop().await;
}

// After `/clear` the environment of the tool server has an old id.
#[tokio::test]
async fn the_id_of_the_call_counts_more_than_an_old_id_of_the_session() {
    let world = World::new().await;
    let call = |id: &str| {
        let mut caller = server("kilo 1");
        let identity = caller.agent.as_mut().expect("an agent");
        (identity.own_session, identity.call) = (Some("run-1".to_owned()), Some(id.to_owned()));
        caller
    };
    world.report(&hook("run-1", "kilo 1"), announces(&["A"], None, Some("call-1"))).await;
    let before = write(&world, &call("call-1"), &["A"]).await.session_id;
    world.report(&hook("run-2", "kilo 1"), announces(&["A"], None, Some("call-2"))).await;
    let after = write(&world, &call("call-2"), &["A"]).await;
    assert_ne!(after.session_id, before);
    let heard = world.report(&hook("run-2", "kilo 1"), SessionReport::default()).await;
    assert_eq!(heard.session_id, Some(after.session_id));
    world.running.stop().await;
}

// Kimi Code says of no hook and of no call that it is a subagent's.
#[tokio::test]
async fn a_call_while_an_unnamed_subagent_works_is_the_subagents() {
    let world = World::new().await;
    world.report(&hook("run-1", "kilo 1"), announces(&["A"], None, None)).await;
    let main = write(&world, &server("kilo 1"), &["A"]).await.session_id;
    let told = |event| SessionReport { subagent: Some(event), ..SessionReport::default() };
    world.report(&hook("run-1", "kilo 1"), told(SubagentEvent::Began)).await;
    world.report(&hook("run-1", "kilo 1"), announces(&["Look"], None, None)).await;
    let sub = write(&world, &server("kilo 1"), &["Look"]).await.session_id;
    assert_eq!(world.session(&sub).await.parent_session_id.as_ref(), Some(&main));
    world.report(&hook("run-1", "kilo 1"), told(SubagentEvent::Ended)).await;
    world.report(&hook("run-1", "kilo 1"), announces(&["A", "B"], None, None)).await;
    assert_eq!(write(&world, &server("kilo 1"), &["A", "B"]).await.session_id, main);
    world.running.stop().await;
}
