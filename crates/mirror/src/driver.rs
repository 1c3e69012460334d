//! The task of one link: does what its state machine wants, and tells it what came of it.

use crate::command::{self, Words};
use crate::fsm::{Effect, Input, Link, Timing};
use crate::keys::Keys;
use hub::{HostStatus, Hub, KnownHost};
use jiff::{SignedDuration, Timestamp};
use protocol::{
    ClientInfo, Error, FeedRows, FeedSession, HelloResult, HostState, Reply, Request, Text, Transport, say,
};
use remote::{Address, Incoming, Socket};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use todo::text::exact;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

/// A difference of clocks that is none: the way there takes as long.
const SAME_CLOCK: SignedDuration = SignedDuration::from_secs(2);

/// Days whose seconds can be told.
const DAY: i64 = 24 * 60 * 60;

/// The driver of one link.
pub(crate) struct Driver {
    hub: Hub,
    host: KnownHost,
    keys: Arc<dyn Keys>,
    timing: Timing,
    link: Link,
    began: Instant,
    socket: Option<Socket>,
    words: Option<Words>,
    /// Work under way for this connection; its results are inputs of the machine.
    work: JoinSet<Done>,
    /// The host's clock is ahead of ours by this.
    ahead: SignedDuration,
}

/// The result of something that was under way.
enum Done {
    Opened(Box<Socket>),
    Told(Input),
}

impl Driver {
    pub(crate) fn new(hub: Hub, host: KnownHost, keys: Arc<dyn Keys>, timing: Timing) -> Self {
        let days = SignedDuration::from_secs(i64::from(host.days) * DAY);
        let since = (host.days > 0).then(|| hub.time().saturating_sub(days).unwrap_or(Timestamp::UNIX_EPOCH));
        Self {
            hub,
            host,
            keys,
            timing,
            link: Link::new(timing, since),
            began: Instant::now(),
            socket: None,
            words: None,
            work: JoinSet::new(),
            ahead: SignedDuration::ZERO,
        }
    }

    pub(crate) async fn run(mut self, stop: CancellationToken) {
        let woken = self.hub.host_woken(&self.host.name);
        let mut inputs = VecDeque::from([Input::Tick]);
        loop {
            while let Some(input) = inputs.pop_front() {
                for effect in self.link.step(self.began.elapsed(), input) {
                    inputs.extend(self.perform(effect).await);
                }
            }
            let tick = self.began + self.link.next_tick();
            let socket = self.socket.as_mut();
            tokio::select! {
                () = stop.cancelled() => return,
                () = woken.notified() => inputs.push_back(Input::Woken),
                () = sleep_until(tick) => inputs.push_back(Input::Tick),
                Some(done) = self.work.join_next() => match done {
                    Ok(Done::Opened(socket)) => {
                        self.socket = Some(*socket);
                        inputs.push_back(Input::Opened);
                    }
                    Ok(Done::Told(input)) => inputs.push_back(input),
                    Err(error) if error.is_cancelled() => {}
                    Err(error) => {
                        tracing::error!(%error, host = self.host.name, "a part of a link has failed");
                        inputs.push_back(Input::Lost(say::link_part_failed()));
                    }
                },
                incoming = receive(socket) => inputs.extend(self.received(incoming).await),
            }
        }
    }

    async fn received(&mut self, incoming: Option<Incoming>) -> Option<Input> {
        match incoming {
            None => Some(Input::Lost(self.told(say::link_ended()).await)),
            Some(Incoming::Event(event)) => {
                use protocol::{Event, GatewayState};
                match event.event() {
                    Event::GatewayState(state) if state.state == GatewayState::Closing => {
                        Some(Input::Lost(say::link_gateway_ended()))
                    }
                    Event::GatewayState(state) if state.state == GatewayState::Lagged => {
                        Some(Input::Lost(say::link_slow()))
                    }
                    // Its key has ended, and the connection with it.
                    Event::Error(error) if error.code == protocol::Code::Unauthorized => {
                        Some(Input::Lost(Text { english: error.message.clone(), named: error.text.clone() }))
                    }
                    Event::TodoUpdate(_)
                    | Event::SessionCreated(_)
                    | Event::SessionUpdated(_)
                    | Event::SessionDeleted(_)
                    | Event::ListDeleted(_)
                    | Event::ListUndeleted(_)
                    | Event::EditState(_) => Some(Input::Changed),
                    _ => None,
                }
            }
            Some(Incoming::Answer(id, answer)) => {
                if let Ok(Reply::Hello(hello)) = &*answer {
                    if self.hub.is_own_cursor(&hello.cursor) {
                        return Some(Input::Lost(say::link_own()));
                    }
                    self.ahead = ahead(hello, self.hub.time());
                }
                Some(Input::Answer(id.parse().unwrap_or_default(), answer))
            }
        }
    }

    /// Does what the machine wants; what takes time goes on beside.
    async fn perform(&mut self, effect: Effect) -> Option<Input> {
        let (hub, host) = (self.hub.clone(), self.host.name.clone());
        match effect {
            Effect::Open => return self.open(),
            Effect::Close => {
                self.socket = None;
                self.words = None;
                self.work = JoinSet::new();
            }
            Effect::Send(id, request) => return self.send(id, *request).await,
            Effect::Up { version, delay } => {
                let delay_ms = Some(millis(delay));
                let status = HostStatus {
                    state: HostState::Up,
                    version: Some(version),
                    delay_ms,
                    ahead: self.ahead,
                    ..self.status()
                };
                hub.host_found(&host, status).await;
            }
            Effect::Down(problem) => {
                tracing::debug!(host, %problem, "a host does not answer");
                let status = HostStatus { state: HostState::Down, problem: Some(problem), ..self.status() };
                hub.host_found(&host, status).await;
            }
            Effect::Unread(problem) => {
                tracing::warn!(host, %problem, "a session of a host is left out");
                hub.host_problem(&host, problem).await;
            }
            Effect::Delay(delay) => hub.host_delay(&host, millis(delay)),
            Effect::ReadPosition => self.begin(async move {
                match hub.host_position(&host).await {
                    Ok(position) => Input::Position(position),
                    Err(error) => Input::HubFailed(error),
                }
            }),
            Effect::Prepare(session) => self.begin(async move {
                match hub.host_session(&host, &session).await {
                    Ok(ask) => Input::Prepared(ask),
                    Err(error) => Input::HubFailed(error),
                }
            }),
            Effect::Take(ask, rows) => self.take(&ask, *rows),
            Effect::TakePage(cursor, deleted, more) => {
                let taken = hub.take_page(&host, cursor, deleted, more);
                self.begin(async move { Input::PageTaken(taken.await) });
            }
            Effect::ReadEdit => self.begin(async move {
                match hub.next_for_host(&host).await {
                    Ok(next) => Input::NextEdit(next.map(Box::new)),
                    Err(error) => Input::HubFailed(error),
                }
            }),
            Effect::Settle(edit, problem) => {
                self.begin(async move { Input::Settled(hub.forwarded(&edit, problem).await) });
            }
        }
        None
    }

    fn begin(&mut self, work: impl Future<Output = Input> + Send + 'static) {
        self.work.spawn(async move { Done::Told(work.await) });
    }

    fn take(&mut self, ask: &FeedSession, rows: FeedRows) {
        let (more, session) = (rows.more || rows.differs, ask.session_id.clone());
        let taken = self.hub.take_rows(&self.host.name, ask, rows, self.ahead);
        self.begin(async move { Input::Taken(session, taken.await.map(|()| more)) });
    }

    /// Connects to the address, or starts the command.
    fn open(&mut self) -> Option<Input> {
        if let Some(url) = self.host.address.clone() {
            let (keys, name) = (self.keys.clone(), self.host.name.clone());
            self.work.spawn(async move {
                match connect(keys, name, url).await {
                    Ok(socket) => Done::Opened(Box::new(socket)),
                    Err(problem) => Done::Told(Input::Lost(problem)),
                }
            });
            return None;
        }
        let (pipes, words) = match command::start(&self.host.command) {
            Ok(started) => started,
            Err(error) => {
                let program = todo::text::plain(&self.host.command[0]);
                return Some(Input::Lost(say::link_not_started(program, error)));
            }
        };
        self.words = Some(words.clone());
        let (host, shown) = (self.host.name.clone(), exact(&self.host.command.join(" ")));
        self.work.spawn(async move {
            match Socket::over(Box::new(pipes)).await {
                Ok(socket) => Done::Opened(Box::new(socket)),
                Err(error) => {
                    // Words of the WebSocket's: whoever reads this knows the command.
                    tracing::debug!(%error, host, "a command leads to no gateway");
                    Done::Told(Input::Lost(with_words(say::link_no_gateway(shown), words).await))
                }
            }
        });
        None
    }

    async fn send(&mut self, id: u64, mut request: Request) -> Option<Input> {
        let socket = self.socket.as_mut()?;
        if let Request::Hello(hello) = &mut request {
            hello.client = Some(ClientInfo {
                name: "sightline mirror".to_owned(),
                version: Some(self.hub.version().to_owned()),
                id: Some("mirror".to_owned()),
                transport: Some(Transport::Cli),
            });
        }
        let problem = match timeout(self.timing.frozen, socket.ask(&id.to_string(), &request)).await {
            Ok(Ok(())) => return None,
            Ok(Err(error)) if error.code == protocol::Code::MessageTooLarge => {
                return Some(Input::Answer(id, Box::new(Err(error))));
            }
            Ok(Err(error)) => error.into_text(),
            Err(_) => say::link_full(),
        };
        Some(Input::Lost(self.told(problem).await))
    }

    /// The last that the command has said, and the problem.
    async fn told(&mut self, problem: Text) -> Text {
        match self.words.take() {
            Some(words) => with_words(problem, words).await,
            None => problem,
        }
    }

    fn status(&self) -> HostStatus {
        HostStatus { since: self.hub.time(), ..HostStatus::default() }
    }
}

/// Opens a connection to an address with the key that is for it.
async fn connect(keys: Arc<dyn Keys>, name: String, url: String) -> Result<Socket, Text> {
    let no_key = say::host_no_key(&name);
    let address = url.clone();
    let key = tokio::task::spawn_blocking(move || keys.key(&name, &address))
        .await
        .map_err(|error| Text::from(error.to_string()))?;
    let token = key.ok_or(no_key)?;
    Socket::open(&Address::Url { url, token }).await.map_err(Error::into_text)
}

async fn with_words(problem: Text, words: Words) -> Text {
    let said = words.last().await;
    if said.is_empty() { problem } else { say::link_said(said, &problem).with("problem", &problem) }
}

async fn receive(socket: Option<&mut Socket>) -> Option<Incoming> {
    match socket {
        Some(socket) => socket.receive().await,
        None => std::future::pending().await,
    }
}

/// The time by which a host's clock is ahead of ours.
fn ahead(hello: &HelloResult, now: Timestamp) -> SignedDuration {
    let ahead = hello.time.map(|theirs| theirs.duration_since(now)).unwrap_or_default();
    if ahead.abs() < SAME_CLOCK { SignedDuration::ZERO } else { ahead }
}

fn millis(delay: Duration) -> u32 {
    u32::try_from(delay.as_millis()).unwrap_or(u32::MAX)
}
