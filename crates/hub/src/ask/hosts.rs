//! The hosts and their states.

use super::question::Question;
use crate::core::Core;
use crate::error::Result;
use crate::hosts::Counts;
use protocol::{Host, Hosts};

impl Question<'_> {
    pub(crate) async fn hosts(self) -> Result<Hosts> {
        Ok(Hosts { hosts: shown(self.core).await? })
    }
}

/// The hosts as clients see them.
pub(crate) async fn shown(core: &Core) -> Result<Vec<Host>> {
    let mut counts = Counts { sessions: core.store.sessions_of_hosts().await?, ..Counts::default() };
    for row in core.store.sending().await? {
        *counts.sending.entry(row.host).or_default() += 1;
    }
    core.hosts.count(counts);
    Ok(core.hosts.shown())
}
