//! Calls that are not answered yet.

use serde_json::Value;
use std::collections::VecDeque;

/// How many are kept; what was given up is never answered.
const CALLS: usize = 256;

/// By their ids, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Pending(VecDeque<(String, String, Value)>);

impl Pending {
    /// A tool is called with this input.
    pub(super) fn begin(&mut self, call: &str, tool: &str, input: Value) {
        self.0.retain(|(known, ..)| known != call);
        if self.0.len() == CALLS {
            self.0.pop_front();
        }
        self.0.push_back((call.to_owned(), tool.to_owned(), input));
    }

    /// It was answered: which tool it was, and the input.
    pub(super) fn end(&mut self, call: &str) -> Option<(String, Value)> {
        let index = self.0.iter().position(|(known, ..)| known == call)?;
        self.0.remove(index).map(|(_, tool, input)| (tool, input))
    }
}
