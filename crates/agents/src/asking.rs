//! An agent asks whether it may call a tool, and a hook answers for its user.

use crate::configuration::HookEvent;
use protocol::{AskKind, PERMISSION_SECONDS, PermissionDecided, Question};
use serde_json::{Map, Value, json};

/// The event at which an agent's hook can answer for its user.
#[derive(Debug, Clone, Copy)]
pub struct AskingHook {
    /// The event, as it is registered where the user has answers given here.
    pub event: HookEvent,
    /// The time at which it comes.
    pub kind: AskKind,
    /// The least limit in seconds that the agent wants in milliseconds.
    pub milliseconds_from: u32,
}

/// The seconds that the agent's own limit is longer than ours, so that it is never what ends a hook.
const SPARE: u32 = 5;

impl AskingHook {
    /// A hook at this event, of an agent whose limits are in seconds.
    #[must_use]
    pub const fn new(event: HookEvent, kind: AskKind) -> Self {
        Self { event, kind, milliseconds_from: u32::MAX }
    }

    /// The seconds for which an agent waits, of those that the user wants or by default.
    #[must_use]
    pub fn seconds(&self, wanted: Option<u32>) -> u32 {
        match self.kind {
            AskKind::Beside => wanted.unwrap_or(300).min(PERMISSION_SECONDS),
            AskKind::Before => wanted.unwrap_or(30).min(PERMISSION_SECONDS),
            AskKind::EveryCall => 0,
        }
    }

    /// The time limit of the hook in the agent's unit.
    #[must_use]
    pub const fn limit(&self, seconds: u32) -> u32 {
        let limit = seconds.saturating_add(SPARE);
        if limit >= self.milliseconds_from { limit.saturating_mul(1_000) } else { limit }
    }
}

/// A call that an agent asks about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedCall {
    /// The tool, as the agent calls it.
    pub tool: String,
    /// The arguments as JSON text, to the letter.
    pub input: String,
    /// The questions, where the call asks the user something.
    pub questions: Vec<Question>,
    /// The time at which the hook comes.
    pub kind: AskKind,
}

/// A decision in the form of Claude Code's `PermissionRequest`, which others took over.
pub(crate) fn decision(event: &str, decided: &PermissionDecided, more: Map<String, Value>) -> Option<Value> {
    let mut decision = flat(decided)?;
    decision.as_object_mut()?.extend(more);
    Some(json!({ "hookSpecificOutput": { "hookEventName": event, "decision": decision } }))
}

/// A decision alone: `{"behavior", "message"}`.
pub(crate) fn flat(decided: &PermissionDecided) -> Option<Value> {
    Some(match (decided.allowed?, &decided.message) {
        (true, _) => json!({ "behavior": "allow" }),
        (false, None) => json!({ "behavior": "deny" }),
        (false, Some(message)) => json!({ "behavior": "deny", "message": message }),
    })
}

/// The reason to refuse a call, of an agent that wants one. `None` where the call is not refused.
pub(crate) fn refusal(decided: &PermissionDecided) -> Option<&str> {
    (!decided.allowed?).then(|| decided.message.as_deref().unwrap_or("The user has denied this call."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KNOWN;
    use rstest::rstest;

    const QUESTION: &str = r#"{"questions":[{"question":"Which one?","header":"Pick","multiSelect":true,
        "options":[{"label":"A","description":"a"},{"label":"B"}]}]}"#;

    fn agent(name: &str) -> &'static dyn crate::Agent {
        KNOWN.iter().find(|agent| agent.name() == name).expect("an agent")
    }

    fn payload(event: &str, tool: &str, input: &str) -> String {
        format!(
            r#"{{"session_id":"own-1","cwd":"/p","hook_event_name":"{event}","tool_name":"{tool}","tool_input":{input}}}"#
        )
    }

    fn asked(name: &str, payload: &str) -> Option<AskedCall> {
        agent(name).read_hook(payload.as_bytes()).expect("a payload").asks
    }

    fn decided(allowed: Option<bool>, message: Option<&str>) -> PermissionDecided {
        PermissionDecided { allowed, message: message.map(str::to_owned), ..PermissionDecided::default() }
    }

    fn wrapped(decision: &Value) -> Option<Value> {
        Some(json!({ "hookSpecificOutput": { "hookEventName": "PermissionRequest", "decision": decision } }))
    }

    // S16
    #[rstest]
    #[case::claude("claude", "PermissionRequest", AskKind::Beside, [Some(300), Some(20), Some(3_600)], 305)]
    #[case::opencode("opencode", "PermissionRequest", AskKind::Beside, [Some(300), Some(20), Some(3_600)], 305)]
    #[case::kilo("kilo", "PermissionRequest", AskKind::Beside, [Some(300), Some(20), Some(3_600)], 305)]
    #[case::codex("codex", "PermissionRequest", AskKind::Before, [Some(30), Some(20), Some(3_600)], 35)]
    #[case::qwen("qwen", "PermissionRequest", AskKind::Before, [Some(30), Some(20), Some(3_600)], 35)]
    #[case::copilot("copilot", "PermissionRequest", AskKind::EveryCall, [Some(0), Some(0), Some(0)], 5)]
    #[case::gemini("gemini", "BeforeTool", AskKind::EveryCall, [Some(0), Some(0), Some(0)], 5_000)]
    #[case::cline("cline", "PreToolUse", AskKind::EveryCall, [Some(0), Some(0), Some(0)], 5)]
    #[case::kimi("kimi", "PreToolUse", AskKind::EveryCall, [Some(0), Some(0), Some(0)], 5)]
    #[case::vibe("vibe", "pre_tool", AskKind::EveryCall, [Some(0), Some(0), Some(0)], 5)]
    fn an_agent_asks_at_one_event(
        #[case] name: &str,
        #[case] event: &str,
        #[case] kind: AskKind,
        #[case] seconds: [Option<u32>; 3],
        #[case] limit: u32,
    ) {
        let asking = agent(name).asking().expect("it asks");
        assert_eq!((asking.event.name, asking.kind), (event, kind));
        assert_eq!([None, Some(20), Some(9_999)].map(|wanted| Some(asking.seconds(wanted))), seconds);
        assert_eq!(asking.limit(asking.seconds(None)), limit);
    }

    #[test]
    fn a_long_limit_is_in_the_agents_unit() {
        let limit = |name| agent(name).asking().expect("it asks").limit(3_600);
        assert_eq!(["claude", "codex", "qwen"].map(limit), [3_605, 3_605, 3_605_000]);
    }

    // S16
    #[rstest]
    #[case::claude("claude", "PermissionRequest")]
    #[case::codex("codex", "PermissionRequest")]
    #[case::qwen("qwen", "PermissionRequest")]
    fn a_prompt_is_answered_in_one_form(#[case] name: &str, #[case] event: &str) {
        let input = r#"{ "command": "cargo test" }"#;
        let asked = asked(name, &payload(event, "Bash", input)).expect("it asks");
        assert_eq!((asked.tool.as_str(), asked.input.as_str()), ("Bash", input), "to the letter");
        let answer = |allowed, message| agent(name).hook_decision(event, &asked, &decided(allowed, message));
        assert_eq!(answer(None, Some("x")), None);
        assert_eq!(answer(Some(true), Some("x")), wrapped(&json!({ "behavior": "allow" })));
        assert_eq!(answer(Some(false), None), wrapped(&json!({ "behavior": "deny" })));
        assert_eq!(answer(Some(false), Some("no")), wrapped(&json!({ "behavior": "deny", "message": "no" })));
    }

    // S16
    #[rstest]
    #[case::copilot(
        "copilot",
        r#"{"hookName":"permissionRequest","sessionId":"own-1","cwd":"/p","toolName":"bash","toolInput":{"command":"pwd"}}"#,
        [Some(json!({ "behavior": "allow" })), Some(json!({ "behavior": "deny", "message": "no" }))]
    )]
    #[case::gemini(
        "gemini",
        &payload("BeforeTool", "bash", r#"{"command":"pwd"}"#),
        [None, Some(json!({ "decision": "deny", "reason": "no" }))]
    )]
    #[case::cline(
        "cline",
        r#"{"hookName":"tool_call","sessionContext":{"rootSessionId":"own-1"},"workspaceRoots":["/p"],"agent_id":"a",
            "parent_agent_id":null,"tool_call":{"id":"1","name":"bash","input":{"command":"pwd"}}}"#,
        [None, Some(json!({ "cancel": true, "errorMessage": "no" }))]
    )]
    #[case::kimi(
        "kimi",
        &payload("PreToolUse", "bash", r#"{"command":"pwd"}"#),
        [None, Some(json!({ "hookSpecificOutput": { "permissionDecision": "deny", "permissionDecisionReason": "no" } }))]
    )]
    #[case::vibe(
        "vibe",
        &payload("pre_tool", "bash", r#"{"command":"pwd"}"#),
        [None, Some(json!({ "decision": "deny", "reason": "no" }))]
    )]
    fn every_call_has_a_form_of_its_own(
        #[case] name: &str,
        #[case] payload: &str,
        #[case] answers: [Option<Value>; 2],
    ) {
        let heard = agent(name).read_hook(payload.as_bytes()).expect("a payload");
        let asked = heard.asks.expect("it asks");
        assert_eq!((heard.session.as_str(), heard.folder.as_deref()), ("own-1", Some("/p")));
        assert_eq!((asked.tool.as_str(), asked.input.as_str()), ("bash", r#"{"command":"pwd"}"#));
        let answer = |allowed| agent(name).hook_decision(&heard.event, &asked, &decided(Some(allowed), Some("no")));
        assert_eq!([true, false].map(answer), answers);
        assert_eq!(agent(name).hook_decision(&heard.event, &asked, &decided(None, None)), None);
    }

    // S16
    #[test]
    fn a_question_of_claude_is_answered_in_its_input() {
        let asked = asked("claude", &payload("PermissionRequest", "AskUserQuestion", QUESTION)).expect("it asks");
        let [question] = asked.questions.as_slice() else { panic!("one question: {asked:?}") };
        assert_eq!((question.text.as_str(), question.header.as_deref()), ("Which one?", Some("Pick")));
        assert!(question.multiple && question.options[0].description.as_deref() == Some("a"));
        assert_eq!(question.options[1].label, "B");
        let answer = |answers: Vec<Vec<String>>| {
            let decided = PermissionDecided { allowed: Some(true), answers, ..PermissionDecided::default() };
            agent("claude").hook_decision("PermissionRequest", &asked, &decided)
        };
        let mut input: Value = serde_json::from_str(QUESTION).expect("JSON");
        input["answers"] = json!({ "Which one?": "A, B" });
        let chosen = vec![vec!["A".to_owned(), "B".to_owned()]];
        assert_eq!(answer(chosen), wrapped(&json!({ "behavior": "allow", "updatedInput": input })));
        assert_eq!(answer(Vec::new()), None, "an answer is missing");
    }

    #[rstest]
    #[case::no_questions(r#"{"questions":[]}"#)]
    #[case::another_form(r#"{"questions":[{"text":"Which one?"}]}"#)]
    #[case::nothing("{}")]
    fn a_question_that_is_not_understood_claude_asks_itself(#[case] input: &str) {
        assert_eq!(asked("claude", &payload("PermissionRequest", "AskUserQuestion", input)), None);
    }

    #[test]
    fn a_call_that_is_too_large_the_agent_asks_about_itself() {
        let of = |bytes: usize| payload("PermissionRequest", "Write", &format!("\"{}\"", "x".repeat(bytes - 2)));
        assert!(asked("claude", &of(protocol::PERMISSION_INPUT_BYTES)).is_some());
        assert_eq!(asked("claude", &of(protocol::PERMISSION_INPUT_BYTES + 1)), None);
        assert_eq!(asked("claude", &payload("PreToolUse", "Write", "{}")), None, "another event");
    }

    #[test]
    fn the_end_of_a_call_names_it() {
        let done = |event: &str, tool: &str| {
            let payload = payload(event, tool, r#"{"command":"ls"}"#);
            agent("claude").read_hook(payload.as_bytes()).expect("a payload").done
        };
        let ended = done("PostToolUse", "Bash").expect("it has ended");
        assert_eq!((ended.tool.as_str(), ended.input), ("Bash", Some(protocol::input_digest(r#"{"command":"ls"}"#))));
        assert!(done("PostToolUseFailure", "mcp__sightline__todo_write").is_some());
        assert_eq!(done("PreToolUse", "Bash"), None);
        assert_eq!(
            done("PostToolUse", "AskUserQuestion").expect("it has ended").input,
            None,
            "its input has the answers"
        );
    }
}
