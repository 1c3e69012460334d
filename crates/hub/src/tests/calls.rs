//! Calls of other tools, and runs that change the same file.

use super::World;
use super::own_lists::{hook, worked};
use protocol::{DoneCall, LastCall, NeedKind, SessionReport};

fn changed(file: &str) -> SessionReport {
    let done = DoneCall {
        tool: "Edit".to_owned(),
        text: Some(file.to_owned()),
        file: Some(file.to_owned()),
        ..DoneCall::default()
    };
    SessionReport { done: Some(Box::new(done)), tool: true, begins: true, ..worked() }
}

async fn change(world: &World, own: &str, file: &str) -> String {
    world.report(&hook(own), changed(file)).await.session_id.expect("it is known")
}

#[tokio::test]
async fn the_last_call_is_told() {
    let world = World::new().await;
    let id = change(&world, "run-1", "/home/me/billing/src/lib.rs").await;
    let call = world.session(&id).await.last_call.expect("there was one");
    let text = Some("/home/me/billing/src/lib.rs".to_owned());
    assert_eq!(call, LastCall { tool: "Edit".to_owned(), text, at: world.ago(0) });
    let long = SessionReport {
        done: Some(Box::new(DoneCall {
            tool: "Bash".to_owned(),
            text: Some("x".repeat(5_000)),
            ..DoneCall::default()
        })),
        ..worked()
    };
    world.report(&hook("run-1"), long).await;
    let call = world.session(&id).await.last_call.expect("there was one");
    assert_eq!(call.text.map(|text| text.len()), Some(300));
    world.running.stop().await;
}

#[tokio::test]
async fn two_runs_that_change_one_file_are_told_in_both() {
    let world = World::new().await;
    let one = change(&world, "run-1", "/home/me/billing/src/lib.rs").await;
    let two = change(&world, "run-2", "/home/me/billing/src/main.rs").await;
    assert!(world.session(&one).await.needs.is_empty() && world.session(&two).await.needs.is_empty());
    world.pass(5);
    // A path that does not begin at the root goes from the run's folder.
    change(&world, "run-2", "src/lib.rs").await;
    for (id, other) in [(&one, &two), (&two, &one)] {
        let need = world.session(id).await.needs.remove(0);
        assert_eq!((need.kind, need.text.as_str()), (NeedKind::Overlap, "/home/me/billing/src/lib.rs"));
        assert_eq!(need.other_session_id.as_ref(), Some(other));
    }
    world.pass(5);
    change(&world, "run-1", "/home/me/billing/src/lib.rs").await;
    assert_eq!(world.session(&one).await.needs.len(), 1, "it is the same one");
    world.pass(31);
    let next = change(&world, "run-3", "/home/me/billing/src/lib.rs").await;
    for id in [&one, &two, &next] {
        assert!(world.session(id).await.needs.is_empty(), "that was long ago");
    }
    world.running.stop().await;
}

#[tokio::test]
async fn a_subagent_may_change_what_its_agent_does() {
    let world = World::new().await;
    change(&world, "run-1", "/home/me/billing/src/lib.rs").await;
    let mut subagent = hook("run-1/helper");
    subagent.agent.as_mut().expect("an agent").parent = Some("run-1".to_owned());
    let id = world.report(&subagent, changed("/home/me/billing/src/lib.rs")).await.session_id.expect("known");
    assert!(world.session(&id).await.needs.is_empty());
    world.running.stop().await;
}
