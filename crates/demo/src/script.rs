//! The form of a script: the runs, and what each of them does at which time.

use anyhow::Context;
use protocol::{AgentIdentity, AgentInfo};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A script.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Script {
    /// The runs, by a name within the script.
    pub(crate) runs: BTreeMap<String, Run>,
    /// The steps, in the order of their times.
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
    /// The run that started this one as a subagent.
    pub(crate) parent: Option<String>,
    /// The agent is not connected, and only its files are read.
    #[serde(default)]
    pub(crate) files_only: bool,
}

/// One step of a run. Times are in seconds after the beginning of the demo; those below 0 are in its past.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Step {
    pub(crate) at: f64,
    pub(crate) who: String,
    #[serde(rename = "do")]
    pub(crate) deed: Deed,
}

/// An action of an agent or of the user.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) enum Deed {
    /// The user gives the agent a prompt.
    Asked(String),
    /// The agent makes this number of calls of other tools.
    Worked(u32),
    /// The agent waits for the user.
    Waits(String),
    /// The agent's turn ends.
    Rests,
    /// The run fails.
    Failed(String),
    /// The run ends.
    Ended,
    /// The agent sends a whole list.
    List(Vec<Value>),
    /// The agent sets the statuses of items by their ids; a subtask's id is `item/subtask`.
    Set(Map<String, Value>),
    /// The agent writes its built-in list.
    Own { tool: String, todos: Vec<Value> },
    /// The agent receives the user's edits.
    Hears,
    /// The user sends a request about the session.
    User(Map<String, Value>),
}

impl Script {
    pub(crate) fn read(text: &str) -> anyhow::Result<Self> {
        serde_json::from_str(text).context("the script cannot be read")
    }
}

impl Run {
    /// The identity of the run of this name.
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
