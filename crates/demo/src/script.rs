//! What a script says: who takes part, and what each does when.

use anyhow::Context;
use protocol::{AgentIdentity, AgentInfo};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A scene as it is written down.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Script {
    /// The agents' runs, by a name of the script's own.
    pub(crate) runs: BTreeMap<String, Run>,
    /// In the order of their times.
    pub(crate) steps: Vec<Step>,
}

/// One run of one agent.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Run {
    pub(crate) agent: String,
    pub(crate) version: Option<String>,
    pub(crate) folder: Option<String>,
    pub(crate) branch: Option<String>,
    /// The run whose subagent it is.
    pub(crate) parent: Option<String>,
    /// Only its files tell of it: it is not connected.
    #[serde(default)]
    pub(crate) files_only: bool,
}

/// Something that happens. Seconds count from the moment at which the demo begins; what is below 0 has happened.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Step {
    pub(crate) at: f64,
    pub(crate) who: String,
    #[serde(rename = "do")]
    pub(crate) deed: Deed,
}

/// What an agent, or the user, does.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) enum Deed {
    /// The user asks it for something.
    Asked(String),
    /// It calls so many other tools.
    Worked(u32),
    /// It waits for the user.
    Waits(String),
    /// Its turn is over.
    Rests,
    /// Its run failed.
    Failed(String),
    /// Its run ended.
    Ended,
    /// It sends its list, whole.
    List(Vec<Value>),
    /// It sets the statuses of items, by their ids; a subtask's is `item/subtask`.
    Set(Map<String, Value>),
    /// It writes its own list with a tool of its own.
    Own { tool: String, todos: Vec<Value> },
    /// It hears what the user changed.
    Hears,
    /// The user sends a request about its session.
    User(Map<String, Value>),
}

impl Script {
    pub(crate) fn read(text: &str) -> anyhow::Result<Self> {
        serde_json::from_str(text).context("the script cannot be read")
    }
}

impl Run {
    /// Who it is, as the `name`d run of the script.
    pub(crate) fn identity(&self, name: &str) -> AgentIdentity {
        let last = |folder: &str| folder.rsplit('/').next().unwrap_or_default().to_owned();
        AgentIdentity {
            agent: AgentInfo { name: self.agent.clone(), version: self.version.clone() },
            own_session: Some(format!("demo-{name}")),
            parent: self.parent.as_ref().map(|parent| format!("demo-{parent}")),
            connection: (!self.files_only).then(|| format!("demo-{name}")),
            project: self.folder.as_deref().map(last),
            folder: self.folder.clone(),
            branch: self.branch.clone(),
            ..AgentIdentity::default()
        }
    }
}
