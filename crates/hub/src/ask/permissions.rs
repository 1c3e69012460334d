//! Questions about permissions and rules.

use super::question::Question;
use crate::error::Result;
use protocol::{Permission, PermissionList, Permissions, Rules};

/// Permissions in one answer.
const PERMISSIONS: u32 = 200;

impl Question<'_> {
    pub(crate) async fn permissions(&self, ask: &PermissionList) -> Result<Permissions> {
        let limit = ask.limit.unwrap_or(50).clamp(1, PERMISSIONS);
        let Some(session) = &ask.session_id else {
            let lives = self.core.board.who_asks();
            let waiting = lives.iter().flat_map(|live| &live.waiting);
            let mut permissions: Vec<Permission> = waiting.map(|it| Permission::clone(&it.permission)).collect();
            permissions.sort_by(|a, b| (a.asked_at, &a.permission_id).cmp(&(b.asked_at, &b.permission_id)));
            permissions.truncate(limit as usize);
            return Ok(Permissions { permissions });
        };
        let live = self.sessions().named(session).await?;
        let bodies = self.core.store.permissions(live.row.pk, limit).await?;
        // One of a later build may not be understood.
        Ok(Permissions { permissions: bodies.iter().filter_map(|body| serde_json::from_str(body).ok()).collect() })
    }

    pub(crate) fn rules(&self) -> Rules {
        let mut rules = Vec::clone(&self.core.permissions.rules());
        rules.reverse();
        Rules { rules }
    }
}
