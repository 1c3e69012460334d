//! The answers to the hub's requests about this machine.

use super::away;
use super::demos;
use super::environment::{environment, failed, named, program, server};
use super::files;
use super::import::Imports;
use super::list::{Versions, facts, list};
use super::open;
use super::plans::Plans;
use super::raise;
use super::selftest::{RegisteredServer, test};
use super::starts::Starts;
use crate::gateway_file::GatewayFile;
use crate::host_keys::HostKeys;
use agents::{Environment, Registry};
use hub::Hub;
use protocol::classes::Computer;
use protocol::{
    AgentsApplied, AgentsApply, AgentsPlan, AgentsPlanned, AgentsStepEvent, AgentsTest, AgentsTested, BoxFuture, Code,
    Done, Error, Event, HostsKey, ListState, OpenWith, OwnSwitch, Registered as Is, Reply, Request, Result,
    SessionOpen, Sorted, say,
};
use setup::Server;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

/// The answers of one gateway about its machine: agents, imports, opening.
pub(crate) struct MachineAnswers {
    hub: Hub,
    data_dir: PathBuf,
    agents: Registry,
    environment: Environment,
    host_keys: Arc<HostKeys>,
    versions: Versions,
    plans: Plans,
    tests: RunningTests,
    demos: demos::Demos,
    pub(crate) imports: Imports,
}

/// Ends the tests that are under way, by the agent's name.
#[derive(Default)]
struct RunningTests(Mutex<HashMap<String, CancellationToken>>);

impl RunningTests {
    fn of(&self, agent: &str) -> CancellationToken {
        let mut tests = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tests.entry(agent.to_owned()).or_default().clone()
    }

    fn cancel(&self, agent: &str) {
        let of = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(agent);
        if let Some(tests) = of {
            tests.cancel();
        }
    }
}

impl MachineAnswers {
    /// Answers for the user's own home and environment.
    pub(crate) fn new(hub: Hub, data_dir: PathBuf, agents: Registry, keys: Arc<HostKeys>) -> anyhow::Result<Arc<Self>> {
        Ok(Self::of(hub, data_dir, agents, environment()?, keys))
    }

    /// Answers for this home and environment.
    pub(crate) fn of(
        hub: Hub,
        data_dir: PathBuf,
        agents: Registry,
        environment: Environment,
        host_keys: Arc<HostKeys>,
    ) -> Arc<Self> {
        let imports = Imports::new(hub.clone(), agents, environment.clone());
        let (versions, plans, tests) = (Versions::default(), Plans::default(), RunningTests::default());
        Arc::new(Self {
            hub,
            data_dir,
            agents,
            environment,
            host_keys,
            versions,
            plans,
            tests,
            demos: demos::Demos::default(),
            imports,
        })
    }

    fn server(&self) -> Result<Server> {
        server(&self.environment, &self.data_dir).map_err(failed)
    }

    fn starts(&self) -> Starts<'_> {
        Starts { hub: &self.hub, agents: self.agents, environment: &self.environment, data_dir: &self.data_dir }
    }

    /// See [`AgentsPlan`].
    pub(crate) async fn plan(&self, ask: AgentsPlan) -> Result<AgentsPlanned> {
        self.plans.make(self.agents, &self.environment, self.server()?, ask).await
    }

    /// See [`AgentsApply`].
    pub(crate) async fn apply(&self, ask: AgentsApply) -> Result<AgentsApplied> {
        self.plans.apply(ask).await
    }

    /// Answers the hub's requests of this machine from now on.
    pub(crate) fn serve(self: &Arc<Self>) {
        let machine = self.clone();
        self.hub.answer_computer(Some(Arc::new(move |request| machine.clone().answer(request))));
    }

    fn answer(self: Arc<Self>, request: Request) -> BoxFuture<Result<Reply>> {
        Box::pin(async move {
            let Sorted::Computer(ask) = request.sorted() else { return Err(request.misplaced()) };
            Ok(match ask {
                Computer::AgentsList(ask) if ask.known_only => Reply::AgentsList(self.known()),
                Computer::AgentsList(_) => Reply::AgentsList(self.list(true).await?),
                Computer::AgentsPlan(ask) => Reply::AgentsPlan(self.plan(ask.clone()).await?),
                Computer::AgentsApply(ask) => {
                    let applied = self.apply(ask.clone()).await;
                    // Also where it failed: something may have changed all the same.
                    if let Err(error) = self.list(false).await {
                        tracing::warn!(%error, "the agents of this machine cannot be looked at again");
                    }
                    Reply::AgentsApply(applied?)
                }
                Computer::AgentsTest(ask) => Reply::AgentsTest(self.test(ask).await?),
                Computer::AgentsTestCancel(ask) => {
                    self.tests.cancel(&ask.agent);
                    Reply::AgentsTestCancel(Done {})
                }
                Computer::DemoStart(_) => Reply::DemoStart(self.demos.start(&self.data_dir).await?),
                Computer::GatewayOpen(ask) => {
                    Reply::GatewayOpen(open::open_gateway(&self.hub, &self.data_dir, ask.what).await?)
                }
                Computer::ImportStart(ask) => Reply::ImportStart(self.imports.start(&ask.agents)?),
                Computer::ImportCancel(_) => Reply::ImportCancel(self.imports.cancel()),
                Computer::SessionOpen(ask) => Reply::SessionOpen(self.open(ask).await?),
                Computer::SessionContinue(ask) => Reply::SessionContinue(self.starts().go_on(ask).await?),
                Computer::AgentsStart(ask) => Reply::AgentsStart(self.starts().begin(ask).await?),
                Computer::HostsKey(ask) => Reply::HostsKey(self.keep_key(ask.clone()).await?),
                Computer::HostsTest(ask) => Reply::HostsTest(self.hub.test_host(&ask.name).await?),
                Computer::SessionRaise(ask) => Reply::SessionRaise(raise::raise(&self.hub, ask).await?),
                Computer::SessionResume(ask) => Reply::SessionResume(open::resume(&self.hub, self.agents, ask).await?),
            })
        })
    }

    /// See [`HostsKey`].
    async fn keep_key(&self, ask: HostsKey) -> Result<Done> {
        let (keys, HostsKey { name, key }) = (self.host_keys.clone(), ask);
        let address = self.hub.host_address(&name)?;
        let address = address.filter(|address| protocol::tek(address).is_none());
        let address = address.ok_or_else(|| Error::new(Code::InvalidKey, say::host_key_of_command(&name)))?;
        let host = name.clone();
        let kept = tokio::task::spawn_blocking(move || keys.set(&host, &address, &key)).await;
        kept.map_err(|error| Error::new(Code::Internal, error.to_string()))??;
        self.hub.host_woken(&name).notify_one();
        Ok(Done {})
    }

    async fn open(&self, ask: &SessionOpen) -> Result<Done> {
        if let Some(file) = &ask.file {
            return files::open(&self.starts(), ask, file).await;
        }
        if matches!(ask.with, OpenWith::Terminal | OpenWith::Editor)
            && let Some((ssh, folder)) = self.hub.over_ssh(&ask.session_id).await?
        {
            return away::open(&self.starts(), &self.environment, ask.with, (&ssh, &folder)).await;
        }
        open::open(&self.hub, ask).await
    }

    /// Looks at the agents, and tells the hub the meaning of their having no list.
    pub(crate) async fn list(&self, with_versions: bool) -> Result<protocol::AgentOverview> {
        let versions = with_versions.then_some(&self.versions);
        let mut there = list(&self.hub, self.agents, &self.environment, versions, &self.server()?).await?;
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

    /// The facts that hold on every machine; nothing is looked at.
    fn known(&self) -> protocol::AgentOverview {
        let known = self.agents.iter().map(facts).collect();
        protocol::AgentOverview { agents: Vec::new(), server: Vec::new(), known, import: self.imports.progress() }
    }

    /// Reads what agents have written into their transcripts lately, and what they write from now on, until `stop`.
    pub(crate) async fn follow(self: Arc<Self>, stop: CancellationToken) {
        if let Err(error) = self.list(false).await {
            tracing::warn!(%error, "the agents of this machine cannot be looked at");
        }
        let hub = Arc::new(self.hub.clone());
        let live = sources::Live::new(hub, self.agents, self.environment.clone(), Arc::new(crate::clock::now));
        tokio::join!(live.run(stop.clone()), self.first_import(stop));
    }

    /// On the first start the lists in the transcripts that are there go into the history.
    async fn first_import(&self, stop: CancellationToken) {
        if GatewayFile::load(&self.data_dir).imported {
            return;
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
        // One that was cancelled is not wanted.
        let failed = ended.as_ref().is_some_and(|ended| ended.cancelled) && !self.imports.was_cancelled();
        tracing::info!(?ended, failed, "transcripts were imported");
        if failed {
            return;
        }
        let mut kept = GatewayFile::load(&self.data_dir);
        kept.imported = true;
        if let Err(error) = kept.save(&self.data_dir) {
            tracing::warn!(error = format!("{error:#}"), "the import will be made again");
        }
    }

    async fn test(&self, ask: &AgentsTest) -> Result<AgentsTested> {
        let agent = named(self.agents, &ask.agent)?;
        let server = self.server()?;
        let hub = self.hub.clone();
        let mut tell = move |step: &protocol::TestStep, at: u32, of: u32| {
            let (agent, step) = (agent.name().to_owned(), step.clone());
            hub.tell(Event::AgentsStep(AgentsStepEvent { agent, step, at, of }));
        };
        let stop = self.tests.of(agent.name());
        let program = program(&self.environment, agent, ask.real)?;
        let registered = RegisteredServer::of(agent, &server);
        Ok(test(&registered, program.as_deref(), (&self.hub, &self.data_dir), &mut tell, &stop).await)
    }
}
