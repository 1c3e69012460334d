//! Order as a value of each item, so that an insertion or a removal changes no neighbour.
//!
//! A rank is a fractional index as lowercase hex; ranks of one list compare as text.

use crate::Item;
use crate::limits::RANK_CHARS;
use fractional_index::FractionalIndex;

/// True if a text is a rank.
pub(crate) fn is_rank(text: &str) -> bool {
    !text.is_empty() && read(text).is_some()
}

/// Reads a rank. The library cuts a text at every second byte, and panics inside a character of several.
fn read(text: &str) -> Option<FractionalIndex> {
    text.is_ascii().then(|| FractionalIndex::from_string(text).ok()).flatten()
}

/// Gives every item a rank so that ranks ascend, keeping as many as possible of those there are.
///
/// The kept ones are a longest ascending run of the old ranks; only items that moved or are new get another.
pub fn assign(items: &mut [Item]) {
    let ranks = || items.iter().map(|item| item.rank.as_str());
    // One that cannot be read is found when there is a rank to be given beside it.
    if ranks().all(|rank| (1..=RANK_CHARS).contains(&rank.len())) && ranks().is_sorted_by(|one, next| one < next) {
        return items.iter_mut().for_each(|item| assign(&mut item.subtasks));
    }
    let usable = |rank: &&str| rank.len() <= RANK_CHARS && is_rank(rank);
    let keep = longest_ascending(&items.iter().map(|item| Some(item.rank.as_str()).filter(usable)).collect::<Vec<_>>());
    let mut before: Option<FractionalIndex> = None;
    for at in 0..items.len() {
        if keep[at] {
            before = read(&items[at].rank);
            continue;
        }
        let after = (at + 1..items.len()).find(|&next| keep[next]).and_then(|next| read(&items[next].rank));
        // `new` refuses only bounds out of order, which the ascending run excludes.
        let rank = FractionalIndex::new(before.as_ref(), after.as_ref()).unwrap_or_default();
        items[at].rank = rank.to_string().into();
        before = Some(rank);
    }
    for item in items {
        assign(&mut item.subtasks);
    }
}

/// Marks the values of a longest strictly ascending run; `None` is in no run.
pub(crate) fn longest_ascending<K: Ord>(values: &[Option<K>]) -> Vec<bool> {
    let mut tails: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = vec![None; values.len()];
    for (at, value) in values.iter().enumerate() {
        if value.is_none() {
            continue;
        }
        let place = tails.partition_point(|&tail| values[tail] < *value);
        previous[at] = place.checked_sub(1).map(|p| tails[p]);
        if place == tails.len() {
            tails.push(at);
        } else {
            tails[place] = at;
        }
    }
    let mut keep = vec![false; values.len()];
    let mut at = tails.last().copied();
    while let Some(index) = at {
        keep[index] = true;
        at = previous[index];
    }
    keep
}
