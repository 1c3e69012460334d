//! The properties that hold for whatever agents' hooks send and their transcripts hold; `fuzz/` calls them with libFuzzer's
//! inputs.

use crate::git_folder::GitFolder;
use agents::{Budget, KNOWN, Transcript};
use jiff::Timestamp;
use serde_json::Value;
use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// A fuzz target: its name and its function.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: [Target; 3] = [("folder", folder), ("hook", hook), ("transcript", transcript)];

/// Levels of JSON within which all of it is read.
const DEPTH: usize = 60;

/// The longest name of a member that is read, in bytes.
const NAME_BYTES: usize = 1024;

/// Reads the evidence in a folder, whose files of git's are made of the parts between zeros: whatever is in them, the
/// project and the branch are names.
pub fn folder(bytes: &[u8]) {
    thread_local! {
        static PLACE: tempfile::TempDir = tempfile::tempdir().unwrap_or_else(|error| panic!("no folder: {error}"));
    }
    let Some((shape, rest)) = bytes.split_first() else { return };
    let mut parts = rest.split(|byte| *byte == 0);
    let files: &[&str] = match shape % 4 {
        0 => &[".git"],
        1 => &[".git/HEAD", ".git/commondir"],
        // A worktree, whose file leads to its part of the repository.
        2 => &["main/.git/worktrees/one/HEAD", "main/.git/worktrees/one/commondir", "main/.git/HEAD"],
        _ => &["inner/.git", "other/HEAD", "other/commondir"],
    };
    PLACE.with(|place| {
        let root = place.path().join("project");
        let _ = fs::remove_dir_all(&root);
        for file in files {
            let path = root.join(file);
            let folder = path.parent().unwrap_or(&root);
            // A file may be where a folder is to be.
            let _ = fs::create_dir_all(folder).and_then(|()| fs::write(&path, parts.next().unwrap_or_default()));
        }
        if shape % 4 == 2 {
            let _ = fs::write(root.join(".git"), "gitdir: main/.git/worktrees/one");
        }
        for folder in [root.clone(), root.join("inner")] {
            let git = GitFolder::read(&folder);
            let is_name = |name: &String| !name.is_empty() && name.len() <= 255 && !name.contains('/');
            assert!(git.project.as_ref().is_some_and(is_name), "{git:?}");
            let is_branch = |name: &String| !name.chars().any(|c| c.is_control() || c.is_whitespace());
            assert!(git.branch.iter().all(|name| is_branch(name) && (1..=255).contains(&name.len())), "{git:?}");
        }
    });
}

/// Reads a hook's payload: all of its parts fit a session. What is small enough is read as it is.
pub fn hook(bytes: &[u8]) {
    let budget = Budget { values: bytes.len() + 1, bytes: bytes.len() };
    if let Ok(value) = serde_json::from_slice::<Value>(bytes)
        && depth(&value) < DEPTH
    {
        assert_eq!(agents::lean_value(bytes, budget).ok(), Some(value));
    }
    for agent in KNOWN.hooked() {
        if let Ok(heard) = agent.read_hook(bytes) {
            heard.check();
            let _ = crate::hooks::report(&heard);
        }
    }
}

/// The levels of a value; too many for one with a name that nobody looks for.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(values) => 1 + values.iter().map(depth).max().unwrap_or_default(),
        Value::Object(members) if members.keys().any(|name| name.len() > NAME_BYTES) => DEPTH,
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or_default(),
        _ => 0,
    }
}

/// Reads the lines of a transcript: within each run every observation is later than the one before it.
pub fn transcript(bytes: &[u8]) {
    for agent in KNOWN.iter() {
        let Some(Transcript::Lines(mut records)) = agent.open_transcript(Path::new("session.jsonl")) else { continue };
        let mut out = Vec::new();
        for record in bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()) {
            records.record(&record, None, &mut out);
        }
        let mut last: HashMap<String, Timestamp> = HashMap::new();
        for observation in out {
            let before = last.insert(observation.run.own_session.clone(), observation.at);
            assert!(before.is_none_or(|before| before < observation.at), "after {before:?}: {observation:?}");
        }
    }
}
