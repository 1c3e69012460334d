//! The lists in transcripts that are there already, taken into the history.

use crate::feed::Feed;
use crate::files::{Kind, Machine, Reader, files};
use jiff::Timestamp;
use protocol::{Backend, Code, Error, ImportProgress, Result};
use std::path::PathBuf;
use tokio_util::sync::CancellationToken;

/// Unreadable transcripts that are named.
const NAMED: usize = 20;

/// Takes the lists in the transcripts of these agents into the history, oldest transcript first. Doing it again changes
/// nothing. `progress` is told after each transcript; `stop` ends it after the one that it is at.
///
/// # Errors
/// Those of a backend that cannot be written; what was taken until then stays.
pub async fn import(
    backend: &dyn Backend,
    machine: &Machine,
    kinds: &[Kind],
    progress: &mut (dyn FnMut(&ImportProgress) + Send),
    stop: &CancellationToken,
) -> Result<ImportProgress> {
    let mut found: Vec<(Kind, Vec<PathBuf>)> = Vec::new();
    for kind in kinds.iter().copied() {
        let machine = machine.clone();
        let there = tokio::task::spawn_blocking(move || files(kind, &machine)).await;
        found.push((kind, there.map_err(|error| Error::new(Code::Internal, error.to_string()))?));
    }
    let total = found.iter().map(|(_, files)| files.len()).sum::<usize>();
    let mut done = ImportProgress { total: u32::try_from(total).unwrap_or(u32::MAX), ..ImportProgress::default() };
    progress(&done);
    for (kind, files) in found {
        let mut feed = Feed::new(backend, kind, Timestamp::MAX);
        let (runs, lists) = (done.runs, done.lists);
        done.agent = (!files.is_empty()).then(|| kind.name().to_owned());
        for file in files {
            if stop.is_cancelled() {
                done.cancelled = true;
                break;
            }
            if let Err(why) = read(&mut feed, kind, &file).await? {
                tracing::warn!(file = %file.display(), why, "a transcript cannot be read");
                if done.unreadable.len() < NAMED {
                    done.unreadable.push(format!("{}: {why}", file.display()));
                }
            }
            done.read += 1;
            done.runs = runs.saturating_add(u32::try_from(feed.runs.len()).unwrap_or(u32::MAX));
            done.lists = lists.saturating_add(feed.lists);
            progress(&done);
        }
    }
    done.agent = None;
    done.done = true;
    progress(&done);
    Ok(done)
}

/// Reads one transcript; the inner error says why it could not be read, the outer one that nothing can be written.
async fn read(feed: &mut Feed<'_>, kind: Kind, file: &std::path::Path) -> Result<std::result::Result<(), String>> {
    let mut reader = Reader::open(kind, file);
    loop {
        match reader.look().await {
            Ok(told) if told.is_empty() => return Ok(reader.unreadable().map_or(Ok(()), Err)),
            Ok(told) => feed.take(told).await?,
            Err(error) => return Ok(Err(error.to_string())),
        }
    }
}
