//! A batch that is done anew without a change that was refused: what hooks reported counts once, as if that change had
//! never been there.

use super::{World, agent, todos, user};
use protocol::{
    AgentIdentity, AgentInfo, AnnouncedCall, Caller, Code, Error, NoteSend, SessionDelete, SessionGet, SessionReport,
    TodoAdd, TodoManage, TodoManaged, TodoWrite, Transport,
};
use serde_json::{Value, json};

/// A run of `claude`, as its hooks or its tool calls name it.
fn run(transport: Transport) -> Caller {
    let identity = AgentIdentity {
        agent: AgentInfo { name: "claude".to_owned(), version: None },
        own_session: Some("run-1".to_owned()),
        ..AgentIdentity::default()
    };
    Caller::agent(transport, "run-1".to_owned(), identity)
}

/// An agent's first call, refused after its session was stored.
async fn refused(world: &World) -> Result<TodoManaged, Error> {
    world.ask(&agent("elsewhere"), complete(9)).await
}

fn complete(id: u64) -> TodoManage {
    TodoManage {
        session_id: None,
        session: None,
        prove: false,
        action: "complete_multiple".to_owned(),
        fields: json!({ "ids": [id] }).as_object().expect("fields").clone(),
    }
}

fn write(todos: Value) -> TodoWrite {
    TodoWrite { todos, ..TodoWrite::default() }
}

#[tokio::test]
async fn a_subagents_call_that_was_announced_stays_the_subagents() {
    let world = World::new().await;
    let above = world.write(&run(Transport::Mcp), todos(&["Plan"])).await.session_id;
    let call =
        AnnouncedCall { subagent: Some("sub".to_owned()), id: None, arguments: json!({ "todos": todos(&["Search"]) }) };
    let announced = SessionReport { calls: Some(Box::new(call)), ..SessionReport::default() };
    world.ask(&run(Transport::Hook), announced).await.expect("it is heard");

    let caller = run(Transport::Mcp);
    let (below, other) = tokio::join!(world.ask(&caller, write(todos(&["Search"]))), refused(&world));
    other.expect_err("there is no such step");
    let below = below.expect("it is written").session_id;
    assert_ne!(below, above, "the subagent's list is not its agent's");
    let get = |session_id: &str| SessionGet { session_id: session_id.to_owned(), revision: None };
    let of_agent = world.ask(&user(), get(&above)).await.expect("it is there");
    assert_eq!(super::contents(&of_agent.todos), ["Plan"]);
    let of_subagent = world.ask(&user(), get(&below)).await.expect("it is there");
    assert_eq!(of_subagent.session.parent_session_id, Some(above));
    world.running.stop().await;
}

#[tokio::test]
async fn a_hook_still_tells_what_it_was_about_to_tell() {
    let world = World::new().await;
    let id = world.write(&run(Transport::Mcp), todos(&["Plan"])).await.session_id;
    let note = NoteSend { session_id: id.clone(), text: "use the staging database".to_owned() };
    world.ask(&user(), note).await.expect("it is taken");

    let hook = run(Transport::Hook);
    let listens = SessionReport { listens: true, ..SessionReport::default() };
    let (told, other) = tokio::join!(world.ask(&hook, listens), refused(&world));
    other.expect_err("there is no such step");
    assert_eq!(told.expect("it is heard").edits.len(), 1, "the message is in the hook's answer");
    world.running.stop().await;
}

#[tokio::test]
async fn a_refused_call_of_a_subagent_leaves_its_announcement_for_the_next_try() {
    let world = World::new().await;
    let above = world.write(&run(Transport::Mcp), todos(&["Plan"])).await.session_id;
    let announced = |arguments: Value| SessionReport {
        calls: Some(Box::new(AnnouncedCall { subagent: Some("sub".to_owned()), id: None, arguments })),
        ..SessionReport::default()
    };
    let call = json!({ "action": "complete_multiple", "ids": [1] });
    world.ask(&run(Transport::Hook), announced(call)).await.expect("it is heard");
    for _ in 0..2 {
        world.ask(&run(Transport::Mcp), complete(1)).await.expect_err("a new subagent has no step 1, its agent has");
    }
    let get = SessionGet { session_id: above, revision: None };
    assert_eq!(world.ask(&user(), get).await.expect("it is there").revision, 1);
    world.running.stop().await;
}

#[tokio::test]
async fn an_edit_after_a_deletion_in_the_same_moment_is_refused() {
    let world = World::new().await;
    let id = world.write(&run(Transport::Mcp), todos(&["Plan"])).await.session_id;
    let add = TodoAdd { session_id: id.clone(), content: "Mine".to_owned(), ..TodoAdd::default() };
    let delete = SessionDelete { session_id: id.clone(), for_good: false };
    let caller = user();
    let (deleted, added) = tokio::join!(world.ask(&caller, delete), world.ask(&caller, add));
    deleted.expect("it is deleted");
    assert_eq!(added.expect_err("it is gone").code, Code::SessionNotFound);
    let get = || SessionGet { session_id: id.clone(), revision: None };
    world.ask(&user(), get()).await.expect_err("it is gone from memory");
    let world = world.restart().await;
    world.ask(&user(), get()).await.expect_err("and from the database");
    world.running.stop().await;
}
