//! The recordings are of real runs; see `tests/recordings/README.md` for what was cut and what was made.

mod claude;
mod codex;
mod copilot;
mod feeding;
mod hostile;
mod lists;
mod opencode;
mod places;
mod recorded;

use super::Reader;
use agents::{Agent, KNOWN, Observation, Observed};
use jiff::Timestamp;
use protocol::Happened;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const CLAUDE: &dyn Agent = &agents::claude::Claude;
const CODEX: &dyn Agent = &agents::codex::Codex;
const GEMINI: &dyn Agent = &agents::gemini::Gemini;
const OPENCODE: &dyn Agent = &agents::opencode::OPENCODE;
const QWEN: &dyn Agent = &agents::qwen::Qwen;
const LLXPRT: &dyn Agent = &agents::llxprt::Llxprt;

/// The line of our results that hooks and files read, and the secret in it.
const LINE: &str = "This list is session 0199aa11-2b3c-7d4e-8f50-123456789abc, proof 0123456789abcdef0123456789abcdef.";
const SECRET: &str = "0123456789abcdef0123456789abcdef";
const PROMPT: &str = "Please prepare the release. Keep a todo list.";

fn recording(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings").join(name);
    // A checkout may have other ends of lines.
    fs::read_to_string(path).expect("the recording is there").replace("\r\n", "\n")
}

/// The recorded file of lines of an agent's, and where it stood in its folder.
fn lines_of(kind: &'static dyn Agent) -> (&'static str, &'static str) {
    match kind.name() {
        "claude" => (
            "claude/transcript.jsonl",
            ".claude/projects/-home-user-project/5d0c7a3e-1f44-4f0e-9a55-2b7d6f1c0a11.jsonl",
        ),
        "codex" => (
            "codex/rollout.jsonl",
            ".codex/sessions/2026/11/21/rollout-2026-11-21T01-04-20-01a1fba2-0162-7a30-8658-3a5d40048baf.jsonl",
        ),
        "gemini" => ("gemini/chat.jsonl", ".gemini/tmp/project/chats/session-2026-11-21T01-04-034861f8.jsonl"),
        "qwen" => {
            ("qwen/chat.jsonl", ".qwen/projects/-home-user-project/chats/4b4a46a7-4ef1-46f5-9d24-bcd7ae8dcb8a.jsonl")
        }
        _ => unreachable!("it has no lines"),
    }
}

/// A folder with this file in it.
fn placed(path: &str, text: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(path);
    write(&path, text);
    (folder, path)
}

fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().expect("it is in a folder")).expect("folders");
    fs::write(path, bytes).expect("a file");
}

/// All that is new.
async fn rest(reader: &mut Reader) -> Vec<Observation> {
    let mut all = Vec::new();
    loop {
        let told = reader.look().await.expect("it can be read");
        if told.is_empty() {
            return all;
        }
        all.extend(told);
    }
}

/// Observations of a new reader.
async fn read(kind: &'static dyn Agent, path: &Path) -> Vec<Observation> {
    rest(&mut Reader::open(kind, path)).await
}

fn lists(told: &[Observation]) -> Vec<Value> {
    let list = |told: &Observation| match &told.observed {
        Observed::List { todos, .. } => Some(todos.clone()),
        _ => None,
    };
    told.iter().filter_map(list).collect()
}

/// The observations, in words.
fn story(told: &[Observation]) -> Vec<String> {
    let word = |told: &Observation| match &told.observed {
        Observed::List { tool, todos } => format!("{tool} {}", todos.as_array().map_or(0, Vec::len)),
        Observed::Happened { happened: Happened::Worked, tool: true, .. } => "tool".to_owned(),
        Observed::Happened { happened, text: Some(text), .. } => format!("{happened:?}: {text}"),
        Observed::Happened { happened, .. } => format!("{happened:?}"),
        Observed::OurResult { result } => {
            mcp::proof_in(result).map_or("Worked".to_owned(), |proof| format!("read {proof}"))
        }
    };
    told.iter().map(word).collect()
}

/// In each run each is later than the one before, and every list is one that can be taken.
fn check(told: &[Observation]) {
    let mut last = BTreeMap::<&str, Timestamp>::new();
    for told in told {
        let before = last.insert(&told.run.own_session, told.at);
        assert!(before.is_none_or(|before| before < told.at), "{told:?}");
        if let Observed::List { todos, .. } = &told.observed {
            todo::Draft::list(todos).expect("it can be taken");
        }
    }
}
