//! The evidence in a call for the session that it belongs to.

use crate::error::{Failure, Result};
use protocol::{AgentIdentity, Caller, Code};
use session::Word;

/// One piece of evidence: its kind and its key.
pub(crate) type Evidence = (String, String);

/// A label that the caller chose.
pub(crate) const LABEL: &str = "label";

/// An agent's own id for its session.
pub(crate) const OWN: &str = "own";

/// An MCP session or a shim's process.
pub(crate) const CONNECTION: &str = "connection";

/// The agent's process: a hook says which session it is in. A tool server only asks by it, since one process may have
/// several sessions.
pub(crate) const PROCESS: &str = "process";

/// An agent's own id, tied to a session by a result of ours that the agent read. A resumed run may read a result of
/// another session: the newest counts.
pub(crate) const READ: &str = "read";

/// The session of a run, for the built-in list of that run.
pub(crate) const BUILT_IN_LIST: &str = "own-list";

/// The client's name and folder, where there is nothing better.
const CLIENT: &str = "client";

/// Characters of a label.
const LABEL_CHARS: usize = 200;

/// Characters of a tool's name.
const TOOL_CHARS: usize = 100;

/// The longest own id of an agent's session, with its subagent's, in bytes.
const OWN_BYTES: usize = 500;

/// The evidence in a call, best first.
pub(crate) fn evidence(agent: Option<&AgentIdentity>, label: Option<&str>) -> Vec<Evidence> {
    let mut found = Vec::new();
    let mut add = |kind: &str, key: String| found.push((kind.to_owned(), key));
    let label = label.or_else(|| agent.and_then(|agent| agent.label.as_deref()));
    if let Some(label) = label {
        add(LABEL, label.to_owned());
    }
    let Some(agent) = agent else { return found };
    if let Some(own) = &agent.own_session {
        add(OWN, run_key(agent, own));
    }
    if let Some(connection) = &agent.connection {
        add(CONNECTION, connection.clone());
    }
    if let Some(process) = agent.processes.first() {
        add(PROCESS, process_key(agent, process));
    }
    if found.iter().all(|(kind, _)| kind == PROCESS) {
        found.push((CLIENT.to_owned(), client_key(agent)));
    }
    found
}

/// A run: its agent's name and the agent's own id for it.
pub(crate) fn run_key(agent: &AgentIdentity, own: &str) -> String {
    format!("{}|{own}", agent.agent.name)
}

/// An agent's process: one process may work in several folders, and one agent may run another.
pub(crate) fn process_key(agent: &AgentIdentity, process: &str) -> String {
    format!("{}|{process}|{}", agent.agent.name, agent.folder.as_deref().unwrap_or_default())
}

fn client_key(agent: &AgentIdentity) -> String {
    format!("{}|{}", agent.agent.name, agent.folder.as_deref().unwrap_or_default())
}

/// The key under which a list remembers what this caller said and was told.
pub(crate) fn caller_key(caller: &Caller) -> String {
    match &caller.agent {
        None => format!("client|{}", caller.transport.word()),
        Some(agent) => match (&agent.own_session, &agent.connection) {
            (Some(own), _) => format!("own|{}", run_key(agent, own)),
            (None, Some(connection)) => format!("connection|{connection}"),
            (None, None) => format!("agent|{}", client_key(agent)),
        },
    }
}

/// The connection of an agent's call.
pub(crate) fn connection(caller: &Caller) -> Option<&str> {
    caller.agent.as_ref().and_then(|agent| agent.connection.as_deref())
}

/// The agent that reports, and the key of the run that it reports of.
///
/// # Errors
/// `INVALID_MESSAGE` for a caller that does not say its own session.
pub(crate) fn reporter(caller: &Caller) -> Result<(&AgentIdentity, String)> {
    let is_id = |own: &str| !own.is_empty() && own.len() <= OWN_BYTES && !own.chars().any(char::is_control);
    let known = caller.agent.as_ref().and_then(|agent| {
        let own = agent.own_session.as_deref().filter(|own| is_id(own))?;
        Some((agent, run_key(agent, own)))
    });
    known.ok_or_else(|| {
        let problem =
            format!("only an agent that says its own session can report, in 1 to {OWN_BYTES} plain characters");
        Failure::refused(Code::InvalidMessage, problem)
    })
}

/// The agent of a subagent as a caller, and the key of its run.
pub(crate) fn without_subagent(caller: &Caller) -> Option<(Caller, String)> {
    let mut caller = caller.clone();
    let agent = caller.agent.as_mut()?;
    let own = agent.parent.take()?;
    let key = run_key(agent, &own);
    agent.own_session = Some(own);
    Some((caller, key))
}

/// # Errors
/// `INVALID_MESSAGE` for a label that cannot be one.
pub(crate) fn check_label(label: &str) -> Result<()> {
    let length = label.chars().count();
    let problem = if label.trim().is_empty() {
        "empty".to_owned()
    } else if length > LABEL_CHARS {
        format!("{length} characters long")
    } else if label.chars().any(char::is_control) {
        "with control characters".to_owned()
    } else {
        return Ok(());
    };
    let message = format!(
        "a session's label is 1 to {LABEL_CHARS} plain characters, this one is {problem}; choose a short name and send this again"
    );
    Err(Failure::refused(Code::InvalidMessage, message))
}

/// # Errors
/// `INVALID_MESSAGE` for the name of an agent's tool that cannot be one.
pub(crate) fn check_tool(name: &str) -> Result<()> {
    let is_name = !name.is_empty() && name.chars().count() <= TOOL_CHARS && !name.chars().any(char::is_control);
    let problem =
        || format!("\"tool\" is the name of the agent's tool that wrote the list, 1 to {TOOL_CHARS} plain characters");
    is_name.then_some(()).ok_or_else(|| Failure::refused(Code::InvalidMessage, problem()))
}
