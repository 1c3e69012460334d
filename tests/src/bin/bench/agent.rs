//! Agents that write lists: over HTTP by a client of our own, which costs less than what it measures, and over standard
//! input and output by that of the MCP library.

use crate::gateway::{Gateway, list};
use anyhow::{Context, Result, ensure};
use rmcp::model::CallToolRequestParams;
use rmcp::service::{RoleClient, RunningService};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};

const JSON: &str = "application/json";
const SESSION: &str = "mcp-session-id";
/// A revision of MCP with sessions, as the agents speak it that were tried.
const REVISION: &str = "2025-06-18";

/// An agent that writes its list.
pub(crate) trait Agent {
    /// Writes the list of a round.
    async fn write(&self, round: usize) -> Result<()>;
}

/// An agent that speaks MCP over HTTP, and keeps its connection.
pub(crate) struct HttpAgent {
    http: reqwest::Client,
    url: String,
    key: String,
    session: String,
    calls: AtomicU64,
}

impl HttpAgent {
    pub(crate) async fn connect(gateway: &Gateway, agent: usize) -> Result<Self> {
        let mut made = Self {
            http: reqwest::Client::builder().no_proxy().build()?,
            url: format!("http://127.0.0.1:{}/mcp/agent-{agent}", gateway.port),
            key: gateway.token.clone(),
            session: String::new(),
            calls: AtomicU64::new(0),
        };
        let client = json!({ "name": "bench", "version": "1" });
        let hello = json!({ "protocolVersion": REVISION, "capabilities": {}, "clientInfo": client });
        let response = made.post(&made.request("initialize", &hello)).await?;
        let session = response.headers().get(SESSION).context("it opened no session")?;
        session.to_str()?.clone_into(&mut made.session);
        response.bytes().await?;
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        made.post(&ready).await?.bytes().await?;
        Ok(made)
    }

    /// Asks, and reads the answer to its end.
    pub(crate) async fn ask(&self, method: &str, parameters: &Value) -> Result<Value> {
        let body = self.post(&self.request(method, parameters)).await?.bytes().await?;
        let text = std::str::from_utf8(&body)?;
        // The last event of the stream is the answer.
        let last = text.lines().rev().find_map(|line| line.strip_prefix("data:")).unwrap_or(text);
        let mut answer: Value = serde_json::from_str(last).with_context(|| format!("no answer: {text}"))?;
        ensure!(answer["error"].is_null() && answer["result"]["isError"] != true, "{method} failed: {answer}");
        Ok(answer["result"].take())
    }

    fn request(&self, method: &str, parameters: &Value) -> Value {
        let id = self.calls.fetch_add(1, Ordering::Relaxed);
        json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters })
    }

    async fn post(&self, message: &Value) -> Result<reqwest::Response> {
        let mut request =
            self.http.post(&self.url).bearer_auth(&self.key).header("accept", format!("{JSON}, text/event-stream"));
        if !self.session.is_empty() {
            request = request.header(SESSION, &self.session).header("mcp-protocol-version", REVISION);
        }
        Ok(request.json(message).send().await?.error_for_status()?)
    }
}

impl Agent for HttpAgent {
    async fn write(&self, round: usize) -> Result<()> {
        let call = json!({ "name": "todo_write", "arguments": { "todos": list(round) } });
        self.ask("tools/call", &call).await.map(drop)
    }
}

impl Agent for RunningService<RoleClient, ()> {
    async fn write(&self, round: usize) -> Result<()> {
        let arguments = json!({ "todos": list(round) }).as_object().cloned().unwrap_or_default();
        let result = self.call_tool(CallToolRequestParams::new("todo_write").with_arguments(arguments)).await?;
        ensure!(result.is_error != Some(true), "the tool call failed: {result:?}");
        Ok(())
    }
}
