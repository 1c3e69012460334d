//! Agents' transcripts as they change.

use crate::feed::Feed;
use crate::files::{Reader, transcripts_in};
use agents::{Agent, Environment, Registry};
use jiff::{SignedDuration, Timestamp};
use notify::{Config, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use protocol::Backend;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The time for the rest of a write.
const SETTLE_TIME: Duration = Duration::from_millis(10);

/// The least time from what was read to the next read of what has changed: what changes all the time is not read all the
/// time.
const READ_INTERVAL: Duration = Duration::from_millis(60);

/// The time between two looks for folders that did not exist yet, or could not be watched.
const LOOK: Duration = Duration::from_secs(2);

/// The number of looks after which a folder that cannot be watched is looked through.
const UNWATCHED: u64 = 30;

/// The age from which on everything is history.
const LATELY: Duration = Duration::from_secs(15 * 60);

/// The time for finding all the folders below one; a walk that takes longer hangs.
const WALK: Duration = Duration::from_secs(60);

/// The most transcripts that are kept open between two changes.
const READERS: usize = 128;

/// A transcript of an agent.
type TranscriptPath = (&'static dyn Agent, PathBuf);

/// A change in the file system.
enum Changed {
    /// A file or a folder.
    At(PathBuf),
    /// Any file: the system could not say which.
    Anything,
}

/// The transcripts that agents write while it runs, handed to a backend.
pub struct Live {
    backend: Arc<dyn Backend>,
    agents: Registry,
    environment: Environment,
    now: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    tell: mpsc::UnboundedSender<Changed>,
    changed: mpsc::UnboundedReceiver<Changed>,
    watcher: Option<RecommendedWatcher>,
    watched: HashSet<PathBuf>,
    /// Folders that the system will not watch, with the look that found out: they are looked through from time to time.
    unwatched: HashMap<PathBuf, u64>,
    looks_around: u64,
    readers: HashMap<TranscriptPath, (Reader, u64)>,
    looks: u64,
}

impl Live {
    /// Watches the folders of these agents. Nothing is read before [`Live::run`].
    pub fn new(
        backend: Arc<dyn Backend>,
        agents: Registry,
        environment: Environment,
        now: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    ) -> Self {
        let (tell, changed) = mpsc::unbounded_channel();
        Self {
            backend,
            agents,
            environment,
            now,
            watcher: watcher_of(tell.clone()),
            tell,
            changed,
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
        let mut next_read = Instant::now();
        loop {
            let files = tokio::select! {
                _ = looks.tick() => self.look_around().await,
                changed = self.changed.recv() => {
                    let Some(changed) = changed else { return };
                    let mut all = vec![changed];
                    tokio::time::sleep_until(next_read.max(Instant::now() + SETTLE_TIME)).await;
                    while let Ok(changed) = self.changed.try_recv() {
                        all.push(changed);
                    }
                    self.files_of(all).await
                }
            };
            if files.is_empty() {
                continue;
            }
            for (agent, file) in files {
                self.read(agent, file).await;
            }
            next_read = Instant::now() + READ_INTERVAL;
        }
    }

    /// The transcripts that changes are about.
    async fn files_of(&mut self, changed: Vec<Changed>) -> BTreeSet<TranscriptPath> {
        let mut files = BTreeSet::new();
        for changed in changed {
            match changed {
                Changed::Anything => {
                    self.watched.clear();
                    files.extend(self.look_around().await);
                }
                Changed::At(path) if self.watched.remove(&path) => files.extend(self.look_around().await),
                // Files that came with a new folder, before that was watched.
                Changed::At(path) if is_folder(&path).await == Some(true) => {
                    for agent in self.agents_at(&path) {
                        files.extend(self.lately(agent, path.clone()).await);
                    }
                    files.extend(self.transcript_of(&path));
                }
                Changed::At(path) => files.extend(self.transcript_of(&path)),
            }
        }
        files
    }

    /// Watches folders that have come, or come anew. Returns the transcripts in them that were written lately.
    async fn look_around(&mut self) -> BTreeSet<TranscriptPath> {
        let mut lately = BTreeSet::new();
        self.looks_around += 1;
        for agent in self.followed() {
            for folder in agent.transcript_folders(&self.environment) {
                match is_folder(&folder).await {
                    Some(true) => {}
                    Some(false) => {
                        self.watched.remove(&folder);
                        continue;
                    }
                    None => continue,
                }
                let since = self.unwatched.get(&folder).map(|since| self.looks_around - since);
                if self.watched.contains(&folder) || since.is_some_and(|looks| looks % UNWATCHED != 0) {
                    continue;
                }
                match self.watch(agent, folder.clone()).await {
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
                lately.extend(self.lately(agent, folder).await);
            }
        }
        lately
    }

    /// Finding all the folders below takes a while.
    async fn watch(&mut self, agent: &dyn Agent, folder: PathBuf) -> Result<(), String> {
        let mut watcher = self.watcher.take().ok_or("no files can be watched")?;
        let nested = agent.facts().nested_transcripts;
        let mode = if nested { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
        let place = folder.clone();
        let watching = careful::aside(&place, WALK, move || {
            let watching = watcher.watch(&folder, mode).map_err(|error| error.to_string());
            (watcher, watching)
        });
        match watching.await {
            Ok((watcher, watching)) => {
                self.watcher = Some(watcher);
                watching
            }
            // The watcher hangs with it; the other folders get another one.
            Err(why) => {
                self.watcher = watcher_of(self.tell.clone());
                self.watched.clear();
                Err(why.to_string())
            }
        }
    }

    /// The transcripts below a folder that were written lately.
    async fn lately(&mut self, agent: &'static dyn Agent, folder: PathBuf) -> Vec<TranscriptPath> {
        let since = SystemTime::from((self.now)()).checked_sub(LATELY);
        let place = folder.clone();
        let found = careful::aside(&place, WALK, move || {
            let files = transcripts_in(agent, &[folder]).into_iter();
            files.filter(|file| changed_since(file, since)).map(|file| (agent, file)).collect()
        });
        found.await.unwrap_or_default()
    }

    fn followed(&self) -> impl Iterator<Item = &'static dyn Agent> + use<> {
        self.agents.iter().filter(|agent| agent.facts().live_transcripts)
    }

    fn agents_at(&self, path: &Path) -> Vec<&'static dyn Agent> {
        let is_at = |agent: &&'static dyn Agent| {
            agent.transcript_folders(&self.environment).iter().any(|folder| path.starts_with(folder))
        };
        self.followed().filter(is_at).collect()
    }

    fn transcript_of(&self, path: &Path) -> Option<TranscriptPath> {
        self.agents_at(path).into_iter().find_map(|agent| agent.transcript_of(path).map(|file| (agent, file)))
    }

    async fn read(&mut self, agent: &'static dyn Agent, file: PathBuf) {
        self.looks += 1;
        if self.readers.len() >= READERS {
            let oldest = self.readers.iter().min_by_key(|(_, (_, at))| *at).map(|(key, _)| key.clone());
            oldest.and_then(|oldest| self.readers.remove(&oldest));
        }
        let key = (agent, file);
        let now = (self.now)();
        let (reader, at) = self.readers.entry(key).or_insert_with_key(|(agent, file)| {
            // A database has all runs there ever were; the old ones are for an import.
            let today = now.saturating_sub(SignedDuration::from_hours(24)).unwrap_or(now);
            (Reader::open(*agent, file).since_in_database(today), 0)
        });
        *at = self.looks;
        let lately = SignedDuration::try_from(LATELY).unwrap_or_default();
        let mut feed = Feed::new(&*self.backend, agent, now.saturating_sub(lately).unwrap_or(now));
        loop {
            match reader.look().await {
                Ok(new) if new.is_empty() => return,
                Ok(new) => {
                    if let Err(error) = feed.take(new).await {
                        return tracing::warn!(%error, "observations in a transcript could not be kept");
                    }
                }
                Err(error) => {
                    return tracing::info!(%error, agent = agent.name(), "an agent's file cannot be read");
                }
            }
        }
    }
}

/// A watcher of no folder yet, which tells its changes.
fn watcher_of(tell: mpsc::UnboundedSender<Changed>) -> Option<RecommendedWatcher> {
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
            // The reader may have ended.
            let _ = tell.send(changed);
        }
    };
    // A link in a folder that an agent may write could lead to all the files there are.
    let watcher = RecommendedWatcher::new(hear, Config::default().with_follow_symlinks(false));
    watcher.inspect_err(|error| tracing::warn!(%error, "no files can be watched")).ok()
}

/// Returns whether a path is a folder. `None` where that is not known, because it does not answer.
async fn is_folder(path: &Path) -> Option<bool> {
    let folder = path.to_owned();
    careful::aside(path, careful::PATIENCE, move || folder.is_dir()).await.ok()
}

fn changed_since(file: &Path, since: Option<SystemTime>) -> bool {
    // A database's newest pages are in a file beside it.
    let beside = file.with_file_name(format!("{}-wal", file.file_name().unwrap_or_default().to_string_lossy()));
    let changed = [file, &beside].into_iter().filter_map(|path| path.metadata().and_then(|file| file.modified()).ok());
    changed.max() >= since
}
