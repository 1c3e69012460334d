//! Faults of providers and connections, and their error messages.

use super::peer::{Act, Peer, events, says};
use super::{KEY, LIMITS, answer, asked, error, hello, models, provider, retries, text};
use crate::model::{Chunk, ErrorKind, Kind, Limits, Models, Request};
use futures_util::StreamExt;
use rstest::rstest;
use std::time::Duration;

fn status(status: u16, headers: &'static str) -> Act {
    Act::Reply(status, headers, r#"{"error": {"message": "not now"}}"#.to_owned())
}

#[rstest]
#[case::too_many(429)]
#[case::failed(500)]
#[case::gateway(502)]
#[case::overloaded(529)]
#[tokio::test]
async fn what_may_pass_is_tried_again(#[case] code: u16) {
    let peer = Peer::new(vec![status(code, ""), status(code, ""), says("at last")]).await;
    let chunks = asked(Kind::OpenAi, &peer).await;
    assert_eq!(text(&chunks), "at last");
    let waits: Vec<_> = retries(&chunks);
    assert_eq!(waits, [(2, 4, Duration::from_millis(1)), (3, 4, Duration::from_millis(2))]);
    assert_eq!(peer.requests().len(), 3);
}

#[rstest]
#[case::connection_reset(Act::Reset)]
#[case::cut_before_anything(Act::Cut(String::new()))]
#[case::cut_within_a_call(Act::Cut(events(&[
    r#"{"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{"}}]}}]}"#,
])))]
#[case::ended_early(Act::Reply(200, "", events(&[r#"{"choices": [{"delta": {"role": "assistant"}}]}"#])))]
#[case::told_to_wait(Act::Reply(200, "", events(&[r#"{"error": {"message": "overloaded"}}"#])))]
#[tokio::test]
async fn a_stream_that_broke_before_anything_was_given_out_is_begun_anew(#[case] act: Act) {
    let peer = Peer::new(vec![act, says("whole")]).await;
    let chunks = asked(Kind::OpenAi, &peer).await;
    assert_eq!(text(&chunks), "whole");
    assert_eq!(retries(&chunks).len(), 1);
    assert_eq!(chunks.last(), Some(&Ok(Chunk::End { calls: Vec::new(), usage: None, cut: None })));
}

#[tokio::test]
async fn after_four_tries_it_is_an_error() {
    let peer = Peer::new(vec![status(503, ""); 4]).await;
    let chunks = asked(Kind::OpenAi, &peer).await;
    assert_eq!(retries(&chunks).len(), 3);
    assert_eq!(error(&chunks).text, "peer has failed (503): not now. Try again later. (4 tries)");
    assert_eq!(chunks.len(), 4);
}

#[rstest]
#[case::seconds("retry-after: 0\r\n", Some(0))]
#[case::date("date: Sun, 22 Nov 2026 08:00:00 GMT\r\nretry-after: Sun, 22 Nov 2026 08:00:00 GMT\r\n", Some(0))]
#[case::date_passed("date: Sun, 22 Nov 2026 08:00:00 GMT\r\nretry-after: Sun, 22 Nov 2026 07:00:00 GMT\r\n", Some(0))]
#[case::too_long("retry-after: 61\r\n", None)]
#[case::too_long_by_date("date: Sun, 22 Nov 2026 08:00:00 GMT\r\nretry-after: Sun, 22 Nov 2026 08:02:00 GMT\r\n", None)]
#[case::no_time("retry-after: soon\r\n", Some(1))]
#[tokio::test]
async fn a_provider_may_say_when(#[case] headers: &'static str, #[case] wait: Option<u64>) {
    let peer = Peer::new(vec![status(429, headers), says("now")]).await;
    let chunks = asked(Kind::OpenAi, &peer).await;
    match wait {
        Some(wait) => assert_eq!(retries(&chunks), [(2, 4, Duration::from_millis(wait))]),
        None => assert_eq!((chunks.len(), error(&chunks).kind), (1, ErrorKind::RateLimited)),
    }
}

#[tokio::test]
async fn it_is_waited_as_long_as_the_provider_says() {
    let peer = Peer::new(vec![status(429, "retry-after: 60\r\n"), says("now")]).await;
    let mut answer = models(Kind::OpenAi, &peer.endpoint()).model("peer:m").expect("a model").stream(hello());
    let first = answer.next().await.expect("a chunk");
    assert_eq!(retries(&[first]), [(2, 4, Duration::from_secs(60))]);
    tokio::select! {
        biased;
        chunk = answer.next() => panic!("it did not wait: {chunk:?}"),
        () = tokio::time::sleep(Duration::from_millis(50)) => {}
    }
    assert_eq!(peer.requests().len(), 1);
}

#[rstest]
#[case::bad_request(400, ErrorKind::Other)]
#[case::key(401, ErrorKind::RefusedKey)]
#[case::forbidden(403, ErrorKind::RefusedKey)]
#[case::model(404, ErrorKind::NoSuchModel)]
#[case::moved(307, ErrorKind::Other)]
#[tokio::test]
async fn what_will_not_pass_is_not_tried_again(#[case] code: u16, #[case] kind: ErrorKind) {
    let peer = Peer::new(vec![status(code, "location: http://127.0.0.1:1/\r\n"), says("never")]).await;
    let chunks = asked(Kind::OpenAi, &peer).await;
    assert_eq!(chunks.len(), 1, "{chunks:?}");
    assert_eq!(error(&chunks).kind, kind);
    assert_eq!(peer.requests().len(), 1);
}

#[rstest]
#[case::openai(Kind::OpenAi)]
#[case::anthropic(Kind::Anthropic)]
#[case::gemini(Kind::Gemini)]
#[case::ollama(Kind::Ollama)]
#[tokio::test]
async fn nobody_there(#[case] kind: Kind) {
    // Bound, and never listened at: it refuses, and nobody else gets the port.
    let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
    socket.bind("127.0.0.1:0".parse().expect("an address")).expect("a port");
    let address = format!("http://user:{KEY}@{}", socket.local_addr().expect("its port"));
    let chunks = answer(&models(kind, &address), hello()).await;
    assert_eq!(retries(&chunks).len(), 3);
    assert_eq!(error(&chunks).kind, ErrorKind::Unreachable);
    assert!(error(&chunks).text.contains("cannot be reached at http://127.0.0.1:"), "{}", error(&chunks).text);
    assert!(!format!("{chunks:?}").contains(KEY), "{chunks:?}");
}

/// A first chunk of text as each protocol has it.
fn first(kind: Kind) -> String {
    match kind {
        Kind::OpenAi => events(&[r#"{"choices": [{"delta": {"content": "half"}}]}"#]),
        Kind::Anthropic => "event: content_block_start\ndata: {\"index\": 0, \"content_block\": {\"type\": \"text\", \
                            \"text\": \"\"}}\n\nevent: content_block_delta\ndata: {\"index\": 0, \"delta\": {\"type\": \
                            \"text_delta\", \"text\": \"half\"}}\n\n"
            .to_owned(),
        Kind::Gemini => events(&[
            r#"{"candidates": [{"content": {"parts": [{"text": "half"}]}}], "usageMetadata": {"promptTokenCount": 1}}"#,
        ]),
        Kind::Ollama => "{\"message\": {\"role\": \"assistant\", \"content\": \"half\"}, \"done\": false}\n".to_owned(),
    }
}

#[rstest]
#[tokio::test]
async fn a_stream_that_broke_later_says_so(
    #[values(Kind::OpenAi, Kind::Anthropic, Kind::Gemini, Kind::Ollama)] kind: Kind,
    #[values(true, false)] announced: bool,
) {
    let act = if announced { Act::Cut(first(kind)) } else { Act::Reply(200, "", first(kind)) };
    let peer = Peer::new(vec![act, says("never")]).await;
    let chunks = asked(kind, &peer).await;
    assert_eq!(text(&chunks), "half");
    assert_eq!(error(&chunks).kind, ErrorKind::Dropped, "{chunks:?}");
    // Others decide if the part is kept or the answer asked for anew.
    assert!(!error(&chunks).text.contains("kept"), "{chunks:?}");
    assert_eq!(chunks.len(), 2);
    assert_eq!(peer.requests().len(), 1);
}

#[rstest]
#[case::never_an_answer(String::new(), 1, ErrorKind::Unreachable)]
// An answer that had begun well is worth another try.
#[case::stopped_within(
    format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n{}", first(Kind::OpenAi)),
    2,
    ErrorKind::Dropped
)]
#[tokio::test]
async fn a_silent_provider_is_given_up(#[case] sent: String, #[case] chunks: usize, #[case] kind: ErrorKind) {
    let peer = Peer::new(vec![Act::Hang(sent)]).await;
    // Long enough for what is sent at once to come on any machine.
    let limits = Limits { silence: Duration::from_secs(3), ..LIMITS };
    let given = answer(&models(Kind::OpenAi, &peer.endpoint()).with_limits(limits), hello()).await;
    assert_eq!(given.len(), chunks);
    assert_eq!(error(&given).kind, kind);
}

#[rstest]
#[case::text(r#"{"choices": [{"delta": {"content": "TEXT"}}]}"#)]
#[case::reasoning(r#"{"choices": [{"delta": {"reasoning_content": "TEXT"}}]}"#)]
#[case::a_call(
    r#"{"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": "TEXT"}}]}}]}"#
)]
#[tokio::test]
async fn an_endless_answer_is_cut(#[case] frame: &str) {
    let frame = frame.replace("TEXT", &"x".repeat(1000));
    let frames: Vec<&str> = vec![&frame; 64];
    let peer = Peer::new(vec![Act::Reply(200, "", events(&frames))]).await;
    let limits = Limits { bytes: 32_000, ..LIMITS };
    let chunks = answer(&models(Kind::OpenAi, &peer.endpoint()).with_limits(limits), hello()).await;
    assert_eq!(error(&chunks).kind, ErrorKind::TooLarge);
    assert!(chunks.len() <= 33, "{}", chunks.len());
}

#[rstest]
#[case::in_an_error(401, format!(r#"{{"error": {{"message": "Authorization: Bearer {KEY} is wrong"}}}}"#))]
#[case::in_plain_text(500, format!("key={KEY}"))]
#[case::at_the_edge(400, format!("{}{KEY}", "x".repeat(495)))]
#[case::another(403, "Bearer sk-somebody-elses, go away".to_owned())]
#[tokio::test]
async fn no_key_is_ever_repeated(
    #[values(Kind::OpenAi, Kind::Anthropic, Kind::Gemini, Kind::Ollama)] kind: Kind,
    #[case] code: u16,
    #[case] body: String,
) {
    let peer = Peer::new(vec![Act::Reply(code, "", body); 4]).await;
    let chunks = asked(kind, &peer).await;
    assert!(peer.requests()[0].contains(KEY), "the key was sent");
    let said = format!("{chunks:?}");
    for part in [KEY, "sk-secret", "somebody-elses"] {
        assert!(!said.contains(part), "{said}");
    }
    let listed = models(kind, &peer.endpoint());
    assert!(!format!("{listed:?}").contains("sk-secret"));
}

#[tokio::test]
async fn an_error_within_a_stream_repeats_no_key_either() {
    let frame = format!(r#"{{"error": {{"message": "Bearer {KEY} has no credit"}}}}"#);
    let peer = Peer::new(vec![Act::Reply(200, "", events(&[&frame]))]).await;
    let chunks = asked(Kind::OpenAi, &peer).await;
    assert_eq!(error(&chunks).text, "peer reports an error: Bearer [key] has no credit");
}

#[rstest]
#[case::anthropic(Kind::Anthropic, "anthropic", "Set ANTHROPIC_API_KEY, or add a key in Settings.")]
#[case::gemini(Kind::Gemini, "gemini", "Set GEMINI_API_KEY, or add a key in Settings.")]
#[case::openai(Kind::OpenAi, "openai", "Set OPENAI_API_KEY, or add a key in Settings.")]
#[tokio::test]
async fn without_a_key_nobody_is_asked(#[case] kind: Kind, #[case] name: &str, #[case] advice: &str) {
    let _ = kind;
    let models = Models::new(Vec::new(), super::keys(std::path::Path::new("/nonexistent"), &[]));
    let chunks: Vec<_> = models.model(&format!("{name}:m")).expect("built in").stream(hello()).collect().await;
    assert_eq!(error(&chunks).kind, ErrorKind::NoKey);
    assert_eq!(error(&chunks).text, format!("There is no key for {name}. {advice}"));
    assert_eq!(models.models(name).await.expect_err("no key").kind, ErrorKind::NoKey);
}

#[tokio::test]
async fn a_local_server_needs_no_key_and_gets_no_header_for_it() {
    let peer = Peer::new(vec![says("hi"), status(401, "")]).await;
    let provider = provider(Kind::OpenAi, &peer.endpoint());
    let models =
        Models::new(vec![provider], super::keys(std::path::Path::new("/nonexistent"), &[])).with_limits(LIMITS);
    assert_eq!(text(&answer(&models, hello()).await), "hi");
    assert!(!peer.requests()[0].to_lowercase().contains("authorization"), "{}", peer.requests()[0]);
    let refused = answer(&models, hello()).await;
    assert_eq!(error(&refused).kind, ErrorKind::NoKey);
    assert!(error(&refused).text.contains("Set PEER_API_KEY"), "{}", error(&refused).text);
}

#[tokio::test]
async fn a_server_that_knows_no_json_mode_is_asked_without_it() {
    let peer = Peer::new(vec![status(400, ""), says("{}")]).await;
    let chunks = answer(&models(Kind::OpenAi, &peer.endpoint()), Request { json: true, ..hello() }).await;
    assert_eq!(text(&chunks), "{}");
    let bodies = peer.bodies();
    assert_eq!(bodies[0]["response_format"]["type"], "json_object");
    assert!(bodies[1].get("response_format").is_none());
}

#[rstest]
#[case::no_protocol("<html>hello</html>")]
#[case::other_json("data: [1, 2]\n\ndata: nonsense\n\n")]
#[tokio::test]
async fn what_is_no_answer_is_an_error(#[case] body: &str) {
    let peer = Peer::new(vec![Act::Reply(200, "", body.to_owned()); 4]).await;
    let chunks = asked(Kind::OpenAi, &peer).await;
    assert!(matches!(error(&chunks).kind, ErrorKind::Other | ErrorKind::Unreachable), "{chunks:?}");
}

// One garbled frame after good ones is a fault of the line, and not of the settings.
#[rstest]
#[tokio::test]
async fn what_is_garbled_in_the_middle_is_a_dropped_answer(
    #[values(Kind::OpenAi, Kind::Anthropic, Kind::Gemini, Kind::Ollama)] kind: Kind,
) {
    let garbled = match kind {
        Kind::Ollama => "{\"message\": {\"role\n",
        Kind::Anthropic => "event: content_block_delta\ndata: {\"index\": 0, \"del\n\n",
        _ => "data: {\"choices\": [{\"delta\": {\"cont\n\n",
    };
    let peer = Peer::new(vec![Act::Reply(200, "", format!("{}{garbled}", first(kind))); 4]).await;
    let chunks = asked(kind, &peer).await;
    assert_eq!(text(&chunks), "half");
    assert_eq!((error(&chunks).kind, peer.requests().len()), (ErrorKind::Dropped, 1), "{chunks:?}");
}

#[tokio::test]
async fn a_stream_that_is_dropped_ends_the_connection() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let endpoint = format!("http://{}", listener.local_addr().expect("an address"));
    let mut answer = models(Kind::OpenAi, &endpoint).model("peer:m").expect("a model").stream(hello());
    let server = async {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        super::peer::read(&mut stream).await;
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
        tokio::io::AsyncWriteExt::write_all(&mut stream, format!("{head}{}", first(Kind::OpenAi)).as_bytes())
            .await
            .expect("it is read");
        stream
    };
    let (mut stream, chunk) = tokio::join!(server, answer.next());
    assert_eq!(chunk, Some(Ok(Chunk::Text("half".to_owned()))));
    drop(answer);
    let mut rest = Vec::new();
    // Ends when the other side does.
    let _ = tokio::io::AsyncReadExt::read_to_end(&mut stream, &mut rest).await;
}

#[rstest]
#[case::no_colon("gpt", "names no model")]
#[case::no_model("openai:", "names no model")]
#[case::no_provider(
    "nobody:gpt",
    "There is no provider \"nobody\". There are: openai, anthropic, gemini, ollama, peer."
)]
fn a_name_that_names_nothing(#[case] name: &str, #[case] said: &str) {
    let Err(error) = models(Kind::OpenAi, "http://127.0.0.1:1").model(name) else { panic!("it is no model") };
    assert_eq!(error.kind, ErrorKind::NoSuchModel);
    assert!(error.text.contains(said), "{}", error.text);
}

#[rstest]
#[case::words("not an address")]
#[case::no_host("http://")]
#[case::a_file("file:///etc/passwd")]
#[tokio::test]
async fn an_endpoint_that_is_none(#[case] endpoint: &str) {
    let models = models(Kind::OpenAi, endpoint);
    let Err(error) = models.model("peer:m") else { panic!("it cannot be asked") };
    assert_eq!(error.text, "The endpoint of peer is no web address. Correct it in Settings.");
    assert_eq!(models.models("peer").await, Err(error));
}

#[tokio::test]
async fn a_provider_without_a_list_of_models() {
    let peer = Peer::new(vec![status(404, "")]).await;
    let error = models(Kind::OpenAi, &peer.endpoint()).models("peer").await.expect_err("there is none");
    let place = peer.endpoint();
    assert_eq!(error.text, format!("peer has no list of models at {place}/ (404): not now. Check the endpoint."));
}

#[rstest]
#[tokio::test]
async fn a_key_that_cannot_be_sent(
    #[values(Kind::OpenAi, Kind::Anthropic, Kind::Gemini, Kind::Ollama)] kind: Kind,
    #[values(true, false)] lists: bool,
) {
    let keys = super::keys(std::path::Path::new("/nonexistent"), &[("PEER_API_KEY", "sk-\u{7}bell")]);
    let models = Models::new(vec![provider(kind, "http://127.0.0.1:1")], keys).with_limits(LIMITS);
    let error = match lists {
        true => models.models("peer").await.expect_err("it is not sent"),
        false => error(&answer(&models, hello()).await).clone(),
    };
    if lists && kind == Kind::Ollama {
        return assert_eq!(error.kind, ErrorKind::Unreachable, "it gets no key for its list");
    }
    assert_eq!(error.text, "The key of peer has characters that cannot be sent. Enter it again.");
}

/// The log, as text.
#[derive(Clone, Default)]
struct Log(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("the log").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[rstest]
#[tokio::test]
async fn no_key_gets_into_the_log(
    #[values(Kind::OpenAi, Kind::Anthropic, Kind::Gemini, Kind::Ollama)] kind: Kind,
    #[values(200, 401)] code: u16,
) {
    let log = Log::default();
    let writer = log.clone();
    let subscriber =
        tracing_subscriber::fmt().with_max_level(tracing::Level::DEBUG).with_writer(move || writer.clone());
    let _here = tracing::subscriber::set_default(subscriber.finish());
    tracing::info!("it logs");
    let event = format!("event: error\ndata: {{\"error\": {{\"message\": \"Bearer {KEY}\"}}}}\n\n");
    let peer = Peer::new(vec![Act::Reply(code, "", event); 4]).await;
    let chunks = asked(kind, &peer).await;
    assert!(matches!(chunks.last(), Some(Err(_))), "{chunks:?}");
    let log = String::from_utf8(log.0.lock().expect("the log").clone()).expect("text");
    assert!(log.contains("it logs") && !log.contains("sk-secret"), "{log}");
}
