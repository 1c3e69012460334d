//! The WebSocket to a gateway on this machine.

use futures_util::{SinkExt, StreamExt};
use protocol::{Text, say};
use serde_json::Value;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::{Error, Message, error::CapacityError, protocol::WebSocketConfig};

/// The longest message that either side sends.
const MESSAGE: usize = 1024 * 1024;

/// Time for which the gateway may take nothing of what is sent to it.
const STALLED: Duration = Duration::from_secs(15);

pub(crate) struct Socket(WebSocketStream<TcpStream>);

impl Socket {
    /// Connects to `127.0.0.1:3271`, or whatever host and port of this machine.
    ///
    /// # Errors
    /// When nobody answers there, or no WebSocket.
    pub(crate) async fn open(host: &str) -> Result<Self, Text> {
        let stream = TcpStream::connect(host).await.map_err(|error| say::remote_unanswered(host, error))?;
        // Small messages that somebody waits for.
        stream.set_nodelay(true).map_err(|error| Text::from(error.to_string()))?;
        let limits = WebSocketConfig::default().max_message_size(Some(MESSAGE)).max_frame_size(Some(MESSAGE));
        let url = format!("ws://{host}/gateway");
        let opened = tokio_tungstenite::client_async_with_config(url, stream, Some(limits)).await;
        opened.map(|(stream, _)| Self(stream)).map_err(|error| say::link_no_tek(host, error))
    }

    /// Sends a message.
    ///
    /// # Errors
    /// When the connection is over.
    pub(crate) async fn send(&mut self, message: &Value) -> Result<(), Text> {
        let sent = timeout(STALLED, self.0.send(Message::Text(message.to_string().into()))).await;
        sent.map_err(|_| say::link_full())?.map_err(|error| error.to_string().into())
    }

    /// Waits for the next message.
    ///
    /// # Errors
    /// When the connection is over.
    pub(crate) async fn receive(&mut self) -> Result<String, Text> {
        loop {
            match self.0.next().await {
                Some(Ok(Message::Text(text))) => return Ok(text.as_str().to_owned()),
                Some(Ok(Message::Binary(bytes))) => return Ok(String::from_utf8_lossy(&bytes).into_owned()),
                Some(Ok(Message::Close(_))) | None => return Err(say::link_closed()),
                Some(Ok(_)) => {}
                Some(Err(Error::Capacity(CapacityError::MessageTooLong { size, .. }))) => {
                    return Err(say::link_message_long(size, MESSAGE));
                }
                Some(Err(error)) => return Err(error.to_string().into()),
            }
        }
    }
}
