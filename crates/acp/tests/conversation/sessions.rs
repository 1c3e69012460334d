//! Conversations as a hub sees them, and the hub's news as the editor gets them.

use crate::world::World;
use protocol::{
    AgentIdentity, AgentInfo, Backend, Caller, NeedKind, Reply, SessionState, TodoAdd, TodoWrite, TodoWritten,
    Transport,
};
use serde_json::{Value, json};
use todo::Item;

fn contents(items: &[Item]) -> Vec<&str> {
    items.iter().map(|item| item.content.as_str()).collect()
}

fn todos(contents: &[&str]) -> Value {
    contents.iter().map(|content| json!({ "content": content })).collect()
}

/// The entries of a plan of this session that the editor hears.
fn plan(world: &mut World, session: &str) -> Vec<String> {
    let told = world.editor.hears();
    assert_eq!((told["method"].as_str(), &told["params"]["sessionId"]), (Some("session/update"), &json!(session)));
    let update = &told["params"]["update"];
    assert_eq!(update["sessionUpdate"], "plan", "{told}");
    update["entries"].as_array().expect("entries").iter().map(|it| it["content"].to_string()).collect()
}

impl World {
    /// Our tool server writes the list of the session, and says the agent's own id of it.
    pub(crate) async fn write(&self, session: &str, contents: &[&str]) -> TodoWritten {
        let identity = AgentIdentity {
            agent: AgentInfo { name: "opencode".to_owned(), version: None },
            own_session: Some(session.to_owned()),
            ..AgentIdentity::default()
        };
        let caller = Caller::agent(Transport::Mcp, "tools", identity);
        let ask = TodoWrite { todos: todos(contents), ..TodoWrite::default() };
        match self.hub().call(caller, ask.into()).await.expect("it is written") {
            Reply::TodoWrite(written) => written,
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_begins_a_session_and_its_turn_ends() {
    let mut world = World::new().await;
    world.initialize(true);
    world.open("session/new", "s");
    world.prompt(2, "s", "Prepare the release");
    let begun = world.session("that began", |it| it.session.title == "Prepare the release").await.session;
    assert_eq!((begun.agent.name.as_str(), begun.agent.version.as_deref()), ("opencode", Some("1.18.33")));
    assert_eq!((begun.folder.as_deref(), begun.project.as_deref()), (Some("/home/me/billing"), Some("billing")));
    assert_eq!(begun.state, SessionState::Running);
    world.turn_ends(2);
    world.session("at rest", |it| it.session.state == SessionState::Idle).await;
    world.prompt(3, "s", "And now?");
    world.session("at work", |it| it.session.state == SessionState::Running).await;
    world.tell_editor(
        &json!({ "jsonrpc": "2.0", "id": 3, "error": { "code": -32603, "message": "The model is gone" } }),
    );
    let failed = world.session("that failed", |it| it.session.state == SessionState::Failed).await.session;
    assert_eq!(
        (failed.state_reason.as_deref(), failed.title.as_str()),
        (Some("The model is gone"), "Prepare the release")
    );
    world.prompt(4, "s", "Once more");
    world.turn_ends(4);
    world.session("at rest", |it| it.session.state == SessionState::Idle).await;
    world.tell_agent(&json!({ "jsonrpc": "2.0", "id": 5, "method": "session/close", "params": { "sessionId": "s" } }));
    world.tell_editor(&json!({ "jsonrpc": "2.0", "id": 5, "result": {} }));
    world.session("that is over", |it| it.session.state == SessionState::Finished).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_agents_plan_is_its_built_in_list() {
    let mut world = World::new().await;
    world.initialize(true);
    world.open("session/new", "s");
    world.prompt(2, "s", "Prepare the release");
    world.update("s", &json!({ "sessionUpdate": "plan", "entries": [] }));
    let entry = |content: &str, status: &str| json!({ "content": content, "status": status, "priority": "medium" });
    world.update(
        "s",
        &json!({ "sessionUpdate": "plan", "entries": [entry("Read", "in_progress"), entry("Fix", "pending")] }),
    );
    let list = world.session("with the plan", |it| contents(&it.todos) == ["Read", "Fix"]).await;
    assert_eq!((list.session.own_tool.as_deref(), list.session.read_only), (Some("todowrite"), true));
    assert_eq!(list.session.revision, 1, "without steps there was no list");
    let run = list.session.parent_session_id.clone().expect("it is under its run");
    world.session("of the run", |it| it.session.list_session_id.as_ref() == Some(&list.session.session_id)).await;
    world.update(
        "s",
        &json!({ "sessionUpdate": "plan", "entries": [entry("Read", "completed"), entry("Fix", "in_progress")] }),
    );
    let list =
        world.session("that goes on", |it| it.session.own_tool.is_some() && it.session.progress.completed == 1).await;
    assert_eq!(list.session.parent_session_id, Some(run));
    world.update("s", &json!({ "sessionUpdate": "plan", "entries": [] }));
    world.session("without steps", |it| it.session.own_tool.is_some() && it.todos.is_empty()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_permission_waits_until_the_editor_answers() {
    let mut world = World::new().await;
    world.initialize(true);
    world.open("session/new", "s");
    world.prompt(2, "s", "Prepare the release");
    let call = json!({ "toolCallId": "c", "title": "Says hi", "rawInput": { "command": "echo hi" } });
    let params = json!({ "sessionId": "s", "toolCall": call, "options": [] });
    world.tell_editor(&json!({ "jsonrpc": "2.0", "id": 0, "method": "session/request_permission", "params": params }));
    let waiting = world.session("that waits", |it| !it.session.needs.is_empty()).await.session;
    let need = &waiting.needs[0];
    assert_eq!((need.kind, need.text.as_str()), (NeedKind::Waiting, "Says hi: echo hi"));
    assert_eq!(waiting.state, SessionState::Waiting);
    world.tell_agent(&json!({ "jsonrpc": "2.0", "id": 0, "result": { "outcome": { "outcome": "cancelled" } } }));
    world.session("that goes on", |it| it.session.state == SessionState::Running && it.session.needs.is_empty()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn our_list_is_the_plan_in_turns_without_one_of_the_agents() {
    let mut world = World::new().await;
    world.initialize(true);
    world.open("session/new", "s");
    world.prompt(2, "s", "Prepare the release");
    let begun = world.session("that began", |it| it.session.title == "Prepare the release").await;
    let written = world.write("s", &["One", "Two"]).await;
    assert_eq!(written.session_id, begun.session.session_id, "it is the same session");
    assert_eq!(plan(&mut world, "s"), [r#""One""#, r#""Two""#]);
    // The user's edits are in it, at once.
    let add = TodoAdd { session_id: written.session_id.clone(), content: "Mine".to_owned(), ..TodoAdd::default() };
    let user = Caller::user(Transport::Window, "window");
    world.hub().call(user, add.into()).await.expect("it is added");
    assert_eq!(plan(&mut world, "s"), [r#""One""#, r#""Two""#, r#""Mine""#]);

    // Another session, whose list comes by the same way: what comes after another change has come after all of that.
    world.prompt(3, "t", "Something else");
    world.session("of the other", |it| it.session.title == "Something else").await;
    world.write("t", &["Else"]).await;
    assert_eq!(plan(&mut world, "t"), [r#""Else""#]);

    // A plan without steps is none: ours comes once more.
    world.update("s", &json!({ "sessionUpdate": "plan", "entries": [] }));
    assert_eq!(plan(&mut world, "s"), [r#""One""#, r#""Two""#, r#""Mine""#]);

    world.update("s", &json!({ "sessionUpdate": "plan", "entries": [{ "content": "Own" }] }));
    world.session("with the plan", |it| contents(&it.todos) == ["Own"]).await;
    world.write("s", &["One", "Two", "Three"]).await;
    world.write("t", &["Else", "More"]).await;
    assert_eq!(plan(&mut world, "t"), [r#""Else""#, r#""More""#], "nothing came in between");
    world.tell_editor(&json!({ "jsonrpc": "2.0", "id": 2, "result": { "stopReason": "cancelled" } }));
    world.session("at rest", |it| it.session.own_tool.is_none() && it.session.state == SessionState::Idle).await;
    world.prompt(4, "s", "Go on");
    let is_it = |it: &protocol::SessionTodos| it.session.session_id == written.session_id;
    world.session("that goes on", |it| is_it(it) && it.session.state == SessionState::Running).await;
    world.write("s", &["One", "Two", "Three", "Four"]).await;
    let shown = plan(&mut world, "s");
    assert!(shown.contains(&r#""Four""#.to_owned()), "nothing came in between: {shown:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_is_loaded_again_has_its_list_and_its_past_is_no_news() {
    let mut world = World::new().await;
    world.initialize(true);
    world.open("session/new", "s");
    world.prompt(2, "s", "Prepare the release");
    world.session("that began", |it| it.session.title == "Prepare the release").await;
    let written = world.write("s", &["One"]).await;
    plan(&mut world, "s");
    world.turn_ends(2);
    world.session("at rest", |it| it.session.state == SessionState::Idle).await;

    let params = json!({ "sessionId": "s", "cwd": "/home/me/billing", "mcpServers": [] });
    world.editor.says(&json!({ "jsonrpc": "2.0", "id": 7, "method": "session/load", "params": params }));
    world.agent.hears();
    world.update("s", &json!({ "sessionUpdate": "plan", "entries": [{ "content": "Old" }] }));
    world.tell_editor(&json!({ "jsonrpc": "2.0", "id": 7, "result": null }));
    world.prompt(8, "s", "Go on");
    let again = world.session("at work", |it| it.session.state == SessionState::Running).await;
    assert_eq!(again.session.session_id, written.session_id);
    let sessions = world.hub().subscribe(None).await.expect("a snapshot").snapshot.sessions;
    assert_eq!(sessions.len(), 1, "the old plan is no list of today: {sessions:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn our_tool_server_comes_as_the_agent_takes_it() {
    for (http, method) in
        [(true, "session/new"), (false, "session/new"), (true, "session/load"), (false, "session/resume")]
    {
        let mut world = World::new().await;
        world.initialize(http);
        let asked = world.open(method, "s");
        let server = &asked["params"]["mcpServers"][0];
        let label = world.last_label();
        assert_eq!(server["name"], "sightline");
        if http {
            let url = server["url"].as_str().expect("an address");
            assert!(url.starts_with("http://127.0.0.1:") && url.ends_with(&format!("/mcp/{label}")), "{url}");
        } else {
            assert_eq!(server["args"], json!(["mcp", "--session", label]));
        }
        world.open(method, "other");
        assert_ne!(world.last_label(), label, "each session has its own");
    }
}
