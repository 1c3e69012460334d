//! What has to hold for whatever comes over a wire; `fuzz/` calls it with what libFuzzer makes up.

use crate::{Event, Reply, Request};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A fuzz target: what it is called, and what it calls.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: [Target; 2] = [("request", request), ("answer", answer)];

/// A message that a client sends: what is taken is sent on as it was taken.
pub fn request(bytes: &[u8]) {
    let Ok(message) = serde_json::from_slice::<Value>(bytes) else { return };
    let Some(kind) = message["type"].as_str().map(str::to_owned) else { return };
    // What is refused is refused with words; more is not asked.
    if let Ok(request) = Request::read(&kind, message) {
        assert_eq!(request.kind(), kind);
        goes_on(&request, |written| Request::read(&kind, written).ok());
    }
}

/// A message that a gateway sends: an answer or an event.
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

/// What is written can be read, and is then written in the same way.
fn goes_on<T: Serialize>(message: &T, read: impl Fn(Value) -> Option<T>) {
    let written = serde_json::to_value(message).unwrap_or_default();
    let again = read(written.clone());
    assert!(again.is_some(), "what was written cannot be read: {written}");
    assert_eq!(serde_json::to_value(again).unwrap_or_default(), written);
}
