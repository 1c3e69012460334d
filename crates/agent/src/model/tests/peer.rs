//! A server on a real socket that answers as its script says, one connection for each request.

use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// Behaviour of a connection towards its request.
#[derive(Debug, Clone)]
pub(super) enum Act {
    /// Answers and closes.
    Reply(u16, &'static str, String),
    /// Begins an event stream, sends this, and ends it without the end that it announced.
    Cut(String),
    /// Sends this and then nothing more, without closing.
    Hang(String),
    /// Closes with a reset, before any answer.
    Reset,
}

pub(super) struct Peer {
    port: u16,
    requests: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Peer {
    /// A server that does these one after the other, and refuses what comes after.
    pub(super) async fn new(acts: Vec<Act>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("its port").port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let heard = requests.clone();
        let task = tokio::spawn(async move {
            let mut open = Vec::new();
            for act in acts {
                let (mut stream, _) = listener.accept().await.expect("a connection");
                let request = read(&mut stream).await;
                heard.lock().expect("the requests").push(request);
                play(act, stream, &mut open).await;
            }
            drop(listener);
            std::future::pending::<()>().await;
        });
        Self { port, requests, task }
    }

    pub(super) fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// The requests so far, with their heads.
    pub(super) fn requests(&self) -> Vec<String> {
        self.requests.lock().expect("the requests").clone()
    }

    /// The bodies of the requests so far.
    pub(super) fn bodies(&self) -> Vec<serde_json::Value> {
        let body = |request: &String| {
            let (_, body) = request.split_once("\r\n\r\n").expect("a head and a body");
            serde_json::from_str(body).expect("JSON")
        };
        self.requests().iter().map(body).collect()
    }
}

/// Reads a request as a whole.
pub(super) async fn read(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let got = stream.read(&mut chunk).await.expect("a request");
        bytes.extend_from_slice(chunk.get(..got).unwrap_or_default());
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length =
                |line: &str| line.to_lowercase().strip_prefix("content-length:").map(|it| it.trim().to_owned());
            let length = head.lines().find_map(length).map_or(0, |it| it.parse().expect("a number"));
            if body.len() >= length {
                return text;
            }
        }
        assert!(got > 0, "the request was cut off");
    }
}

async fn play(act: Act, mut stream: TcpStream, open: &mut Vec<TcpStream>) {
    const EVENTS: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n";
    match act {
        Act::Reply(status, headers, body) => {
            let kind = if body.starts_with("data:") || body.starts_with("event:") {
                "text/event-stream"
            } else {
                "application/json"
            };
            let head = format!(
                "HTTP/1.1 {status} As scripted\r\ncontent-type: {kind}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all(head.as_bytes()).await;
            let _ = stream.write_all(body.as_bytes()).await;
            let _ = stream.shutdown().await;
        }
        Act::Cut(body) => {
            let _ = stream.write_all(format!("{EVENTS}content-length: 1000000\r\n\r\n{body}").as_bytes()).await;
            let _ = stream.shutdown().await;
        }
        Act::Hang(text) => {
            let _ = stream.write_all(text.as_bytes()).await;
            open.push(stream);
        }
        Act::Reset => {
            stream.set_zero_linger().expect("a socket");
        }
    }
}

/// An event stream of OpenAI's protocol, from its frames.
pub(super) fn events(frames: &[&str]) -> String {
    frames.iter().map(|frame| format!("data: {frame}\n\n")).collect()
}

/// An answer with this text in OpenAI's protocol.
pub(super) fn says(text: &str) -> Act {
    let delta = serde_json::json!({"choices": [{"delta": {"content": text}, "finish_reason": null}]}).to_string();
    let end = r#"{"choices": [{"delta": {}, "finish_reason": "stop"}]}"#;
    Act::Reply(200, "", events(&[&delta, end, "[DONE]"]))
}
