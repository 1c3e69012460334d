//! A run of which both its hooks and its agent's files tell.

use super::own_lists::{file, hook, listens, worked};
use super::{World, agent, todos, user};
use jiff::Timestamp;
use protocol::{Happened, SessionLeave, SessionReport, SessionState};
use rstest::rstest;

fn said(happened: Happened, text: Option<&str>, at: Timestamp) -> SessionReport {
    SessionReport { happened, text: text.map(str::to_owned), at: Some(at), ..worked() }
}

#[tokio::test]
async fn a_files_first_prompt_names_a_session_of_which_hooks_told_none() {
    let world = World::new().await;
    let prompted = |text, at| said(Happened::Prompted, Some(text), at);
    world.pass(1);
    let id = world.report(&hook("run-1"), listens()).await.session_id.expect("it begins");
    let own = world.observe(&hook("run-1"), todos(&["A"]), None).await.session_id;
    world.pass(1);
    world.report(&file("run-1"), prompted("Release it\nnow", world.ago(2))).await;
    for id in [&id, &own] {
        assert_eq!(world.session(id).await.title, "Release it…");
    }
    world.report(&file("run-1"), prompted("Go on", world.ago(0))).await;
    assert_eq!(world.session(&id).await.title, "Release it…", "it has its name");

    // A step of its list was its title until then.
    let mut codex = agent("one");
    codex.agent.as_mut().expect("an agent").own_session = Some("run-2".to_owned());
    let listed = world.write(&codex, todos(&["Plan"])).await.session_id;
    world.report(&hook("run-2"), listens()).await;
    assert_eq!(world.session(&listed).await.title, "Plan");
    world.pass(1);
    world.report(&file("run-2"), prompted("Once more", world.ago(0))).await;
    assert_eq!(world.session(&listed).await.title, "Plan", "that was not the first one");
    world.report(&file("run-2"), prompted("Plan the release", world.ago(1))).await;
    let world = world.restart().await;
    assert_eq!(world.session(&listed).await.title, "Plan the release");
    world.running.stop().await;
}

#[tokio::test]
async fn a_prompt_that_a_hook_told_stays_the_title() {
    let world = World::new().await;
    world.pass(1);
    let asked = SessionReport { happened: Happened::Prompted, text: Some("Fix it".to_owned()), ..listens() };
    let id = world.report(&hook("run-1"), asked).await.session_id.expect("it begins");
    world.report(&file("run-1"), said(Happened::Prompted, Some("Fix it, with a hint"), world.ago(0))).await;
    assert_eq!(world.session(&id).await.title, "Fix it");
    world.running.stop().await;
}

// Cline does not wait for that hook.
#[tokio::test]
async fn the_end_of_a_turn_that_is_told_late_leaves_a_finished_session_finished() {
    let world = World::new().await;
    let mut codex = agent("one");
    codex.agent.as_mut().expect("an agent").own_session = Some("run-1".to_owned());
    let id = world.write(&codex, todos(&["A"])).await.session_id;
    world.report(&hook("run-1"), worked()).await;
    world.ask(&codex, SessionLeave {}).await.expect("it leaves");
    let finished = world.session(&id).await;
    world.pass(1);
    let rests = SessionReport { happened: Happened::Rests, ..worked() };
    world.report(&hook("run-1"), rests.clone()).await;
    let late = world.session(&id).await;
    assert_eq!((late.state, late.state_reason), (SessionState::Finished, finished.state_reason));
    world.report(&hook("run-1"), worked()).await;
    world.report(&hook("run-1"), rests).await;
    assert_eq!(world.session(&id).await.state, SessionState::Idle, "it came back, and its turn is over");
    world.running.stop().await;
}

// After Escape Claude Code calls no hook; where a prompt waits, it is sent at once.
#[rstest]
#[case::stopped(Some("interrupted"), 0, SessionState::Idle)]
#[case::and_prompted_since(Some("interrupted"), 2, SessionState::Running)]
#[case::over(None, 0, SessionState::Running)]
#[tokio::test]
async fn only_a_file_tells_that_the_user_has_stopped_a_turn(
    #[case] reason: Option<&str>,
    #[case] minutes: i64,
    #[case] state: SessionState,
) {
    let world = World::new().await;
    let asked = SessionReport { happened: Happened::Prompted, text: Some("Fix it".to_owned()), ..listens() };
    let id = world.report(&hook("run-1"), asked.clone()).await.session_id.expect("it begins");
    world.pass(1);
    world.report(&file("run-1"), said(Happened::Rests, reason, world.ago(minutes))).await;
    assert_eq!(world.session(&id).await.state, state);
    world.report(&hook("run-1"), asked).await;
    assert_eq!(world.session(&id).await.state, SessionState::Running);
    world.running.stop().await;
}

#[tokio::test]
async fn a_file_tells_the_folder_of_calls_that_did_not_know_it() {
    let world = World::new().await;
    let mut calls = agent("one");
    calls.agent.as_mut().expect("an agent").folder = None;
    let id = world.write(&calls, todos(&["A"])).await.session_id;
    assert_eq!(world.session(&id).await.folder, None);
    world.report(&file("run-1"), worked()).await;
    let read = SessionReport { proof: world.proof(&calls).await, at: Some(world.ago(0)), ..worked() };
    assert_eq!(world.report(&file("run-1"), read).await.session_id.as_ref(), Some(&id), "one run");
    let session = world.session(&id).await;
    assert_eq!((session.folder.as_deref(), session.project.as_deref()), (Some("/home/me/billing"), Some("billing")));
    world.running.stop().await;
}

// Copilot's list is in a database, which is read after the hook of the call.
#[tokio::test]
async fn a_list_that_a_file_tells_can_be_edited_at_once_where_hooks_listen() {
    let world = World::new().await;
    for (run, report, is_read_only) in [("run-1", listens(), false), ("run-2", worked(), true)] {
        world.report(&hook(run), report).await;
        let id = world.observe(&file(run), todos(&["A", "B"]), Some(world.ago(0))).await.session_id;
        assert_eq!(world.session(&id).await.read_only, is_read_only);
        let edited = world.ask(&user(), super::delete(&id, "2")).await;
        assert_eq!(edited.is_err(), is_read_only);
        let heard = world.report(&hook(run), listens()).await.own;
        assert_eq!(heard.map(|own| own.edits.len()), (!is_read_only).then_some(1));
    }
    world.running.stop().await;
}
