//! Messages of the user's, which become prompts of ours.

use crate::world::World;
use protocol::{Backend, Caller, EditState, NoteSend, SessionState, Transport};
use serde_json::{Value, json};

impl World {
    /// A session whose turn, the prompt of id 2, goes on; gives our id of it.
    async fn at_work() -> (Self, String) {
        let mut world = Self::new().await;
        world.initialize(true);
        world.open("session/new", "s");
        world.prompt(2, "s", "Prepare the release");
        let begun = world.session("that began", |it| it.session.title == "Prepare the release").await;
        // Without a step it would be at rest to the hub.
        world.write("s", &["Release"]).await;
        let plan = world.editor.hears();
        assert_eq!(plan["params"]["update"]["sessionUpdate"], "plan");
        (world, begun.session.session_id)
    }

    async fn send_message(&self, session_id: &str, text: &str) {
        let send = NoteSend { session_id: session_id.to_owned(), text: text.to_owned() };
        self.hub().call(Caller::user(Transport::Window, "window"), send.into()).await.expect("it is taken");
    }

    /// The agent gets a prompt of ours, and the editor the same text as the user's; gives its id and the text.
    fn ours(&mut self) -> (Value, String) {
        let shown = self.editor.hears();
        let update = &shown["params"]["update"];
        assert_eq!(
            (&shown["params"]["sessionId"], &update["sessionUpdate"]),
            (&json!("s"), &json!("user_message_chunk"))
        );
        let asked = self.agent.hears();
        assert_eq!((&asked["method"], &asked["params"]["sessionId"]), (&json!("session/prompt"), &json!("s")));
        assert_eq!(asked["params"]["prompt"], json!([update["content"]]));
        (asked["id"].clone(), update["content"]["text"].as_str().expect("a text").to_owned())
    }

    fn turn_ends_by(&mut self, id: u32, reason: &str) {
        self.tell_editor(&json!({ "jsonrpc": "2.0", "id": id, "result": { "stopReason": reason } }));
    }

    /// The agent answers a prompt of ours; what it says after that is the next that the editor hears.
    fn answers(&mut self, id: &Value) {
        self.agent.says(&json!({ "jsonrpc": "2.0", "id": id, "result": { "stopReason": "end_turn" } }));
        self.update("s", &json!({ "sessionUpdate": "current_mode_update", "currentModeId": "code" }));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_to_an_agent_at_rest_is_a_prompt_at_once() {
    let (mut world, session_id) = World::at_work().await;
    world.turn_ends_by(2, "end_turn");
    world.session("at rest", |it| it.session.state == SessionState::Idle).await;
    world.send_message(&session_id, "Use the staging database").await;
    let (id, text) = world.ours();
    assert!(text.contains("Use the staging database"), "{text}");
    world.session("at work", |it| it.session.state == SessionState::Running).await;
    world.session("that was told", |it| it.edits.iter().all(|edit| edit.state == EditState::Delivered)).await;
    world.answers(&id);
    let rests = world.session("at rest", |it| it.session.state == SessionState::Idle).await;
    assert_eq!(rests.session.title, "Prepare the release", "it is no prompt of the editor's");
    world.prompt(3, "s", "Go on");
    world.session("at work", |it| it.session.state == SessionState::Running).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_to_an_agent_at_work_waits_for_the_end_of_its_turn() {
    let (mut world, session_id) = World::at_work().await;
    world.send_message(&session_id, "Use the staging database").await;
    world.turn_ends_by(2, "end_turn");
    let (id, text) = world.ours();
    assert!(text.contains("Use the staging database"), "{text}");
    world.answers(&id);
    world.session("at rest", |it| it.session.state == SessionState::Idle).await;
}
