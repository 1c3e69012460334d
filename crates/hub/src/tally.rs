//! The sums of a change of a list, for insight.

use store::Tally;
use todo::list::{by_uid, flat};
use todo::{Item, Status};

/// The work done between two states of a list.
pub(crate) fn tally(before: &[Item], after: &[Item]) -> Tally {
    let was = by_uid(before);
    let mut done = Tally::default();
    for (item, _) in flat(after) {
        let was = was.get(&item.uid).map(|(was, _)| *was);
        let again = item.reopened - was.map_or(0, |was| was.reopened.min(item.reopened));
        done.reopened = done.reopened.saturating_add(u32::try_from(again).unwrap_or(u32::MAX));
        if was.is_some_and(|was| was.status == item.status) {
            continue;
        }
        match item.status {
            Status::Completed => {
                done.finished += 1;
                done.worked_ms = done.worked_ms.saturating_add(item.worked_ms);
                if let Some(minutes) = item.estimate_minutes {
                    done.estimated += 1;
                    done.estimated_ms += u64::from(minutes) * 60_000;
                    done.actual_ms = done.actual_ms.saturating_add(item.worked_ms);
                }
            }
            Status::Skipped | Status::Cancelled => done.skipped += 1,
            _ => {}
        }
    }
    done
}
