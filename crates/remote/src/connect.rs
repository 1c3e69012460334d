//! The way to a gateway: its address, and the stream of bytes that leads there.

use crate::unavailable;
use protocol::{Code, Error, Result};
use std::path::PathBuf;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::http::Uri;

/// Time limit for a connection, before anything is said over it.
const CONNECTING: Duration = Duration::from_secs(5);

/// The most bytes of an answer to [`get`], with its head.
const ANSWER: u64 = 16 * 1024;

/// Address of a gateway.
#[derive(Clone, PartialEq, Eq)]
pub enum Address {
    /// The private socket of a gateway of this user, which needs no key.
    Private(PathBuf),
    /// An address on the network, and the key that opens it.
    Url {
        /// `ws://127.0.0.1:3271/gateway`
        url: String,
        /// The key.
        token: String,
    },
}

impl Address {
    /// Returns the address that the WebSocket's handshake names.
    pub(crate) fn url(&self) -> &str {
        match self {
            Self::Private(_) => "ws://localhost/gateway",
            Self::Url { url, .. } => url,
        }
    }

    /// Returns that address in its parts.
    pub(crate) fn uri(&self) -> Result<Uri> {
        self.url().parse().map_err(|error| {
            Error::new(Code::InvalidMessage, format!("\"{self}\" is not an address of a gateway: {error}"))
        })
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Private(path) => write!(f, "{}", path.display()),
            Self::Url { url, .. } => f.write_str(url),
        }
    }
}

impl std::fmt::Debug for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Without the key.
        write!(f, "Address({self})")
    }
}

/// A stream of bytes to a gateway, whatever carries it.
pub trait ByteStream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> ByteStream for T {}

/// Connects to a gateway. On the private socket the peer is a process of this user; on the network it may be anybody.
///
/// # Errors
/// When nobody listens there, or another user does.
pub async fn connect(address: &Address) -> Result<Box<dyn ByteStream>> {
    let stream = async {
        Ok::<Box<dyn ByteStream>, std::io::Error>(match address {
            Address::Private(path) => Box::new(private::connect(path).await?),
            Address::Url { url, .. } => Box::new(tcp(url).await?),
        })
    };
    match timeout(CONNECTING, stream).await {
        Ok(Ok(stream)) => Ok(stream),
        Ok(Err(error)) if error.kind() == std::io::ErrorKind::InvalidInput => {
            Err(Error::new(Code::InvalidMessage, format!("\"{address}\" is not an address of a gateway: {error}")))
        }
        Ok(Err(error)) => Err(unavailable(format!("no gateway answers at {address}: {error}"))),
        Err(_) => Err(unavailable(format!("the gateway at {address} does not answer"))),
    }
}

/// Asks a gateway for a path over HTTP. Returns the body of its answer, whatever its status, cut to 16 KiB with its head.
///
/// # Errors
/// When it cannot be reached, or goes before it has answered.
pub async fn get(address: &Address, path: &str) -> Result<String> {
    let uri = address.uri()?;
    let authority = uri.authority().map(ToString::to_string).unwrap_or_default();
    let mut stream = connect(address).await?;
    let gone = |error: std::io::Error| unavailable(format!("no gateway answers at {address}: {error}"));
    let request = format!("GET {path} HTTP/1.0\r\nHost: {authority}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.map_err(gone)?;
    let mut answer = Vec::new();
    stream.take(ANSWER).read_to_end(&mut answer).await.map_err(gone)?;
    let text = String::from_utf8_lossy(&answer);
    Ok(text.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default())
}

async fn tcp(url: &str) -> std::io::Result<TcpStream> {
    let invalid = |problem: &str| std::io::Error::new(std::io::ErrorKind::InvalidInput, problem);
    let uri: Uri = url.parse().map_err(|_| invalid("it looks like ws://127.0.0.1:3271/gateway"))?;
    if uri.scheme_str() != Some("ws") {
        return Err(invalid("it begins with ws://"));
    }
    let host = uri.host().ok_or_else(|| invalid("it names no host"))?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    // A gateway says that it is at 127.0.0.1. Where there is none, the name may lead to another program by IPv6.
    let host = if host.eq_ignore_ascii_case("localhost") { "127.0.0.1" } else { host };
    let stream = TcpStream::connect((host, uri.port_u16().unwrap_or(80))).await?;
    // Small messages that somebody waits for.
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// The private socket, from its clients' side. Windows has none yet: a named pipe belongs here.
mod private {
    #[cfg(unix)]
    pub(super) async fn connect(path: &std::path::Path) -> std::io::Result<tokio::net::UnixStream> {
        let stream = tokio::net::UnixStream::connect(path).await?;
        // Nothing is said to another user who has taken the place of a gateway that has gone.
        let (peer, own) = (stream.peer_cred()?.uid(), nix::unistd::geteuid().as_raw());
        if peer == own {
            Ok(stream)
        } else {
            let problem = format!("it is served by another user ({peer}), and this is user {own}");
            Err(std::io::Error::new(std::io::ErrorKind::PermissionDenied, problem))
        }
    }

    #[cfg(not(unix))]
    pub(super) async fn connect(_: &std::path::Path) -> std::io::Result<tokio::net::TcpStream> {
        std::future::ready(Err(std::io::ErrorKind::Unsupported.into())).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn localhost_leads_to_no_other_program_by_ipv6() {
        let Ok(theirs) = tokio::net::TcpListener::bind("[::1]:0").await else {
            // There is no IPv6 here.
            return;
        };
        let port = theirs.local_addr().expect("it has an address").port();
        for host in ["localhost", "LOCALHOST"] {
            let url = format!("ws://{host}:{port}/gateway");
            let reached = connect(&Address::Url { url, token: "secret".to_owned() }).await.map(drop);
            assert_eq!(reached.map_err(|error| error.code), Err(Code::Unavailable), "{host}");
        }
    }

    #[tokio::test]
    async fn what_cannot_be_reached_is_said_without_the_key() {
        let socket = tempfile::tempdir().expect("a folder can be made").path().join("none");
        let url = |url: &str| Address::Url { url: url.to_owned(), token: "secret".to_owned() };
        for (address, code, said) in [
            (Address::Private(socket), Code::Unavailable, "no gateway answers at"),
            (url("wss://127.0.0.1:1/gateway"), Code::InvalidMessage, "it begins with ws://"),
            (url("/gateway"), Code::InvalidMessage, "it begins with ws://"),
            (url("ws://127.0.0.1:1/gateway"), Code::Unavailable, "no gateway answers at ws://127.0.0.1:1/gateway"),
            (url("ws://[::1]:1/gateway"), Code::Unavailable, "no gateway answers at"),
        ] {
            let Err(error) = connect(&address).await else { panic!("{address} is reached") };
            assert_eq!(error.code, code, "{error}");
            assert!(error.message.contains(said), "{error}");
            assert!(!format!("{error} {address:?}").contains("secret"));
        }
    }
}
