//! The payloads of its hooks: Claude Code's, but for what is here.

use super::{Copilot, INJECTED};
use crate::HookPayload;
use crate::lean::{self, Budget};
use protocol::{Happened, Result};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The most of an error.
const ERROR: Budget = Budget { values: 16, bytes: 8 * 1024 };

/// Reads a payload.
///
/// # Errors
/// Those of [`HookPayload::read`].
pub(super) fn read(payload: &[u8]) -> Result<HookPayload> {
    let names = ["session_id", "sessionId", "agent_id", "parent_agent_id", "error", "error_context"];
    let asked = asked(payload);
    let payload = asked.as_deref().unwrap_or(payload);
    // A payload that is not JSON is refused below.
    let members = lean::members(payload, names).ok().flatten().unwrap_or_default();
    let [session, other, agent, parent, error, context] = members;
    let mut heard = HookPayload::read(&Copilot, &with_session(payload, [session, other, agent, parent]))?;
    match (heard.happened, heard.text.as_deref()) {
        (Happened::Prompted, Some(prompt)) if is_injected(prompt) => {
            (heard.happened, heard.text) = (Happened::Worked, None);
        }
        // A tool's error is the model's to deal with.
        (Happened::Failed, _) if context.and_then(lean::text).is_none_or(|context| context != "model_call") => {
            (heard.happened, heard.text) = (Happened::Worked, None);
        }
        (Happened::Failed, _) => heard.text = error.and_then(reason),
        (Happened::Ended, Some("error")) => (heard.happened, heard.text) = (Happened::Failed, None),
        _ => {}
    }
    Ok(heard)
}

/// The payload of a request for a permission with the names of the others; it comes with its own.
fn asked(payload: &[u8]) -> Option<Vec<u8>> {
    let names = ["hook_event_name", "hookName", "sessionId", "cwd", "toolName", "toolInput"];
    let [None, Some(name), session, folder, tool, input] = lean::members(payload, names).ok()?? else { return None };
    (lean::text(name)? == "permissionRequest").then(|| {
        let raw = |value: Option<&RawValue>| value.map_or("null", RawValue::get).to_owned();
        let [session, folder, tool, input] = [session, folder, tool, input].map(raw);
        let event = r#""hook_event_name":"PermissionRequest""#;
        format!(r#"{{{event},"session_id":{session},"cwd":{folder},"tool_name":{tool},"tool_input":{input}}}"#)
            .into_bytes()
    })
}

/// Returns whether a prompt is the user's in name only.
pub(super) fn is_injected(prompt: &str) -> bool {
    INJECTED.iter().any(|injected| prompt.trim_start().starts_with(injected))
}

/// The payload with the session of the agent in the place where it is looked for. A subagent names itself there, and a
/// notification has it under another name.
fn with_session<'a>(payload: &'a [u8], members: [Option<&RawValue>; 4]) -> Cow<'a, [u8]> {
    let [session, other, agent, parent] = members;
    let text = |raw: Option<&RawValue>| raw.and_then(lean::text).map(Cow::into_owned);
    let is_subagents = text(session).is_some() && text(session) == text(agent);
    let right = if is_subagents { parent } else { other.filter(|_| session.is_none()) };
    let Some(right) = right else { return Cow::Borrowed(payload) };
    // It has members, so it ends in a brace; and of a member that is there twice the last counts.
    let end = payload.trim_ascii_end().len().saturating_sub(1);
    let added = format!(",\"session_id\":{}}}", right.get());
    Cow::Owned([payload.get(..end).unwrap_or_default(), added.as_bytes()].concat())
}

/// The message of an error, which may be JSON as the model's server sent it.
fn reason(error: &RawValue) -> Option<String> {
    let error = lean::value(error.get().as_bytes(), ERROR).ok()?;
    let message = error.get("message")?.as_str()?;
    let inner = lean::value(message.as_bytes(), ERROR).ok();
    let inner = inner.as_ref().and_then(|inner| inner.get("message")).and_then(Value::as_str);
    Some(inner.unwrap_or(message).trim().to_owned()).filter(|message| !message.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Agent;
    use rstest::rstest;
    use serde_json::json;
    use std::fs;
    use std::path::Path;

    const SESSION: &str = "27844ee3-6403-4515-9cbf-7d28eb3d5fe3";
    const SUBAGENT: &str = "dde0b150-180b-4500-950a-3cbf356af1ed";

    fn heard(payload: &Value) -> HookPayload {
        Copilot.read_hook(payload.to_string().as_bytes()).expect("it is a payload")
    }

    fn recorded() -> Vec<HookPayload> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sources/tests/recordings/copilot/hooks.jsonl");
        let text = fs::read_to_string(path).expect("the recording is there");
        text.lines().map(|line| Copilot.read_hook(line.as_bytes()).expect("it is a payload")).collect()
    }

    /// Those of subagents' starts have no event, and we hear of none.
    #[test]
    fn a_payload_without_an_event_is_refused() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sources/tests/recordings/copilot/hooks.jsonl");
        let text = fs::read_to_string(path).expect("the recording is there");
        assert!(text.lines().all(|line| line.contains("hook_event_name")), "the recording has those that we hear of");
        assert!(Copilot.read_hook(br#"{"sessionId":"s","agentName":"explore"}"#).is_err());
        assert!(Copilot.read_hook(b"[]").is_err());
        assert!(Copilot.read_hook(b"{").is_err());
    }

    #[test]
    fn a_recorded_run_is_heard_as_it_was() {
        let recorded = recorded();
        let story: Vec<String> = recorded
            .iter()
            .map(|heard| {
                let subagent = heard.subagent.as_ref().map_or("", |_| " (subagent)");
                let text = heard.text.as_ref().map_or(String::new(), |text| format!(": {text}"));
                format!("{} {:?}{subagent}{text}", heard.event, heard.happened)
            })
            .collect();
        assert_eq!(
            story,
            [
                "SessionStart Worked",
                "UserPromptSubmit Prompted: Prepare the release. Keep a list of the steps.",
                "PostToolUse Worked",
                "PostToolUse Worked",
                "PostToolUse Worked",
                "PostToolUse Worked",
                "PreToolUse Worked",
                "PostToolUse Worked",
                "UserPromptSubmit Worked (subagent)",
                "PreToolUse Worked (subagent)",
                "PostToolUse Worked (subagent)",
                "Stop Worked (subagent)",
                "SubagentStop Worked (subagent)",
                "PostToolUse Worked",
                "PreToolUse Worked",
                "PostToolUseFailure Worked",
                "PostToolUse Worked",
                "Stop Rests",
                "UserPromptSubmit Worked",
                "Stop Rests",
                "SessionEnd Ended: complete",
                "SessionStart Worked",
                "UserPromptSubmit Prompted: Go on.",
                "ErrorOccurred Failed: bad key",
                "ErrorOccurred Failed: bad key",
                "ErrorOccurred Failed: bad key",
                "SessionEnd Failed",
                "Notification Waits: Use MCP tool: sightline/todo_write",
            ]
        );
        assert!(recorded.iter().all(|heard| heard.session == SESSION), "a subagent's is its agent's");
        assert!(recorded.iter().all(|heard| heard.folder.as_deref() == Some("/home/u/billing")));
        assert!(recorded.iter().flat_map(|heard| &heard.subagent).all(|subagent| subagent == SUBAGENT));
        assert!(recorded.iter().all(|heard| heard.list.is_none()), "the database tells it");
        let calls: Vec<_> = recorded.iter().filter_map(|heard| heard.calls.as_ref()).collect();
        let subagents: Vec<_> = calls.iter().map(|call| call.subagent.as_deref()).collect();
        assert_eq!(subagents, [None, Some(SUBAGENT), None]);
        assert_eq!(calls[1].arguments, json!({"todos": [{"content": "Read the lexer"}]}));
        let others: Vec<_> = recorded.iter().filter(|heard| heard.tool).map(|heard| heard.event.as_str()).collect();
        assert_eq!(others, ["PostToolUse", "PostToolUse"], "a command and a subagent, and no statement");
        let results: Vec<_> = recorded.iter().filter_map(|heard| heard.our_result.as_ref()).collect();
        assert!(results.iter().any(|result| result.to_string().contains("This list is session")), "{results:?}");
    }

    #[rstest]
    #[case("UserPromptSubmit", json!({"prompt": "Go"}), true)]
    #[case("PostToolUse", json!({"tool_name": "Bash"}), true)]
    #[case("PostToolUse", json!({"tool_name": "sql"}), true)]
    #[case("PostToolUse", json!({"tool_name": "sightline-todo_write"}), false)]
    #[case("PostToolUseFailure", json!({"tool_name": "Bash", "error": "no"}), true)]
    #[case("Stop", json!({}), true)]
    #[case("Stop", json!({"agent_id": "run", "parent_agent_id": "above"}), false)]
    #[case("SessionStart", json!({}), false)]
    fn some_events_are_answered(#[case] event: &str, #[case] members: Value, #[case] is_answered: bool) {
        let mut payload = json!({"hook_event_name": event, "session_id": "run", "cwd": "/home/u"});
        payload.as_object_mut().expect("an object").extend(members.as_object().expect("an object").clone());
        assert_eq!(heard(&payload).adds_context, is_answered);
    }

    #[test]
    fn the_reason_of_a_turn_that_goes_on_is_no_prompt() {
        let answer = Copilot.hook_goes_on("Stop", "The user says: Tag it, too");
        let prompt = json!({"hook_event_name": "UserPromptSubmit", "session_id": "run", "prompt": answer["reason"]});
        assert_eq!((heard(&prompt).happened, heard(&prompt).text), (Happened::Worked, None));
    }

    #[rstest]
    #[case(json!({"error": {"message": "no network"}, "error_context": "model_call"}), Happened::Failed, Some("no network"))]
    #[case(json!({"error": "no network", "error_context": "model_call"}), Happened::Failed, None)]
    #[case(json!({"error": {"message": "no file"}, "error_context": "tool_execution"}), Happened::Worked, None)]
    #[case(json!({}), Happened::Worked, None)]
    fn only_a_models_error_is_a_failure(
        #[case] members: Value,
        #[case] happened: Happened,
        #[case] text: Option<&str>,
    ) {
        let mut payload = json!({"hook_event_name": "ErrorOccurred", "session_id": "run"});
        payload.as_object_mut().expect("an object").extend(members.as_object().expect("an object").clone());
        assert_eq!((heard(&payload).happened, heard(&payload).text.as_deref()), (happened, text));
    }

    /// Of a subagent's subagent the agent is not known.
    #[rstest]
    #[case(json!({"session_id": "a", "agent_id": "a", "parent_agent_id": "run"}), "run")]
    #[case(json!({"session_id": "run", "agent_id": "a", "parent_agent_id": "run"}), "run")]
    #[case(json!({"session_id": "a", "agent_id": "a"}), "a")]
    #[case(json!({"sessionId": "run"}), "run")]
    #[case(json!({"session_id": "run", "sessionId": "other"}), "run")]
    fn the_session_is_the_agents(#[case] mut payload: Value, #[case] session: &str) {
        payload["hook_event_name"] = json!("PreToolUse");
        assert_eq!(heard(&payload).session, session);
    }
}
