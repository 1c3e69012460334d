//! Lists of the past, or of another session, that take the place of the active one.

use crate::error::{Failure, Result};
use crate::turn::Turn;
use protocol::{Code, SessionLoad};
use std::collections::HashMap;
use todo::Change;
use todo::list::flat;
use uuid::Uuid;

impl Turn<'_, '_> {
    /// The session that a list is loaded into, made for a label that is new; and the change that loads it.
    pub(super) async fn load(&mut self, ask: &SessionLoad) -> Result<(String, Change)> {
        let into = self.load_into(ask).await?;
        let live = self.find(&into).await?;
        let from = match &ask.from {
            Some(from) => self.find(from).await?,
            None => live.clone(),
        };
        let mut items = self.sessions().list_of(&from, ask.revision).await?;
        // Items are one session's own: in another they are copies, under uids of their own.
        if from.row.session_id != live.row.session_id {
            let uids: HashMap<Uuid, Uuid> = flat(&items).map(|(item, _)| (item.uid, self.core.uid())).collect();
            for item in items.iter_mut() {
                item.rename(&uids);
            }
            if ask.revision.is_none() {
                self.hand_over(from).await?;
            }
        }
        Ok((into, Change::Load { items, client: self.caller.client.clone() }))
    }

    async fn load_into(&mut self, ask: &SessionLoad) -> Result<String> {
        let Some(label) = ask.label.as_deref() else { return Ok(ask.session_id.clone()) };
        let Some(from) = ask.from.as_deref().filter(|_| ask.session_id.is_empty()) else {
            let problem = "\"label\" stands in the place of \"sessionId\", and \"from\" says whose list is loaded";
            return Err(Failure::refused(Code::InvalidMessage, problem));
        };
        // No session is made for a list that is not there.
        let from = self.find(from).await?;
        self.sessions().list_of(&from, ask.revision).await?;
        let live = self.session_of_call(self.caller, (None, Some(label)), None).await?;
        self.stage(&live);
        Ok(live.row.session_id)
    }
}
