//! The tokens that a transcript tells of the calls of a model, added up.

use protocol::Usage;
use serde_json::Value;
use std::collections::VecDeque;

/// The calls that may be told once more: one of Claude Code's stands on a line for each part of its answer.
const RECENT: usize = 32;

/// The tokens of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Tokens {
    /// All that the model read.
    pub(crate) input: u64,
    /// Those of them that came from a cache.
    pub(crate) cached: u64,
    pub(crate) output: u64,
}

/// The usage of a run whose calls are told one by one.
#[derive(Debug, Default)]
pub(crate) struct Used {
    usage: Usage,
    total: Tokens,
    recent: VecDeque<(String, Tokens)>,
}

impl Used {
    /// The model that is called from now on.
    pub(crate) fn model(&mut self, model: Option<&str>) {
        if let Some(model) = model {
            self.usage.model = Some(model.to_owned());
        }
    }

    /// Takes a call. Of one that is told again, by its id, the newest numbers count.
    pub(crate) fn call(&mut self, id: Option<&str>, tokens: Tokens) {
        if tokens == Tokens::default() {
            return;
        }
        let before = id.and_then(|id| self.recent.iter_mut().find(|(known, _)| known == id));
        let before = match before {
            Some((_, before)) => std::mem::replace(before, tokens),
            None => {
                if self.recent.len() == RECENT {
                    self.recent.pop_front();
                }
                self.recent.extend(id.map(|id| (id.to_owned(), tokens)));
                Tokens::default()
            }
        };
        let sum = |total: u64, new: u64, before: u64| total.saturating_add(new).saturating_sub(before);
        self.total = Tokens {
            input: sum(self.total.input, tokens.input, before.input),
            cached: sum(self.total.cached, tokens.cached, before.cached),
            output: sum(self.total.output, tokens.output, before.output),
        };
        self.usage.context_tokens = Some(tokens.input);
        self.usage.input_tokens = Some(self.total.input);
        self.usage.cached_tokens = Some(self.total.cached).filter(|cached| *cached > 0);
        self.usage.output_tokens = Some(self.total.output);
    }

    /// The usage so far, to be added to where the agent tells more.
    pub(crate) fn usage(&mut self) -> &mut Usage {
        &mut self.usage
    }
}

/// A number of tokens; 0 where there is none.
pub(crate) fn tokens(value: &Value, name: &str) -> u64 {
    value.get(name).and_then(Value::as_u64).unwrap_or_default()
}

/// A number that is not 0.
pub(crate) fn some(number: u64) -> Option<u64> {
    (number > 0).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_is_told_again_counts_once() {
        let mut used = Used::default();
        let tokens = |input, output| Tokens { input, cached: 5, output };
        used.call(Some("a"), tokens(10, 1));
        used.call(Some("b"), tokens(20, 2));
        used.call(Some("a"), tokens(10, 4));
        used.call(None, tokens(30, 1));
        used.call(Some("c"), Tokens::default());
        let usage = used.usage();
        assert_eq!((usage.input_tokens, usage.output_tokens, usage.cached_tokens), (Some(60), Some(7), Some(15)));
        assert_eq!(usage.context_tokens, Some(30));
    }

    #[test]
    fn nothing_is_made_up() {
        let mut used = Used::default();
        used.call(Some("a"), Tokens::default());
        used.model(None);
        assert!(used.usage().is_empty());
    }

    #[test]
    fn many_calls_are_not_all_remembered() {
        let mut used = Used::default();
        for call in 0..1_000 {
            used.call(Some(&call.to_string()), Tokens { input: 1, ..Tokens::default() });
        }
        assert_eq!((used.recent.len(), used.usage().input_tokens), (RECENT, Some(1_000)));
    }
}
