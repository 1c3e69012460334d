//! The properties that hold for whatever agents' hooks send and their transcripts hold; `fuzz/` calls them with libFuzzer's
//! inputs.

use agents::{KNOWN, Transcript};
use jiff::Timestamp;
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;

/// A fuzz target: its name and its function.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: [Target; 2] = [("hook", hook), ("transcript", transcript)];

/// Reads a hook's payload: all of its parts fit a session.
pub fn hook(bytes: &[u8]) {
    let Ok(payload) = serde_json::from_slice::<Value>(bytes) else { return };
    for agent in KNOWN.hooked() {
        if let Ok(heard) = agent.read_hook(&payload) {
            heard.check();
            let _ = crate::hooks::report(&heard);
        }
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
