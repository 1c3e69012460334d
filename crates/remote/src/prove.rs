//! The proof on the way to a gateway over TCP: whoever listens there shows first that it knows the key, and the key itself
//! is never sent.

use crate::{Address, get, unavailable};
use protocol::proof::{Exchange, PROVED, Proven, Secret, Step};
use protocol::{Code, Error, Result};
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
        let no_key = || {
            let problem = "this is no key that can be proved; `sightline key new NAME --rights edit` makes one";
            Error::new(Code::Unauthorized, problem)
        };
        let id = Secret::id(key).filter(|id| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        let id = id.ok_or_else(no_key)?;
        let port = address.uri()?.port_u16().unwrap_or(80);
        let client_nonce = format!("{}{}", uuid::Uuid::new_v4().simple(), uuid::Uuid::new_v4().simple());
        let path = format!("/prove?key={id}&nonce={client_nonce}");
        let body = timeout(PROVING, get(address, &path))
            .await
            .map_err(|_| unavailable(format!("the gateway at {address} does not answer")))??;
        if let Ok(refusal) = serde_json::from_str::<Error>(&body) {
            return Err(refusal);
        }
        let proven: Proven = serde_json::from_str(&body).map_err(|error| {
            tracing::debug!(%error, "no proof");
            unproven(address)
        })?;
        let secret = Secret::of(key);
        let exchange = Exchange { key: id.to_owned(), client_nonce, gateway_nonce: proven.nonce, port };
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

/// The error where a proof is missing or wrong.
pub(crate) fn unproven(address: &Address) -> Error {
    let problem = format!(
        "whatever answers at {address} is not the gateway that this key is of; nothing was sent to it. Look at which \
         program has that port"
    );
    Error::new(Code::Forbidden, problem)
}
