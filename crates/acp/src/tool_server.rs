//! Our tool server in the requests of an editor that open a session.
//!
//! The request keeps every byte; our entry is put in between.

use crate::message::id_text;
use agents::SERVER;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The requests that open a session, and name the MCP servers that it gets.
pub(crate) const OPENINGS: [&str; 4] = ["session/new", "session/load", "session/resume", "session/fork"];

/// Our tool server, as an agent is to reach it.
pub(crate) enum ToolServer {
    /// At an address, with the key for it.
    Http {
        /// `http://127.0.0.1:49152/mcp`, before the label.
        url: String,
        key: String,
    },
    /// As a program that the agent starts.
    Stdio {
        program: String,
        /// Its arguments, before the label.
        arguments: Vec<String>,
    },
}

impl ToolServer {
    fn entry(&self, label: &str) -> Value {
        match self {
            Self::Http { url, key } => json!({
                "type": "http",
                "name": SERVER,
                "url": format!("{url}/{label}"),
                "headers": [{ "name": "Authorization", "value": format!("Bearer {key}") }],
            }),
            Self::Stdio { program, arguments } => {
                let label = ["--session", label].map(str::to_owned);
                let arguments: Vec<&String> = arguments.iter().chain(&label).collect();
                json!({ "name": SERVER, "command": program, "args": arguments, "env": [] })
            }
        }
    }
}

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    id: &'a RawValue,
    method: String,
    #[serde(borrow)]
    params: &'a RawValue,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params<'a> {
    #[serde(borrow, default)]
    mcp_servers: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Named {
    #[serde(default)]
    name: Option<Value>,
}

/// A request with our server in it.
pub(crate) struct Added {
    pub(crate) line: Vec<u8>,
    /// The request's id.
    pub(crate) id: String,
}

/// Returns whether a line may be a request that opens a session.
pub(crate) fn may_open(line: &[u8]) -> bool {
    memchr::memmem::find(line, b"\"session/").is_some()
        && OPENINGS.iter().any(|method| memchr::memmem::find(line, method.as_bytes()).is_some())
}

/// Adds our server to a request that opens a session. `None` for other lines, and where the request names a server of our
/// name already.
pub(crate) fn add(line: &[u8], server: &ToolServer, label: &str) -> Option<Added> {
    let text = std::str::from_utf8(line).ok()?;
    let request: Request<'_> = serde_json::from_str(text).ok()?;
    if !OPENINGS.contains(&request.method.as_str()) {
        return None;
    }
    let params: Params<'_> = serde_json::from_str(request.params.get()).ok()?;
    let entry = server.entry(label).to_string();
    // Borrowed text is a part of the line.
    let place = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
    let (begin, end, ours) = match params.mcp_servers.map(RawValue::get) {
        Some(servers) => {
            let named: Vec<Named> = serde_json::from_str(servers).ok()?;
            if named.iter().any(|server| server.name.as_ref().is_some_and(|name| name == SERVER)) {
                return None;
            }
            let end = place(servers) + servers.len() - 1;
            (end, end, if named.is_empty() { entry } else { format!(",{entry}") })
        }
        None => {
            let fields: serde_json::Map<String, Value> = serde_json::from_str(request.params.get()).ok()?;
            // One that is null would be there twice.
            if fields.contains_key("mcpServers") {
                return None;
            }
            let begin = place(request.params.get()) + 1;
            (begin, begin, format!("\"mcpServers\":[{entry}]{}", if fields.is_empty() { "" } else { "," }))
        }
    };
    let line = [&line[..begin], ours.as_bytes(), &line[end..]].concat();
    Some(Added { line, id: id_text(request.id) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_client_protocol::v1::schema::{LoadSessionRequest, McpServer, NewSessionRequest};
    use rstest::rstest;

    fn http() -> ToolServer {
        ToolServer::Http { url: "http://127.0.0.1:9/mcp".to_owned(), key: "k".to_owned() }
    }

    fn stdio() -> ToolServer {
        let arguments = ["mcp", "--data-dir", "/a b"].map(str::to_owned).to_vec();
        ToolServer::Stdio { program: "/bin/sightline".to_owned(), arguments }
    }

    fn servers(line: &[u8]) -> Vec<McpServer> {
        let request: Value = serde_json::from_slice(line).expect("JSON");
        let params = request["params"].clone();
        match request["method"].as_str() {
            Some("session/new") => serde_json::from_value::<NewSessionRequest>(params).expect("its form").mcp_servers,
            _ => serde_json::from_value::<LoadSessionRequest>(params).expect("its form").mcp_servers,
        }
    }

    #[rstest]
    fn ours_comes_last_in_the_protocols_own_form(
        #[values(true, false)] over_http: bool,
        #[values("session/new", "session/load")] method: &str,
        #[values(r#"[]"#, r#"[ {"name":"files","command":"/f","args":[],"env":[]} ]"#, "null", "")] given: &str,
    ) {
        let server = if over_http { http() } else { stdio() };
        let member = if given.is_empty() { String::new() } else { format!(r#","mcpServers":{given}"#) };
        let line = format!(
            r#"{{"x":1.0e2, "jsonrpc":"2.0","id":"a\"b","method":"{method}","params":{{"sessionId":"s","cwd":"/w"{member},"new":[{{}}]}}}}"#
        ) + "\n";
        let Some(added) = add(line.as_bytes(), &server, "label") else {
            assert_eq!(given, "null", "which is left as it is");
            return;
        };
        assert_eq!(added.id, r#""a\"b""#);
        let listed = servers(&added.line);
        let before = usize::from(given.contains("files"));
        assert_eq!(listed.len(), before + 1);
        match (&listed[before], &server) {
            (McpServer::Http(listed), ToolServer::Http { .. }) => {
                assert_eq!((listed.name.as_str(), listed.url.as_str()), ("sightline", "http://127.0.0.1:9/mcp/label"));
                let header = &listed.headers[0];
                assert_eq!((header.name.as_str(), header.value.as_str()), ("Authorization", "Bearer k"));
            }
            (McpServer::Stdio(listed), ToolServer::Stdio { .. }) => {
                assert_eq!(listed.args, ["mcp", "--data-dir", "/a b", "--session", "label"]);
                assert_eq!(listed.command.to_str(), Some("/bin/sightline"));
            }
            (listed, _) => panic!("{listed:?}"),
        }
        // Without ours it is the line as it was.
        let ours = added.line.len() - line.len();
        let common = line.bytes().zip(&added.line).take_while(|(was, is)| was == *is).count();
        let rest = &added.line[added.line.len() - (line.len() - common)..];
        assert_eq!([&added.line[..common], rest].concat(), line.as_bytes(), "{ours} bytes of ours in one place");
    }

    #[test]
    fn parameters_that_are_empty_get_the_list() {
        let added = add(br#"{"id":0,"method":"session/new","params":{}}"#, &http(), "l").expect("it opens a session");
        let request: Value = serde_json::from_slice(&added.line).expect("JSON");
        assert_eq!(request["params"]["mcpServers"][0]["name"], "sightline");
    }

    #[rstest]
    #[case::other(r#"{"id":1,"method":"session/prompt","params":{"prompt":[{"text":"\"session/new\""}]}}"#)]
    #[case::answer(r#"{"id":1,"result":{"text":"session/new"}}"#)]
    #[case::notification(r#"{"method":"session/new","params":{"mcpServers":[]}}"#)]
    #[case::ours_is_there(r#"{"id":1,"method":"session/new","params":{"mcpServers":[{"name":"sightline"}]}}"#)]
    #[case::no_list(r#"{"id":1,"method":"session/new","params":{"mcpServers":"all"}}"#)]
    #[case::no_object(r#"{"id":1,"method":"session/new","params":[1]}"#)]
    #[case::twice(r#"{"id":1,"method":"session/new","params":{"mcpServers":[],"mcpServers":[]}}"#)]
    #[case::no_json("session/new")]
    fn everything_else_stays(#[case] line: &str) {
        assert!(add(line.as_bytes(), &http(), "label").is_none());
    }

    #[test]
    fn other_methods_are_not_looked_into() {
        assert!(may_open(br#"{"method":"session/new"}"#));
        assert!(!may_open(br#"{"method":"session/prompt","params":{"prompt":"new session/old"}}"#));
        assert!(!may_open(b"session/new"));
    }
}
