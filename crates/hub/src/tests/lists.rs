//! A list is a row: those that were cleared, archived or replaced stay reachable; the user deletes one, and begins one.

use super::{World, agent, contents, labelled, todos, user};
use futures_util::StreamExt;
use proptest::prelude::*;
use protocol::{
    ArchiveLists, ArchiveStatus, Backend, Caller, Code, Event, ExportFormat, ListDelete, ListEntry, ListUndelete,
    SessionExport, SessionFilter, SessionGet, SessionImport, SessionLoad, SessionMark, SessionSearch, SessionState,
    TodoAdd, TodoArchive, TodoClear, TodoCommand, TodoDelete, TodoRead, TodoUndo, TodoWrite, Transport,
};
use rstest::rstest;
use serde_json::{Value, json};
use std::collections::HashMap;

async fn entries(world: &World, filter: SessionFilter) -> Vec<ListEntry> {
    let (mut lists, mut cursor) = (Vec::new(), None);
    loop {
        let ask = ArchiveLists { cursor, limit: Some(3), filter: filter.clone() };
        let page = world.ask(&user(), ask).await.expect("a page");
        lists.extend(page.lists);
        cursor = page.next_cursor;
        if cursor.is_none() {
            return lists;
        }
    }
}

async fn all(world: &World) -> Vec<ListEntry> {
    entries(world, SessionFilter::default()).await
}

/// An entry as its page shows it.
async fn opened(world: &World, entry: &ListEntry) -> Vec<String> {
    let revision = entry.ended.as_ref().map(|list| list.revision);
    let ask = SessionGet { session_id: entry.session.session_id.clone(), revision };
    let todos = world.ask(&user(), ask).await.expect("it is opened").todos;
    contents(&todos).into_iter().map(str::to_owned).collect()
}

async fn say(world: &World, session_id: &str, line: &str) -> Result<String, protocol::Error> {
    let ask = TodoCommand { session_id: session_id.to_owned(), line: line.to_owned() };
    world.ask(&user(), ask).await.map(|commanded| commanded.output)
}

fn add(session_id: &str, label: Option<&str>, content: &str) -> TodoAdd {
    TodoAdd {
        session_id: session_id.to_owned(),
        label: label.map(str::to_owned),
        content: content.to_owned(),
        ..TodoAdd::default()
    }
}

/// A session that had three lists, the oldest first, and now has a fourth.
async fn with_four(world: &World) -> String {
    let codex = agent("one");
    let id =
        world.write(&codex, json!([{ "content": "A1", "status": "completed" }, { "content": "A2" }])).await.session_id;
    world.pass(1);
    world.ask(&user(), TodoClear { session_id: id.clone() }).await.expect("cleared");
    world.pass(1);
    world.write(&codex, todos(&["B1", "B2", "B3"])).await;
    world.pass(1);
    world.ask(&user(), TodoArchive { session_id: id.clone() }).await.expect("archived");
    world.pass(1);
    world.write(&codex, todos(&["C1"])).await;
    world.pass(1);
    world.write(&codex, json!([])).await;
    world.pass(1);
    world.write(&codex, todos(&["D1", "D2"])).await;
    id
}

// P3, P7, P8
#[tokio::test]
async fn each_list_is_an_entry_that_is_opened_searched_loaded_and_exported() {
    let world = World::new().await;
    let id = with_four(&world).await;
    let world = world.restart().await;
    let lists = all(&world).await;
    let mut told = Vec::new();
    for entry in &lists {
        let ended = entry.ended.as_ref();
        let progress = ended.map_or(entry.session.progress, |list| list.progress);
        told.push((
            opened(&world, entry).await.join(" "),
            ended.map(|list| list.title.as_str()),
            progress.completed,
            progress.total,
        ));
    }
    assert_eq!(
        told,
        [
            ("D1 D2".to_owned(), None, 0, 2),
            ("C1".to_owned(), Some("C1"), 0, 1),
            ("B1 B2 B3".to_owned(), Some("B1"), 0, 3),
            ("A1 A2".to_owned(), Some("A1"), 1, 2),
        ]
    );
    let info = world.ask(&user(), ArchiveStatus::default()).await.expect("counted");
    assert_eq!((info.lists, info.sessions), (4, 1));
    for (number, entry) in lists.iter().enumerate() {
        let searched = SessionSearch { query: told[number].0[..2].to_owned(), ..SessionSearch::default() };
        let hits = world.ask(&user(), searched).await.expect("searched").results;
        assert_eq!(hits.iter().map(|hit| &hit.list_id).collect::<Vec<_>>(), [&entry.list_id]);
        let into = world.ask(&user(), add("", Some(&format!("n{number}")), "X")).await.expect("begun").session_id;
        let at = say(&world, "", "list").await.expect("listed");
        let line =
            at.lines().position(|line| line.ends_with(&format!("\"{}\"", &told[number].0[..2]))).expect("it is listed");
        let shown: usize =
            at.lines().nth(line - 1).and_then(|line| line.split('.').next()?.parse().ok()).expect("its number");
        say(&world, &into, &format!("load {shown}")).await.expect("loaded");
        let loaded = world.ask(&user(), SessionGet { session_id: into, revision: None }).await.expect("there");
        assert_eq!(contents(&loaded.todos).join(" "), told[number].0);
        let revision = entry.ended.as_ref().map(|list| list.revision);
        let ask = SessionExport { session_id: id.clone(), revision, ..SessionExport::default() };
        let text = world.ask(&user(), ask).await.expect("exported").text;
        assert!(
            text.contains(&told[number].0[..2]) && text.matches("- [").count() == contents(&loaded.todos).len(),
            "{text}"
        );
    }
    world.running.stop().await;
}

// P3
#[tokio::test]
async fn an_undo_at_once_goes_on_with_the_list_and_a_later_one_keeps_both() {
    let world = World::new().await;
    let codex = agent("one");
    let id = world.write(&codex, todos(&["A"])).await.session_id;
    let undo = || TodoUndo { session_id: id.clone(), edit_id: None };
    world.ask(&user(), TodoClear { session_id: id.clone() }).await.expect("cleared");
    assert_eq!(all(&world).await.len(), 1, "an empty list is none beside another");
    world.ask(&user(), undo()).await.expect("undone");
    assert_eq!(all(&world).await.len(), 1);
    let other = world.write(&agent("two"), todos(&["X", "Y"])).await.session_id;
    let load = SessionLoad { session_id: id.clone(), from: Some(other), ..SessionLoad::default() };
    world.ask(&user(), load).await.expect("loaded");
    assert_eq!(all(&world).await.len(), 3, "the old one, the loaded one, and that of the other session");
    world.ask(&user(), add(&id, None, "Z")).await.expect("added");
    let loaded = world.ask(&user(), SessionGet { session_id: id.clone(), revision: None }).await.expect("there");
    let edit =
        loaded.edits.iter().find(|edit| edit.kind == protocol::EditKind::Load).expect("the load").edit_id.clone();
    world.ask(&user(), TodoUndo { session_id: id.clone(), edit_id: Some(edit) }).await.expect("undone");
    let mut lists = Vec::new();
    for entry in all(&world).await {
        lists.push(opened(&world, &entry).await.join(" "));
    }
    lists.sort();
    assert_eq!(lists, ["A", "A Z", "X Y", "X Y Z"]);
    world.running.stop().await;
}

#[tokio::test]
async fn one_list_is_deleted_and_comes_back() {
    let world = World::new().await;
    let id = with_four(&world).await;
    let lists = all(&world).await;
    let [_, _, second, _] = &lists[..] else { panic!("four lists") };
    let delete = |list: &ListEntry, for_good| ListDelete { list_id: list.list_id.clone(), for_good };
    let mut events = world.hub().subscribe(None).await.expect("a subscription").events;
    world.ask(&user(), delete(second, false)).await.expect("deleted");
    let told = events.next().await.expect("the other windows are told");
    let Event::ListDeleted(told) = told.event() else { panic!("{told:?}") };
    assert_eq!((told.session_id.as_str(), &told.list_id), (id.as_str(), &second.list_id));
    let again = world.ask(&user(), delete(second, false)).await.expect_err("it is gone");
    assert_eq!(again.code, Code::SessionNotFound);
    assert!(again.message.contains("deleted meanwhile"), "{}", again.message);
    let left: Vec<String> = all(&world).await.into_iter().map(|entry| entry.list_id).collect();
    assert_eq!(left, [&lists[0], &lists[1], &lists[3]].map(|entry| entry.list_id.clone()));
    let ended = second.ended.as_ref().expect("it has ended");
    let (first, at) = (ended.first_revision, ended.revision);
    for (revision, is_deleted) in [(first - 1, false), (first, true), (at, true), (at + 1, false)] {
        let ask = SessionGet { session_id: id.clone(), revision: Some(revision) };
        let refused = world.ask(&user(), ask).await.err().map(|error| error.code);
        assert_eq!(refused, is_deleted.then_some(Code::RevisionNotFound), "revision {revision}");
    }
    let load = SessionLoad { session_id: id.clone(), revision: Some(at), ..SessionLoad::default() };
    assert_eq!(world.ask(&user(), load).await.expect_err("it is deleted").code, Code::RevisionNotFound);
    let search = || SessionSearch { query: "B2".to_owned(), ..SessionSearch::default() };
    assert_eq!(world.ask(&user(), search()).await.expect("searched").results.len(), 0);
    let of_deleted = SessionFilter { deleted: true, ..SessionFilter::default() };
    let deleted = entries(&world, of_deleted).await;
    assert_eq!(deleted.iter().map(|entry| &entry.list_id).collect::<Vec<_>>(), [&second.list_id]);
    assert!(deleted[0].ended.as_ref().is_some_and(|list| list.deleted_at.is_some()));
    let exported = SessionExport { session_id: id.clone(), format: ExportFormat::Json, ..SessionExport::default() };
    let text = world.ask(&user(), exported).await.expect("exported").text;
    assert!(text.contains("C1") && !text.contains("\"B2\""), "{text}");
    world.ask(&user(), ListUndelete { list_id: second.list_id.clone() }).await.expect("it comes back");
    let told = events.next().await.expect("the other windows are told");
    let Event::ListUndeleted(told) = told.event() else { panic!("{told:?}") };
    assert_eq!((told.session_id.as_str(), &told.list_id), (id.as_str(), &second.list_id));
    assert_eq!(all(&world).await, lists);
    assert_eq!(world.ask(&user(), search()).await.expect("searched").results.len(), 1);

    // Without a day's grace its items are gone, and its revisions are not those of an empty list.
    world.ask(&user(), delete(second, false)).await.expect("deleted");
    world.ask(&user(), delete(second, true)).await.expect("for good");
    world.hub().sweep().await.expect("swept");
    let back = world.ask(&user(), ListUndelete { list_id: second.list_id.clone() }).await;
    assert_eq!(back.expect_err("it is gone").code, Code::SessionNotFound);
    let world = world.restart().await;
    let ask = SessionGet { session_id: id.clone(), revision: Some(at) };
    assert_eq!(world.ask(&user(), ask).await.expect_err("it is gone").code, Code::RevisionNotFound);
    assert_eq!(opened(&world, &lists[3]).await, ["A1", "A2"], "the others stay");
    world.running.stop().await;
}

#[tokio::test]
async fn a_present_list_is_deleted_without_a_word_and_the_last_with_its_session() {
    let world = World::new().await;
    let codex = agent("one");
    let id = with_four(&world).await;
    let lists = all(&world).await;
    let delete = |list: &ListEntry| ListDelete { list_id: list.list_id.clone(), for_good: false };
    world.ask(&user(), delete(&lists[0])).await.expect("deleted");
    assert_eq!(all(&world).await.len(), 3);
    let next = world.write(&codex, todos(&["D1", "D2", "E"])).await;
    assert_eq!(
        (next.session_id.clone(), contents(&next.todos)),
        (id.clone(), vec!["D1", "D2", "E"]),
        "{:?}",
        next.edits
    );
    assert_eq!(next.edits, [], "the agent was told nothing");
    let left = all(&world).await;
    let [present, others @ ..] = &left[..] else { panic!("several lists") };
    world.ask(&user(), delete(present)).await.expect("deleted");
    world.pass(24 * 60);
    for entry in others {
        world.ask(&user(), delete(entry)).await.expect("deleted");
    }
    assert_eq!(all(&world).await, [], "of a session that is over nothing is left");
    let last = others.last().expect("the oldest").clone();
    world.ask(&user(), ListUndelete { list_id: last.list_id.clone() }).await.expect("it comes back");
    assert_eq!(all(&world).await.iter().map(|entry| &entry.list_id).collect::<Vec<_>>(), [&last.list_id]);
    world.ask(&user(), delete(&last)).await.expect("deleted");
    let gone = world.write(&codex, todos(&["F"])).await;
    let [only] = &all(&world).await[..] else { panic!("one list") };
    world.ask(&user(), delete(only)).await.expect("deleted");
    let info = world.ask(&user(), ArchiveStatus::default()).await.expect("counted");
    assert_eq!((info.lists, all(&world).await.len()), (0, 0));
    world.ask(&user(), ListUndelete { list_id: only.list_id.clone() }).await.expect("it comes back");
    assert_eq!(opened(&world, &all(&world).await[0]).await, ["F"]);
    assert_eq!(all(&world).await[0].session.session_id, gone.session_id);
    world.running.stop().await;
}

// P7
#[tokio::test]
async fn the_list_of_lists_comes_in_pages_and_says_how_many_there_are() {
    let world = World::new().await;
    let codex = agent("one");
    let mut id = String::new();
    for number in 0..61 {
        id = world.write(&codex, todos(&[&format!("Step {number}")])).await.session_id;
        world.pass(1);
        world.ask(&user(), TodoArchive { session_id: id.clone() }).await.expect("archived");
    }
    let first = say(&world, &id, "/todo list").await.expect("listed");
    assert!(first.ends_with("1-50 of 61 lists. Next: /todo list 2. All: /todo list --all"), "{first}");
    assert!(first.contains("1. Just now │ 1 item (1 pending) │ codex · billing\n   → \"Step 60\""), "{first}");
    let second = say(&world, "", "list 2").await.expect("listed");
    assert!(
        second.contains("\n51. ") && second.contains("\n61. ") && second.ends_with("51-61 of 61 lists."),
        "{second}"
    );
    let whole = say(&world, "", "list --all").await.expect("listed");
    assert!(whole.contains("\n1. ") && whole.contains("\n61. ") && whole.ends_with("61 lists in all."), "{whole}");
    for (line, said) in [
        ("list 3", "there is no page 3; the last one is 2"),
        ("list 0", "there is no page 0"),
        ("list x", "there is no page x"),
        ("load 0", "there is no saved list 0"),
        ("load 62", "there is no saved list 62"),
        ("load 99999999999", "there is no saved list 99999999999"),
        ("load 99999999999999999999999", "there is no saved list"),
    ] {
        let refused = say(&world, &id, line).await.expect_err(line);
        assert!(refused.message.contains(said), "{line}: {}", refused.message);
    }
    say(&world, &id, "load 55").await.expect("loaded");
    let loaded = world.ask(&user(), SessionGet { session_id: id, revision: None }).await.expect("there");
    assert_eq!(contents(&loaded.todos), ["Step 6"]);
    world.running.stop().await;
}

// P5
#[tokio::test]
async fn a_list_of_the_users_own_is_that_of_the_first_agent_that_opens_it() {
    let world = World::new().await;
    say(&world, "", "/todo add 1 Ask the customer").await.expect("a list begins");
    let own = world.ask(&user(), add("", Some("shared"), "Read")).await.expect("begun").session_id;
    assert_eq!(world.ask(&user(), add("", Some("shared"), "Test")).await.expect("the same one").session_id, own);
    let [first, other] = &all(&world).await[..] else { panic!("two lists") };
    assert_eq!((first.session.title.as_str(), other.session.title.as_str()), ("shared", "Ask the customer"));
    world.pass(3 * 24 * 60);
    let world = world.restart().await;
    let waiting =
        world.ask(&user(), SessionGet { session_id: own.clone(), revision: None }).await.expect("there").session;
    assert_eq!((waiting.agent.name.as_str(), waiting.state, waiting.current), ("you", SessionState::Idle, true));
    let codex = labelled("one");
    let read = world.ask(&codex, TodoRead::default()).await.expect("read");
    assert_eq!((read.session_id.as_str(), contents(&read.todos)), (own.as_str(), vec!["Read", "Test"]));
    assert_eq!(read.edits.len(), 2, "it is told of both");
    let written = world.write(&codex, todos(&["Mine"])).await;
    assert_eq!(contents(&written.todos), ["Read", "Test", "Mine"]);
    let taken = world.ask(&user(), SessionGet { session_id: own, revision: None }).await.expect("there").session;
    assert_eq!((taken.agent.name.as_str(), taken.state), ("codex", SessionState::Running));
    assert_eq!((taken.project.as_deref(), taken.title.as_str()), (Some("billing"), "shared"));
    world.running.stop().await;
}

// P5
#[tokio::test]
async fn a_list_of_the_users_own_is_handed_to_an_agent() {
    let world = World::new().await;
    let own = world.ask(&user(), add("", None, "Ask the customer")).await.expect("begun").session_id;
    let codex = agent("one");
    let id = world.write(&codex, todos(&["A"])).await.session_id;
    let load = SessionLoad { session_id: id.clone(), from: Some(own.clone()), ..SessionLoad::default() };
    world.ask(&user(), load).await.expect("handed over");
    let told = world.write(&codex, todos(&["A"])).await;
    assert_eq!(contents(&told.todos), ["Ask the customer"]);
    assert!(told.edits.iter().any(|edit| edit.kind == protocol::EditKind::Load), "{:?}", told.edits);
    let left = world.ask(&user(), SessionGet { session_id: own, revision: None }).await.expect("there").session;
    assert_eq!(left.state, SessionState::Finished, "it waits for nobody any more");
    world.running.stop().await;
}

// P5
#[rstest]
#[case("", Some(&"x".repeat(201) as &str), "201 characters long")]
#[case("", Some("a\nb"), "with control characters")]
#[case("", Some("  "), "empty")]
#[case("nobody", None, "there is no session \"nobody\"")]
#[case("nobody", Some("label"), "in the place of \"sessionId\"")]
#[tokio::test]
async fn a_list_that_cannot_begin_says_why(#[case] session_id: &str, #[case] label: Option<&str>, #[case] said: &str) {
    let world = World::new().await;
    let refused = world.ask(&user(), add(session_id, label, "x")).await.expect_err("it is refused");
    assert!(refused.message.contains(said), "{}", refused.message);
    let nothing = TodoAdd { position: Some("9".to_owned()), ..add("", Some("new"), "x") };
    assert_eq!(world.ask(&user(), nothing).await.expect_err("no such position").code, Code::InvalidPosition);
    assert_eq!(all(&world).await, [], "and no list is left of it");
    world.running.stop().await;
}

#[tokio::test]
async fn two_windows_at_once_begin_one_list_and_delete_one_once() {
    let world = World::new().await;
    let mine = user();
    let other = Caller::user(Transport::Page, "window-2");
    let (one, two) =
        tokio::join!(world.ask(&mine, add("", Some("shared"), "A")), world.ask(&other, add("", Some("shared"), "B")),);
    let (one, two) = (one.expect("begun"), two.expect("the same"));
    assert_eq!(one.session_id, two.session_id);
    let id = with_four(&world).await;
    let ended = all(&world).await.into_iter().find(|entry| entry.ended.is_some()).expect("one that has ended");
    let revision = ended.ended.as_ref().map(|list| list.revision);
    let delete = || ListDelete { list_id: ended.list_id.clone(), for_good: false };
    let load =
        SessionLoad { session_id: one.session_id.clone(), from: Some(id.clone()), revision, ..SessionLoad::default() };
    let (first, second, loaded) =
        tokio::join!(world.ask(&mine, delete()), world.ask(&other, delete()), world.ask(&other, load),);
    assert_eq!([first.is_ok(), second.is_ok()].iter().filter(|is_ok| **is_ok).count(), 1, "{first:?} {second:?}");
    let lists = all(&world).await;
    assert!(lists.iter().all(|entry| entry.list_id != ended.list_id));
    match loaded {
        Ok(loaded) => assert_eq!(contents(&loaded.todos), ["C1"]),
        Err(error) => assert_eq!(error.code, Code::RevisionNotFound),
    }
    world.running.stop().await;
}

/// An export of a build that kept neither the end of a list nor one that was cleared.
#[tokio::test]
async fn an_export_without_ends_is_taken_in_list_by_list() {
    let world = World::new().await;
    let id = with_four(&world).await;
    let ask = SessionExport { session_id: id, format: ExportFormat::Json, ..SessionExport::default() };
    let text = world.ask(&user(), ask).await.expect("an export").text;
    let mut old: Value = serde_json::from_str(&text).expect("JSON");
    let lists = old["sessions"][0]["lists"].as_array_mut().expect("its lists");
    assert_eq!(lists.len(), 4);
    lists.retain(|list| list["from"] == 1 || list["from"] == 4);
    lists[1].as_object_mut().expect("a list").remove("archivedAt");
    for list in lists {
        list.as_object_mut().expect("a list").remove("to");
    }
    let other = World::new().await;
    other.ask(&user(), SessionImport { text: old.to_string(), ..SessionImport::default() }).await.expect("imported");
    let mut told = Vec::new();
    for entry in all(&other).await {
        told.push(opened(&other, &entry).await.join(" "));
    }
    assert_eq!(told, ["D1 D2", "C1", "B1 B2 B3", "A1 A2"]);
    other.running.stop().await;
}

/// An item that was there before a deleted list ended and after it is exported from its end on.
#[tokio::test]
async fn what_goes_on_after_a_deleted_list_is_exported_without_it() {
    let world = World::new().await;
    let me = agent("one");
    let with = |status: &str| json!([{ "content": "P", "status": status, "subtasks": [{ "content": "S" }] }]);
    let id = world.write(&me, with("pending")).await.session_id;
    world.write(&me, with("in_progress")).await;
    let load = SessionLoad { session_id: id.clone(), revision: Some(1), ..SessionLoad::default() };
    world.ask(&user(), load).await.expect("it is loaded");
    let ended = all(&world).await.into_iter().find(|entry| entry.ended.is_some()).expect("a list that has ended");
    world.ask(&user(), ListDelete { list_id: ended.list_id, for_good: false }).await.expect("it is deleted");
    let export = SessionExport { session_id: id.clone(), format: ExportFormat::Json, ..SessionExport::default() };
    let text = world.ask(&user(), export).await.expect("an export").text;
    let other = World::new().await;
    other.ask(&user(), SessionImport { text, ..SessionImport::default() }).await.expect("imported");
    let get = SessionGet { session_id: id, revision: None };
    let list = other.ask(&user(), get).await.expect("it is there").todos;
    assert_eq!((list[0].content.as_str(), list[0].subtasks[0].content.as_str()), ("P", "S"));
    other.running.stop().await;
}

/// A change of a list.
#[derive(Debug, Clone)]
enum Deed {
    Write(u8),
    Clear,
    Archive,
    Load(u8),
    Undo,
    DeleteStep,
    DeleteList(u8),
    Restart,
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        4 => (0_u8..4).prop_map(Deed::Write),
        2 => Just(Deed::Clear),
        2 => Just(Deed::Archive),
        2 => any::<u8>().prop_map(Deed::Load),
        4 => Just(Deed::Undo),
        1 => Just(Deed::DeleteStep),
        1 => any::<u8>().prop_map(Deed::DeleteList),
        1 => Just(Deed::Restart),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    /// Whatever is done to a list, each that there was is reached by its number and by its page, until it is deleted.
    #[test]
    fn every_list_stays_reachable(deeds in prop::collection::vec(deed(), 1..24)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(reachable(deeds));
    }
}

async fn reachable(deeds: Vec<Deed>) {
    let mut world = World::new().await;
    let codex = agent("one");
    let mut id = world.write(&codex, todos(&["S0"])).await.session_id;
    let pin = SessionMark { session_id: id.clone(), pinned: Some(true), ..SessionMark::default() };
    world.ask(&user(), pin).await.expect("it stays on the board");
    // The lists that have ended, by their ids.
    let mut ended: HashMap<String, Vec<String>> = HashMap::new();
    let mut present = (list_id(&world, &id).await, vec!["S0".to_owned()]);
    for (at, deed) in deeds.into_iter().enumerate() {
        world.pass(1);
        let session_id = id.clone();
        match deed.clone() {
            Deed::Write(count) => {
                let items: Vec<String> = (0..count).map(|step| format!("S{at} {step}")).collect();
                let list = TodoWrite {
                    todos: items.iter().map(|item| json!({ "content": item })).collect(),
                    ..TodoWrite::default()
                };
                let written = world.ask(&codex, list).await.expect("it is written");
                world.delivered(&codex, &written).await;
                id = written.session_id;
            }
            Deed::Clear => drop(world.ask(&user(), TodoClear { session_id }).await.expect("cleared")),
            Deed::Archive => drop(world.ask(&user(), TodoArchive { session_id }).await.expect("archived")),
            Deed::Load(number) => {
                let count = all(&world).await.len();
                say(&world, &session_id, &format!("load {}", usize::from(number) % count + 1)).await.expect("loaded");
            }
            Deed::Undo => drop(world.ask(&user(), TodoUndo { session_id, edit_id: None }).await),
            Deed::DeleteStep => {
                let position = Some("1".to_owned());
                drop(world.ask(&user(), TodoDelete { session_id, position, uid: None }).await);
            }
            Deed::DeleteList(number) => {
                let lists: Vec<ListEntry> =
                    all(&world).await.into_iter().filter(|entry| entry.ended.is_some()).collect();
                if let Some(entry) = lists.get(usize::from(number) % lists.len().max(1)) {
                    world
                        .ask(&user(), ListDelete { list_id: entry.list_id.clone(), for_good: false })
                        .await
                        .expect("deleted");
                    ended.remove(&entry.list_id).expect("it was one that had ended");
                }
            }
            Deed::Restart => world = world.restart().await,
        }
        let now = world.ask(&user(), SessionGet { session_id: id.clone(), revision: None }).await.expect("there").todos;
        let now: Vec<String> = contents(&now).into_iter().map(str::to_owned).collect();
        let (list, before) = std::mem::replace(&mut present, (list_id(&world, &id).await, now));
        if let Some(back) = ended.remove(&present.0) {
            assert_eq!(back, present.1, "an undo at once brings the list back as it was");
        } else if list != present.0 && !before.is_empty() {
            ended.insert(list, before);
        } else if list == present.0 && !before.is_empty() && present.1.is_empty() {
            assert!(matches!(deed, Deed::Undo), "{deed:?} lost {before:?}");
        }
    }
    let mut told: HashMap<String, Vec<String>> = HashMap::new();
    for entry in all(&world).await {
        let page = opened(&world, &entry).await;
        assert!(told.insert(entry.list_id.clone(), page).is_none(), "each is listed once");
    }
    for (id, items) in &told {
        let into = world.ask(&user(), add("", Some("into"), "X")).await.expect("begun").session_id;
        let number = all(&world).await.iter().position(|entry| entry.list_id == *id).expect("it is listed") + 1;
        say(&world, &into, &format!("load {number}")).await.expect("loaded");
        let loaded = world.ask(&user(), SessionGet { session_id: into, revision: None }).await.expect("there").todos;
        assert_eq!(contents(&loaded), *items);
    }
    told.remove(&present.0);
    assert_eq!(told, ended);
    world.running.stop().await;
}

async fn list_id(world: &World, session_id: &str) -> String {
    let snapshot = protocol::Backend::subscribe(world.hub(), None).await.expect("it is open").snapshot;
    let session = snapshot.sessions.into_iter().find(|session| session.session.session_id == session_id);
    session.expect("it is current").list_id
}
