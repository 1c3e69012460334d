//! Sessions of another gateway: here as its owner has them, each revision once, and never changed here.

use super::imports::{Deed, deeds, make};
use super::{World, agent, contents, todos, user};
use crate::feed::unsalted_id;
use crate::{HostPosition, HostStatus, KnownHost};
use jiff::SignedDuration;
use proptest::prelude::*;
use protocol::{
    Backend, Caller, Code, EditDiscard, EditOnce, Error, Event, FeedChanges, FeedRows, FeedSession, HostState,
    HostsAdd, HostsConfirm, HostsList, HostsRemove, LaterAdd, NoteSend, OpenWith, SessionDelete, SessionGet,
    SessionList, SessionMark, SessionState, SessionUndelete, SettingsUpdate, TodoAdd, TodoSetStatus, TodoWrite,
    Transport,
};
use rstest::rstest;
use serde_json::{Value, json};
use std::path::Path;
use store::{History, ItemState};

const HOST: &str = "box";

fn host() -> HostsAdd {
    HostsAdd { name: HOST.to_owned(), command: vec!["true".to_owned()], days: Some(0), ..HostsAdd::default() }
}

/// A hub that mirrors one other.
async fn mirror() -> World {
    let here = World::new().await;
    here.ask(&user(), host()).await.expect("it is added");
    here
}

/// Takes all that is new over, with so many revisions in each answer; every answer comes twice.
async fn follow(owner: &World, here: &World, limit: u32) {
    loop {
        let HostPosition { cursor, witness, .. } = here.hub().host_position(HOST).await.expect("it is read");
        let goes_on = cursor.is_some();
        let ask = FeedChanges { cursor, witness, limit: Some(2), since: None };
        let page = owner.ask(&user(), ask).await.expect("a page");
        if goes_on && page.anew {
            here.hub().take_page(HOST, None, Vec::new(), true).await.expect("it is stored");
            continue;
        }
        for session in &page.sessions {
            pull(owner, here, session, limit).await;
        }
        here.hub().take_page(HOST, Some(page.cursor), page.deleted, page.more).await.expect("it is stored");
        if !page.more {
            break;
        }
    }
}

async fn pull(owner: &World, here: &World, session: &str, limit: u32) {
    for _ in 0..1_000 {
        let ask = here.hub().host_session(HOST, session).await.expect("it is read");
        let ask = FeedSession { limit: Some(limit), ..ask };
        let rows = match owner.ask(&user(), ask.clone()).await {
            Err(error) if error.code == Code::SessionNotFound => return,
            rows => rows.expect("rows"),
        };
        let more = rows.more || rows.differs;
        take(here, &ask, rows.clone()).await.expect("it is stored");
        if !rows.differs {
            take(here, &ask, rows).await.expect("it is here already");
        }
        if !more {
            return;
        }
    }
    panic!("{session} does not end");
}

async fn take(here: &World, ask: &FeedSession, rows: FeedRows) -> Result<(), Error> {
    here.hub().take_rows(HOST, ask, rows, SignedDuration::ZERO).await
}

/// A session's history, in an order of its own.
async fn history(world: &World, session_id: &str) -> History {
    let store = &world.hub().core.store;
    let row = store.session(session_id).await.expect("it is read").expect("it is there");
    let (_, mut history) = store.history(row.pk).await.expect("it is read").expect("it is there");
    let order =
        |one: &ItemState, other: &ItemState| (one.from_rev, one.item.uid).cmp(&(other.from_rev, other.item.uid));
    history.states.sort_by(order);
    history.edits.sort_by_key(|(edit, _)| edit.id);
    history.lists.iter_mut().for_each(|list| list.pk = 0);
    history
}

/// Every session of the owner is here, row by row, in the database and in memory.
async fn is_as_there(owner: &World, here: &World) {
    let store = &here.hub().core.store;
    for id in owner.ids().await {
        let entry = store.mirrored(HOST, &id).await.expect("it is read").expect("it is here");
        let there = history(owner, &id).await;
        let mut found = history(here, &entry.session_id).await;
        for (edit, _) in &mut found.edits {
            edit.id = unsalted_id(edit.id, entry.salt);
        }
        found.edits.sort_by_key(|(edit, _)| edit.id);
        for list in &mut found.lists {
            let list_id = uuid::Uuid::try_parse(&list.list_id).expect("an id");
            list.list_id = unsalted_id(list_id, entry.salt).to_string();
        }
        assert_eq!(found, there);
        let get = |id: &str| SessionGet { session_id: id.to_owned(), revision: None };
        let (ours, theirs) = (
            here.ask(&user(), get(&entry.session_id)).await.expect("it is here"),
            owner.ask(&user(), get(&id)).await.expect("it is there"),
        );
        assert_eq!((ours.todos, ours.revision), (theirs.todos, theirs.revision));
        // Edits of one revision stand in the order of their ids, which are others here; above each is found by its own.
        let states = |edits: &[protocol::EditView]| {
            let mut states: Vec<_> = edits.iter().map(|edit| (edit.at, format!("{:?}", edit.state))).collect();
            states.sort();
            states
        };
        assert_eq!(states(&ours.edits), states(&theirs.edits));
        assert_eq!(
            (ours.session.progress, ours.session.list_state),
            (theirs.session.progress, theirs.session.list_state)
        );
        let parents = (ours.session.parent_session_id, ours.session.list_session_id);
        assert_eq!(parents, (theirs.session.parent_session_id, theirs.session.list_session_id));
        assert_eq!(ours.session.host.as_deref(), Some(HOST));
    }
}

async fn up(here: &World, state: HostState) {
    here.hub().host_found(HOST, HostStatus { state, ..HostStatus::default() }).await;
}

async fn state(here: &World) -> SessionState {
    here.ask(&user(), SessionList::default()).await.expect("a page").sessions.remove(0).state
}

async fn at(here: &World, session_id: &str) -> protocol::SessionAt {
    here.ask(&user(), SessionGet { session_id: session_id.to_owned(), revision: None }).await.expect("it is here")
}

fn add(session_id: &str, content: &str) -> TodoAdd {
    TodoAdd { session_id: session_id.to_owned(), content: content.to_owned(), ..TodoAdd::default() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    // H1
    #[test]
    fn every_revision_of_its_owner_is_here_once(
        steps in prop::collection::vec((deeds(6), 1_u32..4), 1..5),
        restart in any::<bool>(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(all_is_here(&steps, restart));
    }
}

async fn all_is_here(steps: &[(Vec<Deed>, u32)], restart: bool) {
    let owner = World::new().await;
    let mut here = mirror().await;
    let id = owner.write(&agent("one"), json!([{ "id": "i0", "content": "Begin" }])).await.session_id;
    owner.observe(&super::own_lists::hook("run"), json!([{ "content": "Plan" }]), None).await;
    for (deeds, limit) in steps {
        for deed in deeds {
            make(&owner, &id, *deed).await;
        }
        follow(&owner, &here, *limit).await;
        is_as_there(&owner, &here).await;
        if restart {
            here = here.restart().await;
        }
    }
    assert_eq!(here.ids().await.len(), owner.ids().await.len(), "and nothing else");
    owner.running.stop().await;
    here.running.stop().await;
}

// H5
#[tokio::test]
async fn a_host_is_known_as_whole_once_its_last_page_is_here() {
    let (owner, here) = (World::new().await, mirror().await);
    let first = || async { here.hub().host_position(HOST).await.expect("it is read") };
    assert_eq!(first().await, HostPosition { is_first: true, ..HostPosition::default() });
    for name in ["one", "two", "three"] {
        owner.write(&agent(name), todos(&["A"])).await;
    }
    here.hub().take_page(HOST, Some("c:1".to_owned()), Vec::new(), true).await.expect("it is stored");
    let half = first().await;
    assert_eq!((half.cursor.as_deref(), half.is_first), (Some("c:1"), true), "a break in between changes nothing");
    here.hub().take_page(HOST, Some("c:2".to_owned()), Vec::new(), false).await.expect("it is stored");
    assert!(!first().await.is_first);
    here.hub().take_page(HOST, Some("c:3".to_owned()), Vec::new(), true).await.expect("it is stored");
    assert!(!first().await.is_first, "and stays so");
}

// H2
#[tokio::test]
async fn a_gateway_gives_its_own_sessions_and_none_that_it_mirrors() {
    let (owner, middle) = (World::new().await, mirror().await);
    owner.write(&agent("one"), todos(&["A"])).await;
    follow(&owner, &middle, 10).await;
    let own = middle.write(&agent("two"), todos(&["B"])).await.session_id;
    let page = middle.ask(&user(), FeedChanges::default()).await.expect("a page");
    assert_eq!(page.sessions, [own]);
    let mirrored = middle.ids().await.into_iter().find(|id| *id != page.sessions[0]).expect("two");
    let rows = middle.ask(&user(), FeedSession { session_id: mirrored, ..FeedSession::default() }).await;
    assert_eq!(rows.expect_err("it is not its own").code, Code::SessionNotFound);
}

// H3
#[tokio::test]
async fn a_deletion_there_is_one_here_and_one_here_lasts() {
    let (owner, here) = (World::new().await, mirror().await);
    let [first, second] = ["one", "two"].map(agent);
    let first = owner.write(&first, todos(&["A"])).await.session_id;
    let gone = owner.write(&second, todos(&["B"])).await.session_id;
    follow(&owner, &here, 10).await;
    let delete = |id: &str| SessionDelete { session_id: id.to_owned(), for_good: false };
    owner.ask(&user(), delete(&gone)).await.expect("it is deleted");
    follow(&owner, &here, 10).await;
    assert_eq!(here.ids().await, std::slice::from_ref(&first));
    owner.ask(&user(), SessionUndelete { session_id: gone.clone() }).await.expect("it is brought back");
    follow(&owner, &here, 10).await;
    is_as_there(&owner, &here).await;
    here.ask(&user(), delete(&gone)).await.expect("it is deleted here");
    owner.write(&agent("two"), todos(&["B", "C"])).await;
    follow(&owner, &here, 10).await;
    assert_eq!(here.ids().await, std::slice::from_ref(&first), "it is not fetched again");
    here.pass(3 * 24 * 60);
    here.hub().sweep().await.expect("it is purged");
    owner.write(&agent("two"), todos(&["C"])).await;
    follow(&owner, &here, 10).await;
    assert_eq!(here.ids().await, [first]);
    assert_eq!(owner.ids().await.len(), 2, "and its owner keeps it");
}

// H4
#[tokio::test]
async fn a_trimmed_part_is_a_hole_and_what_is_here_stays() {
    let (owner, here) = (World::new().await, mirror().await);
    let codex = agent("one");
    let id = owner.write(&codex, todos(&["A", "B"])).await.session_id;
    owner.write(&codex, todos(&["A", "B", "C"])).await;
    follow(&owner, &here, 10).await;
    for more in ["D", "E", "F", "G"] {
        owner.write(&codex, todos(&["B", more])).await;
    }
    let keep = SettingsUpdate { keep_revisions: Some(2), ..SettingsUpdate::default() };
    owner.ask(&user(), keep).await.expect("it is set");
    owner.pass(3 * 24 * 60);
    here.pass(3 * 24 * 60);
    owner.hub().sweep().await.expect("it is trimmed");
    follow(&owner, &here, 10).await;
    let numbers: Vec<u64> = history(&here, &id).await.revisions.iter().map(|row| row.revision).collect();
    let kept: Vec<u64> = history(&owner, &id).await.revisions.iter().map(|row| row.revision).collect();
    assert!(kept[0] > 3, "some were trimmed: {kept:?}");
    assert_eq!(numbers, [vec![1, 2], kept.clone()].concat(), "nothing stands for those between");
    for revision in [1, 2].into_iter().chain(kept.clone()) {
        let ask = SessionGet { session_id: id.clone(), revision: Some(revision) };
        let ours = here.ask(&user(), ask.clone()).await.expect("it is here").todos;
        match owner.ask(&user(), ask).await {
            Ok(theirs) => assert_eq!(ours, theirs.todos, "revision {revision}"),
            Err(_) => assert!(revision < 3 && contents(&ours)[..2] == ["A", "B"], "{ours:?}"),
        }
    }
    let gone = SessionGet { session_id: id.clone(), revision: Some(3) };
    assert_eq!(here.ask(&user(), gone).await.expect_err("it is in the hole").code, Code::RevisionNotFound);
    owner.write(&codex, todos(&["Z"])).await;
    follow(&owner, &here, 10).await;
    assert_eq!(at(&here, &id).await.todos, at(&owner, &id).await.todos);
    // A session of which only the end is known there begins with that here.
    let late = mirror().await;
    late.pass(3 * 24 * 60);
    follow(&owner, &late, 1).await;
    assert_eq!(history(&late, &id).await.states.len(), history(&owner, &id).await.states.len());
    is_as_there(&owner, &late).await;
}

/// Copies a database of a hub that has ended.
fn copy(from: &Path, to: &Path) {
    std::fs::copy(from.join("sightline.db"), to.join("sightline.db")).expect("it is copied");
}

// H5
#[rstest]
#[case::behind(false)]
#[case::ahead_again(true)]
#[tokio::test]
async fn an_owner_from_a_backup_is_fetched_anew_and_the_old_stays(#[case] goes_on: bool) {
    let (mut owner, here) = (World::new().await, mirror().await);
    let backup = tempfile::tempdir().expect("a folder");
    let codex = agent("one");
    let id = owner.write(&codex, todos(&["A"])).await.session_id;
    let other = owner.write(&agent("two"), todos(&["X"])).await.session_id;
    let folder = owner.folder.path().to_owned();
    owner = owner.stopped(|| copy(&folder, backup.path())).await;
    owner.pass(1);
    owner.write(&codex, todos(&["A", "Lost"])).await;
    follow(&owner, &here, 10).await;
    owner = owner.stopped(|| copy(backup.path(), &folder)).await;
    owner.pass(5);
    if goes_on {
        for more in ["B", "C", "D"] {
            owner.pass(1);
            owner.write(&codex, todos(&["A", more])).await;
        }
    }
    follow(&owner, &here, 10).await;
    is_as_there(&owner, &here).await;
    let ids = here.ids().await;
    assert_eq!(ids.len(), 3, "the history of before is kept: {ids:?}");
    assert_eq!(contents(&at(&here, &id).await.todos), ["A", "Lost"]);
    assert_eq!(contents(&at(&here, &other).await.todos), ["X"], "one that is as it was goes on");
}

impl World {
    /// Ends the hub, does something with its files, and starts it again.
    async fn stopped(self, meanwhile: impl FnOnce()) -> Self {
        self.running.stop().await;
        meanwhile();
        let running =
            crate::start(super::config(&self.folder, &self.now, &self.elapsed)).await.expect("it starts again");
        Self { running, ..self }
    }
}

// H6
#[tokio::test]
async fn a_host_that_does_not_answer_has_no_running_session() {
    let (owner, here) = (World::new().await, mirror().await);
    let id = owner.write(&agent("one"), todos(&["A"])).await.session_id;
    up(&here, HostState::Up).await;
    follow(&owner, &here, 10).await;
    assert_eq!(at(&here, &id).await.session.state, SessionState::Running);
    let mut events = here.hub().subscribe(None).await.expect("a subscription").events;
    up(&here, HostState::Down).await;
    let told = futures_util::StreamExt::next(&mut events).await.expect("an event");
    assert!(matches!(told.event(), Event::SessionUpdated(it) if it.session.session.state == SessionState::Stale));
    assert_eq!(state(&here).await, SessionState::Stale);
    up(&here, HostState::Up).await;
    assert_eq!(state(&here).await, SessionState::Running);
    // Before it was heard of in this process nothing is known of it.
    let here = here.restart().await;
    assert_eq!(state(&here).await, SessionState::Stale);
}

// H6
#[tokio::test]
async fn ages_go_by_our_clock() {
    let (owner, here) = (World::new().await, mirror().await);
    owner.set_clock(60);
    let id = owner.write(&agent("one"), todos(&["A"])).await.session_id;
    let ask = here.hub().host_session(HOST, &id).await.expect("it is read");
    let rows = owner.ask(&user(), ask.clone()).await.expect("rows");
    here.hub().take_rows(HOST, &ask, rows, SignedDuration::from_hours(1)).await.expect("it is stored");
    let told = at(&here, &id).await;
    let (session, now) = (told.session, *here.now.lock().expect("a time"));
    assert_eq!(session.last_activity_at, now, "heard of just now");
    assert_eq!(told.todos[0].status_at, now, "a step is as old as it is");
    let list = here.ask(&user(), SessionList::default()).await.expect("a page");
    assert_eq!(list.sessions[0].last_activity_at, now);
    let revision = &history(&here, &id).await.revisions[0];
    assert_eq!(revision.at, *owner.now.lock().expect("a time"), "a revision is its owner's");
}

// H8
#[tokio::test]
async fn a_name_that_is_given_here_stays() {
    let (owner, here) = (World::new().await, mirror().await);
    let id = owner.write(&agent("one"), todos(&["A"])).await.session_id;
    follow(&owner, &here, 10).await;
    let name = SessionMark { session_id: id.clone(), title: Some("Mine".to_owned()), ..SessionMark::default() };
    here.ask(&user(), name).await.expect("it is renamed");
    owner.write(&agent("one"), todos(&["A", "B"])).await;
    follow(&owner, &here, 10).await;
    let told = at(&here, &id).await;
    assert_eq!((told.session.title.as_str(), told.todos.len()), ("Mine", 2));
    assert_ne!(at(&owner, &id).await.session.title, "Mine", "its owner has its own name for it");
}

// H8
#[tokio::test]
async fn only_what_is_reached_over_ssh_is_opened_there() {
    let (owner, here) = (World::new().await, mirror().await);
    let id = owner.write(&agent("one"), todos(&["A"])).await.session_id;
    follow(&owner, &here, 10).await;
    assert_eq!(at(&here, &id).await.session.opens, []);
    let by = |line: &str| {
        let command = line.split(' ').map(str::to_owned).collect();
        HostsAdd { name: HOST.to_owned(), command, replaces: true, ..HostsAdd::default() }
    };
    for (line, opens) in [
        ("ssh box sightline dial-stdio", vec![OpenWith::Terminal, OpenWith::Editor]),
        ("ssh -p 22 box sightline dial-stdio", vec![OpenWith::Terminal]),
        ("docker exec -i box sightline dial-stdio", vec![]),
    ] {
        here.ask(&user(), by(line)).await.expect("it is changed");
        up(&here, HostState::Down).await;
        up(&here, HostState::Up).await;
        assert_eq!(at(&here, &id).await.session.opens, opens, "{line}");
    }
    let [host] = &here.ask(&user(), HostsList {}).await.expect("a list").hosts[..] else { panic!("one host") };
    assert_eq!((host.days, host.sessions, host.state), (0, 1, HostState::Up), "the rest of it is as it was");
}

// H7
#[tokio::test]
async fn an_edit_waits_for_its_host_and_is_made_there_once() {
    let (owner, here) = (World::new().await, mirror().await);
    let id = owner.write(&agent("one"), todos(&["A", "B"])).await.session_id;
    follow(&owner, &here, 10).await;
    here.ask(&user(), add(&id, "Mine")).await.expect("it waits");
    let uid = at(&here, &id).await.todos[0].uid.to_string();
    let set = json!({ "sessionId": id, "uid": uid, "status": "completed" });
    here.ask(&user(), serde_json::from_value::<TodoSetStatus>(set).expect("a request")).await.expect("it waits");
    here.ask(&user(), NoteSend { session_id: id.clone(), text: "Hello".to_owned() }).await.expect("it waits");
    let session = at(&here, &id).await.session;
    let waiting: Vec<&str> = session.sending.iter().map(|edit| edit.kind.as_str()).collect();
    assert_eq!(waiting, ["todo.add", "todo.setStatus", "note.send"], "shown, in order");
    assert_eq!(contents(&at(&here, &id).await.todos), ["A", "B"], "and made there only");
    let here = here.restart().await;
    assert_eq!(at(&here, &id).await.session.sending.len(), 3, "also after a restart");
    // An item that is named by its position is that one, wherever it stands when the edit arrives.
    here.ask(&user(), super::delete(&id, "2")).await.expect("it waits");
    owner.ask(&user(), TodoAdd { position: Some("1".to_owned()), ..add(&id, "First") }).await.expect("it is added");
    let beyond = here.ask(&user(), super::delete(&id, "9")).await;
    assert_eq!(beyond.expect_err("there is none").code, Code::InvalidPosition);
    while let Some(next) = here.hub().next_for_host(HOST).await.expect("it is read") {
        let answers = [
            owner.ask(&user(), next.edit.clone()).await.expect("it is made"),
            owner.ask(&user(), next.edit.clone()).await.expect("the answer of before"),
        ];
        assert_eq!(answers[0], answers[1]);
        here.hub().forwarded(&next, None).await.expect("it is stored");
    }
    follow(&owner, &here, 10).await;
    let (ours, theirs) = (at(&here, &id).await, at(&owner, &id).await);
    assert_eq!(contents(&theirs.todos), ["First", "A", "Mine"], "each once");
    assert_eq!((&ours.todos, theirs.edits.len()), (&theirs.todos, 5));
    assert!(ours.session.sending.is_empty());
    // An edit is known here by an id of its own, and there by the owner's.
    let mine = ours.edits.iter().find(|edit| edit.text == "Mine").expect("it is among them");
    let undo = protocol::TodoUndo { session_id: id.clone(), edit_id: Some(mine.edit_id.clone()) };
    here.ask(&user(), undo).await.expect("it waits");
    let next = here.hub().next_for_host(HOST).await.expect("it is read").expect("one waits");
    owner.ask(&user(), next.edit.clone()).await.expect("it is undone");
    assert_eq!(contents(&at(&owner, &id).await.todos), ["First", "A"]);
}

// H1
#[tokio::test]
async fn edits_that_count_for_nothing_any_more_there_do_not_here() {
    let (owner, here) = (World::new().await, mirror().await);
    let id = owner.write(&agent("one"), todos(&["A"])).await.session_id;
    for number in 0..100 {
        if number == 50 {
            follow(&owner, &here, 10).await;
        }
        let note = NoteSend { session_id: id.clone(), text: format!("Note {number}") };
        owner.ask(&user(), note).await.expect("it is sent");
        owner.write(&agent("one"), todos(&["A"])).await;
    }
    let forgotten = history(&owner, &id).await.edits.iter().filter(|(_, forgotten)| *forgotten).count();
    assert!(forgotten > 0, "the oldest of so many");
    follow(&owner, &here, 10).await;
    is_as_there(&owner, &here).await;
}

// H7
#[tokio::test]
async fn a_session_is_edited_in_the_moment_in_which_it_comes() {
    let (owner, here) = (World::new().await, mirror().await);
    let id = owner.write(&agent("one"), todos(&["A"])).await.session_id;
    let ask = FeedSession { session_id: id.clone(), ..FeedSession::default() };
    let rows = owner.ask(&user(), ask.clone()).await.expect("rows");
    // Both wait for the writer, so they are in one transaction.
    let (before, user) = (here.hub().core.status().commits, user());
    let (taken, edited) = tokio::join!(take(&here, &ask, rows), here.ask(&user, add(&id, "Mine")));
    taken.expect("it is stored");
    edited.expect("it waits");
    assert_eq!(here.hub().core.status().commits, before + 1);
    assert_eq!(at(&here, &id).await.session.sending.len(), 1);
}

// H7
#[tokio::test]
async fn an_edit_that_is_refused_there_says_why_until_it_is_discarded() {
    let (owner, here) = (World::new().await, mirror().await);
    let id = owner.write(&agent("one"), todos(&["A"])).await.session_id;
    follow(&owner, &here, 10).await;
    here.ask(&user(), add(&id, "Mine")).await.expect("it waits");
    let next = here.hub().next_for_host(HOST).await.expect("it is read").expect("one waits");
    let there = Error::new(Code::LimitExceeded, protocol::say::list_full(257, 256));
    let refused = protocol::TextRef::clone(there.text.as_ref().expect("it has a name"));
    here.hub().forwarded(&next, Some(there.clone().into_text())).await.expect("it is stored");
    assert!(here.hub().next_for_host(HOST).await.expect("it is read").is_none(), "it is not sent again");
    let here = here.restart().await;
    let sending = at(&here, &id).await.session.sending;
    assert_eq!(sending[0].problem.as_deref(), Some(there.message.as_str()));
    assert_eq!(sending[0].problem_text.as_ref(), Some(&refused), "whoever reads it reads it in another language");
    let discard = EditDiscard { key: sending[0].key.clone() };
    here.ask(&user(), discard.clone()).await.expect("it is gone");
    assert!(at(&here, &id).await.session.sending.is_empty());
    assert_eq!(here.ask(&user(), discard).await.expect_err("it is gone").code, Code::ItemNotFound);
}

// H8
#[tokio::test]
async fn nothing_else_changes_what_lives_elsewhere() {
    let (owner, here) = (World::new().await, mirror().await);
    let id = owner.write(&agent("one"), todos(&["A"])).await.session_id;
    follow(&owner, &here, 10).await;
    let mine = user();
    let write = TodoWrite { session_id: Some(id.clone()), todos: todos(&["X"]), ..TodoWrite::default() };
    let later = LaterAdd { session_id: Some(id.clone()), text: "Later".to_owned(), ..LaterAdd::default() };
    let edit = json!({ "type": "todo.add", "sessionId": id, "content": "X" });
    let once = EditOnce { key: "k".to_owned(), edit, client: None };
    let codes = [
        here.ask(&mine, write).await.expect_err("it is refused").code,
        here.ask(&mine, later).await.expect_err("it is refused").code,
        here.ask(&mine, once).await.expect_err("no chains").code,
        here.hub().session_of_agent(&id).await.expect_err("its folder is there").code,
    ];
    assert_eq!(codes, [Code::ReadOnly, Code::ReadOnly, Code::ReadOnly, Code::Unavailable]);
    let mark = SessionMark { session_id: id.clone(), pinned: Some(true), ..SessionMark::default() };
    here.ask(&mine, mark).await.expect("marks are our own");
    owner.write(&agent("one"), todos(&["A", "B"])).await;
    follow(&owner, &here, 10).await;
    assert!(at(&here, &id).await.session.pinned && !at(&owner, &id).await.session.pinned);
}

// H9
#[rstest]
#[case("/session/revisions", json!([]), "revisions")]
#[case("/session/revisions/0/revision", json!(7), "revisions")]
#[case("/session/revisions/0/at", json!("2970-01-01T00:00:00Z"), "still to come")]
#[case("/session/items/0/item/content", json!("x".repeat(2_001)), "says too much")]
#[case("/session/items/0/rank", json!("\u{0}"), "rank")]
#[case("/session/lists", json!([]), "lists")]
#[case("/session/title", json!("x".repeat(5_000)), "too long")]
#[case("/session/items", Value::Null, "not well formed")]
#[case("/revision", json!(9), "numbers")]
#[tokio::test]
async fn rows_that_no_gateway_could_have_sent_are_refused(
    #[case] place: &str,
    #[case] value: Value,
    #[case] problem: &str,
) {
    let (owner, here) = (World::new().await, mirror().await);
    let id = owner.write(&agent("one"), todos(&["A"])).await.session_id;
    let ask = here.hub().host_session(HOST, &id).await.expect("it is read");
    let rows = owner.ask(&user(), ask.clone()).await.expect("rows");
    let mut told = serde_json::to_value(&rows).expect("JSON");
    *told.pointer_mut(place).expect("a place") = value;
    let refused = take(&here, &ask, serde_json::from_value(told).expect("rows")).await.expect_err("it is refused");
    assert!(refused.code == Code::InvalidMessage && refused.message.contains(problem), "{refused}");
    assert!(here.ids().await.is_empty());
}

// H10
#[tokio::test]
async fn a_host_waits_until_somebody_who_administers_confirms_its_command() {
    let here = World::new().await;
    let shell = Caller::user(Transport::Cli, "cli");
    let mut links = here.hub().known_hosts();
    let added = here.ask(&shell, host()).await.expect("it is added");
    assert_eq!(added.state, HostState::Unconfirmed);
    assert!(links.borrow_and_update().is_empty(), "nothing runs");
    let confirm = |command: &[&str], accept| HostsConfirm {
        name: HOST.to_owned(),
        command: command.iter().map(|word| (*word).to_owned()).collect(),
        address: None,
        accept,
    };
    let refused = here.ask(&shell, confirm(&["true"], true)).await.expect_err("it may not");
    assert_eq!(refused.code, Code::Unauthorized);
    let other = here.ask(&user(), confirm(&["rm", "-rf"], true)).await.expect_err("another command");
    assert_eq!(other.code, Code::InvalidSetting);
    here.ask(&user(), confirm(&["true"], true)).await.expect("it is confirmed");
    let known = KnownHost { name: HOST.to_owned(), command: vec!["true".to_owned()], address: None, days: 0 };
    assert_eq!(**links.borrow_and_update(), [known]);
    here.ask(&shell, HostsRemove { name: HOST.to_owned() }).await.expect("it is removed");
    assert!(links.borrow_and_update().is_empty());
    assert!(here.ask(&shell, HostsList {}).await.expect("a list").hosts.is_empty());
    for name in ["", "a b", "x\u{202e}", "../x"] {
        let ask = HostsAdd { name: name.to_owned(), ..host() };
        assert_eq!(here.ask(&user(), ask).await.expect_err("no name").code, Code::InvalidSetting, "{name:?}");
    }
    let empty = HostsAdd { command: Vec::new(), ..host() };
    assert_eq!(here.ask(&user(), empty).await.expect_err("no command").code, Code::InvalidSetting);
}
