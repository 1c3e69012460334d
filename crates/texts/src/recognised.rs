//! Sentences of ours that are kept in English, found again in the table.

use crate::table::rows;
use crate::{Text, TextRef};
use std::collections::BTreeMap;

/// The name and the parameters of a sentence that was made of a row whose name begins so; `None` for anybody else's
/// words. A parameter that is such a sentence itself is found, too.
pub fn recognised(english: &str, beginning: &str) -> Option<TextRef> {
    find(english, beginning, true)
}

impl Text {
    /// A sentence with the name that [`recognised`] finds for it.
    #[must_use]
    pub fn recognised(english: String, beginning: &str) -> Self {
        Self { named: recognised(&english, beginning), english }
    }
}

fn find(english: &str, beginning: &str, is_whole: bool) -> Option<TextRef> {
    rows().filter(|row| row.name.starts_with(beginning)).find_map(|row| {
        let params = params(english, row.english).filter(|params| params.len() == row.params.len())?;
        let inner = |(name, value): (&String, &String)| Some((name.clone(), find(value, beginning, false)?));
        let texts = if is_whole { params.iter().filter_map(inner).collect() } else { BTreeMap::new() };
        Some(TextRef { name: row.name.to_owned(), params, texts })
    })
}

/// The values for which a template is this sentence. Each ends where the words after it begin.
fn params(english: &str, template: &str) -> Option<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    let (begin, mut template) = template.split_once('{').unwrap_or((template, ""));
    let mut rest = english.strip_prefix(begin)?;
    while let Some((name, after)) = template.split_once('}') {
        let (words, next) = after.split_once('{').unwrap_or((after, ""));
        let end = match (words, next) {
            ("", _) => rest.len(),
            // The last one may have the same words in it.
            (words, "") => rest.strip_suffix(words)?.len(),
            (words, _) => rest.find(words)?,
        };
        found.insert(name.to_owned(), rest[..end].to_owned());
        rest = &rest[end + words.len()..];
        template = next;
    }
    rest.is_empty().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::recognised;
    use crate::all as say;

    #[test]
    fn a_sentence_that_was_kept_finds_its_name_and_its_parameters_again() {
        for text in [
            say::reason_call("Bash"),
            say::reason_approval("Edit: {x}"),
            say::reason_plan(),
            say::reason_ended(),
            say::run_step_limit(7),
            say::run_aborted(),
        ] {
            let beginning = if text.english.starts_with("Task") || text.english.starts_with("The run") {
                "run_"
            } else {
                "reason_"
            };
            assert_eq!(recognised(&text.english, beginning), text.named, "{text}");
        }
    }

    #[test]
    fn a_sentence_within_another_is_found_too() {
        let rule = say::log_rule_deny("Bash", "rm -rf …");
        let kept = say::log_rule_deleted(&rule);
        assert_eq!(recognised(&kept.english, "log_rule"), kept.with("rule", &rule).named);
    }

    #[test]
    fn the_words_of_others_are_nobodys() {
        for words in ["", "waits for the user", "May Bash be", "A plan waits for your approval", "call me"] {
            assert_eq!(recognised(words, "reason_"), None, "{words}");
        }
    }
}
