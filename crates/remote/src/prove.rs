//! The proof on the way to a gateway over TCP: whoever listens there shows first that it knows the key, and the key itself
//! is never sent.

use crate::connect::port;
use crate::{Address, get, unavailable};
use protocol::proof::{Exchange, PROVED, Proven, Secret, Step};
use protocol::{Code, Error, Result, say};
use serde_json::Value;
use std::time::Duration;
use tokio::time::timeout;

/// Time for the gateway's proof.
const PROVING: Duration = Duration::from_secs(5);

/// An exchange in which the gateway has proved itself.
pub(crate) struct Proof {
    secret: Secret,
    exchange: Exchange,
}

impl Proof {
    /// Asks the gateway for its proof.
    pub(crate) async fn ask(address: &Address, key: &str) -> Result<Self> {
        let no_key = || Error::new(Code::Unauthorized, say::remote_key_form());
        let id = Secret::id(key).filter(|id| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        let id = id.ok_or_else(no_key)?;
        let at = place(address)?;
        let client_nonce = format!("{}{}", uuid::Uuid::new_v4().simple(), uuid::Uuid::new_v4().simple());
        let path = format!("/prove?key={id}&nonce={client_nonce}");
        let body =
            timeout(PROVING, get(address, &path)).await.map_err(|_| unavailable(say::remote_silent(address)))??;
        if let Ok(refusal) = serde_json::from_str::<Error>(&body) {
            return Err(refusal);
        }
        let proven: Proven = serde_json::from_str(&body).map_err(|error| {
            tracing::debug!(%error, "no proof");
            unproven(address)
        })?;
        let secret = Secret::of(key);
        let exchange = Exchange { key: id.to_owned(), client_nonce, gateway_nonce: proven.nonce, at };
        if !secret.is_of_gateway(Step::Before, &proven.proof, &exchange) {
            return Err(unproven(address));
        }
        Ok(Self { secret, exchange })
    }

    /// The subprotocol with our own proof.
    pub(crate) fn offer(&self) -> String {
        self.exchange.offer(&self.secret.prove(&self.exchange))
    }

    /// Returns whether the first message on the connection is of the same gateway.
    pub(crate) fn is_of(&self, text: &str) -> bool {
        let first: Value = serde_json::from_str(text).unwrap_or_default();
        let proof = first["proof"].as_str().unwrap_or_default();
        first["type"] == PROVED && self.secret.is_of_gateway(Step::Opened, proof, &self.exchange)
    }
}

/// The place at which the gateway is asked: its port on this machine, its origin beyond it.
fn place(address: &Address) -> Result<String> {
    let uri = address.uri()?;
    let host = uri.authority().and_then(|authority| protocol::public_host(authority.as_str()));
    match (uri.scheme_str(), host) {
        (Some("wss"), Some(host)) => Ok(format!("https://{host}")),
        _ => Ok(port(&uri).to_string()),
    }
}

/// The error where a proof is missing or wrong.
pub(crate) fn unproven(address: &Address) -> Error {
    Error::new(Code::Forbidden, say::remote_unproven(address))
}
