//! Taking the lists in agents' transcripts into the history, one import at a time.

use super::agents::failed;
use hub::Hub;
use protocol::{Backend, Code, Error, Event, ImportProgress, Result};
use sources::files::Kind;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// How often subscribers are told how far it is.
const TOLD: Duration = Duration::from_millis(100);

/// The import of a gateway: the one that runs, or the last.
#[derive(Clone)]
pub(crate) struct Imports {
    hub: Hub,
    files: sources::files::Machine,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    progress: Option<ImportProgress>,
    stop: CancellationToken,
}

impl Imports {
    pub(crate) fn new(hub: Hub, files: sources::files::Machine) -> Self {
        Self { hub, files, state: Arc::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn progress(&self) -> Option<ImportProgress> {
        self.state().progress.clone()
    }

    /// Begins one, unless one runs.
    pub(crate) fn start(&self, agents: &[String]) -> Result<ImportProgress> {
        let kinds = kinds(agents)?;
        let mut state = self.state();
        if let Some(running) = state.progress.as_ref().filter(|progress| !progress.done) {
            return Ok(running.clone());
        }
        let begun = ImportProgress::default();
        *state = State { progress: Some(begun.clone()), stop: CancellationToken::new() };
        let stop = state.stop.clone();
        drop(state);
        let imports = self.clone();
        tokio::spawn(async move { imports.run(&kinds, &stop).await });
        Ok(begun)
    }

    async fn run(&self, kinds: &[Kind], stop: &CancellationToken) {
        let mut told: Option<Instant> = None;
        let mut tell = |progress: &ImportProgress| {
            self.state().progress = Some(progress.clone());
            if progress.done || told.is_none_or(|told| told.elapsed() >= TOLD) {
                told = Some(Instant::now());
                self.hub.tell(Event::ImportProgress(progress.clone()));
            }
        };
        if let Err(error) = sources::import(&self.hub, &self.files, kinds, &mut tell, stop).await {
            let mut ended = self.progress().unwrap_or_default();
            ended.unreadable.push(error.message);
            ended = ImportProgress { done: true, cancelled: true, agent: None, ..ended };
            tell(&ended);
        }
    }

    /// Ends the one that runs; what was taken in stays.
    pub(crate) fn cancel(&self) -> ImportProgress {
        let state = self.state();
        state.stop.cancel();
        state.progress.clone().unwrap_or(ImportProgress { done: true, ..ImportProgress::default() })
    }

    /// Whether somebody ended the last one.
    pub(crate) fn was_cancelled(&self) -> bool {
        self.state().stop.is_cancelled()
    }

    /// Waits until none runs; gives how it ended.
    pub(crate) async fn ended(&self) -> Option<ImportProgress> {
        loop {
            match self.progress() {
                Some(progress) if !progress.done => tokio::time::sleep(TOLD).await,
                ended => return ended,
            }
        }
    }
}

/// Takes the lists in the transcripts of these agents into a history, all where none is named; `progress` is told how
/// far it is, and `stop` ends it.
///
/// # Errors
/// An agent that is none, or a history that cannot be written.
pub async fn import(
    backend: &dyn Backend,
    agents: &[String],
    progress: &mut (dyn FnMut(&ImportProgress) + Send),
    stop: &CancellationToken,
) -> Result<ImportProgress> {
    let machine = super::setup_machine().map_err(failed)?;
    sources::import(backend, &files_of(&machine), &kinds(agents)?, progress, stop).await
}

/// Where the agents of this machine keep their files.
pub(crate) fn files_of(machine: &setup::Machine) -> sources::files::Machine {
    sources::files::Machine { home: machine.home.clone(), environment: machine.environment.clone() }
}

fn kinds(agents: &[String]) -> Result<Vec<Kind>> {
    if agents.is_empty() {
        return Ok(Kind::ALL.to_vec());
    }
    let kinds = agents.iter().map(|name| {
        Kind::named(name).ok_or_else(|| {
            let known = Kind::ALL.map(Kind::name).join(", ");
            let name = todo::text::plain(&todo::short(name));
            let problem = format!("nothing is known of transcripts of \"{name}\"; there are {known}");
            Error::new(Code::InvalidMessage, problem)
        })
    });
    kinds.collect()
}
