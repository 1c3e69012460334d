//! Ends of turns that are put off, so that an agent hears of edits that were made while it wrote its last words.

use super::own_lists::{hook, listens, worked};
use super::{World, agent, delete, todos, user};
use protocol::{
    Caller, EditState, Happened, NoteSend, SessionGet, SessionReport, SessionReported, SessionState, SettingsUpdate,
    SubagentEvent, TodoDelivered,
};
use serde_json::json;

fn rests() -> SessionReport {
    SessionReport { happened: Happened::Rests, ..listens() }
}

async fn prompt(world: &World) {
    let prompted = SessionReport { happened: Happened::Prompted, text: Some("Go".to_owned()), ..listens() };
    told(world, &world.report(&hook("run-1"), prompted).await).await;
}

async fn told(world: &World, reported: &SessionReported) {
    let ours = (reported.session_id.clone(), &reported.edits);
    let own = reported.own.as_ref().map(|own| (Some(own.session_id.clone()), &own.edits));
    for (session_id, edits) in [Some(ours), own].into_iter().flatten().filter(|(_, edits)| !edits.is_empty()) {
        let edits = edits.iter().map(|edit| edit.edit_id.clone()).collect();
        let session_id = session_id.expect("it is known");
        let delivered = TodoDelivered { session_id, revision: None, edits, tool_call: Some("hook Stop".to_owned()) };
        world.ask(&hook("run-1"), delivered).await.expect("it is noted");
    }
}

async fn note(world: &World, session_id: &str, text: &str) {
    let ask = NoteSend { session_id: session_id.to_owned(), text: text.to_owned() };
    world.ask(&user(), ask).await.expect("it is taken");
}

/// A run with a list, whose hooks are heard; and its session.
async fn run(world: &World) -> (Caller, String) {
    let mut codex = agent("one");
    codex.agent.as_mut().expect("an agent").own_session = Some("run-1".to_owned());
    let id = world.write(&codex, todos(&["A", "B"])).await.session_id;
    prompt(world).await;
    (codex, id)
}

async fn state(world: &World, id: &str) -> SessionState {
    world.session(id).await.state
}

#[tokio::test]
async fn a_turn_goes_on_with_what_was_not_seen_and_then_ends() {
    let world = World::new().await;
    let (_, id) = run(&world).await;
    world.ask(&user(), delete(&id, "2")).await.expect("it is there");
    let heard = world.report(&hook("run-1"), rests()).await;
    assert_eq!((heard.edits.len(), state(&world, &id).await), (1, SessionState::Running), "it goes on");
    told(&world, &heard).await;
    let get = SessionGet { session_id: id.clone(), revision: None };
    let edit = world.ask(&user(), get).await.expect("it is there").edits.remove(0);
    assert_eq!((edit.state, edit.tool_call.as_deref()), (EditState::Delivered, Some("hook Stop")));
    let again = world.report(&hook("run-1"), rests()).await;
    assert_eq!((again.edits.len(), state(&world, &id).await), (0, SessionState::Idle), "it was told once");
    world.running.stop().await;
}

#[tokio::test]
async fn who_does_not_listen_rests() {
    let world = World::new().await;
    let (_, id) = run(&world).await;
    note(&world, &id, "one").await;
    let rested = SessionReport { listens: false, ..rests() };
    assert_eq!(world.report(&hook("run-1"), rested).await.edits, []);
    assert_eq!(state(&world, &id).await, SessionState::Idle);
    world.running.stop().await;
}

#[tokio::test]
async fn a_setting_lets_turns_end() {
    let world = World::new().await;
    let (_, id) = run(&world).await;
    let off = SettingsUpdate { deliver_at_turn_end: Some(false), ..SettingsUpdate::default() };
    world.ask(&user(), off).await.expect("it is set");
    note(&world, &id, "one").await;
    assert_eq!(world.report(&hook("run-1"), rests()).await.edits, []);
    assert_eq!(state(&world, &id).await, SessionState::Idle);
    assert_eq!(world.report(&hook("run-1"), listens()).await.edits.len(), 1, "other hooks tell it");
    world.running.stop().await;
}

#[tokio::test]
async fn a_turn_is_put_off_six_times_and_the_next_one_anew() {
    let world = World::new().await;
    let (_, id) = run(&world).await;
    for round in 1..=7 {
        note(&world, &id, &format!("note {round}")).await;
        let heard = world.report(&hook("run-1"), rests()).await;
        assert_eq!(heard.edits.len(), usize::from(round <= 6), "round {round}");
        told(&world, &heard).await;
    }
    assert_eq!(state(&world, &id).await, SessionState::Idle, "a user who goes on writing does not keep it at work");
    prompt(&world).await;
    note(&world, &id, "one more").await;
    let heard = world.report(&hook("run-1"), rests()).await;
    assert_eq!(heard.edits.len(), 1);
    told(&world, &heard).await;
    // A call of a tool is work: the agent counts anew, too.
    for round in 0..8 {
        told(&world, &world.report(&hook("run-1"), SessionReport { tool: true, ..listens() }).await).await;
        note(&world, &id, &format!("after work {round}")).await;
        let heard = world.report(&hook("run-1"), rests()).await;
        assert_eq!(heard.edits.len(), 1, "round {round}");
        told(&world, &heard).await;
    }
    world.running.stop().await;
}

#[tokio::test]
async fn edits_of_a_built_in_list_put_the_end_off_too() {
    let world = World::new().await;
    world.report(&hook("run-1"), worked()).await;
    let own = world.observe(&hook("run-1"), json!([{"step": "Read"}, {"step": "Write"}]), None).await.session_id;
    prompt(&world).await;
    world.ask(&user(), delete(&own, "2")).await.expect("it can be edited");
    let heard = world.report(&hook("run-1"), rests()).await;
    assert_eq!(heard.own.as_ref().map(|own| own.edits.len()), Some(1));
    told(&world, &heard).await;
    assert_eq!(world.report(&hook("run-1"), rests()).await.own, None);
    world.running.stop().await;
}

#[tokio::test]
async fn a_turn_that_ends_while_a_subagent_works_is_the_subagents() {
    let world = World::new().await;
    let (_, id) = run(&world).await;
    let subagent = |event| SessionReport { subagent: Some(event), ..listens() };
    world.report(&hook("run-1"), subagent(SubagentEvent::Began)).await;
    note(&world, &id, "one").await;
    // Hooks that say of no event that it is a subagent's: this is the end of the subagent's turn.
    assert_eq!(world.report(&hook("run-1"), rests()).await.edits, []);
    assert_eq!(state(&world, &id).await, SessionState::Running);
    world.report(&hook("run-1"), SessionReport { listens: false, ..subagent(SubagentEvent::Ended) }).await;
    assert_eq!(world.report(&hook("run-1"), rests()).await.edits.len(), 1);
    // One whose end was never told is over with the next prompt.
    world.report(&hook("run-1"), subagent(SubagentEvent::Began)).await;
    prompt(&world).await;
    world.report(&hook("run-1"), SessionReport { listens: false, ..rests() }).await;
    assert_eq!(state(&world, &id).await, SessionState::Idle);
    world.running.stop().await;
}
