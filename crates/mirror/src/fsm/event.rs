//! Inputs and effects of a link's state machine.

use hub::{Forwarded, HostPosition};
use protocol::{Error, FeedDeleted, FeedRows, FeedSession, Reply, Request, Text};
use std::time::Duration;

/// Something that has happened to a link.
#[derive(Debug)]
pub(crate) enum Input {
    /// The command's pipes lead to a gateway.
    Opened,
    /// The connection is over, or could not be opened.
    Lost(Text),
    /// An answer of the host.
    Answer(u64, Box<Result<Reply, Error>>),
    /// Something has changed at the host.
    Changed,
    /// An edit waits for the host, or it is to be tried at once.
    Woken,
    /// The place up to which the host's changes are here.
    Position(HostPosition),
    /// The request for what is new of a session.
    Prepared(FeedSession),
    /// A part of a session is stored, and whether there is more of it; or the reason for which it cannot be.
    Taken(String, Result<bool, Error>),
    /// The end of a page is stored.
    PageTaken(Result<(), Error>),
    /// The next edit for the host.
    NextEdit(Option<Box<Forwarded>>),
    /// The end of an edit's way is stored.
    Settled(Result<(), Error>),
    /// The hub cannot be read.
    HubFailed(Error),
    /// Time has passed.
    Tick,
}

/// Something that a link wants done.
#[derive(Debug, PartialEq)]
pub(crate) enum Effect {
    /// Start the command, and open a connection over its pipes.
    Open,
    /// End the command, and forget what is under way.
    Close,
    /// Send a request to the host.
    Send(u64, Box<Request>),
    /// Tell that the host answers.
    Up { version: String, delay: Duration },
    /// Tell that it does not.
    Down(Text),
    /// Tell how long its last answer took.
    Delay(Duration),
    /// Tell that a session of its cannot be taken over, and why.
    Unread(Text),
    /// Read the place up to which the host's changes are here.
    ReadPosition,
    /// Read what is to be asked for of a session.
    Prepare(String),
    /// Store a part of a session.
    Take(Box<FeedSession>, Box<FeedRows>),
    /// Store the end of a page, with whether there are more; without a cursor all begins again.
    TakePage(Option<String>, Vec<FeedDeleted>, bool),
    /// Read the next edit for the host.
    ReadEdit,
    /// Store that the host has an edit, or has refused it.
    Settle(Box<Forwarded>, Option<Text>),
}
