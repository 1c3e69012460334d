//! One run, however many tell of it.

use super::own_lists::{file, hook, listens, own_of, worked};
use super::{World, agent, contents, todos, user};
use futures_util::{FutureExt, StreamExt};
use jiff::SignedDuration;
use protocol::{
    Backend, Caller, Code, EditState, Event, Happened, NoteSend, SessionDelete, SessionFilter, SessionGet,
    SessionLeave, SessionList, SessionReport, SessionState, TodoAdd, TodoDelivered, TodoObserve,
};
use serde_json::json;

#[tokio::test]
async fn a_copy_of_another_runs_transcript_proves_nothing() {
    let world = World::new().await;
    let mut claude = agent("one");
    claude.agent.as_mut().expect("an agent").own_session = Some("run-1".to_owned());
    let origin = world.write(&claude, todos(&["Plan"])).await.session_id;
    let (at, proof) = (Some(world.ago(0)), world.proof(&claude).await);
    // The fork's file begins with the origin's lines, told at once or hours later.
    for minutes in [0, 180] {
        world.pass(minutes);
        let fork = file(&format!("run-2-{minutes}"));
        world.report(&fork, worked()).await;
        let read = SessionReport { proof: proof.clone(), at, ..worked() };
        let known = world.report(&fork, read).await.session_id.expect("it is a run of its own");
        assert_ne!(known, origin);
        assert_eq!(world.session(&origin).await.title, "Plan");
    }
    world.running.stop().await;
}

#[tokio::test]
async fn what_the_user_did_before_the_first_list_goes_with_the_run() {
    let world = World::new().await;
    let reported = world.report(&hook("run-1"), worked()).await.session_id.expect("it begins");
    let note = NoteSend { session_id: reported.clone(), text: "use staging".to_owned() };
    world.ask(&user(), note).await.expect("it is kept");
    let add = TodoAdd { session_id: reported, content: "Ask first".to_owned(), ..TodoAdd::default() };
    world.ask(&user(), add).await.expect("it is kept");
    let ours = world.write(&agent("one"), todos(&["Plan"])).await.session_id;
    let read = SessionReport { proof: world.proof(&agent("one")).await, ..listens() };
    let heard = world.report(&hook("run-1"), read).await;
    assert_eq!(heard.session_id.as_ref(), Some(&ours), "one run");
    assert_eq!(contents(&heard.todos), ["Plan", "Ask first"]);
    let mut told: Vec<_> = heard.edits.iter().map(|edit| edit.text.as_str()).collect();
    told.sort_unstable();
    assert_eq!(told, ["Ask first", "use staging"]);
    world.running.stop().await;
}

#[tokio::test]
async fn a_title_that_was_learnt_by_joining_lasts_and_is_told() {
    let world = World::new().await;
    let prompt = SessionReport { happened: Happened::Prompted, text: Some("Fix it".to_owned()), ..worked() };
    world.report(&file("run-1"), prompt).await;
    let at = Some(world.ago(0));
    let ours = world.write(&agent("one"), todos(&["Plan"])).await.session_id;
    let mut heard = world.hub().subscribe(None).await.expect("it is there").events;
    world.report(&file("run-1"), SessionReport { proof: world.proof(&agent("one")).await, at, ..worked() }).await;
    let mut titles = Vec::new();
    while let Some(Some(event)) = heard.next().now_or_never() {
        if let Event::SessionUpdated(updated) = event.event() {
            titles.push(updated.session.session.title.clone());
        }
    }
    assert!(titles.contains(&"Fix it".to_owned()), "{titles:?}");
    let world = world.restart().await;
    assert_eq!(world.session(&ours).await.title, "Fix it");
    world.running.stop().await;
}

/// Observations of one file that come at once share a batch.
#[tokio::test]
async fn a_list_and_the_proof_after_it_in_one_batch() {
    let world = World::new().await;
    let (run, plan) = (file("run-1"), |step: &str| json!([{ "content": step }]));
    let ours = world.write(&agent("one"), todos(&["Plan"])).await.session_id;
    let proof = world.proof(&agent("one")).await;
    world.observe(&run, plan("One"), Some(world.ago(0))).await;
    let now = world.ago(0);
    let at = |seconds| Some(now + SignedDuration::from_secs(seconds));
    let (listed, read) = tokio::join!(
        world.observe(&run, plan("Two"), at(1)),
        world.report(&run, SessionReport { proof, at: at(2), ..worked() }),
    );
    assert_eq!((listed.revision, read.session_id.as_ref()), (2, Some(&ours)));
    assert_eq!(world.observe(&run, plan("Three"), at(3)).await.revision, 3);
    assert_eq!(world.session(&listed.session_id).await.parent_session_id, Some(ours));
    let world = world.restart().await;
    assert_eq!(world.observe(&run, plan("Four"), at(4)).await.revision, 4);
    world.running.stop().await;
}

#[tokio::test]
async fn a_session_has_one_own_list_of_now() {
    let world = World::new().await;
    let ours = world.write(&agent("one"), todos(&["Plan"])).await.session_id;
    let mut own = Vec::new();
    for run in ["run-1", "run-2"] {
        world.report(&hook(run), worked()).await;
        own.push(world.observe(&hook(run), todos(&[run]), None).await.session_id);
        world.report(&hook(run), SessionReport { proof: world.proof(&agent("one")).await, ..worked() }).await;
    }
    let of = async |id: &str| world.session(id).await.parent_session_id;
    assert_eq!((of(&own[0]).await, of(&own[1]).await), (None, Some(ours)));
    let old = world.session(&own[0]).await;
    assert_eq!((old.read_only, old.state), (true, SessionState::Finished));
    world.running.stop().await;
}

#[tokio::test]
async fn a_file_that_is_behind_its_hook_takes_nothing_back() {
    let world = World::new().await;
    for (task, hooked) in ["One", "Two", "Three"].into_iter().enumerate() {
        let part = json!([{"id": task.to_string(), "content": hooked}]);
        let ask = TodoObserve { tool: "TaskCreate".to_owned(), todos: part, merge: true, ..TodoObserve::default() };
        world.ask(&hook("run-1"), ask).await.expect("it is taken");
    }
    let later = *world.now.lock().expect("nobody panicked") + SignedDuration::from_secs(2);
    *world.now.lock().expect("nobody panicked") = later;
    let late = world.observe(&file("run-1"), json!([{"id": "0", "content": "One"}]), Some(later)).await;
    assert!(!late.news, "the hooks have told it");
    assert_eq!(contents(&own_of(&world.snapshot().await).todos), ["One", "Two", "Three"]);
    world.pass(1);
    assert!(world.observe(&file("run-1"), json!([{"id": "0", "content": "One"}]), None).await.news);
    world.running.stop().await;
}

#[tokio::test]
async fn an_own_list_after_a_restart_is_what_its_agent_says() {
    let world = World::new().await;
    let status = |word: &str| json!([{"content": "P", "status": word}]);
    world.observe(&file("run-1"), status("pending"), None).await;
    let world = world.restart().await;
    for word in ["pending", "blocked", "pending", "completed", "pending"] {
        world.pass(1);
        world.observe(&file("run-1"), status(word), None).await;
        let shown = own_of(&world.snapshot().await).todos[0].status.name();
        assert_eq!(shown, word);
    }
    world.running.stop().await;
}

#[tokio::test]
async fn edits_of_an_own_list_that_were_told_come_to_an_end() {
    for follows in [true, false] {
        let world = World::new().await;
        let id = world.observe(&hook("run-1"), todos(&["A", "B", "C"]), None).await.session_id;
        world.report(&hook("run-1"), listens()).await;
        let add = TodoAdd { session_id: id.clone(), content: "D".to_owned(), ..TodoAdd::default() };
        world.ask(&user(), add).await.expect("it is taken");
        world.ask(&user(), super::delete(&id, "2")).await.expect("it is taken");
        // Not told yet, so that saying it again means nothing.
        world.observe(&hook("run-1"), todos(&["A", "B", "C", "x"]), None).await;
        assert_eq!(contents(&own_of(&world.snapshot().await).todos), ["A", "C", "D", "x"]);
        let own = world.report(&hook("run-1"), listens()).await.own.expect("it is told");
        let edits: Vec<String> = own.edits.iter().map(|edit| edit.edit_id.clone()).collect();
        assert_eq!(edits.len(), 2);
        let delivered = TodoDelivered { session_id: id.clone(), revision: None, edits, tool_call: None };
        world.ask(&hook("run-1"), delivered).await.expect("it is noted");
        let list = if follows { todos(&["A", "C", "D", "x"]) } else { todos(&["A", "B", "C", "x"]) };
        for _ in 0..2 {
            world.observe(&hook("run-1"), list.clone(), None).await;
        }
        let get = SessionGet { session_id: id, revision: None };
        let at = world.ask(&user(), get).await.expect("there");
        assert_eq!(contents(&at.todos), ["A", "C", "D", "x"], "the user's word stands");
        let wanted = if follows { EditState::Reflected } else { EditState::Ignored };
        assert_eq!(at.edits.iter().map(|edit| edit.state).collect::<Vec<_>>(), [wanted; 2]);
        world.running.stop().await;
    }
}

#[tokio::test]
async fn a_file_whose_clock_is_ahead_is_taken_once() {
    let world = World::new().await;
    let ahead = |seconds: i64| *world.now.lock().expect("nobody panicked") + SignedDuration::from_secs(seconds);
    let (first, second) = (ahead(30), ahead(31));
    for _ in 0..2 {
        world.observe(&file("run-1"), todos(&["A"]), Some(first)).await;
        let observed = world.observe(&file("run-1"), todos(&["A", "B"]), Some(second)).await;
        assert_eq!(observed.revision, 2);
        world.pass(0);
    }
    let sessions = world.snapshot().await;
    assert!(
        sessions.iter().all(|shown| shown.session.last_activity_at <= ahead(0)),
        "nothing is dated in times to come"
    );
    world.running.stop().await;
}

#[tokio::test]
async fn a_session_is_deleted_with_its_own_list() {
    let world = World::new().await;
    let ours = world.write(&agent("one"), todos(&["Plan"])).await.session_id;
    world.report(&hook("run-1"), SessionReport { proof: world.proof(&agent("one")).await, ..worked() }).await;
    world.observe(&hook("run-1"), todos(&["A"]), None).await;
    let alone = world.observe(&hook("run-2"), todos(&["B"]), None).await.session_id;
    let mut heard = world.hub().subscribe(None).await.expect("it is there").events;
    for id in [&ours, &alone] {
        world.ask(&user(), SessionDelete { session_id: id.clone(), for_good: false }).await.expect("it goes");
    }
    assert_eq!(world.snapshot().await, [], "a run without its only list goes with it");
    let mut gone = 0;
    while let Some(Some(event)) = heard.next().now_or_never() {
        gone += usize::from(matches!(event.event(), Event::SessionDeleted(_)));
    }
    assert_eq!(gone, 4);
    let world = world.restart().await;
    assert_eq!(world.ask(&user(), SessionList::default()).await.expect("they are listed").sessions, []);
    let again = SessionDelete { session_id: ours, for_good: false };
    assert_eq!(world.ask(&user(), again).await.expect_err("it is gone").code, Code::SessionNotFound);
    let written = world.write(&agent("one"), todos(&["New"])).await;
    assert_eq!(written.revision, 1, "its agent begins anew");
    world.running.stop().await;
}

#[tokio::test]
async fn what_went_with_a_session_goes_for_good_with_it() {
    let world = World::new().await;
    let ours = world.write(&agent("one"), todos(&["Plan"])).await.session_id;
    world.report(&hook("run-1"), SessionReport { proof: world.proof(&agent("one")).await, ..worked() }).await;
    world.observe(&hook("run-1"), todos(&["A"]), None).await;
    for for_good in [false, true] {
        world.ask(&user(), SessionDelete { session_id: ours.clone(), for_good }).await.expect("it goes");
    }
    let deleted = SessionFilter { deleted: true, ..SessionFilter::default() };
    let ask = SessionList { filter: deleted, ..SessionList::default() };
    assert_eq!(world.ask(&user(), ask).await.expect("they are listed").sessions, [], "its own list went with it");
    world.running.stop().await;
}

/// A run as its editor's side tells it, which has given our tool server a label.
fn conversation(own: &str, label: &str) -> Caller {
    let mut caller = hook(own);
    let agent = caller.agent.as_mut().expect("an agent");
    (agent.label, agent.connection) = (Some(label.to_owned()), Some("acp:1".to_owned()));
    caller
}

/// Calls of our tools under a label.
fn under(label: &str, connection: &str) -> Caller {
    let mut caller = agent(connection);
    caller.agent.as_mut().expect("an agent").label = Some(label.to_owned());
    caller
}

#[tokio::test]
async fn calls_under_a_reported_label_are_of_the_run_that_reports_it() {
    let world = World::new().await;
    let presence = world.hub().present("acp:1");
    let prompted = |text: &str| SessionReport { happened: Happened::Prompted, text: Some(text.to_owned()), ..worked() };
    let first = world.report(&conversation("run-1", "acp-1"), prompted("Release")).await.session_id.expect("it begins");
    let other = world.report(&conversation("run-2", "acp-2"), prompted("Test")).await.session_id.expect("it begins");
    assert_ne!(first, other);
    let written = world.write(&under("acp-1", "stdio:1"), todos(&["One"])).await;
    assert_eq!(written.session_id, first);
    assert_eq!(world.write(&under("acp-2", "stdio:2"), todos(&["Two"])).await.session_id, other);
    let session = world.session(&first).await;
    assert_eq!((session.title.as_str(), session.label), ("Release", None), "its title is the prompt");
    assert_eq!(session.agents, Vec::<String>::new(), "nobody else shares the list");
    // Opened again by another process: another label, the same list.
    world.report(&conversation("run-1", "acp-3"), prompted("Go on")).await;
    let written = world.write(&under("acp-3", "stdio:3"), todos(&["One", "More"])).await;
    assert_eq!((written.session_id.as_str(), written.revision), (first.as_str(), 2));
    assert!(world.session(&first).await.connected);
    world.ask(&conversation("run-1", "acp-3"), SessionLeave {}).await.expect("it leaves");
    for run in [&first, &other] {
        assert_eq!(world.session(run).await.state, SessionState::Finished);
    }
    drop(presence);
    world.running.stop().await;
}

#[tokio::test]
async fn a_call_under_a_label_may_come_before_the_first_report() {
    let world = World::new().await;
    let written = world.write(&under("acp-1", "stdio:1"), todos(&["One"])).await;
    let reported = world.report(&conversation("run-1", "acp-1"), worked()).await;
    assert_eq!(reported.session_id.as_ref(), Some(&written.session_id));
    let observed = world.observe(&hook("run-1"), todos(&["A"]), None).await;
    assert_eq!(world.session(&observed.session_id).await.parent_session_id, Some(written.session_id));
    let refused = world.ask(&conversation("run-2", "\u{7}"), worked()).await;
    assert_eq!(refused.expect_err("that is no label").code, Code::InvalidMessage);
    world.running.stop().await;
}
