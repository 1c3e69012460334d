//! The accept loop: takes connections from the port and from the private socket, and speaks HTTP on each, within limits
//! of number, size and time.

use crate::paced::{Pace, Paced};
use crate::peer::Peer;
use crate::rate::Rate;
use crate::visits::{Visit, Visits, WayIn};
use axum::Router;
use axum::body::Body;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::io::{Error, ErrorKind};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

/// The largest head of a request. Browsers send the cookies of all ports of this machine.
const HEAD_BYTES: usize = 32 * 1024;

/// The most headers of a request.
const HEADERS: usize = 100;

/// The most that is buffered of what a connection sends, and of what is sent to it.
const BUFFER_BYTES: usize = 64 * 1024;

/// Pause after the system has refused to accept, most likely because too many files are open.
const PAUSE: Duration = Duration::from_secs(1);

/// The connection that a request came over, as its handlers know it.
#[derive(Clone)]
pub(crate) struct Connection {
    pub(crate) rate: Rate,
    pub(crate) visit: Visit,
    pub(crate) pace: Pace,
    pub(crate) peer: Option<Peer>,
}

/// A way in.
pub(crate) trait Door {
    type Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static;

    /// Waits for the next connection; `None` for one that is refused.
    fn accept(&self) -> impl Future<Output = Result<Option<(Self::Stream, WayIn)>, Error>> + Send;

    /// Returns the other end, where a request has to say by itself whose it is.
    fn peer(_stream: &Self::Stream) -> Option<Peer> {
        None
    }
}

impl Door for TcpListener {
    type Stream = TcpStream;

    async fn accept(&self) -> Result<Option<(TcpStream, WayIn)>, Error> {
        let (stream, _) = Self::accept(self).await?;
        // A list is a small message that somebody waits for.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection gathers small messages");
        }
        Ok(Some((stream, WayIn::Loopback)))
    }

    fn peer(stream: &TcpStream) -> Option<Peer> {
        Peer::of(stream)
    }
}

/// Serves all who come by a door until `stop`, then finishes the requests under way. Dropping it ends them.
pub(crate) async fn serve<D: Door>(door: D, router: Router, visits: Arc<Visits>, stop: CancellationToken) {
    let mut open = JoinSet::new();
    loop {
        let next = async {
            visits.room().await;
            door.accept().await
        };
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            Some(_) = open.join_next() => continue,
            accepted = next => accepted,
        };
        match accepted {
            Ok(Some((stream, way))) => {
                let (visit, peer) = (visits.enter(way), D::peer(&stream));
                open.spawn(attend(stream, visit, peer, visits.clone(), router.clone(), stop.clone()));
            }
            Ok(None) => {}
            Err(error) if is_of_the_peer(&error) => {}
            Err(error) => {
                tracing::error!(%error, "no connection can be accepted");
                sleep(PAUSE).await;
            }
        }
    }
    drop(door);
    while open.join_next().await.is_some() {}
}

fn is_of_the_peer(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::ConnectionRefused | ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset)
}

/// Serves one connection. It ends when the peer is done, takes too long, or has to make room.
async fn attend(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    visit: Visit,
    peer: Option<Peer>,
    visits: Arc<Visits>,
    router: Router,
    stop: CancellationToken,
) {
    let own = Connection { rate: Rate::new(), visit: visit.clone(), pace: Pace::default(), peer };
    let stream = Paced::new(stream, own.pace.clone());
    let service = hyper::service::service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(own.clone());
        let answer = router.clone().oneshot(request.map(Body::new));
        async move { Ok::<_, Infallible>(answer.await.unwrap_or_else(|never| match never {})) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(visits.limits.head)
        .max_headers(HEADERS)
        .max_header_size(HEAD_BYTES)
        .max_buf_size(BUFFER_BYTES)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let (mut connection, mut time) = (pin!(connection), pin!(sleep(visits.limits.stranger)));
    let (mut is_stopping, mut is_hurried) = (false, false);
    loop {
        tokio::select! {
            ended = connection.as_mut() => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "a connection ended");
                }
                return;
            }
            () = visit.has_to_leave() => return,
            () = stop.cancelled(), if !is_stopping => {
                is_stopping = true;
                connection.as_mut().graceful_shutdown();
            }
            () = time.as_mut(), if !is_hurried => {
                is_hurried = true;
                if visit.is_stranger() {
                    // A request under way is finished; half a head has no longer than any head has.
                    connection.as_mut().graceful_shutdown();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::visits::Limits;
    use axum::extract::Extension;
    use axum::routing::get;
    use std::net::{Ipv4Addr, SocketAddr};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    const WHOLE: &str = "GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n";
    const HALF: &str = "GET / HTTP/1.1\r\nHost: here\r\nX-Half: ";

    struct Served {
        address: SocketAddr,
        visits: Arc<Visits>,
        stop: CancellationToken,
        task: tokio::task::JoinHandle<()>,
    }

    /// A server that greets, and admits those who ask for `/known`.
    async fn served(limits: Limits) -> Served {
        let door = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port is free");
        let address = door.local_addr().expect("it has an address");
        let known = |Extension(Connection { visit, .. }): Extension<Connection>| async move {
            visit.admit("key", false).map_err(|error| error.message)
        };
        let router = Router::new().route("/", get(|| async { "hello" })).route("/known", get(known));
        let (visits, stop) = (Visits::new(limits), CancellationToken::new());
        let task = tokio::spawn(serve(door, router, visits.clone(), stop.clone()));
        Served { address, visits, stop, task }
    }

    impl Served {
        async fn send(&self, text: &str) -> TcpStream {
            let mut stream = TcpStream::connect(self.address).await.expect("it listens");
            stream.write_all(text.as_bytes()).await.expect("it takes");
            stream
        }

        async fn ask(&self, text: &str) -> String {
            rest(&mut self.send(text).await).await
        }
    }

    /// Reads until the server closes, in whatever way.
    async fn rest(stream: &mut TcpStream) -> String {
        let mut answer = Vec::new();
        // A reset is an end, too.
        let _ = stream.read_to_end(&mut answer).await;
        String::from_utf8_lossy(&answer).into_owned()
    }

    #[tokio::test]
    async fn half_sent_heads_keep_nobody_out_and_the_oldest_go_first() {
        let limits = Limits { strangers: 8, unhurried: Duration::ZERO, ..Limits::default() };
        let served = served(limits).await;
        let mut half = Vec::new();
        for _ in 0..250 {
            half.push(served.send(HALF).await);
        }
        assert!(served.ask(WHOLE).await.ends_with("hello"));
        // At most as many as there may be are still open.
        for mut stream in half.drain(..250 - limits.strangers) {
            assert_eq!(rest(&mut stream).await, "");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn half_a_head_and_silence_end_by_themselves() {
        let served = served(Limits::default()).await;
        let (mut half, mut silent) = (served.send(HALF).await, served.send("").await);
        assert_eq!((rest(&mut half).await, rest(&mut silent).await), (String::new(), String::new()));
    }

    #[tokio::test]
    async fn large_heads_and_many_headers_are_refused() {
        let served = served(Limits::default()).await;
        let large = format!("GET / HTTP/1.1\r\nX-Large: {}\r\n\r\n", "x".repeat(HEAD_BYTES));
        let many = format!("GET / HTTP/1.1\r\n{}\r\n", "X-Many: 1\r\n".repeat(HEADERS + 1));
        for head in [large, many] {
            let answer = served.ask(&head).await;
            assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431"), "{answer}");
        }
        assert!(served.ask(WHOLE).await.ends_with("hello"));
    }

    #[tokio::test]
    async fn a_key_that_has_its_connections_is_told_and_strangers_still_get_in() {
        let served = served(Limits { with_one_key: 1, ..Limits::default() }).await;
        let known = WHOLE.replace("/ ", "/known ");
        let mut first = served.send(&known.replace("close", "keep-alive")).await;
        let mut one = [0];
        first.read_exact(&mut one).await.expect("it is answered");
        assert!(served.ask(&known).await.contains("may have 1 connections"));
        assert!(served.ask(WHOLE).await.ends_with("hello"));
        drop(first);
        while !served.visits.is_empty() {
            tokio::task::yield_now().await;
        }
        assert!(served.ask(&known).await.starts_with("HTTP/1.1 200"));
    }

    #[tokio::test]
    async fn stopping_finishes_what_is_under_way_and_takes_nobody_new() {
        let served = served(Limits::default()).await;
        let mut idle = served.send(&WHOLE.replace("close", "keep-alive")).await;
        let mut one = [0];
        idle.read_exact(&mut one).await.expect("it is answered");
        served.stop.cancel();
        assert!(rest(&mut idle).await.ends_with("hello"), "an idle connection is closed");
        served.task.await.expect("it ends");
        assert!(TcpStream::connect(served.address).await.is_err());
    }
}
