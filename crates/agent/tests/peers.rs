//! Models and tools of others: a scripted model server (aimock) and MCP's own servers, both from npm.
//!
//! They need `npm ci` in `tests/models` before, so they run by
//! `cargo nextest run -p sightline-agent --test peers --run-ignored only`.

use agent::model::{
    Call, Chunk, ErrorKind, KeyFrom, Keys, Kind, Message, ModelError, Models, Provider, Request, ToolSpec,
};
use agent::tools::{Options, Server, Tools, Transport};
use futures_util::StreamExt;
use rstest::rstest;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

const PEERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/models");

fn environment(name: &str) -> Option<String> {
    match name {
        "PEER_API_KEY" => Some("sk-test".to_owned()),
        "PATH" | "HOME" => std::env::var(name).ok(),
        _ => None,
    }
}

fn script(path: &str) -> PathBuf {
    let path = Path::new(PEERS).join(path);
    assert!(path.exists(), "{} is missing: run `npm ci` in {PEERS}", path.display());
    path
}

/// A process that says its address in its first line.
async fn started(mut command: Command) -> (Child, String) {
    let command = command.current_dir(PEERS).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().expect("node is there");
    let mut line = String::new();
    let stdout = child.stdout.take().expect("its output");
    BufReader::new(stdout).read_line(&mut line).await.expect("a line");
    (child, line.trim().to_owned())
}

async fn models(kind: Kind) -> (Child, Models) {
    script("node_modules/@copilotkit/aimock/package.json");
    let mut node = Command::new("node");
    node.arg(script("models.mjs"));
    let (child, url) = started(node).await;
    let path = match kind {
        Kind::OpenAi | Kind::Anthropic => "/v1",
        Kind::Gemini => "/v1beta",
        Kind::Ollama => "",
    };
    let endpoint = Some(format!("{url}{path}"));
    let keys =
        Keys::new(Arc::new(environment), Arc::new(secrets::Store::with_keyring(Path::new("/nonexistent"), None)));
    let environment = Some(url);
    let provider = Provider { name: "peer".to_owned(), kind, endpoint, key: KeyFrom::Usual, environment };
    (child, Models::new(vec![provider], Arc::new(keys)))
}

async fn answer(models: &Models, messages: Vec<Message>) -> Vec<Result<Chunk, ModelError>> {
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    let tool =
        |name: &str| ToolSpec { name: name.to_owned(), description: "Does it".to_owned(), schema: schema.clone() };
    let request =
        Request { system: "Be brief.".to_owned(), messages, tools: vec![tool("read"), tool("now")], json: false };
    models.model("peer:some-model").expect("a model").stream(request).collect().await
}

fn text(chunks: &[Result<Chunk, ModelError>]) -> (String, String) {
    let (mut text, mut reasoning) = (String::new(), String::new());
    for chunk in chunks {
        match chunk {
            Ok(Chunk::Text(more)) => text += more,
            Ok(Chunk::Reasoning(more)) => reasoning += more,
            _ => {}
        }
    }
    (text, reasoning)
}

fn calls(chunks: &[Result<Chunk, ModelError>]) -> Vec<Call> {
    match chunks.last() {
        Some(Ok(Chunk::End { calls, .. })) => calls.clone(),
        other => panic!("the answer should be complete, not {other:?}"),
    }
}

#[rstest]
#[case::openai(Kind::OpenAi)]
#[case::anthropic(Kind::Anthropic)]
#[case::gemini(Kind::Gemini)]
#[case::ollama(Kind::Ollama)]
#[tokio::test]
#[ignore = "needs npm ci in tests/models"]
async fn a_conversation_with_calls(#[case] kind: Kind) {
    let (_server, models) = models(kind).await;
    let plain = answer(&models, vec![Message::User("plain".to_owned())]).await;
    let (said, thought) = text(&plain);
    assert_eq!(said, "Hello there, wörld. <think>x</think>", "{plain:?}");
    assert_eq!(thought, "Let me see.", "{plain:?}");
    assert_eq!(calls(&plain), []);
    assert!(plain.len() > 4, "it streams: {plain:?}");

    for prompt in ["calls", "both"] {
        let chunks = answer(&models, vec![Message::User(prompt.to_owned())]).await;
        let wanted = calls(&chunks);
        let named: Vec<_> = wanted.iter().map(|call| (call.tool.as_str(), call.args.clone())).collect();
        assert_eq!(named, [("read", json!({"path": "ä.txt", "lines": [1, 2]})), ("now", json!({}))], "{prompt}");
        assert_ne!(wanted[0].id, wanted[1].id);
        assert_eq!(text(&chunks).0, if prompt == "both" { "I read it." } else { "" });

        let result = |call: &Call| Message::ToolResult {
            call_id: call.id.clone(),
            tool: call.tool.clone(),
            text: "its result".to_owned(),
            is_error: false,
        };
        let results: Vec<Message> = wanted.iter().map(result).collect();
        let mut messages =
            vec![Message::User(prompt.to_owned()), Message::Assistant { text: text(&chunks).0, calls: wanted }];
        messages.extend(results);
        assert_eq!(text(&answer(&models, messages).await).0, "Thanks for the results.");
    }
}

#[rstest]
#[case::openai(Kind::OpenAi)]
#[case::anthropic(Kind::Anthropic)]
#[case::gemini(Kind::Gemini)]
#[case::ollama(Kind::Ollama)]
#[tokio::test]
#[ignore = "needs npm ci in tests/models"]
async fn what_goes_wrong(#[case] kind: Kind) {
    let (_server, models) = models(kind).await;
    let cut = answer(&models, vec![Message::User("cut".to_owned())]).await;
    let Some(Err(error)) = cut.last() else { panic!("{cut:?}") };
    assert_eq!(error.kind, ErrorKind::Dropped, "{cut:?}");
    let refused = answer(&models, vec![Message::User("refused".to_owned())]).await;
    let Some(Err(error)) = refused.last() else { panic!("{refused:?}") };
    assert_eq!((error.kind, refused.len()), (ErrorKind::NoSuchModel, 1), "{refused:?}");
    assert!(error.text.contains("no such thing"), "{error}");
    // aimock has no list of Gemini's.
    if kind != Kind::Gemini {
        let names = models.models("peer").await.expect("it names its models");
        assert!(!names.is_empty());
    }
}

fn server(name: &str, package: &str, args: &[&str]) -> Server {
    let program = script(&format!("node_modules/@modelcontextprotocol/{package}/dist/index.js"));
    let args = std::iter::once(program.display().to_string()).chain(args.iter().map(|arg| (*arg).to_owned()));
    let transport = Transport::Process {
        command: "node".to_owned(),
        args: args.collect(),
        env: BTreeMap::new(),
        cwd: None,
        confined: false,
    };
    Server { name: name.to_owned(), transport }
}

#[tokio::test]
#[ignore = "needs npm ci in tests/models"]
async fn files_of_the_filesystem_server() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().canonicalize().expect("its path");
    std::fs::write(folder.join("a.txt"), "grüße").expect("a file");
    let servers = vec![
        server("files", "server-filesystem", &[&folder.display().to_string()]),
        server("everything", "server-everything", &["stdio"]),
    ];
    let tools = Tools::connect(servers, Options::new(Arc::new(environment), Path::new("/nonexistent"))).await;
    assert_eq!(tools.failures(), []);
    let path = |name: &str| folder.join(name).display().to_string();
    let read = tools.call("files__read_text_file", &json!({"path": path("a.txt")})).await;
    assert_eq!((read.text.as_str(), read.is_error), ("grüße", false));
    let written = tools.call("files__write_file", &json!({"path": path("b.txt"), "content": "ß"})).await;
    assert!(!written.is_error, "{written:?}");
    assert_eq!(std::fs::read_to_string(folder.join("b.txt")).expect("it was written"), "ß");
    let outside = tools.call("files__read_text_file", &json!({"path": "/etc/passwd"})).await;
    assert!(outside.is_error && outside.text.contains("denied"), "{outside:?}");
    let wrong = tools.call("files__read_text_file", &json!({"nothing": true})).await;
    assert!(wrong.is_error, "{wrong:?}");
    tools.close().await;
}

async fn everything(tools: &Tools) {
    assert_eq!(tools.failures(), []);
    let echo = tools.call("everything__echo", &json!({"message": "hi"})).await;
    assert_eq!((echo.text.as_str(), echo.is_error), ("Echo: hi", false));
    let sum = tools.call("everything__get-sum", &json!({"a": 2, "b": 3})).await;
    assert!(sum.text.contains('5') && !sum.is_error, "{sum:?}");
    let image = tools.call("everything__get-tiny-image", &json!({})).await;
    assert!(image.text.contains("[image: image/png, ") && image.text.len() < 1_000, "{image:?}");
    let structured = tools.call("everything__get-structured-content", &json!({"location": "Chicago"})).await;
    assert!(structured.text.contains("temperature") && !structured.is_error, "{structured:?}");
    let long = tools.call("everything__trigger-long-running-operation", &json!({"duration": 0.2, "steps": 2})).await;
    assert!(!long.is_error, "{long:?}");
    assert!(tools.specs().iter().all(|spec| spec.schema.is_object()), "{:?}", tools.specs());
}

#[tokio::test]
#[ignore = "needs npm ci in tests/models"]
async fn everything_over_its_input_and_output() {
    let servers = vec![server("everything", "server-everything", &["stdio"])];
    let tools = Tools::connect(servers, Options::new(Arc::new(environment), Path::new("/nonexistent"))).await;
    everything(&tools).await;
    tools.close().await;
}

#[tokio::test]
#[ignore = "needs npm ci in tests/models"]
async fn everything_over_http() {
    let socket = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = socket.local_addr().expect("its number").port();
    drop(socket);
    let mut node = Command::new("node");
    node.arg(script("node_modules/@modelcontextprotocol/server-everything/dist/index.js")).arg("streamableHttp");
    let mut child = node
        .env("PORT", port.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("node is there");
    let mut lines = BufReader::new(child.stderr.take().expect("its words")).lines();
    while let Some(line) = lines.next_line().await.expect("a line") {
        if line.contains("listening") {
            break;
        }
    }
    let headers = BTreeMap::from([("X-Key".to_owned(), "${PEER_API_KEY}".to_owned())]);
    let transport = Transport::Url { url: format!("http://127.0.0.1:{port}/mcp"), headers };
    let servers = vec![Server { name: "everything".to_owned(), transport }];
    let tools = Tools::connect(servers, Options::new(Arc::new(environment), Path::new("/nonexistent"))).await;
    everything(&tools).await;
    child.kill().await.expect("it ends");
    let outcome = tools.call("everything__echo", &json!({"message": "hi"})).await;
    assert!(outcome.is_error, "{outcome:?}");
    tools.close().await;
}
