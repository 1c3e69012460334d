//! Every request has the class and the properties that those who answer and repeat it go by.

use super::{Asker, Class};
use crate::{AgentIdentity, Caller, Code, Done, Edited, Reply, Request, Rights, Transport};
use serde_json::{Value, json};

const SLOW: [&str; 23] = [
    "agents.list",
    "agents.plan",
    "agents.apply",
    "agents.test",
    "agents.test.cancel",
    "demo.start",
    "gateway.open",
    "hosts.key",
    "hosts.test",
    "import.start",
    "import.cancel",
    "session.open",
    "session.raise",
    "session.continue",
    "agents.start",
    "session.resume",
    "permission.ask",
    "chat.models",
    "chat.test",
    "chat.tools",
    "vault.keys.list",
    "vault.keys.set",
    "vault.keys.delete",
];

const EDITS: [&str; 13] = [
    "todo.add",
    "todo.delete",
    "todo.clear",
    "todo.setStatus",
    "todo.edit",
    "todo.move",
    "todo.indent",
    "todo.undo",
    "todo.restore",
    "todo.archive",
    "note.send",
    "edit.insist",
    "session.load",
];

const NOT_TWICE: [&str; 21] = [
    "todo.command",
    "agents.apply",
    "agents.test",
    "demo.start",
    "edit.discard",
    "hosts.add",
    "hosts.remove",
    "session.delete",
    "list.delete",
    "session.open",
    "session.continue",
    "agents.start",
    "later.add",
    "later.delete",
    "permission.ask",
    "permission.answer",
    "rule.new",
    "key.code",
    "key.new",
    "key.revoke",
    "key.renew",
];

const FOR_AGENTS: [&str; 11] = [
    "hello",
    "events.subscribe",
    "todo.write",
    "todo.read",
    "todo.manage",
    "todo.delivered",
    "todo.observe",
    "session.get",
    "session.report",
    "permission.ask",
    "session.leave",
];

/// A request of that type, with a value for each field that one has to have.
fn sample(kind: &str) -> Request {
    let mut fields = json!({
        "sessionId": "s", "uid": "u", "todos": [], "edits": [], "action": "list", "content": "c", "status": "completed",
        "to": "1", "text": "t", "line": "show", "query": "q", "needId": "n", "tool": "update_plan", "agent": "codex",
        "change": "connect", "planId": "p", "requestId": "r", "toolCallId": "c", "approved": true, "decision": "proceed",
        "model": "ollama:llama3.2", "provider": "openai", "key": "k", "listId": "l", "name": "n", "keyId": "i", "accept": true, "written": [],
        "permissionId": "p", "ruleId": "r", "allow": true, "calls": { "kind": "tool" }, "input": "{}",
        "laterId": "l", "folder": "/f", "task": "t", "revision": 1, "command": ["c"], "edit": {},
    });
    match kind {
        "hello" => fields["agent"] = Value::Null,
        "gateway.open" => fields["what"] = "page".into(),
        "session.open" => fields["with"] = "folder".into(),
        "later.edit" => fields["to"] = 1.into(),
        "session.report" => (fields["tool"], fields["calls"]) = (true.into(), Value::Null),
        _ => {}
    }
    Request::read(kind, fields).unwrap_or_else(|error| panic!("{kind}: {error}"))
}

fn samples() -> impl Iterator<Item = (&'static str, Request)> {
    Request::TYPES.iter().map(|kind| (*kind, sample(kind)))
}

fn types_of(mut belongs: impl FnMut(&Request) -> bool) -> Vec<&'static str> {
    samples().filter(|(_, request)| belongs(request)).map(|(kind, _)| kind).collect()
}

fn same(found: &[&str], wanted: &[&str]) {
    let sorted = |types: &[&str]| {
        let mut types: Vec<String> = types.iter().map(|kind| (*kind).to_owned()).collect();
        types.sort();
        types
    };
    assert_eq!(sorted(found), sorted(wanted));
}

#[test]
fn what_may_take_long_is_about_the_computer_or_the_models() {
    same(&types_of(Request::is_slow), &SLOW);
    same(&types_of(|request| request.class() == Class::Computer), &SLOW[..16]);
    same(&types_of(|request| request.class() == Class::Permission), &SLOW[16..17]);
    same(&types_of(|request| request.class() == Class::Models), &SLOW[17..]);
}

#[test]
fn what_does_more_when_it_is_sent_twice_is_not_sent_twice() {
    same(&types_of(|request| !request.may_repeat()), &[EDITS.as_slice(), &NOT_TWICE].concat());
}

#[test]
fn an_action_is_repeated_unless_it_adds() {
    for (action, may_repeat) in [
        ("list", true),
        ("next", true),
        ("complete_multiple", true),
        ("skip", true),
        ("replace_all", true),
        ("add_multiple", false),
        ("add_after_position", false),
    ] {
        let request = Request::read("todo.manage", json!({ "action": action })).expect(action);
        assert_eq!(request.may_repeat(), may_repeat, "{action}");
    }
}

#[test]
fn agents_send_what_their_tools_and_hooks_need() {
    same(&types_of(|request| request.asker() == Asker::Agent), &FOR_AGENTS);
}

#[test]
fn a_request_beyond_the_rights_is_refused_with_the_right_that_it_needs() {
    let person = |rights| Caller::user(Transport::Websocket, "c").with(rights);
    for (kind, request) in samples() {
        for rights in Rights::ALL {
            let Err(refusal) = person(rights).may(&request) else {
                assert!(rights >= request.least(), "{kind}");
                continue;
            };
            assert!(rights < request.least(), "{kind}");
            assert_eq!(refusal.code, Code::Unauthorized);
            assert!(refusal.message.contains(request.least().word()), "{}", refusal.message);
            assert!(refusal.message.contains("sightline key new"), "{}", refusal.message);
        }
        let agent = Caller::agent(Transport::Mcp, "c", AgentIdentity::default());
        assert_eq!(agent.may(&request).is_ok(), FOR_AGENTS.contains(&kind), "{kind}");
    }
}

#[test]
fn approvals_need_answer_and_keys_administer() {
    let answers = [
        "tool.approval.response",
        "preflight.approval",
        "permission.answer",
        "rule.new",
        "rule.edit",
        "rule.delete",
        "session.continue",
        "agents.start",
    ];
    same(&types_of(|request| request.least() == Rights::Answer), &answers);
    same(
        &types_of(|request| request.least() == Rights::Administer),
        &["vault.keys.set", "vault.keys.delete", "key.confirm", "hosts.confirm", "gateway.open"],
    );
}

#[test]
fn settings_are_judged_by_those_that_are_named() {
    for (settings, least) in [
        (json!({}), Rights::Edit),
        (json!({ "keepDays": 3, "notifyNeeds": false, "chatModel": "ollama:m" }), Rights::Edit),
        (json!({ "terminal": "xterm" }), Rights::Administer),
        (json!({ "editor": "" }), Rights::Administer),
        (json!({ "keepDays": 3, "chatServers": [] }), Rights::Administer),
        (json!({ "chatProviders": [] }), Rights::Administer),
        (json!({ "chatTools": {} }), Rights::Administer),
        (json!({ "chatToolDigests": {} }), Rights::Administer),
        (json!({ "chatOtherTools": "auto" }), Rights::Administer),
    ] {
        let request = Request::read("settings.update", settings.clone()).expect("well formed");
        assert_eq!(request.least(), least, "{settings}");
    }
}

#[test]
fn an_edit_is_answered_with_what_it_made_of_the_list_and_nothing_else_is() {
    let edited = Edited {
        session_id: "s".to_owned(),
        revision: 1,
        todos: Vec::new(),
        edit_id: "e".to_owned(),
        message: String::new(),
        text: None,
        remarks: Vec::new(),
        remark_texts: Vec::new(),
    };
    same(&types_of(|request| request.edited(edited.clone()).is_some()), &EDITS);
    same(&types_of(|request| matches!(request.class(), Class::Edit | Class::ItemEdit)), &EDITS);
    for (kind, request) in samples() {
        let Some(reply) = request.edited(edited.clone()) else { continue };
        assert_eq!(serde_json::to_value(&reply).expect("JSON")["type"], format!("{kind}.result"));
        assert_eq!(reply.into_edited(), Some(edited.clone()), "{kind}");
    }
    assert_eq!(Reply::TodoDelivered(Done {}).into_edited(), None);
}

#[test]
fn an_edit_is_put_into_a_session_and_nothing_else_is() {
    let session_of = |request: &Request| serde_json::to_value(request).expect("JSON")["sessionId"].clone();
    for (kind, request) in samples() {
        let before = session_of(&request);
        let wanted = if EDITS.contains(&kind) { Value::from("elsewhere") } else { before };
        assert_eq!(session_of(&request.in_session("elsewhere")), wanted, "{kind}");
    }
}

#[test]
fn the_item_that_an_edit_names_is_known() {
    same(
        &types_of(|request| request.named_item() == Some(("s", "u"))),
        &["todo.delete", "todo.setStatus", "todo.edit", "todo.move", "todo.indent"],
    );
    let by_position = Request::read("todo.delete", json!({ "sessionId": "s", "position": "2" })).expect("well formed");
    assert_eq!(by_position.named_item(), None);
}
