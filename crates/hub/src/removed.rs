//! Items that are gone: who took them out, and bringing them back.

use crate::command::{ago, who};
use crate::live::Live;
use crate::writer::{Batch, Failure};
use crate::{Hub, view};
use protocol::{Caller, Code, Error, Request, TodoRestore};
use todo::list::flat;
use todo::{Change, Item, Removed, change, short};
use uuid::Uuid;

impl Hub {
    /// The change that brings an item back as it was last.
    pub(crate) async fn restore_change(
        &self,
        batch: &Batch,
        caller: &Caller,
        ask: &TodoRestore,
    ) -> std::result::Result<Change, Failure> {
        let unknown = || Error::new(Code::ItemNotFound, "\"uid\" is not one of an item of this session");
        let uid = Uuid::try_parse(&ask.uid).map_err(|_| unknown())?;
        let live = self.named(&batch.pending, &ask.session_id).await?;
        let before = self.last_with(&live, uid).await?.ok_or_else(unknown)?;
        let gone = removed_from(&before, uid).ok_or_else(unknown)?;
        Ok(Change::Restore { gone: Box::new(gone), client: caller.client.clone() })
    }

    /// The newest list of a session that has an item.
    async fn last_with(&self, live: &Live, uid: Uuid) -> std::result::Result<Option<Vec<Item>>, Failure> {
        // It may have gone with a change that is not committed yet.
        let committed = self.inner.board.head(&live.row.session_id).map(|head| head.list.items.clone());
        for items in [Some(live.list.items.clone()), committed].into_iter().flatten() {
            if change::find(&items, uid).is_some() {
                return Ok(Some(items));
            }
        }
        Ok(match self.inner.store.removed_at(live.row.pk, uid).await? {
            Some(revision) => Some(self.inner.store.list_at(live.row.pk, revision.revision - 1).await?),
            None => None,
        })
    }

    /// What an edit of an item that is gone is answered: who took it out, and when.
    pub(crate) async fn explain_gone(&self, batch: &Batch, request: &Request, failure: Failure) -> Failure {
        let (session_id, uid) = match request {
            Request::TodoDelete(ask) => (&ask.session_id, &ask.uid),
            Request::TodoSetStatus(ask) => (&ask.session_id, &ask.uid),
            Request::TodoEdit(ask) => (&ask.session_id, &ask.uid),
            Request::TodoMove(ask) => (&ask.session_id, &ask.uid),
            _ => return failure,
        };
        let Failure::Refused(error) = &failure else { return failure };
        if error.code != Code::ItemNotFound {
            return failure;
        }
        match self.gone(batch, session_id, uid.as_deref().unwrap_or_default()).await {
            Some(error) => Failure::Refused(error),
            None => failure,
        }
    }

    async fn gone(&self, batch: &Batch, session_id: &str, uid: &str) -> Option<Error> {
        let uid = Uuid::try_parse(uid).ok()?;
        let live = self.named(&batch.pending, session_id).await.ok()?;
        let before = self.last_with(&live, uid).await.ok()??;
        let content = short(&change::find(&before, uid)?.content);
        let (actor, ago) = match batch.removed.get(&uid) {
            // By a change that is not committed yet.
            Some(actor) => (actor.clone(), ago(0)),
            None => {
                let revision = self.inner.store.removed_at(live.row.pk, uid).await.ok()??;
                (revision.actor, ago(self.now().as_second() - revision.at.as_second()))
            }
        };
        let by = format!("{} removed \"{content}\" {ago}", who(&view::actor(&actor)));
        Some(Error::new(Code::ItemRemoved, format!("{by}; bring it back to change it")))
    }
}

/// An item of a list, as if it had just been taken out.
fn removed_from(items: &[Item], uid: Uuid) -> Option<Removed> {
    let (item, parent) = flat(items).find(|(item, _)| item.uid == uid)?;
    Some(Removed { item: item.clone(), rank: item.rank.clone(), parent, dropped_by: Default::default(), back: false })
}
