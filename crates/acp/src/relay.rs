//! Our tool server over HTTP, for agents that take no program: an address on loopback of this process, whose requests go
//! on to the gateway.
//!
//! The address and its key are the same for as long as this process runs, whatever becomes of the gateway, and no key of
//! the gateway is made for it. A connection is good for one request.

use protocol::BoxFuture;
use std::io::{ErrorKind, Result};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use subtle::ConstantTimeEq;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// The most bytes of a request's head, and its lines.
const HEAD: usize = 32 * 1024;
const HEADERS: usize = 64;

/// Time for a request's head to come.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// Connections at once.
const CONNECTIONS: usize = 64;

/// A stream of bytes to the gateway.
pub trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Stream for T {}

/// Connects to the gateway.
pub type Connect = Arc<dyn Fn() -> BoxFuture<protocol::Result<Box<dyn Stream>>> + Send + Sync>;

/// The address, and the way on.
pub(crate) struct Relay {
    listener: TcpListener,
    key: String,
    connect: Connect,
}

impl Relay {
    pub(crate) async fn new(key: String, connect: Connect) -> Result<Self> {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await?;
        Ok(Self { listener, key, connect })
    }

    /// `http://127.0.0.1:49152/mcp`
    pub(crate) fn url(&self) -> Result<String> {
        Ok(format!("http://{}/mcp", self.listener.local_addr()?))
    }

    /// Serves until it is dropped.
    pub(crate) async fn run(self) {
        let room = Arc::new(Semaphore::new(CONNECTIONS));
        loop {
            let Ok(place) = room.clone().acquire_owned().await else { return };
            let stream = match self.listener.accept().await {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::warn!(%error, "no connection can be accepted");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            let (key, connect) = (self.key.clone(), self.connect.clone());
            tokio::spawn(async move {
                if let Err(error) = serve(stream, &key, &connect).await {
                    tracing::debug!(%error, "a request of the agent's to our tools was not answered");
                }
                drop(place);
            });
        }
    }
}

/// Passes one request on, and its answer back.
async fn serve(mut agent: TcpStream, key: &str, connect: &Connect) -> Result<()> {
    agent.set_nodelay(true)?;
    let Ok(read) = timeout(HEAD_TIME, read_head(&mut agent)).await else { return Ok(()) };
    let (bytes, end) = read?;
    let head = match rewritten(&bytes[..end], key) {
        Ok(head) => head,
        Err(refusal) => return refuse(&mut agent, refusal.0, refusal.1).await,
    };
    let mut gateway = match connect().await {
        Ok(gateway) => gateway,
        Err(error) => return refuse(&mut agent, "503 Service Unavailable", &error.message).await,
    };
    gateway.write_all(&head).await?;
    gateway.write_all(&bytes[end..]).await?;
    copy_bidirectional(&mut agent, &mut gateway).await?;
    Ok(())
}

/// Reads until the head is whole: the bytes, and where the head ends.
async fn read_head(agent: &mut TcpStream) -> Result<(Vec<u8>, usize)> {
    let mut bytes = Vec::new();
    loop {
        if agent.read_buf(&mut bytes).await? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        if let Some(at) = memchr::memmem::find(&bytes, b"\r\n\r\n") {
            return Ok((bytes, at + 4));
        }
        if bytes.len() > HEAD {
            return Err(ErrorKind::InvalidData.into());
        }
    }
}

type Refusal = (&'static str, &'static str);

/// The head for the gateway: without our key, and good for this request only.
fn rewritten(head: &[u8], key: &str) -> std::result::Result<Vec<u8>, Refusal> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let unreadable = ("400 Bad Request", "this is no HTTP request");
    if !request.parse(head).is_ok_and(|status| status.is_complete()) {
        return Err(unreadable);
    }
    let (Some(method), Some(path)) = (request.method, request.path) else { return Err(unreadable) };
    let wanted = format!("Bearer {key}");
    let is_key = |header: &httparse::Header<'_>| {
        header.name.eq_ignore_ascii_case("authorization") && bool::from(header.value.ct_eq(wanted.as_bytes()))
    };
    if !request.headers.iter().any(is_key) {
        return Err(("401 Unauthorized", "this address is for the agent that was given it"));
    }
    if !path.starts_with("/mcp/") {
        return Err(("404 Not Found", "there is nothing but /mcp here"));
    }
    let mut rewritten = format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n").into_bytes();
    let ours = ["authorization", "connection", "host", "keep-alive"];
    for header in
        request.headers.iter().filter(|header| !ours.iter().any(|name| header.name.eq_ignore_ascii_case(name)))
    {
        rewritten.extend_from_slice(header.name.as_bytes());
        rewritten.extend_from_slice(b": ");
        rewritten.extend_from_slice(header.value);
        rewritten.extend_from_slice(b"\r\n");
    }
    rewritten.extend_from_slice(b"\r\n");
    Ok(rewritten)
}

async fn refuse(agent: &mut TcpStream, status: &str, message: &str) -> Result<()> {
    let body = serde_json::json!({ "message": message }).to_string();
    let length = body.len();
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
    agent.write_all(answer.as_bytes()).await?;
    agent.shutdown().await
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{Code, Error};
    use tokio::io::{AsyncBufReadExt, BufReader};

    /// A server behind the relay that answers each connection once and says what it got.
    async fn relay() -> (String, tokio::task::JoinHandle<Vec<String>>) {
        let behind = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
        let address = behind.local_addr().expect("its address");
        let connect: Connect = Arc::new(move || {
            Box::pin(async move {
                let stream = TcpStream::connect(address).await;
                let stream = stream.map_err(|error| Error::new(Code::Unavailable, error.to_string()))?;
                Ok(Box::new(stream) as Box<dyn Stream>)
            })
        });
        let relay = Relay::new("secret".to_owned(), connect).await.expect("a port");
        let url = relay.url().expect("its address");
        tokio::spawn(relay.run());
        let served = tokio::spawn(async move {
            let (stream, _) = behind.accept().await.expect("a connection");
            let mut stream = BufReader::new(stream);
            let mut got = Vec::new();
            loop {
                let mut line = String::new();
                stream.read_line(&mut line).await.expect("a line");
                if line == "\r\n" {
                    break;
                }
                got.push(line.trim_end().to_owned());
            }
            let mut body = [0; 4];
            stream.read_exact(&mut body).await.expect("the body");
            got.push(String::from_utf8_lossy(&body).into_owned());
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\ndone").await.expect("it is read");
            got
        });
        (url, served)
    }

    async fn ask(url: &str, request: &str) -> String {
        let address = url.strip_prefix("http://").and_then(|rest| rest.strip_suffix("/mcp")).expect("its form");
        let mut stream = TcpStream::connect(address).await.expect("it listens");
        stream.write_all(request.as_bytes()).await.expect("it is read");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("an answer");
        answer
    }

    #[tokio::test]
    async fn a_request_with_the_key_goes_on_without_it() {
        let (url, served) = relay().await;
        let request = "POST /mcp/label HTTP/1.1\r\nHost: 127.0.0.1:1\r\nAuthorization: Bearer secret\r\nX-Mine: yes\r\n\
                       Connection: keep-alive\r\nContent-Length: 4\r\n\r\nbody";
        assert!(ask(&url, request).await.ends_with("done"));
        let got = served.await.expect("it was asked");
        let expected = [
            "POST /mcp/label HTTP/1.1",
            "host: localhost",
            "connection: close",
            "X-Mine: yes",
            "Content-Length: 4",
            "body",
        ];
        assert_eq!(got, expected);
    }

    #[tokio::test]
    async fn nobody_else_gets_through() {
        let (url, served) = relay().await;
        for (request, status) in [
            ("GET /mcp/label HTTP/1.1\r\n\r\n", "401"),
            ("GET /mcp/label HTTP/1.1\r\nAuthorization: Bearer secre\r\n\r\n", "401"),
            ("GET /mcp/label HTTP/1.1\r\nAuthorization: secret\r\n\r\n", "401"),
            ("GET /gateway HTTP/1.1\r\nAuthorization: Bearer secret\r\n\r\n", "404"),
            ("GET /mcp HTTP/1.1\r\nAuthorization: Bearer secret\r\n\r\n", "404"),
            ("hello\r\n\r\n", "400"),
        ] {
            let answer = ask(&url, request).await;
            assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{request} {answer}");
        }
        assert!(!served.is_finished(), "the server behind it heard nothing");
    }

    #[tokio::test]
    async fn without_a_gateway_it_says_so() {
        let connect: Connect =
            Arc::new(|| Box::pin(async { Err(Error::new(Code::Unavailable, "no gateway answers")) }));
        let relay = Relay::new("secret".to_owned(), connect).await.expect("a port");
        let url = relay.url().expect("its address");
        tokio::spawn(relay.run());
        let answer = ask(&url, "GET /mcp/label HTTP/1.1\r\nauthorization: Bearer secret\r\n\r\n").await;
        assert!(
            answer.starts_with("HTTP/1.1 503 ") && answer.ends_with(r#"{"message":"no gateway answers"}"#),
            "{answer}"
        );
    }
}
