//! What files tell, handed to a backend.

use crate::Place;
use crate::files::{Kind, Run, Told, What};
use jiff::Timestamp;
use protocol::{
    AgentIdentity, AgentInfo, Backend, Caller, Code, Reply, Request, Result, SessionReport, TodoObserve, Transport,
};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

/// Hands over what the files of one agent tell, in order.
pub(crate) struct Feed<'a> {
    backend: &'a dyn Backend,
    kind: Kind,
    /// What happened before that is history: then only lists count.
    since: Timestamp,
    /// The run that was told of last, whether it was history, and who calls for it.
    caller: Option<(Arc<Run>, bool, Caller)>,
    /// Folders as they are now.
    places: HashMap<String, Place>,
    /// Runs with a list.
    pub(crate) runs: HashSet<String>,
    /// Lists that were news.
    pub(crate) lists: u32,
}

impl<'a> Feed<'a> {
    pub(crate) fn new(backend: &'a dyn Backend, kind: Kind, since: Timestamp) -> Self {
        Self { backend, kind, since, caller: None, places: HashMap::new(), runs: HashSet::new(), lists: 0 }
    }

    /// Hands it over. A list that is refused is left out and logged.
    ///
    /// # Errors
    /// Those of a backend that cannot be written just now.
    pub(crate) async fn take(&mut self, told: Vec<Told>) -> Result<()> {
        for told in told {
            let Some(request) = self.request(&told) else { continue };
            if matches!(told.what, What::List { .. }) {
                self.runs.insert(told.run.own_session.clone());
            }
            let caller = self.caller(&told.run, told.at < self.since).await;
            match self.backend.call(caller, request).await {
                Ok(Reply::TodoObserve(observed)) => self.lists += u32::from(observed.news),
                Ok(_) => {}
                Err(error) if matches!(error.code, Code::Storage | Code::Unavailable) => return Err(error),
                Err(error) => {
                    tracing::info!(%error, agent = self.kind.name(), run = told.run.own_session, "what a file tells was not taken");
                }
            }
        }
        Ok(())
    }

    fn request(&self, told: &Told) -> Option<Request> {
        let is_history = told.at < self.since;
        // What a subagent does counts once it has a list.
        let begins = !is_history && told.run.parent.is_none();
        let report = SessionReport { at: Some(told.at), begins, ..SessionReport::default() };
        match &told.what {
            What::List { tool, todos } => {
                let title = told.run.title.clone();
                let at = Some(told.at);
                Some(TodoObserve { tool: (*tool).to_owned(), todos: todos.clone(), merge: false, at, title }.into())
            }
            What::Read { session_id } => Some(SessionReport { session_id: Some(session_id.clone()), ..report }.into()),
            What::Happened { .. } if is_history => None,
            What::Happened { happened, text, tool } => {
                Some(SessionReport { happened: *happened, text: text.clone(), tool: *tool, ..report }.into())
            }
        }
    }

    async fn caller(&mut self, run: &Arc<Run>, is_history: bool) -> Caller {
        if let Some((known, was_history, caller)) = &self.caller
            && Arc::ptr_eq(known, run)
            && *was_history == is_history
        {
            return caller.clone();
        }
        let mut place = self.place(run.folder.as_deref()).await;
        // What is checked out today says nothing of then.
        place.branch = place.branch.filter(|_| !is_history);
        let identity = AgentIdentity {
            agent: AgentInfo { name: self.kind.name().to_owned(), version: run.version.clone() },
            own_session: Some(match &run.parent {
                Some(parent) => crate::of_subagent(parent, &run.own_session),
                None => run.own_session.clone(),
            }),
            parent: run.parent.clone(),
            folder: run.folder.clone(),
            project: place.project,
            branch: run.branch.clone().or(place.branch),
            ..AgentIdentity::default()
        };
        let caller = Caller { transport: Transport::File, client: run.own_session.clone(), agent: Some(identity) };
        self.caller = Some((run.clone(), is_history, caller.clone()));
        caller
    }

    async fn place(&mut self, folder: Option<&str>) -> Place {
        let Some(folder) = folder else { return Place::default() };
        if let Some(place) = self.places.get(folder) {
            return place.clone();
        }
        let path = PathBuf::from(folder);
        let place = tokio::task::spawn_blocking(move || Place::of(&path)).await.unwrap_or_default();
        self.places.insert(folder.to_owned(), place.clone());
        place
    }
}
