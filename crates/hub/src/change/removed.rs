//! Items that are gone: who took them out, and bringing them back.

use crate::error::{Failure, Result};
use crate::live::Live;
use crate::turn::Turn;
use crate::wording::who;
use protocol::{Code, Request, TodoRestore, say};
use todo::list::flat;
use todo::text::ago;
use todo::{Change, Item, Removed, change, short};
use uuid::Uuid;

impl Turn<'_, '_> {
    /// The change that brings an item back as it was last.
    pub(super) async fn restore_change(&self, ask: &TodoRestore) -> Result<Change> {
        let unknown = || Failure::refused(Code::ItemNotFound, "\"uid\" is not one of an item of this session");
        let uid = Uuid::try_parse(&ask.uid).map_err(|_| unknown())?;
        let live = self.find(&ask.session_id).await?;
        let before = self.last_with(&live, uid).await?.ok_or_else(unknown)?;
        let gone = removed_from(&before, uid).ok_or_else(unknown)?;
        Ok(Change::Restore { gone: Box::new(gone), client: self.caller.client.clone() })
    }

    /// The newest list of a session that has an item.
    async fn last_with(&self, live: &Live, uid: Uuid) -> Result<Option<Vec<Item>>> {
        // It may have gone with a change that is not committed yet.
        let committed = self.core.board.head(&live.row.session_id).map(|head| head.list.items.clone());
        for items in [Some(live.list.items.clone()), committed].into_iter().flatten() {
            if change::find(&items, uid).is_some() {
                return Ok(Some(items));
            }
        }
        Ok(match self.core.store.removed_at(live.row.pk, uid).await? {
            Some(revision) => Some(self.core.store.list_at(live.row.pk, revision.revision - 1).await?),
            None => None,
        })
    }

    /// The answer to an edit of an item that is gone: who took it out, and when.
    pub(super) async fn explain_gone(&self, request: &Request, failure: Failure) -> Failure {
        let is_gone = matches!(&failure, Failure::Refused(error) if error.code == Code::ItemNotFound);
        let Some((session_id, uid)) = request.named_item().filter(|_| is_gone) else { return failure };
        self.gone(session_id, uid).await.unwrap_or(failure)
    }

    async fn gone(&self, session_id: &str, uid: &str) -> Option<Failure> {
        let uid = Uuid::try_parse(uid).ok()?;
        let live = self.find(session_id).await.ok()?;
        let before = self.last_with(&live, uid).await.ok()??;
        let content = short(&change::find(&before, uid)?.content);
        let (actor, ago) = match self.staged.removed.get(&uid) {
            // By a change that is not committed yet.
            Some(actor) => (actor.clone(), ago(0)),
            None => {
                let revision = self.core.store.removed_at(live.row.pk, uid).await.ok()??;
                (revision.actor, ago(self.now().as_second() - revision.at.as_second()))
            }
        };
        let by = format!("{} removed \"{content}\" {ago}", who(&actor));
        let text =
            say::item_removed(short(&actor.name), &content).in_english(format!("{by}; bring it back to change it"));
        Some(Failure::refused(Code::ItemRemoved, text))
    }
}

/// An item of a list, as if it had just been taken out.
fn removed_from(items: &[Item], uid: Uuid) -> Option<Removed> {
    let (item, parent) = flat(items).find(|(item, _)| item.uid == uid)?;
    Some(Removed { item: item.clone(), rank: item.rank.clone(), parent, dropped_by: Default::default(), back: false })
}
