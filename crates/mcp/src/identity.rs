//! Who calls: what a request, its transport and the process say of the agent.

use protocol::{AgentIdentity, AgentInfo, Caller, Transport};
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use std::sync::Arc;

use crate::Receipts;

/// What is known of an agent before it says anything.
#[derive(Debug, Clone, Default)]
pub struct Origin {
    /// Its name, where the registration says it (`sightline mcp --agent codex`).
    pub agent: Option<String>,
    /// The label of its session.
    pub label: Option<String>,
    /// Agents' own ids for their sessions that the environment has, by the agent's name: one agent may have started
    /// another, which has inherited it.
    pub own_sessions: Vec<(&'static str, String)>,
    /// Agents' versions that the environment has: what Qwen's client says is another one.
    pub versions: Vec<(&'static str, String)>,
    /// One for each process of the shim.
    pub connection: Option<String>,
    /// The processes above this one, the nearest first.
    pub processes: Vec<String>,
    /// The folder that the process was started in.
    pub folder: Option<String>,
    /// The project that it belongs to.
    pub project: Option<String>,
    /// The branch that is checked out there.
    pub branch: Option<String>,
    /// Says project and branch of a folder that the client names.
    pub place: Option<Place>,
}

/// The project and the branch of a folder.
type Place = fn(&str) -> (Option<String>, Option<String>);

/// What an HTTP request says beside its body. The gateway puts it into the request's extensions.
#[derive(Debug, Clone)]
pub struct HttpCall {
    /// The label in the address: `/mcp/LABEL`.
    pub label: Option<String>,
    /// Where answers are noted that were not sent yet.
    pub receipts: Arc<Receipts>,
}

/// The agent behind an MCP client's name, by the names that agents really send.
#[must_use]
pub fn agent_kind(client: &str) -> &str {
    const KNOWN: [(&str, &str); 5] = [
        ("codex", "codex"),
        ("opencode", "opencode"),
        ("gemini-cli", "gemini"),
        ("qwen", "qwen"),
        ("claude", "claude"),
    ];
    KNOWN.iter().find(|(prefix, _)| client.starts_with(prefix)).map_or(client, |(_, kind)| kind)
}

/// Everything that one request tells of its caller; `folder` is where the client says it works.
pub(crate) fn caller(origin: &Origin, context: &RequestContext<RoleServer>, folder: Option<String>) -> Caller {
    let client = context.client_info();
    let name = client.as_ref().map(|info| agent_kind(&info.name).to_owned());
    let parts = context.extensions.get::<http::request::Parts>();
    let http = parts.and_then(|parts| parts.extensions.get::<HttpCall>());
    let session_header = parts
        .and_then(|parts| parts.headers.get("mcp-session-id"))
        .and_then(|value| value.to_str().ok())
        .map(|id| format!("mcp:{id}"));
    // Codex says its own session in each call; a resumed run says the same one. A subagent is a thread of it.
    let said = |field: &str| context.meta.get(field).and_then(serde_json::Value::as_str).map(str::to_owned);
    let (session, thread) = (said("sessionId"), said("threadId"));
    let parent = session.clone().filter(|session| thread.as_ref().is_some_and(|thread| thread != session));
    let own = match &parent {
        Some(parent) => thread.map(|thread| format!("{parent}/{thread}")),
        None => session,
    };
    let name = origin.agent.clone().or(name).unwrap_or_else(|| "agent".to_owned());
    let of_agent = |known: &[(&'static str, String)]| {
        known.iter().find(|(agent, _)| *agent == name).map(|(_, value)| value.clone())
    };
    let version = of_agent(&origin.versions).or(client.map(|info| info.version));
    let inherited = of_agent(&origin.own_sessions);
    let place = folder.as_deref().zip(origin.place).map(|(folder, place)| place(folder)).unwrap_or_default();
    let agent = AgentIdentity {
        agent: AgentInfo { version: version.filter(|version| !version.is_empty()), name },
        own_session: own.or(inherited),
        parent,
        connection: session_header.or_else(|| origin.connection.clone()),
        label: http.and_then(|http| http.label.clone()).or_else(|| origin.label.clone()),
        processes: origin.processes.clone(),
        folder: origin.folder.clone().or(folder),
        project: origin.project.clone().or(place.0),
        branch: origin.branch.clone().or(place.1),
    };
    let client = agent.connection.clone().unwrap_or_else(|| agent.agent.name.clone());
    Caller { transport: Transport::Mcp, client, agent: Some(agent) }
}

/// Where this request's receipts go: its own when it came over HTTP, else the process's.
pub(crate) fn receipts(own: &Arc<Receipts>, context: &RequestContext<RoleServer>) -> Arc<Receipts> {
    context
        .extensions
        .get::<http::request::Parts>()
        .and_then(|parts| parts.extensions.get::<HttpCall>())
        .map_or_else(|| own.clone(), |http| http.receipts.clone())
}
