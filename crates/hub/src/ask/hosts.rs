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
    let (sessions, sending) = (core.store.sessions_of_hosts().await?, core.store.sending_to_hosts().await?);
    core.hosts.count(Counts { sessions, sending });
    Ok(core.hosts.shown())
}
