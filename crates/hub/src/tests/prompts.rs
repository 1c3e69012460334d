//! A prompt that a hook reports puts a finished list into the history (requirement P1).

use super::own_lists::{hook, listens};
use super::{World, agent, contents, todos, user};
use protocol::{Caller, EditState, Happened, SessionAt, SessionGet, SessionReport, TodoAdd, TodoDelivered, Transport};
use rstest::rstest;
use serde_json::{Value, json};

fn prompted() -> SessionReport {
    SessionReport { happened: Happened::Prompted, text: Some("And now the next.".to_owned()), ..listens() }
}

fn done(contents: &[&str]) -> Value {
    contents.iter().map(|content| json!({ "content": content, "status": "completed" })).collect()
}

impl World {
    async fn list(&self, id: &str) -> SessionAt {
        let get = SessionGet { session_id: id.to_owned(), revision: None };
        self.ask(&user(), get).await.expect("it is there")
    }

    async fn list_id(&self, id: &str) -> String {
        let all = self.snapshot().await;
        all.into_iter().find(|session| session.session.session_id == id).expect("it is current").list_id
    }

    /// An agent has written a list of its own accord, and its hook has seen the result.
    async fn tied(&self, list: Value) -> String {
        let id = self.write(&agent("one"), list).await.session_id;
        self.report(&hook("run"), SessionReport { proof: self.proof(&agent("one")).await, ..SessionReport::default() })
            .await;
        id
    }
}

#[tokio::test]
async fn a_finished_list_makes_room_for_the_next() {
    let world = World::new().await;
    let id =
        world.tied(json!([{ "content": "A", "status": "completed" }, { "content": "B", "status": "skipped" }])).await;
    let (before, list_id) = (world.list(&id).await, world.list_id(&id).await);
    world.pass(1);
    world.report(&hook("run"), prompted()).await;
    let after = world.list(&id).await;
    assert_eq!((contents(&after.todos), after.session.revision), (vec![], before.session.revision + 1));
    assert_ne!(world.list_id(&id).await, list_id);
    let get = SessionGet { session_id: id.clone(), revision: Some(before.session.revision) };
    assert_eq!(world.ask(&user(), get).await.expect("it is kept").todos, before.todos);
    world.report(&hook("run"), prompted()).await;
    assert_eq!(world.list(&id).await.session.revision, after.session.revision, "an empty one is no list to archive");
    world.write(&agent("one"), todos(&["C"])).await;
    assert_eq!(contents(&world.list(&id).await.todos), ["C"]);
    // The same after a restart, which reads what each caller knows.
    let world = world.restart().await;
    world.write(&agent("one"), done(&["C"])).await;
    world.report(&hook("run"), prompted()).await;
    let world = world.restart().await;
    world.write(&agent("one"), todos(&["D", "E"])).await;
    assert_eq!(contents(&world.list(&id).await.todos), ["D", "E"]);
}

#[tokio::test]
async fn a_user_who_never_archives_keeps_the_list() {
    let world = World::new().await;
    let id = world.tied(done(&["A"])).await;
    let own = world.observe(&hook("other"), done(&["B"]), None).await.session_id;
    for word in ["never", "when-completed"] {
        let update = json!({ "type": "settings.update", "chatArchiving": word });
        let update: protocol::Request = serde_json::from_value(update).expect("a request");
        protocol::Backend::call(world.hub(), user(), update).await.expect("it is set");
        world.pass(1);
        world.report(&hook("run"), prompted()).await;
        world.report(&hook("other"), prompted()).await;
        let stays = word == "never";
        assert_eq!(contents(&world.list(&id).await.todos), if stays { vec!["A"] } else { vec![] }, "{word}");
        assert_eq!(contents(&world.list(&own).await.todos), if stays { vec!["B"] } else { vec![] }, "{word}");
    }
}

#[rstest]
#[case::open(todos(&["A"]))]
#[case::begun(json!([{ "content": "A", "status": "completed" }, { "content": "B", "status": "in_progress" }]))]
#[case::blocked(json!([{ "content": "A", "status": "blocked" }]))]
#[tokio::test]
async fn a_list_with_something_left_stays(#[case] list: Value) {
    let world = World::new().await;
    let id = world.tied(list).await;
    let (before, list_id) = (world.list(&id).await, world.list_id(&id).await);
    world.report(&hook("run"), prompted()).await;
    assert_eq!((world.list(&id).await.todos, world.list_id(&id).await), (before.todos, list_id));
}

#[rstest]
#[case::worked(Happened::Worked)]
#[case::rests(Happened::Rests)]
#[case::ended(Happened::Ended)]
#[tokio::test]
async fn nothing_but_a_prompt_archives(#[case] happened: Happened) {
    let world = World::new().await;
    let id = world.tied(done(&["A"])).await;
    world.report(&hook("run"), SessionReport { happened, text: Some("A".to_owned()), ..listens() }).await;
    assert_eq!(contents(&world.list(&id).await.todos), ["A"]);
}

#[tokio::test]
async fn a_subagents_prompt_archives_nothing() {
    let world = World::new().await;
    let id = world.tied(done(&["A"])).await;
    let mut below = hook("run/sub");
    below.agent.as_mut().expect("an agent").parent = Some("run".to_owned());
    let list = world.observe(&below, done(&["B"]), None).await.session_id;
    world.report(&below, prompted()).await;
    assert_eq!(contents(&world.list(&id).await.todos), ["A"]);
    assert_eq!(contents(&world.list(&list).await.todos), ["B"]);
}

#[tokio::test]
async fn files_prompts_archive_nothing_and_a_late_one_takes_nothing_back() {
    let world = World::new().await;
    let id = world.tied(done(&["A"])).await;
    let file = Caller { transport: Transport::File, ..hook("run") };
    world.report(&file, prompted()).await;
    world.pass(10);
    world.report(&hook("run"), SessionReport { happened: Happened::Ended, ..listens() }).await;
    let late = SessionReport { at: Some(world.ago(5)), ..prompted() };
    world.report(&hook("run"), late).await;
    assert_eq!(contents(&world.list(&id).await.todos), ["A"]);
    assert_eq!(world.session(&id).await.state, protocol::SessionState::Finished);
}

#[tokio::test]
async fn a_built_in_list_is_archived_with_its_run() {
    let world = World::new().await;
    let list = world.observe(&hook("run"), done(&["A", "B"]), None).await.session_id;
    world.pass(1);
    world.report(&hook("run"), prompted()).await;
    assert_eq!(contents(&world.list(&list).await.todos), [""; 0]);
    world.pass(1);
    world.observe(&hook("run"), todos(&["C"]), None).await;
    assert_eq!(contents(&world.list(&list).await.todos), ["C"]);
}

#[tokio::test]
async fn what_the_agent_has_not_seen_keeps_the_list() {
    let world = World::new().await;
    let id = world.tied(done(&["A"])).await;
    let add = TodoAdd { session_id: id.clone(), content: "B".to_owned(), ..TodoAdd::default() };
    let edit = world.ask(&user(), add).await.expect("it is added").edit_id;
    let set = json!({ "type": "todo.setStatus", "sessionId": id, "position": "2", "status": "skipped" });
    let set: protocol::Request = serde_json::from_value(set).expect("a request");
    protocol::Backend::call(world.hub(), user(), set).await.expect("it is set");
    let told = world.report(&hook("run"), prompted()).await;
    assert_eq!(contents(&world.list(&id).await.todos), ["A", "B"]);
    let edits: Vec<String> = told.edits.into_iter().map(|edit| edit.edit_id).collect();
    assert!(edits.contains(&edit));
    let delivered = TodoDelivered { session_id: id.clone(), revision: None, edits, tool_call: None };
    world.ask(&hook("run"), delivered).await.expect("it is noted");
    world.report(&hook("run"), prompted()).await;
    let after = world.list(&id).await;
    assert_eq!(contents(&after.todos), [""; 0], "it was told");
    assert!(after.edits.iter().all(|edit| edit.state == EditState::Reflected), "{:?}", after.edits);
}

#[tokio::test]
async fn a_step_as_in_the_list_before_is_a_new_one() {
    let world = World::new().await;
    let id = world.tied(todos(&["Run the tests"])).await;
    let set = json!({ "type": "todo.setStatus", "sessionId": id, "position": "1", "status": "completed" });
    let set: protocol::Request = serde_json::from_value(set).expect("a request");
    protocol::Backend::call(world.hub(), user(), set).await.expect("it is set");
    let before = world.list(&id).await;
    let edits = before.edits.iter().map(|edit| edit.edit_id.clone()).collect();
    let revision = Some(before.session.revision);
    let delivered = TodoDelivered { session_id: id.clone(), revision, edits, tool_call: None };
    world.ask(&agent("one"), delivered).await.expect("it is noted");
    world.report(&hook("run"), prompted()).await;
    assert_eq!(contents(&world.list(&id).await.todos), [""; 0]);
    world.write(&agent("one"), todos(&["Run the tests"])).await;
    let after = world.list(&id).await.todos;
    assert_eq!(after[0].status, todo::Status::Pending);
    assert_ne!(after[0].uid, before.todos[0].uid);
}
