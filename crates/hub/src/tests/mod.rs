//! The hub on a real database: what is kept, what is told, and in which order.

mod announced;
mod archive;
mod calls;
mod commands;
mod concurrent;
mod files_and_hooks;
mod heard;
mod imports;
mod keys;
mod later;
mod lists;
mod mirrored;
mod model;
mod needs;
mod one_run;
mod own_lists;
mod panics;
mod permissions;
mod prompts;
mod redone;
mod repeated;
mod reports;
mod set_clock;
mod settled;
mod sharing;
mod strangers;
mod tags;
mod turn_ends;
mod usage;

use crate::{Config, Hub, Running, start};
use futures_util::{FutureExt, StreamExt};
use jiff::{SignedDuration, Timestamp};
use protocol::{
    AgentIdentity, AgentInfo, Ask, Backend, Caller, Code, EditState, Error, Event, EventsSubscribe, GatewayState,
    Rights, SessionGet, SessionList, SessionRevisions, SessionState, TodoAdd, TodoClear, TodoDelete, TodoDelivered,
    TodoRead, TodoUndo, TodoWrite, TodoWritten, Transport,
};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use uuid::Uuid;

/// A hub in a folder of its own, with a clock that moves when it is told to.
struct World {
    folder: tempfile::TempDir,
    now: Arc<Mutex<Timestamp>>,
    elapsed: Arc<Mutex<Duration>>,
    running: Running,
}

impl World {
    async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let now = Arc::new(Mutex::new(Timestamp::from_second(1_700_000_000).expect("a time")));
        let elapsed = Arc::default();
        let running = start(config(&folder, &now, &elapsed)).await.expect("the hub starts");
        Self { folder, now, elapsed, running }
    }

    async fn restart(self) -> Self {
        self.running.stop().await;
        let running = start(config(&self.folder, &self.now, &self.elapsed)).await.expect("the hub starts again");
        Self { running, ..self }
    }

    fn hub(&self) -> &Hub {
        &self.running.hub
    }

    /// Time passes. Where it is less than none, the clock is set back.
    fn pass(&self, minutes: i64) {
        self.set_clock(minutes);
        *self.elapsed.lock().expect("nobody panicked") += Duration::from_secs(60 * minutes.max(0).unsigned_abs());
    }

    /// The clock is set, and no time passes.
    fn set_clock(&self, minutes: i64) {
        *self.now.lock().expect("nobody panicked") += SignedDuration::from_mins(minutes);
    }

    async fn ask<A: Ask>(&self, caller: &Caller, request: A) -> Result<A::Answer, Error> {
        let reply = self.hub().call(caller.clone(), request.into()).await?;
        Ok(A::answer(reply).expect("the answer to this request"))
    }

    /// An agent writes its list and hears the answer.
    async fn write(&self, caller: &Caller, todos: Value) -> TodoWritten {
        let written = self.ask(caller, TodoWrite { todos, ..TodoWrite::default() }).await.expect("it is written");
        self.delivered(caller, &written).await;
        written
    }

    /// A secret for the next result of an agent's.
    async fn proof(&self, caller: &Caller) -> Option<String> {
        let proof = self.ask(caller, TodoRead { prove: true, ..TodoRead::default() }).await.expect("it is read").proof;
        assert!(proof.is_some(), "it asked for one");
        proof
    }

    async fn delivered(&self, caller: &Caller, written: &TodoWritten) {
        let delivered = TodoDelivered {
            session_id: written.session_id.clone(),
            revision: Some(written.revision),
            edits: written.edits.iter().map(|edit| edit.edit_id.clone()).collect(),
            tool_call: Some("call-1".to_owned()),
        };
        self.ask(caller, delivered).await.expect("it is noted");
    }
}

fn config(folder: &tempfile::TempDir, now: &Arc<Mutex<Timestamp>>, elapsed: &Arc<Mutex<Duration>>) -> Config {
    let (now, elapsed) = (now.clone(), elapsed.clone());
    Config {
        database: folder.path().join("sightline.db"),
        now: Arc::new(move || *now.lock().expect("nobody panicked")),
        elapsed: Arc::new(move || *elapsed.lock().expect("nobody panicked")),
        uid: Arc::new(Uuid::new_v4),
        secret: Arc::new(|| format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple())),
        version: "1.2.3".to_owned(),
    }
}

fn agent(connection: &str) -> Caller {
    let identity = AgentIdentity {
        agent: AgentInfo { name: "codex".to_owned(), version: None },
        connection: Some(connection.to_owned()),
        folder: Some("/home/me/billing".to_owned()),
        ..AgentIdentity::default()
    };
    Caller::agent(Transport::Mcp, connection.to_owned(), identity)
}

/// An agent whose list is that of a label.
fn labelled(connection: &str) -> Caller {
    let mut caller = agent(connection);
    if let Some(agent) = &mut caller.agent {
        agent.label = Some("shared".to_owned());
    }
    caller
}

fn user() -> Caller {
    Caller::user(Transport::Window, "window-1").with(Rights::Administer)
}

fn todos(contents: &[&str]) -> Value {
    contents.iter().map(|content| json!({ "content": content })).collect()
}

fn contents(items: &[todo::Item]) -> Vec<&str> {
    items.iter().map(|item| item.content.as_str()).collect()
}

fn delete(session_id: &str, position: &str) -> TodoDelete {
    TodoDelete { session_id: session_id.to_owned(), position: Some(position.to_owned()), uid: None }
}

// D3
#[tokio::test]
async fn a_clock_that_is_set_back_makes_no_revision_earlier_than_the_one_before() {
    let world = World::new().await;
    let codex = agent("one");
    let id = world.write(&codex, todos(&["A"])).await.session_id;
    let mut world = world;
    for (at, minutes) in [(2, -300), (3, -60), (4, 500)] {
        world.pass(minutes);
        world.write(&codex, todos(&["A", "B", "C", "D"][..at])).await;
        // Also what is read from the database knows it.
        world = world.restart().await;
    }
    let ask = SessionRevisions { session_id: id, ..SessionRevisions::default() };
    let times: Vec<Timestamp> =
        world.ask(&user(), ask).await.expect("read").revisions.iter().rev().map(|revision| revision.at).collect();
    let first = times[0];
    let later = first + SignedDuration::from_mins(500 - 300 - 60);
    assert_eq!(times, [first, first, first, later]);
}

// D3
#[tokio::test]
async fn everything_is_there_after_a_restart() {
    let world = World::new().await;
    let codex = agent("one");
    let written =
        world.write(&codex, json!([{"content": "A", "subtasks": [{"content": "A1"}], "x": 1}, {"content": "B"}])).await;
    let id = written.session_id.clone();
    world.ask(&user(), delete(&id, "2")).await.expect("it is deleted");
    let get = || SessionGet { session_id: id.clone(), revision: None };
    let before = world.ask(&user(), get()).await.expect("it is there");
    let world = world.restart().await;
    let after = world.ask(&user(), get()).await.expect("it is still there");
    assert_eq!(after, before, "session, list and edits");
    let undone = world.ask(&user(), TodoUndo { session_id: id, edit_id: None }).await.expect("undo works across it");
    assert_eq!(contents(&undone.todos), ["A", "B"]);
    let again =
        world.write(&codex, json!([{"content": "A", "subtasks": [{"content": "A1"}], "x": 1}, {"content": "B"}])).await;
    assert_eq!(again.session_id, written.session_id, "and the agent's connection means the same session");
    world.running.stop().await;
}

#[tokio::test]
async fn any_revision_reads_as_it_was() {
    let world = World::new().await;
    let lists = [vec!["A"], vec!["A", "B"], vec!["B", "A", "C"], vec!["C"]];
    let mut id = String::new();
    for list in &lists {
        id = world.write(&agent("one"), todos(list)).await.session_id;
    }
    for (at, list) in lists.iter().enumerate() {
        let revision = Some(at as u64 + 1);
        let past = world.ask(&user(), SessionGet { session_id: id.clone(), revision }).await.expect("it is there");
        assert_eq!(contents(&past.todos), *list, "revision {revision:?}");
    }
    let beyond = world.ask(&user(), SessionGet { session_id: id.clone(), revision: Some(5) }).await;
    assert_eq!(beyond.expect_err("there are four").code, Code::RevisionNotFound);
    let page = world
        .ask(&user(), SessionRevisions { session_id: id, limit: Some(3), ..SessionRevisions::default() })
        .await
        .expect("a page");
    let touched: Vec<_> =
        page.revisions.iter().map(|r| (r.revision, r.added.len(), r.changed.len(), r.removed.len())).collect();
    assert_eq!(
        touched,
        [(4, 0, 0, 2), (3, 1, 1, 0), (2, 1, 0, 0)],
        "an insertion writes no neighbour; a move writes one item"
    );
    assert_eq!(page.next_cursor.as_deref(), Some("2"));
    world.running.stop().await;
}

#[tokio::test]
async fn an_edit_is_told_until_it_was_heard_and_then_no_more() {
    let world = World::new().await;
    let codex = agent("one");
    let id = world.write(&codex, todos(&["A", "B"])).await.session_id;
    let add = TodoAdd { session_id: id.clone(), content: "Mine".to_owned(), ..TodoAdd::default() };
    world.ask(&user(), add).await.expect("it is added");
    let lost = world.ask(&codex, TodoRead::default()).await.expect("it is read");
    assert_eq!(lost.edits.len(), 1, "told in the answer");
    let heard = world.ask(&codex, TodoRead::default()).await.expect("it is read");
    assert_eq!(heard.edits.len(), 1, "the first answer was lost, so it is told again");
    world.delivered(&codex, &heard).await;
    assert!(world.ask(&codex, TodoRead::default()).await.expect("it is read").edits.is_empty(), "heard once is enough");
    let edits =
        world.ask(&user(), SessionGet { session_id: id.clone(), revision: None }).await.expect("it is there").edits;
    assert_eq!((edits[0].state, edits[0].tool_call.as_deref()), (EditState::Delivered, Some("call-1")));
    let taken = world.write(&codex, todos(&["A", "B", "Mine"])).await;
    let edits = world.ask(&user(), SessionGet { session_id: id, revision: None }).await.expect("it is there").edits;
    assert_eq!(edits[0].state, EditState::Reflected);
    assert_eq!(contents(&taken.todos), ["A", "B", "Mine"]);
    world.running.stop().await;
}

#[tokio::test]
async fn silence_makes_a_session_stale_and_nothing_else() {
    let world = World::new().await;
    let codex = agent("one");
    let id = world.write(&codex, todos(&["A"])).await.session_id;
    let mut events = world.hub().subscribe(None).await.expect("a subscription").events;
    world.pass(14);
    world.hub().core.board.time_passed(world.hub().core.moment());
    assert!(events.next().now_or_never().is_none(), "nothing is said before the time");
    world.pass(46);
    world.hub().core.board.time_passed(world.hub().core.moment());
    let told = events.next().await.expect("an event");
    let Event::SessionUpdated(updated) = told.event() else { panic!("{told:?}") };
    assert_eq!((updated.session.session.state, updated.session.session.current), (SessionState::Stale, false));
    let again = world.write(&codex, todos(&["A", "B"])).await;
    assert_eq!(again.session_id, id, "after an hour it is still its session");
    let list = world.ask(&user(), SessionList::default()).await.expect("a page");
    assert_eq!(list.sessions[0].state, SessionState::Running);
    world.running.stop().await;
}

#[tokio::test]
async fn a_connection_keeps_its_session_current() {
    let world = World::new().await;
    let codex = agent("one");
    let presence = world.hub().present("one");
    world.write(&codex, todos(&["A"])).await;
    world.pass(60);
    let session = || async { world.ask(&user(), SessionList::default()).await.expect("a page").sessions.remove(0) };
    assert_eq!((session().await.state, session().await.current), (SessionState::Stale, true));
    drop(presence);
    assert!(!session().await.current);
    world.running.stop().await;
}

#[tokio::test]
async fn each_piece_of_evidence_finds_its_session() {
    let world = World::new().await;
    let mut codex = agent("one");
    let first = world.write(&codex, todos(&["A"])).await.session_id;
    if let Some(identity) = &mut codex.agent {
        identity.own_session = Some("rollout-7".to_owned());
    }
    let own = world.write(&codex, todos(&["A"])).await.session_id;
    assert_eq!(own, first, "the connection is known, so its agent's own id means the same from now on");
    let mut resumed = agent("two");
    if let Some(identity) = &mut resumed.agent {
        identity.own_session = Some("rollout-7".to_owned());
    }
    assert_eq!(world.write(&resumed, todos(&["A"])).await.session_id, first, "a resumed run goes on");
    assert_ne!(world.write(&agent("three"), todos(&["A"])).await.session_id, first, "another run is another session");
    let labelled = TodoWrite { session: Some("mine".to_owned()), todos: todos(&["X"]), ..TodoWrite::default() };
    let label = world.ask(&agent("one"), labelled).await.expect("it is written");
    assert_ne!(label.session_id, first, "a label of its own is a list of its own");
    let plain = Caller::user(Transport::Websocket, "socket");
    let nothing = world.ask(&plain, TodoWrite { todos: todos(&["X"]), ..TodoWrite::default() }).await;
    assert_eq!(nothing.expect_err("no evidence at all").code, Code::SessionAmbiguous);
    world.running.stop().await;
}

#[tokio::test]
async fn one_process_may_serve_several_sessions_of_its_agent() {
    let world = World::new().await;
    let thread = |own: &str| {
        let mut caller = agent("shim");
        if let Some(identity) = &mut caller.agent {
            identity.own_session = Some(own.to_owned());
        }
        caller
    };
    let first = world.write(&thread("thread-1"), todos(&["A"])).await.session_id;
    let second = world.write(&thread("thread-2"), todos(&["B"])).await.session_id;
    assert_ne!(first, second);
    assert_eq!(world.write(&thread("thread-1"), todos(&["A"])).await.session_id, first);
    world.running.stop().await;
}

#[tokio::test]
async fn a_whole_new_plan_is_merged_at_once() {
    let world = World::new().await;
    let plan = |word: &str| -> Value {
        (0..256).map(|step| json!({ "content": format!("{step} {}", format!("{word} {step} ").repeat(20)) })).collect()
    };
    world.write(&agent("one"), plan("read")).await;
    let next = world.write(&agent("one"), plan("deploy")).await;
    assert_eq!(next.todos.len(), 256);
    world.running.stop().await;
}

#[tokio::test]
async fn what_only_time_changed_is_caught_up_with() {
    let world = World::new().await;
    world.write(&agent("one"), todos(&["A"])).await;
    world.write(&agent("two"), todos(&["B"])).await;
    let since = world.ask(&user(), EventsSubscribe::default()).await.expect("a snapshot").cursor;
    world.pass(60);
    world.hub().core.board.time_passed(world.hub().core.moment());
    let delta = world.ask(&user(), EventsSubscribe { since: Some(since) }).await.expect("a snapshot");
    let states: Vec<_> = delta.sessions.iter().map(|s| (s.session.state, s.session.current)).collect();
    assert_eq!((delta.whole, states), (false, vec![(SessionState::Stale, false); 2]));
    world.running.stop().await;
}

#[tokio::test]
async fn an_edit_does_not_make_an_old_session_current() {
    let world = World::new().await;
    let id = world.write(&agent("one"), todos(&["A"])).await.session_id;
    world.pass(60);
    let mut events = world.hub().subscribe(None).await.expect("a subscription").events;
    world.ask(&user(), delete(&id, "1")).await.expect("it is deleted");
    let event = events.next().await.expect("an event");
    let Event::TodoUpdate(update) = event.event() else { panic!("{event:?}") };
    assert!(!update.session.session.current);
    world.running.stop().await;
}

#[tokio::test]
async fn a_label_that_many_have_used_stays_small() {
    let world = World::new().await;
    let mut id = String::new();
    for run in 0..50 {
        let request = TodoWrite { session: Some("shared".to_owned()), todos: todos(&["A"]), ..TodoWrite::default() };
        id = world.ask(&agent(&format!("run {run}")), request).await.expect("it is written").session_id;
    }
    let live = world.hub().core.board.head(&id).expect("it is in memory");
    assert_eq!(live.caller_revisions.len(), 8);
    assert!(
        live.caller_revisions.contains_key("connection|run 49")
            && !live.caller_revisions.contains_key("connection|run 0")
    );
    let stored = world.hub().core.store.callers(live.row.pk).await.expect("they are read");
    assert_eq!(stored.len(), 8);
    world.running.stop().await;
}

#[tokio::test]
async fn a_refused_change_leaves_everything_as_it_was() {
    let world = World::new().await;
    let id = world.write(&agent("one"), todos(&["A"])).await.session_id;
    let many = TodoWrite { todos: Value::Array(vec![json!({"content": "x"}); 1_000]), ..TodoWrite::default() };
    assert_eq!(world.ask(&agent("one"), many).await.expect_err("too many").code, Code::LimitExceeded);
    let wrong = TodoWrite { todos: json!([{"content": 5}]), ..TodoWrite::default() };
    assert_eq!(world.ask(&agent("new"), wrong).await.expect_err("wrong").code, Code::InvalidTodos);
    assert_eq!(world.ask(&user(), delete(&id, "9")).await.expect_err("not there").code, Code::InvalidPosition);
    let clear = TodoClear { session_id: "nobody".to_owned() };
    assert_eq!(world.ask(&user(), clear).await.expect_err("not there").code, Code::SessionNotFound);
    let list = world.ask(&user(), SessionList::default()).await.expect("a page");
    assert_eq!(
        list.sessions.iter().map(|s| s.revision).collect::<Vec<_>>(),
        [1],
        "no session and no revision came of it"
    );
    world.running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn between_snapshot_and_events_is_neither_gap_nor_duplicate() {
    let world = World::new().await;
    let hub = world.hub().clone();
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            let hub = hub.clone();
            tokio::spawn(async move {
                for round in 0..60 {
                    let list = todos(&["A", &format!("{writer} {round}")]);
                    let request = TodoWrite { todos: list, ..TodoWrite::default() };
                    hub.call(agent(&format!("w{writer}")), request.into()).await.expect("it is written");
                }
            })
        })
        .collect();
    let readers: Vec<_> = (0..6)
        .map(|_| {
            let hub = hub.clone();
            tokio::spawn(async move {
                let mut seen = std::collections::HashMap::new();
                let subscription = hub.subscribe(None).await.expect("a subscription");
                let number =
                    |cursor: &str| cursor.rsplit(':').next().and_then(|n| n.parse::<u64>().ok()).expect("a cursor");
                let mut cursor = number(&subscription.snapshot.cursor);
                for session in subscription.snapshot.sessions {
                    seen.insert(session.session.session_id, session.session.revision);
                }
                let mut events = subscription.events;
                while seen.len() < 4 || seen.values().any(|revision| *revision < 60) {
                    let event = events.next().await.expect("more events until all is seen");
                    if let Event::TodoUpdate(update) = event.event() {
                        assert!(number(&update.cursor) > cursor, "cursors ascend");
                        cursor = number(&update.cursor);
                        let last = seen.insert(update.session_id.clone(), update.revision);
                        assert!(last.is_none_or(|last| update.revision > last), "no revision comes twice");
                    }
                }
            })
        })
        .collect();
    for task in writers.into_iter().chain(readers) {
        task.await.expect("no task panicked");
    }
    world.running.stop().await;
}

#[tokio::test]
async fn catching_up_gives_what_changed_and_nothing_else() {
    let world = World::new().await;
    let one = world.write(&agent("one"), todos(&["A"])).await.session_id;
    world.write(&agent("two"), todos(&["B"])).await;
    let since = world.ask(&user(), EventsSubscribe::default()).await.expect("a snapshot");
    assert!(since.whole);
    assert_eq!(since.sessions.len(), 2);
    world.write(&agent("one"), todos(&["A", "A2"])).await;
    let next = world.ask(&user(), EventsSubscribe { since: Some(since.cursor.clone()) }).await.expect("a snapshot");
    assert!(!next.whole);
    assert_eq!(next.sessions.iter().map(|s| s.session.session_id.as_str()).collect::<Vec<_>>(), [one]);
    let world = world.restart().await;
    for cursor in [since.cursor.as_str(), "other:5", "nonsense"] {
        let ask = EventsSubscribe { since: Some(cursor.to_owned()) };
        let snapshot = world.ask(&user(), ask).await.expect("a snapshot");
        assert!(snapshot.whole, "from before the start, or of another database: everything is sent ({cursor})");
        assert_eq!(snapshot.sessions.len(), 2);
    }
    world.running.stop().await;
}

#[tokio::test]
async fn a_slow_subscriber_gets_the_newest_list_and_holds_up_nobody() {
    let world = World::new().await;
    world.write(&agent("one"), todos(&["0"])).await;
    let mut events = world.hub().subscribe(None).await.expect("a subscription").events;
    for round in 1..=500 {
        let list = todos(&[&round.to_string()]);
        world.ask(&agent("one"), TodoWrite { todos: list, ..TodoWrite::default() }).await.expect("it is written");
    }
    let event = events.next().await.expect("an event");
    let Event::TodoUpdate(update) = event.event() else { panic!("{event:?}") };
    assert_eq!(contents(&update.todos), ["500"], "the 499 before it are worth nothing any more");
    assert!(events.next().now_or_never().is_none());
    world.running.stop().await;
}

#[tokio::test]
async fn a_subscriber_that_is_too_slow_is_told_so() {
    let world = World::new().await;
    let mut events = world.hub().subscribe(None).await.expect("a subscription").events;
    // A new session is told by two events, so this is more than a queue holds.
    for session in 0..600 {
        let request = TodoWrite { todos: todos(&["A"]), ..TodoWrite::default() };
        world.ask(&agent(&format!("agent {session}")), request).await.expect("it is written");
    }
    let event = events.next().await.expect("an event");
    let Event::GatewayState(state) = event.event() else { panic!("{event:?}") };
    assert_eq!(state.state, GatewayState::Lagged);
    assert!(events.next().await.is_none(), "and the stream ends, to be taken up anew");
    world.running.stop().await;
}

#[tokio::test]
async fn stopping_answers_what_was_accepted() {
    let world = World::new().await;
    let calls: Vec<_> = (0..200)
        .map(|round| {
            let request = TodoWrite { todos: todos(&[&round.to_string()]), ..TodoWrite::default() };
            world.hub().call(agent("one"), request.into())
        })
        .collect();
    let hub = world.hub().clone();
    world.running.stop().await;
    for call in calls {
        call.await.expect("it was accepted before the end, so it is done");
    }
    let late = hub.call(agent("one"), TodoRead::default().into()).await;
    assert_eq!(late.expect_err("it came too late").code, Code::Unavailable);
    let left = log_left_behind(world.folder.path());
    assert_eq!(left, 0, "the write-ahead log is in the database file");
}

/// The size of the write-ahead log that was left behind.
fn log_left_behind(folder: &std::path::Path) -> u64 {
    std::fs::metadata(folder.join("sightline.db-wal")).map(|file| file.len()).unwrap_or(0)
}
