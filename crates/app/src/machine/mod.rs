//! What a gateway answers about the machine that it runs on: which agents there are, how they are connected, and what
//! their transcripts hold.

mod agents;
mod import;
mod open;
mod real;
mod selftest;

pub use agents::{Versions, list, named, program, server, setup_machine};
pub use import::import;
pub use selftest::{Registered, Tell, test};

use crate::keys::Kept;
use agents::Plans;
use hub::Hub;
use import::Imports;
use protocol::{
    AgentsApplied, AgentsApply, AgentsPlan, AgentsPlanned, AgentsStepEvent, AgentsTest, AgentsTested, BoxFuture, Code,
    Error, Event, ListState, OwnSwitch, Registered as Is, Reply, Request, Result,
};
use std::path::PathBuf;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// The agents of a machine, as one gateway answers for them.
pub(crate) struct Machine {
    hub: Hub,
    data_dir: PathBuf,
    setup: setup::Machine,
    versions: Versions,
    plans: Plans,
    pub(crate) imports: Imports,
}

impl Machine {
    pub(crate) fn new(hub: Hub, data_dir: PathBuf) -> anyhow::Result<Arc<Self>> {
        Ok(Self::of(hub, data_dir, setup_machine()?))
    }

    /// The agents of a home and an environment.
    pub(crate) fn of(hub: Hub, data_dir: PathBuf, setup: setup::Machine) -> Arc<Self> {
        let imports = Imports::new(hub.clone(), import::files_of(&setup));
        Arc::new(Self { hub, data_dir, setup, versions: Versions::default(), plans: Plans::default(), imports })
    }

    /// See [`AgentsPlan`].
    pub(crate) async fn plan(&self, ask: AgentsPlan) -> Result<AgentsPlanned> {
        self.plans.make(&self.setup, &self.data_dir, ask).await
    }

    /// See [`AgentsApply`].
    pub(crate) async fn apply(&self, ask: AgentsApply) -> Result<AgentsApplied> {
        self.plans.apply(ask).await
    }

    /// Answers the hub's requests of this machine from now on.
    pub(crate) fn serve(self: &Arc<Self>) {
        let machine = self.clone();
        self.hub.answer_machine(Some(Arc::new(move |request| machine.clone().answer(request))));
    }

    fn answer(self: Arc<Self>, request: Request) -> BoxFuture<Result<Reply>> {
        Box::pin(async move {
            Ok(match request {
                Request::AgentsList(_) => Reply::AgentsList(self.list(true).await?),
                Request::AgentsPlan(ask) => Reply::AgentsPlan(self.plan(ask).await?),
                Request::AgentsApply(ask) => {
                    let applied = self.apply(ask).await;
                    // Also where it failed: something may have changed all the same.
                    if let Err(error) = self.list(false).await {
                        tracing::warn!(%error, "the agents of this machine cannot be looked at again");
                    }
                    Reply::AgentsApply(applied?)
                }
                Request::AgentsTest(ask) => Reply::AgentsTest(self.test(ask).await?),
                Request::ImportStart(ask) => Reply::ImportStart(self.imports.start(&ask.agents)?),
                Request::SessionOpen(ask) => Reply::SessionOpen(open::open(&self.hub, &ask).await?),
                Request::SessionResume(ask) => Reply::SessionResume(open::resume(&self.hub, &ask).await?),
                Request::ImportCancel(_) => Reply::ImportCancel(self.imports.cancel()),
                other => {
                    let problem = format!("{} is not about this machine", other.kind());
                    return Err(Error::new(Code::Internal, problem));
                }
            })
        })
    }

    /// Looks at the agents, and tells the hub what it means that one has not written a list.
    pub(crate) async fn list(&self, with_versions: bool) -> Result<protocol::AgentsThere> {
        let versions = with_versions.then_some(&self.versions);
        let mut there = list(&self.hub, &self.setup, versions, &self.data_dir).await?;
        for agent in &there.agents {
            let state = match (agent.server, agent.own_list) {
                (Is::Ours | Is::Outdated, _) => ListState::NeverCalled,
                (_, OwnSwitch::Off) => ListState::ToolOff,
                _ => ListState::Unknown,
            };
            self.hub.silent_lists(&agent.agent, state);
        }
        there.import = self.imports.progress();
        Ok(there)
    }

    /// Takes in what agents have written into their files, and what they write from now on, until `stop`.
    pub(crate) async fn follow(self: Arc<Self>, stop: CancellationToken) {
        if let Err(error) = self.list(false).await {
            tracing::warn!(%error, "the agents of this machine cannot be looked at");
        }
        let files = import::files_of(&self.setup);
        let live = sources::Live::new(Arc::new(self.hub.clone()), files, Arc::new(crate::now));
        tokio::join!(live.run(stop.clone()), self.first_import(stop));
    }

    /// On the first start the lists in the transcripts that are there go into the history.
    async fn first_import(&self, stop: CancellationToken) {
        match Kept::load_or_make(&self.data_dir) {
            Ok(kept) if !kept.imported => {}
            Ok(_) => return,
            Err(error) => return tracing::warn!(error = format!("{error:#}"), "transcripts are not imported"),
        }
        if let Err(error) = self.imports.start(&[]) {
            return tracing::warn!(%error, "transcripts are not imported");
        }
        let ended = tokio::select! {
            () = stop.cancelled() => {
                self.imports.cancel();
                return;
            }
            ended = self.imports.ended() => ended,
        };
        // Who ended it does not want it.
        let failed = ended.as_ref().is_some_and(|ended| ended.cancelled) && !self.imports.was_cancelled();
        tracing::info!(?ended, failed, "transcripts were imported");
        if failed {
            return;
        }
        let noted =
            Kept::load_or_make(&self.data_dir).and_then(|kept| Kept { imported: true, ..kept }.save(&self.data_dir));
        if let Err(error) = noted {
            tracing::warn!(error = format!("{error:#}"), "the import will be made again");
        }
    }

    async fn test(&self, ask: AgentsTest) -> Result<AgentsTested> {
        let agent = agents::named(&ask.agent)?;
        let server = server(&self.setup, &self.data_dir).map_err(agents::failed)?;
        let hub = self.hub.clone();
        let mut tell = move |step: &protocol::TestStep| {
            hub.tell(Event::AgentsStep(AgentsStepEvent { agent: agent.name().to_owned(), step: step.clone() }));
        };
        let program = agents::program(&self.setup, agent, ask.real)?;
        let registered = Registered::of(agent, &server);
        Ok(test(&registered, program.as_deref(), &self.hub, &self.data_dir, &mut tell).await)
    }
}
