//! Models against sockets: what providers send, and everything that goes wrong between them and us.

mod answers;
mod faults;
mod keys;
mod peer;

use super::{Chunk, KeyFrom, Keys, Kind, Limits, ModelError, Models, Provider, Request};
use futures_util::StreamExt;
use peer::Peer;
use std::sync::Arc;
use std::time::Duration;

const KEY: &str = "sk-secret-0123456789";

/// Short waits before a retry, and a limit of silence that is longer than any test.
const LIMITS: Limits =
    Limits { tries: 4, wait: Duration::from_millis(1), silence: Duration::from_secs(60), bytes: 4 * 1024 * 1024 };

fn keys(folder: &std::path::Path, variables: &'static [(&'static str, &'static str)]) -> Arc<Keys> {
    let environment =
        move |name: &str| variables.iter().find(|(it, _)| *it == name).map(|(_, value)| (*value).to_owned());
    Arc::new(Keys::new(Arc::new(environment), Arc::new(secrets::Store::with_keyring(folder, None))))
}

fn provider(kind: Kind, endpoint: &str) -> Provider {
    let mut peer = Provider {
        name: "peer".to_owned(),
        kind,
        endpoint: Some(endpoint.to_owned()),
        key: KeyFrom::Usual,
        environment: None,
    };
    peer.environment = peer.origin();
    peer
}

/// Models with one provider, `peer`, at this address, and its key in the environment.
fn models(kind: Kind, endpoint: &str) -> Models {
    let keys = keys(std::path::Path::new("/nonexistent"), &[("PEER_API_KEY", KEY)]);
    Models::new(vec![provider(kind, endpoint)], keys).with_limits(LIMITS)
}

/// All of an answer.
async fn answer(models: &Models, request: Request) -> Vec<Result<Chunk, ModelError>> {
    models.model("peer:some-model").expect("the provider is there").stream(request).collect().await
}

async fn asked(kind: Kind, peer: &Peer) -> Vec<Result<Chunk, ModelError>> {
    answer(&models(kind, &peer.endpoint()), hello()).await
}

fn hello() -> Request {
    Request { messages: vec![super::Message::User("Hello".to_owned())], ..Request::default() }
}

fn text(chunks: &[Result<Chunk, ModelError>]) -> String {
    let text = |chunk: &Result<Chunk, ModelError>| match chunk {
        Ok(Chunk::Text(text)) => Some(text.clone()),
        _ => None,
    };
    chunks.iter().filter_map(text).collect()
}

fn retries(chunks: &[Result<Chunk, ModelError>]) -> Vec<(u32, u32, Duration)> {
    let retry = |chunk: &Result<Chunk, ModelError>| match chunk {
        Ok(Chunk::Retrying { attempt, of, wait, .. }) => Some((*attempt, *of, *wait)),
        _ => None,
    };
    chunks.iter().filter_map(retry).collect()
}

fn error(chunks: &[Result<Chunk, ModelError>]) -> &ModelError {
    match chunks.last() {
        Some(Err(error)) => error,
        other => panic!("an error should be last, not {other:?}"),
    }
}
