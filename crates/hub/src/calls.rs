//! The calls of other tools that a run makes, as its hooks tell them: the last one, the files that they change, and other
//! runs that change the same files. In memory only.

use crate::error::Result;
use crate::live::Live;
use crate::state::Moment;
use crate::turn::{News, Turn};
use jiff::{SignedDuration, Timestamp};
use protocol::{DoneCall, LastCall, Need, NeedKind, input_digest};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Characters of a tool's name, of a call's subject, and of a path.
const TOOL_CHARS: usize = 200;
const TEXT_CHARS: usize = 300;
const PATH_BYTES: usize = 4_096;

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
    fn change(&mut self, file: &str, at: Timestamp) {
        self.files.insert(file.to_owned(), at);
        if self.files.len() > FILES
            && let Some(oldest) = self.files.iter().min_by_key(|(_, at)| **at).map(|(file, _)| file.clone())
        {
            self.files.remove(&oldest);
        }
    }

    /// Another run changes the same file; whether that is news.
    fn overlap(&mut self, file: &str, other: &str, at: Timestamp) -> bool {
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

    /// What the user has to know of other runs that change the same files.
    pub(crate) fn needs(&self, now: Moment) -> impl Iterator<Item = Need> {
        self.overlaps.iter().filter(move |known| known.until > now.now).map(|known| Need {
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

impl Turn<'_, '_> {
    /// A call of another tool has ended.
    pub(crate) async fn note_call(&mut self, live: &mut Live, done: &DoneCall, at: Timestamp) -> Result<()> {
        let calls = Arc::make_mut(&mut live.calls);
        let tool = done.tool.chars().take(TOOL_CHARS).collect();
        let text = done.text.as_ref().map(|text| text.chars().take(TEXT_CHARS).collect());
        calls.last = Some(LastCall { tool, text, at });
        let folder = live.row.who.folder.as_deref();
        let Some(file) = done.file.as_deref().and_then(|file| whole_path(file, folder)) else { return Ok(()) };
        calls.change(&file, at);
        let since = at.saturating_sub(TOGETHER).unwrap_or(at);
        let is_together = |other: &Live| {
            !is_related(live, other) && other.calls.files.get(&file).is_some_and(|changed| *changed >= since)
        };
        let mut others: Vec<Live> = self.staged.lives.values().filter(|other| is_together(other)).cloned().collect();
        let committed = self.core.board.current(self.core.moment());
        let is_staged = |other: &Live| {
            let id = &other.row.session_id;
            self.staged.lives.contains_key(id) || self.staged.deleted.contains(id)
        };
        others.extend(committed.iter().filter(|it| !is_staged(it) && is_together(it)).map(|it| Live::clone(it)));
        for mut other in others {
            Arc::make_mut(&mut live.calls).overlap(&file, &other.row.session_id, at);
            if Arc::make_mut(&mut other.calls).overlap(&file, &live.row.session_id, at) {
                self.save(&mut other, News::Updated).await?;
            } else {
                self.stage(&other);
            }
        }
        Ok(())
    }
}

/// The same run, or one that works for the other.
fn is_related(one: &Live, other: &Live) -> bool {
    let run = |live: &Live| live.row.who.parent_session_id.clone().unwrap_or_else(|| live.row.session_id.clone());
    run(one) == run(other)
}

/// A path from the root; one that is not goes from the run's folder.
fn whole_path(file: &str, folder: Option<&str>) -> Option<String> {
    let path = Path::new(file);
    let whole = if path.is_absolute() { path.to_owned() } else { Path::new(folder?).join(path) };
    let whole = whole.to_str()?;
    (whole.len() <= PATH_BYTES && !whole.chars().any(char::is_control)).then(|| whole.to_owned())
}
