//! The WebSocket: one task for each connection, which answers requests in their order and sends events as they come. Slow
//! requests are answered when they are done, so that nothing waits for them.

use crate::Gateway;
use crate::rate::Rate;
use crate::tek::{self, Tek};
use axum::extract::State;
use axum::extract::connect_info::ConnectInfo;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, SinkExt, StreamExt};
use hub::Presence;
use protocol::{
    Backend, BoxFuture, Caller, Code, Error, Event, EventStream, EventsSubscribe, GatewayState, GatewayStateEvent,
    Hello, Reply, Request, SharedEvent, TodoDelivered, TodoWritten, Transport,
};
use serde_json::{Map, Value};
use std::time::Duration;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

/// Time between two pings.
const HEARTBEAT: Duration = Duration::from_secs(20);

/// Time for which a peer may take nothing before it is given up.
const STALLED: Duration = Duration::from_secs(60);

/// The longest message that is read. Most are refused past [`protocol::MESSAGE_BYTES`], and read only to say so.
const READ_BYTES: usize = protocol::IMPORT_BYTES;

/// The most characters of a request's id, which is repeated in the events that it causes.
const ID_CHARS: usize = 200;

/// Slow requests that one connection may have under way.
const SLOW: usize = 16;

/// Events that are written before the peer's own messages are looked at again.
const EVENTS_AT_ONCE: usize = 64;

/// WebSocket close codes (RFC 6455, section 7.4.1).
const GOING_AWAY: u16 = 1001;
const TOO_LARGE: u16 = 1009;

pub(crate) async fn upgrade(
    State(gateway): State<Gateway>,
    ConnectInfo(rate): ConnectInfo<Rate>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let tracker = gateway.connections.clone();
    upgrade
        .protocols(["sightline"])
        .max_message_size(READ_BYTES)
        .max_frame_size(READ_BYTES)
        .on_upgrade(move |socket| tracker.track_future(Connection::new(gateway, rate, socket).run()))
}

/// A connection that is over.
struct Ended;

type Step = Result<(), Ended>;

/// The answer to a request, with the request's id.
type Answer = (Option<String>, Result<Reply, Error>);

struct Connection {
    gateway: Gateway,
    rate: Rate,
    socket: WebSocket,
    caller: Caller,
    events: Option<EventStream>,
    /// Present while the client sent messages of the older protocol only.
    tek: Option<Tek>,
    is_alive: bool,
    /// Slow requests under way.
    slow: FuturesUnordered<BoxFuture<Answer>>,
    presence: Option<Presence>,
}

impl Connection {
    fn new(gateway: Gateway, rate: Rate, socket: WebSocket) -> Self {
        let client = uuid::Uuid::new_v4().to_string();
        let caller = Caller::user(Transport::Websocket, client);
        Self {
            gateway,
            rate,
            socket,
            caller,
            events: None,
            tek: Some(Tek::default()),
            is_alive: true,
            slow: FuturesUnordered::new(),
            presence: None,
        }
    }

    async fn run(mut self) {
        let stop = self.gateway.stop.clone();
        let mut heartbeat = interval(HEARTBEAT);
        heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let step = tokio::select! {
                () = stop.cancelled() => {
                    self.announce_end().await;
                    return;
                }
                message = self.socket.recv() => self.message(message).await,
                event = next(&mut self.events) => self.event(event).await,
                Some((id, answer)) = self.slow.next(), if !self.slow.is_empty() => self.done(id, answer).await,
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
        self.send(Message::Ping(bytes::Bytes::new())).await
    }

    async fn message(&mut self, message: Option<Result<Message, axum::Error>>) -> Step {
        self.is_alive = true;
        match message {
            Some(Ok(Message::Text(text))) if is_too_large(&text) => self.too_large().await,
            Some(Ok(Message::Text(text))) => self.request(text.as_str()).await,
            Some(Ok(Message::Binary(_))) => {
                let error = Error::new(Code::InvalidMessage, "messages are JSON in text frames; this one was binary");
                self.fail(None, &error).await
            }
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(()),
            Some(Err(error)) if error.to_string().contains("too long") => self.too_large().await,
            Some(Ok(Message::Close(_)) | Err(_)) | None => Err(Ended),
        }
    }

    async fn too_large(&mut self) -> Step {
        let (most, import) = (protocol::MESSAGE_BYTES, protocol::IMPORT_BYTES);
        let message = format!(
            "a message may have {most} bytes (session.import: {import}); nothing was changed, send less at once"
        );
        self.fail(None, &Error::new(Code::MessageTooLarge, message)).await?;
        self.close(TOO_LARGE, "message too large").await;
        Err(Ended)
    }

    async fn request(&mut self, text: &str) -> Step {
        let mut fields = match serde_json::from_str::<Value>(text) {
            Ok(Value::Object(fields)) => fields,
            Ok(_) => return self.fail(None, &invalid("a message is a JSON object with \"id\" and \"type\"")).await,
            Err(error) => return self.fail(None, &invalid(&format!("this is not JSON: {error}"))).await,
        };
        let id = match fields.remove("id") {
            Some(Value::String(id)) => Some(id),
            Some(Value::Number(id)) => Some(id.to_string()),
            None | Some(Value::Null) => None,
            Some(_) => return self.fail(None, &invalid("\"id\" must be text")).await,
        };
        if let Some(length) = id.as_ref().map(|id| id.chars().count()).filter(|length| *length > ID_CHARS) {
            return self.fail(None, &invalid(&format!("\"id\" has {length} characters, it may have {ID_CHARS}"))).await;
        }
        if let Err(exceeded) = self.rate.check() {
            self.fail(id.as_deref(), &exceeded.error).await?;
            // Refusing is work, too: the next message is not read before its time.
            sleep(exceeded.wait).await;
            return Ok(());
        }
        let request = match self.read(fields).await {
            Ok(request) => request,
            Err(error) => return self.fail(id.as_deref(), &error).await,
        };
        if request.is_slow() {
            if self.slow.len() >= SLOW {
                let problem = format!("{SLOW} requests about this machine are under way; wait for one of them");
                return self.fail(id.as_deref(), &Error::new(Code::Unavailable, problem)).await;
            }
            let answer = self.gateway.hub.call(self.caller.clone(), request);
            self.slow.push(Box::pin(answer.map(|answer| (id, answer))));
            return Ok(());
        }
        let answer = self.answer(request, id.as_deref()).await;
        self.answered(id.as_deref(), answer).await
    }

    /// Answers a slow request that is done. Events that it caused meanwhile come first.
    async fn done(&mut self, id: Option<String>, answer: Result<Reply, Error>) -> Step {
        if let Some(event) = next(&mut self.events).now_or_never() {
            self.event(event).await?;
        }
        self.answered(id.as_deref(), answer).await
    }

    async fn answered(&mut self, id: Option<&str>, answer: Result<Reply, Error>) -> Step {
        match answer {
            Ok(reply) => self.reply(reply, id).await,
            Err(error) => self.fail(id, &error).await,
        }
    }

    async fn read(&mut self, fields: Map<String, Value>) -> Result<Request, Error> {
        let Some(Value::String(kind)) = fields.get("type") else {
            return Err(invalid("\"type\" is missing; it must be text, such as \"todo.write\""));
        };
        let kind = kind.clone();
        self.note_dialect(&kind).await;
        let mut request = Request::read(&kind, Value::Object(fields))?;
        if let Some(tek) = &self.tek {
            tek.complete(&mut request);
            if tek.is_streaming() && matches!(request, Request::ChatSend(_)) {
                let problem = "an answer is still under way on this connection; wait for its end";
                return Err(Error::new(Code::StreamInProgress, problem));
            }
        }
        Ok(request)
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

    /// Subscribes a connection that sent messages of the older protocol only: there, lists are told unasked.
    async fn note_dialect(&mut self, kind: &str) {
        if self.tek.is_none() {
            return;
        }
        if tek::speaks(kind) {
            if self.events.is_none() {
                self.events = self.gateway.hub.subscribe(None).await.ok().map(|subscription| subscription.events);
            }
        } else {
            self.tek = None;
            self.events = None;
        }
    }

    fn hello(&mut self, hello: &Hello) {
        if let Some(client) = &hello.client {
            self.caller.transport = client.transport.unwrap_or(Transport::Websocket);
            if let Some(id) = &client.id {
                self.caller.client = id.chars().take(ID_CHARS).collect();
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

    async fn reply(&mut self, reply: Reply, id: Option<&str>) -> Step {
        if let Some(form) = self.tek.as_mut().and_then(|tek| tek.reply(&reply)) {
            return if form.is_empty() { Ok(()) } else { self.send(Message::Text(form.into())).await };
        }
        let mut json = serde_json::to_value(&reply).unwrap_or_default();
        if let Some(fields) = json.as_object_mut() {
            fields.extend(id.map(|id| ("id".to_owned(), id.into())));
            tek::fill(&reply, id, fields);
        }
        self.send(Message::Text(json.to_string().into())).await?;
        if let Reply::TodoWrite(written) | Reply::TodoRead(written) = reply {
            self.note_delivery(written);
        }
        Ok(())
    }

    /// Notes that an answer with edits was sent. A client that speaks for an agent confirms that itself, once the agent
    /// has it. The note is in the hub's queue before the next request is read, and nobody waits for it.
    fn note_delivery(&self, written: TodoWritten) {
        if self.caller.agent.is_some() {
            return;
        }
        let delivered = TodoDelivered {
            session_id: written.session_id,
            revision: Some(written.revision),
            edits: written.edits.into_iter().map(|edit| edit.edit_id).collect(),
            tool_call: None,
        };
        let noted = self.gateway.hub.call(self.caller.clone(), delivered.into());
        tokio::spawn(async move {
            if let Err(error) = noted.await {
                tracing::warn!(%error, "a delivery could not be noted; the edits will be told again");
            }
        });
    }

    async fn fail(&mut self, id: Option<&str>, error: &Error) -> Step {
        let event = Event::Error(protocol::ErrorEvent {
            request_id: id.map(str::to_owned),
            session_id: None,
            code: error.code,
            message: error.message.clone(),
        });
        self.send(Message::Text(SharedEvent::from(event).json().as_ref().into())).await
    }

    /// Writes an event and those that wait behind it, and flushes once.
    async fn event(&mut self, event: Option<SharedEvent>) -> Step {
        let mut next_event = event;
        for _ in 0..EVENTS_AT_ONCE {
            let texts = match (&next_event, &mut self.tek) {
                (Some(event), Some(tek)) => tek.event(event),
                (Some(event), None) => vec![event.json().to_string()],
                // A connection of the older protocol is subscribed anew with its next message.
                (None, tek) => tek.as_mut().map(Tek::ended).unwrap_or_default(),
            };
            for text in texts {
                timeout(STALLED, self.socket.feed(Message::Text(text.into())))
                    .await
                    .map_err(|_| Ended)?
                    .map_err(|_| Ended)?;
            }
            if next_event.is_none() {
                self.events = None;
                break;
            }
            match next(&mut self.events).now_or_never() {
                Some(waiting) => next_event = waiting,
                None => break,
            }
        }
        timeout(STALLED, self.socket.flush()).await.map_err(|_| Ended)?.map_err(|_| Ended)
    }

    async fn send(&mut self, message: Message) -> Step {
        timeout(STALLED, self.socket.send(message)).await.map_err(|_| Ended)?.map_err(|_| Ended)
    }

    async fn announce_end(&mut self) {
        let event = Event::GatewayState(GatewayStateEvent { state: GatewayState::Closing, message: None });
        if self.tek.is_none() {
            // The connection is closed in any case.
            let _ = self.send(Message::Text(SharedEvent::from(event).json().as_ref().into())).await;
        }
        self.close(GOING_AWAY, "the gateway is shutting down").await;
    }

    async fn close(&mut self, code: u16, reason: &'static str) {
        let _ = self.send(Message::Close(Some(CloseFrame { code, reason: reason.into() }))).await;
    }
}

/// Returns whether a message is larger than its type may be. Only large ones are read to know their type.
fn is_too_large(text: &str) -> bool {
    #[derive(serde::Deserialize, Default)]
    struct Typed {
        r#type: String,
    }
    let kind = || serde_json::from_str::<Typed>(text).unwrap_or_default().r#type;
    text.len() > protocol::MESSAGE_BYTES && text.len() > protocol::message_bytes(&kind())
}

fn invalid(message: &str) -> Error {
    Error::new(Code::InvalidMessage, message)
}

/// Waits for the next event; for ever where there is no subscription.
async fn next(events: &mut Option<EventStream>) -> Option<SharedEvent> {
    match events {
        Some(events) => events.next().await,
        None => std::future::pending().await,
    }
}
