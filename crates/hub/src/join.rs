//! One run that was known as two sessions: by its hooks or files, and by its tool calls.

use crate::Hub;
use crate::change::Cause;
use crate::live::Live;
use crate::observe::OWN_LIST;
use crate::report::{Outcome, READ};
use crate::resolve::{Evidence, OWN, Pending};
use crate::writer::Batch;
use jiff::Timestamp;
use protocol::{Caller, Error, Transport};
use serde_json::json;
use std::collections::HashMap;
use store::{ActorRow, Transaction};
use todo::{By, Change, Draft, Edit, EditAction, EditState, Item, Position};

/// How old the last call of a session may be whose result a hook brings.
const JUST_NOW_SECONDS: i64 = 60;

impl Hub {
    /// Whether a result that was read at that time says which session a run has. A transcript may begin with a copy of
    /// another run's.
    pub(crate) async fn is_proof(
        &self,
        pending: &Pending,
        caller: &Caller,
        live: &Live,
        key: &str,
        at: Timestamp,
    ) -> Outcome<bool> {
        let apart = at.as_second() - live.row.last_activity_at.as_second();
        if caller.transport != Transport::File {
            return Ok(apart <= JUST_NOW_SECONDS);
        }
        let is_anothers = |((kind, other), session): (&Evidence, &String)| {
            (kind == OWN || kind == READ) && other != key && *session == live.row.session_id
        };
        let is_anothers = pending.bindings.iter().any(is_anothers)
            || self.inner.store.is_anothers(live.row.pk, [OWN, READ], key).await?;
        Ok(apart.abs() <= JUST_NOW_SECONDS && !is_anothers)
    }

    /// One run was known as two sessions: what was `reported` of it goes into the one that its tool calls made.
    pub(crate) async fn join(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        reported: Live,
        mut into: Live,
        key: &str,
    ) -> Outcome<Live> {
        if reported.row.label.is_some() {
            return Ok(into);
        }
        if into.row.label.is_none() && !reported.row.title.is_empty() {
            into.row.title.clone_from(&reported.row.title);
        }
        into.row.created_at = into.row.created_at.min(reported.row.created_at);
        into.row.pinned |= reported.row.pinned;
        into.row.muted |= reported.row.muted;
        if into.row.parent_session_id.is_none() {
            into.row.parent_session_id.clone_from(&reported.row.parent_session_id);
        }
        self.bind(transaction, batch, &into, OWN, key).await?;
        let (from, to) = (reported.row.session_id.clone(), into.row.session_id.clone());
        if let Some(own) = self.own_list(&batch.pending, &from).await? {
            self.retire_own(transaction, batch, &to).await?;
            self.bind(transaction, batch, &own, OWN_LIST, &to).await?;
        }
        into = self.take_over(transaction, batch, &reported, into).await?;
        into.row.cursor = transaction.advance();
        transaction.session(&mut into.row).await?;
        batch.events.push(self.updated(&into));
        transaction.adopt(&reported.row, &into.row).await?;
        let mut under: HashMap<String, Live> = self
            .inner
            .board
            .under(&from)
            .into_iter()
            .map(|live| (live.row.session_id.clone(), (*live).clone()))
            .collect();
        let is_under = |live: &&Live| live.row.parent_session_id.as_deref() == Some(from.as_str());
        under.extend(
            batch.pending.lives.values().filter(is_under).map(|live| (live.row.session_id.clone(), live.clone())),
        );
        for (id, mut live) in under {
            live.row.parent_session_id = Some(to.clone());
            live.row.cursor = transaction.advance();
            transaction.session(&mut live.row).await?;
            batch.events.push(self.updated(&live));
            batch.pending.lives.insert(id, live);
        }
        self.remove(transaction, batch, &reported).await?;
        self.reports().moved(&from, &to);
        batch.pending.lives.insert(to, into.clone());
        Ok(into)
    }

    /// A session's own list of before makes room for that of another run which goes on with the session.
    async fn retire_own(&self, transaction: &mut Transaction<'_>, batch: &mut Batch, session_id: &str) -> Outcome<()> {
        let Some(mut old) = self.own_list(&batch.pending, session_id).await? else { return Ok(()) };
        old.row.parent_session_id = None;
        old.row.read_only = true;
        let reason = old.row.state_reason.take();
        old.enter("finished", reason, self.now());
        old.row.cursor = transaction.advance();
        transaction.session(&mut old.row).await?;
        batch.events.push(self.updated(&old));
        batch.pending.lives.insert(old.row.session_id.clone(), old);
        Ok(())
    }

    /// What the user said and added in the one session before it was known to be the other.
    async fn take_over(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        reported: &Live,
        mut into: Live,
    ) -> Outcome<Live> {
        let notes = reported.list.edits.iter().filter(|edit| edit.state == EditState::Queued);
        let notes = notes.filter_map(|edit| match &edit.action {
            EditAction::Note { text } => Some(Change::Note { text: text.clone(), client: edit.client.clone() }),
            _ => None,
        });
        let by = |item: &Item| {
            let added = |edit: &&Edit| matches!(edit.action, EditAction::Add { .. }) && edit.uid() == Some(item.uid);
            reported.list.edits.iter().find(added).map(|edit| edit.client.clone()).unwrap_or_default()
        };
        let mut changes: Vec<Change> = notes.collect();
        for item in &reported.list.items {
            let added = json!([{ "content": item.content, "status": item.status.name() }]);
            changes.push(Change::Add {
                position: Position::last(),
                drafts: Draft::list(&added).map_err(Error::from)?,
                by: By::User { client: by(item) },
            });
        }
        let actor = ActorRow { kind: "user".to_owned(), name: "you".to_owned(), transport: "window".to_owned() };
        let at = self.now();
        for change in changes {
            let applied = self.apply(&into, change, at)?;
            let cause = Cause { kind: "todo.add", request_id: None, at };
            into = self.store_revision(transaction, batch, into, applied, &actor, cause).await?;
        }
        Ok(into)
    }
}
