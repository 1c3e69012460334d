//! The two keys, and the checks against web pages of other origins.
//!
//! The user's key opens everything; the agents' key opens `/mcp` and `/hooks` only, so that no agent edits as the user. A web
//! page elsewhere reaches a loopback port with the user's browser, so `Host` and `Origin` are checked on every
//! request, the page's included.

use crate::Gateway;
use crate::refusal::refuse;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::Response;
use protocol::Code;
use subtle::ConstantTimeEq;

/// The subprotocol that a browser's WebSocket offers its key in: `token.KEY`.
const SUBPROTOCOL_KEY: &str = "token.";

/// Names of this computer, for `Host` and `Origin`.
const LOOPBACK: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// The two keys of a data folder.
#[derive(Clone)]
pub struct Keys {
    /// Opens everything.
    pub user: String,
    /// Opens `/mcp` and `/hooks`.
    pub agents: String,
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Keys")
    }
}

/// The holder of the key that came with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holder {
    User,
    Agent,
    Nobody,
    Unknown,
}

impl Keys {
    fn holder(&self, key: Option<&str>) -> Holder {
        let same = |own: &str, key: &str| bool::from(own.as_bytes().ct_eq(key.as_bytes()));
        match key {
            None => Holder::Nobody,
            Some(key) if same(&self.user, key) => Holder::User,
            Some(key) if same(&self.agents, key) => Holder::Agent,
            Some(_) => Holder::Unknown,
        }
    }
}

/// Lets a request through, or refuses it with the reason.
pub(crate) async fn check(State(gateway): State<Gateway>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let host = request.uri().authority().map(ToString::to_string).or_else(|| text(headers, header::HOST));
    if !host.as_deref().is_some_and(|host| is_here(host, gateway.port)) {
        return refuse(
            StatusCode::FORBIDDEN,
            Code::Forbidden,
            format!("this gateway answers to http://127.0.0.1:{} only; use that address", gateway.port),
        );
    }
    if let Some(origin) = text(headers, header::ORIGIN)
        && !origin.strip_prefix("http://").is_some_and(|host| is_here(host, gateway.port))
    {
        return refuse(
            StatusCode::FORBIDDEN,
            Code::Forbidden,
            "web pages of other origins may not use this gateway; open its own page instead",
        );
    }
    let path = request.uri().path();
    let for_agents = path == "/mcp" || path.starts_with("/mcp/") || path.starts_with("/hooks/");
    let guarded = path == "/gateway" || for_agents;
    if !guarded {
        return next.run(request).await;
    }
    gateway.activity.note();
    match gateway.keys.holder(key(headers, request.uri()).as_deref()) {
        Holder::User => next.run(request).await,
        Holder::Agent if for_agents => next.run(request).await,
        Holder::Agent => refuse(
            StatusCode::FORBIDDEN,
            Code::Unauthorized,
            "the agents' token opens /mcp and /hooks only; /gateway needs the user's token (\"token\" in runtime.json of the data folder)",
        ),
        Holder::Nobody => refuse(
            StatusCode::UNAUTHORIZED,
            Code::Unauthorized,
            "a token is needed: send \"Authorization: Bearer TOKEN\" or ?token=TOKEN; it is in runtime.json of the data folder",
        ),
        Holder::Unknown => refuse(
            StatusCode::UNAUTHORIZED,
            Code::Unauthorized,
            "this token is not one of this gateway's; the right one is in runtime.json of its data folder",
        ),
    }
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// Returns whether `host` (with or without a port) names this gateway.
fn is_here(host: &str, port: u16) -> bool {
    let own = format!(":{port}");
    let name = host.strip_suffix(&own).unwrap_or(host);
    LOOPBACK.iter().any(|loopback| name.eq_ignore_ascii_case(loopback))
}

/// Finds the key of a request: in its `Authorization`, its query, or among its subprotocols.
fn key(headers: &HeaderMap, uri: &Uri) -> Option<String> {
    if let Some(authorization) = text(headers, header::AUTHORIZATION) {
        return Some(authorization.strip_prefix("Bearer ").unwrap_or_default().trim().to_owned());
    }
    let query = uri.query().unwrap_or_default();
    if let Some(key) = query.split('&').find_map(|pair| pair.strip_prefix("token=")) {
        return Some(key.to_owned());
    }
    let offered = text(headers, header::SEC_WEBSOCKET_PROTOCOL)?;
    offered.split(',').find_map(|one| one.trim().strip_prefix(SUBPROTOCOL_KEY).map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_here() {
        for host in ["127.0.0.1:3271", "localhost:3271", "LOCALHOST:3271", "[::1]:3271", "127.0.0.1"] {
            assert!(is_here(host, 3271), "{host}");
        }
        for host in
            ["example.com", "example.com:3271", "127.0.0.1:3272", "127.0.0.1.example.com:3271", "localhost.:3271", ""]
        {
            assert!(!is_here(host, 3271), "{host}");
        }
    }

    #[test]
    fn each_key_opens_its_own() {
        let keys = Keys { user: "u".repeat(32), agents: "a".repeat(32) };
        assert_eq!(keys.holder(Some(&keys.user)), Holder::User);
        assert_eq!(keys.holder(Some(&keys.agents)), Holder::Agent);
        assert_eq!(keys.holder(Some("")), Holder::Unknown);
        assert_eq!(keys.holder(None), Holder::Nobody);
    }
}
