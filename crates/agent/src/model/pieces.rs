//! The parts of OpenAI's protocol that genai does not read: tool calls, put together from the pieces in a stream, and the
//! cost of an answer.
//!
//! genai itself would make room for any index that a server names, and copy all arguments for each piece; so the frames are
//! read here as they come in.

use super::{Call, Cut, wire};
use genai::chat::{ChatFrameSink, FrameCtx, RawFrameRef};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Reads the frames of a stream.
#[derive(Debug, Default)]
pub(super) struct Pieces(Mutex<Collected>);

#[derive(Debug, Default)]
struct Collected {
    calls: BTreeMap<u64, PartialCall>,
    bytes: usize,
    finished: bool,
    cut: Option<Cut>,
    cost: Option<f64>,
}

#[derive(Debug, Default)]
struct PartialCall {
    id: String,
    tool: String,
    args: Args,
}

#[derive(Debug)]
enum Args {
    Text(String),
    Object(Value),
}

impl Default for Args {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

#[derive(Deserialize)]
struct Frame {
    #[serde(default)]
    choices: Vec<Choice>,
    /// Any JSON, so that the choices are read whatever it is.
    usage: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    delta: Option<Delta>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Delta {
    tool_calls: Option<Vec<Piece>>,
}

#[derive(Deserialize)]
struct Piece {
    index: Option<u64>,
    id: Option<String>,
    function: Option<Function>,
}

#[derive(Deserialize)]
struct Function {
    name: Option<String>,
    arguments: Option<Value>,
}

impl ChatFrameSink for Pieces {
    fn on_frame(&self, _: &FrameCtx, frame: RawFrameRef<'_>) {
        let Ok(Frame { choices, usage }) = serde_json::from_str(frame.data) else { return };
        let mut collected = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let cost = usage.as_ref().and_then(|usage| usage.get("cost")).and_then(Value::as_f64);
        collected.cost = cost.filter(|cost| cost.is_finite() && *cost >= 0.0).or(collected.cost);
        for choice in choices.into_iter().take(1) {
            collected.finished |= choice.finish_reason.is_some();
            collected.cut = choice.finish_reason.and_then(|reason| wire::cut(&reason.into())).or(collected.cut);
            for piece in choice.delta.and_then(|delta| delta.tool_calls).unwrap_or_default() {
                collected.take(piece);
            }
        }
    }
}

impl Pieces {
    /// Bytes of all calls so far.
    pub(super) fn bytes(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).bytes
    }

    /// The answer has given the reason of its end; some servers leave out the mark that should follow.
    pub(super) fn is_finished(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).finished
    }

    /// The reason why the answer is cut short.
    pub(super) fn cut(&self) -> Option<Cut> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).cut
    }

    /// US dollars for the whole answer, if the provider says it.
    pub(super) fn cost(&self) -> Option<f64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).cost
    }

    /// The calls, in order.
    pub(super) fn calls(&self) -> Vec<Call> {
        let calls = std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner).calls);
        calls.into_values().map(PartialCall::call).collect()
    }
}

impl Collected {
    fn take(&mut self, piece: Piece) {
        let (name, arguments) = piece.function.map_or((None, None), |function| (function.name, function.arguments));
        let last = self.calls.last_entry().map(|part| (*part.key(), part.get().id.clone()));
        // A server without indexes sends its calls one after the other; a new id begins the next call.
        let index = piece.index.unwrap_or_else(|| match (&last, piece.id.as_deref()) {
            (None, _) => 0,
            (Some((at, id)), Some(new)) if !new.is_empty() && new != id => at.saturating_add(1),
            (Some((at, _)), _) => *at,
        });
        let part = self.calls.entry(index).or_default();
        let before = part.bytes();
        if let Some(id) = piece.id.filter(|id| !id.is_empty() && part.id.is_empty()) {
            part.id = id;
        }
        if let Some(name) = name.filter(|name| !name.is_empty() && part.tool.is_empty()) {
            part.tool = name;
        }
        match (arguments, &mut part.args) {
            (Some(Value::String(more)), Args::Text(text)) => text.push_str(&more),
            (Some(object @ Value::Object(_)), _) => part.args = Args::Object(object),
            _ => {}
        }
        self.bytes += part.bytes().saturating_sub(before);
    }
}

impl PartialCall {
    fn bytes(&self) -> usize {
        let args = match &self.args {
            Args::Text(text) => text.len(),
            Args::Object(value) => value.to_string().len(),
        };
        self.id.len() + self.tool.len() + args + size_of::<Self>()
    }

    fn call(self) -> Call {
        let args = match self.args {
            Args::Text(text) => wire::arguments(text),
            Args::Object(value) => value,
        };
        Call { id: self.id, tool: self.tool, args, signatures: Vec::new() }
    }
}
