//! Inputs and effects of the state machine.

use crate::message::{KnownSession, Question, Spent, Told};
use protocol::Text;
use serde_json::Value;

/// A message of the user's on its way into a chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// The gateway's session.
    pub(crate) session: String,
    /// Our id of that session, and the id of the edit that is the message.
    pub(crate) ours: String,
    pub(crate) edit: String,
    pub(crate) text: String,
}

/// Something that has happened to a link.
#[derive(Debug)]
pub(crate) enum Input {
    Opened,
    /// The connection is over, or could not be opened.
    Lost(Text),
    Told(Told),
    /// The user has a message for a chat.
    Line(Line),
    /// The user has decided, or nobody has in time.
    Decided(Question, Option<bool>),
    /// It is to be tried at once.
    Woken,
    /// Time has passed.
    Tick,
}

/// News of a session.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum News {
    /// The gateway has made it.
    Created,
    /// A chat has begun, with the user's words where they came from here.
    Started {
        model: Option<String>,
        text: Option<String>,
    },
    /// Something was done; a call of that tool has ended.
    Worked {
        tool: Option<String>,
    },
    /// The chat is over.
    Rests(Spent),
    Failed(String),
}

/// Something that a link wants done.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Effect {
    Open,
    Close,
    Send(Value),
    Up,
    Version(Option<String>),
    Down(Text),
    /// The gateway has this session.
    Known(KnownSession),
    Report(String, News),
    /// The list of the chat before is put into the history.
    Clear(String),
    List(String, Vec<Value>),
    /// Ask the user.
    Ask(String, Question),
    /// Nobody waits for the answer any more.
    Withdraw(Question),
    /// A message has arrived.
    Arrived(Line),
}
