//! The way to a gateway: its address, and the stream of bytes that leads there.

use crate::{tls, unavailable};
use protocol::{Code, Error, Result, Text, say};
use std::path::PathBuf;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::http::Uri;

/// Time limit for a connection, before anything is said over it.
const CONNECTING: Duration = Duration::from_secs(10);

/// The most bytes of an answer to [`get`], with its head.
const ANSWER: u64 = 16 * 1024;

/// Address of a gateway.
#[derive(Clone, PartialEq, Eq)]
pub enum Address {
    /// The private socket of a gateway of this user, which needs no key.
    Private(PathBuf),
    /// An address, and the key that opens it.
    Url {
        /// `ws://127.0.0.1:3271/gateway` on this machine, `wss://box.example.net/gateway` beyond it: see
        /// [`protocol::gateway_address`].
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
        self.url().parse().map_err(|error| Error::new(Code::InvalidMessage, say::remote_address(self, error)))
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
            Address::Url { url, .. } => network(url).await?,
        })
    };
    match timeout(CONNECTING, stream).await {
        Ok(Ok(stream)) => Ok(stream),
        Ok(Err(error)) if error.kind() == std::io::ErrorKind::InvalidInput => {
            Err(Error::new(Code::InvalidMessage, in_our_words(say::remote_address(address, &error), &error)))
        }
        Ok(Err(error)) => Err(unavailable(in_our_words(say::remote_unanswered(address, &error), &error))),
        Err(_) => Err(unavailable(say::remote_silent(address))),
    }
}

/// Asks a gateway for a path beside its WebSocket, such as `/prove`, over HTTP. Returns the body of its answer, whatever its
/// status, cut to 16 KiB with its head. Nothing leads it elsewhere.
///
/// # Errors
/// When it cannot be reached, or goes before it has answered.
pub async fn get(address: &Address, path: &str) -> Result<String> {
    let uri = address.uri()?;
    let authority = uri.authority().map(ToString::to_string).unwrap_or_default();
    let prefix = uri.path().strip_suffix("/gateway").unwrap_or_default();
    let mut stream = connect(address).await?;
    let gone = |error: std::io::Error| unavailable(say::remote_unanswered(address, error));
    let request = format!("GET {prefix}{path} HTTP/1.0\r\nHost: {authority}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.map_err(gone)?;
    let mut answer = Vec::new();
    match stream.take(ANSWER).read_to_end(&mut answer).await {
        Ok(_) => {}
        // An end that TLS does not confirm: what is cut off proves nothing.
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {}
        Err(error) => return Err(gone(error)),
    }
    let text = String::from_utf8_lossy(&answer);
    Ok(text.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default())
}

/// The text with its problem in our words, where the reason is ours.
fn in_our_words(text: Text, error: &std::io::Error) -> Text {
    match error.get_ref().and_then(|problem| problem.downcast_ref::<Text>()) {
        Some(ours) => text.with("problem", ours),
        None => text,
    }
}

/// Connects to an address: without TLS to this machine only.
async fn network(url: &str) -> std::io::Result<Box<dyn ByteStream>> {
    let invalid = |problem: Text| std::io::Error::new(std::io::ErrorKind::InvalidInput, problem);
    let uri: Uri = url.parse().map_err(|_| invalid(say::remote_address_form()))?;
    let host = uri.host().ok_or_else(|| invalid(say::remote_address_no_host()))?;
    let has_tls = match uri.scheme_str() {
        Some("wss") => true,
        Some("ws") if protocol::is_loopback(host) => false,
        Some("ws") => return Err(invalid(say::remote_address_open())),
        _ => return Err(invalid(say::remote_address_scheme())),
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    // A gateway says that it is at 127.0.0.1. Where there is none, the name may lead to another program by IPv6.
    let reached = if !has_tls && host.eq_ignore_ascii_case("localhost") { "127.0.0.1" } else { host };
    let stream = TcpStream::connect((reached, port(&uri))).await?;
    // Small messages that somebody waits for.
    stream.set_nodelay(true)?;
    Ok(if has_tls { Box::new(tls::over(stream, host).await?) } else { Box::new(stream) })
}

/// The port of an address.
pub(crate) fn port(uri: &Uri) -> u16 {
    uri.port_u16().unwrap_or(if uri.scheme_str() == Some("wss") { 443 } else { 80 })
}

/// The private socket, from its clients' side; on Windows a named pipe.
mod private {
    #[cfg(unix)]
    pub(super) async fn connect(path: &std::path::Path) -> std::io::Result<tokio::net::UnixStream> {
        let stream = tokio::net::UnixStream::connect(path).await?;
        // Nothing is said to another user who has taken the place of a gateway that has gone.
        let (peer, own) = (stream.peer_cred()?.uid(), nix::unistd::geteuid().as_raw());
        if peer == own {
            Ok(stream)
        } else {
            let problem = protocol::say::remote_other_user(peer, own);
            Err(std::io::Error::new(std::io::ErrorKind::PermissionDenied, problem))
        }
    }

    /// Its name is in a file of this user's, which counts only while a gateway holds the folder: others can list the name,
    /// but not take it meanwhile. The gateway has an end free, or soon will. Nothing is said to another user who has taken
    /// the place of a gateway that has gone.
    #[cfg(windows)]
    pub(super) async fn connect(
        path: &std::path::Path,
    ) -> std::io::Result<tokio::net::windows::named_pipe::NamedPipeClient> {
        const BUSY: i32 = 231;
        const BETWEEN: std::time::Duration = std::time::Duration::from_millis(20);
        let pipe = loop {
            match tokio::net::windows::named_pipe::ClientOptions::new().open(path) {
                Err(error) if error.raw_os_error() == Some(BUSY) => tokio::time::sleep(BETWEEN).await,
                opened => break opened?,
            }
        };
        if programs::is_of_this_user(std::os::windows::io::AsHandle::as_handle(&pipe))? {
            Ok(pipe)
        } else {
            let problem = protocol::say::remote_another_user();
            Err(std::io::Error::new(std::io::ErrorKind::PermissionDenied, problem))
        }
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
            (url("wss://127.0.0.1:1/gateway"), Code::Unavailable, "no gateway answers at wss://127.0.0.1:1/gateway"),
            (url("ws://192.0.2.1:1/gateway"), Code::InvalidMessage, "wss:// is needed"),
            (url("https://127.0.0.1:1/gateway"), Code::InvalidMessage, "it begins with wss://"),
            (url("/gateway"), Code::InvalidMessage, "it names no host"),
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
