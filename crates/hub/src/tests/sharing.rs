//! A list that several agents of one label share.

use super::{World, agent, contents, labelled, todos, user};
use protocol::{
    Caller, EditState, NoteSend, SessionGet, SessionReport, SessionReported, TodoDelivered, TodoEdit, TodoManage,
    TodoRead, TodoWritten, Transport,
};
use serde_json::{Value, json};

impl World {
    /// The user says whose a step is.
    async fn assign(&self, session_id: &str, position: &str, owner: Option<&str>) {
        let fields = json!({ "owner": owner }).as_object().cloned().expect("an object");
        let (session_id, position) = (session_id.to_owned(), Some(position.to_owned()));
        self.ask(&user(), TodoEdit { session_id, position, fields, ..TodoEdit::default() }).await.expect("it is there");
    }

    async fn read(&self, caller: &Caller) -> TodoWritten {
        let read = self.ask(caller, TodoRead::default()).await.expect("it is read");
        self.delivered(caller, &read).await;
        read
    }

    /// Two of one kind, which have both sent the list.
    async fn shared(list: &[&str]) -> (Self, String) {
        let world = Self::new().await;
        let id = world.write(&labelled("one"), todos(list)).await.session_id;
        assert_eq!(world.write(&labelled("two"), todos(list)).await.session_id, id);
        (world, id)
    }

    async fn seen(&self, session_id: &str, caller: &Caller) -> protocol::SessionAt {
        let ask = SessionGet { session_id: session_id.to_owned(), revision: None };
        self.ask(caller, ask).await.expect("it is there")
    }
}

/// A hook of a run of that agent, by its own id.
fn hook(name: &str, own: &str) -> Caller {
    let mut caller = agent("hook");
    caller.transport = Transport::Hook;
    if let Some(agent) = &mut caller.agent {
        (agent.connection, agent.own_session) = (None, Some(own.to_owned()));
        name.clone_into(&mut agent.agent.name);
    }
    caller
}

/// A hook listens; it has read the result of a call where one is named.
async fn hears(world: &World, caller: &Caller, call: Option<&Caller>, session_id: &str) -> SessionReported {
    let proof = match call {
        Some(call) => world.proof(call).await,
        None => None,
    };
    let ask = SessionReport { proof, listens: true, ..SessionReport::default() };
    let reported = world.ask(caller, ask).await.expect("it is heard");
    let delivered = TodoDelivered {
        session_id: session_id.to_owned(),
        revision: None,
        edits: reported.edits.iter().map(|edit| edit.edit_id.clone()).collect(),
        tool_call: None,
    };
    world.ask(caller, delivered).await.expect("it is noted");
    reported
}

// K4
#[tokio::test]
async fn each_agent_of_a_label_is_told_of_its_own_and_of_nobodys_steps() {
    let (world, id) = World::shared(&["Read", "Fix", "Test", "Ship"]).await;
    let (one, two) = (labelled("one"), labelled("two"));
    assert_eq!(world.seen(&id, &user()).await.session.agents, ["codex", "codex 2"]);
    assert_eq!(world.read(&two).await.agent, None, "nothing is shared out yet");
    world.assign(&id, "2", Some("codex")).await;
    world.assign(&id, "3", Some("codex 2")).await;

    let read = world.read(&one).await;
    assert_eq!((contents(&read.todos), read.agent.as_deref()), (vec!["Read", "Fix", "Ship"], Some("codex")));
    assert_eq!(read.progress.total, 3);
    let edits: Vec<&str> = read.edits.iter().map(|edit| edit.text.as_str()).collect();
    assert_eq!(edits, ["Fix"], "an edit is told to those whom it concerns");
    // It sends the whole list once more, from its context, and has done the other's step, too.
    let sent = json!([{ "content": "Read", "status": "completed" }, { "content": "Fix" },
        { "content": "Test", "status": "completed" }, { "content": "Ship" }]);
    let written = world.write(&one, sent).await;
    assert_eq!(written.remarks, ["\"Test\" is assigned to codex 2 now; leave it out of your list."]);
    assert_eq!(contents(&written.todos), ["Read", "Fix", "Ship"]);
    // And leaves it out at last.
    world.write(&one, todos(&["Read", "Fix", "Ship"])).await;

    let written =
        world.write(&two, json!([{ "content": "Read" }, { "content": "Test", "status": "in_progress" }])).await;
    assert_eq!((contents(&written.todos), written.agent.as_deref()), (vec!["Read", "Test"], Some("codex 2")));
    let all = world.seen(&id, &user()).await;
    let statuses: Vec<String> =
        all.todos.iter().map(|item| format!("{} {}", item.content, item.status.name())).collect();
    assert_eq!(statuses, ["Read pending", "Fix pending", "Test in_progress"], "the user sees all of them");
    let owners: Vec<Option<&str>> = all.todos.iter().map(|item| item.owner.as_deref()).collect();
    assert_eq!(owners, [None, Some("codex"), Some("codex 2")]);
    let states: Vec<EditState> = all.edits.iter().map(|edit| edit.state).collect();
    assert_eq!(states, [EditState::Reflected; 2]);
    world.running.stop().await;
}

#[tokio::test]
async fn a_restart_keeps_the_names_and_what_each_was_given() {
    let (world, id) = World::shared(&["Read", "Fix", "Test"]).await;
    let (one, two) = (labelled("one"), labelled("two"));
    world.assign(&id, "3", Some("codex 2")).await;
    world.write(&one, todos(&["Read", "Fix", "Test"])).await;
    let world = world.restart().await;
    assert_eq!(world.seen(&id, &user()).await.session.agents, ["codex", "codex 2"]);
    // The first list after it is without the step that was not shown.
    let written = world.write(&one, todos(&["Read"])).await;
    assert_eq!((contents(&written.todos), written.agent.as_deref()), (vec!["Read"], Some("codex")));
    assert_eq!(contents(&world.seen(&id, &user()).await.todos), ["Read", "Test"]);
    let world = world.restart().await;
    world.assign(&id, "2", None).await;
    assert_eq!(contents(&world.read(&two).await.todos), ["Read", "Test"], "the other hears that it is nobody's");
    // The one was not told yet, and it is not its decision that the step is not in its list.
    let written = world.write(&one, todos(&["Read"])).await;
    assert_eq!(contents(&written.todos), ["Read", "Test"]);
    world.running.stop().await;
}

#[tokio::test]
async fn a_hook_hears_what_concerns_its_agent() {
    let (world, id) = World::shared(&["Read", "Fix"]).await;
    let mut claude = labelled("three");
    if let Some(agent) = &mut claude.agent {
        "claude".clone_into(&mut agent.agent.name);
    }
    world.read(&claude).await;
    world.assign(&id, "1", Some("claude")).await;
    world.assign(&id, "2", Some("codex 2")).await;
    let texts =
        |reported: &SessionReported| -> Vec<String> { reported.edits.iter().map(|edit| edit.text.clone()).collect() };
    // The hook of an agent of two does not say of which it is.
    let heard = hears(&world, &hook("codex", "run-1"), Some(&labelled("one")), &id).await;
    assert_eq!((texts(&heard), heard.agent), (Vec::new(), None));
    let heard = hears(&world, &hook("claude", "run-2"), Some(&claude), &id).await;
    assert_eq!(texts(&heard), ["Read"]);
    assert_eq!((contents(&heard.todos), heard.agent.as_deref()), (vec!["Read"], Some("claude")));
    world.ask(&user(), NoteSend { session_id: id.clone(), text: "Hurry".to_owned() }).await.expect("it is sent");
    assert_eq!(
        texts(&hears(&world, &hook("codex", "run-1"), None, &id).await),
        ["Hurry"],
        "a message is for everybody"
    );
    assert_eq!(texts_of(&world.read(&labelled("two")).await), ["Fix"]);
    world.running.stop().await;
}

fn texts_of(written: &TodoWritten) -> Vec<&str> {
    written.edits.iter().map(|edit| edit.text.as_str()).collect()
}

#[tokio::test]
async fn a_list_that_is_asked_for_has_no_more_than_an_answer() {
    let (world, id) = World::shared(&["Read", "Fix"]).await;
    world.assign(&id, "2", Some("codex 2")).await;
    assert_eq!(contents(&world.seen(&id, &labelled("one")).await.todos), ["Read"]);
    assert_eq!(world.seen(&id, &labelled("one")).await.edits, []);
    assert_eq!(contents(&world.seen(&id, &labelled("two")).await.todos), ["Read", "Fix"]);
    assert_eq!(contents(&world.seen(&id, &labelled("new")).await.todos), ["Read"], "it is not known which it will be");
    let ask = TodoManage { action: "list".to_owned(), ..TodoManage::default() };
    let listed = world.ask(&labelled("one"), ask).await.expect("it is listed").output;
    assert!(listed.as_str().is_some_and(|list| list.contains("Read") && !list.contains("Fix")), "{listed}");
    let fields = json!({ "ids": [2] }).as_object().cloned().expect("an object");
    let ask = TodoManage { action: "complete_multiple".to_owned(), fields, ..TodoManage::default() };
    world.ask(&labelled("one"), ask.clone()).await.expect_err("it was told of one");
    world.ask(&labelled("two"), ask).await.expect("its step");
    world.running.stop().await;
}

#[tokio::test]
async fn the_next_of_a_kind_takes_the_place_of_one_that_is_gone() {
    let world = World::new().await;
    let here = ["one", "two", "three"].map(|connection| world.hub().present(connection));
    let id = world.write(&labelled("one"), todos(&["Read", "Fix"])).await.session_id;
    world.read(&labelled("two")).await;
    world.assign(&id, "2", Some("codex 2")).await;
    let [one, two, three] = here;
    drop(two);
    let read = world.read(&labelled("three")).await;
    assert_eq!((contents(&read.todos), read.agent.as_deref()), (vec!["Read", "Fix"], Some("codex 2")));
    assert_eq!(world.seen(&id, &user()).await.session.agents, ["codex", "codex 2"]);
    // The one of before is another one if it comes back.
    let _back = world.hub().present("two");
    assert_eq!(world.read(&labelled("two")).await.agent.as_deref(), Some("codex 3"));
    drop((one, three));
    // Of clients that nobody sees go, those count as gone that were not heard of for long.
    world.read(&labelled("four")).await;
    world.pass(60);
    let world = world.restart().await;
    assert_eq!(world.read(&labelled("five")).await.agent, Some("codex".to_owned()));
    world.running.stop().await;
}

#[tokio::test]
async fn no_number_of_agents_loses_a_step() {
    let world = World::new().await;
    let id = world.write(&labelled("0"), todos(&["Read", "Fix"])).await.session_id;
    for connection in 1..20 {
        world.read(&labelled(&connection.to_string())).await;
    }
    let agents = world.seen(&id, &user()).await.session.agents;
    assert_eq!(agents.len(), 8, "{agents:?}");
    world.assign(&id, "2", Some(&agents[0])).await;
    for connection in 0..20 {
        world.write(&labelled(&connection.to_string()), todos(&["Read"])).await;
    }
    assert!(contents(&world.seen(&id, &user()).await.todos).contains(&"Read"));
    world.running.stop().await;
}

#[tokio::test]
async fn names_are_short_and_plain_and_differ() {
    let world = World::new().await;
    let named = |connection: &str, name: &str| {
        let mut caller = labelled(connection);
        if let Some(agent) = &mut caller.agent {
            name.clone_into(&mut agent.agent.name);
        }
        caller
    };
    let long = "x".repeat(5_000);
    let id = world.write(&named("1", &long), todos(&["Read"])).await.session_id;
    for (connection, name) in [("2", &*long), ("3", ""), ("4", "a\u{1b}[31m\nb"), ("5", "codex 2"), ("6", "codex")] {
        world.read(&named(connection, name)).await;
    }
    let agents = world.seen(&id, &user()).await.session.agents;
    assert_eq!(agents.len(), 6, "{agents:?}");
    assert!(agents.iter().all(|name| name.chars().count() < 120 && !name.chars().any(char::is_control)), "{agents:?}");
    let unknown = json!("nobody of that name");
    world.assign(&id, "1", unknown.as_str()).await;
    let read: Vec<Value> =
        world.read(&named("6", "codex")).await.todos.iter().map(|item| json!(item.content)).collect();
    assert_eq!(read, ["Read"], "a name that no agent has hides nothing");
    world.running.stop().await;
}
