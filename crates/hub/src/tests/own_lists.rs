//! Agents' own lists, beside ours.

use super::{World, agent, contents, todos, user};
use futures_util::{FutureExt, StreamExt};
use jiff::{SignedDuration, Timestamp};
use protocol::{
    AgentIdentity, AgentInfo, Backend, Caller, Code, EditState, Event, EventsSubscribe, Happened, ListState, NoteSend,
    Session, SessionDelete, SessionGet, SessionLeave, SessionList, SessionReport, SessionReported, SessionRevisions,
    SessionState, SessionTodos, SessionUndelete, TodoAdd, TodoClear, TodoDelivered, TodoObserve, TodoObserved,
    TodoRead, Transport,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A run of codex as its hooks or its files tell it.
pub(super) fn run(own: &str, transport: Transport) -> Caller {
    let identity = AgentIdentity {
        agent: AgentInfo { name: "codex".to_owned(), version: None },
        own_session: Some(own.to_owned()),
        folder: Some("/home/me/billing".to_owned()),
        ..AgentIdentity::default()
    };
    Caller::agent(transport, own.to_owned(), identity)
}

pub(super) fn hook(own: &str) -> Caller {
    run(own, Transport::Hook)
}

pub(super) fn file(own: &str) -> Caller {
    run(own, Transport::File)
}

impl World {
    pub(super) async fn observe(&self, caller: &Caller, todos: Value, at: Option<Timestamp>) -> TodoObserved {
        let ask = TodoObserve { tool: "update_plan".to_owned(), todos, at, ..TodoObserve::default() };
        self.ask(caller, ask).await.expect("it is taken")
    }

    pub(super) async fn report(&self, caller: &Caller, ask: SessionReport) -> SessionReported {
        self.ask(caller, ask).await.expect("it is heard")
    }

    pub(super) async fn snapshot(&self) -> Vec<SessionTodos> {
        self.ask(&user(), EventsSubscribe::default()).await.expect("there is one").sessions
    }

    pub(super) async fn session(&self, id: &str) -> Session {
        let get = SessionGet { session_id: id.to_owned(), revision: None };
        self.ask(&user(), get).await.expect("it is there").session
    }

    pub(super) fn ago(&self, minutes: i64) -> Timestamp {
        *self.now.lock().expect("nobody panicked") - SignedDuration::from_mins(minutes)
    }
}

pub(super) fn worked() -> SessionReport {
    SessionReport { begins: true, ..SessionReport::default() }
}

pub(super) fn listens() -> SessionReport {
    SessionReport { listens: true, ..worked() }
}

pub(super) fn run_of(sessions: &[SessionTodos]) -> &SessionTodos {
    sessions.iter().find(|session| session.session.own_tool.is_none()).expect("the run")
}

pub(super) fn own_of(sessions: &[SessionTodos]) -> &SessionTodos {
    sessions.iter().find(|session| session.session.own_tool.is_some()).expect("its own list")
}

#[tokio::test]
async fn a_run_has_our_list_and_its_agents_own() {
    let world = World::new().await;
    let prompt = SessionReport { happened: Happened::Prompted, text: Some("Fix it".to_owned()), ..worked() };
    world.report(&hook("run-1"), prompt).await;
    let observed = world.observe(&hook("run-1"), json!([{"step": "Read", "status": "inProgress"}]), None).await;
    assert!(observed.news && observed.revision == 1, "{observed:?}");

    let sessions = world.snapshot().await;
    let (run, own) = (run_of(&sessions), own_of(&sessions));
    assert_eq!(own.session.parent_session_id.as_ref(), Some(&run.session.session_id));
    assert_eq!(own.session.own_tool.as_deref(), Some("update_plan"));
    assert_eq!((own.session.title.as_str(), own.session.folder.as_deref()), ("Fix it", Some("/home/me/billing")));
    assert_eq!(contents(&own.todos), ["Read"]);
    assert_eq!((run.session.revision, run.session.list_state), (0, ListState::NeverCalled));

    // Codex says the same id to its tool server.
    let mut codex = agent("one");
    codex.agent.as_mut().expect("an agent").own_session = Some("run-1".to_owned());
    let ours = world.write(&codex, todos(&["Plan", "Do"])).await;
    assert_eq!(ours.session_id, run.session.session_id, "one session");
    assert_eq!(contents(&own_of(&world.snapshot().await).todos), ["Read"], "two lists");
    let own_id = own.session.session_id.clone();
    let revisions = SessionRevisions { session_id: own_id.clone(), ..SessionRevisions::default() };
    let made = world.ask(&user(), revisions).await.expect("they are there").revisions;
    assert_eq!((made[0].actor.name.as_str(), made[0].actor.transport), ("codex", Transport::Hook));
    assert_eq!(made[0].actor.kind, protocol::ActorKind::Agent, "it is no subagent");

    let world = world.restart().await;
    let again = world.observe(&hook("run-1"), json!([{"step": "Read", "status": "completed"}]), None).await;
    assert_eq!((again.session_id, again.revision), (own_id, 2), "and it lasts");
    world.running.stop().await;
}

#[tokio::test]
async fn what_is_known_already_is_no_news() {
    let world = World::new().await;
    let list = |done: usize| -> Value {
        let status = |at| if at < done { "completed" } else { "pending" };
        (0..3).map(|at| json!({"step": format!("Step {at}"), "status": status(at)})).collect()
    };
    for minutes in [9, 8, 7] {
        let done = usize::try_from(9 - minutes).expect("small");
        assert!(world.observe(&file("run-1"), list(done), Some(world.ago(minutes))).await.news);
    }
    // The file is read again from its start, by an import, or after a restart.
    let world = world.restart().await;
    for minutes in [9, 8, 7] {
        let done = usize::try_from(9 - minutes).expect("small");
        assert!(!world.observe(&file("run-1"), list(done), Some(world.ago(minutes))).await.news);
    }
    // The hook of the newest call comes after its line in the file.
    let hooked = world.observe(&hook("run-1"), list(2), None).await;
    assert_eq!((hooked.news, hooked.revision), (false, 3));
    // A line of the past that comes late takes nothing back.
    assert!(!world.observe(&file("run-1"), list(0), Some(world.ago(1))).await.news || world.ago(1) > world.ago(0));
    assert!(world.observe(&hook("run-1"), list(3), None).await.news, "two hooks in one moment are two lists");
    assert!(world.observe(&hook("run-1"), list(1), None).await.news);
    let times: Vec<_> = {
        let ask = SessionRevisions { session_id: hooked.session_id.clone(), ..SessionRevisions::default() };
        world.ask(&user(), ask).await.expect("there").revisions.iter().map(|made| made.at).collect()
    };
    assert!(times.is_sorted_by(|newer, older| newer >= older), "{times:?}");
    assert_eq!(times.last(), Some(&world.ago(9)), "a revision is dated by when it was written");
    world.running.stop().await;
}

#[tokio::test]
async fn a_list_whose_agent_cannot_be_told_is_read_only_until_a_hook_listens() {
    let world = World::new().await;
    let id = world.observe(&file("run-1"), todos(&["A", "B"]), Some(world.ago(1))).await.session_id;
    assert!(world.session(&id).await.read_only);
    let add = || TodoAdd { session_id: id.clone(), content: "C".to_owned(), ..TodoAdd::default() };
    let refused = world.ask(&user(), add()).await.expect_err("it cannot be told");
    assert_eq!(refused.code, Code::ReadOnly);
    assert!(refused.message.contains("sightline connect codex"), "{}", refused.message);
    let note = NoteSend { session_id: id.clone(), text: "hello".to_owned() };
    assert_eq!(world.ask(&user(), note).await.expect_err("nor of a note").code, Code::ReadOnly);

    world.report(&hook("run-1"), worked()).await;
    assert!(world.session(&id).await.read_only, "this one cannot be heard");
    world.report(&hook("run-1"), listens()).await;
    assert!(!world.session(&id).await.read_only);
    world.ask(&user(), add()).await.expect("now it can");
    let heard = world.report(&hook("run-1"), listens()).await;
    let own = heard.own.expect("it is told of its own list");
    assert_eq!(
        (own.session_id.as_str(), own.tool.as_str(), contents(&own.todos)),
        (id.as_str(), "update_plan", vec!["A", "B", "C"])
    );
    assert!(world.report(&hook("run-1"), listens()).await.own.is_none(), "another hook leaves it to that one");
    let delivered = TodoDelivered {
        session_id: id.clone(),
        revision: None,
        edits: own.edits.iter().map(|edit| edit.edit_id.clone()).collect(),
        tool_call: Some("hook PostToolUse".to_owned()),
    };
    world.ask(&hook("run-1"), delivered).await.expect("it is noted");
    world.observe(&hook("run-1"), todos(&["A", "B", "C"]), None).await;
    let get = SessionGet { session_id: id, revision: None };
    let edits = world.ask(&user(), get).await.expect("there").edits;
    assert_eq!(edits[0].state, EditState::Reflected);
    world.running.stop().await;
}

#[tokio::test]
async fn a_result_that_the_agent_read_makes_two_sessions_one() {
    let world = World::new().await;
    let snapshot = world.ask(&user(), EventsSubscribe::default()).await.expect("there is one");
    let prompt = SessionReport { happened: Happened::Prompted, text: Some("Fix it".to_owned()), ..worked() };
    let reported = world.report(&file("run-1"), prompt).await.session_id.expect("a run is a session");
    let own = world.observe(&file("run-1"), todos(&["A"]), None).await.session_id;
    // Its tool server hears no id of the agent's.
    let ours = world.write(&agent("one"), todos(&["Plan"])).await.session_id;
    assert_ne!(ours, reported);
    world.report(&file("run-1"), SessionReport { proof: world.proof(&agent("one")).await, ..worked() }).await;

    let check = |sessions: Vec<SessionTodos>| {
        assert_eq!(sessions.len(), 2, "{sessions:?}");
        assert_eq!(run_of(&sessions).session.session_id, ours);
        assert_eq!(own_of(&sessions).session.session_id, own);
        assert_eq!(own_of(&sessions).session.parent_session_id.as_ref(), Some(&ours));
    };
    check(world.snapshot().await);
    let gone = SessionGet { session_id: reported.clone(), revision: None };
    assert_eq!(world.ask(&user(), gone).await.expect_err("it is one now").code, Code::SessionNotFound);
    let since = Some(snapshot.cursor);
    let caught_up = world.ask(&user(), EventsSubscribe { since }).await.expect("there is one");
    assert!(caught_up.whole || caught_up.deleted.contains(&reported), "{caught_up:?}");
    let world = world.restart().await;
    check(world.snapshot().await);
    assert_eq!(world.observe(&file("run-1"), todos(&["A", "B"]), None).await.session_id, own);
    world.running.stop().await;
}

#[tokio::test]
async fn what_is_long_ago_goes_into_the_history_and_disturbs_nobody() {
    let world = World::new().await;
    let mut heard = world.hub().subscribe(None).await.expect("it is there").events;
    let old = |minutes| Some(world.ago(minutes));
    assert!(world.observe(&file("run-1"), todos(&["A"]), old(3000)).await.news);
    let id = world.observe(&file("run-1"), todos(&["A", "B"]), old(2999)).await.session_id;
    world.report(&file("run-2"), SessionReport { at: old(4000), ..worked() }).await;
    assert!(heard.next().now_or_never().is_none(), "nobody is told");
    assert_eq!(world.snapshot().await, [], "and nothing is current");

    let page = world.ask(&user(), SessionList::default()).await.expect("they are listed").sessions;
    assert_eq!(page.iter().map(|session| &session.session_id).collect::<Vec<_>>(), [&id], "a run is listed once");
    assert_eq!((page[0].created_at, page[0].last_activity_at), (world.ago(3000), world.ago(2999)));
    assert_eq!(page[0].state, SessionState::Stale);
    let at_first = SessionGet { session_id: id, revision: Some(1) };
    assert_eq!(contents(&world.ask(&user(), at_first).await.expect("there").todos), ["A"]);
    // The run goes on today.
    world.observe(&file("run-1"), todos(&["A", "B", "C"]), None).await;
    assert!(matches!(heard.next().now_or_never(), Some(Some(event)) if matches!(event.event(), Event::TodoUpdate(_))));
    assert_eq!(world.snapshot().await.len(), 2);
    world.running.stop().await;
}

#[tokio::test]
async fn an_agent_that_goes_on_while_its_list_stands_still_drifts() {
    let world = World::new().await;
    let tool = || SessionReport { tool: true, ..worked() };
    let run_id = world.report(&hook("run-1"), tool()).await.session_id.expect("it begins");
    assert_eq!(world.session(&run_id).await.calls_since_list, 0, "without a list nothing stands still");
    world.observe(&hook("run-1"), todos(&["A"]), None).await;
    for call in 1..=protocol::DRIFT_CALLS {
        assert!(!world.session(&run_id).await.drifts, "after {call}");
        world.report(&hook("run-1"), tool()).await;
        // The same call as the agent's file has it.
        world.report(&file("run-1"), SessionReport { at: Some(world.ago(0)), ..tool() }).await;
    }
    let drifting = world.session(&run_id).await;
    assert_eq!((drifting.drifts, drifting.calls_since_list), (true, protocol::DRIFT_CALLS));
    world.report(&hook("run-1"), SessionReport { happened: Happened::Rests, ..worked() }).await;
    assert!(!world.session(&run_id).await.drifts, "who rests does nothing");
    world.observe(&hook("run-1"), json!([{"content": "A", "status": "completed"}]), None).await;
    for _ in 0..20 {
        world.report(&hook("run-1"), tool()).await;
    }
    assert_eq!(world.session(&run_id).await.calls_since_list, 0, "a finished list may stand still");
    world.running.stop().await;
}

#[tokio::test]
async fn what_a_silent_list_means_is_said_by_who_knows() {
    let world = World::new().await;
    let state = async |caller: &Caller| {
        let id = world.report(caller, worked()).await.session_id.expect("it begins");
        (world.session(&id).await.list_state, world.session(&id).await.state)
    };
    assert_eq!(state(&hook("run-1")).await, (ListState::NeverCalled, SessionState::Running), "its hooks are connected");
    assert_eq!(state(&file("run-2")).await, (ListState::Unknown, SessionState::Running));
    world.hub().silent_lists("codex", ListState::ToolOff);
    assert_eq!(state(&hook("run-1")).await.0, ListState::ToolOff);
    assert_eq!(state(&file("run-3")).await.0, ListState::ToolOff);
    let failed = SessionReport { happened: Happened::Failed, text: Some("no credit".to_owned()), ..worked() };
    let id = world.report(&hook("run-1"), failed).await.session_id.expect("it is known");
    let failed = world.session(&id).await;
    assert_eq!((failed.state, failed.state_reason.as_deref()), (SessionState::Failed, Some("no credit")));
    world.running.stop().await;
}

#[tokio::test]
async fn a_subagent_is_under_its_agent_with_a_list_of_its_own() {
    let world = World::new().await;
    let parent = world.report(&hook("run-1"), worked()).await.session_id.expect("it begins");
    let mut sub = hook("run-1/sub");
    let identity = sub.agent.as_mut().expect("an agent");
    identity.parent = Some("run-1".to_owned());
    let own = world.observe(&sub, todos(&["Look"]), None).await.session_id;
    let own = world.session(&own).await;
    let child = world.session(&own.parent_session_id.expect("its run")).await;
    assert_eq!((child.parent_session_id, child.own_tool), (Some(parent), None));
    let revisions = SessionRevisions { session_id: own.session_id, ..SessionRevisions::default() };
    let made = world.ask(&user(), revisions).await.expect("there").revisions;
    assert_eq!(made[0].actor.kind, protocol::ActorKind::Subagent);
    world.running.stop().await;
}

#[tokio::test]
async fn what_is_no_list_or_no_agent_is_refused_and_nothing_begins() {
    let world = World::new().await;
    let ask = |tool: &str, todos: Value| TodoObserve { tool: tool.to_owned(), todos, ..TodoObserve::default() };
    for (caller, ask) in [
        (user(), ask("update_plan", todos(&["A"]))),
        (agent("one"), ask("update_plan", todos(&["A"]))),
        (file("run-1"), ask("", todos(&["A"]))),
        (file("run-1"), ask("a\nb", todos(&["A"]))),
        (file("run-1"), ask(&"x".repeat(101), todos(&["A"]))),
        (file("run-1"), ask("update_plan", json!("text"))),
        (file("run-1"), ask("update_plan", json!([{"content": "x".repeat(2001)}]))),
        (file("run-1"), ask("update_plan", (0..300).map(|at| json!({"content": at.to_string()})).collect())),
    ] {
        world.ask(&caller, ask).await.expect_err("it is refused");
    }
    assert_eq!(world.ask(&user(), SessionList::default()).await.expect("they are listed").sessions, []);
    world.running.stop().await;
}

#[tokio::test]
async fn an_own_list_is_in_the_state_of_its_run() {
    let world = World::new().await;
    let run_id = world.report(&hook("run-1"), worked()).await.session_id.expect("it begins");
    let own = world.observe(&hook("run-1"), todos(&["A"]), None).await.session_id;
    for _ in 0..20 {
        world.pass(1);
        world.report(&hook("run-1"), worked()).await;
    }
    let both = |sessions: Vec<SessionTodos>| {
        sessions.iter().map(|shown| (shown.session.session_id.clone(), shown.session.state)).collect::<BTreeMap<_, _>>()
    };
    let wanted = BTreeMap::from([(run_id, SessionState::Running), (own.clone(), SessionState::Running)]);
    assert_eq!(both(world.snapshot().await), wanted, "a list that stands still is no run that is gone");
    let world = world.restart().await;
    assert_eq!(both(world.snapshot().await), wanted, "nor after a restart");

    let waits = SessionReport { happened: Happened::Waits, text: Some("approval: Bash".to_owned()), ..worked() };
    world.report(&hook("run-1"), waits).await;
    let listed = world.ask(&user(), SessionList::default()).await.expect("they are listed").sessions;
    assert_eq!(listed.len(), 1, "a run is listed once");
    assert_eq!((listed[0].state, listed[0].state_reason.as_deref()), (SessionState::Waiting, Some("approval: Bash")));
    world.report(&hook("run-1"), SessionReport { happened: Happened::Ended, ..worked() }).await;
    assert_eq!(world.session(&own).await.state, SessionState::Finished);
    world.running.stop().await;
}

#[tokio::test]
async fn the_same_list_once_more_shows_that_its_agent_is_there() {
    let world = World::new().await;
    let own = world.observe(&file("run-1"), todos(&["A"]), None).await.session_id;
    world.pass(20);
    assert_eq!(world.session(&own).await.state, SessionState::Stale);
    let mut heard = world.hub().subscribe(None).await.expect("it is there").events;
    let again = world.observe(&file("run-1"), todos(&["A"]), None).await;
    assert_eq!((again.news, again.revision), (false, 1));
    let mut told = Vec::new();
    while let Some(Some(event)) = heard.next().now_or_never() {
        if let Event::SessionUpdated(updated) = event.event() {
            told.push((updated.session.session.session_id.clone(), updated.session.session.state));
        }
    }
    assert!(told.contains(&(own, SessionState::Running)), "{told:?}");
    world.running.stop().await;
}

#[tokio::test]
async fn a_part_of_a_list_that_nobody_knows_begins_nothing() {
    let world = World::new().await;
    let part =
        |todos: Value| TodoObserve { tool: "TaskUpdate".to_owned(), todos, merge: true, ..TodoObserve::default() };
    let run = world.report(&hook("run-1"), worked()).await.session_id.expect("it begins");
    let unknown = part(json!([{"id": "7", "status": "completed"}]));
    assert_eq!(world.ask(&hook("run-1"), unknown.clone()).await.expect("it is passed over"), TodoObserved::default());
    let listed = world.ask(&user(), SessionList::default()).await.expect("they are listed").sessions;
    assert_eq!(listed.iter().map(|session| &session.session_id).collect::<Vec<_>>(), [&run]);
    world.ask(&hook("run-1"), part(json!([{"id": "8", "content": "Test"}]))).await.expect("one that is whole");
    let both = part(json!([{"id": "7", "status": "completed"}, {"id": "8", "status": "completed"}]));
    world.ask(&hook("run-1"), both).await.expect("what is known counts");
    let own = world.snapshot().await;
    assert_eq!(
        own_of(&own).todos.iter().map(|item| (item.id.as_str(), item.status)).collect::<Vec<_>>(),
        [("8", todo::Status::Completed)]
    );
    world.running.stop().await;
}

#[tokio::test]
async fn a_subagent_is_one_session_and_finds_its_agent_that_comes_later() {
    let world = World::new().await;
    let sub = |transport| {
        let mut caller = run("run-1/sub", transport);
        caller.agent.as_mut().expect("an agent").parent = Some("run-1".to_owned());
        caller
    };
    let old = Some(world.ago(3000));
    let own = world.observe(&sub(Transport::File), todos(&["Look"]), old).await.session_id;
    let child = world.session(&own).await.parent_session_id.expect("its run");
    let parent = world.session(&child).await.parent_session_id.expect("its agent's run");
    let agents = world.observe(&file("run-1"), todos(&["Plan"]), Some(world.ago(2999))).await.session_id;
    assert_eq!(world.session(&agents).await.parent_session_id, Some(parent), "told of after its subagent");
    let again = world.observe(&sub(Transport::Hook), todos(&["Look", "Say"]), None).await;
    assert_eq!((again.session_id.clone(), again.revision), (own, 2));
    assert!(world.session(&again.session_id).await.read_only, "a subagent hears nothing");
    world.running.stop().await;
}

#[tokio::test]
async fn a_call_of_a_subagent_is_its_own_where_a_hook_has_announced_it() {
    let world = World::new().await;
    let mut claude = agent("one");
    claude.agent.as_mut().expect("an agent").own_session = Some("run-1".to_owned());
    let main = world.write(&claude, todos(&["Plan"])).await.session_id;
    let arguments = json!({"todos": [{"content": "Look"}]});
    let call = protocol::AnnouncedCall { subagent: Some("sub".to_owned()), id: None, arguments };
    let calls = Some(Box::new(call));
    world.report(&hook("run-1"), SessionReport { calls, ..worked() }).await;
    let theirs = world.write(&claude, todos(&["Plan", "Do"])).await;
    assert_eq!(theirs.session_id, main, "a call with other arguments is another's");
    let sub = world.write(&claude, todos(&["Look"])).await;
    assert_ne!(sub.session_id, main);
    let session = world.session(&sub.session_id).await;
    assert_eq!((session.parent_session_id.as_ref(), session.own_tool), (Some(&main), None));
    assert_eq!(world.write(&claude, todos(&["Look"])).await.session_id, main, "it was one call");
    assert_eq!(contents(&world.write(&claude, todos(&["Plan", "Do"])).await.todos), ["Plan", "Do"]);
    world.running.stop().await;
}

#[tokio::test]
async fn the_list_that_stands_for_a_run_is_published_with_it() {
    let world = World::new().await;
    let own = world.observe(&hook("run-1"), todos(&["Plan"]), None).await.session_id;
    let run = world.session(&own).await.parent_session_id.expect("its run");
    let standing = async || world.session(&run).await.list_session_id;
    assert_eq!(standing().await.as_deref(), Some(own.as_str()), "it has no other");
    let listed = async || {
        let page = world.ask(&user(), SessionList::default()).await.expect("listed");
        page.sessions.into_iter().map(|session| session.session_id).collect::<Vec<_>>()
    };
    assert_eq!(listed().await, std::slice::from_ref(&own), "and is listed for it");

    let mut codex = agent("one");
    codex.agent.as_mut().expect("an agent").own_session = Some("run-1".to_owned());
    assert_eq!(world.write(&codex, todos(&["Ours"])).await.session_id, run);
    assert_eq!(standing().await, None, "its own was written");
    world.ask(&user(), TodoClear { session_id: run.clone() }).await.expect("cleared");
    assert_eq!(standing().await, None, "and stands also while it is empty");
    let world = world.restart().await;
    assert_eq!(world.session(&run).await.list_session_id, None);
    world.running.stop().await;
}

#[tokio::test]
async fn a_message_to_a_run_is_no_list_of_it() {
    let world = World::new().await;
    let reported = world.report(&hook("run-1"), worked()).await;
    let run = reported.session_id.expect("a run");
    let before = world.session(&run).await.list_state;
    world.ask(&user(), NoteSend { session_id: run.clone(), text: "Mind the tests".to_owned() }).await.expect("sent");
    assert_eq!(world.session(&run).await.list_state, before, "nothing is known of its list");
    let own = world.observe(&hook("run-1"), todos(&["Plan"]), None).await.session_id;
    let listed = async |world: &World| {
        let page = world.ask(&user(), SessionList::default()).await.expect("listed");
        page.sessions.into_iter().map(|session| session.session_id).collect::<Vec<_>>()
    };
    assert_eq!(world.session(&run).await.list_session_id.as_deref(), Some(own.as_str()));
    assert_eq!(listed(&world).await, std::slice::from_ref(&own), "its built-in list stands for it");
    let world = world.restart().await;
    assert_eq!(world.session(&run).await.list_session_id.as_deref(), Some(own.as_str()));
    assert_eq!(listed(&world).await, std::slice::from_ref(&own));
    world.ask(&user(), SessionDelete { session_id: own, for_good: false }).await.expect("deleted");
    assert!(listed(&world).await.is_empty(), "nothing else is left of it");
    world.running.stop().await;
}

#[tokio::test]
async fn a_run_that_was_brought_back_has_its_built_in_list_again() {
    let world = World::new().await;
    let own = world.observe(&hook("run-1"), todos(&["Plan"]), None).await.session_id;
    let run = world.session(&own).await.parent_session_id.expect("its run");
    let delete = SessionDelete { session_id: run.clone(), for_good: false };
    world.ask(&user(), delete).await.expect("deleted");
    world.ask(&user(), SessionUndelete { session_id: run.clone() }).await.expect("brought back");
    assert_eq!(world.session(&run).await.list_session_id.as_deref(), Some(own.as_str()));
    let again = world.observe(&hook("run-1"), todos(&["Plan", "Do"]), None).await;
    assert_eq!((again.session_id, again.revision), (own, 2), "it is the same list");
    world.running.stop().await;
}

#[tokio::test]
async fn a_run_that_is_at_work_is_listed_when_its_built_in_list_is_not_current() {
    let world = World::new().await;
    let own = world.observe(&hook("run-1"), todos(&["Plan"]), None).await.session_id;
    let run = world.session(&own).await.parent_session_id.expect("its run");
    world.pass(60);
    let mut codex = agent("one");
    codex.agent.as_mut().expect("an agent").own_session = Some("run-1".to_owned());
    world.ask(&codex, TodoRead::default()).await.expect("it reads");
    assert!(!world.session(&own).await.current, "nothing was heard of it for an hour");
    let page = world.ask(&user(), SessionList::default()).await.expect("listed");
    assert_eq!(page.sessions[0].session_id, run, "its agent is there");
    world.running.stop().await;
}

#[tokio::test]
async fn lines_from_before_its_agent_left_change_nothing_of_the_end() {
    let world = World::new().await;
    let mut server = agent("one");
    server.agent.as_mut().expect("an agent").own_session = Some("run-1".to_owned());
    let id = world.write(&server, todos(&["Plan", "Do"])).await.session_id;
    world.observe(&file("run-1"), json!([{"step": "Read", "status": "inProgress"}]), Some(world.ago(0))).await;
    world.pass(2);
    let (rested, wrote) = (world.ago(0), world.ago(0));
    world.pass(2);
    world.ask(&server, SessionLeave {}).await.expect("it leaves");
    // The file is read after the tool server has gone.
    let rests = SessionReport { happened: Happened::Rests, at: Some(rested), ..worked() };
    world.report(&file("run-1"), rests).await;
    world.observe(&file("run-1"), json!([{"step": "Read", "status": "completed"}]), Some(wrote)).await;
    let sessions = world.snapshot().await;
    assert_eq!(contents(&own_of(&sessions).todos), ["Read"]);
    assert_eq!(own_of(&sessions).session.revision, 2, "the list is news");
    for session in [run_of(&sessions), own_of(&sessions)] {
        assert_eq!(session.session.state, SessionState::Finished, "its state is not");
    }
    world.pass(1);
    world.report(&file("run-1"), SessionReport { at: Some(world.ago(0)), ..worked() }).await;
    assert_eq!(world.session(&id).await.state, SessionState::Running, "what comes after it is");
    world.running.stop().await;
}
