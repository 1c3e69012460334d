//! Properties of all messages, checked by `fuzz/` with inputs of libFuzzer.

use crate::{Event, Reply, Request};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A fuzz target: its name and its function.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: [Target; 2] = [("request", request), ("answer", answer)];

/// Reads a message of a client; one that is accepted is sent on as it was read.
pub fn request(bytes: &[u8]) {
    let Ok(message) = serde_json::from_slice::<Value>(bytes) else { return };
    let Some(kind) = message["type"].as_str().map(str::to_owned) else { return };
    // A refused message only has to be refused with words.
    if let Ok(request) = Request::read(&kind, message) {
        assert_eq!(request.kind(), kind);
        goes_on(&request, |written| Request::read(&kind, written).ok());
    }
}

/// Reads a message of a gateway: an answer or an event.
pub fn answer(bytes: &[u8]) {
    let Ok(message) = serde_json::from_slice::<Value>(bytes) else { return };
    if let Ok(reply) = serde_json::from_value::<Reply>(message.clone()) {
        goes_on(&reply, read);
    }
    if let Ok(event) = serde_json::from_value::<Event>(message) {
        goes_on(&event, read);
    }
}

fn read<T: DeserializeOwned>(written: Value) -> Option<T> {
    serde_json::from_value(written).ok()
}

/// Checks that a message can be read after it was written, and is then written in the same way.
fn goes_on<T: Serialize>(message: &T, read: impl Fn(Value) -> Option<T>) {
    let written = serde_json::to_value(message).unwrap_or_default();
    let again = read(written.clone());
    assert!(again.is_some(), "what was written cannot be read: {written}");
    assert_eq!(serde_json::to_value(again).unwrap_or_default(), written);
}
