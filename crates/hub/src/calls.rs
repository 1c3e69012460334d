//! The calls of other tools that a run makes, as its hooks tell them: the last one, the files that they change, and other
//! runs that change the same files. In memory only.

use crate::state::Moment;
use jiff::{SignedDuration, Timestamp};
use protocol::{LastCall, Need, NeedKind, input_digest};
use std::collections::BTreeMap;

/// Characters of the path that is told.
const TEXT_CHARS: usize = 300;

/// Files of a run that are remembered; the oldest go.
const FILES: usize = 200;

/// Other runs' files that are told at once.
const OVERLAPS: usize = 20;

/// Two runs change one file if one does so within this time after the other.
const TOGETHER: SignedDuration = SignedDuration::from_mins(10);

/// The time for which that is told after the last change.
const TOLD: SignedDuration = SignedDuration::from_mins(30);

/// The calls of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Calls {
    pub(crate) last: Option<LastCall>,
    /// The files that it has changed, each with the time of the last change.
    files: BTreeMap<String, Timestamp>,
    overlaps: Vec<Overlap>,
}

/// Another run changes the same file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Overlap {
    file: String,
    other: String,
    since: Timestamp,
    until: Timestamp,
}

impl Calls {
    pub(crate) fn change(&mut self, file: &str, at: Timestamp) {
        self.files.insert(file.to_owned(), at);
        if self.files.len() > FILES
            && let Some(oldest) = self.files.iter().min_by_key(|(_, at)| **at).map(|(file, _)| file.clone())
        {
            self.files.remove(&oldest);
        }
    }

    /// True if the run has changed a file shortly before a time.
    pub(crate) fn has_changed(&self, file: &str, at: Timestamp) -> bool {
        let since = at.saturating_sub(TOGETHER).unwrap_or(at);
        self.files.get(file).is_some_and(|changed| *changed >= since)
    }

    /// Another run changes the same file; whether that is news.
    pub(crate) fn overlap(&mut self, file: &str, other: &str, at: Timestamp) -> bool {
        self.overlaps.retain(|known| known.until > at);
        let until = at.saturating_add(TOLD).unwrap_or(at);
        if let Some(known) = self.overlaps.iter_mut().find(|known| known.file == file && known.other == other) {
            known.until = until;
            return false;
        }
        let is_news = self.overlaps.len() < OVERLAPS;
        if is_news {
            self.overlaps.push(Overlap { file: file.to_owned(), other: other.to_owned(), since: at, until });
        }
        is_news
    }

    /// The needs about other runs that change the same files.
    pub(crate) fn needs(&self, now: Moment) -> impl Iterator<Item = Need> {
        self.overlaps.iter().filter(move |known| known.until > now.now).map(|known| Need {
            words: None,
            id: format!("overlap:{}:{}", known.other, input_digest(&known.file)),
            kind: NeedKind::Overlap,
            since: known.since,
            text: known.file.chars().take(TEXT_CHARS).collect(),
            uid: None,
            edit_id: None,
            permission_id: None,
            other_session_id: Some(known.other.clone()),
        })
    }
}
