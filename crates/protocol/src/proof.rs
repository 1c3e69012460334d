//! The verifier of a key, and the proofs by which the two sides of a connection show that they know the key without
//! sending it.
//!
//! As in SCRAM (RFC 5802): two keys are derived from the secret by HMAC-SHA-256. The gateway keeps the hash of the one, by
//! which it verifies, and the other, by which it proves itself; neither is enough to come in with. The gateway proves
//! itself first, over both nonces and the place at which it is asked, so that whoever squats on a port learns nothing and
//! can relay nothing.

use crate::{Code, Error, Result};
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// The subprotocol in which a WebSocket offers its proof: `proof.KEY.CLIENT-NONCE.GATEWAY-NONCE.PROOF`.
pub const PROOF_PROTOCOL: &str = "proof.";

/// The type of the first message on a WebSocket that was opened by a proof: the gateway proves that it is still there.
pub const PROVED: &str = "proved";

/// Bytes of a key's derived keys, of nonces and of proofs.
const BYTES: usize = 32;

type Bytes = [u8; BYTES];

/// The part of a key that a gateway keeps.
#[derive(Clone, PartialEq, Eq)]
pub struct Verifier {
    /// Hash of the key that a client shows.
    pub client: Bytes,
    /// The key by which the gateway proves itself.
    pub gateway: Bytes,
}

/// A secret, as the client that has it uses it.
#[derive(Clone)]
pub struct Secret {
    client: Bytes,
    gateway: Bytes,
}

/// The gateway's answer to `GET /prove?key=ID&nonce=NONCE`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Proven {
    /// The gateway's nonce, which is good for half a minute.
    pub nonce: String,
    /// The gateway's proof.
    pub proof: String,
}

/// Body of `POST /pair`: a code is used up for a page's own key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pairing {
    /// Id of the code.
    pub key: String,
    /// The client's nonce, 64 hexadecimal digits.
    pub client_nonce: String,
    /// The gateway's nonce.
    pub gateway_nonce: String,
    /// The client's proof that it has the code.
    pub proof: String,
    /// Name for people: `Firefox on Linux`.
    pub name: String,
    /// [`Verifier::client`] of the page's own key, in hexadecimal digits.
    pub client: String,
    /// [`Verifier::gateway`] of the page's own key, in hexadecimal digits.
    pub gateway: String,
}

/// A proof of the gateway's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Before the client has proved anything.
    Before,
    /// On the connection that the client's proof has opened.
    Opened,
}

impl Step {
    fn role(self) -> &'static str {
        match self {
            Self::Before => "gateway",
            Self::Opened => "opened",
        }
    }
}

/// The key, nonces and place over which both sides prove that they know the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// Id of the key.
    pub key: String,
    /// The client's nonce.
    pub client_nonce: String,
    /// The gateway's nonce.
    pub gateway_nonce: String,
    /// The place at which the client asks: the gateway's port on this machine, an origin (`https://host`) beyond it.
    pub at: String,
}

impl Exchange {
    /// The subprotocol that offers a client's proof.
    #[must_use]
    pub fn offer(&self, proof: &str) -> String {
        format!("{PROOF_PROTOCOL}{}.{}.{}.{proof}", self.key, self.client_nonce, self.gateway_nonce)
    }

    /// Reads such an offer: the exchange and the proof.
    #[must_use]
    pub fn offered(offer: &str, at: String) -> Option<(Self, String)> {
        let parts: Vec<&str> = offer.strip_prefix(PROOF_PROTOCOL)?.split('.').collect();
        let [key, client_nonce, gateway_nonce, proof] = parts.try_into().ok()?;
        let exchange = Self {
            key: key.to_owned(),
            client_nonce: client_nonce.to_owned(),
            gateway_nonce: gateway_nonce.to_owned(),
            at,
        };
        Some((exchange, proof.to_owned()))
    }

    fn text(&self, role: &str) -> String {
        let Self { key, client_nonce, gateway_nonce, at } = self;
        format!("sightline {role} {key} {client_nonce} {gateway_nonce} {at}")
    }
}

fn hmac(key: &[u8], text: &str) -> Bytes {
    let mac = Hmac::<Sha256>::new_from_slice(key).map(|mac| mac.chain_update(text.as_bytes()).finalize().into_bytes());
    // HMAC takes a key of any length.
    mac.map(Into::into).unwrap_or_default()
}

fn hash(bytes: &[u8]) -> Bytes {
    Sha256::digest(bytes).into()
}

impl Secret {
    /// Id of the key in a secret's text, `ID.REST`; `None` for one of an earlier build.
    #[must_use]
    pub fn id(text: &str) -> Option<&str> {
        text.split_once('.').map(|(id, _)| id)
    }

    /// The secret of that text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self { client: hmac(text.as_bytes(), "client"), gateway: hmac(text.as_bytes(), "gateway") }
    }

    /// Returns the part that a gateway keeps.
    #[must_use]
    pub fn verifier(&self) -> Verifier {
        Verifier { client: hash(&self.client), gateway: self.gateway }
    }

    /// Returns whether the gateway knows the key, in its answer or in the first message.
    #[must_use]
    pub fn is_of_gateway(&self, step: Step, proof: &str, exchange: &Exchange) -> bool {
        let expected = hmac(&self.gateway, &exchange.text(step.role()));
        of_hex(proof).is_some_and(|proof| bool::from(proof.ct_eq(&expected)))
    }

    /// The client's proof.
    #[must_use]
    pub fn prove(&self, exchange: &Exchange) -> String {
        let mask = hmac(&self.verifier().client, &exchange.text("client"));
        hex(&masked(self.client, mask))
    }
}

impl Verifier {
    /// The verifier of a page, as the page sends it.
    ///
    /// # Errors
    /// `INVALID_MESSAGE` where it is no 32 bytes in hexadecimal digits.
    pub fn of_page(page: &Pairing) -> Result<Self> {
        let read = |text: &str| {
            of_hex(text).ok_or_else(|| Error::new(Code::InvalidMessage, "a verifier is 64 hexadecimal digits"))
        };
        Ok(Self { client: read(&page.client)?, gateway: read(&page.gateway)? })
    }

    /// Returns whether it is of that secret, in constant time.
    #[must_use]
    pub fn is_of(&self, secret: &Secret) -> bool {
        self.client.ct_eq(&hash(&secret.client)).into()
    }

    /// The gateway's proof.
    #[must_use]
    pub fn prove(&self, step: Step, exchange: &Exchange) -> String {
        hex(&hmac(&self.gateway, &exchange.text(step.role())))
    }

    /// Returns whether the client knows the secret.
    #[must_use]
    pub fn is_of_client(&self, proof: &str, exchange: &Exchange) -> bool {
        let mask = hmac(&self.client, &exchange.text("client"));
        of_hex(proof).is_some_and(|proof| bool::from(hash(&masked(proof, mask)).ct_eq(&self.client)))
    }
}

fn masked(mut bytes: Bytes, mask: Bytes) -> Bytes {
    bytes.iter_mut().zip(mask).for_each(|(byte, mask)| *byte ^= mask);
    bytes
}

/// Hexadecimal digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Reads 32 bytes in hexadecimal digits.
#[must_use]
pub fn of_hex(text: &str) -> Option<Bytes> {
    let digits = text.as_bytes();
    if digits.len() != 2 * BYTES || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let mut bytes = [0; BYTES];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange() -> Exchange {
        let nonce = |digit: &str| digit.repeat(64);
        Exchange { key: "k".to_owned(), client_nonce: nonce("1"), gateway_nonce: nonce("2"), at: "3271".to_owned() }
    }

    #[test]
    fn both_sides_prove_what_they_know() {
        let secret = Secret::of("secret");
        let verifier = secret.verifier();
        assert!(verifier.is_of(&secret) && !verifier.is_of(&Secret::of("another")));
        assert!(secret.is_of_gateway(Step::Before, &verifier.prove(Step::Before, &exchange()), &exchange()));
        assert!(verifier.is_of_client(&secret.prove(&exchange()), &exchange()));
    }

    #[test]
    fn a_proof_is_of_one_exchange_and_one_role() {
        let (secret, another) = (Secret::of("secret"), Secret::of("another"));
        let verifier = secret.verifier();
        let others = [
            Exchange { key: "l".to_owned(), ..exchange() },
            Exchange { client_nonce: "3".repeat(64), ..exchange() },
            Exchange { gateway_nonce: "3".repeat(64), ..exchange() },
            Exchange { at: "3272".to_owned(), ..exchange() },
            Exchange { at: "https://box.example:3271".to_owned(), ..exchange() },
        ];
        for other in others {
            assert!(
                !secret.is_of_gateway(Step::Before, &verifier.prove(Step::Before, &other), &exchange()),
                "{other:?}"
            );
            assert!(!verifier.is_of_client(&secret.prove(&other), &exchange()), "{other:?}");
        }
        let by_another = another.verifier().prove(Step::Before, &exchange());
        assert!(!secret.is_of_gateway(Step::Before, &by_another, &exchange()));
        let before = verifier.prove(Step::Before, &exchange());
        assert!(!secret.is_of_gateway(Step::Opened, &before, &exchange()));
        assert!(!verifier.is_of_client(&another.prove(&exchange()), &exchange()));
        // The gateway's own proof, sent back.
        for step in [Step::Before, Step::Opened] {
            assert!(!verifier.is_of_client(&verifier.prove(step, &exchange()), &exchange()));
        }
    }

    #[test]
    fn a_stolen_verifier_proves_nothing_to_the_gateway() {
        let verifier = Secret::of("secret").verifier();
        for stolen in [verifier.client, verifier.gateway] {
            let mask = hmac(&verifier.client, &exchange().text("client"));
            assert!(!verifier.is_of_client(&hex(&masked(stolen, mask)), &exchange()));
        }
    }

    #[test]
    fn an_offer_is_read_as_it_was_made() {
        let offer = exchange().offer("p");
        assert_eq!(Exchange::offered(&offer, "3271".to_owned()), Some((exchange(), "p".to_owned())));
        for odd in ["", "proof.", "proof.a.b.c", "proof.a.b.c.d.e", "token.a.b.c.d"] {
            assert_eq!(Exchange::offered(odd, "1".to_owned()), None, "{odd}");
        }
    }

    #[test]
    fn what_is_no_proof_is_none() {
        let verifier = Secret::of("secret").verifier();
        for proof in ["", "00", "zz", &"g".repeat(64), &"0".repeat(65), &"é".repeat(32), &"+f".repeat(32)] {
            assert!(!verifier.is_of_client(proof, &exchange()), "{proof}");
            assert!(of_hex(proof).is_none(), "{proof}");
        }
    }
}
