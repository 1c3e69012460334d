//! Agents' files as they change.

use crate::feed::Feed;
use crate::files::{Kind, Machine, Reader, file_of, files_in, folders, is_deep};
use jiff::{SignedDuration, Timestamp};
use notify::{Config, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use protocol::Backend;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Changes of a file within this time are one.
const DEBOUNCE: Duration = Duration::from_millis(60);

/// How often folders are looked for that were not there yet, or could not be watched.
const LOOK: Duration = Duration::from_secs(2);

/// A folder that cannot be watched is looked through at each so many looks.
const UNWATCHED: u64 = 30;

/// What happened longer ago than this is history.
const LATELY: Duration = Duration::from_secs(15 * 60);

/// Files that are kept open between two changes.
const READERS: usize = 128;

/// Llxprt's lists are taken by an import only.
const FOLLOWED: [Kind; 5] = [Kind::Claude, Kind::Codex, Kind::Gemini, Kind::Opencode, Kind::Qwen];

/// What has changed.
enum Changed {
    /// A file or a folder.
    At(PathBuf),
    /// The system could not say what.
    Anything,
}

/// Hands over what agents write into their files, until it is told to stop.
pub struct Live {
    backend: Arc<dyn Backend>,
    machine: Machine,
    now: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    changed: mpsc::UnboundedReceiver<Changed>,
    watcher: Option<RecommendedWatcher>,
    watched: HashSet<PathBuf>,
    /// Folders that the system will not watch, since which look: they are looked through from time to time.
    unwatched: HashMap<PathBuf, u64>,
    looks_around: u64,
    readers: HashMap<(Kind, PathBuf), (Reader, u64)>,
    looks: u64,
}

impl Live {
    /// Nothing is read before [`Live::run`].
    pub fn new(backend: Arc<dyn Backend>, machine: Machine, now: Arc<dyn Fn() -> Timestamp + Send + Sync>) -> Self {
        let (tell, changed) = mpsc::unbounded_channel();
        let hear = move |event: notify::Result<Event>| {
            let changed: Vec<Changed> = match event {
                Ok(event) if matches!(event.kind, EventKind::Access(_)) => return,
                Ok(event) if event.need_rescan() => vec![Changed::Anything],
                Ok(event) => event.paths.into_iter().map(Changed::At).collect(),
                Err(error) => {
                    tracing::warn!(%error, "agents' files cannot be watched as they should");
                    vec![Changed::Anything]
                }
            };
            for changed in changed {
                // Who should read it may have ended.
                let _ = tell.send(changed);
            }
        };
        // A link in a folder that an agent may write could lead to all the files there are.
        let watcher = RecommendedWatcher::new(hear, Config::default().with_follow_symlinks(false));
        let watcher = watcher.inspect_err(|error| tracing::warn!(%error, "no files can be watched")).ok();
        Self {
            backend,
            machine,
            now,
            changed,
            watcher,
            watched: HashSet::new(),
            unwatched: HashMap::new(),
            looks_around: 0,
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
            let files = tokio::select! {
                _ = looks.tick() => self.look_around().await,
                changed = self.changed.recv() => {
                    let Some(changed) = changed else { return };
                    let mut all = vec![changed];
                    tokio::time::sleep(DEBOUNCE).await;
                    while let Ok(changed) = self.changed.try_recv() {
                        all.push(changed);
                    }
                    self.files_of(all).await
                }
            };
            for (kind, file) in files {
                self.read(kind, file).await;
            }
        }
    }

    /// The files that changes are about.
    async fn files_of(&mut self, changed: Vec<Changed>) -> BTreeSet<(Kind, PathBuf)> {
        let mut files = BTreeSet::new();
        for changed in changed {
            match changed {
                Changed::Anything => {
                    self.watched.clear();
                    files.extend(self.look_around().await);
                }
                Changed::At(path) if self.watched.remove(&path) => files.extend(self.look_around().await),
                // What came with a new folder, before that was watched.
                Changed::At(path) if path.is_dir() => {
                    for kind in self.kinds_at(&path) {
                        files.extend(self.lately(kind, path.clone()).await);
                    }
                    files.extend(self.kind_of(&path));
                }
                Changed::At(path) => files.extend(self.kind_of(&path)),
            }
        }
        files
    }

    /// Watches folders that have come, or come anew; gives the files in them that were written lately.
    async fn look_around(&mut self) -> BTreeSet<(Kind, PathBuf)> {
        let mut lately = BTreeSet::new();
        self.looks_around += 1;
        for kind in FOLLOWED {
            for folder in folders(kind, &self.machine) {
                if !folder.is_dir() {
                    self.watched.remove(&folder);
                    continue;
                }
                let since = self.unwatched.get(&folder).map(|since| self.looks_around - since);
                if self.watched.contains(&folder) || since.is_some_and(|looks| looks % UNWATCHED != 0) {
                    continue;
                }
                match self.watch(kind, folder.clone()).await {
                    Ok(()) => {
                        self.watched.insert(folder.clone());
                        self.unwatched.remove(&folder);
                    }
                    Err(why) => {
                        if self.unwatched.insert(folder.clone(), self.looks_around).is_none() {
                            tracing::warn!(why, folder = %folder.display(), "a folder cannot be watched; it is looked through from time to time");
                        }
                    }
                }
                lately.extend(self.lately(kind, folder).await);
            }
        }
        lately
    }

    /// Finding all the folders below takes a while.
    async fn watch(&mut self, kind: Kind, folder: PathBuf) -> Result<(), String> {
        let mut watcher = self.watcher.take().ok_or("no files can be watched")?;
        let mode = if is_deep(kind) { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
        let watching = tokio::task::spawn_blocking(move || {
            let watching = watcher.watch(&folder, mode).map_err(|error| error.to_string());
            (watcher, watching)
        });
        let (watcher, watching) = watching.await.map_err(|error| error.to_string())?;
        self.watcher = Some(watcher);
        watching
    }

    /// The files below a folder that were written lately.
    async fn lately(&mut self, kind: Kind, folder: PathBuf) -> Vec<(Kind, PathBuf)> {
        let since = SystemTime::from((self.now)()).checked_sub(LATELY);
        let found = tokio::task::spawn_blocking(move || {
            let files = files_in(kind, &[folder]).into_iter();
            files.filter(|file| changed_since(file, since)).map(|file| (kind, file)).collect()
        });
        found.await.unwrap_or_default()
    }

    fn kinds_at(&self, path: &Path) -> Vec<Kind> {
        let is_at = |kind: &Kind| folders(*kind, &self.machine).iter().any(|folder| path.starts_with(folder));
        FOLLOWED.into_iter().filter(is_at).collect()
    }

    fn kind_of(&self, path: &Path) -> Option<(Kind, PathBuf)> {
        self.kinds_at(path).into_iter().find_map(|kind| file_of(kind, path).map(|file| (kind, file)))
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
