//! The outcome of raising something, and the variables that it goes by.

use protocol::{Code, Error, Raised, Result, Terminal, Text, say};

pub(super) fn named(place: Text) -> Raised {
    Raised { raised: place.english, raised_text: place.named, ..Raised::default() }
}

/// Something that was raised, with the reason for which a part of the way to it was not.
pub(super) fn partly(place: Text, error: Error) -> Raised {
    Raised { note: Some(error.message), note_text: error.text, ..named(place) }
}

/// A pane that was made the active one, with the outcome of raising its window.
pub(super) fn with_window(pane: Text, window: Result<Raised>) -> Raised {
    match window {
        Ok(Raised { raised, raised_text, note, note_text }) => {
            let window = Text { english: raised, named: raised_text };
            let place = say::raised_within(&pane, &window).with("part", &pane).with("window", &window);
            Raised { note, note_text, ..named(place) }
        }
        Err(error) => partly(pane, error),
    }
}

/// The value of a variable of the agent's environment.
pub(super) fn variable<'a>(terminal: &'a Terminal, name: &str) -> Option<&'a str> {
    terminal.variables.get(name).map(String::as_str)
}

pub(super) fn refused(text: impl Into<Text>) -> Error {
    Error::new(Code::Unavailable, text)
}
