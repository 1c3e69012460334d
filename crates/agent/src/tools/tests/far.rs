//! Servers that are reached over HTTP, and do wrong. Their addresses hold secrets, which nobody may read in an error.

use super::{fine, options};
use crate::tools::{Options, Server, Tools, Transport};
use rstest::rstest;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::task::AbortOnDropHandle;

/// Answer of a server: a status, a content type, a body.
type Answer = (u16, &'static str, String);

/// A server that answers each request as this says, and its port. Requests without an answer are cut off.
async fn serves(
    answer: impl Fn(&Value, &str) -> Option<Answer> + Send + Sync + 'static,
) -> (u16, AbortOnDropHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let port = listener.local_addr().expect("its port").port();
    let task = tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.expect("a connection");
            let _ = converse(stream, &answer).await;
        }
    });
    (port, AbortOnDropHandle::new(task))
}

/// One request a connection.
async fn converse(
    mut stream: TcpStream,
    answer: &(impl Fn(&Value, &str) -> Option<Answer> + Sync),
) -> std::io::Result<()> {
    let (reader, mut writer) = stream.split();
    let mut reader = BufReader::new(reader);
    let (mut head, mut length) = (String::new(), 0);
    while !head.ends_with("\r\n\r\n") {
        let mut line = String::new();
        reader.read_line(&mut line).await?;
        if let Some(bytes) = line.to_lowercase().strip_prefix("content-length:") {
            length = bytes.trim().parse().expect("a number");
        }
        head += &line;
        assert!(!line.is_empty(), "the request was cut off");
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).await?;
    let body = serde_json::from_slice(&body).unwrap_or_default();
    if let Some((status, kind, text)) = answer(&body, head.lines().next().unwrap_or_default()) {
        let length = text.len();
        let head = format!(
            "HTTP/1.1 {status} So\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
        );
        writer.write_all(head.as_bytes()).await?;
        writer.write_all(text.as_bytes()).await?;
    }
    writer.shutdown().await
}

async fn connected(port: u16) -> Tools {
    let url = format!("http://me:s3cret@127.0.0.1:{port}/mcp?api_key=s3cret#s3cret");
    let transport = Transport::Url { url, headers: BTreeMap::from([("x-key".to_owned(), "s3cret".to_owned())]) };
    Tools::connect(vec![Server { name: "far".to_owned(), transport }], options()).await
}

/// A page that says what was asked for, as many servers' do.
fn page(status: u16, kind: &'static str, asked: &str) -> Option<Answer> {
    Some((status, kind, format!("<html>Cannot {asked}</html>")))
}

#[rstest]
#[case::not_there(404, "text/html", "it answers with 404")]
#[case::failed(500, "text/html", "it answers with 500")]
#[case::failed_as_json(500, "application/json", "it answers with 500")]
#[case::elsewhere(302, "text/html", "it answers with 302")]
#[case::wants_a_key(401, "text/html", "it answers with 401")]
#[case::a_page(200, "text/html; charset=utf-8", "it answers with text/html; charset=utf-8, not with MCP")]
#[case::no_json(200, "application/json", "what it says is not MCP")]
#[tokio::test]
async fn one_that_is_no_mcp_server(#[case] status: u16, #[case] kind: &'static str, #[case] why: &str) {
    let (port, _server) = serves(move |_, asked| page(status, kind, asked)).await;
    let tools = connected(port).await;
    let whys: Vec<&str> = tools.failures().iter().map(|failure| failure.why.english.as_str()).collect();
    assert_eq!(whys, [format!("It does not answer as an MCP server: {why}.")]);
    let named = tools.failures()[0].why.named.as_ref().expect("it has a name");
    let fault = &named.texts["problem"].name;
    assert!(named.name == "server_no_answer" && fault.starts_with("fault_"), "{named:?}");
}

#[tokio::test]
async fn one_that_is_not_there() {
    let (port, server) = serves(|_, _| None).await;
    drop(connected(port).await);
    drop(server);
    // Bound, and never listened at: it refuses, and nobody else gets the port.
    let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
    socket.bind("127.0.0.1:0".parse().expect("an address")).expect("a port");
    let free = socket.local_addr().expect("its port").port();
    let tools = connected(free).await;
    let why = &tools.failures()[0].why.english;
    let place = format!("It does not answer as an MCP server: it cannot be reached at http://127.0.0.1:{free}/mcp: ");
    let reason = why.strip_prefix(&place).unwrap_or_else(|| panic!("{why}"));
    assert!(reason.starts_with("Connection refused"), "{why}");
}

#[tokio::test]
async fn one_that_cuts_the_connection() {
    let (port, _server) = serves(|_, _| None).await;
    let tools = connected(port).await;
    let why = &tools.failures()[0].why.english;
    assert!(why.contains(&format!("the connection to http://127.0.0.1:{port}/mcp broke: ")), "{why}");
    assert!(!why.contains("s3cret") && !why.contains("reqwest"), "{why}");
}

/// An MCP server whose tools all fail, each in its own way, but for `echo`.
fn mcp(message: &Value, asked: &str) -> Option<Answer> {
    let result = match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}},
            "serverInfo": {"name": "far", "version": "1"},
        }),
        "tools/list" => {
            let tools = ["echo", "page", "fail", "gone", "cut"];
            json!({"tools": tools.map(|name| json!({"name": name, "inputSchema": {"type": "object"}}))})
        }
        "tools/call" => match message["params"]["name"].as_str().unwrap_or_default() {
            "page" => return page(200, "text/html", asked),
            "fail" => return page(500, "text/html", asked),
            "gone" => return page(404, "text/html", asked),
            "cut" => return None,
            _ => json!({"content": [{"type": "text", "text": "echo"}]}),
        },
        // Nothing else is understood here, and streams are not offered.
        "" => return Some((405, "text/plain", String::new())),
        method if method.starts_with("notifications/") => return Some((202, "text/plain", String::new())),
        _ => {
            let error = json!({"code": -32601, "message": "Method not found"});
            let error = json!({"jsonrpc": "2.0", "id": message["id"], "error": error});
            return Some((200, "application/json", error.to_string()));
        }
    };
    let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
    Some((200, "application/json", answer.to_string()))
}

#[rstest]
#[case::a_page("page", "it answers with text/html, not with MCP")]
#[case::failed("fail", "it answers with 500")]
#[case::not_there("gone", "it answers with 404")]
#[case::cut("cut", "the connection to http://127.0.0.1:PORT/mcp broke: ")]
#[tokio::test]
async fn a_call_that_fails(#[case] tool: &str, #[case] why: &str) {
    let (port, _server) = serves(mcp).await;
    let tools = connected(port).await;
    assert_eq!(tools.failures(), []);
    let outcome = tools.call(&format!("far__{tool}"), &json!({})).await;
    let why = format!("The call failed: {}", why.replace("PORT", &port.to_string()));
    assert!(outcome.is_error && outcome.text.starts_with(&why), "{outcome:?}");
    assert!(outcome.text.ends_with(" Whether it did anything is not known."), "{outcome:?}");
    assert!(!outcome.text.contains("s3cret") && !outcome.text.contains("reqwest"), "{outcome:?}");
    assert_eq!(tools.call("far__echo", &json!({})).await, fine("echo"), "and it goes on");
}

#[rstest]
#[case::headers("http://192.0.2.1:1/mcp", true, true)]
#[case::a_password("http://me:s3cret@example.invalid/mcp", false, true)]
#[case::none("http://example.invalid/mcp", false, false)]
#[case::nobody_reads("https://example.invalid/mcp", true, false)]
#[case::this_machine("http://127.0.0.1:1/mcp", true, false)]
#[tokio::test]
async fn secrets_go_to_no_other_machine_where_others_read_them(
    #[case] url: &str,
    #[case] has_headers: bool,
    #[case] is_refused: bool,
) {
    let headers = has_headers.then(|| ("authorization".to_owned(), "s3cret".to_owned())).into_iter().collect();
    let server = Server { name: "far".to_owned(), transport: Transport::Url { url: url.to_owned(), headers } };
    let options = Options { start: Duration::from_secs(5), ..options() };
    let tools = Tools::connect(vec![server], options).await;
    let why = &tools.failures()[0].why.english;
    assert_eq!(why.contains("where others can read them; it was not connected"), is_refused, "{why}");
    assert!(!why.contains("s3cret"), "{why}");
}
