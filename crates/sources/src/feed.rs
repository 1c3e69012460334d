//! The observations in transcripts, handed to a backend.

use crate::git_folder::GitFolder;
use agents::{Agent, Observation, Observed, Run, subagent_session};
use futures_util::stream::FuturesOrdered;
use futures_util::{FutureExt, StreamExt};
use jiff::Timestamp;
use protocol::{
    AgentIdentity, AgentInfo, Backend, Caller, Code, Happened, Reply, Request, Result, SessionReport, TodoObserve,
    Transport,
};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

/// The most observations that are under way at once: a hub of this process stores several in one commit. More would keep
/// others waiting.
const AT_ONCE: usize = 16;

/// The observations of one agent on their way to a backend, in order.
pub(crate) struct Feed<'a> {
    backend: &'a dyn Backend,
    agent: &'static dyn Agent,
    /// The time before which everything is history: of that only lists count.
    since: Timestamp,
    /// The run of the last observation, whether that was history, and the caller for it.
    caller: Option<(Arc<Run>, bool, Caller)>,
    /// Folders as they are now.
    folders: HashMap<String, GitFolder>,
    /// Runs with a list.
    pub(crate) runs: HashSet<String>,
    /// The number of lists that were new.
    pub(crate) lists: u32,
}

impl<'a> Feed<'a> {
    pub(crate) fn new(backend: &'a dyn Backend, agent: &'static dyn Agent, since: Timestamp) -> Self {
        Self { backend, agent, since, caller: None, folders: HashMap::new(), runs: HashSet::new(), lists: 0 }
    }

    /// Hands observations over. A list that is refused is left out and logged.
    ///
    /// # Errors
    /// Those of a backend that cannot be written just now, the first of them; what was under way beside it may be stored.
    pub(crate) async fn take(&mut self, observations: Vec<Observation>) -> Result<()> {
        let mut under_way = FuturesOrdered::new();
        let mut done = Ok(());
        for Observation { run, at, observed } in observations {
            let Some(request) = self.request(&run, at, &observed) else { continue };
            if matches!(observed, Observed::List { .. }) {
                self.runs.insert(run.own_session.clone());
            }
            let caller = self.caller(&run, at < self.since).await;
            under_way.push_back(self.backend.call(caller, request).map(|answer| (run, answer)));
            if under_way.len() >= AT_ONCE
                && let Some((run, answer)) = under_way.next().await
            {
                done = self.answered(&run, answer);
                if done.is_err() {
                    break;
                }
            }
        }
        while let Some((run, answer)) = under_way.next().await {
            done = done.and(self.answered(&run, answer));
        }
        done
    }

    fn answered(&mut self, run: &Run, answer: Result<Reply>) -> Result<()> {
        match answer {
            Ok(Reply::TodoObserve(observed)) => self.lists += u32::from(observed.news),
            Ok(_) => {}
            Err(error) if matches!(error.code, Code::Storage | Code::Unavailable) => return Err(error),
            Err(error) => {
                let agent = self.agent.name();
                tracing::info!(%error, agent, run = run.own_session, "an observation in a transcript was not taken");
            }
        }
        Ok(())
    }

    fn request(&self, run: &Run, at: Timestamp, observed: &Observed) -> Option<Request> {
        let is_history = at < self.since;
        // A subagent is a run of its own once it has a list.
        let begins = !is_history && run.parent.is_none();
        let report =
            SessionReport { at: Some(at), begins, usage: run.usage.clone().map(Box::new), ..SessionReport::default() };
        let happened = |happened, text: Option<String>, tool| {
            (!is_history).then(|| SessionReport { happened, text, tool, ..report.clone() }.into())
        };
        match observed {
            Observed::List { tool, todos } => Some(
                TodoObserve {
                    tool: (*tool).to_owned(),
                    todos: todos.clone(),
                    merge: false,
                    at: Some(at),
                    title: run.title.clone(),
                }
                .into(),
            ),
            Observed::OurResult { result } => match mcp::proof_in(result) {
                Some(proof) => Some(SessionReport { proof: Some(proof), ..report }.into()),
                None => happened(Happened::Worked, None, false),
            },
            Observed::Happened { happened: what, text, tool } => happened(*what, text.clone(), *tool),
        }
    }

    async fn caller(&mut self, run: &Arc<Run>, is_history: bool) -> Caller {
        if let Some((last, was_history, caller)) = &self.caller
            && Arc::ptr_eq(last, run)
            && *was_history == is_history
        {
            return caller.clone();
        }
        let mut git = self.git_folder(run.folder.as_deref()).await;
        // The branch that is checked out today says nothing of then.
        git.branch = git.branch.filter(|_| !is_history);
        let identity = AgentIdentity {
            agent: AgentInfo { name: self.agent.name().to_owned(), version: run.version.clone() },
            own_session: Some(match &run.parent {
                Some(parent) => subagent_session(parent, &run.own_session),
                None => run.own_session.clone(),
            }),
            parent: run.parent.clone(),
            folder: run.folder.clone(),
            project: git.project,
            branch: run.branch.clone().or(git.branch),
            ..AgentIdentity::default()
        };
        let caller = Caller::agent(Transport::File, run.own_session.clone(), identity);
        self.caller = Some((run.clone(), is_history, caller.clone()));
        caller
    }

    async fn git_folder(&mut self, folder: Option<&str>) -> GitFolder {
        let Some(folder) = folder else { return GitFolder::default() };
        if let Some(git) = self.folders.get(folder) {
            return git.clone();
        }
        let git = GitFolder::of(Path::new(folder)).await;
        self.folders.insert(folder.to_owned(), git.clone());
        git
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agents::KNOWN;
    use jiff::SignedDuration;
    use protocol::{BoxFuture, Subscription, TodoObserved};
    use serde_json::json;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;
    use tokio::sync::Barrier;

    /// Answers nobody before as many wait as may at once, and no more.
    struct WaitingBackend {
        asked: Mutex<Vec<Option<Timestamp>>>,
        under_way: Arc<AtomicUsize>,
        barrier: Arc<Barrier>,
    }

    impl Backend for WaitingBackend {
        fn call(&self, _: Caller, request: Request) -> BoxFuture<Result<Reply>> {
            let Request::TodoObserve(ask) = request else { unreachable!("there are lists alone") };
            self.asked.lock().expect("nobody panicked").push(ask.at);
            let (under_way, barrier) = (self.under_way.clone(), self.barrier.clone());
            assert!(under_way.fetch_add(1, Ordering::Relaxed) < AT_ONCE, "too many wait");
            Box::pin(async move {
                barrier.wait().await;
                under_way.fetch_sub(1, Ordering::Relaxed);
                Ok(Reply::TodoObserve(TodoObserved { news: true, ..TodoObserved::default() }))
            })
        }

        fn subscribe(&self, _: Option<String>) -> BoxFuture<Result<Subscription>> {
            unreachable!("a transcript asks for no events")
        }
    }

    // S37
    #[tokio::test(start_paused = true)]
    async fn several_lists_wait_together_and_no_more_than_may() {
        let backend = WaitingBackend {
            asked: Mutex::default(),
            under_way: Arc::default(),
            barrier: Arc::new(Barrier::new(AT_ONCE)),
        };
        let run = Arc::new(Run::new("one"));
        let at = |second: usize| Timestamp::UNIX_EPOCH + SignedDuration::from_secs(second as i64);
        let list = |second| Observation {
            run: run.clone(),
            at: at(second),
            observed: Observed::List { tool: "TodoWrite", todos: json!([{ "content": "Step" }]) },
        };
        let count = 2 * AT_ONCE;
        let mut feed = Feed::new(&backend, KNOWN.named("claude").expect("it is known"), Timestamp::MAX);
        let taken = feed.take((0..count).map(list).collect());
        tokio::time::timeout(Duration::from_secs(1), taken).await.expect("they wait together").expect("they are taken");
        assert_eq!(feed.lists as usize, count);
        let asked = backend.asked.into_inner().expect("nobody panicked");
        assert_eq!(asked, (0..count).map(|second| Some(at(second))).collect::<Vec<_>>());
    }
}
