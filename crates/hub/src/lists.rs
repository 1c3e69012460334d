//! The lists of a session as they are stored: how one ends, and those of an export.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use session::Progress;
use std::collections::BTreeMap;
use store::{History, ListEnd, ListRow};
use todo::{Item, Status, progress};

/// A list in an exported session.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExportedList {
    pub(crate) list_id: String,
    pub(crate) from: u64,
    /// The revision that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) to: Option<u64>,
    pub(crate) created_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) archived_at: Option<Timestamp>,
}

/// Returns the progress of a list and the number of its items that are not terminal.
pub(crate) fn counted(items: &[Item]) -> (Progress, u32) {
    let counted = progress(items);
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let unfinished = items.iter().filter(|item| !Status::is_terminal(item.status)).count();
    let (completed, total) = (number(counted.completed), number(counted.total));
    (Progress { completed, total, fraction: counted.fraction }, number(unfinished))
}

/// Returns the end of a list with these items, which a revision replaced.
pub(crate) fn end(items: &[Item], to_rev: u64, at: Timestamp) -> ListEnd {
    let title = items.first().map(|item| item.content.clone()).unwrap_or_default();
    let (progress, unfinished) = counted(items);
    ListEnd { to_rev, at, title, progress, unfinished }
}

/// The beginning of an exported list: its revision, and its id, its time and its end where that was exported.
type Start = (u64, (String, Timestamp, Option<u64>));

/// Returns the rows of exported lists, the last of which is the present one, with what is shown of those that have ended.
pub(crate) fn of_export(lists: Vec<ExportedList>, history: &History, last: u64) -> Vec<ListRow> {
    let mut starts: BTreeMap<u64, (String, Timestamp, Option<u64>)> = BTreeMap::new();
    let is_old = lists.iter().all(|list| list.to.is_none());
    for list in lists {
        starts.insert(list.from.max(1), (list.list_id, list.created_at, list.to));
    }
    if is_old {
        // Builds that write no ends did not keep a list that was emptied.
        let present = starts.last_entry().map(|list| list.get().0.clone());
        for (from, at) in emptied(history) {
            starts
                .entry(from)
                .or_insert_with(|| (format!("{}-{from}", present.as_deref().unwrap_or_default()), at, None));
        }
        // The session goes on with the one that it says.
        if let (Some(present), Some(last)) = (present, starts.last_entry())
            && last.get().0 != present
        {
            let split = std::mem::replace(&mut last.into_mut().0, present.clone());
            if let Some(first) = starts.values_mut().find(|(id, _, _)| *id == present) {
                first.0 = split;
            }
        }
    }
    let nexts: Vec<Option<(u64, Timestamp)>> =
        starts.iter().skip(1).map(|(from, (_, at, _))| Some((*from, *at))).chain([None]).collect();
    let row = |((from, (list_id, created_at, to)), next): (Start, Option<(u64, Timestamp)>)| {
        let end = match next {
            None => None,
            Some((before, _)) => {
                let to_rev = to.filter(|to| (from + 1..=before).contains(to)).unwrap_or(before).min(last);
                let at = history.revisions.iter().find(|row| row.revision == to_rev).map_or(created_at, |row| row.at);
                let items = history.list_at(to_rev.saturating_sub(1));
                if items.is_empty() {
                    return None;
                }
                Some(end(&items, to_rev, at))
            }
        };
        Some(ListRow { pk: 0, list_id, from_rev: from, created_at, end, deleted_at: None })
    };
    starts.into_iter().zip(nexts).filter_map(row).collect()
}

/// The revisions that left nothing of a list that had items, each with its time. One that was undone at once did not end it.
fn emptied(history: &History) -> Vec<(u64, Timestamp)> {
    let mut changes: BTreeMap<u64, i64> = BTreeMap::new();
    for state in &history.states {
        *changes.entry(state.from_rev).or_default() += 1;
        if let Some(to) = state.to_rev {
            *changes.entry(to).or_default() -= 1;
        }
    }
    let is_undo =
        |revision: u64| history.revisions.iter().any(|row| row.revision == revision && row.cause == "todo.undo");
    let mut count = 0;
    let empty = changes.into_iter().filter_map(|(revision, change)| {
        count += change;
        (count == 0 && !is_undo(revision) && !is_undo(revision + 1)).then_some(revision)
    });
    let at =
        |revision: u64| history.revisions.iter().find(|row| row.revision == revision).map(|row| (revision, row.at));
    empty.collect::<Vec<_>>().into_iter().filter_map(at).collect()
}
