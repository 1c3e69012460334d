//! The outcome of raising something, and the variables that it goes by.

use protocol::{Code, Error, Raised, Result, Terminal, Text};

pub(super) fn named(raised: String) -> Raised {
    Raised { raised, note: None }
}

/// A pane that was made the active one, with the outcome of raising its window.
pub(super) fn with_window(pane: String, window: Result<Raised>) -> Raised {
    match window {
        Ok(window) => Raised { raised: format!("{pane}, {}", window.raised), note: window.note },
        Err(error) => Raised { raised: pane, note: Some(error.message) },
    }
}

/// The value of a variable of the agent's environment.
pub(super) fn variable<'a>(terminal: &'a Terminal, name: &str) -> Option<&'a str> {
    terminal.variables.get(name).map(String::as_str)
}

pub(super) fn refused(text: impl Into<Text>) -> Error {
    Error::new(Code::Unavailable, text)
}
