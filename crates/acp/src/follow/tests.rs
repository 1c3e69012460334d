//! The news that lines give.

use super::{Follower, News, Side};
use crate::handshake::Handshake;
use agents::KNOWN;
use serde_json::{Value, json};
use std::sync::{Arc, OnceLock};

fn follower() -> Follower {
    let handshake = OnceLock::new();
    let line = json!({ "id": 0, "result": { "protocolVersion": 1, "agentInfo": { "name": "OpenCode" } } }).to_string();
    let read = Handshake::read(line.as_bytes(), KNOWN, None, &[]).expect("it is the answer");
    handshake.set(read).expect("it is the first");
    Follower::new(Arc::new(handshake))
}

/// A conversation, with the news of each line.
struct Talk(Follower);

impl Talk {
    fn says(&mut self, side: Side, message: &Value) -> Option<(String, News)> {
        let (run, news) = self.0.line(side, message.to_string().as_bytes())?;
        Some((run.own_session.clone(), news))
    }

    fn editor(&mut self, message: &Value) -> Option<News> {
        self.says(Side::Editor, message).map(|(_, news)| news)
    }

    fn agent(&mut self, message: &Value) -> Option<News> {
        self.says(Side::Agent, message).map(|(_, news)| news)
    }

    fn update(&mut self, update: &Value) -> Option<News> {
        self.agent(&json!({ "method": "session/update", "params": { "sessionId": "s", "update": update } }))
    }

    fn asks(&mut self, id: &Value, call: &Value) -> Option<News> {
        let params = json!({ "sessionId": "s", "toolCall": call, "options": [] });
        self.agent(&json!({ "id": id, "method": "session/request_permission", "params": params }))
    }
}

fn prompt(id: u32, session: &str) -> Value {
    let prompt =
        json!([{ "type": "text", "text": "Fix" }, { "type": "image", "data": "" }, { "type": "text", "text": "it" }]);
    json!({ "id": id, "method": "session/prompt", "params": { "sessionId": session, "prompt": prompt } })
}

const WORKED: Option<News> = Some(News::Worked { tool: false });

#[test]
fn a_turn() {
    let mut talk = Talk(follower());
    talk.0.labelled("1".to_owned(), "label".to_owned());
    assert_eq!(
        talk.editor(&json!({ "id": 1, "method": "session/new", "params": { "cwd": "/w", "mcpServers": [] } })),
        None
    );
    assert_eq!(talk.agent(&json!({ "id": 1, "result": { "sessionId": "s" } })), None, "nobody has asked for anything");
    let (run, news) = talk.0.line(Side::Editor, prompt(2, "s").to_string().as_bytes()).expect("a prompt is news");
    assert_eq!(news, News::Prompted("Fix\nit".to_owned()));
    assert_eq!((run.label.as_deref(), run.folder.as_deref()), (Some("label"), Some("/w")));
    assert_eq!(
        talk.update(&json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": "x" } })),
        None
    );
    assert_eq!(talk.agent(&json!({ "id": 2, "result": { "stopReason": "end_turn" } })), Some(News::Rests));
    talk.editor(&prompt(3, "s"));
    let error = json!({ "id": 3, "error": { "code": -32603, "message": "no model" } });
    assert_eq!(talk.agent(&error), Some(News::Failed("no model".to_owned())));
}

#[test]
fn a_turn_that_was_stopped() {
    let mut talk = Talk(follower());
    talk.editor(&prompt(2, "s"));
    assert_eq!(talk.agent(&json!({ "id": 2, "result": { "stopReason": "cancelled" } })), Some(News::Stopped));
}

#[test]
fn the_answer_to_a_prompt_of_ours_ends_a_turn() {
    let mut talk = Talk(follower());
    talk.0.prompted("\"sightline-1\"".to_owned(), "s".to_owned());
    let answer = json!({ "id": "sightline-1", "result": { "stopReason": "end_turn" } });
    assert_eq!(talk.agent(&answer), Some(News::Rests));
    assert_eq!(talk.agent(&answer), None, "it was answered");
}

#[test]
fn two_prompts_are_one_turn_while_either_lasts() {
    let mut talk = Talk(follower());
    for id in [2, 3] {
        talk.editor(&prompt(id, "s"));
    }
    assert_eq!(talk.agent(&json!({ "id": 2, "result": { "stopReason": "cancelled" } })), None);
    assert_eq!(talk.agent(&json!({ "id": 3, "result": { "stopReason": "end_turn" } })), Some(News::Rests));
}

#[test]
fn calls_that_have_ended() {
    let mut talk = Talk(follower());
    for (title, tool) in [("bash", true), ("sightline_todo_write", false), ("todowrite", false)] {
        let call = |kind: &str, status: Value, title: Value| json!({ "sessionUpdate": kind, "toolCallId": "c", "status": status, "title": title });
        assert_eq!(talk.update(&call("tool_call", json!("pending"), json!(title))), None);
        assert_eq!(talk.update(&call("tool_call_update", Value::Null, json!("echo hi"))), None);
        let done = talk.update(&call("tool_call_update", json!("completed"), json!("2 todos")));
        assert_eq!(done, Some(News::Worked { tool }), "{title}");
        assert_eq!(talk.update(&call("tool_call_update", json!("completed"), Value::Null)), None, "said once more");
    }
}

#[test]
fn plans() {
    let mut talk = Talk(follower());
    let entries = vec![json!({ "content": "One", "status": "cancelled", "priority": "high" })];
    assert_eq!(talk.update(&json!({ "sessionUpdate": "plan", "entries": entries })), Some(News::Plan(entries.clone())));
    let plan = json!({ "type": "items", "planId": "p", "entries": entries });
    assert_eq!(talk.update(&json!({ "sessionUpdate": "plan_update", "plan": plan })), Some(News::Plan(entries)));
    let plan = json!({ "type": "markdown", "planId": "p", "content": "- One" });
    assert_eq!(talk.update(&json!({ "sessionUpdate": "plan_update", "plan": plan })), None);
    assert_eq!(talk.update(&json!({ "sessionUpdate": "plan" })), None);
}

#[test]
fn a_question_waits_until_it_is_answered() {
    let mut talk = Talk(follower());
    let waits = |text: &str| Some(News::Waits(text.to_owned()));
    let command = json!({ "command": "echo hi" });
    assert_eq!(
        talk.asks(&json!(0), &json!({ "toolCallId": "a", "title": "Says hi", "rawInput": command })),
        waits("Says hi: echo hi")
    );
    assert_eq!(talk.editor(&json!({ "id": "0", "result": {} })), None, "the id of another question");
    assert_eq!(talk.editor(&json!({ "id": 0, "result": {} })), WORKED);
    assert_eq!(talk.editor(&json!({ "id": 0, "result": {} })), None, "it was answered");

    // Two at once: the session waits until both are answered.
    talk.update(&json!({ "sessionUpdate": "tool_call", "toolCallId": "b", "title": "Edit main.rs" }));
    assert_eq!(talk.asks(&json!("x"), &json!({ "toolCallId": "b" })), waits("Edit main.rs"));
    assert_eq!(
        talk.asks(&json!("y"), &json!({ "toolCallId": "c", "title": "rm -r x", "rawInput": { "command": "rm -r x" } })),
        waits("rm -r x")
    );
    assert_eq!(talk.editor(&json!({ "id": "x", "error": { "code": 1, "message": "no" } })), waits("rm -r x"));
    assert_eq!(talk.editor(&json!({ "id": "y", "result": {} })), WORKED);

    let question = json!({ "sessionId": "s", "mode": "form", "message": "Which branch?" });
    assert_eq!(
        talk.agent(&json!({ "id": 9, "method": "elicitation/create", "params": question })),
        waits("Which branch?")
    );
    talk.editor(&prompt(4, "s"));
    assert_eq!(talk.agent(&json!({ "id": 4, "result": {} })), Some(News::Rests));
    assert_eq!(talk.editor(&json!({ "id": 9, "result": {} })), None, "the turn was over");
}

#[test]
fn a_past_that_is_told_again_is_no_news() {
    let mut talk = Talk(follower());
    let load =
        json!({ "id": 5, "method": "session/load", "params": { "sessionId": "s", "cwd": "/w", "mcpServers": [] } });
    assert_eq!(talk.editor(&load), None);
    let plan = || json!({ "sessionUpdate": "plan", "entries": [{ "content": "Old" }] });
    assert_eq!(talk.update(&plan()), None);
    assert_eq!(talk.agent(&json!({ "id": 5, "result": null })), Some(News::Opened));
    assert!(talk.update(&plan()).is_some());
    let lost = json!({ "id": 6, "method": "session/resume", "params": { "sessionId": "lost", "cwd": "/w" } });
    assert_eq!(talk.editor(&lost), None);
    assert_eq!(talk.agent(&json!({ "id": 6, "error": { "code": -32002, "message": "not found" } })), None);
}

#[test]
fn a_copy_is_a_session_of_its_own() {
    let mut talk = Talk(follower());
    talk.0.labelled("7".to_owned(), "label".to_owned());
    let fork = json!({ "id": 7, "method": "session/fork", "params": { "sessionId": "s", "cwd": "/w" } });
    assert_eq!(talk.editor(&fork), None);
    assert_eq!(talk.agent(&json!({ "id": 7, "result": { "sessionId": "copy" } })), None);
    assert_eq!(talk.0.runs["copy"].label.as_deref(), Some("label"));
    assert!(!talk.0.runs.contains_key("s"));
}

#[test]
fn the_next_news_tells_what_was_used() {
    let mut talk = Talk(follower());
    talk.editor(&json!({ "id": 1, "method": "session/new", "params": { "cwd": "/w" } }));
    let options = json!([
        { "id": "mode", "category": "mode", "currentValue": "code" },
        { "id": "model", "category": "model", "currentValue": "opus" }
    ]);
    talk.agent(&json!({ "id": 1, "result": { "sessionId": "s", "configOptions": options } }));
    let used = |talk: &mut Talk, cost: &Value| {
        talk.update(&json!({ "sessionUpdate": "usage_update", "used": 46_000, "size": 200_000, "cost": cost }))
    };
    assert_eq!(used(&mut talk, &json!({ "amount": 0.42, "currency": "USD" })), None);
    let usage = |talk: &Talk| talk.0.runs["s"].usage.clone().expect("it is known");
    let told = usage(&talk);
    assert_eq!((told.model.as_deref(), told.micro_dollars), (Some("opus"), Some(420_000)));
    assert_eq!((told.context_tokens, told.context_window), (Some(46_000), Some(200_000)));
    assert_eq!(used(&mut talk, &json!({ "amount": 7, "currency": "credits" })), None);
    assert_eq!(usage(&talk), told, "what is no money adds nothing");
    let (run, _) = talk.0.line(Side::Editor, prompt(2, "s").to_string().as_bytes()).expect("news");
    assert_eq!((run.usage.as_ref(), run.folder.as_deref()), (Some(&told), Some("/w")));
}

#[test]
fn a_closed_session_is_over() {
    let mut talk = Talk(follower());
    talk.editor(&prompt(1, "s"));
    for (answer, news) in
        [(json!({ "id": 2, "error": {} }), None), (json!({ "id": 3, "result": {} }), Some(News::Closed))]
    {
        let id = answer["id"].clone();
        assert_eq!(talk.editor(&json!({ "id": id, "method": "session/close", "params": { "sessionId": "s" } })), None);
        assert_eq!(talk.agent(&answer), news);
    }
    assert!(talk.0.runs.is_empty());
}

#[test]
fn everything_else_tells_nothing() {
    let mut talk = Talk(follower());
    for message in [
        json!({ "method": "session/cancel", "params": { "sessionId": "s" } }),
        json!({ "id": 1, "method": "_x/ask", "params": [] }),
        json!({ "id": 1, "method": "session/prompt", "params": { "sessionId": 7 } }),
        json!([{ "id": 1, "method": "session/prompt" }]),
        json!("text"),
        json!({ "id": 99, "result": {} }),
    ] {
        for side in [Side::Editor, Side::Agent] {
            assert_eq!(talk.says(side, &message), None, "{side:?} {message}");
        }
    }
    assert!(talk.0.line(Side::Agent, b"a line of a log\n").is_none());
    assert!(talk.0.line(Side::Agent, b"\xff\xfe\n").is_none());
}

#[test]
fn who_asks_without_end_is_forgotten() {
    let mut talk = Talk(follower());
    for id in 0..3000 {
        talk.asks(&json!(id), &json!({ "toolCallId": id.to_string(), "title": "x" }));
        talk.editor(&prompt(id, &id.to_string()));
    }
    assert!(talk.0.questions.len() <= super::REMEMBERED && talk.0.runs.len() <= super::REMEMBERED);
}
