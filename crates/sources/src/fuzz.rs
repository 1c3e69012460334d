//! What has to hold for whatever agents' hooks send and their files hold; `fuzz/` calls it with what libFuzzer makes up.

use crate::files::{self, Kind};
use crate::hooks::{self, Agent};
use jiff::Timestamp;
use serde_json::Value;
use std::collections::HashMap;

/// A fuzz target: what it is called, and what it calls.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: [Target; 2] = [("hook", hook), ("transcript", transcript)];

/// What a hook sends: what is taken of it fits a session.
pub fn hook(bytes: &[u8]) {
    let Ok(payload) = serde_json::from_slice::<Value>(bytes) else { return };
    for agent in Agent::ALL {
        hooks::fits(agent, &payload);
    }
}

/// The lines of a file: in each run everything is later than what was told before it.
pub fn transcript(bytes: &[u8]) {
    for kind in Kind::ALL {
        let mut last: HashMap<String, Timestamp> = HashMap::new();
        for told in files::told(kind, bytes) {
            let before = last.insert(told.run.own_session.clone(), told.at);
            assert!(before.is_none_or(|before| before < told.at), "{} after {before:?}: {told:?}", told.at);
        }
    }
}
