//! The proof before a connection: `GET /prove`, by which the gateway shows that it knows a key before anything is sent to
//! it, and `POST /pair`, by which a one-time code becomes a page's own key.
//!
//! Nothing is remembered between the two: the gateway's nonce says when it was made, under a secret of this process.

use crate::Gateway;
use crate::hosts::Place;
use crate::refusal::{refuse, refuse_with};
use axum::Json;
use axum::extract::{Extension, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use protocol::proof::{Exchange, Pairing, Proven, Secret, Step, Verifier, hex, of_hex};
use protocol::{Caller, Code, Error, Transport};
use serde::Deserialize;
use std::time::{Duration, Instant};

/// Time for which a nonce is good.
const GOOD: Duration = Duration::from_secs(30);

/// Characters of a key's id.
const ID: usize = 64;

/// Bytes of a pairing's body.
pub(crate) const PAIRING: usize = 4096;

/// Makes nonces, and knows its own again.
pub(crate) struct Nonces {
    secret: String,
    begun: Instant,
}

impl Nonces {
    pub(crate) fn new() -> Self {
        let random = || uuid::Uuid::new_v4().simple().to_string();
        Self { secret: random() + &random(), begun: Instant::now() }
    }

    fn at(&self, millis: u64, key: &str, client_nonce: &str) -> String {
        let text = format!("{} {millis} {key} {client_nonce}", self.secret);
        // A nonce is no secret; that it was made here is.
        let sealed = hex(&Secret::of(&text).verifier().client);
        format!("{millis:016x}{}", sealed.chars().take(48).collect::<String>())
    }

    fn now(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn make(&self, key: &str, client_nonce: &str) -> String {
        self.at(self.now(), key, client_nonce)
    }

    /// Returns whether it is of this process, of that key and client, and young enough.
    pub(crate) fn is_good(&self, exchange: &Exchange) -> bool {
        let nonce = &exchange.gateway_nonce;
        let Some(millis) = nonce.get(..16).and_then(|digits| u64::from_str_radix(digits, 16).ok()) else {
            return false;
        };
        let age = self.now().checked_sub(millis).map(Duration::from_millis);
        age.is_some_and(|age| age <= GOOD) && *nonce == self.at(millis, &exchange.key, &exchange.client_nonce)
    }
}

/// The key that somebody means to prove.
#[derive(Deserialize)]
pub(crate) struct Asked {
    key: String,
    nonce: String,
}

/// `GET /prove?key=ID&nonce=NONCE`.
pub(crate) async fn prove(
    State(gateway): State<Gateway>,
    Extension(Place(at)): Extension<Place>,
    Query(asked): Query<Asked>,
) -> Response {
    if asked.key.len() > ID || of_hex(&asked.nonce).is_none() {
        let problem = "\"key\" is a key's id and \"nonce\" has 64 hexadecimal digits";
        return refuse(StatusCode::BAD_REQUEST, Code::InvalidMessage, problem);
    }
    let Some(verifier) = verifier(&gateway, &asked.key) else { return unknown() };
    let nonce = gateway.nonces.make(&asked.key, &asked.nonce);
    let Asked { key, nonce: client_nonce } = asked;
    let exchange = Exchange { key, client_nonce, gateway_nonce: nonce.clone(), at: at.to_string() };
    Json(Proven { nonce, proof: verifier.prove(Step::Before, &exchange) }).into_response()
}

/// The verifier of a key or of a pairing code.
fn verifier(gateway: &Gateway, id: &str) -> Option<Verifier> {
    let of_key = crate::keys::known(&gateway.hub, id).map(|known| known.verifier);
    of_key.or_else(|| gateway.hub.code(id).map(|code| code.verifier))
}

fn unknown() -> Response {
    refuse(StatusCode::UNAUTHORIZED, Code::Unauthorized, protocol::say::door_none_such())
}

/// `POST /pair`.
pub(crate) async fn pair(
    State(gateway): State<Gateway>,
    Extension(Place(at)): Extension<Place>,
    body: axum::body::Bytes,
) -> Response {
    let invalid = |error: Error| refuse_with(StatusCode::BAD_REQUEST, error);
    let pairing: Pairing = match serde_json::from_slice(&body) {
        Ok(pairing) => pairing,
        Err(error) => return invalid(Error::new(Code::InvalidMessage, format!("this is no pairing: {error}"))),
    };
    let own = match Verifier::of_page(&pairing) {
        Ok(own) => own,
        Err(error) => return invalid(error),
    };
    let Pairing { key, client_nonce, gateway_nonce, proof, name, .. } = pairing;
    let exchange = Exchange { key, client_nonce, gateway_nonce, at: at.to_string() };
    let is_proven = gateway.nonces.is_good(&exchange)
        && gateway.hub.code(&exchange.key).is_some_and(|code| code.verifier.is_of_client(&proof, &exchange));
    if !is_proven {
        gateway.hub.code_failed(&exchange.key);
        let nobody = Caller { rights: None, ..Caller::user(Transport::Page, "") };
        gateway.hub.refused(&nobody, "/pair", "a page without a code that is good");
        return unknown();
    }
    gateway.activity.note();
    match gateway.hub.pair(&exchange.key, name, own).await {
        Ok(key) => Json(key).into_response(),
        Err(error) if error.code == Code::Unauthorized => unknown(),
        Err(error) if error.code == Code::InvalidKey => invalid(error),
        Err(error) => refuse_with(StatusCode::INTERNAL_SERVER_ERROR, error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange(nonces: &Nonces, gateway_nonce: Option<&str>) -> Exchange {
        let (key, client_nonce) = ("k".to_owned(), "1".repeat(64));
        let gateway_nonce = gateway_nonce.map_or_else(|| nonces.make(&key, &client_nonce), str::to_owned);
        Exchange { key, client_nonce, gateway_nonce, at: "1".to_owned() }
    }

    #[test]
    fn a_nonce_is_of_this_process_and_of_one_key_and_client() {
        let nonces = Nonces::new();
        let good = exchange(&nonces, None);
        assert!(nonces.is_good(&good));
        assert!(!nonces.is_good(&Exchange { key: "l".to_owned(), ..good.clone() }));
        assert!(!nonces.is_good(&Exchange { client_nonce: "2".repeat(64), ..good.clone() }));
        assert!(!Nonces::new().is_good(&good), "that of another process");
        for odd in ["", "é", &"0".repeat(64), &"f".repeat(64), &"é".repeat(32)] {
            assert!(!nonces.is_good(&exchange(&nonces, Some(odd))), "{odd}");
        }
        let early = nonces.at(nonces.now() + 60_000, "k", &"1".repeat(64));
        assert!(!nonces.is_good(&exchange(&nonces, Some(&early))), "made later than now");
    }

    #[test]
    fn a_nonce_is_good_for_a_while() {
        let nonces = Nonces { secret: "s".to_owned(), begun: Instant::now() - GOOD - Duration::from_secs(1) };
        assert!(!nonces.is_good(&exchange(&nonces, Some(&nonces.at(0, "k", &"1".repeat(64))))));
        assert!(nonces.is_good(&exchange(&nonces, Some(&nonces.at(5_000, "k", &"1".repeat(64))))));
    }
}
