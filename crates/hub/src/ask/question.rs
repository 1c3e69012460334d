//! A question on its way to its answer.

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
