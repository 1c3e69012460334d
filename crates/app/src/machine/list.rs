//! The agents of this machine: how each is connected, its version, and its last lists.

use super::environment::failed;
use super::wording::of_gave_up;
use agents::{Agent, Environment, Registry, Scope};
use jiff::Timestamp;
use protocol::SELF_TEST_LABEL;
use protocol::{
    AgentOverview, AgentSetup, Backend, Caller, Code, Error, KnownAgent, OwnSwitch, Proof, Registered, Reply, Result,
    Session, SessionList, Text, Transport, say,
};
use setup::{BuiltInList, Registration, Server, Status};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// The longest time in which an agent may give its version; Node starts slowly.
const VERSION: Duration = Duration::from_secs(10);

/// The time for reading an agent's configuration.
const LOOK: Duration = Duration::from_secs(5);

/// The most sessions that are searched for the last list of each agent.
const SESSIONS: u32 = 200;

/// The versions that programs gave, by path and time of change: asking takes each agent a second.
#[derive(Default)]
pub struct Versions(Mutex<HashMap<PathBuf, CachedVersion>>);

#[derive(Clone)]
struct CachedVersion {
    changed: Option<SystemTime>,
    version: Option<String>,
}

impl Versions {
    async fn of(&self, agent: &'static dyn Agent, program: PathBuf) -> Option<String> {
        let changed = program.metadata().and_then(|file| file.modified()).ok();
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&program).cloned();
        if let Some(known) = known.filter(|known| known.changed == changed) {
            return known.version;
        }
        let asked = program.clone();
        let begun = Instant::now();
        let version = tokio::task::spawn_blocking(move || setup::version(agent, &asked, VERSION)).await.ok().flatten();
        // A program that took too long this time may be faster the next.
        if version.is_some() || begun.elapsed() < VERSION {
            let cached = CachedVersion { changed, version: version.clone() };
            self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(program, cached);
        }
        version
    }
}

/// The agents that can be connected, with the last lists in the history, and with their versions where `versions` are
/// given to ask for them.
///
/// # Errors
/// When the history cannot be asked, or a path of ours is no text.
pub async fn list(
    backend: &dyn Backend,
    agents: Registry,
    environment: &Environment,
    versions: Option<&Versions>,
    server: &Server,
) -> Result<AgentOverview> {
    let last = last_lists(backend).await?;
    let rows = agents.connectable().map(|agent| {
        let (environment, server, last) = (environment.clone(), server.clone(), &last);
        async move {
            // One that hangs holds up no other.
            let place = environment.home.join(agent.name());
            let look = move || setup::look(&environment, agent, &Scope::User, &server);
            let found = match careful::aside(&place, LOOK, look).await {
                Ok(found) => found.map_err(failed)?,
                // The others can be looked at.
                Err(why) => {
                    let why = of_gave_up(&why);
                    Status::unreadable(agent, &say::folder_unreadable(&why).with("problem", &why))
                }
            };
            let version = match found.program.clone().zip(versions) {
                Some((program, versions)) => versions.of(agent, program).await,
                None => None,
            };
            Ok::<_, Error>(row(agent, &found, version, last))
        }
    });
    let setups = futures_util::future::try_join_all(rows).await?;
    let ours = [&server.command, &server.data_dir].map(|path| path.display().to_string());
    let [command, data_dir] = ours;
    let server = vec![command, "mcp".to_owned(), "--data-dir".to_owned(), data_dir];
    Ok(AgentOverview { agents: setups, server, known: agents.iter().map(facts).collect(), import: None })
}

/// The facts about an agent that hold on every machine.
pub(super) fn facts(agent: &dyn Agent) -> KnownAgent {
    KnownAgent {
        agent: agent.name().to_owned(),
        title: agent.title().to_owned(),
        aliases: agent.facts().aliases.iter().map(|&alias| alias.to_owned()).collect(),
        connectable: agent.facts().server_form.is_some(),
        hooks: agent.facts().hooks.is_some(),
        transcripts: agent.has_transcripts(),
        resumable: agent.facts().resume.is_some(),
        starts: agent.facts().prompt.is_some(),
        continues: agent.facts().prompt.is_some() && agent.facts().resume.is_some(),
    }
}

fn row(
    agent: &dyn Agent,
    found: &Status,
    version: Option<String>,
    last: &HashMap<(String, bool), Timestamp>,
) -> AgentSetup {
    let (server, server_problem) = registered(&found.server);
    let (hooks, mut hooks_problem) = found.hooks.as_ref().map(registered).unzip();
    if found.hooks_off {
        hooks_problem = Some(Some(say::hooks_off()));
    }
    let [(server_problem, server_problem_text), (hooks_problem, hooks_problem_text)] =
        [server_problem, hooks_problem.flatten()].map(|problem| match problem {
            Some(Text { english, named }) => (Some(english), named),
            None => (None, None),
        });
    let last = |own: bool| last.get(&(agent.name().to_owned(), own)).copied();
    AgentSetup {
        agent: agent.name().to_owned(),
        title: agent.title().to_owned(),
        program: found.program.as_ref().map(|path| path.display().to_string()),
        proof: proof(agent.facts().proven, version.as_deref()),
        proven: agent.facts().proven.map(str::to_owned),
        version,
        server,
        server_problem,
        server_problem_text,
        hooks,
        hooks_problem,
        hooks_problem_text,
        asks: agent.asking().map(|asking| asking.kind),
        answers: found.answers,
        own_list: match found.built_in_list {
            BuiltInList::On => OwnSwitch::On,
            BuiltInList::Off => OwnSwitch::Off,
            BuiltInList::Unknown if agent.built_in_switch().is_none() => OwnSwitch::None,
            BuiltInList::Unknown => OwnSwitch::Unknown,
        },
        last_list: last(false),
        last_own_list: last(true),
        instructions: agent.facts().instructions.to_owned(),
    }
}

/// The state of a version in our tests.
fn proof(proven: Option<&str>, version: Option<&str>) -> Proof {
    let Some(proven) = proven else { return Proof::Untried };
    match version {
        Some(version) if numbers(version) > numbers(proven) => Proof::Newer,
        _ => Proof::Seen,
    }
}

/// The numbers of a version, in their order.
fn numbers(version: &str) -> Vec<u64> {
    version.split(|letter: char| !letter.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect()
}

fn registered(registration: &Registration) -> (Registered, Option<Text>) {
    match registration {
        Registration::Absent => (Registered::Absent, None),
        Registration::Ours => (Registered::Ours, None),
        Registration::Outdated(what) => (Registered::Outdated, Some(what.clone())),
        Registration::Disabled(what) => (Registered::Disabled, Some(what.clone())),
        Registration::Other(what) => (Registered::Other, Some(what.clone())),
        Registration::Unreadable(why) => (Registered::Unreadable, Some(why.clone())),
    }
}

/// The times at which each agent's newest list changed, ours and the built-in one.
async fn last_lists(backend: &dyn Backend) -> Result<HashMap<(String, bool), Timestamp>> {
    let caller = Caller::user(Transport::Cli, "sightline agents");
    let ask = SessionList { limit: Some(SESSIONS), ..SessionList::default() };
    let Reply::SessionList(page) = backend.call(caller, ask.into()).await? else {
        return Err(Error::new(Code::Internal, "the gateway gave the answer to another request"));
    };
    let mut last: HashMap<(String, bool), Timestamp> = HashMap::new();
    let lists = page.sessions.into_iter().filter(Session::has_list);
    for session in
        lists.filter(|session| !session.label.as_deref().is_some_and(|label| label.starts_with(SELF_TEST_LABEL)))
    {
        let newest = last.entry((session.agent.name, session.own_tool.is_some())).or_insert(session.last_activity_at);
        *newest = session.last_activity_at.max(*newest);
    }
    Ok(last)
}
