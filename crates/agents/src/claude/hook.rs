//! A hook's payload, where Claude Code says more in it than the agents that took over its form.

use super::Claude;
use super::transcript::is_injected;
use crate::HookPayload;
use crate::asking::{self, AskedCall};
use crate::lean::{self, Budget};
use protocol::{Happened, PERMISSION_INPUT_BYTES, PermissionDecided, Question, QuestionOption, Result};
use serde_json::{Map, Value};

/// The most of a question or of the tasks in the background: each can have a whole command in it.
const PART: Budget = Budget { values: 512, bytes: 16 * 1024 };

/// The most of a call's input that asks the user something.
const QUESTIONS: Budget = Budget { values: 2_048, bytes: PERMISSION_INPUT_BYTES };

/// Its tool that asks the user something.
const ASKS_USER: &str = "AskUserQuestion";

/// Reads a payload.
///
/// # Errors
/// See [`HookPayload::read`].
pub(super) fn read(payload: &[u8]) -> Result<HookPayload> {
    let mut read = HookPayload::read(&Claude, payload)?;
    match read.event.as_str() {
        // The result of a subagent that worked in the background comes as a prompt, which is none of the user's.
        "UserPromptSubmit" if read.text.as_deref().is_some_and(is_injected) => {
            (read.happened, read.text) = (Happened::Worked, None);
        }
        // It goes on by itself as soon as the subagent has ended, and hears of edits then.
        "Stop" if has_subagent(payload) => (read.happened, read.adds_context) = (Happened::Worked, false),
        "PermissionRequest" => read.text = question(payload).or(read.text),
        _ => {}
    }
    // The answers are in the input then.
    if let Some(done) = read.done.as_mut().filter(|done| done.tool == ASKS_USER) {
        done.input = None;
    }
    Ok(read)
}

/// The questions of a call.
pub(super) fn questions(tool: &str, input: &str) -> Option<Vec<Question>> {
    if tool != ASKS_USER {
        return Some(Vec::new());
    }
    let input = lean::value(input.as_bytes(), QUESTIONS).ok()?;
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let option =
        |value: &Value| Some(QuestionOption { label: text(value, "label")?, description: text(value, "description") });
    let question = |value: &Value| {
        Some(Question {
            text: text(value, "question")?,
            header: text(value, "header"),
            options: value.get("options")?.as_array()?.iter().map(option).collect::<Option<_>>()?,
            multiple: value.get("multiSelect").and_then(Value::as_bool).unwrap_or_default(),
        })
    };
    let questions: Vec<Question> = input.get("questions")?.as_array()?.iter().map(question).collect::<Option<_>>()?;
    Some(questions).filter(|questions| !questions.is_empty())
}

/// The answer to `PermissionRequest`. Questions are answered by an input that has the answers in it, too.
pub(super) fn decision(event: &str, asked: &AskedCall, decided: &PermissionDecided) -> Option<Value> {
    if asked.questions.is_empty() || decided.allowed != Some(true) {
        return asking::decision(event, decided, Map::new());
    }
    if decided.answers.len() != asked.questions.len() {
        return None;
    }
    let mut input = lean::value(asked.input.as_bytes(), QUESTIONS).ok()?;
    let answers = asked.questions.iter().zip(&decided.answers);
    let answers: Map<String, Value> =
        answers.map(|(question, chosen)| (question.text.clone(), chosen.join(", ").into())).collect();
    input.as_object_mut()?.insert("answers".to_owned(), answers.into());
    asking::decision(event, decided, Map::from_iter([("updatedInput".to_owned(), input)]))
}

/// Returns whether a subagent of a turn that ends works on in the background.
fn has_subagent(payload: &[u8]) -> bool {
    let is_one = |task: &Value| task["type"] == "subagent" && task["status"] == "running";
    part(payload, "background_tasks").as_array().is_some_and(|tasks| tasks.iter().any(is_one))
}

/// The first question that the user is asked to answer. `None` for a request to approve a tool's call.
fn question(payload: &[u8]) -> Option<String> {
    let questions = part(payload, "tool_input").get("questions").cloned()?;
    questions.get(0)?.get("question")?.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

fn part(payload: &[u8], name: &str) -> Value {
    let Ok(Some([Some(member)])) = lean::members(payload, [name]) else { return Value::Null };
    lean::value(member.get().as_bytes(), PART).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Agent;
    use rstest::rstest;
    use serde_json::json;

    fn heard(event: &str, mut more: Value) -> HookPayload {
        more["session_id"] = json!("own-1");
        more["hook_event_name"] = json!(event);
        Claude.read_hook(more.to_string().as_bytes()).expect("it is a payload")
    }

    #[rstest]
    #[case::of_the_user("Go on.", Happened::Prompted, Some("Go on."))]
    #[case::of_a_subagent("<task-notification>\n<task-id>ae0110f2</task-id>", Happened::Worked, None)]
    fn a_prompt_is_the_users(#[case] prompt: &str, #[case] happened: Happened, #[case] text: Option<&str>) {
        let heard = heard("UserPromptSubmit", json!({ "prompt": prompt }));
        assert_eq!((heard.happened, heard.text.as_deref()), (happened, text));
        assert!(heard.adds_context, "the model reads what is added to either");
    }

    #[rstest]
    #[case::nothing(json!([]), Happened::Rests)]
    #[case::a_server_of_the_projects(json!([{"type": "shell", "status": "running"}]), Happened::Rests)]
    #[case::a_subagent(json!([{"type": "subagent", "status": "running"}]), Happened::Worked)]
    #[case::one_that_is_done(json!([{"type": "subagent", "status": "completed"}]), Happened::Rests)]
    fn a_turn_ends_where_no_subagent_works_on(#[case] tasks: Value, #[case] happened: Happened) {
        let heard = heard("Stop", json!({ "stop_hook_active": false, "background_tasks": tasks }));
        assert_eq!((heard.happened, heard.adds_context), (happened, happened == Happened::Rests));
    }

    #[rstest]
    #[case::a_call(json!({"tool_name": "Bash", "tool_input": {"command": "ls"}}), "approval: Bash")]
    #[case::a_question(
        json!({"tool_name": "AskUserQuestion", "tool_input": {"questions": [{"question": "Which one?"}]}}),
        "Which one?"
    )]
    #[case::an_odd_one(json!({"tool_name": "AskUserQuestion", "tool_input": {"questions": [7]}}), "approval: AskUserQuestion")]
    fn it_says_what_the_user_is_asked(#[case] asked: Value, #[case] text: &str) {
        let heard = heard("PermissionRequest", asked);
        assert_eq!((heard.happened, heard.text.as_deref()), (Happened::Waits, Some(text)));
    }

    /// Runs of 2.1.330: one with tasks, one with a subagent in the background, one in which the user is asked.
    #[test]
    fn what_its_hooks_sent_is_understood() {
        let recorded = include_str!("../../../sources/tests/recordings/claude/hooks.jsonl");
        let heard = |line: &str| Claude.read_hook(line.as_bytes()).expect("it is a payload");
        let heard = recorded.lines().map(heard).collect::<Vec<_>>();
        let of = |happened| heard.iter().filter(move |one| one.happened == happened).map(|one| one.text.as_deref());
        assert_eq!(of(Happened::Prompted).collect::<Vec<_>>(), [Some("Prepare the release.")]);
        let waits = of(Happened::Waits).flatten().collect::<Vec<_>>();
        let approval = "Claude needs your permission";
        let idle = "Claude is waiting for your input";
        let asked = ["approval: Bash", approval, "approval: Bash", "Which one?", approval];
        assert_eq!(waits, [&asked[..], &["approval: mcp__sightline__todo_write", idle]].concat());
        assert_eq!(of(Happened::Rests).count(), 3);
        assert_eq!(of(Happened::Ended).collect::<Vec<_>>(), [Some("other")]);
        let lists = heard.iter().filter_map(|one| one.list.as_ref()).collect::<Vec<_>>();
        assert_eq!(lists.len(), 7, "each call that changed a task is a part of the list");
        assert!(lists.iter().all(|list| list.merge));
        assert_eq!(lists[4].todos, json!([{"id": "2", "status": "in_progress", "owner": "me"}]));
        let calls = heard.iter().filter_map(|one| Some((one.calls.as_ref()?, one.subagent.as_deref())));
        let calls = calls.map(|(call, subagent)| (call.id.as_deref(), call.subagent.as_deref(), subagent));
        let id = Some("toolu_GUJFgYeRsbW0Rgs3");
        let subagent = Some("ae0110f23c55c7d97");
        assert_eq!(calls.collect::<Vec<_>>(), [(id, subagent, subagent)]);
    }

    #[test]
    fn the_end_of_a_turn_is_put_off_by_added_context() {
        let answer = Claude.hook_answer("Stop", "The user tells you: tag it");
        assert_eq!(answer, Claude.hook_context("Stop", "The user tells you: tag it"));
    }
}
