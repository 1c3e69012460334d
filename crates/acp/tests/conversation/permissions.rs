//! Permissions and questions: answered in the editor or here, whichever is first, and once.

use crate::world::World;
use protocol::{
    Backend, Caller, Code, NeedKind, Permission, PermissionAnswer, PermissionList, PermissionState, Reply, Rights,
    RuleCalls, RuleNew, SessionState, Transport,
};
use serde_json::{Value, json};

fn user() -> Caller {
    Caller::user(Transport::Window, "window").with(Rights::Administer)
}

fn request(id: u32, command: &str) -> Value {
    let option = |id: &str, kind: &str| json!({ "optionId": id, "name": id, "kind": kind });
    let options = [option("yes", "allow_once"), option("always", "allow_always"), option("no", "reject_once")];
    let call = json!({ "toolCallId": "c", "title": "bash", "kind": "execute", "rawInput": { "command": command } });
    let params = json!({ "sessionId": "s", "toolCall": call, "options": options });
    json!({ "jsonrpc": "2.0", "id": id, "method": "session/request_permission", "params": params })
}

fn selected(id: u32, option: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": { "outcome": { "outcome": "selected", "optionId": option } } })
}

impl World {
    /// A session at work in which nothing is asked yet; gives our id of it.
    async fn working(&mut self) -> String {
        self.initialize(true);
        self.open("session/new", "s");
        self.prompt(2, "s", "Prepare the release");
        let begun = self.session("that began", |it| it.session.title == "Prepare the release").await;
        begun.session.session_id
    }

    async fn permissions(&self, session_id: Option<&str>) -> Vec<Permission> {
        let ask = PermissionList { session_id: session_id.map(str::to_owned), limit: None };
        match self.hub().call(user(), ask.into()).await.expect("they are listed") {
            Reply::PermissionList(listed) => listed.permissions,
            other => panic!("{other:?}"),
        }
    }

    /// The agent asks; gives the permission as the user has it here.
    async fn asks(&mut self, message: &Value) -> Permission {
        self.tell_editor(message);
        self.session("that asks", |it| it.session.needs.iter().any(|need| need.kind == NeedKind::Permission)).await;
        self.permissions(None).await.remove(0)
    }

    async fn answer(&self, permission: &Permission, fields: PermissionAnswer) -> Result<(), Code> {
        let Permission { session_id, permission_id, .. } = permission.clone();
        let answer = PermissionAnswer { session_id, permission_id, ..fields };
        self.hub().call(user(), answer.into()).await.map(drop).map_err(|error| error.code)
    }

    fn editor_is_told_that_it_is_over(&mut self, id: u32) {
        let over = json!({ "jsonrpc": "2.0", "method": "$/cancel_request", "params": { "requestId": id } });
        assert_eq!(self.editor.hears(), over);
    }

    /// The agent hears nothing but this next.
    fn agent_hears_next(&mut self, text: &str) {
        let params = json!({ "sessionId": "s" });
        self.tell_agent(&json!({ "jsonrpc": "2.0", "method": text, "params": params }));
    }
}

fn allow(allow: bool) -> PermissionAnswer {
    PermissionAnswer { allow, ..PermissionAnswer::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_permission_is_answered_here_and_the_editors_answer_comes_too_late() {
    let mut world = World::new().await;
    let id = world.working().await;
    let permission = world.asks(&request(7, "cargo test")).await;
    assert_eq!((permission.tool.as_str(), permission.command.as_deref()), ("bash", Some("cargo test")));
    assert_eq!(permission.input, r#"{"command":"cargo test"}"#, "to the letter");
    world.answer(&permission, allow(true)).await.expect("it waits");
    assert_eq!(world.agent.hears(), selected(7, "yes"));
    world.editor_is_told_that_it_is_over(7);
    world.editor.says(&selected(7, "no"));
    world.agent_hears_next("session/cancel");
    world.session("at work", |it| it.session.state == SessionState::Running).await;
    assert_eq!(world.permissions(Some(&id)).await[0].state, PermissionState::Allowed);

    // The id may be used again.
    let permission = world.asks(&request(7, "cargo fmt")).await;
    world.answer(&permission, allow(false)).await.expect("it waits");
    assert_eq!(world.agent.hears(), selected(7, "no"));
    world.editor_is_told_that_it_is_over(7);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_permission_is_answered_in_the_editor_and_here_it_is_too_late() {
    let mut world = World::new().await;
    let id = world.working().await;
    let permission = world.asks(&request(7, "cargo test")).await;
    // As it is written, to the byte.
    world.editor.says_raw(b"{\"id\":7 ,\"result\":{\"outcome\":{\"outcome\":\"cancelled\"}},\"jsonrpc\":\"2.0\"}\n");
    let heard = world.agent.hears_raw();
    assert_eq!(heard, b"{\"id\":7 ,\"result\":{\"outcome\":{\"outcome\":\"cancelled\"}},\"jsonrpc\":\"2.0\"}\n");
    world.session("at work", |it| it.session.state == SessionState::Running && it.session.needs.is_empty()).await;
    assert_eq!(world.permissions(Some(&id)).await[0].state, PermissionState::Elsewhere);
    assert_eq!(world.answer(&permission, allow(true)).await, Err(Code::PermissionNotFound));
    world.agent_hears_next("session/cancel");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_answers_the_agent_gets_the_first_and_no_other() {
    let mut world = World::new().await;
    world.working().await;
    for id in 10..40 {
        let permission = world.asks(&request(id, &format!("step {id}"))).await;
        let answering = {
            let Permission { session_id, permission_id, .. } = permission.clone();
            let answer = PermissionAnswer { session_id, permission_id, ..allow(true) };
            let hub = world.hub().clone();
            tokio::spawn(async move { hub.call(user(), answer.into()).await })
        };
        world.editor.says(&selected(id, "no"));
        if let Err(error) = answering.await.expect("it is answered") {
            assert_eq!(error.code, Code::PermissionNotFound, "the editor was faster");
        }
        let heard = world.agent.hears();
        if heard == selected(id, "yes") {
            world.editor_is_told_that_it_is_over(id);
        } else {
            assert_eq!(heard, selected(id, "no"));
        }
        world.agent_hears_next("session/set_mode");
        world.session("that asks no more", |it| it.session.needs.is_empty()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_of_the_users_answers_and_nobody_is_asked() {
    let mut world = World::new().await;
    let id = world.working().await;
    let rule = RuleNew {
        allow: false,
        agent: None,
        session_id: None,
        folder: None,
        tool: "bash".to_owned(),
        calls: RuleCalls::Command { words: vec!["git".to_owned(), "push".to_owned()] },
    };
    world.hub().call(user(), rule.into()).await.expect("it is made");
    world.tell_editor(&request(7, "git push --force"));
    assert_eq!(world.agent.hears(), selected(7, "no"));
    world.editor_is_told_that_it_is_over(7);
    let past = world.permissions(Some(&id)).await;
    assert_eq!((past[0].state, past[0].rule_id.is_some()), (PermissionState::Denied, true));
    assert_eq!(world.permissions(None).await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn words_with_a_refusal_are_the_next_prompt() {
    let mut world = World::new().await;
    world.working().await;
    let permission = world.asks(&request(7, "rm -rf target")).await;
    let denied = PermissionAnswer { message: Some("Use cargo clean".to_owned()), ..allow(false) };
    world.answer(&permission, denied).await.expect("it waits");
    assert_eq!(world.agent.hears(), selected(7, "no"));
    world.editor_is_told_that_it_is_over(7);
    world.turn_ends(2);
    let shown = world.editor.hears();
    assert_eq!(shown["params"]["update"]["sessionUpdate"], "user_message_chunk");
    let asked = world.agent.hears();
    let text = asked["params"]["prompt"][0]["text"].as_str().expect("a text");
    assert_eq!(
        (asked["method"].as_str(), text),
        (Some("session/prompt"), "The user denied this call: bash: rm -rf target\nThe user says: Use cargo clean")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_answered_here() {
    let mut world = World::new().await;
    world.working().await;
    let property = json!({ "type": "string", "enum": ["SQLite", "Postgres"] });
    let schema = json!({ "type": "object", "properties": { "database": property }, "required": ["database"] });
    let params = json!({ "sessionId": "s", "mode": "form", "message": "Which database?", "requestedSchema": schema });
    let asked = json!({ "jsonrpc": "2.0", "id": "q/1", "method": "elicitation/create", "params": params });
    let permission = world.asks(&asked).await;
    assert_eq!(permission.questions[0].text, "Which database?");
    let chosen = PermissionAnswer { answers: vec![vec!["Postgres".to_owned()]], ..allow(true) };
    world.answer(&permission, chosen).await.expect("it waits");
    let content = json!({ "action": "accept", "content": { "database": "Postgres" } });
    assert_eq!(world.agent.hears(), json!({ "jsonrpc": "2.0", "id": "q/1", "result": content }));
    assert_eq!(world.editor.hears()["params"]["requestId"], "q/1");
    // Some write a slash in another way.
    world.editor.says_raw(b"{\"jsonrpc\":\"2.0\",\"id\":\"q\\/1\",\"result\":{\"action\":\"cancel\"}}\n");
    world.agent_hears_next("session/cancel");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_turn_is_the_end_of_what_was_asked_in_it() {
    let mut world = World::new().await;
    let id = world.working().await;
    let permission = world.asks(&request(7, "cargo test")).await;
    world.turn_ends(2);
    world.session("at rest", |it| it.session.state == SessionState::Idle && it.session.needs.is_empty()).await;
    assert_ne!(world.permissions(Some(&id)).await[0].state, PermissionState::Open);
    assert_eq!(world.answer(&permission, allow(true)).await, Err(Code::PermissionNotFound));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_gateway_the_editor_answers_as_if_we_were_not_there() {
    let mut world = World::without_hub().await;
    world.initialize(true);
    world.open("session/new", "s");
    world.prompt(2, "s", "Prepare the release");
    for id in 7..10 {
        world.tell_editor(&request(id, "cargo test"));
        world.tell_agent(&selected(id, "always"));
    }
    world.turn_ends(2);
}
