//! The listener that accepts connections.

use axum::serve::Listener;
use std::net::SocketAddr;
use tokio::net::{TcpListener, TcpStream};

/// A listener whose connections send at once: a list is a small message that somebody waits for.
pub(crate) struct NoDelay(pub(crate) TcpListener);

impl Listener for NoDelay {
    type Io = TcpStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (TcpStream, SocketAddr) {
        let (stream, from) = Listener::accept(&mut self.0).await;
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection gathers small messages");
        }
        (stream, from)
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        self.0.local_addr()
    }
}
