//! The WebSocket: one task for each connection, which answers requests in their order and sends events as they come. Slow
//! requests are answered when they are done, so that nothing waits for them.

mod sending;

use crate::Gateway;
use crate::accept;
use crate::keys::Visitor;
use crate::message::{self, invalid, is_too_large, read_bytes};
use crate::paced::{Pace, READ_AHEAD};
use crate::rate::Rate;
use crate::tek::{Asked, Question, Tek};
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Extension, Query, State};
use axum::response::Response;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use hub::{KnownKey, Presence};
use protocol::proof::PROVED;
use protocol::{
    Backend, BoxFuture, Caller, Code, Error, EventStream, EventsSubscribe, Hello, Reply, Request, SharedEvent,
    Transport,
};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, sleep};

/// Time between two pings.
const HEARTBEAT: Duration = Duration::from_secs(20);

/// Slow requests that one connection may have under way.
const SLOW: usize = 16;

/// WebSocket close codes (RFC 6455, section 7.4.1).
const TOO_LARGE: u16 = 1009;
const KEY_ENDED: u16 = 1008;

pub(crate) async fn upgrade(
    State(gateway): State<Gateway>,
    Extension(accept::Connection { rate, visit, pace, .. }): Extension<accept::Connection>,
    Extension(visitor): Extension<Visitor>,
    Query(query): Query<Vec<(String, String)>>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let session = query.into_iter().find(|(name, _)| name == "session").map(|(_, session)| session);
    let tracker = gateway.connections.clone();
    let most = read_bytes(visitor.rights());
    let upgrade = upgrade.max_message_size(most).max_frame_size(most).read_buffer_size(READ_AHEAD);
    if let Some(key) = visitor.key() {
        pace.begin(gateway.intake.clone(), key);
    }
    upgrade.protocols(["sightline"]).on_upgrade(move |socket| {
        tracker.track_future(async move {
            Connection::new(gateway, rate, socket, pace, visitor, session).run().await;
            // It is counted until here.
            drop(visit);
        })
    })
}

/// A connection that is over.
struct Ended;

type Step = Result<(), Ended>;

/// A request that waits for its answer.
struct Waiting {
    id: Option<String>,
    question: Option<Question>,
}

struct Connection {
    gateway: Gateway,
    rate: Rate,
    socket: WebSocket,
    pace: Pace,
    visitor: Visitor,
    keys: watch::Receiver<Arc<Vec<KnownKey>>>,
    caller: Caller,
    events: Option<EventStream>,
    /// Present while the client may be one of the older protocol.
    tek: Option<Tek>,
    is_alive: bool,
    /// Slow requests under way.
    slow: FuturesUnordered<BoxFuture<(Waiting, Result<Reply, Error>)>>,
    presence: Option<Presence>,
}

impl Connection {
    fn new(
        gateway: Gateway,
        rate: Rate,
        socket: WebSocket,
        pace: Pace,
        visitor: Visitor,
        session: Option<String>,
    ) -> Self {
        let client = uuid::Uuid::new_v4().to_string();
        let caller = visitor.as_caller(Caller::user(Transport::Websocket, client));
        let keys = gateway.hub.keys();
        let tek = Some(Tek::new(gateway.port, session));
        Self {
            gateway,
            rate,
            socket,
            pace,
            visitor,
            keys,
            caller,
            events: None,
            tek,
            is_alive: true,
            slow: FuturesUnordered::new(),
            presence: None,
        }
    }

    async fn run(mut self) {
        let stop = self.gateway.stop.clone();
        if let Some(proof) = self.visitor.proof.take()
            && self.tell(&serde_json::json!({ "type": PROVED, "proof": proof })).await.is_err()
        {
            return;
        }
        let mut heartbeat = interval(HEARTBEAT);
        heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        if self.tek.as_ref().is_some_and(Tek::is_named) && self.follow().await.is_err() {
            return;
        }
        loop {
            let step = tokio::select! {
                () = stop.cancelled() => {
                    self.announce_end().await;
                    return;
                }
                message = self.socket.recv() => self.message(message).await,
                event = next(&mut self.events) => self.event(event).await,
                Some((waiting, answer)) = self.slow.next(), if !self.slow.is_empty() => self.done(&waiting, answer).await,
                Ok(()) = self.keys.changed() => self.look_at_key().await,
                _ = heartbeat.tick() => self.heartbeat().await,
            };
            if step.is_err() {
                return;
            }
        }
    }

    async fn heartbeat(&mut self) -> Step {
        if !std::mem::take(&mut self.is_alive) {
            return Err(Ended);
        }
        self.look_at_key().await?;
        self.send(Message::Ping(bytes::Bytes::new())).await
    }

    /// Takes over the rights that the key has now; a key that has ended ends its connections.
    async fn look_at_key(&mut self) -> Step {
        if let Some(visitor) = self.visitor.now(&self.gateway.hub) {
            self.caller.rights = visitor.rights();
            self.visitor = visitor;
            return Ok(());
        }
        self.fail(None, &Error::new(Code::Unauthorized, protocol::say::door_key_ended())).await?;
        self.close(KEY_ENDED, "the key has ended").await;
        Err(Ended)
    }

    async fn message(&mut self, message: Option<Result<Message, axum::Error>>) -> Step {
        self.is_alive = true;
        match &message {
            Some(Ok(Message::Text(text))) => self.pace.message(text.len()),
            Some(Ok(Message::Binary(bytes))) => self.pace.message(bytes.len()),
            Some(Ok(Message::Ping(bytes) | Message::Pong(bytes))) => self.pace.control(bytes.len()),
            Some(Ok(Message::Close(_)) | Err(_)) | None => {}
        }
        let is_whole = matches!(message, Some(Ok(Message::Text(_) | Message::Binary(_))));
        let step = self.understood(message).await;
        if is_whole {
            self.pace.done();
        }
        step
    }

    async fn understood(&mut self, message: Option<Result<Message, axum::Error>>) -> Step {
        match message {
            Some(Ok(Message::Text(text))) if is_too_large(&text) => self.too_large().await,
            Some(Ok(Message::Text(text))) => self.request(text.as_str()).await,
            Some(Ok(Message::Binary(_))) => {
                self.unreadable(None, &invalid("messages are JSON in text frames; this one was binary")).await
            }
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(()),
            Some(Err(error)) if error.to_string().contains("too long") => self.too_large().await,
            Some(Ok(Message::Close(_)) | Err(_)) | None => Err(Ended),
        }
    }

    async fn too_large(&mut self) -> Step {
        self.fail(None, &message::too_large()).await?;
        self.close(TOO_LARGE, "message too large").await;
        Err(Ended)
    }

    async fn request(&mut self, text: &str) -> Step {
        let (id, fields) = match message::read(text) {
            Ok(read) => read,
            Err(error) => return self.unreadable(None, &error).await,
        };
        if let Err(exceeded) = self.rate.check() {
            self.fail(id.as_deref(), &exceeded.error).await?;
            // Refusing is work, too: the next message is not read before its time.
            sleep(exceeded.wait).await;
            return Ok(());
        }
        let Some(Value::String(kind)) = fields.get("type").cloned() else {
            let problem = "\"type\" is missing; it must be text, such as \"todo.write\"";
            return self.unreadable(id.as_deref(), &invalid(problem)).await;
        };
        self.note_dialect(&kind).await?;
        let asked = match &self.tek {
            Some(tek) => tek.read(&kind, Value::Object(fields), id.as_deref()),
            None => Request::read(&kind, Value::Object(fields)).map(|request| Asked::Request(request, None)),
        };
        let (request, question) = match asked {
            Ok(Asked::Request(request, question)) => (request, question),
            Ok(Asked::Answered(form)) => return self.tell(&form).await,
            Err(error) => return self.fail(id.as_deref(), &error).await,
        };
        if request.is_slow() {
            if self.slow.len() >= SLOW {
                let problem = format!("{SLOW} requests about this machine are under way; wait for one of them");
                return self.fail(id.as_deref(), &Error::new(Code::Unavailable, problem)).await;
            }
            let answer = self.gateway.hub.call(self.caller.clone(), request);
            self.slow.push(Box::pin(answer.map(|answer| (Waiting { id, question }, answer))));
            return Ok(());
        }
        let answer = self.answer(request, id.as_deref()).await;
        // Whoever takes no answer keeps no turn.
        self.pace.done();
        self.answered(&Waiting { id, question }, answer).await
    }

    /// Refuses a message without a type, which tells nothing of who sent it.
    async fn unreadable(&mut self, id: Option<&str>, error: &Error) -> Step {
        self.note_dialect("").await?;
        self.fail(id, error).await
    }

    /// Answers a slow request that is done. Events that it caused meanwhile come first.
    async fn done(&mut self, waiting: &Waiting, answer: Result<Reply, Error>) -> Step {
        if let Some(event) = next(&mut self.events).now_or_never() {
            self.event(event).await?;
        }
        self.answered(waiting, answer).await
    }

    async fn answered(&mut self, waiting: &Waiting, answer: Result<Reply, Error>) -> Step {
        match answer {
            Ok(reply) => self.reply(reply, waiting).await,
            Err(error) => self.fail(waiting.id.as_deref(), &error).await,
        }
    }

    async fn answer(&mut self, request: Request, id: Option<&str>) -> Result<Reply, Error> {
        match request {
            Request::EventsSubscribe(ask) => self.subscribe(ask).await,
            Request::Hello(hello) => {
                self.hello(&hello);
                self.gateway.hub.call(self.caller.clone(), hello.into()).await
            }
            other => self.gateway.hub.call(self.caller.clone(), other.caused_by(id)).await,
        }
    }

    /// Subscribes a client of the older protocol, which is told unasked, and lets go of one that is of ours.
    async fn note_dialect(&mut self, kind: &str) -> Step {
        let Some(tek) = &mut self.tek else { return Ok(()) };
        if !tek.is_spoken(kind) {
            (self.tek, self.events) = (None, None);
        } else if self.events.is_none() {
            return self.follow().await;
        }
        Ok(())
    }

    async fn follow(&mut self) -> Step {
        let Some(tek) = &mut self.tek else { return Ok(()) };
        let (events, form) = tek.follow(&self.gateway.hub, &self.caller).await;
        self.events = events;
        match form {
            Some(form) => self.tell(&form).await,
            None => Ok(()),
        }
    }

    fn hello(&mut self, hello: &Hello) {
        if let Some(client) = &hello.client {
            self.caller.transport = client.transport.unwrap_or(Transport::Websocket);
            if let Some(id) = &client.id {
                self.caller.client = id.chars().take(message::ID_CHARS).collect();
            }
        }
        if let Some(agent) = &hello.agent {
            // A client that speaks for an agent and names no transport is one of its tool servers.
            let said = hello.client.as_ref().and_then(|client| client.transport);
            self.caller.transport = said.unwrap_or(Transport::Mcp);
            self.presence = agent.connection.as_deref().map(|connection| self.gateway.hub.present(connection));
        }
        self.caller.agent.clone_from(&hello.agent);
    }

    async fn subscribe(&mut self, ask: EventsSubscribe) -> Result<Reply, Error> {
        let subscription = self.gateway.hub.subscribe(ask.since).await?;
        self.events = Some(subscription.events);
        Ok(Reply::EventsSubscribe(subscription.snapshot))
    }
}

/// Waits for the next event; for ever where there is no subscription.
async fn next(events: &mut Option<EventStream>) -> Option<SharedEvent> {
    match events {
        Some(events) => events.next().await,
        None => std::future::pending().await,
    }
}
