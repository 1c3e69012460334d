//! Work that may hang, on a thread of its own.
//!
//! Not the runtime's threads for blocking work: the runtime waits for those when it ends, and they are everybody's.

use crate::elsewhere::is_elsewhere;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::{Instant, timeout_at};

/// The time that a look at a few small files may take.
pub const PATIENCE: Duration = Duration::from_secs(2);

/// Work under way at once; more than that waits for its turn.
const WORKERS: usize = 16;

/// Work that exceeded its limit and still hangs. Beyond that nothing is begun, so that no number of folders on a mount
/// that does not answer takes all the threads there are.
const HUNG: usize = 64;

/// The reason why there is no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GaveUp {
    /// It takes longer than its limit, or something at the same place did and still hangs.
    #[error("it does not answer")]
    Hangs,
    /// Too much hangs already.
    #[error("too many folders do not answer")]
    TooMuchHangs,
    /// Its path leads to another machine, to which Windows would introduce its user.
    #[error("it is on another machine")]
    Elsewhere,
    /// There is no thread for it, or it panicked.
    #[error("it cannot be read")]
    Failed,
}

impl From<GaveUp> for io::Error {
    fn from(why: GaveUp) -> Self {
        let kind = match why {
            GaveUp::Hangs | GaveUp::TooMuchHangs => io::ErrorKind::TimedOut,
            GaveUp::Elsewhere | GaveUp::Failed => io::ErrorKind::Other,
        };
        Self::new(kind, why)
    }
}

/// Runs work that looks at files at a place, and gives its result within a limit. Work that hangs is left to itself; until
/// it ends, other work at that place is refused at once.
///
/// # Errors
/// The reason why there is no result.
pub async fn aside<T: Send + 'static>(
    place: &Path,
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, GaveUp> {
    static WORKSHOP: std::sync::LazyLock<Workshop> = std::sync::LazyLock::new(|| Workshop::new(WORKERS, HUNG));
    if is_elsewhere(place) {
        return Err(GaveUp::Elsewhere);
    }
    WORKSHOP.run(place, limit, work).await
}

/// Threads for work that may hang.
pub(crate) struct Workshop {
    turns: Arc<Semaphore>,
    hung: Arc<Mutex<Hung>>,
    most_hung: usize,
}

/// Work that nobody waits for any more.
#[derive(Default)]
struct Hung {
    /// The number of threads that exceeded their limit, at each place.
    places: HashMap<PathBuf, usize>,
    /// The number of threads whose callers went before: these may be well.
    left: usize,
}

impl Hung {
    fn threads(&self) -> usize {
        self.left + self.places.values().sum::<usize>()
    }

    fn remove(&mut self, place: &Path) {
        if let Some(threads) = self.places.get_mut(place) {
            *threads -= 1;
            if *threads == 0 {
                self.places.remove(place);
            }
        }
    }
}

/// Work under way, known to its thread and to its caller.
struct Job {
    place: PathBuf,
    hung: Arc<Mutex<Hung>>,
    state: Mutex<State>,
}

enum State {
    /// It runs in its turn, which ends with it or when its caller gives up.
    Runs(#[expect(dead_code, reason = "held for its drop")] OwnedSemaphorePermit),
    Hangs,
    /// Its caller has gone.
    Left,
    Ended,
}

impl Workshop {
    pub(crate) fn new(workers: usize, most_hung: usize) -> Self {
        Self { turns: Arc::new(Semaphore::new(workers)), hung: Arc::default(), most_hung }
    }

    #[expect(clippy::significant_drop_tightening, reason = "the caller's hold lasts as long as it waits")]
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        place: &Path,
        limit: Duration,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, GaveUp> {
        let until = Instant::now() + limit;
        self.check(place)?;
        let turn = timeout_at(until, self.turns.clone().acquire_owned()).await;
        let turn = turn.map_err(|_| GaveUp::Hangs)?.map_err(|_| GaveUp::Failed)?;
        self.check(place)?;
        let job =
            Arc::new(Job { place: place.to_owned(), hung: self.hung.clone(), state: Mutex::new(State::Runs(turn)) });
        let (tell, told) = oneshot::channel();
        let on_thread = Ends(job.clone());
        let thread = std::thread::Builder::new().name("reading".to_owned()).spawn(move || {
            let ends = on_thread;
            let result = work();
            // Before the caller can go on: other work at this place is welcome again.
            drop(ends);
            let _ = tell.send(result);
        });
        if let Err(error) = thread {
            tracing::warn!(%error, "there is no thread to read with");
            return Err(GaveUp::Failed);
        }
        let waits = Waits(job);
        match timeout_at(until, told).await {
            Ok(result) => result.map_err(|_| GaveUp::Failed),
            Err(_) => {
                waits.no_longer(State::Hangs);
                tracing::warn!(place = %place.display(), "a folder does not answer; it is left out until it does");
                Err(GaveUp::Hangs)
            }
        }
    }

    fn check(&self, place: &Path) -> Result<(), GaveUp> {
        let hung = lock(&self.hung);
        let (hangs, threads) = (hung.places.contains_key(place), hung.threads());
        drop(hung);
        match hangs {
            true => Err(GaveUp::Hangs),
            false if threads >= self.most_hung => Err(GaveUp::TooMuchHangs),
            false => Ok(()),
        }
    }
}

/// The thread's hold on its job: dropped at its end, also by a panic.
struct Ends(Arc<Job>);

impl Drop for Ends {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        match *state {
            State::Hangs => lock(&self.0.hung).remove(&self.0.place),
            State::Left => lock(&self.0.hung).left -= 1,
            State::Runs(_) | State::Ended => {}
        }
        *state = State::Ended;
    }
}

/// The caller's hold on a job: dropped with a caller that goes.
struct Waits(Arc<Job>);

impl Waits {
    /// Leaves work that has not ended to itself; its turn is over.
    fn no_longer(&self, why: State) {
        let mut state = lock(&self.0.state);
        if !matches!(*state, State::Runs(_)) {
            return;
        }
        let mut hung = lock(&self.0.hung);
        match why {
            State::Hangs => *hung.places.entry(self.0.place.clone()).or_default() += 1,
            _ => hung.left += 1,
        }
        drop(hung);
        *state = why;
    }
}

impl Drop for Waits {
    fn drop(&mut self) {
        self.no_longer(State::Left);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
