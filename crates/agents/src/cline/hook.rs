//! The payloads of its hooks, which have members of their own.

use super::Cline;
use crate::HookPayload;
use crate::lean;
use protocol::{Happened, Result};
use serde::Serialize;
use serde_json::value::RawValue;

/// A payload with Claude Code's members.
#[derive(Serialize, Default)]
struct Payload<'a> {
    hook_event_name: Option<&'a str>,
    session_id: Option<&'a RawValue>,
    cwd: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_id: Option<&'a RawValue>,
    tool_name: Option<&'a RawValue>,
    tool_input: Option<&'a RawValue>,
    tool_response: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
}

/// Reads a payload.
///
/// # Errors
/// Those of [`HookPayload::read`].
pub(super) fn read(payload: &[u8]) -> Result<HookPayload> {
    let names = [
        "hookName",
        "sessionContext",
        "workspaceRoots",
        "agent_id",
        "parent_agent_id",
        "tool_call",
        "tool_result",
        "error",
    ];
    let Some(members) = lean::members(payload, names).ok().flatten() else {
        // It is no payload, and is refused as such.
        return HookPayload::read(&Cline, payload);
    };
    let [name, context, roots, agent, parent, call, result, error] = members;
    let name = name.and_then(lean::text);
    let [tool_name, tool_input, tool_response] = within(result.or(call), ["name", "input", "output"]);
    let is_subagents = parent.and_then(lean::text).is_some();
    let roots: Vec<&RawValue> = roots.and_then(|roots| serde_json::from_str(roots.get()).ok()).unwrap_or_default();
    let [message] = within(error, ["message"]);
    let [session_id] = within(context, ["rootSessionId"]);
    let ours = Payload {
        hook_event_name: name.as_deref().map(event),
        session_id,
        cwd: roots.first().copied(),
        agent_id: agent.filter(|_| is_subagents),
        tool_name,
        tool_input,
        tool_response,
        error: message,
    };
    let ours = serde_json::to_vec(&ours).unwrap_or_default();
    let mut heard = HookPayload::read(&Cline, &ours)?;
    if heard.event == "TaskStart" && heard.subagent.is_none() {
        // It does not say the prompt, which is in the session's file.
        heard.happened = Happened::Prompted;
    }
    Ok(heard)
}

/// The name of an event as its hook's file has it.
fn event(name: &str) -> &str {
    match name {
        "agent_start" | "agent_resume" => "TaskStart",
        "tool_call" => "PreToolUse",
        "tool_result" => "PostToolUse",
        "agent_end" => "TaskComplete",
        "agent_error" => "TaskError",
        "session_shutdown" => "SessionShutdown",
        other => other,
    }
}

/// The members of these names in an object.
fn within<'a, const N: usize>(object: Option<&'a RawValue>, names: [&str; N]) -> [Option<&'a RawValue>; N] {
    let found = object.and_then(|object| lean::members(object.get().as_bytes(), names).ok().flatten());
    found.unwrap_or([None; N])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Agent;
    use rstest::rstest;
    use std::fs;
    use std::path::Path;

    /// The payloads of a run with a list, a command, and a subagent that ran a command; of one that failed; of a turn
    /// that the user has stopped.
    fn recorded() -> Vec<HookPayload> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sources/tests/recordings/cline/hooks.jsonl");
        let recorded = fs::read_to_string(path).expect("the recording");
        recorded.lines().map(|line| Cline.read_hook(line.as_bytes()).expect("a payload")).collect()
    }

    #[test]
    fn recorded_hooks_say_what_happened() {
        let heard: Vec<_> = recorded()
            .into_iter()
            .map(|heard| format!("{} {:?} {:?}", heard.event, heard.happened, heard.subagent.is_some()))
            .collect();
        assert_eq!(
            heard,
            [
                "TaskStart Prompted false",
                "PostToolUse Worked false",
                "PostToolUse Worked false",
                "TaskStart Worked true",
                "PostToolUse Worked true",
                "PostToolUse Worked false",
                "TaskComplete Worked true",
                "TaskComplete Rests false",
                "TaskStart Prompted false",
                "TaskError Failed false",
                "TaskStart Prompted false",
                "PostToolUse Worked false",
                "SessionShutdown Rests false",
            ]
        );
    }

    #[test]
    fn recorded_hooks_say_whose_they_are() {
        let heard = recorded();
        assert!(heard.iter().all(|heard| heard.folder.as_deref() == Some("/home/user/project")));
        let ids: std::collections::BTreeSet<_> = heard.iter().map(|heard| heard.session.as_str()).collect();
        assert_eq!(ids.len(), 2, "a session for each run of the program, not one for each prompt: {ids:?}");
        let subagents = heard.iter().filter_map(|heard| heard.subagent.as_deref());
        assert!(subagents.clone().all(|id| id.starts_with("agent_")) && subagents.count() == 3);
    }

    #[test]
    fn results_of_our_tools_are_handed_on_and_others_answered() {
        let heard = recorded();
        assert!(heard[1].our_result.as_ref().is_some_and(|result| result.get("content").is_some()), "{heard:?}");
        assert!(!heard[1].adds_context && heard[2].adds_context, "{heard:?}");
        assert!(!heard[4].adds_context, "a subagent is told nothing");
        assert_eq!(heard.iter().filter(|heard| heard.tool).count(), 3);
        assert_eq!(heard[9].text.as_deref(), Some("bad thing"));
        assert_eq!(Cline.hook_answer("PostToolUse", "told"), serde_json::json!({ "context": "told" }));
    }

    #[test]
    fn a_call_of_ours_is_announced() {
        let payload = r#"{"hookName":"tool_call","sessionContext":{"rootSessionId":"1_a"},"workspaceRoots":["/p"],
            "agent_id":"agent_1","parent_agent_id":null,
            "tool_call":{"id":"call_1","name":"sightline__todo_write","input":{"todos":[{"content":"A"}]}}}"#;
        let heard = Cline.read_hook(payload.as_bytes()).expect("a payload");
        let call = heard.calls.expect("a call");
        assert_eq!(call.arguments, serde_json::json!({ "todos": [{ "content": "A" }] }));
        assert_eq!((heard.session.as_str(), call.subagent), ("1_a", None));
    }

    #[rstest]
    #[case("[]")]
    #[case("{}")]
    #[case("{\"hookName\":\"agent_start\"}")]
    #[case("nothing")]
    fn what_is_no_payload_is_refused(#[case] payload: &str) {
        Cline.read_hook(payload.as_bytes()).expect_err("it is refused");
    }
}
