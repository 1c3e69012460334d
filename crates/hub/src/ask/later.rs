//! The question for what is kept until an agent is idle.

use super::question::Question;
use crate::change::later::item;
use crate::error::Result;
use protocol::{LaterItem, LaterItems, LaterList};

impl Question<'_> {
    pub(crate) async fn later(&self, ask: &LaterList) -> Result<LaterItems> {
        let rows = self.core.store.later().await?;
        let mut items: Vec<LaterItem> = rows.into_iter().map(item).collect();
        if let Some(id) = &ask.session_id {
            let live = self.sessions().named(id).await?;
            let ids = [Some(live.row.session_id), live.row.who.parent_session_id.clone(), live.built_in_list];
            let folder = live.row.who.folder.clone();
            items.retain(|item| {
                let is_its = |session: &String| ids.iter().flatten().any(|id| id == session);
                match (&item.handed_over, &item.session_id) {
                    (Some(edit), _) => is_its(&edit.session_id),
                    (None, Some(session)) => is_its(session),
                    (None, None) => item.folder == folder,
                }
            });
        }
        Ok(LaterItems { items })
    }
}
