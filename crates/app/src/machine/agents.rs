//! The agents of this machine: how each is connected, and changing that.

use crate::commands;
use anyhow::Context;
use jiff::Timestamp;
use protocol::SELF_TEST_LABEL;
use protocol::{
    AgentChange, AgentSetup, AgentsApplied, AgentsApply, AgentsPlan, AgentsPlanned, AgentsThere, Backend, Caller, Code,
    Error, OwnSwitch, Registered, Reply, Result, SessionList, Transport,
};
use setup::{Agent, Found, Options, OwnList, Plan, Registration, Scope, Server};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// How long an agent may take to say its version; Node starts slowly.
const VERSION: Duration = Duration::from_secs(10);

/// How many sessions are looked through for the last list of each agent.
const SESSIONS: u32 = 200;

/// The user's home and environment.
///
/// # Errors
/// When the user has no home folder.
pub fn setup_machine() -> anyhow::Result<setup::Machine> {
    let home = std::env::home_dir().context("this user has no home folder")?;
    let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    Ok(setup::Machine { home, environment: std::env::vars_os().filter_map(text).collect() })
}

/// What agents are to run for this data folder: the `sightline` command by the path that stays. A link on the search
/// path outlives the version that it leads to.
///
/// # Errors
/// When the command is not beside this program, or the folder is no path or a demo's.
pub fn server(machine: &setup::Machine, data_dir: &Path) -> anyhow::Result<Server> {
    anyhow::ensure!(
        !crate::demo::is_demo(data_dir) || machine.home.starts_with(data_dir),
        "{} is the folder of a demo, which has agents of its own; those of this machine are not connected to it",
        data_dir.display()
    );
    let here = commands::sightline().context("the sightline command is not where it should be, beside this program")?;
    let same =
        |path: &PathBuf| path.canonicalize().is_ok_and(|real| here.canonicalize().is_ok_and(|here| here == real));
    let called = std::env::args_os().next().map(PathBuf::from).filter(|path| path.is_absolute());
    let found = machine.program(setup::NAME);
    let command = [called, found].into_iter().flatten().find(same).unwrap_or_else(|| here.clone());
    Ok(Server { command, data_dir: std::path::absolute(data_dir)? })
}

/// The versions that programs said, by path and time of change: asking takes each agent a second.
#[derive(Default)]
pub struct Versions(Mutex<HashMap<PathBuf, Said>>);

#[derive(Clone)]
struct Said {
    changed: Option<SystemTime>,
    version: Option<String>,
}

impl Versions {
    async fn of(&self, program: PathBuf) -> Option<String> {
        let changed = program.metadata().and_then(|file| file.modified()).ok();
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&program).cloned();
        if let Some(known) = known.filter(|known| known.changed == changed) {
            return known.version;
        }
        let asked = program.clone();
        let begun = Instant::now();
        let version = tokio::task::spawn_blocking(move || setup::version(&asked, VERSION)).await.ok().flatten();
        // One that took too long this time may say it the next.
        if version.is_some() || begun.elapsed() < VERSION {
            let said = Said { changed, version: version.clone() };
            self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(program, said);
        }
        version
    }
}

/// Every agent that can be connected, with what the history knows of its lists, and with its version where there is
/// time to ask for it.
///
/// # Errors
/// When the history cannot be asked, or a path of ours is no text.
pub async fn list(
    backend: &dyn Backend,
    machine: &setup::Machine,
    versions: Option<&Versions>,
    data_dir: &Path,
) -> Result<AgentsThere> {
    let server = server(machine, data_dir).map_err(failed)?;
    let last = last_lists(backend).await?;
    let rows = Agent::ALL.map(|agent| {
        let (machine, server, last) = (machine.clone(), server.clone(), &last);
        async move {
            let look = move || setup::look(&machine, agent, &Scope::User, &server);
            let found = tokio::task::spawn_blocking(look).await.map_err(failed)?.map_err(failed)?;
            let version = match found.program.clone().zip(versions) {
                Some((program, versions)) => versions.of(program).await,
                None => None,
            };
            Ok::<_, Error>(row(agent, &found, version, last))
        }
    });
    let agents = futures_util::future::try_join_all(rows).await?;
    Ok(AgentsThere { agents, import: None })
}

fn row(agent: Agent, found: &Found, version: Option<String>, last: &HashMap<(String, bool), Timestamp>) -> AgentSetup {
    let (server, server_problem) = registered(&found.server);
    let (hooks, mut hooks_problem) = found.hooks.as_ref().map(registered).unzip();
    if found.hooks_off {
        hooks_problem = Some(Some("all hooks of this agent are turned off in its settings".to_owned()));
    }
    let last = |own: bool| last.get(&(agent.name().to_owned(), own)).copied();
    AgentSetup {
        agent: agent.name().to_owned(),
        title: agent.title().to_owned(),
        program: found.program.as_ref().map(|path| path.display().to_string()),
        version,
        server,
        server_problem,
        hooks,
        hooks_problem: hooks_problem.flatten(),
        own_list: match found.own_list {
            OwnList::On => OwnSwitch::On,
            OwnList::Off => OwnSwitch::Off,
            OwnList::Unknown if matches!(agent, Agent::Gemini | Agent::Opencode) => OwnSwitch::None,
            OwnList::Unknown => OwnSwitch::Unknown,
        },
        last_list: last(false),
        last_own_list: last(true),
        instructions: agent.instructions().to_owned(),
    }
}

fn registered(registration: &Registration) -> (Registered, Option<String>) {
    match registration {
        Registration::Absent => (Registered::Absent, None),
        Registration::Ours => (Registered::Ours, None),
        Registration::Outdated(what) => (Registered::Outdated, Some(what.clone())),
        Registration::Disabled(what) => (Registered::Disabled, Some(what.clone())),
        Registration::Other(what) => (Registered::Other, Some(what.clone())),
        Registration::Unreadable(why) => (Registered::Unreadable, Some(why.clone())),
    }
}

/// When each agent's newest list changed, ours and its own.
async fn last_lists(backend: &dyn Backend) -> Result<HashMap<(String, bool), Timestamp>> {
    let caller = Caller::user(Transport::Cli, "sightline agents");
    let ask = SessionList { limit: Some(SESSIONS), ..SessionList::default() };
    let Reply::SessionList(page) = backend.call(caller, ask.into()).await? else {
        return Err(Error::new(Code::Internal, "the gateway gave the answer to another request"));
    };
    let mut last: HashMap<(String, bool), Timestamp> = HashMap::new();
    let lists = page.sessions.into_iter().filter(|session| session.revision > 0);
    for session in
        lists.filter(|session| !session.label.as_deref().is_some_and(|label| label.starts_with(SELF_TEST_LABEL)))
    {
        let newest = last.entry((session.agent.name, session.own_tool.is_some())).or_insert(session.last_activity_at);
        *newest = session.last_activity_at.max(*newest);
    }
    Ok(last)
}

/// Plans that were shown and not carried out yet; one for each agent.
#[derive(Default)]
pub(crate) struct Plans(Mutex<HashMap<&'static str, (String, Plan)>>);

impl Plans {
    pub(crate) async fn make(
        &self,
        machine: &setup::Machine,
        data_dir: &Path,
        ask: AgentsPlan,
    ) -> Result<AgentsPlanned> {
        let agent = named(&ask.agent)?;
        let (machine, server) = (machine.clone(), server(machine, data_dir).map_err(failed)?);
        let planned = tokio::task::spawn_blocking(move || plan(&machine, agent, &server, &ask));
        let plan = planned.await.map_err(failed)??;
        let plan_id = crate::new_uid().to_string();
        let shown = AgentsPlanned { plan_id: plan_id.clone(), diff: plan.diff(), notes: plan.notes.clone() };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(agent.name(), (plan_id, plan));
        Ok(shown)
    }

    pub(crate) async fn apply(&self, ask: AgentsApply) -> Result<AgentsApplied> {
        let plan = self.take(&ask.plan_id).ok_or_else(|| {
            let problem =
                "this plan is gone: it was carried out, or another was made since; look at what would change again";
            Error::new(Code::Configuration, problem)
        })?;
        let notes = plan.notes.clone();
        let applied = tokio::task::spawn_blocking(move || plan.apply(crate::now())).await.map_err(failed)?;
        let applied = applied.map_err(refused)?;
        let paths = |paths: Vec<PathBuf>| paths.iter().map(|path| path.display().to_string()).collect();
        Ok(AgentsApplied { written: paths(applied.written), backups: paths(applied.backups), notes })
    }

    /// Each plan is carried out once.
    fn take(&self, plan_id: &str) -> Option<Plan> {
        let mut plans = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let agent = plans.iter().find(|(_, (id, _))| id == plan_id).map(|(agent, _)| *agent)?;
        plans.remove(agent).map(|(_, plan)| plan)
    }
}

fn plan(machine: &setup::Machine, agent: Agent, server: &Server, ask: &AgentsPlan) -> Result<Plan> {
    let folder = ask.folder.as_deref().map(project).transpose()?;
    let needed = || {
        let problem = "say the project's folder: \"folder\", an absolute path";
        folder.clone().ok_or_else(|| Error::new(Code::InvalidMessage, problem))
    };
    let scope = folder.clone().map_or(Scope::User, Scope::Project);
    let options = Options { hooks: !ask.no_hooks, replace: ask.replace };
    let planned = match ask.change {
        AgentChange::Connect => setup::connect(machine, agent, &scope, server, options),
        AgentChange::Disconnect => setup::disconnect(machine, agent, &scope, server),
        AgentChange::OwnListOn => setup::turn_own_list_on(machine, agent, &scope),
        AgentChange::OwnListOff => setup::turn_own_list_off(machine, agent, &scope),
        AgentChange::Instruct => setup::instruct(&needed()?, agent),
        AgentChange::Uninstruct => setup::uninstruct(&needed()?, agent),
    };
    planned.map_err(refused)
}

fn project(folder: &str) -> Result<PathBuf> {
    let path = PathBuf::from(folder);
    let there = path.is_absolute().then(|| path.canonicalize().ok()).flatten().filter(|path| path.is_dir());
    there.ok_or_else(|| {
        let shown = todo::text::plain(&todo::short(folder));
        Error::new(Code::InvalidMessage, format!("there is no folder {shown}; write its whole path"))
    })
}

/// The agent's own program, where it is to make a real call.
///
/// # Errors
/// When it is not there.
pub fn program(machine: &setup::Machine, agent: Agent, wanted: bool) -> Result<Option<PathBuf>> {
    if !wanted {
        return Ok(None);
    }
    let missing = || {
        let problem = format!("{} is not on the search path, so it cannot make a real call", agent.title());
        Error::new(Code::Configuration, problem)
    };
    machine.program(agent.name()).map(Some).ok_or_else(missing)
}

/// The agent of that name.
///
/// # Errors
/// [`Code::InvalidMessage`] with the names there are.
pub fn named(name: &str) -> Result<Agent> {
    Agent::named(name).ok_or_else(|| {
        let known: Vec<&str> = Agent::ALL.iter().map(|agent| agent.name()).collect();
        let name = todo::text::plain(&todo::short(name));
        Error::new(Code::InvalidMessage, format!("there is no agent \"{name}\" here; there are {}", known.join(", ")))
    })
}

/// What the agent's configuration does not allow.
#[expect(clippy::needless_pass_by_value, reason = "it is what map_err hands over")]
fn refused(error: setup::Error) -> Error {
    Error::new(Code::Configuration, error.to_string())
}

pub(crate) fn failed(error: impl std::fmt::Display) -> Error {
    Error::new(Code::Internal, format!("{error:#}"))
}
