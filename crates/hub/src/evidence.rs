//! The evidence in a call for the session that it belongs to.
//!
//! Agents make up their evidence: ids, names, labels. So the evidence of an agent with a key counts for that key only, and
//! two keys never meet in it. Without a key are this process and the user's own programs over the private socket.

use crate::error::{Failure, Result};
use protocol::{AgentIdentity, Caller, Code};
use session::Word;
use std::fmt::{Display, Formatter};

/// One piece of evidence: its kind and its key.
pub(crate) type Evidence = (&'static str, String);

/// A label that an agent chose.
pub(crate) const LABEL: &str = "label";

/// A label that the user has opened to agents of every key.
pub(crate) const SHARED: &str = "shared-label";

/// A caller with a session that it has opened by a label, or for a subagent.
pub(crate) const MEMBER: &str = "member";

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

/// Stands between the id of a key and evidence of that key's. No evidence has such a character.
const OF_KEY: char = '\u{1f}';

/// Characters of a label.
const LABEL_CHARS: usize = 200;

/// Characters of an agent's name and version.
const NAME_CHARS: usize = 200;

/// Characters of a folder, and of names that were found there.
const FOLDER_CHARS: usize = 4_000;

/// Processes that a caller may be.
const PROCESSES: usize = 8;

/// Characters of a tool's name.
const TOOL_CHARS: usize = 100;

/// The longest own id of an agent's session, with its subagent's, in bytes; and the longest id of a connection.
const OWN_BYTES: usize = 500;

/// The key that an agent's evidence counts for.
pub(crate) fn key_of(caller: &Caller) -> Option<&str> {
    caller.key.as_deref().filter(|_| caller.rights.is_none())
}

/// Evidence as it counts for a key, or for nobody's.
struct Scoped<'a, E>(Option<&'a str>, E);

impl<E: Display> Display for Scoped<'_, E> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        if let Some(key) = self.0 {
            write!(f, "{key}{OF_KEY}")?;
        }
        self.1.fmt(f)
    }
}

fn scoped<E: Display>(caller: &Caller, evidence: E) -> Scoped<'_, E> {
    Scoped(key_of(caller), evidence)
}

/// A piece of evidence as it was said, whatever the key that it counts for.
pub(crate) fn as_said(evidence: &str) -> &str {
    evidence.split_once(OF_KEY).map_or(evidence, |(_, said)| said)
}

/// An agent as it may come in: names are cut and plain, since it does not always decide them.
///
/// # Errors
/// `INVALID_MESSAGE` for ids that cannot be such: cut ones would mean another session.
pub(crate) fn at_the_door(mut caller: Caller) -> Result<Caller> {
    let Some(agent) = &mut caller.agent else { return Ok(caller) };
    let ids = [&agent.own_session, &agent.parent, &agent.connection];
    if !ids.into_iter().flatten().all(|id| is_id(id)) || !agent.processes.iter().all(|process| is_id(process)) {
        let problem =
            format!("the ids of an agent's session, connection and processes have 1 to {OWN_BYTES} plain characters");
        return Err(Failure::refused(Code::InvalidMessage, problem));
    }
    agent.processes.truncate(PROCESSES);
    agent.terminal = agent.terminal.take().map(|terminal| Box::new(terminal.bounded()));
    make_name(&mut agent.agent.name, NAME_CHARS);
    if let Some(version) = &mut agent.agent.version {
        make_name(version, NAME_CHARS);
    }
    for place in [&mut agent.folder, &mut agent.project, &mut agent.branch].into_iter().flatten() {
        make_name(place, FOLDER_CHARS);
    }
    Ok(caller)
}

fn is_id(id: &str) -> bool {
    !id.is_empty() && id.len() <= OWN_BYTES && !id.chars().any(char::is_control)
}

/// Cuts a text, and makes it plain. Most are so already.
fn make_name(text: &mut String, chars: usize) {
    if text.len() > chars || !text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        let beginning: String = text.chars().take(chars).collect();
        *text = todo::text::plain(&beginning);
    }
}

/// The evidence in a call, best first.
pub(crate) fn evidence(caller: &Caller, label: Option<&str>) -> Vec<Evidence> {
    let mut found = Vec::new();
    if let Some(label) = label {
        found.push((LABEL, scoped(caller, label).to_string()));
    }
    let Some(agent) = &caller.agent else { return found };
    if let Some(own) = &agent.own_session {
        found.push((OWN, run_key(caller, own)));
    }
    if let Some(connection) = connection(caller) {
        found.push((CONNECTION, connection));
    }
    if let Some(process) = processes(caller).first() {
        found.push((PROCESS, process_key(agent, process)));
    }
    if found.iter().all(|(kind, _)| *kind == PROCESS) {
        found.push((CLIENT, client_key(caller)));
    }
    found
}

/// A run: its agent's name and the agent's own id for it.
pub(crate) fn run_key(caller: &Caller, own: &str) -> String {
    scoped(caller, format_args!("{}|{own}", agent_name(caller))).to_string()
}

/// The processes that the caller is or may be. An agent with a key is not where it could be seen.
pub(crate) fn processes(caller: &Caller) -> &[String] {
    let agent = caller.agent.as_ref().filter(|_| key_of(caller).is_none());
    agent.map(|agent| agent.processes.as_slice()).unwrap_or_default()
}

/// An agent's process: one process may work in several folders, and one agent may run another.
pub(crate) fn process_key(agent: &AgentIdentity, process: &str) -> String {
    format!("{}|{process}|{}", agent.agent.name, agent.folder.as_deref().unwrap_or_default())
}

fn agent_name(caller: &Caller) -> &str {
    caller.agent.as_ref().map(|agent| agent.agent.name.as_str()).unwrap_or_default()
}

fn client_key(caller: &Caller) -> String {
    let folder = caller.agent.as_ref().and_then(|agent| agent.folder.as_deref()).unwrap_or_default();
    scoped(caller, format_args!("{}|{folder}", agent_name(caller))).to_string()
}

/// The key under which a list remembers what this caller said and was told.
pub(crate) fn caller_key(caller: &Caller) -> String {
    match &caller.agent {
        None => format!("client|{}", caller.transport.word()),
        Some(agent) => match (&agent.own_session, &agent.connection) {
            (Some(own), _) => format!("own|{}", run_key(caller, own)),
            (None, Some(connection)) => format!("connection|{}", scoped(caller, connection)),
            (None, None) => format!("agent|{}", client_key(caller)),
        },
    }
}

/// A session as one that a caller has opened.
pub(crate) fn member_key(caller: &Caller, session_id: &str) -> String {
    match caller.agent.as_ref().and_then(|agent| agent.connection.as_ref()) {
        Some(connection) => format!("{}|{session_id}", scoped(caller, connection)),
        None => format!("{}|{session_id}", caller_key(caller)),
    }
}

/// The connection of an agent's call.
pub(crate) fn connection(caller: &Caller) -> Option<String> {
    let connection = caller.agent.as_ref()?.connection.as_deref()?;
    Some(scoped(caller, connection).to_string())
}

/// The agent that reports, and the key of the run that it reports of.
///
/// # Errors
/// `INVALID_MESSAGE` for a caller that does not say its own session.
pub(crate) fn reporter(caller: &Caller) -> Result<(&AgentIdentity, String)> {
    let known = caller.agent.as_ref().and_then(|agent| Some((agent, run_key(caller, agent.own_session.as_deref()?))));
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
    agent.own_session = Some(own.clone());
    let key = run_key(&caller, &own);
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
