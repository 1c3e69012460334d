//! The tokens that a session has used, and their cost, as its agent tells them.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Characters of a model's name.
const MODEL_CHARS: usize = 100;

/// The largest number that every client can read.
const MOST: u64 = (1 << 53) - 1;

/// A session's model, its context, and its tokens and cost so far. What the agent does not tell is absent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Usage {
    /// The model, as the agent calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub model: Option<String>,
    /// Tokens that the model was given with its last call.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(type = "number", optional)]
    pub context_tokens: Option<u64>,
    /// Tokens that the model can be given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(type = "number", optional)]
    pub context_window: Option<u64>,
    /// Tokens read by the model so far, with those from its cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(type = "number", optional)]
    pub input_tokens: Option<u64>,
    /// Those of them that came from its cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(type = "number", optional)]
    pub cached_tokens: Option<u64>,
    /// Tokens written by the model so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(type = "number", optional)]
    pub output_tokens: Option<u64>,
    /// Cost so far, in millionths of a US dollar.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(type = "number", optional)]
    pub micro_dollars: Option<u64>,
    /// Time at which the agent told it (RFC 3339, UTC).
    #[ts(type = "string")]
    pub at: Timestamp,
}

impl Usage {
    /// A cost in dollars in millionths of them; `None` for one that is none.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be in range")]
    pub fn micro_dollars(dollars: f64) -> Option<u64> {
        let micros = (dollars * 1e6).round();
        (0.0..1e15).contains(&micros).then_some(micros as u64)
    }

    /// True if nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self { at: self.at, ..Self::default() }
    }

    /// Takes what is told at a time; what that leaves out stays. Returns whether anything is new.
    pub fn update(&mut self, told: &Self, at: Timestamp) -> bool {
        if at < self.at {
            return false;
        }
        let was = self.clone();
        let model = told.model.as_deref().map(|model| model.trim().chars().take(MODEL_CHARS).collect::<String>());
        if let Some(model) = model.filter(|model| !model.is_empty() && !model.chars().any(char::is_control)) {
            // The window was another model's.
            if self.model.as_ref().is_some_and(|known| *known != model) {
                self.context_window = None;
            }
            self.model = Some(model);
        }
        for (known, told) in [
            (&mut self.context_tokens, told.context_tokens),
            (&mut self.context_window, told.context_window),
            (&mut self.input_tokens, told.input_tokens),
            (&mut self.cached_tokens, told.cached_tokens),
            (&mut self.output_tokens, told.output_tokens),
            (&mut self.micro_dollars, told.micro_dollars),
        ] {
            *known = told.map(|told| told.min(MOST)).or(*known);
        }
        let is_new = *self != was;
        if is_new {
            self.at = at;
        }
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).expect("a time")
    }

    fn told(model: Option<&str>, context_tokens: Option<u64>, context_window: Option<u64>) -> Usage {
        Usage { model: model.map(str::to_owned), context_tokens, context_window, ..Usage::default() }
    }

    #[test]
    fn news_add_to_what_is_known() {
        let mut usage = Usage::default();
        assert!(usage.is_empty() && !usage.update(&Usage::default(), at(1)));
        assert!(usage.update(&told(Some(" one "), Some(10), Some(100)), at(2)));
        assert!(!usage.update(&told(Some("one"), None, None), at(3)), "it is no news");
        assert!(usage.update(&told(None, Some(20), None), at(4)));
        assert_eq!(usage, Usage { at: at(4), ..told(Some("one"), Some(20), Some(100)) });
        assert!(!usage.is_empty());
    }

    #[test]
    fn a_file_that_is_read_again_takes_nothing_back() {
        let mut usage = Usage { at: at(9), ..told(Some("one"), Some(20), None) };
        assert!(!usage.update(&told(Some("one"), Some(10), None), at(8)));
        assert_eq!(usage.context_tokens, Some(20));
    }

    #[test]
    fn a_cost_is_one() {
        let costs = [0.0, 0.001_212, 12.5, -1.0, f64::NAN, f64::INFINITY].map(Usage::micro_dollars);
        assert_eq!(costs, [Some(0), Some(1_212), Some(12_500_000), None, None, None]);
    }

    #[test]
    fn another_model_has_another_window() {
        let mut usage = told(Some("one"), Some(10), Some(100));
        assert!(usage.update(&told(Some("two"), None, None), at(1)));
        assert_eq!(usage.context_window, None);
    }

    #[test]
    fn names_and_numbers_are_bounded() {
        let mut usage = Usage::default();
        assert!(usage.update(&told(Some(&"x".repeat(1_000)), Some(u64::MAX), None), at(1)));
        assert_eq!(usage.model.as_ref().map(String::len), Some(MODEL_CHARS));
        assert_eq!(usage.context_tokens, Some(MOST));
        assert!(!usage.update(&told(Some("a\u{7}b"), None, None), at(2)));
    }
}
