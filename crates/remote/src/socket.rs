//! One WebSocket to a gateway: opening it, messages both ways, and the socket of a subscription.

use crate::prove::{self, Proof};
use crate::{Address, ByteStream, Config, connect, hello, unavailable};
use futures_util::{SinkExt, StreamExt, stream};
use governor::{DefaultDirectRateLimiter, Quota};
use protocol::{
    Code, Error, ErrorEvent, Event, EventStream, EventsSubscribe, GatewayState, REQUESTS_A_SECOND, REQUESTS_AT_ONCE,
    Reply, Request, Result, SharedEvent, Subscription, say,
};
use serde_json::Value;
use std::num::NonZeroU32;
use std::time::Duration;
use tokio::time::Instant;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{self, Message};

/// Silence after which a gateway counts as gone; it sends heartbeats every 20 seconds.
const SILENCE: Duration = Duration::from_secs(60);

/// Time limit for the handshake on a connection.
const OPENING: Duration = Duration::from_secs(5);

/// Time for which a gateway may take nothing of what is sent to it.
const STALLED: Duration = Duration::from_secs(30);

/// Requests at once. The gateway lets more through: some that were sent apart may reach it together.
const AT_ONCE: NonZeroU32 = NonZeroU32::new(REQUESTS_AT_ONCE.get() / 2).unwrap();

/// The one answer whose type is that of its request: the older protocol's clients know it by that.
const SESSIONS: &str = "session.list";

/// One WebSocket to a gateway.
pub struct Socket {
    stream: WebSocketStream<Box<dyn ByteStream>>,
    /// Time of the last message.
    last_message: Instant,
    pace: DefaultDirectRateLimiter,
}

/// A message of a gateway.
pub enum Incoming {
    /// The answer to the request with that id.
    Answer(String, Box<Result<Reply>>),
    /// An event, or an error that answers no request.
    Event(SharedEvent),
}

impl Socket {
    fn new(stream: WebSocketStream<Box<dyn ByteStream>>) -> Self {
        let pace = Quota::per_second(REQUESTS_A_SECOND).allow_burst(AT_ONCE);
        Self { stream, last_message: Instant::now(), pace: DefaultDirectRateLimiter::direct(pace) }
    }

    /// Opens a connection over a stream that leads to a gateway's private socket, such as the pipes of a command. Nothing
    /// limits the time that this takes.
    ///
    /// # Errors
    /// When what is at the other end is no gateway.
    pub async fn over(stream: Box<dyn ByteStream>) -> Result<Self> {
        let private = Address::Private(std::path::PathBuf::default());
        let request =
            private.url().into_client_request().map_err(|error| Error::new(Code::Internal, error.to_string()))?;
        match tokio_tungstenite::client_async(request, stream).await {
            Ok((stream, _)) => Ok(Self::new(stream)),
            Err(error) => Err(unavailable(say::remote_no_answer(error))),
        }
    }

    /// Opens a connection. On the network both sides prove that they know the key, which is sent to nobody.
    ///
    /// # Errors
    /// When nobody answers there, or not the gateway that the key is of.
    pub async fn open(address: &Address) -> Result<Self> {
        let refused = |error: tungstenite::Error| match error {
            tungstenite::Error::Http(response) => {
                let said = response.body().as_deref().and_then(|body| serde_json::from_slice::<Error>(body).ok());
                said.unwrap_or_else(|| unavailable(say::remote_refused(address, response.status())))
            }
            other => unavailable(say::remote_unanswered(address, other)),
        };
        let mut request = address
            .url()
            .into_client_request()
            .map_err(|error| Error::new(Code::InvalidMessage, say::remote_address(address, error)))?;
        let proven = match address {
            Address::Private(_) => None,
            Address::Url { token, .. } => Some(Proof::ask(address, token).await?),
        };
        if let Some(proof) = &proven {
            let offered = HeaderValue::from_str(&format!("sightline, {}", proof.offer()))
                .map_err(|_| Error::new(Code::Unauthorized, say::remote_key_characters()))?;
            request.headers_mut().insert("sec-websocket-protocol", offered);
        }
        let stream = connect(address).await?;
        match tokio::time::timeout(OPENING, tokio_tungstenite::client_async(request, stream)).await {
            Ok(Ok((mut stream, _))) => {
                if let Some(proof) = proven {
                    let first = tokio::time::timeout(OPENING, stream.next()).await;
                    match first {
                        Ok(Some(Ok(Message::Text(text)))) if proof.is_of(&text) => {}
                        _ => return Err(prove::unproven(address)),
                    }
                }
                Ok(Self::new(stream))
            }
            Ok(Err(error)) => Err(refused(error)),
            Err(_) => Err(unavailable(say::remote_silent(address))),
        }
    }

    /// Sends a request under an id, and before it waits for as long as the gateway would refuse it as one too many.
    ///
    /// # Errors
    /// `MESSAGE_TOO_LARGE`, after which the connection goes on; `UNAVAILABLE` where it is over.
    pub async fn ask(&mut self, id: &str, request: &Request) -> Result<()> {
        let mut json = serde_json::to_value(request).map_err(|error| unavailable(error.to_string()))?;
        if let Some(fields) = json.as_object_mut() {
            fields.insert("id".to_owned(), id.into());
        }
        let text = json.to_string();
        let limit = protocol::message_bytes(request.kind());
        if text.len() > limit {
            // The gateway would close the connection on everybody who uses it.
            return Err(Error::new(Code::MessageTooLarge, say::remote_too_large(text.len(), limit)));
        }
        self.pace.until_ready().await;
        let sent = tokio::time::timeout(STALLED, self.stream.send(Message::Text(text.into()))).await;
        sent.map_err(|_| unavailable(say::remote_full()))?.map_err(|error| unavailable(error.to_string()))
    }

    /// Waits for the next message; `None` when the connection is over.
    pub async fn receive(&mut self) -> Option<Incoming> {
        loop {
            // This future may be dropped and made anew: silence counts from the last message.
            let silent = self.last_message + SILENCE;
            let message = tokio::time::timeout_at(silent, self.stream.next()).await.ok()??.ok()?;
            self.last_message = Instant::now();
            if let Message::Text(text) = message
                && let Some(incoming) = understand(&text)
            {
                return Some(incoming);
            }
        }
    }
}

/// Reads a message. One that this build does not know is skipped: neighbouring versions may have more. Of an answer that is
/// not understood, whoever waits for it is told.
fn understand(text: &str) -> Option<Incoming> {
    let mut json: Value = serde_json::from_str(text).ok()?;
    let fields = json.as_object_mut()?;
    if fields.get("type")?.as_str() == Some("error") {
        let error: ErrorEvent = serde_json::from_value(json).ok()?;
        return Some(match (&error.request_id, &error.session_id) {
            (Some(id), None) => Incoming::Answer(
                id.clone(),
                Box::new(Err(Error { code: error.code, message: error.message, text: error.text })),
            ),
            // An error with a session ended a run, whose id is that of the request that began it.
            _ => Incoming::Event(Event::Error(error).into()),
        });
    }
    let is_answer = fields.get("type")?.as_str().is_some_and(|kind| kind.ends_with(".result") || kind == SESSIONS);
    let id = fields.get("id").and_then(Value::as_str).filter(|_| is_answer).map(str::to_owned);
    let Some(id) = id else {
        return serde_json::from_value::<Event>(json).ok().map(|event| Incoming::Event(event.into()));
    };
    let unreadable = |error| {
        tracing::warn!(%error, "an answer is not understood");
        Error::new(Code::InvalidMessage, say::remote_unreadable())
    };
    Some(Incoming::Answer(id, Box::new(serde_json::from_value::<Reply>(json).map_err(unreadable))))
}

fn ends(event: &Event) -> bool {
    matches!(event, Event::GatewayState(state) if matches!(state.state, GatewayState::Lagged | GatewayState::Closing))
}

/// A subscription on a socket of its own; its events end with the connection.
pub(crate) async fn subscribe(config: &Config, since: Option<String>) -> Result<Subscription> {
    const SUBSCRIBE: &str = "subscribe";
    let address = (config.locate)().await?;
    let mut socket = Socket::open(&address).await?;
    socket.ask("hello", &hello(&config.client, None)).await?;
    socket.ask(SUBSCRIBE, &EventsSubscribe { since }.into()).await?;
    let snapshot = loop {
        match socket.receive().await {
            Some(Incoming::Answer(id, answer)) if id == SUBSCRIBE => match (*answer)? {
                Reply::EventsSubscribe(snapshot) => break snapshot,
                _ => return Err(unavailable(say::remote_other_answer())),
            },
            Some(_) => {}
            None => return Err(unavailable(say::remote_lost())),
        }
    };
    // After it lagged (or the gateway closes) nothing follows: the stream ends, to be taken up anew.
    let events = stream::unfold(Some(socket), |socket| async move {
        let mut socket = socket?;
        loop {
            match socket.receive().await? {
                Incoming::Event(event) if ends(event.event()) => return Some((event, None)),
                Incoming::Event(event) => return Some((event, Some(socket))),
                Incoming::Answer(..) => {}
            }
        }
    });
    Ok(Subscription { snapshot, events: Box::pin(events) as EventStream })
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::SettingsGet;
    use serde_json::json;
    use tokio_tungstenite::tungstenite::protocol::Role;

    // H11
    #[test]
    fn whoever_waits_for_an_answer_that_is_not_understood_is_told() {
        let answer = json!({ "type": "session.get.result", "id": "7", "session": "of a later version" });
        let Some(Incoming::Answer(id, answer)) = understand(&answer.to_string()) else { panic!("an answer") };
        assert_eq!(id, "7");
        let error = answer.expect_err("it cannot be read");
        assert_eq!(error.code, Code::InvalidMessage);
        assert!(error.message.contains("update Sightline on this machine"), "{error}");
        let sessions = json!({ "type": "session.list", "id": "8", "sessions": [] }).to_string();
        assert!(matches!(understand(&sessions), Some(Incoming::Answer(id, answer)) if id == "8" && answer.is_ok()));
        // Of events later versions may have more.
        assert!(understand(&json!({ "type": "session.dreamt", "id": "7" }).to_string()).is_none());
    }

    // S37
    #[tokio::test]
    async fn a_gateway_refuses_nothing_as_too_much() {
        const REQUESTS: u32 = REQUESTS_AT_ONCE.get() + 600;
        let (near, far) = tokio::io::duplex(1 << 20);
        let near: Box<dyn ByteStream> = Box::new(near);
        let mut socket = Socket::new(WebSocketStream::from_raw_socket(near, Role::Client, None).await);
        let mut gateway = WebSocketStream::from_raw_socket(far, Role::Server, None).await;
        let counted = tokio::spawn(async move {
            let rate = Quota::per_second(REQUESTS_A_SECOND).allow_burst(REQUESTS_AT_ONCE);
            let rate = DefaultDirectRateLimiter::direct(rate);
            let (mut heard, mut refused) = (0, 0);
            while heard < REQUESTS && gateway.next().await.is_some_and(|message| message.is_ok()) {
                heard += 1;
                refused += u32::from(rate.check().is_err());
            }
            (heard, refused)
        });
        for id in 0..REQUESTS {
            socket.ask(&id.to_string(), &SettingsGet {}.into()).await.expect("it is sent");
        }
        assert_eq!(counted.await.expect("it counts"), (REQUESTS, 0));
    }
}
