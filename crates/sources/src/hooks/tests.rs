use super::{Answer, HookProcess, hear, hooked, report};
use agents::{Agent, HookPayload, KNOWN};
use protocol::{
    Backend, BoxFuture, Caller, Code, EditKind, EditState, EditView, OwnReported, Reply, Request, Result,
    SessionReported, Subscription, TodoObserve,
};
use rstest::rstest;
use serde_json::{Value, json};
use std::sync::Mutex;

const CLAUDE: &dyn Agent = &agents::claude::Claude;
const CODEX: &dyn Agent = &agents::codex::Codex;
const GEMINI: &dyn Agent = &agents::gemini::Gemini;
const QWEN: &dyn Agent = &agents::qwen::Qwen;

const OURS: &str = "0199aa11-2b3c-7d4e-8f50-123456789abc";
const SECRET: &str = "0123456789abcdef0123456789abcdef";

fn payload(event: &str, more: &Value) -> Value {
    let mut payload = json!({
        "session_id": "own-1", "transcript_path": "/home/me/t.jsonl", "cwd": "/home/me/billing", "hook_event_name": event,
    });
    let fields = payload.as_object_mut().expect("an object");
    fields.extend(more.as_object().expect("an object").clone());
    payload
}

fn read(agent: &'static dyn Agent, event: &str, more: &Value) -> HookPayload {
    agent.read_hook(payload(event, more).to_string().as_bytes()).expect("it is a payload")
}

#[rstest]
#[case(CLAUDE, "PostToolUse", json!({"tool_name": "Bash"}), true)]
#[case(CLAUDE, "PostToolUseFailure", json!({"tool_name": "Bash", "error": "no"}), true)]
#[case(CLAUDE, "UserPromptSubmit", json!({"prompt": "go on"}), true)]
#[case(CLAUDE, "PostToolUse", json!({"tool_name": "Bash", "agent_id": "sub-1"}), false)]
#[case(CLAUDE, "PostToolUse", json!({"tool_name": "mcp__sightline__todo_write"}), false)]
#[case(CLAUDE, "PreToolUse", json!({"tool_name": "Bash"}), false)]
#[case(CLAUDE, "Stop", json!({"stop_hook_active": false}), true)]
#[case(CLAUDE, "SessionStart", json!({"source": "startup"}), false)]
#[case(CLAUDE, "Notification", json!({"message": "waits"}), false)]
#[case(CLAUDE, "AfterTool", json!({"tool_name": "Bash"}), false)]
#[case(CODEX, "PostToolUse", json!({"tool_name": "update_plan"}), true)]
#[case(CODEX, "PostToolUseFailure", json!({"tool_name": "Bash"}), false)]
#[case(CODEX, "UserPromptSubmit", json!({"prompt": "go"}), true)]
#[case(CODEX, "Stop", json!({}), true)]
#[case(CODEX, "Stop", json!({"agent_id": "sub-1"}), false)]
#[case(GEMINI, "AfterTool", json!({"tool_name": "read_file", "tool_response": {"llmContent": "x"}}), true)]
#[case(GEMINI, "AfterTool", json!({"tool_name": "x", "tool_response": {"error": {"message": "no"}}}), false)]
#[case(GEMINI, "AfterTool", json!({"tool_name": "mcp_sightline_todo_read", "tool_response": {}}), false)]
#[case(GEMINI, "BeforeAgent", json!({"prompt": "go"}), true)]
#[case(GEMINI, "AfterAgent", json!({}), true)]
#[case(GEMINI, "PostToolUse", json!({"tool_name": "x"}), false)]
#[case(QWEN, "PostToolUse", json!({"tool_name": "todo_write"}), true)]
#[case(QWEN, "UserPromptSubmit", json!({"prompt": ""}), true)]
#[case(QWEN, "PostToolUseFailure", json!({"tool_name": "x"}), true)]
#[case(QWEN, "TodoCreated", json!({"todo_id": "1"}), false)]
fn context_is_added_where_the_model_reads_it(
    #[case] agent: &'static dyn Agent,
    #[case] event: &str,
    #[case] more: Value,
    #[case] listens: bool,
) {
    assert_eq!(read(agent, event, &more).adds_context, listens, "{event} {more}");
}

#[rstest]
// Each agent wraps a result in its own way.
#[case(json!({"content": [{"type": "text", "text": format!("Updated\nThis list is session {OURS}, proof {SECRET}.")}]}))]
#[case(json!({"llmContent": [{"text": format!("<untrusted_context>\nThis list is session {OURS}, proof {SECRET}.\n</untrusted_context>")}]}))]
#[case(json!(format!("Wall time: 0.1 Output:\n{{\"text\":\"This list is session {OURS}, proof {SECRET}.\"}}")))]
fn our_results_say_which_session_it_is(#[case] response: Value) {
    let ours = json!({"tool_name": "mcp_sightline_todo_write", "tool_response": response});
    assert_eq!(report(&read(GEMINI, "AfterTool", &ours)).proof.as_deref(), Some(SECRET));
    let foreign = json!({"tool_name": "read_file", "tool_response": response});
    assert_eq!(report(&read(GEMINI, "AfterTool", &foreign)).proof, None, "a file may say anything");
}

#[rstest]
#[case(json!(null))]
#[case(json!("text"))]
#[case(json!([1]))]
#[case(json!({}))]
#[case(json!({"session_id": "x"}))]
#[case(json!({"hook_event_name": "Stop"}))]
#[case(json!({"session_id": 7, "hook_event_name": "Stop"}))]
#[case(json!({"session_id": "", "hook_event_name": "Stop"}))]
#[case(json!({"session_id": "a\nb", "hook_event_name": "Stop"}))]
#[case(json!({"session_id": "x".repeat(201), "hook_event_name": "Stop"}))]
fn what_is_no_payload_is_said(#[case] payload: Value) {
    let error = CODEX.read_hook(payload.to_string().as_bytes()).expect_err("it is none");
    assert_eq!(error.code, Code::InvalidMessage);
    assert!(error.message.starts_with("this is no hook payload of codex: it has no \""), "{}", error.message);
}

#[test]
fn agents_are_named() {
    for agent in KNOWN.hooked() {
        assert_eq!(hooked(KNOWN, agent.name()), Ok(agent));
    }
    let error = hooked(KNOWN, "heron\u{1b}[0m").expect_err("there is no such");
    let known = "claude, copilot, codex, opencode, cline, kilo, kimi, vibe, pi, gemini, qwen";
    assert_eq!(error.message, format!("no hooks are known of \"heron[0m\"; there are {known}"));
}

#[rstest]
#[case(CODEX, include_str!("../../tests/recordings/codex/hooks.jsonl"), "update_plan")]
#[case(GEMINI, include_str!("../../tests/recordings/gemini/hooks.jsonl"), "write_todos")]
#[case(QWEN, include_str!("../../tests/recordings/qwen/hooks.jsonl"), "todo_write")]
fn recorded_hooks_carry_the_agents_own_list(
    #[case] agent: &'static dyn Agent,
    #[case] recorded: &str,
    #[case] tool: &str,
) {
    let lists: Vec<TodoObserve> =
        recorded.lines().filter_map(|line| agent.read_hook(line.as_bytes()).expect("a payload").list).collect();
    assert!(lists.len() >= 6, "the story has six lists, these are {}", lists.len());
    for list in &lists {
        assert_eq!((list.tool.as_str(), list.merge, list.at), (tool, false, None));
        assert!(list.todos.as_array().is_some_and(|items| items.iter().all(|item| item["content"].is_string())));
    }
}

#[rstest]
#[case("PostToolUse", json!({"tool_name": "TodoWrite", "tool_input": {"todos": [{"content": "A"}]}}), Some(false))]
#[case("PostToolUse", json!({"tool_name": "TaskUpdate", "tool_input": {"taskId": "3", "status": "deleted"}}), Some(true))]
#[case("PreToolUse", json!({"tool_name": "TodoWrite", "tool_input": {"todos": []}}), None)]
#[case("PostToolUse", json!({"tool_name": "Bash", "tool_input": {"todos": []}}), None)]
#[case("PostToolUse", json!({"tool_name": "mcp__sightline__todo_write", "tool_input": {"todos": []}}), None)]
#[case("PostToolUse", json!({"tool_name": "TodoWrite", "tool_input": "odd"}), None)]
fn a_call_of_its_own_tool_is_a_list_and_no_other_work(
    #[case] event: &str,
    #[case] more: Value,
    #[case] part: Option<bool>,
) {
    let read = read(CLAUDE, event, &more);
    assert_eq!(read.list.as_ref().map(|list| list.merge), part, "{more}");
    let works = event == "PostToolUse" && more["tool_name"] == "Bash";
    assert_eq!(read.tool, works, "{more}");
}

#[test]
fn calls_of_our_tools_are_announced() {
    let call = json!({"tool_name": "mcp__sightline__todo_write", "tool_input": {"todos": [1]}, "agent_id": "sub"});
    let announced = read(CLAUDE, "PreToolUse", &call).calls.expect("a call");
    assert_eq!((announced.subagent.as_deref(), announced.arguments), (Some("sub"), json!({"todos": [1]})));
    let call = json!({"tool_name": "mcp__sightline__todo_write", "tool_input": {}, "tool_use_id": "toolu_1"});
    let announced = read(CLAUDE, "PreToolUse", &call).calls.expect("a call");
    assert_eq!((announced.subagent, announced.id.as_deref()), (None, Some("toolu_1")));
    for (event, more) in
        [("PostToolUse", call), ("PreToolUse", json!({"tool_name": "Bash", "tool_input": {}, "agent_id": "sub"}))]
    {
        assert_eq!(read(CLAUDE, event, &more).calls, None, "{event} {more}");
    }
}

/// Answers every report with these, and keeps what it was asked.
struct Desk {
    edits: Vec<EditView>,
    own: Option<OwnReported>,
    asked: Mutex<Vec<Request>>,
}

impl Backend for Desk {
    fn call(&self, _caller: Caller, request: Request) -> BoxFuture<Result<Reply>> {
        self.asked.lock().expect("nobody panicked").push(request.clone());
        let reply = match request {
            Request::SessionReport(_) => Reply::SessionReport(SessionReported {
                session_id: Some(OURS.to_owned()),
                edits: self.edits.clone(),
                todos: Vec::new(),
                own: self.own.clone(),
                agent: None,
            }),
            _ => Reply::TodoDelivered(protocol::Done {}),
        };
        Box::pin(std::future::ready(Ok(reply)))
    }

    fn subscribe(&self, _since: Option<String>) -> BoxFuture<Result<Subscription>> {
        unreachable!("a hook asks and goes")
    }
}

fn note(text: &str) -> EditView {
    EditView {
        edit_id: "e1".to_owned(),
        kind: EditKind::Note,
        uid: None,
        text: text.to_owned(),
        detail: None,
        detail_text: None,
        state: EditState::Queued,
        at: jiff::Timestamp::UNIX_EPOCH,
        delivered_at: None,
        tool_call: None,
        insisted: false,
        client: "me".to_owned(),
    }
}

async fn heard(desk: &Desk) -> Option<Answer> {
    let payload = payload("AfterTool", &json!({"tool_name": "read_file", "tool_response": {}}));
    let heard = GEMINI.read_hook(payload.to_string().as_bytes()).expect("a payload");
    hear(desk, GEMINI, heard, HookProcess::default()).await.expect("it is heard")
}

#[tokio::test]
async fn the_answer_is_one_object_of_one_key_and_counts_when_it_was_sent() {
    let desk = Desk { edits: vec![note("say \"hi\"\nto them")], own: None, asked: Mutex::default() };
    let answer = heard(&desk).await.expect("there is something to tell");
    let body: Value = serde_json::from_str(&answer.body).expect("it is JSON");
    // Codex refuses an answer with any other key.
    assert_eq!(
        body,
        json!({"hookSpecificOutput": {"hookEventName": "AfterTool", "additionalContext": "The user tells you: say \"hi\" to them"}})
    );
    assert_eq!(desk.asked.lock().expect("nobody panicked").len(), 1, "nothing is noted before it was sent");
    answer.sent(&desk).await.expect("it is noted");
    let last = desk.asked.lock().expect("nobody panicked").pop();
    let Some(Request::TodoDelivered(noted)) = last else { panic!("a delivery is noted") };
    assert_eq!((noted.edits.as_slice(), noted.revision), (["e1".to_owned()].as_slice(), None));
    assert_eq!(noted.tool_call.as_deref(), Some("hook AfterTool"));
}

#[tokio::test]
async fn with_nothing_to_tell_nothing_is_said() {
    let desk = Desk { edits: Vec::new(), own: None, asked: Mutex::default() };
    assert_eq!(heard(&desk).await, None);
}

#[tokio::test]
async fn both_lists_are_told_at_once_and_each_is_noted() {
    let own = OwnReported {
        session_id: "own".to_owned(),
        tool: "write_todos".to_owned(),
        edits: vec![EditView { edit_id: "e2".to_owned(), ..note("and this") }],
        todos: Vec::new(),
    };
    let desk = Desk { edits: vec![note("do that")], own: Some(own), asked: Mutex::default() };
    let answer = heard(&desk).await.expect("there is something to tell");
    assert!(answer.body.contains("do that") && answer.body.contains("and this"), "{}", answer.body);
    answer.sent(&desk).await.expect("it is noted");
    let asked = desk.asked.into_inner().expect("nobody panicked");
    let noted = asked.iter().filter_map(|asked| match asked {
        Request::TodoDelivered(noted) => Some((noted.session_id.as_str(), noted.edits.join(","))),
        _ => None,
    });
    assert_eq!(noted.collect::<Vec<_>>(), [(OURS, "e1".to_owned()), ("own", "e2".to_owned())]);
}
