//! The recordings are of real runs; see `tests/recordings/README.md` for what was cut and what was made.

mod claude;
mod codex;
mod feeding;
mod hostile;
mod lists;
mod opencode;
mod places;
mod recorded;

use super::{Kind, Reader, Told, What};
use jiff::Timestamp;
use protocol::Happened;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The session of ours that the made results name.
const OURS: &str = "0199aa11-2b3c-7d4e-8f50-123456789abc";
const PROMPT: &str = "Please prepare the release. Keep a todo list.";

fn recording(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings").join(name);
    // A checkout may have other ends of lines.
    fs::read_to_string(path).expect("the recording is there").replace("\r\n", "\n")
}

/// The recorded file of lines of an agent's, and where it stood in its folder.
fn lines_of(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Claude => (
            "claude/transcript.jsonl",
            ".claude/projects/-home-user-project/5d0c7a3e-1f44-4f0e-9a55-2b7d6f1c0a11.jsonl",
        ),
        Kind::Codex => (
            "codex/rollout.jsonl",
            ".codex/sessions/2026/11/21/rollout-2026-11-21T01-04-20-01a1fba2-0162-7a30-8658-3a5d40048baf.jsonl",
        ),
        Kind::Gemini => ("gemini/chat.jsonl", ".gemini/tmp/project/chats/session-2026-11-21T01-04-034861f8.jsonl"),
        Kind::Qwen => {
            ("qwen/chat.jsonl", ".qwen/projects/-home-user-project/chats/4b4a46a7-4ef1-46f5-9d24-bcd7ae8dcb8a.jsonl")
        }
        Kind::Opencode | Kind::Llxprt => unreachable!("it has no lines"),
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
async fn rest(reader: &mut Reader) -> Vec<Told> {
    let mut all = Vec::new();
    loop {
        let told = reader.look().await.expect("it can be read");
        if told.is_empty() {
            return all;
        }
        all.extend(told);
    }
}

/// What a new reader tells of it.
async fn read(kind: Kind, path: &Path) -> Vec<Told> {
    rest(&mut Reader::open(kind, path)).await
}

fn lists(told: &[Told]) -> Vec<Value> {
    let list = |told: &Told| match &told.what {
        What::List { todos, .. } => Some(todos.clone()),
        _ => None,
    };
    told.iter().filter_map(list).collect()
}

/// What happened, in words.
fn story(told: &[Told]) -> Vec<String> {
    let word = |told: &Told| match &told.what {
        What::List { tool, todos } => format!("{tool} {}", todos.as_array().map_or(0, Vec::len)),
        What::Happened { happened: Happened::Worked, tool: true, .. } => "tool".to_owned(),
        What::Happened { happened, text: Some(text), .. } => format!("{happened:?}: {text}"),
        What::Happened { happened, .. } => format!("{happened:?}"),
        What::Read { session_id } => format!("read {session_id}"),
    };
    told.iter().map(word).collect()
}

/// In each run each is later than the one before, and every list is one that can be taken.
fn check(told: &[Told]) {
    let mut last = BTreeMap::<&str, Timestamp>::new();
    for told in told {
        let before = last.insert(&told.run.own_session, told.at);
        assert!(before.is_none_or(|before| before < told.at), "{told:?}");
        if let What::List { todos, .. } = &told.what {
            todo::Draft::list(todos).expect("it can be taken");
        }
    }
}
