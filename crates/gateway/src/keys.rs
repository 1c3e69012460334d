//! The door: who comes in, with which rights, and the checks against web pages of other origins.
//!
//! A connection of the private socket is this user's, by the word of the system: it may look and edit. Everybody else
//! shows a key, or proves one. A web page elsewhere reaches a loopback port with the user's browser, so `Host` and
//! `Origin` are checked on every request of the port, the page's included.

use crate::Gateway;
use crate::accept::Connection;
use crate::hosts::Place;
use crate::rate;
use crate::refusal::refuse;
use crate::visits::WayIn;
use axum::extract::{Extension, Request, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::Response;
use hub::{Hub, KnownKey};
use protocol::proof::{Exchange, PROOF_PROTOCOL, Secret, Step};
use protocol::{Caller, Code, Rights, Transport, say};
use std::borrow::Cow;
use std::time::Duration;

/// The subprotocol that a browser's WebSocket offers its key in: `token.KEY`.
const SUBPROTOCOL_KEY: &str = "token.";

/// Time between two looks at whether a key has ended by itself.
const LOOK: Duration = Duration::from_secs(20);

/// The one who was let in.
#[derive(Clone)]
pub(crate) struct Visitor {
    /// The key that let them in; none over the private socket.
    pub(crate) known: Option<KnownKey>,
    /// The gateway's proof for the first message, where the key was proved and not shown.
    pub(crate) proof: Option<String>,
}

impl Visitor {
    /// Rights of a person; none for an agent.
    pub(crate) fn rights(&self) -> Option<Rights> {
        match &self.known {
            None => Some(Rights::Edit),
            Some(known) => known.key.rights,
        }
    }

    /// Id of the key.
    pub(crate) fn key(&self) -> Option<String> {
        self.known.as_ref().map(|known| known.key.key_id.clone())
    }

    /// A caller with their rights and their key.
    pub(crate) fn as_caller(&self, caller: Caller) -> Caller {
        Caller { rights: self.rights(), key: self.key(), ..caller }
    }

    /// The visitor as their key is now; `None` once it was revoked or renewed, or has ended by itself.
    pub(crate) fn now(&self, hub: &Hub) -> Option<Self> {
        let Some(before) = &self.known else { return Some(self.clone()) };
        let known = known(hub, &before.key.key_id).filter(|known| known.verifier == before.verifier)?;
        Some(Self { known: Some(known), ..self.clone() })
    }

    /// Waits until their key has ended.
    pub(crate) async fn ended(self, hub: Hub) {
        let mut keys = hub.keys();
        while self.now(&hub).is_some() {
            tokio::select! {
                changed = keys.changed() => if changed.is_err() { return },
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    }
}

/// The valid key of that id.
pub(crate) fn known(hub: &Hub, id: &str) -> Option<KnownKey> {
    let keys = hub.keys().borrow().clone();
    let now = hub.time();
    keys.iter().find(|known| known.key.key_id == id && known.is_valid(now)).cloned()
}

/// The valid key of a secret. Every key is compared, whether one was found or not.
fn shown(hub: &Hub, secret: &str) -> Option<KnownKey> {
    let (secret, keys, now) = (Secret::of(secret), hub.keys().borrow().clone(), hub.time());
    let meant = keys.iter().filter(|known| known.verifier.is_of(&secret) && known.is_valid(now));
    meant.fold(None, |_, known| Some(known.clone()))
}

/// The way in which a request says who it is from.
enum Presented {
    Nothing,
    Secret(String),
    Proof(Exchange, String),
}

/// Lets a request of a connection through that does not send too many, or refuses it with the reason.
pub(crate) async fn check_within_rate(
    gateway: State<Gateway>,
    Extension(connection): Extension<Connection>,
    request: Request,
    next: Next,
) -> Response {
    match connection.rate.check() {
        Ok(()) => check(gateway, Extension(connection), request, next).await,
        Err(exceeded) => rate::refusal(exceeded),
    }
}

/// Lets a request through, or refuses it with the reason.
pub(crate) async fn check(
    State(gateway): State<Gateway>,
    Extension(Connection { visit, .. }): Extension<Connection>,
    mut request: Request,
    next: Next,
) -> Response {
    let headers = request.headers();
    // No web page reaches the private socket.
    let is_private = visit.way() == WayIn::Private;
    let authority = request.uri().authority().map(|authority| Cow::Borrowed(authority.as_str()));
    let place = match authority.or_else(|| text(headers, header::HOST)) {
        _ if is_private => Some(gateway.hosts.here.clone()),
        Some(host) => gateway.hosts.place(&host, &gateway.hub),
        None => None,
    };
    let Some(place) = place else {
        let problem = format!(
            "this gateway answers to http://127.0.0.1:{} only, and to the hosts that Settings or `sightline serve \
             --public-host NAME` name; use such an address",
            gateway.port
        );
        return refuse(StatusCode::FORBIDDEN, Code::Forbidden, problem);
    };
    if let Some(origin) = text(headers, header::ORIGIN)
        && !gateway.hosts.is_own_page(&origin, &place)
    {
        return refuse(
            StatusCode::FORBIDDEN,
            Code::Forbidden,
            "web pages of other origins may not use this gateway; open its own page instead",
        );
    }
    request.extensions_mut().insert(place.clone());
    let headers = request.headers();
    let path = request.uri().path();
    let for_agents = path == "/mcp" || path.starts_with("/mcp/") || path.starts_with("/hooks/");
    let guarded = path == "/gateway" || for_agents;
    let way = if path.starts_with("/mcp") { "/mcp" } else { "/hooks" };
    let way = if for_agents { way } else { "/gateway" };
    if !guarded {
        return next.run(request).await;
    }
    gateway.activity.note();
    let visitor = match presented(headers, request.uri(), place) {
        Presented::Nothing if is_private => Ok(Visitor { known: None, proof: None }),
        Presented::Nothing => Err(say::door_key_needed()),
        Presented::Secret(secret) => shown(&gateway.hub, &secret)
            .map(|known| Visitor { known: Some(known), proof: None })
            .ok_or_else(say::door_key_unknown),
        Presented::Proof(exchange, proof) => proven(&gateway, &exchange, &proof).ok_or_else(say::door_proof_unknown),
    };
    let visitor = match visitor {
        Ok(visitor) => visitor,
        Err(problem) => {
            let nobody = Caller { rights: None, ..Caller::user(Transport::Websocket, "") };
            gateway.hub.refused(&nobody, way, &format!("{path}: no key, or one that is not valid"));
            return refuse(StatusCode::UNAUTHORIZED, Code::Unauthorized, problem);
        }
    };
    let beyond = match (for_agents, visitor.rights()) {
        (false, None) => Some(say::door_key_of_agent()),
        (true, Some(Rights::Look)) => Some(say::door_key_may_look()),
        _ => None,
    };
    if let Some(problem) = beyond {
        let caller = visitor.as_caller(Caller::user(Transport::Websocket, ""));
        gateway.hub.refused(&caller, way, &format!("{path}: not with this key"));
        return refuse(StatusCode::FORBIDDEN, Code::Unauthorized, problem);
    }
    if let Some(known) = &visitor.known {
        if let Err(full) = visit.admit(&known.key.key_id, known.key.rights.is_none()) {
            return refuse(StatusCode::SERVICE_UNAVAILABLE, full.code, full.message);
        }
        let caller = || visitor.as_caller(Caller::user(Transport::Websocket, ""));
        gateway.hub.key_used(&known.key.key_id, caller, path);
    }
    request.extensions_mut().insert(visitor);
    next.run(request).await
}

/// The one whose key was proved.
fn proven(gateway: &Gateway, exchange: &Exchange, proof: &str) -> Option<Visitor> {
    let known = known(&gateway.hub, &exchange.key)?;
    if !gateway.nonces.is_good(exchange) || !known.verifier.is_of_client(proof, exchange) {
        return None;
    }
    let proof = known.verifier.prove(Step::Opened, exchange);
    Some(Visitor { known: Some(known), proof: Some(proof) })
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<Cow<'_, str>> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()))
}

/// Finds the key of a request in its `Authorization` or its query, or the key or a proof among its subprotocols.
fn presented(headers: &HeaderMap, uri: &Uri, Place(at): Place) -> Presented {
    if let Some(authorization) = text(headers, header::AUTHORIZATION) {
        return Presented::Secret(authorization.strip_prefix("Bearer ").unwrap_or_default().trim().to_owned());
    }
    let query = uri.query().unwrap_or_default();
    if let Some(key) = query.split('&').find_map(|pair| pair.strip_prefix("token=")) {
        return Presented::Secret(key.to_owned());
    }
    let offered = text(headers, header::SEC_WEBSOCKET_PROTOCOL).unwrap_or_default();
    let mut offered = offered.split(',').map(str::trim);
    let is_ours = |one: &&str| one.starts_with(SUBPROTOCOL_KEY) || one.starts_with(PROOF_PROTOCOL);
    let Some(one) = offered.find(is_ours) else { return Presented::Nothing };
    match (one.strip_prefix(SUBPROTOCOL_KEY), Exchange::offered(one, at.to_string())) {
        (Some(key), _) => Presented::Secret(key.to_owned()),
        (None, Some((exchange, proof))) => Presented::Proof(exchange, proof),
        (None, None) => Presented::Secret(String::new()),
    }
}
