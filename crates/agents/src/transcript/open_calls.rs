//! Tool calls without an answer so far.

use serde_json::Value;
use std::collections::VecDeque;

/// The most calls that are kept: an abandoned call is never answered.
const CALLS: usize = 256;

/// Open calls by their ids, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct OpenCalls(VecDeque<(String, String, Value)>);

impl OpenCalls {
    /// Notes the call of a tool with this input.
    pub(crate) fn begin(&mut self, call: &str, tool: &str, input: Value) {
        self.0.retain(|(id, ..)| id != call);
        if self.0.len() == CALLS {
            self.0.pop_front();
        }
        self.0.push_back((call.to_owned(), tool.to_owned(), input));
    }

    /// Takes the call that was answered: its tool and input.
    pub(crate) fn end(&mut self, call: &str) -> Option<(String, Value)> {
        let index = self.0.iter().position(|(id, ..)| id == call)?;
        self.0.remove(index).map(|(_, tool, input)| (tool, input))
    }
}
