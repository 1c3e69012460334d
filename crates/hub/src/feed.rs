//! The form of a session's history between two gateways: rows of the one that has its agent, for one that mirrors it.
//!
//! It is that of an export, with only a part of the rows, and with the ends of its lists, which a part cannot tell.

use crate::exchange::{ExportedEdit, ExportedItem, ExportedRevision, check};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use session::{Identity, Life, ListSummary, Progress, Usage};
use std::collections::HashSet;
use store::{History, ListEnd, ListRow, Part, SessionRow};
use todo::check::{Checked, MOST, length, time};
use uuid::Uuid;

/// Characters of the id of a list.
const ID_CHARS: usize = 200;

/// Lists of one session; more are no session's.
const LISTS: usize = 10_000;

/// A part of a session's history.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FeedBody {
    pub(crate) session_id: String,
    #[serde(flatten)]
    pub(crate) who: Identity,
    #[serde(flatten)]
    pub(crate) life: Life,
    #[serde(flatten)]
    pub(crate) list: ListSummary,
    #[serde(default, skip_serializing_if = "Usage::is_empty")]
    pub(crate) usage: Usage,
    revisions: Vec<ExportedRevision>,
    lists: Vec<FeedList>,
    items: Vec<ExportedItem>,
    #[serde(default)]
    edits: Vec<ExportedEdit>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct FeedList {
    list_id: String,
    from: u64,
    created_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    end: Option<FeedListEnd>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deleted_at: Option<Timestamp>,
}

#[derive(Serialize, Deserialize)]
struct FeedListEnd {
    to: u64,
    at: Timestamp,
    title: String,
    progress: Progress,
    unfinished: u32,
}

impl FeedBody {
    /// A part as it is sent.
    pub(crate) fn of(part: Part) -> Self {
        let Part { row, history, .. } = part;
        Self {
            session_id: row.session_id,
            who: (*row.who).clone(),
            life: (*row.life).clone(),
            list: (*row.list).clone(),
            usage: (*row.usage).clone(),
            revisions: history.revisions.into_iter().map(Into::into).collect(),
            lists: history.lists.into_iter().map(Into::into).collect(),
            items: history.states.into_iter().map(Into::into).collect(),
            edits: history.edits.into_iter().map(|(edit, forgotten)| ExportedEdit { edit, forgotten }).collect(),
        }
    }

    /// Checks that a gateway could have sent it after a revision: nothing in it is too long, later than `latest`, or of
    /// revisions that are not `after + 1` to `last`, or the first that is kept to `last`.
    ///
    /// # Errors
    /// The problem, the rest of a sentence that begins with the session.
    pub(crate) fn check(&self, (after, last): (u64, u64), latest: Timestamp) -> Checked {
        check::identity(&self.who, &self.life, latest)?;
        if self.list.ids_given > MOST || last > self.list.revision {
            return Err("has numbers that cannot be".to_owned());
        }
        if last > after {
            let first = (after + 1).max(self.list.first_revision);
            check::revisions(&self.revisions, (first, last), latest)?;
        } else if !self.revisions.is_empty() || last < after {
            return Err(format!("has revisions up to {last}, and they were asked for after {after}"));
        }
        check::items(&self.items, last, latest)?;
        check::edits(&self.edits, last.max(1), latest)?;
        self.check_lists(latest)
    }

    fn check_lists(&self, latest: Timestamp) -> Checked {
        let present = self.lists.iter().filter(|list| list.end.is_none()).count();
        let mut ids = HashSet::new();
        if present != 1 || self.lists.len() > LISTS || !self.lists.iter().all(|list| ids.insert(&list.list_id)) {
            return Err("has lists of which not one is the present one, or of one id".to_owned());
        }
        for list in &self.lists {
            length("the id of a list", &list.list_id, ID_CHARS)?;
            time("a list of", list.created_at, latest)?;
            if let Some(end) = &list.end {
                length("the title of a list", &end.title, todo::limits::TEXT_CHARS)?;
                time("a list of", end.at, latest)?;
                if end.to <= list.from || end.to > MOST {
                    return Err(format!("has a list from the revision {} that ends with none after it", list.from));
                }
            }
        }
        Ok(())
    }

    /// Its rows as they are kept here, under ids that are no other session's: the salt changes those of lists and edits.
    pub(crate) fn rows(self, salt: Uuid) -> FeedRowsHere {
        let mut lists: Vec<ListRow> = self.lists.into_iter().map(Into::into).collect();
        for list in &mut lists {
            list.list_id = salted(&list.list_id, salt);
        }
        let states = self.items.into_iter().map(ExportedItem::read).collect();
        let history = History {
            revisions: self.revisions.into_iter().map(Into::into).collect(),
            states,
            lists,
            edits: self
                .edits
                .into_iter()
                .map(|ExportedEdit { mut edit, forgotten }| {
                    edit.id = salted_id(edit.id, salt);
                    (edit, forgotten)
                })
                .collect(),
        };
        let list_id = history.lists.iter().find(|list| list.end.is_none()).map(|list| list.list_id.clone());
        let list = ListSummary { id: list_id.unwrap_or_default(), ..self.list };
        let mut row = SessionRow::new(self.session_id, self.who, self.life, list);
        row.usage = self.usage.into();
        FeedRowsHere { row, history }
    }
}

/// A part of a session's history as it is kept here.
pub(crate) struct FeedRowsHere {
    pub(crate) row: SessionRow,
    pub(crate) history: History,
}

/// An id of the owner's as it is kept here. Ids begin with their time, so they keep their order.
pub(crate) fn salted_id(id: Uuid, salt: Uuid) -> Uuid {
    Uuid::from_u128(id.as_u128().wrapping_add(salt.as_u128()))
}

/// An id that is kept here as it is its owner's.
pub(crate) fn unsalted_id(id: Uuid, salt: Uuid) -> Uuid {
    Uuid::from_u128(id.as_u128().wrapping_sub(salt.as_u128()))
}

/// The same for an id that may be any text.
fn salted(id: &str, salt: Uuid) -> String {
    match Uuid::try_parse(id) {
        Ok(id) => salted_id(id, salt).to_string(),
        Err(_) => format!("{salt}-{id}"),
    }
}

impl From<ListRow> for FeedList {
    fn from(row: ListRow) -> Self {
        let end = |end: ListEnd| FeedListEnd {
            to: end.to_rev,
            at: end.at,
            title: end.title,
            progress: end.progress,
            unfinished: end.unfinished,
        };
        Self {
            list_id: row.list_id,
            from: row.from_rev,
            created_at: row.created_at,
            end: row.end.map(end),
            deleted_at: row.deleted_at,
        }
    }
}

impl From<FeedList> for ListRow {
    fn from(list: FeedList) -> Self {
        let end = |end: FeedListEnd| ListEnd {
            to_rev: end.to,
            at: end.at,
            title: end.title,
            progress: end.progress,
            unfinished: end.unfinished,
        };
        Self {
            pk: 0,
            list_id: list.list_id,
            from_rev: list.from,
            created_at: list.created_at,
            end: list.end.map(end),
            deleted_at: list.deleted_at,
        }
    }
}
