//! The tool of each call of the built-in agent that somebody was asked about, for the log: an answer names the call only.

use crate::keys::lock;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// Calls that are remembered; far more than there are under way.
const CALLS: usize = 256;

#[derive(Clone, Default)]
pub(crate) struct Asking(Arc<Mutex<VecDeque<(String, String)>>>);

impl Asking {
    pub(crate) fn note(&self, call: &str, tool: &str) {
        let mut calls = lock(&self.0);
        calls.retain(|(known, _)| known != call);
        calls.push_front((call.to_owned(), tool.to_owned()));
        calls.truncate(CALLS);
    }

    pub(crate) fn tool(&self, call: &str) -> Option<String> {
        lock(&self.0).iter().find(|(known, _)| known == call).map(|(_, tool)| tool.clone())
    }
}
