//! A list that an agent sends once more.

use super::{World, agent, contents, todos, user};
use crate::Decided;
use futures_util::StreamExt;
use protocol::{Backend, EditState, Event, SessionGet, SessionRevisions, TodoDelivered, TodoWrite};
use serde_json::json;
use std::sync::Arc;
use todo::{Change, Draft, List, Stamp};

async fn revisions(world: &World, id: &str) -> usize {
    let ask = SessionRevisions { session_id: id.to_owned(), ..SessionRevisions::default() };
    world.ask(&user(), ask).await.expect("they are kept").revisions.len()
}

#[tokio::test]
async fn it_is_answered_and_told_and_makes_no_revision() {
    let world = World::new().await;
    let me = agent("one");
    let id = world.write(&me, todos(&["A", "B"])).await.session_id;
    let mut subscription = world.hub().subscribe(None).await.expect("it subscribes");
    world.pass(1);
    let ask = TodoWrite { todos: todos(&["A", "B"]), request_id: Some("r-1".to_owned()), ..TodoWrite::default() };
    let again = world.ask(&me, ask).await.expect("it is answered");
    assert_eq!((again.revision, contents(&again.todos)), (1, vec!["A", "B"]));
    let update = loop {
        let event = subscription.events.next().await.expect("an event");
        if let Event::TodoUpdate(update) = event.event() {
            break update.clone();
        }
    };
    assert_eq!((update.request_id.as_str(), update.revision, update.session.todos.len()), ("r-1", 1, 0));
    assert_eq!(contents(&update.todos), ["A", "B"]);
    assert_eq!(update.session.session.last_activity_at, world.ago(0), "its agent was heard of");
    assert_eq!(revisions(&world, &id).await, 1);
    // The next change is the next revision.
    assert_eq!(world.write(&me, todos(&["A"])).await.revision, 2);
    let world = world.restart().await;
    assert_eq!(world.write(&me, todos(&["A"])).await.revision, 2, "also from the database");
    assert_eq!(world.write(&me, todos(&["A", "C"])).await.revision, 3);
    assert_eq!(revisions(&world, &id).await, 3);
}

#[tokio::test]
async fn the_first_list_makes_one_also_where_it_is_empty() {
    let world = World::new().await;
    let first = world.write(&agent("one"), json!([])).await;
    let again = world.write(&agent("one"), json!([])).await;
    assert_eq!((first.revision, again.revision), (1, 1));
}

#[tokio::test]
async fn edits_move_on_by_it() {
    let world = World::new().await;
    let me = agent("one");
    let first = todos(&["A", "B"]);
    let id = world.write(&me, first.clone()).await.session_id;
    let set = json!({ "type": "todo.setStatus", "sessionId": id, "position": "1", "status": "completed" });
    let set: protocol::Request = serde_json::from_value(set).expect("a request");
    world.hub().call(user(), set).await.expect("it is set");
    let state = async |world: &World| {
        let get = SessionGet { session_id: id.clone(), revision: None };
        world.ask(&user(), get).await.expect("it is there").edits[0].state
    };
    let told = world.write(&me, first.clone()).await;
    assert_eq!((told.revision, state(&world).await), (2, EditState::Delivered));
    let mut world = world;
    for expected in [EditState::Delivered, EditState::Ignored] {
        assert_eq!(world.write(&me, first.clone()).await.revision, 2);
        assert_eq!(state(&world).await, expected);
        world = world.restart().await;
        assert_eq!(state(&world).await, expected, "it is stored");
    }
    // An agent that takes notice at last.
    world.write(&me, json!([{ "content": "A", "status": "completed" }, { "content": "B" }])).await;
    assert_eq!(state(&world).await, EditState::Reflected);
    assert_eq!(revisions(&world, &id).await, 2);
    let none = TodoDelivered { session_id: id.clone(), revision: Some(3), edits: Vec::new(), tool_call: None };
    world.ask(&me, none).await.expect_err("there is no such revision");
}

#[tokio::test]
async fn of_several_changes_at_once_it_leaves_no_hole() {
    let world = World::new().await;
    let me = agent("one");
    let id = world.write(&me, todos(&["A"])).await.session_id;
    let replace = |list: &List, names: &[&str], stamp: &mut Stamp<'_>| {
        let drafts = Draft::list(&todos(names))?;
        todo::apply(list, Change::Replace { caller: "machine".to_owned(), drafts }, stamp)
    };
    let decide = move |list: &List, stamp: &mut Stamp<'_>| {
        let same = replace(list, &["A"], stamp)?;
        let other = replace(&same.list, &["A", "B"], stamp)?;
        Ok(Decided { applied: vec![same, other] })
    };
    let decided = world.hub().decide(me, id.clone(), "r".to_owned(), Arc::new(decide)).await.expect("it is decided");
    assert_eq!((decided.revision, contents(&decided.todos)), (2, vec!["A", "B"]));
    assert_eq!(revisions(&world, &id).await, 2);
}
