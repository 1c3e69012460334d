//! The memory that hooks' payloads and transcripts take, counted at the allocator.
//!
//! One test only: the count is that of the process.

use agents::{Agent, KNOWN};
use peak_alloc::PeakAlloc;
use serde_json::Value;
use sources::files::Reader;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const MIB: usize = 1024 * 1024;

/// The size of a payload just below the largest.
const BYTES: usize = 14 * MIB;

/// The most that is allocated meanwhile, in bytes.
fn peak<T>(work: impl FnOnce() -> T) -> (usize, T) {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let done = work();
    (MEMORY.peak_usage().saturating_sub(before), done)
}

/// An array of small values of this many bytes.
fn small(value: &str, bytes: usize) -> String {
    let values = vec![value; bytes / (value.len() + 1)];
    format!("[{}]", values.join(","))
}

/// A payload of about so many bytes in which a member is an array of small values.
fn payload(agent: &dyn Agent, member: &'static str, tool: &str, bytes: usize) -> Vec<u8> {
    let small = small("{\"a\":0}", bytes);
    let small = if member.ends_with("_input") { format!("{{\"todos\":{small},\"plan\":{small}}}") } else { small };
    let event = if tool == "write_todos" { "AfterTool" } else { "PostToolUse" };
    let head = [("session_id", "one"), ("cwd", "/"), ("hook_event_name", event), ("tool_name", tool)];
    let head = head.map(|(name, value)| format!("\"{}\":\"{value}\"", agent.hook_member(name))).join(",");
    format!("{{{head},\"{}\":{small}}}", agent.hook_member(member)).into_bytes()
}

fn is_within(agent: &dyn Agent, payload: &[u8], most: usize) {
    let (peak, heard) = peak(|| agent.read_hook(payload));
    let head = String::from_utf8_lossy(&payload[..140]);
    assert!(peak <= most, "{peak} bytes for {}: {head}", agent.name());
    heard.expect("it is read");
}

/// Each kind of payload: of other tools nothing is needed, and a list and a result of ours are bounded.
fn check(agent: &dyn Agent, bytes: usize) {
    for member in ["tool_response", "tool_input", "unknown", "prompt"] {
        is_within(agent, &payload(agent, member, "Bash", bytes), MIB / 4);
    }
    if let Some(own) = agent.facts().list_tools.first() {
        is_within(agent, &payload(agent, "tool_input", own.name, bytes), 40 * MIB);
        is_within(agent, &payload(agent, "tool_response", own.name, bytes), MIB);
    }
    is_within(agent, &payload(agent, "tool_response", "mcp__sightline__todo_write", bytes), 10 * MIB);
}

#[test]
fn small_values_take_no_more_memory_than_they_are_worth() {
    let agent = KNOWN.named("claude").expect("it is known");
    let begun = payload(agent, "tool_response", "Bash", BYTES);
    let (whole, value) = peak(|| serde_json::from_slice::<Value>(&begun).expect("JSON"));
    assert!(whole > 300 * MIB, "as values it takes {whole} bytes, so that this counts");
    drop((value, begun));
    // Cline's payloads have another shape.
    for agent in KNOWN.hooked().filter(|agent| agent.name() != "cline") {
        check(agent, MIB / 2);
    }
    let cline = KNOWN.named("cline").expect("it is known");
    let head = "\"hookName\":\"tool_result\",\"sessionContext\":{\"rootSessionId\":\"one\"}";
    let tool = format!("{{\"name\":\"run_commands\",\"output\":{}}}", small("{\"a\":0}", MIB / 2));
    // It is put into the shape of the others first: three times its size.
    is_within(cline, format!("{{{head},\"tool_result\":{tool}}}").as_bytes(), 2 * MIB);
    is_within(agent, &payload(agent, "tool_response", "Bash", BYTES), MIB / 4);
    is_within(agent, &payload(agent, "tool_input", "TodoWrite", BYTES / 2), 40 * MIB);
    is_within(agent, &payload(agent, "tool_response", "mcp__sightline__todo_write", BYTES), 10 * MIB);
    // A text is held once, or where something in it is escaped while it is cut.
    for value in ["x", "\\n"] {
        let text = value.repeat(BYTES / value.len());
        let head = "\"session_id\":\"one\",\"hook_event_name\":\"UserPromptSubmit\",\"cwd\":\"/\"";
        let payload = format!("{{{head},\"note\":\"{}\",\"prompt\":\"{text}\"}}", "-".repeat(100));
        is_within(agent, payload.as_bytes(), 2 * BYTES);
    }

    // A transcript's line, and a file that is one value.
    let folder = tempfile::tempdir().expect("a folder");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    for (agent, place) in [("codex", "sessions/rollout-one.jsonl"), ("qwen", "todos/one.json")] {
        let path = folder.path().join(place);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, format!("{{\"todos\":{}}}\n", small("{\"a\":0}", BYTES))).expect("a file");
        let agent = KNOWN.named(agent).expect("it is known");
        let (peak, read) = peak(|| runtime.block_on(Reader::open(agent, &path).look()));
        assert!(peak <= 250 * MIB, "{peak} bytes for {}", path.display());
        read.expect("it is read");
    }
}
