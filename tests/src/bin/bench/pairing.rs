//! The pairing of a page with a gateway. The first page of a data folder is trusted to administer.

use anyhow::{Context, Result};
use protocol::proof::{Exchange, Pairing, Proven, Secret, hex};
use rand::Rng;

/// Pairs by the address that `serve` prints, and returns the page's secret, which also works as a bearer's.
pub(crate) async fn paired(page: &str) -> Result<String> {
    let (address, code) = page.split_once("/#pair=").context("the address of the page has a code")?;
    let (_, at) = address.rsplit_once(':').context("the address has a port")?;
    let key = Secret::id(code).context("a code has an id")?;
    let (client_nonce, own) = (hex(&rand::rng().random::<[u8; 32]>()), hex(&rand::rng().random::<[u8; 32]>()));
    let client = reqwest::Client::new();
    let asked = client.get(format!("{address}/prove?key={key}&nonce={client_nonce}")).send().await?;
    let proven: Proven = asked.error_for_status()?.json().await?;
    let exchange = Exchange { key: key.to_owned(), client_nonce, gateway_nonce: proven.nonce, at: at.to_owned() };
    let (proof, verifier) = (Secret::of(code).prove(&exchange), Secret::of(&own).verifier());
    let Exchange { key, client_nonce, gateway_nonce, .. } = exchange;
    let pairing = Pairing {
        key,
        client_nonce,
        gateway_nonce,
        proof,
        name: "bench".to_owned(),
        client: hex(&verifier.client),
        gateway: hex(&verifier.gateway),
    };
    client.post(format!("{address}/pair")).json(&pairing).send().await?.error_for_status()?;
    Ok(own)
}
