//! A list that is complete for a moment makes nobody idle.

use super::own_lists::{hook, listens};
use super::{World, agent, todos, user};
use futures_util::{FutureExt, StreamExt};
use jiff::SignedDuration;
use protocol::{
    Backend, Event, Happened, SessionLeave, SessionMark, SessionReport, SessionState, SettingsUpdate, TodoPreview,
};
use serde_json::{Value, json};

fn done() -> Value {
    json!([{ "content": "A", "status": "completed" }])
}

impl World {
    /// Seconds pass, and the hub looks.
    fn look_after(&self, seconds: i64) {
        *self.now.lock().expect("nobody panicked") += SignedDuration::from_secs(seconds);
        self.hub().core.board.time_passed(self.hub().core.moment());
    }
}

#[tokio::test]
async fn a_complete_list_is_idle_after_twenty_seconds_of_silence() {
    let world = World::new().await;
    let id = world.write(&agent("one"), todos(&["A"])).await.session_id;
    let mut events = world.hub().subscribe(None).await.expect("a subscription").events;
    let mut states = Vec::new();
    // A list that is taken up again within that time was never idle.
    for _ in 0..3 {
        world.write(&agent("one"), done()).await;
        world.look_after(19);
        states.push(world.session(&id).await.state);
        world.write(&agent("one"), todos(&["A", "B"])).await;
        world.look_after(19);
    }
    let completed = world.write(&agent("one"), done()).await;
    world.look_after(19);
    assert_eq!((completed.session_id.as_str(), &states[..]), (id.as_str(), &[SessionState::Running; 3][..]));
    while let Some(Some(event)) = events.next().now_or_never() {
        let state = match event.event() {
            Event::TodoUpdate(update) => update.session.session.state,
            Event::SessionUpdated(updated) => updated.session.session.state,
            _ => continue,
        };
        assert_eq!(state, SessionState::Running);
    }
    world.look_after(1);
    let told = events.next().now_or_never().flatten().expect("the time has passed, and it is told");
    let Event::SessionUpdated(updated) = told.event() else { panic!("{told:?}") };
    let session = &updated.session.session;
    assert_eq!((session.state, session.state_at), (SessionState::Idle, session.last_activity_at));
    world.running.stop().await;
}

#[tokio::test]
async fn an_end_that_is_told_counts_at_once() {
    let world = World::new().await;
    let mut codex = agent("one");
    codex.agent.as_mut().expect("an agent").own_session = Some("run-1".to_owned());
    let presence = world.hub().present("one");
    let id = world.write(&codex, done()).await.session_id;
    assert_eq!(world.session(&id).await.state, SessionState::Running);
    let rests = SessionReport { happened: Happened::Rests, listens: false, ..listens() };
    world.report(&hook("run-1"), rests).await;
    assert_eq!(world.session(&id).await.state, SessionState::Idle);
    world.write(&codex, done()).await;
    world.ask(&codex, SessionLeave {}).await.expect("it leaves");
    drop(presence);
    assert_eq!(world.session(&id).await.state, SessionState::Finished);
    world.running.stop().await;
}

#[tokio::test]
async fn the_seconds_are_a_setting() {
    let world = World::new().await;
    let id = world.write(&agent("one"), done()).await.session_id;
    let set = |seconds| SettingsUpdate { settle_seconds: Some(seconds), ..SettingsUpdate::default() };
    world.ask(&user(), set(3_601)).await.expect_err("it is too long");
    world.ask(&user(), set(60)).await.expect("it is set");
    world.look_after(59);
    assert_eq!(world.session(&id).await.state, SessionState::Running);
    world.ask(&user(), set(0)).await.expect("it is set");
    assert_eq!(world.session(&id).await.state, SessionState::Idle);
    world.running.stop().await;
}

#[tokio::test]
async fn a_text_is_read_as_steps_before_they_are_added() {
    let world = World::new().await;
    let ask = TodoPreview { text: "Plan:\n1. Read\n   - [x] the page\n2. Write".to_owned() };
    let steps = world.ask(&user(), ask).await.expect("it is read").steps;
    let read: Vec<_> = steps.iter().map(|step| (step.content.as_str(), step.status.name(), step.is_subtask)).collect();
    let expected = [("Read", "pending", false), ("the page", "completed", true), ("Write", "pending", false)];
    assert_eq!(read, expected);
    world.running.stop().await;
}

#[tokio::test]
async fn a_session_is_renamed_and_keeps_that_name() {
    let world = World::new().await;
    let id = world.write(&agent("one"), todos(&["A"])).await.session_id;
    let named =
        |title: &str| SessionMark { session_id: id.clone(), title: Some(title.to_owned()), ..SessionMark::default() };
    for wrong in ["  ", "two\nlines", &"x".repeat(201)] {
        world.ask(&user(), named(wrong)).await.expect_err(wrong);
    }
    world.ask(&user(), named(" The release ")).await.expect("it is renamed");
    world.write(&agent("one"), todos(&["B"])).await;
    let world = world.restart().await;
    assert_eq!(world.session(&id).await.title, "The release");
    world.running.stop().await;
}
