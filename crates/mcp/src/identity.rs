//! The caller of a request, from what the request, its transport and the process say of the agent.

use agents::{Agent, Registry};
use protocol::{AgentIdentity, AgentInfo, BoxFuture, Caller, Terminal, Transport};
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use std::fmt::Debug;
use std::sync::Arc;

use crate::Receipts;

/// The evidence of an agent that is there before it says anything.
#[derive(Debug, Clone, Default)]
pub struct Origin {
    /// The agents that are known.
    pub agents: Registry,
    /// Its name, where the registration says it (`sightline mcp --agent codex`).
    pub agent: Option<String>,
    /// The label of its session.
    pub label: Option<String>,
    /// Agents' own ids for their sessions in the environment, by the agent's name: one agent may have started another,
    /// which has inherited it.
    pub own_sessions: Vec<(&'static str, String)>,
    /// Agents' versions in the environment, by the agent's name.
    pub versions: Vec<(&'static str, String)>,
    /// An id of this process.
    pub connection: Option<String>,
    /// The processes above this one, the nearest first.
    pub processes: Vec<String>,
    /// The terminal that this process runs in.
    pub terminal: Option<Box<Terminal>>,
    /// The folder that the process was started in.
    pub folder: Option<String>,
    /// The project that it belongs to.
    pub project: Option<String>,
    /// The branch that is checked out there.
    pub branch: Option<String>,
    /// Finds project and branch of a folder that the client names.
    pub project_and_branch: Option<ProjectAndBranch>,
}

/// A function that finds the project and the branch of a folder.
type ProjectAndBranch = fn(String) -> BoxFuture<(Option<String>, Option<String>)>;

/// The part of an HTTP request outside of its body. The gateway puts it into the request's extensions.
#[derive(Debug, Clone)]
pub struct HttpCall {
    /// The label in the address: `/mcp/LABEL`.
    pub label: Option<String>,
    /// Id of the key that it came with.
    pub key: Option<String>,
    /// The other end of its connection.
    pub peer: Option<Arc<dyn Peer>>,
    /// The answers that were not sent yet.
    pub receipts: Arc<Receipts>,
}

/// The other end of the connection that a request came over.
pub trait Peer: Debug + Send + Sync {
    /// Finds the process there. `None` where the system does not tell.
    fn process(&self) -> BoxFuture<Option<PeerProcess>>;
}

/// A process at the other end of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeerProcess {
    /// An id that no other process has or had.
    pub id: String,
    /// The file name of its program.
    pub program: String,
    /// The folder that it works in.
    pub folder: Option<String>,
    /// The folder that the process works in which has started it.
    pub launcher_folder: Option<String>,
}

impl PeerProcess {
    /// The folder of the run. Where a launcher works in another one, not every agent's process is in that of the run.
    fn run_folder(self, agent: &dyn Agent) -> Option<String> {
        let Self { folder, launcher_folder, .. } = self;
        folder.filter(|folder| agent.facts().run_process_has_folder || launcher_folder.as_ref() == Some(folder))
    }
}

/// The process of an agent whose processes stand for its runs.
async fn run_process(agent: &'static dyn Agent, http: &HttpCall) -> Option<PeerProcess> {
    let (program, peer) = (agent.facts().run_process?, http.peer.as_ref()?);
    peer.process().await.filter(|process| process.program == program)
}

/// The name in the handshake of a program that has set none for the Python library of MCP.
const LIBRARY: &str = "mcp";

/// The beginning of a `User-Agent` that is set by Python's library of HTTP.
const HTTP_LIBRARY: &str = "python-httpx";

/// The name and the version in a `User-Agent`.
fn user_agent(header: Option<&str>) -> Option<(&str, Option<&str>)> {
    let (name, version) = header?.split_once('/')?;
    Some((name, version.split(' ').next().filter(|version| !version.is_empty())))
}

/// The caller of a request, by all the evidence in it. `folder` is where the client says it works.
pub(crate) async fn caller(origin: &Origin, context: &RequestContext<RoleServer>, folder: Option<String>) -> Caller {
    let client = context.client_info();
    let parts = context.extensions.get::<http::request::Parts>();
    let http = parts.and_then(|parts| parts.extensions.get::<HttpCall>());
    let header = |name| parts.and_then(|parts| parts.headers.get(name)).and_then(|value| value.to_str().ok());
    let in_handshake = client.as_ref().and_then(|info| origin.agents.of_client(&info.name));
    let client_name = client.as_ref().map(|info| info.name.as_str());
    // A client may give its library's name in the handshake, and its own in every request.
    let in_requests = user_agent(header("user-agent")).filter(|_| origin.agent.is_none() && in_handshake.is_none());
    let known = match &origin.agent {
        Some(name) => origin.agents.named(name),
        None => in_handshake.or_else(|| origin.agents.of_client(in_requests?.0)),
    };
    let is_set = |name: &str| !name.is_empty() && !name.starts_with(HTTP_LIBRARY);
    let in_requests = in_requests.filter(|(name, _)| known.is_some() || (client_name == Some(LIBRARY) && is_set(name)));
    let session_header = header("mcp-session-id").map(|id| format!("mcp:{id}"));
    let process = match (known, http) {
        (Some(agent), Some(http)) => run_process(agent, http).await,
        _ => None,
    };
    let process_id = process.as_ref().map(|process| format!("process:{}", process.id));
    let folder = folder.or_else(|| process?.run_folder(known?));
    let called = match known {
        Some(agent) => agent.call_origin(&context.meta),
        None => origin.agents.iter().find_map(|agent| agent.call_origin(&context.meta)),
    };
    let (session, parent) = called.map(|called| (called.session, called.parent)).unzip();
    let name = origin.agent.as_deref().or(known.map(<dyn Agent>::name)).or(in_requests.map(|(name, _)| name));
    let name = name.or(client_name).unwrap_or("agent").to_owned();
    let of_agent = |values: &[(&'static str, String)]| {
        values.iter().find(|(agent, _)| *agent == name).map(|(_, value)| value.clone())
    };
    // A library's version is not its agent's.
    let said_version = match in_requests {
        Some((_, version)) => version.map(str::to_owned),
        None => client.as_ref().filter(|_| in_handshake == known).map(|info| info.version.clone()),
    };
    let version = of_agent(&origin.versions).or(said_version);
    let inherited = of_agent(&origin.own_sessions);
    let (project, branch) = match (&folder, origin.project_and_branch) {
        (Some(folder), Some(find)) => find(folder.clone()).await,
        _ => (None, None),
    };
    let agent = AgentIdentity {
        agent: AgentInfo { version: version.filter(|version| !version.is_empty()), name },
        own_session: session.or(inherited),
        parent: parent.flatten(),
        call: known.and_then(|agent| agent.call_id(&context.meta)),
        connection: process_id.or(session_header).or_else(|| origin.connection.clone()),
        label: http.and_then(|http| http.label.clone()).or_else(|| origin.label.clone()),
        processes: origin.processes.clone(),
        terminal: origin.terminal.clone(),
        folder: origin.folder.clone().or(folder),
        project: origin.project.clone().or(project),
        branch: origin.branch.clone().or(branch),
    };
    let client = agent.connection.clone().unwrap_or_else(|| agent.agent.name.clone());
    let key = http.and_then(|http| http.key.clone());
    Caller { key, ..Caller::agent(Transport::Mcp, client, agent) }
}

/// The receipts of this request: its own when it came over HTTP, else the process's.
pub(crate) fn receipts(own: &Arc<Receipts>, context: &RequestContext<RoleServer>) -> Arc<Receipts> {
    context
        .extensions
        .get::<http::request::Parts>()
        .and_then(|parts| parts.extensions.get::<HttpCall>())
        .map_or_else(|| own.clone(), |http| http.receipts.clone())
}
