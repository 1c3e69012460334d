//! Importing the lists in old transcripts into the history.

use crate::feed::Feed;
use crate::files::{Reader, transcripts_in};
use agents::{Agent, Environment};
use jiff::Timestamp;
use protocol::{Backend, ImportProgress, Result, Text, say};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The time for finding the transcripts of an agent; a walk that takes longer hangs.
const WALK: Duration = Duration::from_secs(120);

/// The most unreadable transcripts that are named.
const NAMED: usize = 20;

/// Takes the lists in the transcripts of these agents into the history, oldest transcript first. Doing it again changes
/// nothing. `progress` is called after each piece of one; `stop` ends it.
///
/// # Errors
/// Those of a backend that cannot be written; what was taken until then stays.
pub async fn import(
    backend: &dyn Backend,
    environment: &Environment,
    agents: &[&'static dyn Agent],
    progress: &mut (dyn FnMut(&ImportProgress) + Send),
    stop: &CancellationToken,
) -> Result<ImportProgress> {
    let mut found: Vec<(&'static dyn Agent, Vec<PathBuf>)> = Vec::new();
    let mut done = ImportProgress::default();
    for agent in agents.iter().copied() {
        let folders = agent.transcript_folders(environment);
        let Some(place) = folders.first().cloned() else { continue };
        match careful::aside(&place, WALK, move || transcripts_in(agent, &folders)).await {
            Ok(files) => found.push((agent, files)),
            Err(why) => done.leave_out(unread(&place, why.to_string())),
        }
    }
    let total = found.iter().map(|(_, files)| files.len()).sum::<usize>();
    done.total = u32::try_from(total).unwrap_or(u32::MAX);
    progress(&done);
    for (agent, files) in found {
        let mut feed = Feed::new(backend, agent, Timestamp::MAX);
        let before = done.clone();
        done.agent = (!files.is_empty()).then(|| agent.name().to_owned());
        for file in files {
            let mut reader = Reader::open(agent, &file);
            let why = loop {
                if stop.is_cancelled() {
                    done.cancelled = true;
                    break None;
                }
                match reader.look().await {
                    Ok(new) if new.is_empty() => break reader.unreadable(),
                    Ok(new) => feed.take(new).await?,
                    Err(error) => break Some(error.to_string()),
                }
                count(&mut done, &before, &feed);
                // A database has all runs in one.
                progress(&done);
            };
            if done.cancelled {
                break;
            }
            if let Some(why) = why {
                tracing::warn!(file = %file.display(), why, "a transcript cannot be read");
                if done.unreadable.len() < NAMED {
                    done.leave_out(unread(&file, why));
                }
            }
            done.read += 1;
            progress(&done);
        }
        if done.cancelled {
            break;
        }
    }
    done.agent = None;
    done.done = true;
    progress(&done);
    Ok(done)
}

/// The words for a transcript that cannot be read; some reasons are ours.
fn unread(path: &Path, why: String) -> Text {
    let why = Text::recognised(why, "place_");
    say::import_unread(path.display(), &why).with("problem", &why)
}

fn count(done: &mut ImportProgress, before: &ImportProgress, feed: &Feed<'_>) {
    done.runs = before.runs.saturating_add(u32::try_from(feed.runs.len()).unwrap_or(u32::MAX));
    done.lists = before.lists.saturating_add(feed.lists);
}

#[cfg(test)]
mod tests {
    use super::*;

    // S33
    #[test]
    fn what_cannot_be_read_has_a_name_and_our_reasons_have_one() {
        let of = |why: &str| unread(Path::new("/a"), why.to_owned());
        let reasons = [
            ("it does not answer", Some("place_hangs")),
            ("it has 7 bytes, too many to be a list", Some("place_bytes")),
            ("it is not JSON: EOF at line 1", Some("place_no_json")),
            ("a.json is not JSON: EOF at line 1", Some("place_part_no_json")),
            ("it has no list \"todos\"", Some("place_no_todos")),
            ("it is too large to be a transcript", Some("place_too_large")),
            ("none of its lines is a JSON object", Some("place_no_records")),
            ("/a-wal is no ordinary file", Some("place_part_odd")),
            ("it is no ordinary file", Some("place_odd")),
            ("it is a folder", Some("place_folder")),
            ("it has 9 bytes or more, and 8 is the limit", Some("place_over")),
            ("Permission denied (os error 13)", None),
        ];
        for (why, name) in reasons {
            let text = of(why);
            assert_eq!(text.english, format!("/a: {why}"));
            let named = text.named.expect("it has a name");
            assert_eq!(named.name, "import_unread");
            assert_eq!(named.texts.get("problem").map(|problem| problem.name.as_str()), name, "{why}");
        }
    }
}
