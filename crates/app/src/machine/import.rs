//! Importing the lists in agents' transcripts into the history, one import at a time.

use super::environment::{environment, failed};
use agents::{Agent, Environment, Registry};
use hub::Hub;
use protocol::{Backend, Code, Error, Event, ImportProgress, Result, say};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// The time between two events on its progress.
const TOLD: Duration = Duration::from_millis(100);

/// The import of a gateway: the one that runs, or the last.
#[derive(Clone)]
pub(crate) struct Imports {
    hub: Hub,
    agents: Registry,
    environment: Environment,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    progress: Option<ImportProgress>,
    stop: CancellationToken,
}

impl Imports {
    pub(crate) fn new(hub: Hub, agents: Registry, environment: Environment) -> Self {
        Self { hub, agents, environment, state: Arc::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn progress(&self) -> Option<ImportProgress> {
        self.state().progress.clone()
    }

    /// Begins one, unless one runs.
    pub(crate) fn start(&self, names: &[String]) -> Result<ImportProgress> {
        let agents = chosen(self.agents, names)?;
        let mut state = self.state();
        if let Some(running) = state.progress.as_ref().filter(|progress| !progress.done) {
            return Ok(running.clone());
        }
        let begun = ImportProgress::default();
        *state = State { progress: Some(begun.clone()), stop: CancellationToken::new() };
        let stop = state.stop.clone();
        drop(state);
        let imports = self.clone();
        tokio::spawn(async move { imports.run(&agents, &stop).await });
        Ok(begun)
    }

    async fn run(&self, agents: &[&'static dyn Agent], stop: &CancellationToken) {
        let mut told: Option<Instant> = None;
        let mut tell = |progress: &ImportProgress| {
            self.state().progress = Some(progress.clone());
            if progress.done || told.is_none_or(|told| told.elapsed() >= TOLD) {
                told = Some(Instant::now());
                self.hub.tell(Event::ImportProgress(progress.clone()));
            }
        };
        if let Err(error) = sources::import(&self.hub, &self.environment, agents, &mut tell, stop).await {
            let mut ended = self.progress().unwrap_or_default();
            ended.leave_out(error.into_text());
            ended = ImportProgress { done: true, cancelled: true, agent: None, ..ended };
            tell(&ended);
        }
    }

    /// Cancels the one that runs; what was imported stays.
    pub(crate) fn cancel(&self) -> ImportProgress {
        let state = self.state();
        state.stop.cancel();
        state.progress.clone().unwrap_or(ImportProgress { done: true, ..ImportProgress::default() })
    }

    /// Returns whether the last one was cancelled.
    pub(crate) fn was_cancelled(&self) -> bool {
        self.state().stop.is_cancelled()
    }

    /// Waits until none runs. Returns the end of the last one.
    pub(crate) async fn ended(&self) -> Option<ImportProgress> {
        loop {
            match self.progress() {
                Some(progress) if !progress.done => tokio::time::sleep(TOLD).await,
                ended => return ended,
            }
        }
    }
}

/// Imports the lists in the transcripts of these agents, all where none is named; `progress` is called as it proceeds, and
/// `stop` ends it.
///
/// # Errors
/// An agent that is none, or a history that cannot be written.
pub async fn import(
    backend: &dyn Backend,
    agents: Registry,
    names: &[String],
    progress: &mut (dyn FnMut(&ImportProgress) + Send),
    stop: &CancellationToken,
) -> Result<ImportProgress> {
    let environment = environment().map_err(failed)?;
    sources::import(backend, &environment, &chosen(agents, names)?, progress, stop).await
}

/// The agents of these names, all with transcripts where none is named.
fn chosen(agents: Registry, names: &[String]) -> Result<Vec<&'static dyn Agent>> {
    let with_transcripts = || agents.iter().filter(|agent| agent.has_transcripts());
    if names.is_empty() {
        return Ok(with_transcripts().collect());
    }
    let agents = names.iter().map(|name| {
        with_transcripts().find(|agent| agent.name() == name).ok_or_else(|| {
            let known = Registry::names(with_transcripts());
            let name = todo::text::plain(&todo::short(name));
            Error::new(Code::InvalidMessage, say::transcripts_unknown(name, known))
        })
    });
    agents.collect()
}
