//! Changes of agents' configuration: shown first, then made.

use super::environment::named;
use super::wording::of_gave_up;
use agents::{Agent, Environment, Registry, Scope};
use protocol::{
    AgentChange, AgentsApplied, AgentsApply, AgentsPlan, AgentsPlanned, Code, Error, PERMISSION_SECONDS, Result, Text,
    say,
};
use setup::{Answers, Options, Plan, Server};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The time for reading the files of a plan.
const PATIENCE: Duration = Duration::from_secs(10);

/// The time for writing them.
const WRITTEN: Duration = Duration::from_secs(30);

/// Plans that were shown and not made yet, one for each agent.
#[derive(Default)]
pub(crate) struct Plans(Mutex<HashMap<&'static str, Shown>>);

/// A plan that was shown: its id, and the folder that it is about.
struct Shown {
    plan_id: String,
    place: PathBuf,
    plan: Plan,
}

impl Plans {
    pub(crate) async fn make(
        &self,
        agents: Registry,
        environment: &Environment,
        server: Server,
        ask: AgentsPlan,
    ) -> Result<AgentsPlanned> {
        let agent = named(agents, &ask.agent)?;
        let environment = environment.clone();
        // A project's folder is anybody's.
        let place = ask.folder.as_ref().map_or_else(|| environment.home.clone(), PathBuf::from);
        let planned = careful::aside(&place, PATIENCE, move || plan(&environment, agent, &server, &ask)).await;
        let plan = planned.map_err(|why| {
            let shown = todo::text::plain(&todo::short(&place.display().to_string()));
            let problem = of_gave_up(&why);
            Error::new(Code::Configuration, say::folder_silent(shown, why).with("problem", &problem))
        })??;
        let plan_id = crate::clock::new_uid().to_string();
        let (notes, note_texts) = Text::apart(plan.notes.clone());
        let shown = AgentsPlanned { plan_id: plan_id.clone(), diff: plan.diff(), notes, note_texts };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(agent.name(), Shown { plan_id, place, plan });
        Ok(shown)
    }

    pub(crate) async fn apply(&self, ask: AgentsApply) -> Result<AgentsApplied> {
        let Shown { place, plan, .. } =
            self.take(&ask.plan_id).ok_or_else(|| Error::new(Code::Configuration, say::plan_gone()))?;
        let (notes, note_texts) = Text::apart(plan.notes.clone());
        let applied = careful::aside(&place, WRITTEN, move || plan.apply(crate::clock::now())).await;
        let applied = applied.map_err(|why| {
            let shown = todo::text::plain(&todo::short(&place.display().to_string()));
            let problem = of_gave_up(&why);
            Error::new(Code::Configuration, say::plan_interrupted(shown, why).with("problem", &problem))
        })?;
        let applied = applied.map_err(refused)?;
        let paths = |paths: Vec<PathBuf>| paths.iter().map(|path| path.display().to_string()).collect();
        Ok(AgentsApplied { written: paths(applied.written), backups: paths(applied.backups), notes, note_texts })
    }

    /// Each plan is carried out once.
    fn take(&self, plan_id: &str) -> Option<Shown> {
        let mut plans = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let agent = plans.iter().find(|(_, shown)| shown.plan_id == plan_id).map(|(agent, _)| *agent)?;
        plans.remove(agent)
    }
}

fn plan(environment: &Environment, agent: &'static dyn Agent, server: &Server, ask: &AgentsPlan) -> Result<Plan> {
    let folder = ask.folder.as_deref().map(project).transpose()?;
    let needed = || {
        let problem = "say the project's folder: \"folder\", an absolute path";
        folder.clone().ok_or_else(|| Error::new(Code::InvalidMessage, problem))
    };
    let scope = folder.clone().map_or(Scope::User, Scope::Project);
    let answers = match (ask.no_answers, ask.answers) {
        (true, None) => Answers::Off,
        (false, None) => Answers::Unchanged,
        (false, Some(seconds)) if seconds <= PERMISSION_SECONDS => Answers::On(Some(seconds)),
        (false, Some(_)) => {
            return Err(Error::new(Code::InvalidMessage, say::plan_wait(PERMISSION_SECONDS)));
        }
        (true, Some(_)) => {
            return Err(Error::new(Code::InvalidMessage, "say either \"answers\" or \"noAnswers\""));
        }
    };
    let options = Options { hooks: !ask.no_hooks, replace: ask.replace, answers };
    let planned = match ask.change {
        AgentChange::Connect => setup::connect(environment, agent, &scope, server, options),
        AgentChange::Disconnect => setup::disconnect(environment, agent, &scope, server),
        AgentChange::OwnListOn => setup::turn_built_in_list_on(environment, agent, &scope),
        AgentChange::OwnListOff => setup::turn_built_in_list_off(environment, agent, &scope),
        AgentChange::Instruct => setup::instruct(&needed()?, agent),
        AgentChange::Uninstruct => setup::uninstruct(&needed()?, agent),
    };
    planned.map_err(refused)
}

fn project(folder: &str) -> Result<PathBuf> {
    let path = PathBuf::from(folder);
    let there = path.is_absolute().then(|| dunce::canonicalize(&path).ok()).flatten().filter(|path| path.is_dir());
    there.ok_or_else(|| {
        let shown = todo::text::plain(&todo::short(folder));
        Error::new(Code::InvalidMessage, say::folder_unknown(shown))
    })
}

/// The error for a configuration that cannot be changed so.
#[expect(clippy::needless_pass_by_value, reason = "it is what map_err hands over")]
fn refused(error: setup::Error) -> Error {
    Error::new(Code::Configuration, error.text())
}
