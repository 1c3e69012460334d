//! One run that was known as two sessions: by its hooks or files, and by its tool calls.

use crate::error::Result;
use crate::evidence::OWN;
use crate::live::Live;
use crate::tags;
use crate::turn::{Cause, News, Turn};
use protocol::Transport;
use serde_json::json;
use session::{Actor, ActorKind, ReportedState};
use todo::{By, Change, Draft, Edit, EditAction, EditState, Item, Position};

impl Turn<'_, '_> {
    /// Moves what was `reported` of a run into the session that its tool calls made.
    pub(super) async fn join(&mut self, mut reported: Live, mut into: Live, key: &str) -> Result<Live> {
        if reported.row.who.label.is_some() {
            return Ok(into);
        }
        if into.row.who.label.is_none() && !reported.row.who.title.is_empty() {
            into.row.who.title.clone_from(&reported.row.who.title);
        }
        let (who, said) = (&mut *into.row.who, &reported.row.who);
        for (known, said) in [
            (&mut who.prompt, &said.prompt),
            (&mut who.folder, &said.folder),
            (&mut who.project, &said.project),
            (&mut who.branch, &said.branch),
            (&mut who.agent_version, &said.agent_version),
        ] {
            *known = known.take().or_else(|| said.clone());
        }
        into.row.who.created_at = into.row.who.created_at.min(reported.row.who.created_at);
        into.row.marks.pinned |= reported.row.marks.pinned;
        into.row.marks.muted |= reported.row.marks.muted;
        tags::unite(&mut into.row.marks.tags, &reported.row.marks.tags);
        into.row.usage.update(&reported.row.usage, reported.row.usage.at);
        let parent = into.row.who.parent_session_id.as_deref();
        // It may be known as a child of what it is.
        if parent.is_none_or(|parent| parent == reported.row.session_id) {
            into.row.who.parent_session_id.clone_from(&reported.row.who.parent_session_id);
        }
        self.bind(&into, OWN, key).await?;
        let (from, to) = (reported.row.session_id.clone(), into.row.session_id.clone());
        if let Some(mut list) = self.sessions().built_in_list(&reported).await? {
            self.retire_built_in(&into).await?;
            self.bind_built_in(&list, &mut into).await?;
            list.row.who.parent_session_id = Some(to.clone());
            self.save(&mut list, News::Updated).await?;
        }
        into = self.take_over(&reported, into).await?;
        self.save(&mut into, News::Updated).await?;
        self.transaction.move_children(&reported.row, &into.row).await?;
        self.transaction.move_later(reported.row.pk, into.row.pk).await?;
        self.transaction.move_changed_files(&reported.row, &into.row).await?;
        for mut live in self.sessions().select(|live| live.row.who.parent_session_id.as_ref() == Some(&from)) {
            live.row.who.parent_session_id = Some(to.clone());
            self.save(&mut live, News::Updated).await?;
        }
        self.release_agents(&mut reported).await?;
        self.remove(&reported).await?;
        self.hooks().moved(&from, &to);
        Ok(into)
    }

    /// Takes a session out, of the database and of the batch, and tells it.
    async fn remove(&mut self, live: &Live) -> Result<()> {
        let mut row = live.row.clone();
        row.cursor = self.transaction.advance();
        self.transaction.delete_session(&row, self.core.now()).await?;
        self.stage_gone(&row);
        Ok(())
    }

    /// A session's built-in list of before makes room for that of another run which goes on with the session.
    async fn retire_built_in(&mut self, run: &Live) -> Result<()> {
        let Some(mut old) = self.sessions().built_in_list(run).await? else { return Ok(()) };
        old.row.who.parent_session_id = None;
        old.row.who.read_only = true;
        let reason = old.row.life.state_reason.take();
        old.enter(ReportedState::Finished, reason, self.now());
        self.save(&mut old, News::Updated).await
    }

    /// Repeats what the user said and added in the one session before it was known to be the other.
    async fn take_over(&mut self, reported: &Live, mut into: Live) -> Result<Live> {
        let messages = reported.list.edits.iter().filter(|edit| edit.state == EditState::Queued);
        let messages = messages.filter_map(|edit| match &edit.action {
            EditAction::Note { text } => Some(Change::Note { text: text.clone(), client: edit.client.clone() }),
            _ => None,
        });
        let added_by = |item: &Item| {
            let added = |edit: &&Edit| matches!(edit.action, EditAction::Add { .. }) && edit.uid() == Some(item.uid);
            reported.list.edits.iter().find(added).map(|edit| edit.client.clone()).unwrap_or_default()
        };
        let mut changes: Vec<Change> = messages.collect();
        for item in &reported.list.items {
            let added = json!([{ "content": item.content, "status": item.status.name() }]);
            let by = By::User { client: added_by(item) };
            changes.push(Change::Add { position: Position::last(), drafts: Draft::list(&added)?, by });
        }
        let actor = Actor { kind: ActorKind::User, name: "you".to_owned(), transport: Transport::Window };
        let at = self.now();
        for change in changes {
            let applied = self.apply(&into, change, at)?;
            let cause = Cause { kind: "todo.add", request_id: None, at };
            into = self.revise(into, applied, &actor, cause).await?;
        }
        Ok(into)
    }
}
