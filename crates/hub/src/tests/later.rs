//! Steps and messages that are kept until an agent is idle.

use super::own_lists::{file, hook, listens, worked};
use super::{World, agent, contents, delete, todos, user};
use protocol::{
    AgentIdentity, AgentInfo, Caller, Code, EditKind, EditState, Happened, LaterAdd, LaterDelete, LaterEdit, LaterItem,
    LaterList, SessionGet, SessionReport, SessionReported, SettingsUpdate, SubagentEvent, TodoDelivered, Transport,
};
use serde_json::json;

const FOLDER: &str = "/home/me/billing";

fn rests() -> SessionReport {
    SessionReport { happened: Happened::Rests, ..listens() }
}

fn prompted() -> SessionReport {
    SessionReport { happened: Happened::Prompted, text: Some("Go".to_owned()), ..listens() }
}

impl World {
    async fn later(&self, session_id: &str, step: bool, text: &str) -> LaterItem {
        let session_id = Some(session_id.to_owned());
        let ask = LaterAdd { session_id, step, text: text.to_owned(), ..LaterAdd::default() };
        self.ask(&user(), ask).await.expect("it is kept")
    }

    async fn later_in(&self, folder: &str, text: &str) -> LaterItem {
        let ask = LaterAdd { folder: Some(folder.to_owned()), text: text.to_owned(), ..LaterAdd::default() };
        self.ask(&user(), ask).await.expect("it is kept")
    }

    /// Those that wait for a session, or all.
    async fn kept_later(&self, session_id: Option<&str>) -> Vec<String> {
        let ask = LaterList { session_id: session_id.map(str::to_owned) };
        let items = self.ask(&user(), ask).await.expect("an answer").items;
        items.into_iter().filter(|item| item.handed_over.is_none()).map(|item| item.text).collect()
    }

    /// Reports as a hook, whose answer is read.
    async fn heard(&self, caller: &Caller, ask: SessionReport) -> Vec<String> {
        let reported = self.report(caller, ask).await;
        let texts = reported.edits.iter().map(|edit| edit.text.clone()).collect();
        self.was_read(caller, &reported).await;
        texts
    }

    async fn was_read(&self, caller: &Caller, reported: &SessionReported) {
        if reported.edits.is_empty() {
            return;
        }
        let session_id = reported.session_id.clone().expect("it is known");
        let edits = reported.edits.iter().map(|edit| edit.edit_id.clone()).collect();
        let delivered = TodoDelivered { session_id, revision: None, edits, tool_call: Some("hook Stop".to_owned()) };
        self.ask(caller, delivered).await.expect("it is noted");
    }
}

/// The session of a run with a list, whose hooks are heard.
async fn begun(world: &World) -> String {
    let mut codex = agent("one");
    codex.agent.as_mut().expect("an agent").own_session = Some("run-1".to_owned());
    let id = world.write(&codex, todos(&["A", "B"])).await.session_id;
    assert_eq!(world.heard(&hook("run-1"), prompted()).await, [""; 0]);
    id
}

#[tokio::test]
async fn what_is_kept_is_told_at_the_end_of_a_turn_in_the_users_order_and_once() {
    let world = World::new().await;
    let id = begun(&world).await;
    world.later(&id, true, "Write the changelog").await;
    let last = world.later(&id, false, "Ask before you push").await;
    let first = world.later(&id, true, "Bump the version").await;
    world
        .ask(&user(), LaterEdit { later_id: first.later_id, to: Some(1), ..LaterEdit::default() })
        .await
        .expect("moved");
    let edit = LaterEdit { later_id: last.later_id, text: Some("Ask me first".to_owned()), ..LaterEdit::default() };
    world.ask(&user(), edit).await.expect("changed");
    assert_eq!(world.kept_later(Some(&id)).await, ["Bump the version", "Write the changelog", "Ask me first"]);
    // Work tells nothing of it.
    assert_eq!(world.heard(&hook("run-1"), SessionReport { tool: true, ..listens() }).await, [""; 0]);
    let told = world.heard(&hook("run-1"), rests()).await;
    assert_eq!(told, ["Bump the version", "Write the changelog", "Ask me first"]);
    let get = SessionGet { session_id: id.clone(), revision: None };
    let now = world.ask(&user(), get).await.expect("it is there");
    assert_eq!(contents(&now.todos), ["A", "B", "Bump the version", "Write the changelog"]);
    assert!(now.edits.iter().all(|edit| edit.state == EditState::Delivered), "{:?}", now.edits);
    let items = world.ask(&user(), LaterList { session_id: Some(id.clone()) }).await.expect("an answer").items;
    let edits: Vec<_> = items.iter().filter_map(|item| Some(item.handed_over.as_ref()?.edit_id.clone())).collect();
    assert_eq!(edits, now.edits.iter().map(|edit| edit.edit_id.clone()).collect::<Vec<_>>(), "each leads to its edit");
    assert_eq!(world.heard(&hook("run-1"), rests()).await, [""; 0], "once");
    assert_eq!(world.heard(&hook("run-1"), prompted()).await, [""; 0]);
    world.running.stop().await;
}

#[tokio::test]
async fn the_next_prompt_tells_it_where_no_turn_may_be_put_off_and_it_outlasts_a_restart() {
    let world = World::new().await;
    let id = begun(&world).await;
    let off = SettingsUpdate { deliver_at_turn_end: Some(false), ..SettingsUpdate::default() };
    world.ask(&user(), off).await.expect("it is set");
    world.later(&id, true, "C").await;
    world.later(&id, false, "D").await;
    assert_eq!(world.heard(&hook("run-1"), rests()).await, [""; 0]);
    let world = world.restart().await;
    assert_eq!(world.heard(&hook("run-1"), prompted()).await, ["C", "D"]);
    // An answer that nobody has read is told again, as any edit is.
    world.later(&id, false, "E").await;
    assert_eq!(world.report(&hook("run-1"), prompted()).await.edits.len(), 1);
    let world = world.restart().await;
    assert_eq!(world.heard(&hook("run-1"), listens()).await, ["E"]);
    assert_eq!(world.heard(&hook("run-1"), prompted()).await, [""; 0]);
    world.running.stop().await;
}

#[tokio::test]
async fn one_that_was_handed_over_is_deleted_or_changed_no_more() {
    let world = World::new().await;
    let id = begun(&world).await;
    let gone = world.later(&id, false, "one").await;
    let kept = world.later(&id, false, "two").await;
    world.ask(&user(), LaterDelete { later_id: gone.later_id.clone() }).await.expect("it waits");
    // The answer is on its way, and not read yet.
    let reported = world.report(&hook("run-1"), rests()).await;
    assert_eq!(reported.edits.len(), 1);
    for later_id in [gone.later_id, kept.later_id] {
        let deleted = world.ask(&user(), LaterDelete { later_id: later_id.clone() }).await;
        assert_eq!(deleted.expect_err("it does not wait").code, Code::ItemNotFound);
        let edit = LaterEdit { later_id, text: Some("x".to_owned()), ..LaterEdit::default() };
        assert_eq!(world.ask(&user(), edit).await.expect_err("it does not wait").code, Code::ItemNotFound);
    }
    // Two hooks of one end: the second one leaves it to the first.
    assert_eq!(world.report(&hook("run-1"), rests()).await.edits, []);
    world.running.stop().await;
}

#[tokio::test]
async fn subagents_and_files_take_nothing() {
    let world = World::new().await;
    let id = begun(&world).await;
    world.later(&id, false, "for the agent").await;
    world.later_in(FOLDER, "for the folder").await;
    // A subagent that its hooks name.
    let mut named = hook("run-1/helper");
    named.agent.as_mut().expect("an agent").parent = Some("run-1".to_owned());
    for report in [listens(), prompted(), rests()] {
        assert_eq!(world.heard(&named, report).await, [""; 0]);
    }
    // One that they do not name.
    world.heard(&hook("run-1"), SessionReport { subagent: Some(SubagentEvent::Began), ..listens() }).await;
    assert_eq!(world.heard(&hook("run-1"), rests()).await, [""; 0]);
    let ended = SessionReport { subagent: Some(SubagentEvent::Ended), listens: false, ..listens() };
    world.report(&hook("run-1"), ended).await;
    // A file tells of a prompt that was before.
    let before = SessionReport { happened: Happened::Prompted, at: Some(world.ago(10)), ..worked() };
    world.report(&file("old-run"), before).await;
    assert_eq!(world.kept_later(None).await, ["for the agent", "for the folder"]);
    assert_eq!(world.heard(&hook("run-1"), rests()).await, ["for the agent", "for the folder"]);
    world.running.stop().await;
}

#[tokio::test]
async fn a_folders_queue_goes_to_its_next_session_and_to_no_stranger() {
    let world = World::new().await;
    world.later_in("/home/me/billing/", "one").await;
    world.later_in("/home/me/billing", "two").await;
    let elsewhere = |own: &str, folder: &str, key: Option<&str>| {
        let agent = AgentInfo { name: "claude".to_owned(), version: None };
        let (own_session, folder) = (Some(own.to_owned()), Some(folder.to_owned()));
        let identity = AgentIdentity { agent, own_session, folder, ..AgentIdentity::default() };
        Caller { key: key.map(str::to_owned), ..Caller::agent(Transport::Hook, own.to_owned(), identity) }
    };
    assert_eq!(world.heard(&elsewhere("other", "/home/me", None), prompted()).await, [""; 0], "another folder");
    let stranger = elsewhere("stranger", FOLDER, Some("k-1"));
    assert_eq!(world.heard(&stranger, prompted()).await, [""; 0], "an agent with a key may say any folder");
    assert_eq!(world.heard(&elsewhere("next", FOLDER, None), prompted()).await, ["one", "two"]);
    assert_eq!(world.heard(&hook("run-2"), prompted()).await, [""; 0], "once");
    world.running.stop().await;
}

#[tokio::test]
async fn an_agents_built_in_list_gets_the_steps() {
    let world = World::new().await;
    let id = world.report(&hook("run-1"), listens()).await.session_id.expect("it begins");
    let own = world.observe(&hook("run-1"), json!([{"step": "Read"}]), None).await.session_id;
    world.heard(&hook("run-1"), listens()).await;
    // The list is the run's; so is the queue.
    assert_eq!(world.later(&own, true, "Write").await.session_id.as_deref(), Some(id.as_str()));
    let heard = world.report(&hook("run-1"), rests()).await.own.expect("it is told of its list");
    assert_eq!(heard.edits.iter().map(|edit| edit.kind).collect::<Vec<_>>(), [EditKind::Add]);
    world.running.stop().await;
}

#[tokio::test]
async fn a_queue_has_limits_and_a_place() {
    let world = World::new().await;
    let id = begun(&world).await;
    for (session_id, folder, text) in [
        (None, None, "x"),
        (Some(id.clone()), Some(FOLDER.to_owned()), "x"),
        (None, Some("billing".to_owned()), "x"),
        (Some(id.clone()), None, "  "),
    ] {
        let ask = LaterAdd { session_id, folder, step: false, text: text.to_owned() };
        assert!(world.ask(&user(), ask.clone()).await.is_err(), "{ask:?}");
    }
    for number in 0..100 {
        world.later(&id, false, &format!("{number}")).await;
    }
    let ask = LaterAdd { session_id: Some(id.clone()), text: "too many".to_owned(), ..LaterAdd::default() };
    assert_eq!(world.ask(&user(), ask).await.expect_err("it is full").code, Code::LimitExceeded);
    // Only a session at rest goes on; one at work is left to itself.
    assert_eq!(world.hub().go_on(&id).await.expect_err("it works").code, Code::Unavailable);
    assert_eq!(world.kept_later(Some(&id)).await.len(), 100);
    world.running.stop().await;
}

#[tokio::test]
async fn a_run_at_rest_goes_on_by_a_prompt_or_with_all_that_it_has_not_seen() {
    let world = World::new().await;
    let id = begun(&world).await;
    world.report(&hook("run-1"), SessionReport { listens: false, ..rests() }).await;
    world.later(&id, true, "C").await;
    world.ask(&user(), delete(&id, "1")).await.expect("it is there");
    let crate::GoingOn::Resumed(resumed) = world.hub().go_on(&id).await.expect("it rests") else {
        panic!("nobody gives it a prompt")
    };
    assert_eq!((contents(&resumed.todos), resumed.handed_over, resumed.edits.len()), (vec!["B", "C"], 1, 2));
    assert_eq!(world.heard(&hook("run-1"), prompted()).await, [""; 0], "the prompt tells it");
    // Where a message is a prompt, one is made for it.
    let mut editor = hook("run-9");
    editor.agent.as_mut().expect("an agent").connection = Some("c".to_owned());
    let opened = SessionReport { prompts: true, happened: Happened::Rests, listens: false, ..listens() };
    let _present = world.hub().present("c");
    let under = world.report(&editor, opened).await.session_id.expect("it begins");
    assert!(world.session(&under).await.prompts);
    assert_eq!(world.hub().go_on(&under).await.expect("it rests"), crate::GoingOn::Sent);
    let get = SessionGet { session_id: under, revision: None };
    let edits = world.ask(&user(), get).await.expect("it is there").edits;
    assert_eq!(edits.iter().map(|edit| edit.kind).collect::<Vec<_>>(), [EditKind::Note]);
    world.running.stop().await;
}
