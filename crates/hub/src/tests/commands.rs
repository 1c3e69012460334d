//! Typed commands, and items that are gone.

use super::{World, agent, contents, delete, todos, user};
use protocol::{
    ActorKind, Code, Commanded, EditKind, EditState, Error, SessionGet, SessionRevisions, TodoCommand, TodoComplete,
    TodoEdit, TodoRestore, TodoSetStatus, TodoWrite, Transport,
};
use serde_json::json;

async fn typed(world: &World, session_id: &str, line: &str) -> Result<Commanded, Error> {
    let ask = TodoCommand { session_id: session_id.to_owned(), line: line.to_owned() };
    world.ask(&user(), ask).await
}

// P3 to P9
#[tokio::test]
async fn what_is_typed_is_done_and_answered_as_in_a_terminal() {
    let world = World::new().await;
    let id = world.write(&agent("one"), todos(&["Read", "Fix"])).await.session_id;
    for (line, output) in [
        ("/todo add 2 \"Ask the customer\"", "Added TODO at position 2: \"Ask the customer\""),
        ("/todo add 2.last Write to them", "Added TODO at position 2.last: \"Write to them\""),
        ("/todo set 1 done", "Set TODO at 1 to completed: \"Read\""),
        ("/todo move 3 1", "Moved TODO from 3 to 1: \"Fix\""),
        ("/todo indent 2", "Indented TODO at 2: \"Read\""),
        ("/todo outdent 1.1", "Outdented TODO at 1.1: \"Read\""),
        ("/todo delete 3", "Deleted TODO at 3: \"Ask the customer\" (and 1 subtask(s))"),
        ("/todo undo", "Undone: deleted \"Ask the customer\""),
        (
            "/note use the staging database",
            "Message pending, delivered on the agent's next call: \"use the staging database\"",
        ),
        ("/todo clear", "TODO list cleared"),
        ("/todo show", "No active TODOs"),
    ] {
        let answer = typed(&world, &id, line).await.expect(line);
        assert_eq!(answer.output, output, "{line}");
        assert_eq!(answer.edited.is_some(), line != "/todo show", "{line}");
    }
    for (line, code, message) in [
        ("/todo add x Hello", Code::InvalidPosition, "Invalid position format: x. Use 1, 2, last, 1.1, or 1.last"),
        ("/todo add 9 Hello", Code::InvalidPosition, "Position 9 out of range (1-1)"),
        ("/todo delete 9", Code::InvalidPosition, "Position 9 does not exist"),
        ("/todo add", Code::Usage, "Usage: /todo add <position> <description>"),
        ("/todo insist", Code::CannotUndo, "the agent neither overrode nor ignores any of your edits"),
        ("/todo load 9", Code::SessionNotFound, "there is no saved list 9"),
    ] {
        let error = typed(&world, &id, line).await.expect_err(line);
        assert_eq!((error.code, error.message.as_str()), (code, message), "{line}");
    }
    assert_eq!(typed(&world, "nobody", "/todo show").await.expect_err("no session").code, Code::SessionNotFound);
    world.running.stop().await;
}

// P7, P8
#[tokio::test]
async fn lists_are_numbered_and_loaded() {
    let world = World::new().await;
    let old = world.write(&agent("old"), todos(&["Old one", "Old two"])).await.session_id;
    world.pass(120);
    let id = world.write(&agent("one"), todos(&["Read"])).await.session_id;
    let listed = typed(&world, "", "/todo list").await.expect("it needs no session").output;
    assert!(listed.contains("1. [CURRENT SESSION] 1 item (1 pending) │ codex · billing\n   → \"Read\""), "{listed}");
    assert!(listed.contains("2. 2 hours ago │ 2 items (2 pending) │ codex · billing\n   → \"Old one\""), "{listed}");
    let choices = world
        .ask(&user(), TodoComplete { session_id: id.clone(), line: "/todo load old".to_owned() })
        .await
        .expect("it completes")
        .choices;
    assert_eq!(choices.iter().map(|choice| choice.line.as_str()).collect::<Vec<_>>(), ["/todo load 2"]);
    let loaded = typed(&world, &id, "/todo load 2").await.expect("it is loaded").edited.expect("it changes the list");
    assert_eq!(contents(&loaded.todos), ["Old one", "Old two"]);
    assert_ne!(old, id);
    world.running.stop().await;
}

#[tokio::test]
async fn who_changed_an_item_is_known() {
    let world = World::new().await;
    let codex = agent("one");
    let first = world.write(&codex, todos(&["A", "B"])).await;
    let uid = first.todos[0].uid.to_string();
    world.ask(&user(), delete(&first.session_id, "2")).await.expect("it is there");
    world.write(&codex, json!([{ "content": "A", "status": "completed" }])).await;
    let ask = TodoSetStatus {
        session_id: first.session_id.clone(),
        uid: Some(uid.clone()),
        status: "pending".to_owned(),
        ..TodoSetStatus::default()
    };
    world.ask(&user(), ask).await.expect("it is there");
    let revisions =
        SessionRevisions { session_id: first.session_id.clone(), uid: Some(uid), ..SessionRevisions::default() };
    let revisions = world.ask(&user(), revisions).await.expect("they are kept").revisions;
    let made: Vec<_> = revisions.iter().map(|r| (r.revision, r.actor.kind, r.actor.transport)).collect();
    assert_eq!(
        made,
        [
            (4, ActorKind::User, Transport::Window),
            (3, ActorKind::Agent, Transport::Mcp),
            (1, ActorKind::Agent, Transport::Mcp)
        ]
    );
    let history = typed(&world, &first.session_id, "/todo history 1").await.expect("it is printed").output;
    assert_eq!(
        history,
        "r4  you in the window  just now  1 changed\nr3  codex over MCP  just now  1 changed\nr1  codex over MCP  just now  2 added"
    );
    world.running.stop().await;
}

#[tokio::test]
async fn a_subagents_revisions_are_its_own() {
    let world = World::new().await;
    let parent = world.write(&agent("one"), todos(&["A"])).await.session_id;
    let child = TodoWrite { todos: todos(&["B"]), parent_session_id: Some(parent), ..TodoWrite::default() };
    let child = world.ask(&agent("two"), child).await.expect("it is written").session_id;
    let ask = SessionRevisions { session_id: child, ..SessionRevisions::default() };
    let revisions = world.ask(&user(), ask).await.expect("they are kept").revisions;
    assert_eq!(revisions[0].actor.kind, ActorKind::Subagent);
    world.running.stop().await;
}

#[tokio::test]
async fn an_edit_of_an_item_that_is_gone_says_who_took_it_and_it_comes_back() {
    let world = World::new().await;
    let codex = agent("one");
    let first =
        world.write(&codex, json!([{ "content": "A" }, { "content": "B", "subtasks": [{ "content": "B1" }] }])).await;
    let (id, uid) = (first.session_id.clone(), first.todos[1].uid.to_string());
    world.pass(4);
    world.write(&codex, todos(&["A"])).await;
    world.pass(2);
    let edit = || TodoEdit {
        session_id: id.clone(),
        uid: Some(uid.clone()),
        fields: json!({ "notes": "mine" }).as_object().cloned().expect("fields"),
        ..TodoEdit::default()
    };
    let error = world.ask(&user(), edit()).await.expect_err("it is gone");
    assert_eq!(error.code, Code::ItemRemoved);
    assert_eq!(error.message, "codex over MCP removed \"B\" 2 minutes ago; bring it back to change it");

    let restore = || TodoRestore { session_id: id.clone(), uid: uid.clone() };
    let restored = world.ask(&user(), restore()).await.expect("it comes back");
    assert_eq!(restored.message, "Restored TODO at position 2: \"B\"");
    assert_eq!(contents(&restored.todos), ["A", "B"]);
    assert_eq!((restored.todos[1].uid.to_string(), restored.todos[1].subtasks.len()), (uid.clone(), 1));
    world.ask(&user(), edit()).await.expect("it can be changed again");
    let again = world.ask(&user(), restore()).await.expect("it is there");
    assert_eq!((again.edit_id.as_str(), again.revision), ("", restored.revision + 1), "nothing is done twice");

    // The agent does not know of it yet, so its next list without it does not take it away.
    let written =
        world.ask(&codex, TodoWrite { todos: todos(&["A"]), ..TodoWrite::default() }).await.expect("it is written");
    assert_eq!(contents(&written.todos), ["A", "B"]);
    let told: Vec<_> = written.edits.iter().map(|edit| (edit.kind, edit.text.as_str(), edit.state)).collect();
    assert_eq!(told, [(EditKind::Add, "B", EditState::Queued), (EditKind::Set, "B", EditState::Queued)]);

    let undone = typed(&world, &id, "/todo undo").await.expect("the notes");
    assert_eq!(undone.output, "Undone: changed the notes of \"B\"");
    let undone = typed(&world, &id, "/todo undo").await.expect("the restoring").edited.expect("it changes the list");
    assert_eq!(contents(&undone.todos), ["A"]);
    let unknown = TodoRestore { session_id: id.clone(), uid: uuid::Uuid::nil().to_string() };
    assert_eq!(world.ask(&user(), unknown).await.expect_err("never was").code, Code::ItemNotFound);
    world.running.stop().await;
}

#[tokio::test]
async fn who_took_an_item_is_known_before_it_is_committed() {
    let world = World::new().await;
    let codex = agent("one");
    let first = world.write(&codex, todos(&["A", "B"])).await;
    let uid = first.todos[1].uid.to_string();
    let gone = TodoWrite { todos: todos(&["A"]), ..TodoWrite::default() };
    let edit = TodoSetStatus {
        session_id: first.session_id.clone(),
        uid: Some(uid.clone()),
        status: "done".to_owned(),
        ..TodoSetStatus::default()
    };
    let restore = TodoRestore { session_id: first.session_id, uid };
    // Both calls are in the queue before the writer looks at it, so they share a batch.
    let me = user();
    let (gone, edited, restored) =
        futures_util::join!(world.ask(&codex, gone), world.ask(&me, edit), world.ask(&me, restore));
    gone.expect("it is written");
    let error = edited.expect_err("it is gone");
    assert_eq!(error.message, "codex over MCP removed \"B\" just now; bring it back to change it");
    assert_eq!(contents(&restored.expect("it comes back").todos), ["A", "B"]);
    world.running.stop().await;
}

#[tokio::test]
async fn what_the_user_deleted_comes_back_without_being_kept_away_any_more() {
    let world = World::new().await;
    let codex = agent("one");
    let first = world.write(&codex, todos(&["A", "B", "C"])).await;
    let id = first.session_id.clone();
    world.ask(&user(), delete(&id, "2-3")).await.expect("they are there");
    world.write(&codex, todos(&["A"])).await;
    let restore = TodoRestore { session_id: id.clone(), uid: first.todos[1].uid.to_string() };
    world.ask(&user(), restore).await.expect("it comes back");
    let written = world.write(&codex, todos(&["A", "B"])).await;
    assert_eq!(contents(&written.todos), ["A", "B"], "the agent took it up again");
    let written = world.write(&codex, todos(&["A", "B", "C"])).await;
    let at = world.ask(&user(), SessionGet { session_id: id, revision: None }).await.expect("it is there");
    assert_eq!(at.todos, written.todos);
    let states: Vec<_> = at.edits.iter().map(|edit| (edit.kind, edit.state)).collect();
    assert!(states.contains(&(EditKind::Add, EditState::Reflected)), "{states:?}");
    world.running.stop().await;
}
