//! The state machine, told messages as the gateway sends them.

use super::{Effect, Input, Line, Link, News, Timing};
use crate::message::{Told, read};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::time::Duration;

const TIMING: Timing = Timing {
    opening: Duration::from_secs(30),
    probe: Duration::from_secs(10),
    frozen: Duration::from_secs(15),
    first_pause: Duration::from_secs(1),
    longest_pause: Duration::from_secs(60),
};

struct World {
    link: Link,
    now: Duration,
}

impl World {
    /// A link that is connected.
    fn open() -> Self {
        let mut world = Self { link: Link::new(TIMING), now: Duration::ZERO };
        assert_eq!(world.step(Input::Tick), [Effect::Open]);
        world.step(Input::Opened);
        world
    }

    fn step(&mut self, input: Input) -> Vec<Effect> {
        self.link.step(self.now, input)
    }

    fn told(&mut self, message: &Value) -> Vec<Effect> {
        self.step(Input::Told(read(&message.to_string())))
    }

    fn all(&mut self, messages: &[Value]) -> Vec<Effect> {
        messages.iter().flat_map(|message| self.told(message)).collect()
    }
}

fn start(request: &str, session: &str) -> Value {
    json!({ "type": "chat.stream.start", "requestId": request, "sessionId": session, "model": "m" })
}

fn update(request: &str, content: &str) -> Value {
    json!({ "type": "todo.update", "requestId": request, "todos": [{ "id": "1", "content": content, "status": "pending" }] })
}

fn call(request: &str, content: &str) -> Value {
    let todos = json!([{ "id": "1", "content": content, "status": "pending", "activeForm": "" }]);
    json!({ "type": "tool.call", "requestId": request, "toolCallId": "c", "toolName": "todo_write", "args": { "todos": todos } })
}

fn end(request: &str) -> Value {
    json!({ "type": "chat.stream.end", "requestId": request, "usage": {}, "cost": {} })
}

fn error(request: &str, code: &str) -> Value {
    json!({ "type": "error", "requestId": request, "code": code, "message": "" })
}

/// The lists among effects: session and the content of their first item.
fn lists(effects: &[Effect]) -> Vec<(String, String)> {
    let list = |effect: &Effect| match effect {
        Effect::List(session, todos) => {
            Some((session.clone(), todos[0]["content"].as_str().unwrap_or_default().to_owned()))
        }
        _ => None,
    };
    effects.iter().filter_map(list).collect()
}

/// The messages among effects: session, and the id of the request.
fn sent(effects: &[Effect]) -> Vec<(String, String)> {
    let word = |message: &Value, name: &str| message[name].as_str().unwrap_or_default().to_owned();
    let message = |effect: &Effect| match effect {
        Effect::Send(message) if message["type"] == "chat.send" => {
            Some((word(message, "sessionId"), word(message, "id")))
        }
        _ => None,
    };
    effects.iter().filter_map(message).collect()
}

fn line(edit: &str) -> Input {
    let (session, ours) = ("s".to_owned(), "ours".to_owned());
    Input::Line(Line { session, ours, edit: edit.to_owned(), text: format!("text of {edit}") })
}

fn pair(session: &str, content: &str) -> (String, String) {
    (session.to_owned(), content.to_owned())
}

#[test]
fn a_list_is_that_of_the_call_behind_it_whatever_its_own_id() {
    let mut world = World::open();
    let effects = world.all(&[start("r1", "one"), update("r1", "a"), call("r1", "a"), end("r1"), start("r2", "two")]);
    assert_eq!(lists(&effects), [pair("one", "a")]);
    let effects = world.all(&[update("r1", "b"), call("r2", "b")]);
    assert_eq!(lists(&effects), [pair("two", "b")]);
}

#[test]
fn lists_of_two_chats_at_once_are_told_apart() {
    let mut world = World::open();
    world.all(&[start("r1", "one"), start("r2", "two")]);
    let effects = world.all(&[update("r1", "a"), call("r2", "a"), update("r1", "b"), call("r1", "b")]);
    assert_eq!(lists(&effects), [pair("two", "a"), pair("one", "b")]);
}

#[test]
fn a_list_without_its_call_is_that_of_the_open_chat() {
    let mut world = World::open();
    world.all(&[start("r1", "one"), end("r1"), start("r2", "two")]);
    assert_eq!(lists(&world.told(&update("r1", "a"))), []);
    world.now = world.link.next_tick();
    assert_eq!(lists(&world.step(Input::Tick)), [pair("two", "a")]);
    world.told(&update("r1", "b"));
    assert_eq!(lists(&world.told(&end("r2"))), [pair("two", "b")], "also with the next message");
}

#[test]
fn a_list_in_a_call_alone_was_not_accepted() {
    let mut world = World::open();
    assert_eq!(lists(&world.all(&[start("r1", "one"), call("r1", "a"), end("r1")])), []);
}

#[test]
fn only_errors_of_a_chat_touch_it_and_its_end_may_follow() {
    let mut world = World::open();
    world.told(&start("r1", "one"));
    assert_eq!(world.all(&[error("other", "X"), json!({ "type": "error", "code": "INVALID_MESSAGE" })]), []);
    let failed = Effect::Report("one".to_owned(), News::Failed("AGENT_LOOP_ERROR".to_owned()));
    assert_eq!(world.all(&[error("r1", "AGENT_LOOP_ERROR"), end("r1")]), [failed]);
}

#[test]
fn a_message_arrives_once_and_the_next_waits_for_the_end() {
    let mut world = World::open();
    let effects = world.step(line("e1"));
    let [(session, request)] = &sent(&effects)[..] else { panic!("{effects:?}") };
    assert_eq!(session, "s");
    assert_eq!(sent(&world.step(line("e1"))), [], "it is told more than once");
    assert_eq!(sent(&world.step(line("e2"))), []);
    let effects = world.told(&start(request, "s"));
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Arrived(line) if line.edit == "e1")), "{effects:?}");
    assert_eq!(sent(&world.step(line("e1"))), []);
    assert_eq!(sent(&world.told(&end(request))).len(), 1);
}

#[test]
fn a_message_that_came_too_early_or_was_lost_is_sent_again() {
    let mut world = World::open();
    world.told(&start("theirs", "s"));
    let effects = world.step(line("e1"));
    let request = sent(&effects)[0].1.clone();
    assert_eq!(sent(&world.told(&error(&request, "STREAM_IN_PROGRESS"))), []);
    assert_eq!(sent(&world.told(&end("theirs"))).len(), 1);
    let effects = world.step(Input::Lost("gone".into()));
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Arrived(_))));
    world.now = world.link.next_tick();
    assert_eq!(world.step(Input::Tick), [Effect::Open]);
    assert_eq!(sent(&world.step(Input::Opened)).len(), 1);
}

#[test]
fn a_checklist_and_a_call_are_answered_under_their_ids_and_once() {
    let mut world = World::open();
    let checklist = json!({ "type": "preflight.checklist", "requestId": "r1", "steps": [] });
    let effects = world.all(&[json!({ "type": "session.created", "sessionId": "one" }), checklist]);
    let asked = effects.iter().find_map(|effect| match effect {
        Effect::Ask(session, question) => Some((session.clone(), question.clone())),
        _ => None,
    });
    let (session, question) = asked.expect("the user is asked");
    assert_eq!(session, "one");
    let effects = world.step(Input::Decided(question.clone(), Some(true)));
    let [Effect::Send(answer)] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!((answer["type"].as_str(), answer["requestId"].as_str()), (Some("preflight.approval"), Some("r1")));
    assert_eq!(world.step(Input::Decided(question, Some(false))), []);
    world.told(&start("r1", "one"));
    let asks = json!({ "type": "tool.approval.request", "requestId": "r1", "toolCallId": "c1", "toolName": "Bash", "args": {} });
    let effects = world.told(&asks);
    let Some(Effect::Ask(_, question)) = effects.last() else { panic!("{effects:?}") };
    let question = question.clone();
    let effects = world.told(&end("r1"));
    assert!(effects.contains(&Effect::Withdraw(question.clone())), "{effects:?}");
    assert_eq!(world.step(Input::Decided(question, Some(true))), [], "it is over");
}

#[test]
fn what_is_open_when_the_connection_is_lost_has_failed_and_a_frozen_one_is_given_up() {
    let mut world = World::open();
    world.all(&[json!({ "type": "session.list", "sessions": [] }), start("r1", "one")]);
    world.now = world.link.next_tick();
    assert!(matches!(&world.step(Input::Tick)[..], [Effect::Send(_)]), "it is asked whether it is there");
    world.now = world.link.next_tick();
    let effects = world.step(Input::Tick);
    let [Effect::Report(session, News::Failed(_)), Effect::Close, Effect::Down(problem)] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert_eq!((session.as_str(), problem.english.as_str()), ("one", "it does not answer any more"));
}

fn any_told() -> impl Strategy<Value = Value> {
    let (request, session) =
        (prop::sample::select(vec!["r1", "r2", "sightline-3"]), prop::sample::select(vec!["one", "s"]));
    (0..9, request, session).prop_map(|(kind, request, session)| match kind {
        0 => start(request, session),
        1 => update(request, "a"),
        2 => call(request, "a"),
        3 => end(request),
        4 => error(request, "AGENT_ERROR"),
        5 => error(request, "STREAM_IN_PROGRESS"),
        6 => json!({ "type": "session.created", "sessionId": session }),
        7 => json!({ "type": "preflight.checklist", "requestId": request, "steps": [] }),
        _ => json!({ "type": "no.such.type" }),
    })
}

proptest! {
    #[test]
    fn whatever_comes_each_message_arrives_once_and_none_is_sent_beside_another(
        told in prop::collection::vec(any_told(), 0..60),
        lost in prop::collection::vec(any::<bool>(), 60),
    ) {
        let mut world = World::open();
        let mut arrived = Vec::new();
        let mut effects = world.step(line("e1"));
        effects.extend(world.step(line("e2")));
        for (message, is_lost) in told.iter().zip(lost) {
            effects.extend(world.told(message));
            if is_lost {
                effects.extend(world.step(Input::Lost("gone".into())));
                world.now = world.link.next_tick();
                effects.extend(world.step(Input::Tick));
                effects.extend(world.step(Input::Opened));
            }
        }
        // Whatever was said before, both arrive once their chats begin and end.
        for _ in 0..6 {
            let Some((_, request)) = sent(&effects).pop() else { break };
            effects.extend(world.told(&start(&request, "s")));
            effects.extend(world.told(&end(&request)));
        }
        arrived.extend(effects.iter().filter_map(|effect| match effect {
            Effect::Arrived(line) => Some(line.edit.as_str()),
            _ => None,
        }));
        arrived.sort_unstable();
        prop_assert_eq!(arrived, ["e1", "e2"]);
    }

    #[test]
    fn no_text_is_too_odd(text in any::<String>()) {
        let mut world = World::open();
        let told = read(&text);
        prop_assert!(matches!(told, Told::Other) || text.contains("type"));
        world.step(Input::Told(told));
    }
}
