//! Finding an agent's transcripts in its folders.

use agents::{Agent, Environment};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The most folders below an agent's that are looked into.
const DEEP: usize = 6;
/// The most entries that are looked at for one agent.
const ENTRIES: usize = 500_000;

/// An agent's transcripts, the last changed at the end.
#[must_use]
pub fn transcripts(agent: &dyn Agent, environment: &Environment) -> Vec<PathBuf> {
    transcripts_in(agent, &agent.transcript_folders(environment))
}

/// An agent's transcripts in these of its folders only.
#[must_use]
pub fn transcripts_in(agent: &dyn Agent, folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = HashMap::new();
    let deep = if agent.facts().nested_transcripts { DEEP } else { 0 };
    let mut left = ENTRIES;
    for folder in folders {
        walk(agent, folder, deep, &mut left, &mut found);
    }
    let mut found: Vec<(SystemTime, PathBuf)> = found.into_iter().map(|(path, changed)| (changed, path)).collect();
    found.sort();
    found.into_iter().map(|(_, path)| path).collect()
}

/// Collects transcripts with their times. Links are not followed; a folder of files is as new as the newest of them.
fn walk(agent: &dyn Agent, folder: &Path, deep: usize, left: &mut usize, found: &mut HashMap<PathBuf, SystemTime>) {
    for entry in fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
        if *left == 0 {
            return tracing::warn!(
                agent = agent.name(),
                "not all of its folders are looked through: they hold too much"
            );
        }
        *left -= 1;
        let (path, Ok(metadata)) = (entry.path(), entry.metadata()) else { continue };
        if metadata.is_dir() {
            if deep > 0 {
                walk(agent, &path, deep - 1, left, found);
            }
        } else if metadata.is_file()
            && let Some(transcript) = agent.transcript_of(&path)
            && let Ok(modified) = metadata.modified()
        {
            let newest = found.entry(transcript).or_insert(modified);
            *newest = modified.max(*newest);
        }
    }
}
