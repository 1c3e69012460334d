//! Steps and messages that are kept until an agent is idle: queues of sessions and of folders, and handing them over.
//!
//! Handing over makes an ordinary edit of each, in the transaction that takes it out of its queue: so it happens once, and
//! what becomes of the edit is followed like that of any other.

use crate::error::{Failure, Result};
use crate::evidence::key_of;
use crate::live::Live;
use crate::paths;
use crate::state;
use crate::turn::{Cause, News, Turn};
use crate::view;
use crate::writer::Work;
use jiff::Timestamp;
use protocol::{
    Code, Done, EditView, HandedOver, LaterAdd, LaterDelete, LaterEdit, LaterEvent, LaterItem, SessionState, Text, say,
};
use serde_json::json;
use store::{HandedRow, LaterRow, Queue};
use todo::{By, Change, Draft, EditAction, EditState, Item, Position};

/// The most that wait in one queue.
const WAITING: usize = 100;

/// The message that lets an agent go on that needs one.
const GO_ON: &str = "Continue with the open steps of the list.";

/// A run that has nothing to do goes on.
pub(crate) struct GoOn {
    pub(crate) session_id: String,
}

/// The way in which a run goes on.
#[derive(Debug, Clone, PartialEq)]
pub enum GoingOn {
    /// It gets a message of the user's at once.
    Sent,
    /// It has to be resumed with all this.
    Resumed(Box<Resumed>),
}

/// The prompt's contents for a run that is resumed.
#[derive(Debug, Clone, PartialEq)]
pub struct Resumed {
    /// The session that has the list.
    pub session_id: String,
    /// The list.
    pub todos: Vec<Item>,
    /// The number of edits that were made of what was kept for later.
    pub handed_over: usize,
    /// Edits that the agent has not seen, each with its session.
    pub edits: Vec<(String, EditView)>,
}

impl Work for GoOn {
    type Answer = GoingOn;

    async fn perform(&self, turn: &mut Turn<'_, '_>) -> Result<GoingOn> {
        turn.go_on(&self.session_id).await
    }
}

/// One of a queue, as clients see it.
pub(crate) fn item(row: LaterRow) -> LaterItem {
    let handed = |HandedRow { session_id, edit_id, at }| HandedOver { session_id, edit_id, at };
    LaterItem {
        later_id: row.later_id,
        session_id: row.session_id,
        folder: row.folder,
        step: row.step,
        text: row.text,
        created_at: row.created_at,
        handed_over: row.handed.map(handed),
    }
}

impl Turn<'_, '_> {
    pub(super) async fn later_add(&mut self, ask: &LaterAdd) -> Result<LaterItem> {
        let (session, folder) = match (&ask.session_id, &ask.folder) {
            (Some(id), None) => {
                let run = self.run_of(id).await?;
                run.refuse_mirrored()?;
                (Some(run.row), None)
            }
            (None, Some(folder)) => (None, Some(paths::folder(folder).ok_or_else(|| invalid(say::folder_path()))?)),
            _ => return Err(invalid("say for whom: \"sessionId\", or \"folder\" for the next session there")),
        };
        let queue = match (&session, &folder) {
            (Some(row), _) => Queue::Session(row.pk),
            (None, folder) => Queue::Folder(folder.as_deref().unwrap_or_default()),
        };
        let waiting = self.transaction.waiting_later(queue).await?;
        if waiting.len() >= WAITING {
            return Err(Failure::refused(Code::LimitExceeded, say::later_full(WAITING)));
        }
        let row = LaterRow {
            later_id: self.core.uid().to_string(),
            session_id: session.as_ref().map(|row| row.session_id.clone()),
            folder: folder.clone(),
            place: waiting.last().map_or(0, |last| last.place) + 1,
            step: ask.step,
            text: checked(&ask.text)?,
            client: self.caller.client.clone(),
            created_at: self.now(),
            handed: None,
        };
        self.transaction.add_later(queue, &row).await?;
        self.tell_later(&row);
        Ok(item(row))
    }

    pub(super) async fn later_edit(&mut self, ask: &LaterEdit) -> Result<LaterItem> {
        let mut row = self.waiting_later(&ask.later_id).await?;
        if let Some(text) = &ask.text {
            row.text = checked(text)?;
        }
        row.step = ask.step.unwrap_or(row.step);
        match ask.to {
            None => self.transaction.save_later(&row).await?,
            Some(to) => {
                let mut queue = self.queue_of(&row).await?;
                queue.retain(|other| other.later_id != row.later_id);
                let at = usize::try_from(to.max(1) - 1).unwrap_or(usize::MAX).min(queue.len());
                queue.insert(at, row.clone());
                for (place, mut other) in (1..).zip(queue) {
                    other.place = place;
                    self.transaction.save_later(&other).await?;
                }
            }
        }
        self.tell_later(&row);
        Ok(item(row))
    }

    pub(super) async fn later_delete(&mut self, ask: &LaterDelete) -> Result<Done> {
        let row = self.waiting_later(&ask.later_id).await?;
        self.transaction.delete_later(&row.later_id).await?;
        self.tell_later(&row);
        Ok(Done {})
    }

    /// Makes edits of all that waits for a run and for its folder, in their order; returns how many. Nothing is for a subagent.
    pub(super) async fn hand_over_later(
        &mut self,
        live: &mut Live,
        built_in: &mut Option<Live>,
        at: Timestamp,
    ) -> Result<usize> {
        let mut handed_over = 0;
        if live.row.who.parent_session_id.is_some() {
            return Ok(handed_over);
        }
        // An agent with a key may say any folder.
        let folder = live.row.who.folder.clone().filter(|_| key_of(self.caller).is_none());
        let mut queues = vec![Queue::Session(live.row.pk)];
        queues.extend(folder.as_deref().map(Queue::Folder));
        for queue in queues {
            for row in self.transaction.waiting_later(queue).await? {
                // A file may tell of a prompt of before.
                if row.created_at > at {
                    continue;
                }
                match self.hand_over_one(live, built_in, queue, &row, at).await {
                    Ok(()) => handed_over += 1,
                    // Those after it wait with it: their order is the user's.
                    Err(Failure::Refused(error)) => {
                        tracing::warn!(%error, "what is kept for later could not be handed over");
                        break;
                    }
                    Err(failure) => return Err(failure),
                }
            }
        }
        Ok(handed_over)
    }

    async fn hand_over_one(
        &mut self,
        live: &mut Live,
        built_in: &mut Option<Live>,
        queue: Queue<'_>,
        row: &LaterRow,
        at: Timestamp,
    ) -> Result<()> {
        // A step belongs into the list that stands for the run.
        let stands = live.standing_list().is_some();
        let list = match built_in {
            Some(list) if row.step && stands && !list.row.who.read_only => list,
            _ => live,
        };
        let client = row.client.clone();
        let (kind, change) = if row.step {
            let drafts = vec![Draft::one(&json!({ "content": row.text }), "later")?];
            ("todo.add", Change::Add { position: Position::last(), drafts, by: By::User { client } })
        } else {
            ("note.send", Change::Note { text: row.text.clone(), client })
        };
        let applied = self.apply(list, change, at)?;
        let edit_id = applied.edit.map(|id| id.to_string()).unwrap_or_default();
        let (actor, cause) = (self.user(), Cause { kind, request_id: None, at });
        *list = self.revise(list.clone(), applied, &actor, cause).await?;
        let handed = HandedRow { session_id: list.row.session_id.clone(), edit_id, at };
        self.transaction.handed_later(queue, &row.later_id, &handed).await?;
        self.tell_later(row);
        Ok(())
    }

    async fn go_on(&mut self, session_id: &str) -> Result<GoingOn> {
        let mut live = self.run_of(session_id).await?;
        if matches!(state::state(&live.row, self.core.moment()), SessionState::Running | SessionState::Waiting) {
            return Err(Failure::refused(Code::Unavailable, say::later_at_work()));
        }
        let mut built_in = self.sessions().built_in_list(&live).await?;
        let at = self.now();
        let handed_over = self.hand_over_later(&mut live, &mut built_in, at).await?;
        let connected = self.core.board.connected(&live.row.session_id);
        if live.prompts && connected {
            let is_message =
                |edit: &todo::Edit| edit.state == EditState::Queued && matches!(edit.action, EditAction::Note { .. });
            if !live.list.edits.iter().any(is_message) {
                let change = Change::Note { text: GO_ON.to_owned(), client: self.caller.client.clone() };
                let applied = self.apply(&live, change, at)?;
                let (actor, cause) = (self.user(), Cause { kind: "note.send", request_id: None, at });
                self.revise(live, applied, &actor, cause).await?;
            }
            return Ok(GoingOn::Sent);
        }
        let stands = if live.standing_list().is_some() { built_in.as_ref() } else { None };
        let list = stands.unwrap_or(&live);
        let (session_id, todos) = (list.row.session_id.clone(), list.list.items.clone());
        let mut edits = Vec::new();
        for list in [Some(&live), built_in.as_ref()].into_iter().flatten() {
            let id = list.row.session_id.clone();
            let queued = list.list.edits.iter().filter(|edit| edit.state == EditState::Queued);
            edits.extend(queued.map(|edit| (id.clone(), view::edit(edit))));
            // Its hooks leave them to the prompt.
            let elapsed = self.core.elapsed();
            self.hooks().offer(&id, elapsed);
        }
        self.save(&mut live, News::Updated).await?;
        Ok(GoingOn::Resumed(Box::new(Resumed { session_id, todos, handed_over, edits })))
    }

    /// A run by its session, or by that of its built-in list.
    async fn run_of(&self, session_id: &str) -> Result<Live> {
        let live = self.find(session_id).await?;
        match live.row.who.parent_session_id.as_deref().filter(|_| live.row.who.own_tool.is_some()) {
            Some(run) => self.find(run).await,
            None => Ok(live),
        }
    }

    async fn waiting_later(&mut self, later_id: &str) -> Result<LaterRow> {
        let row = self.transaction.later(later_id).await?;
        row.ok_or_else(|| Failure::refused(Code::ItemNotFound, say::later_gone()))
    }

    /// The others that wait with one, and itself.
    async fn queue_of(&mut self, row: &LaterRow) -> Result<Vec<LaterRow>> {
        let pk = match &row.session_id {
            Some(id) => Some(self.find(id).await?.row.pk),
            None => None,
        };
        let queue = pk.map_or(Queue::Folder(row.folder.as_deref().unwrap_or_default()), Queue::Session);
        Ok(self.transaction.waiting_later(queue).await?)
    }

    fn tell_later(&mut self, row: &LaterRow) {
        let cursor = self.transaction.advance();
        self.staged.events.push(protocol::Event::LaterUpdated(LaterEvent {
            cursor: self.core.board.cursor_text(cursor),
            session_id: row.session_id.clone(),
            folder: row.folder.clone(),
        }));
    }
}

/// A step or message, as an item's text has to be.
fn checked(text: &str) -> Result<String> {
    Draft::one(&json!({ "content": text.trim() }), "later")?;
    Ok(text.trim().to_owned())
}

fn invalid(text: impl Into<Text>) -> Failure {
    Failure::refused(Code::InvalidMessage, text)
}
