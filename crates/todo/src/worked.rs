//! The time that items were in progress, and the number of times that they were taken up again.

use crate::depends::each;
use crate::list::by_uid;
use crate::{Item, Status};

/// Counts on from the list before a change: a stretch in progress that ended is added, and so is a return from a
/// terminal status, unless the change is an undo, which subtracts one. Items that are new in the list keep their values.
pub(crate) fn count(before: &[Item], after: &mut [Item], is_undo: bool) {
    let was = by_uid(before);
    each(after, &mut |item| {
        let Some((was, _)) = was.get(&item.uid) else { return };
        (item.worked_ms, item.reopened) = (was.worked_ms, was.reopened);
        if was.status == Status::InProgress && item.status != Status::InProgress {
            let stretch = item.status_at.as_millisecond() - was.status_at.as_millisecond();
            // A clock that went back makes no time undone.
            item.worked_ms = item.worked_ms.saturating_add(u64::try_from(stretch).unwrap_or(0));
        }
        match (was.status.is_terminal(), item.status.is_terminal()) {
            (true, false) if !is_undo => item.reopened = item.reopened.saturating_add(1),
            // The undone change may have been a return.
            (false, true) if is_undo => item.reopened = item.reopened.saturating_sub(1),
            _ => {}
        }
    });
}
