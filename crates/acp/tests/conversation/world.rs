//! The parts of a conversation, each in the test's hands.

use acp::{Config, Conversation, start};
use agents::KNOWN;
use futures_util::StreamExt;
use protocol::{Backend, BoxFuture, Caller, Event, Reply, Request, SessionTodos, Subscription};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Read, Write, pipe};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::timeout;
use uuid::Uuid;

/// The longest that anything is waited for.
pub(crate) const LONG: Duration = Duration::from_secs(30);

/// An example's program, which is built with the tests.
pub(crate) fn example(name: &str) -> PathBuf {
    let own = std::env::current_exe().expect("the path of this program");
    let folder = own.parent().and_then(|deps| deps.parent()).expect("target/debug/deps");
    let program = folder.join("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(program.exists(), "{} is built by `cargo nextest run -p sightline-acp`", program.display());
    program
}

/// One side of the conversation, as the test plays it.
pub(crate) struct Side<R: Read, W: Write> {
    pub(crate) reads: BufReader<R>,
    /// Nothing once it has hung up.
    pub(crate) writes: Option<W>,
}

impl<R: Read, W: Write> Side<R, W> {
    pub(crate) fn says_raw(&mut self, bytes: &[u8]) {
        let writes = self.writes.as_mut().expect("it has not hung up");
        writes.write_all(bytes).and_then(|()| writes.flush()).expect("it is read");
    }

    pub(crate) fn says(&mut self, message: &Value) {
        self.says_raw(format!("{message}\n").as_bytes());
    }

    pub(crate) fn hears_raw(&mut self) -> Vec<u8> {
        let mut line = Vec::new();
        self.reads.read_until(b'\n', &mut line).expect("it can be read");
        line
    }

    pub(crate) fn hears(&mut self) -> Value {
        let line = self.hears_raw();
        serde_json::from_slice(&line).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&line)))
    }
}

pub(crate) type Editor = Side<PipeReader, PipeWriter>;
pub(crate) type Agent = Side<TcpStream, TcpStream>;

/// A conversation through the proxy.
pub(crate) struct World {
    pub(crate) editor: Editor,
    pub(crate) agent: Agent,
    pub(crate) conversation: Conversation,
    hub: Option<Hub>,
    labels: Arc<AtomicU64>,
}

/// A hub in a folder of its own.
pub(crate) struct Hub {
    running: hub::Running,
    _folder: tempfile::TempDir,
}

/// The ends of the pipes between an editor and the proxy: the editor's, and the proxy's.
pub(crate) fn editor() -> (Editor, PipeReader, PipeWriter) {
    let (from_editor, to_proxy) = pipe().expect("a pipe");
    let (from_proxy, to_editor) = pipe().expect("a pipe");
    (Side { reads: BufReader::new(from_proxy), writes: Some(to_proxy) }, from_editor, to_editor)
}

/// The parts of a conversation with an agent, as `sightline acp` has them.
pub(crate) fn config(command: Vec<OsString>, backend: Arc<dyn Backend>) -> (Config, Arc<AtomicU64>) {
    let labels = Arc::new(AtomicU64::new(0));
    let counter = labels.clone();
    let config = Config {
        command,
        agent: None,
        agents: KNOWN,
        backend,
        connect: Some(Arc::new(|| Box::pin(async { Err(gone()) }))),
        tool_server: ("/bin/sightline".to_owned(), vec!["mcp".to_owned()]),
        connection: "acp:test".to_owned(),
        new_label: Box::new(move || format!("label-{}", counter.fetch_add(1, Ordering::Relaxed) + 1)),
    };
    (config, labels)
}

impl World {
    pub(crate) async fn new() -> Self {
        Self::with(true).await
    }

    /// Without a hub nobody answers the proxy's requests, ever.
    pub(crate) async fn without_hub() -> Self {
        Self::with(false).await
    }

    async fn with(has_hub: bool) -> Self {
        let hub = if has_hub { Some(Hub::new().await) } else { None };
        let backend = hub.as_ref().map_or_else(|| Arc::new(Stopped) as Arc<dyn Backend>, Hub::backend);
        let strings = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = strings.local_addr().expect("its address").to_string();
        let command = [example("puppet").into_os_string(), address.into()];
        let (config, labels) = config(command.into(), backend);
        let (editor, from_editor, to_editor) = editor();
        let conversation = start(config, from_editor, to_editor).await.expect("it starts");
        let (reads, _) = strings.accept().expect("the agent has started");
        reads.set_nodelay(true).expect("it is connected");
        let writes = Some(reads.try_clone().expect("its other half"));
        let agent = Side { reads: BufReader::new(reads), writes };
        Self { editor, agent, conversation, hub, labels }
    }

    /// The next label that a session gets.
    pub(crate) fn last_label(&self) -> String {
        format!("label-{}", self.labels.load(Ordering::Relaxed))
    }

    /// The editor says something, and the agent hears it as it is.
    pub(crate) fn tell_agent(&mut self, message: &Value) {
        self.editor.says(message);
        assert_eq!(self.agent.hears(), *message);
    }

    /// The agent says something, and the editor hears it as it is.
    pub(crate) fn tell_editor(&mut self, message: &Value) {
        self.agent.says(message);
        assert_eq!(self.editor.hears(), *message);
    }

    /// The agent introduces itself.
    pub(crate) fn initialize(&mut self, http: bool) {
        self.tell_agent(
            &json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": { "protocolVersion": 1 } }),
        );
        let info = json!({ "name": "OpenCode", "version": "1.18.33" });
        let capabilities = json!({ "loadSession": true, "mcpCapabilities": { "http": http } });
        let result = json!({ "protocolVersion": 1, "agentCapabilities": capabilities, "agentInfo": info });
        self.tell_editor(&json!({ "jsonrpc": "2.0", "id": 0, "result": result }));
    }

    /// A session is opened; gives the request as the agent has it.
    pub(crate) fn open(&mut self, method: &str, session: &str) -> Value {
        let params = json!({ "sessionId": session, "cwd": "/home/me/billing", "mcpServers": [] });
        self.editor.says(&json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }));
        let asked = self.agent.hears();
        self.tell_editor(&json!({ "jsonrpc": "2.0", "id": 1, "result": { "sessionId": session } }));
        asked
    }

    pub(crate) fn prompt(&mut self, id: u32, session: &str, text: &str) {
        let prompt = json!([{ "type": "text", "text": text }]);
        let params = json!({ "sessionId": session, "prompt": prompt });
        self.tell_agent(&json!({ "jsonrpc": "2.0", "id": id, "method": "session/prompt", "params": params }));
    }

    pub(crate) fn turn_ends(&mut self, id: u32) {
        self.tell_editor(&json!({ "jsonrpc": "2.0", "id": id, "result": { "stopReason": "end_turn" } }));
    }

    pub(crate) fn update(&mut self, session: &str, update: &Value) {
        let params = json!({ "sessionId": session, "update": update });
        self.tell_editor(&json!({ "jsonrpc": "2.0", "method": "session/update", "params": params }));
    }

    pub(crate) fn hub(&self) -> &hub::Hub {
        &self.hub.as_ref().expect("there is one").running.hub
    }

    /// Waits for a session that is as wanted.
    pub(crate) async fn session(&self, what: &str, wanted: impl Fn(&SessionTodos) -> bool) -> SessionTodos {
        self.hub.as_ref().expect("there is one").session(what, wanted).await
    }
}

impl Hub {
    pub(crate) async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Self { running: hub::start(hub_config(&folder)).await.expect("the hub starts"), _folder: folder }
    }

    pub(crate) fn backend(&self) -> Arc<dyn Backend> {
        Arc::new(self.running.hub.clone())
    }

    /// Waits for a session that is as wanted.
    pub(crate) async fn session(&self, what: &str, wanted: impl Fn(&SessionTodos) -> bool) -> SessionTodos {
        let looked = async {
            let mut subscription = self.running.hub.subscribe(None).await.expect("a subscription");
            if let Some(found) = subscription.snapshot.sessions.into_iter().find(&wanted) {
                return found;
            }
            loop {
                let event = subscription.events.next().await.expect("it goes on");
                let told = match event.event() {
                    Event::SessionCreated(told) | Event::SessionUpdated(told) => (*told.session).clone(),
                    Event::TodoUpdate(told) => SessionTodos { todos: told.todos.clone(), ..(*told.session).clone() },
                    _ => continue,
                };
                if wanted(&told) {
                    return told;
                }
            }
        };
        timeout(LONG, looked).await.unwrap_or_else(|_| panic!("no session {what}"))
    }
}

fn hub_config(folder: &tempfile::TempDir) -> hub::Config {
    // Each look at the clock is a little later.
    let now = Mutex::new(jiff::Timestamp::from_second(1_700_000_000).expect("a time"));
    hub::Config {
        database: folder.path().join("sightline.db"),
        now: Arc::new(move || {
            let mut now = now.lock().expect("nobody panicked");
            *now += Duration::from_millis(5);
            *now
        }),
        elapsed: Arc::new(Duration::default),
        uid: Arc::new(Uuid::new_v4),
        secret: Arc::new(|| format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple())),
        version: "1.2.3".to_owned(),
    }
}

fn gone() -> protocol::Error {
    protocol::Error::new(protocol::Code::Unavailable, "there is none")
}

/// A gateway that has been stopped: it takes requests and never answers.
struct Stopped;

impl Backend for Stopped {
    fn call(&self, _: Caller, _: Request) -> BoxFuture<protocol::Result<Reply>> {
        Box::pin(std::future::pending())
    }

    fn subscribe(&self, _: Option<String>) -> BoxFuture<protocol::Result<Subscription>> {
        Box::pin(std::future::pending())
    }
}
