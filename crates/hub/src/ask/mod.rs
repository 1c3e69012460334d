//! Questions: reading what is committed.

mod archive;
mod chat;
mod command;
mod export;
mod keys;
mod later;
mod permissions;
mod preview;
mod sessions;

pub(crate) use chat::chat;
pub(crate) use command::CommandLine;
pub(crate) use preview::preview;

use crate::core::Core;
use crate::sessions::Sessions;
use protocol::Caller;

/// A question on its way.
#[derive(Clone, Copy)]
pub(crate) struct Question<'a> {
    pub(crate) core: &'a Core,
    pub(crate) caller: &'a Caller,
}

impl<'a> Question<'a> {
    pub(crate) fn sessions(self) -> Sessions<'a> {
        Sessions::committed(self.core)
    }
}
