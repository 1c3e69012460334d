//! Permissions and questions of an agent: they are asked here as well, beside the editor's prompt.

use crate::answers::Answers;
use crate::asks::Asked;
use crate::follow::Run;
use crate::watchers::Notes;
use protocol::{
    Ask, Backend, BoxFuture, Caller, Happened, PermissionAsk, PermissionDecided, Reply, Result, SessionReport,
};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::task::AbortHandle;

/// The tasks that wait for answers.
pub(crate) struct Asking {
    answers: Arc<Answers>,
    /// By the requests' ids, each with the agent's session.
    tasks: HashMap<String, (String, AbortHandle)>,
    denied: Denied,
}

/// Words for the model about calls that were denied, by the agents' sessions: ACP's answer has no place for them.
#[derive(Clone, Default)]
struct Denied(Arc<Mutex<HashMap<String, Vec<String>>>>);

impl Denied {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Vec<String>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Asking {
    pub(crate) fn new(answers: Arc<Answers>) -> Self {
        Self { answers, tasks: HashMap::new(), denied: Denied::default() }
    }

    /// Asks the user. It is in the backend's queue before anything that comes later.
    pub(crate) fn begin(
        &mut self,
        backend: &Arc<dyn Backend>,
        notes: &Notes,
        caller: &Caller,
        run: &Run,
        (text, asked): (String, Asked),
    ) {
        let id = asked.id.clone();
        let asking = backend.call(caller.clone(), asked.ask.clone().into());
        let one = One {
            backend: backend.clone(),
            notes: notes.clone(),
            caller: caller.clone(),
            answers: self.answers.clone(),
            denied: self.denied.clone(),
            own_session: run.own_session.clone(),
            text,
            asked,
        };
        self.tasks.retain(|_, (_, task)| !task.is_finished());
        let task = tokio::spawn(one.wait(asking)).abort_handle();
        self.tasks.insert(id, (run.own_session.clone(), task));
    }

    /// The editor has answered, and that is told.
    pub(crate) fn end(&mut self, id: &str) {
        if let Some((_, task)) = self.tasks.remove(id) {
            task.abort();
        }
    }

    /// The turn is over, and so is all that was asked in it; gives what the model is to read.
    pub(crate) fn turn_over(&mut self, own_session: &str) -> Vec<String> {
        self.tasks.retain(|_, (of, task)| {
            let is_other = of != own_session;
            if !is_other {
                task.abort();
            }
            is_other
        });
        self.denied.lock().remove(own_session).unwrap_or_default()
    }
}

/// A request of the agent's that waits for the user.
struct One {
    backend: Arc<dyn Backend>,
    notes: Notes,
    caller: Caller,
    answers: Arc<Answers>,
    denied: Denied,
    own_session: String,
    text: String,
    asked: Asked,
}

impl One {
    async fn wait(self, asking: BoxFuture<Result<Reply>>) {
        let decided = match asking.await {
            Ok(reply) => PermissionAsk::answer(reply).unwrap_or_default(),
            Err(error) => {
                tracing::info!(%error, "the user is asked by the editor alone");
                PermissionDecided::default()
            }
        };
        if self.answer(&decided).await || !self.answers.is_open(&self.asked.id) {
            return;
        }
        // The editor's prompt is still there.
        let waits = SessionReport { happened: Happened::Waits, text: Some(self.text), ..SessionReport::default() };
        if let Err(error) = self.backend.call(self.caller, waits.into()).await {
            tracing::info!(%error, "news of a session were not taken");
        }
    }

    /// Answers the agent, if somebody has decided and nobody was faster.
    async fn answer(&self, decided: &PermissionDecided) -> bool {
        let Some(result) = self.asked.result(decided) else { return false };
        let words = decided.message.as_ref().filter(|_| decided.allowed == Some(false));
        let words = words.map(|words| format!("The user denied this call: {}\nThe user says: {words}", self.text));
        let of_session = || self.own_session.clone();
        // Before the turn can end.
        self.denied.lock().entry(of_session()).or_default().extend(words.clone());
        let is_answered = match self.answers.answer(&self.notes, &self.asked.id, &result).await {
            Ok(is_answered) => is_answered,
            Err(error) => {
                tracing::info!(%error, "the agent was not given an answer");
                false
            }
        };
        if !is_answered && let Some(words) = words {
            self.denied.lock().entry(of_session()).or_default().retain(|known| *known != words);
        }
        is_answered
    }
}
