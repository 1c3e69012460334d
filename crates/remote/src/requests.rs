//! The task that owns the socket for requests.

use crate::socket::{Incoming, Socket};
use crate::{Config, Link, hello, unavailable};
use backon::{BackoffBuilder, ExponentialBuilder};
use protocol::{AgentIdentity, Code, Error, Reply, Request, Result};
use std::collections::{HashMap, VecDeque};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The longest pause between two attempts to connect.
const LONGEST_PAUSE: Duration = Duration::from_secs(3);

/// A request that waits for its answer.
pub(crate) struct Call {
    request: Request,
    agent: Option<AgentIdentity>,
    reply: oneshot::Sender<Result<Reply>>,
    until: Instant,
}

impl Call {
    pub(crate) fn new(
        request: Request,
        agent: Option<AgentIdentity>,
        reply: oneshot::Sender<Result<Reply>>,
        patience: Duration,
    ) -> Self {
        Self { request, agent, reply, until: Instant::now() + patience }
    }

    fn fail(self, error: Error) {
        // The caller may have gone.
        let _ = self.reply.send(Err(error));
    }
}

pub(crate) struct Task {
    config: Config,
    queue: mpsc::UnboundedReceiver<Call>,
    link: watch::Sender<Link>,
    /// Calls that wait for a connection, oldest first.
    waiting: VecDeque<Call>,
    /// The agent that the gateway takes this connection to speak for.
    speaks_for: Option<AgentIdentity>,
    sent: u64,
}

impl Task {
    pub(crate) fn new(config: Config, queue: mpsc::UnboundedReceiver<Call>, link: watch::Sender<Link>) -> Self {
        Self { config, queue, link, waiting: VecDeque::new(), speaks_for: None, sent: 0 }
    }

    pub(crate) async fn run(mut self, stop: CancellationToken) {
        tokio::select! {
            () = stop.cancelled() => {}
            () = self.work() => {}
        }
    }

    async fn work(&mut self) {
        loop {
            let Some(socket) = self.connect().await else { return };
            let _ = self.link.send_replace(Link::Up);
            self.converse(socket).await;
            let _ = self.link.send_replace(Link::Down);
        }
    }

    /// Tries until there is a connection. Meanwhile calls are collected, and refused when they have waited long enough.
    async fn connect(&mut self) -> Option<Socket> {
        let mut pauses = ExponentialBuilder::default()
            .with_min_delay(Duration::from_millis(50))
            .with_max_delay(LONGEST_PAUSE)
            .with_jitter()
            .without_max_times()
            .build();
        loop {
            let attempt = open(self.config.clone());
            tokio::pin!(attempt);
            let error = loop {
                tokio::select! {
                    opened = &mut attempt => match opened {
                        Ok(socket) => return Some(socket),
                        Err(error) => break error,
                    },
                    call = self.queue.recv() => self.waiting.push_back(call?),
                }
            };
            tracing::debug!(%error, "no connection");
            let pause = tokio::time::sleep(pauses.next().unwrap_or(LONGEST_PAUSE));
            tokio::pin!(pause);
            loop {
                let next = self.waiting.front().map(|call| call.until);
                tokio::select! {
                    () = &mut pause => break,
                    call = self.queue.recv() => self.waiting.push_back(call?),
                    () = until(next) => {
                        if let Some(call) = self.waiting.pop_front() {
                            call.fail(error.clone());
                        }
                    }
                }
            }
        }
    }

    /// Sends requests and hands out answers until the connection is lost.
    async fn converse(&mut self, mut socket: Socket) {
        let mut asked: HashMap<String, Call> = HashMap::new();
        // In the name of the same agent as before, so that it counts as connected again.
        if socket.ask("hello", &hello(&self.config.client, self.speaks_for.as_ref())).await.is_ok() {
            loop {
                let step = match self.waiting.pop_front() {
                    Some(call) => self.send(&mut socket, call, &mut asked).await,
                    None => tokio::select! {
                        call = self.queue.recv() => match call {
                            Some(call) => self.send(&mut socket, call, &mut asked).await,
                            None => return,
                        },
                        incoming = socket.receive() => hand_out(incoming, &mut asked),
                    },
                };
                if step.is_none() {
                    break;
                }
            }
        }
        let mut lost: Vec<(String, Call)> = asked.into_iter().collect();
        lost.sort_by_key(|(id, _)| std::cmp::Reverse(id.parse::<u64>().unwrap_or_default()));
        for (_, call) in lost {
            if call.request.may_repeat() {
                self.waiting.push_front(call);
            } else {
                call.fail(unavailable(protocol::say::remote_lost_request()));
            }
        }
    }

    /// Sends a request, after a `hello` where it is from another agent than the one before; `None` when the connection is
    /// lost.
    async fn send(&mut self, socket: &mut Socket, call: Call, asked: &mut HashMap<String, Call>) -> Option<()> {
        self.sent += 1;
        let id = self.sent.to_string();
        let introduced = if call.agent == self.speaks_for {
            Ok(())
        } else {
            self.speaks_for.clone_from(&call.agent);
            socket.ask("hello", &hello(&self.config.client, call.agent.as_ref())).await
        };
        let sent = match introduced {
            Ok(()) => socket.ask(&id, &call.request).await,
            Err(error) => Err(error),
        };
        match sent {
            Err(error) if error.code == Code::MessageTooLarge => {
                call.fail(error);
                Some(())
            }
            sent => {
                asked.insert(id, call);
                sent.ok()
            }
        }
    }
}

fn hand_out(incoming: Option<Incoming>, asked: &mut HashMap<String, Call>) -> Option<()> {
    if let Incoming::Answer(id, answer) = incoming?
        && let Some(call) = asked.remove(&id)
    {
        // The caller may have gone.
        let _ = call.reply.send(*answer);
    }
    Some(())
}

async fn open(config: Config) -> Result<Socket> {
    let address = (config.locate)().await?;
    Socket::open(&address).await
}

async fn until(instant: Option<Instant>) {
    match instant {
        Some(instant) => tokio::time::sleep_until(instant).await,
        None => std::future::pending().await,
    }
}
