//! Between an editor and its agent, which speak ACP over standard input and output: what they say is passed on as it came,
//! byte for byte, and what it means is told to a [`protocol::Backend`].
//!
//! Two threads pass on (`lines`). They wait for nobody but the two sides, know no backend, and survive a panic of what
//! looks at the lines. In one place a line is changed: a request that opens a session gets our tool server (`tool_server`).
//! In three places a line is added: our list as the agent's plan (`plans`), a message of the user's as a prompt (`prompts`),
//! and the user's answer to what the agent asks (`answers`), after which the editor's is left out. A third thread makes out
//! what the lines mean (`follow`), and a task hands that to the backend (`report`).
//!
//! [Decision 41](../../docs/decisions/0041-acp-by-lines.md) says why this is not built on ACP's own proxies.

mod answers;
mod asking;
mod asks;
mod follow;
mod form;
mod handshake;
mod lines;
mod message;
mod plans;
mod prompts;
mod relay;
mod report;
mod tool_server;
mod watchers;

pub use relay::{Connect, Stream};

use agents::Registry;
use answers::Answers;
use asking::Asking;
use follow::{Follower, News, Run};
use lines::{Output, pass};
use plans::Plans;
use prompts::Prompts;
use protocol::Backend;
use relay::Relay;
use report::Reporter;
use shared_child::SharedChild;
#[cfg(unix)]
use shared_child::unix::SharedChildExt;
use std::ffi::OsString;
use std::io::{Read, Result, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::channel;
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tool_server::ToolServer;
use uuid::Uuid;
use watchers::{FromAgent, FromEditor, Note, Noted, Offer};

/// News that may wait for the backend.
const NEWS: usize = 256;

/// Time for what the agent said last, after it has ended: a program that it has started may hold its output open.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// The parts of a conversation.
pub struct Config {
    /// The agent's program and its arguments.
    pub command: Vec<OsString>,
    /// The agent's name, where the user says it.
    pub agent: Option<String>,
    /// The agents that are known.
    pub agents: Registry,
    /// The backend that is told what happens.
    pub backend: Arc<dyn Backend>,
    /// The way to its gateway for an agent that takes our tool server over HTTP only.
    pub connect: Option<Connect>,
    /// Our tool server as a program, and its arguments before those that name the session.
    pub tool_server: (String, Vec<String>),
    /// An id of this process among agents' connections.
    pub connection: String,
    /// Makes a label that no other session has.
    pub new_label: Box<dyn Fn() -> String + Send>,
}

/// A conversation that goes on.
pub struct Conversation {
    status: oneshot::Receiver<Result<ExitStatus>>,
    child: Arc<SharedChild>,
    reports: JoinHandle<()>,
    tasks: Vec<JoinHandle<()>>,
}

/// Starts the agent, and passes on what it and the editor say.
///
/// # Errors
/// When the agent's program cannot be started.
pub async fn start(
    config: Config,
    from_editor: impl Read + Send + 'static,
    to_editor: impl Write + Send + 'static,
) -> Result<Conversation> {
    let (program, arguments) = config.command.split_first().ok_or(std::io::ErrorKind::InvalidInput)?;
    let mut command = Command::new(match program.to_str() {
        Some(name) => programs::file(name, |name| std::env::var(name).ok()),
        None => program.into(),
    });
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    let child = Arc::new(SharedChild::spawn(&mut command)?);
    let (Some(to_agent), Some(from_agent)) = (child.take_stdin(), child.take_stdout()) else {
        return Err(std::io::ErrorKind::BrokenPipe.into());
    };
    let (editor, agent) = (Arc::new(Output::new(to_editor)), Arc::new(Output::new(to_agent)));
    let handshake = Arc::new(OnceLock::new());
    let plans = Arc::new(Plans::new(editor.clone()));
    let prompts = Arc::new(Prompts::new(editor.clone(), &agent));
    let answers = Arc::new(Answers::new(editor.clone(), &agent));
    let mut tasks = Vec::new();
    let http = match config.connect {
        Some(connect) => serve(connect, &mut tasks).await,
        None => None,
    };
    let (program, arguments) = config.tool_server;
    let offer = Offer { http, stdio: ToolServer::Stdio { program, arguments }, new_label: config.new_label };
    let (notes, noted) = watchers::notes();
    let (news, to_report) = mpsc::channel(NEWS);

    let mut watcher =
        FromEditor { handshake: handshake.clone(), offer, answers: answers.clone(), notes: notes.clone() };
    thread::spawn(move || end("editor", pass(from_editor, &agent, &mut watcher)));
    let command = config.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let (registry, named) = (config.agents, config.agent);
    let mut watcher = FromAgent {
        handshake: handshake.clone(),
        registry,
        named,
        command,
        prompts: prompts.clone(),
        answers: answers.clone(),
        notes: notes.clone(),
    };
    let (done, drained) = channel::<()>();
    thread::spawn(move || {
        end("agent", pass(from_agent, &editor, &mut watcher));
        drop(done);
    });
    let (follower, shown) = (Follower::new(handshake.clone()), plans.clone());
    thread::spawn(move || follow(follower, &noted, &shown, &news));
    let (ended, status) = oneshot::channel();
    let (ends, waited) = (notes.clone(), child.clone());
    thread::spawn(move || {
        let status = waited.wait();
        // It ends when the other thread lets go.
        let _ = drained.recv_timeout(LAST_WORDS);
        // The editor may never say another word, and the thread that listens to it never end.
        ends.end();
        let _ = ended.send(status);
    });

    let (queued, to_send) = mpsc::channel(NEWS);
    tasks.push(tokio::spawn(report::watch(config.backend.clone(), plans.clone(), queued)));
    let reporter = Reporter {
        backend: config.backend,
        handshake,
        connection: config.connection,
        plans,
        prompts,
        asking: Asking::new(answers),
        notes,
        folders: Default::default(),
        listed: Default::default(),
        known: Default::default(),
    };
    let reports = tokio::spawn(reporter.run(to_report, to_send));
    Ok(Conversation { status, child, reports, tasks })
}

impl Conversation {
    /// Waits for the agent's end, and gives how it ended.
    ///
    /// # Errors
    /// When the system does not tell.
    pub async fn ended(&mut self) -> Result<ExitStatus> {
        (&mut self.status).await.unwrap_or_else(|_| Err(std::io::ErrorKind::BrokenPipe.into()))
    }

    /// Asks the agent's program to end, as whoever ends this one would have asked it. On Windows it hears by itself: its
    /// input ends.
    pub fn terminate(&self) {
        #[cfg(unix)]
        if let Err(error) = SharedChildExt::send_signal(&*self.child, nix::libc::SIGTERM) {
            tracing::info!(%error, "the agent could not be told to end");
        }
    }

    /// Ends the agent's program.
    pub fn kill(&self) {
        if let Err(error) = self.child.kill() {
            tracing::info!(%error, "the agent could not be ended");
        }
    }

    /// Hands over the last news, as far as the backend takes them within that time.
    pub async fn finish(self, time: Duration) {
        for task in self.tasks {
            task.abort();
            // It was aborted.
            let _ = task.await;
        }
        if timeout(time, self.reports).await.is_err() {
            tracing::info!("the last news of the sessions were not taken in time");
        }
    }
}

/// Our tool server at an address of this process; `None` where there cannot be one.
async fn serve(connect: Connect, tasks: &mut Vec<JoinHandle<()>>) -> Option<ToolServer> {
    // Good for this process, and for nothing else.
    let key = format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
    let relay = Relay::new(key.clone(), connect).await;
    match relay.and_then(|relay| Ok((relay.url()?, relay))) {
        Ok((url, relay)) => {
            tasks.push(tokio::spawn(relay.run()));
            Some(ToolServer::Http { url, key })
        }
        Err(error) => {
            tracing::warn!(%error, "there is no address for our tool server; agents get it as a program");
            None
        }
    }
}

/// Makes news of lines until the agent has ended.
fn follow(mut follower: Follower, noted: &Noted, plans: &Plans, to: &mpsc::Sender<(Arc<Run>, News)>) {
    while let Some(note) = noted.next() {
        match note {
            Note::Label { id, label } => follower.labelled(id, label),
            Note::Prompt { id, own_session } => {
                plans.turn(&own_session);
                follower.prompted(id, own_session);
            }
            Note::Answered { id } => {
                if let Some(told) = follower.answered(&id)
                    && to.try_send(told).is_err()
                {
                    tracing::info!("too much happens at once for the backend; some news are left out");
                }
            }
            Note::End => return,
            Note::Lines(side, lines) => {
                for line in lines.split_inclusive(|byte| *byte == b'\n') {
                    let Some((run, news)) = follower.line(side, line) else { continue };
                    match &news {
                        News::Prompted(_) => plans.turn(&run.own_session),
                        News::Plan(entries) if !entries.is_empty() => plans.own(&run.own_session),
                        News::Closed => plans.closed(&run.own_session),
                        _ => {}
                    }
                    if to.try_send((run, news)).is_err() {
                        tracing::info!("too much happens at once for the backend; some news are left out");
                    }
                }
            }
        }
    }
}

fn end(side: &str, ended: Result<()>) {
    if let Err(error) = ended {
        tracing::info!(%error, side, "a side of the conversation has gone");
    }
}
