//! The whole model through the hub: every request that changes a list, stored and told.

use super::{World, agent, contents, todos, user};
use futures_util::{FutureExt, StreamExt};
use protocol::{
    Backend, Caller, Code, EditKind, EditState, Event, SessionGet, SessionLoad, SessionRevisions, TodoArchive,
    TodoEdit, TodoManage, TodoMove, TodoSetStatus, TodoUndo, TodoWrite, Transport,
};
use serde_json::{Map, Value, json};
use todo::Status;

fn fields(fields: &Value) -> Map<String, Value> {
    fields.as_object().cloned().expect("fields are an object")
}

fn set_status(session_id: &str, position: &str, status: &str) -> TodoSetStatus {
    TodoSetStatus {
        session_id: session_id.to_owned(),
        position: Some(position.to_owned()),
        status: status.to_owned(),
        ..TodoSetStatus::default()
    }
}

fn edit(session_id: &str, position: &str, changes: &Value) -> TodoEdit {
    TodoEdit {
        session_id: session_id.to_owned(),
        position: Some(position.to_owned()),
        uid: None,
        fields: fields(changes),
    }
}

async fn get(world: &World, session_id: &str) -> protocol::SessionAt {
    let ask = SessionGet { session_id: session_id.to_owned(), revision: None };
    world.ask(&user(), ask).await.expect("it is there")
}

// G1
#[tokio::test]
async fn every_field_is_kept_through_write_store_and_read() {
    let world = World::new().await;
    let list = json!([
        {"id": "a", "content": "A", "activeForm": "Doing A", "status": "awaiting review", "priority": "high",
         "category": "testing", "estimate": "1h 30m", "description": "d", "notes": "n", "owner": "o", "reason": "r",
         "toolCalls": [{"id": "x"}], "metadata": {"deep": [1, null]}, "subtasks": [
            {"id": "s", "content": "S", "status": "blocked", "dependsOn": ["b", "nobody"], "more": true}]},
        {"id": "b", "content": "B", "dependsOn": ["a"]}
    ]);
    let written = world.write(&agent("one"), list).await;
    let before = get(&world, &written.session_id).await.todos;
    let world = world.restart().await;
    let items = get(&world, &written.session_id).await.todos;
    assert_eq!(items, before);
    let (a, b) = (&items[0], &items[1]);
    assert_eq!((a.status, a.status_raw.as_deref()), (Status::Unknown, Some("awaiting review")));
    assert_eq!(a.estimate_minutes, Some(90));
    assert_eq!(Value::Object(a.extra.clone()), json!({"toolCalls": [{"id": "x"}], "metadata": {"deep": [1, null]}}));
    assert_eq!(a.subtasks[0].depends_on_uids, [Some(b.uid), None]);
    assert!(b.waiting && !a.waiting);
    let at_first = SessionGet { session_id: written.session_id, revision: Some(1) };
    assert_eq!(world.ask(&user(), at_first).await.expect("it is there").todos, before, "the history has it all, too");
    world.running.stop().await;
}

#[tokio::test]
async fn what_the_user_sets_is_told_kept_and_undone_across_restarts() {
    let world = World::new().await;
    let codex = agent("one");
    let id = world.write(&codex, todos(&["A", "B", "C"])).await.session_id;
    world.ask(&user(), set_status(&id, "1-2", "skipped")).await.expect("they are there");
    world.ask(&user(), edit(&id, "3", &json!({"content": "Better", "priority": "low"}))).await.expect("it is there");
    let moved = TodoMove { session_id: id.clone(), position: Some("3".to_owned()), uid: None, to: "1".to_owned() };
    let moved = world.ask(&user(), moved).await.expect("it is there");
    assert_eq!(moved.message, "Moved TODO from 3 to 1: \"Better\"");
    let written = world.write(&codex, todos(&["A", "B", "C"])).await;
    assert_eq!(contents(&written.todos), ["Better", "A", "B"]);
    let told: Vec<_> = written.edits.iter().map(|edit| (edit.kind, edit.detail.as_deref().unwrap_or(""))).collect();
    assert_eq!(
        told,
        [(EditKind::Set, "status skipped"), (EditKind::Set, "text \"Better\", priority low"), (EditKind::Move, "to 1"),]
    );
    let mut world = world;
    for after in [["A", "B", "Better"], ["A", "B", "C"], ["A", "B", "C"]] {
        world = world.restart().await;
        let undo = TodoUndo { session_id: id.clone(), edit_id: None };
        let undone = world.ask(&user(), undo).await.expect("there is more to undo");
        assert_eq!(contents(&undone.todos), after);
    }
    let items = get(&world, &id).await.todos;
    assert!(items.iter().all(|item| item.status == Status::Pending), "{items:?}");
    world.running.stop().await;
}

#[tokio::test]
async fn what_an_undo_leaves_is_said() {
    let world = World::new().await;
    let codex = agent("one");
    let id = world.write(&codex, todos(&["A"])).await.session_id;
    world.ask(&user(), edit(&id, "1", &json!({"status": "skipped", "notes": "mine"}))).await.expect("it is there");
    world.write(&codex, json!([{"content": "A", "status": "in_progress"}])).await;
    let undone = world.ask(&user(), TodoUndo { session_id: id, edit_id: None }).await.expect("the notes are");
    assert_eq!(undone.remarks, ["the status of \"A\" was changed since"]);
    world.running.stop().await;
}

#[tokio::test]
async fn requests_that_name_nothing_say_what_to_send() {
    let world = World::new().await;
    let id = world.write(&agent("one"), todos(&["A"])).await.session_id;
    let cases = [
        (edit(&id, "1", &json!({})), Code::InvalidTodos, "changes nothing"),
        (edit(&id, "1", &json!({"status": "later"})), Code::InvalidTodos, "is no status"),
        (edit(&id, "7", &json!({"notes": "x"})), Code::InvalidPosition, "Position 7 does not exist"),
        (edit("nobody", "1", &json!({"notes": "x"})), Code::SessionNotFound, "there is no session"),
        (
            TodoEdit { session_id: id.clone(), fields: fields(&json!({"notes": "x"})), ..TodoEdit::default() },
            Code::InvalidMessage,
            "say which item",
        ),
        (
            TodoEdit {
                session_id: id.clone(),
                uid: Some(uuid::Uuid::nil().to_string()),
                fields: fields(&json!({"notes": "x"})),
                ..TodoEdit::default()
            },
            Code::ItemNotFound,
            "There is no item",
        ),
    ];
    for (ask, code, message) in cases {
        let error = world.ask(&user(), ask).await.expect_err("it is refused");
        assert_eq!(error.code, code, "{error}");
        assert!(error.message.contains(message), "{error}");
    }
    assert_eq!(get(&world, &id).await.revision, 1, "and nothing was changed");
    world.running.stop().await;
}

// P8
#[tokio::test]
async fn a_past_list_is_loaded_and_the_active_one_goes_to_the_history() {
    let world = World::new().await;
    let first = world
        .write(&agent("one"), json!([{"content": "X", "status": "done"}, {"content": "Y", "dependsOn": ["X"]}]))
        .await;
    let codex = agent("two");
    let second = world.write(&codex, todos(&["A", "B"])).await;
    let id = second.session_id.clone();
    let mut events = world.hub().subscribe(None).await.expect("it is open").events;
    let load = SessionLoad { session_id: id.clone(), from: Some(first.session_id.clone()), ..SessionLoad::default() };
    let loaded = world.ask(&user(), load).await.expect("it is loaded");
    assert_eq!(contents(&loaded.todos), ["X", "Y"]);
    assert_eq!(loaded.todos[0].status, Status::Completed);
    assert!(loaded.todos.iter().zip(&first.todos).all(|(copy, item)| copy.uid != item.uid), "they are copies");
    assert_eq!(loaded.todos[1].depends_on_uids, [Some(loaded.todos[0].uid)], "that depend on each other");
    let Some(Event::TodoUpdate(update)) = events.next().now_or_never().flatten().map(|event| event.event().clone())
    else {
        panic!("the list is told");
    };
    let later = world.write(&codex, todos(&["A", "B"])).await;
    assert_eq!(contents(&later.todos), ["Y"], "what it says again stays away");
    assert!(later.edits.iter().any(|edit| edit.kind == EditKind::Load), "{:?}", later.edits);
    let back = SessionLoad { session_id: id.clone(), revision: Some(1), ..SessionLoad::default() };
    let back = world.ask(&user(), back).await.expect("its own first list");
    assert_eq!(
        back.todos.iter().map(|item| item.uid).collect::<Vec<_>>(),
        second.todos.iter().map(|item| item.uid).collect::<Vec<_>>()
    );
    let world = world.restart().await;
    let after = get(&world, &id).await;
    assert_eq!((contents(&after.todos), after.revision), (vec!["A", "B"], 4));
    assert_ne!(update.list_id, "");
    for (revision, list) in [(1, vec!["A", "B"]), (2, vec!["X", "Y"]), (3, vec!["Y"])] {
        let ask = SessionGet { session_id: id.clone(), revision: Some(revision) };
        assert_eq!(contents(&world.ask(&user(), ask).await.expect("it is kept").todos), list);
    }
    let missing = SessionLoad { session_id: id, revision: Some(9), ..SessionLoad::default() };
    assert_eq!(world.ask(&user(), missing).await.expect_err("there is none").code, Code::RevisionNotFound);
    world.running.stop().await;
}

#[tokio::test]
async fn an_archived_list_gives_way_to_an_empty_one() {
    let world = World::new().await;
    let codex = agent("one");
    let id = world.write(&codex, todos(&["A"])).await.session_id;
    let mut events = world.hub().subscribe(None).await.expect("it is open").events;
    let archived = world.ask(&user(), TodoArchive { session_id: id.clone() }).await.expect("it is archived");
    assert_eq!((archived.todos.len(), archived.message.as_str()), (0, "TODO list archived"));
    let Some(Event::TodoUpdate(update)) = events.next().now_or_never().flatten().map(|event| event.event().clone())
    else {
        panic!("the empty list is told");
    };
    world.write(&codex, todos(&["A", "New"])).await;
    let after = get(&world, &id).await;
    assert_eq!(contents(&after.todos), ["New"]);
    let revisions = SessionRevisions { session_id: id.clone(), ..SessionRevisions::default() };
    assert_eq!(
        world.ask(&user(), revisions).await.expect("they are there").revisions.len(),
        3,
        "no number is left out"
    );
    let lists: std::collections::HashSet<String> = world
        .hub()
        .subscribe(None)
        .await
        .expect("it is open")
        .snapshot
        .sessions
        .into_iter()
        .map(|s| s.list_id)
        .collect();
    assert_eq!(lists, [update.list_id].into(), "the new list is another one");
    world.running.stop().await;
}

#[tokio::test]
async fn a_part_of_a_list_changes_what_it_names() {
    let world = World::new().await;
    let codex = agent("one");
    world.write(&codex, json!([{"id": "a", "content": "A"}, {"id": "b", "content": "B"}])).await;
    let part = TodoWrite {
        todos: json!([{"id": "b", "status": "done"}, {"content": "C"}]),
        merge: true,
        ..TodoWrite::default()
    };
    let written = world.ask(&codex, part).await.expect("it is taken");
    assert_eq!(contents(&written.todos), ["A", "B", "C"]);
    assert_eq!(written.todos[1].status, Status::Completed);
    world.running.stop().await;
}

#[tokio::test]
async fn a_subagents_session_is_a_child() {
    let world = World::new().await;
    let parent = world.write(&agent("one"), todos(&["A"])).await.session_id;
    let client = Caller::user(Transport::Websocket, "ws");
    let ask = |parent: &str| TodoWrite {
        session: Some("sub".to_owned()),
        parent_session_id: Some(parent.to_owned()),
        todos: todos(&["S"]),
        ..TodoWrite::default()
    };
    assert_eq!(world.ask(&client, ask("nobody")).await.expect_err("there is none").code, Code::SessionNotFound);
    let child = world.ask(&client, ask(&parent)).await.expect("it is written").session_id;
    let world = world.restart().await;
    assert_eq!(get(&world, &child).await.session.parent_session_id, Some(parent));
    world.running.stop().await;
}

// T2
#[tokio::test]
async fn numbers_mean_the_same_after_a_restart() {
    let mut world = World::new().await;
    let codex = agent("one");
    let step = |action: &str, more: &Value| TodoManage {
        action: action.to_owned(),
        fields: fields(more),
        ..TodoManage::default()
    };
    for content in ["A", "B", "C"] {
        let add = step("add_multiple", &json!({"todos": [{"content": content}]}));
        let added = world.ask(&codex, add).await.expect("it is done");
        world.delivered(&codex, &added.written).await;
        world = world.restart().await;
    }
    let done = world.ask(&codex, step("complete_multiple", &json!({"ids": [3]}))).await.expect("it is done");
    assert_eq!(done.written.todos[2].status, Status::Completed);
    world.running.stop().await;
}

// T1, T7
#[tokio::test]
async fn both_tools_have_one_list() {
    let world = World::new().await;
    let codex = agent("one");
    let step = |action: &str, more: &Value| TodoManage {
        action: action.to_owned(),
        fields: fields(more),
        ..TodoManage::default()
    };
    let add = step("add_multiple", &json!({"todos": [{"content": "A"}, {"content": "B"}]}));
    let added = world.ask(&codex, add).await.expect("it is done");
    assert_eq!((added.output, added.changes, added.written.revision), (json!("Added 2 TODOs"), true, 1));
    let next = world.ask(&codex, step("next", &json!({}))).await.expect("it is done");
    assert_eq!(next.output, json!({"id": 1, "content": "A", "status": "doing"}));
    let same = world.ask(&codex, step("next", &json!({}))).await.expect("it is done");
    assert_eq!(same.written.revision, 2, "nothing changed, and no revision was made");
    world.ask(&user(), set_status(&next.written.session_id, "2", "cancelled")).await.expect("it is there");
    let world = world.restart().await;
    let listed = world.ask(&codex, step("list", &json!({}))).await.expect("it is done");
    assert!(!listed.changes);
    assert_eq!(
        listed.output,
        json!(
            "<todos>\n<todo id=\"1\" status=\"doing\">A</todo>\n<todo id=\"2\" status=\"cancelled\">B</todo>\n</todos>"
        )
    );
    assert_eq!(listed.written.edits.len(), 1, "what the user changed is told here, too");
    let written = world.write(&codex, todos(&["A", "B"])).await;
    assert_eq!(written.todos[0].status, Status::Pending, "it said in_progress by next, and now otherwise");
    assert_eq!(written.todos[1].status, Status::Cancelled);
    let refused = world.ask(&codex, step("skip", &json!({"ids": [9]}))).await.expect_err("there is no such item");
    assert_eq!(refused.code, Code::InvalidTodos);
    assert_eq!(written.edits[0].state, EditState::Queued, "told again, since the step's answer was not noted as sent");
    world.running.stop().await;
}
