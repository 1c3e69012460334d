//! Agents' files as they change.

use crate::feed::Feed;
use crate::files::{Kind, Machine, Reader, file_of, files, folders, is_deep};
use jiff::{SignedDuration, Timestamp};
use notify_debouncer_full::notify::{EventKind, RecommendedWatcher, RecursiveMode};
use notify_debouncer_full::{DebounceEventResult, Debouncer, NoCache, new_debouncer_opt};
use protocol::Backend;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Changes of a file within this time are one.
const DEBOUNCE: Duration = Duration::from_millis(60);

/// How often folders are looked for that were not there yet, or could not be watched.
const LOOK: Duration = Duration::from_secs(10);

/// What happened longer ago than this is history.
const LATELY: Duration = Duration::from_secs(15 * 60);

/// Files that are kept open between two changes.
const READERS: usize = 128;

/// Llxprt's lists are taken by an import only.
const FOLLOWED: [Kind; 5] = [Kind::Claude, Kind::Codex, Kind::Gemini, Kind::Opencode, Kind::Qwen];

/// Hands over what agents write into their files, until it is told to stop.
pub struct Live {
    backend: Arc<dyn Backend>,
    machine: Machine,
    now: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    changed: mpsc::UnboundedReceiver<PathBuf>,
    watcher: Option<Debouncer<RecommendedWatcher, NoCache>>,
    watched: HashSet<PathBuf>,
    /// Folders that the system will not watch: they are looked through instead.
    unwatched: HashSet<PathBuf>,
    readers: HashMap<(Kind, PathBuf), (Reader, u64)>,
    looks: u64,
}

impl Live {
    /// Nothing is read before [`Live::run`].
    pub fn new(backend: Arc<dyn Backend>, machine: Machine, now: Arc<dyn Fn() -> Timestamp + Send + Sync>) -> Self {
        let (tell, changed) = mpsc::unbounded_channel();
        let watcher = new_debouncer_opt::<_, RecommendedWatcher, NoCache>(
            DEBOUNCE,
            None,
            move |events: DebounceEventResult| {
                let events = events.unwrap_or_else(|errors| {
                    tracing::warn!(?errors, "agents' files cannot be watched as they should");
                    Vec::new()
                });
                let written = events.into_iter().filter(|event| !matches!(event.kind, EventKind::Access(_)));
                for path in written.flat_map(|event| event.event.paths) {
                    // Who should read it may have ended.
                    let _ = tell.send(path);
                }
            },
            NoCache,
            notify_debouncer_full::notify::Config::default(),
        );
        let watcher = watcher.inspect_err(|error| tracing::warn!(%error, "no files can be watched")).ok();
        Self {
            backend,
            machine,
            now,
            changed,
            watcher,
            watched: HashSet::new(),
            unwatched: HashSet::new(),
            readers: HashMap::new(),
            looks: 0,
        }
    }

    /// Reads what was written lately, and then what is written, until `stop`.
    pub async fn run(mut self, stop: CancellationToken) {
        tokio::select! {
            () = stop.cancelled() => {}
            () = self.follow() => {}
        }
    }

    async fn follow(&mut self) {
        let mut looks = tokio::time::interval(LOOK);
        looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            let paths = tokio::select! {
                _ = looks.tick() => self.look_around().await,
                path = self.changed.recv() => {
                    let Some(path) = path else { return };
                    let mut paths = HashSet::from([path]);
                    while let Ok(path) = self.changed.try_recv() {
                        paths.insert(path);
                    }
                    paths
                }
            };
            let mut files: Vec<(Kind, PathBuf)> = paths.iter().filter_map(|path| self.kind_of(path)).collect();
            files.sort();
            files.dedup();
            for (kind, file) in files {
                self.read(kind, file).await;
            }
        }
    }

    /// Watches folders that have come; gives the files in them that were written lately.
    async fn look_around(&mut self) -> HashSet<PathBuf> {
        let mut lately = HashSet::new();
        for kind in FOLLOWED {
            let mode = if is_deep(kind) { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
            for folder in folders(kind, &self.machine) {
                let is_there = folder.is_dir();
                if !is_there {
                    self.watched.remove(&folder);
                    continue;
                }
                if self.watched.contains(&folder) {
                    continue;
                }
                let watching = self.watcher.as_mut().map(|watcher| watcher.watch(&folder, mode));
                match watching {
                    Some(Ok(())) => {
                        self.watched.insert(folder.clone());
                        self.unwatched.remove(&folder);
                    }
                    other => {
                        if self.unwatched.insert(folder.clone()) {
                            tracing::warn!(?other, folder = %folder.display(), "a folder cannot be watched; it is looked through from time to time");
                        }
                    }
                }
                let machine = self.machine.clone();
                let since = SystemTime::from((self.now)()).checked_sub(LATELY);
                let found = tokio::task::spawn_blocking(move || {
                    let files = files(kind, &machine).into_iter().filter(|file| changed_since(file, since));
                    files.collect::<Vec<_>>()
                });
                lately.extend(found.await.unwrap_or_default());
            }
        }
        lately
    }

    fn kind_of(&self, path: &Path) -> Option<(Kind, PathBuf)> {
        FOLLOWED.into_iter().find_map(|kind| {
            let is_in = folders(kind, &self.machine).iter().any(|folder| path.starts_with(folder));
            is_in.then(|| file_of(kind, path)).flatten().map(|file| (kind, file))
        })
    }

    async fn read(&mut self, kind: Kind, file: PathBuf) {
        self.looks += 1;
        if self.readers.len() >= READERS {
            let oldest = self.readers.iter().min_by_key(|(_, (_, at))| *at).map(|(key, _)| key.clone());
            oldest.and_then(|oldest| self.readers.remove(&oldest));
        }
        let key = (kind, file);
        let now = (self.now)();
        let (reader, at) = self.readers.entry(key).or_insert_with_key(|(kind, file)| {
            let reader = Reader::open(*kind, file);
            // One database has all runs there ever were; what else is old in it is for an import.
            let today = now.saturating_sub(SignedDuration::from_hours(24)).unwrap_or(now);
            (if *kind == Kind::Opencode { reader.since(today) } else { reader }, 0)
        });
        *at = self.looks;
        let lately = SignedDuration::try_from(LATELY).unwrap_or_default();
        let mut feed = Feed::new(&*self.backend, kind, now.saturating_sub(lately).unwrap_or(now));
        loop {
            match reader.look().await {
                Ok(told) if told.is_empty() => return,
                Ok(told) => {
                    if let Err(error) = feed.take(told).await {
                        return tracing::warn!(%error, "what agents' files tell could not be kept");
                    }
                }
                Err(error) => {
                    return tracing::info!(%error, agent = kind.name(), "an agent's file cannot be read");
                }
            }
        }
    }
}

fn changed_since(file: &Path, since: Option<SystemTime>) -> bool {
    // A database's newest pages are beside it.
    let beside = file.with_file_name(format!("{}-wal", file.file_name().unwrap_or_default().to_string_lossy()));
    let changed = [file, &beside].into_iter().filter_map(|path| path.metadata().and_then(|file| file.modified()).ok());
    changed.max() >= since
}
