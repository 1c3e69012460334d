//! Texts for people that cross a wire: an English sentence, its name in the catalogue, and its parameters.
//!
//! The English sentence is for agents, scripts and older clients. Whoever shows a text to a person looks its name up in
//! `ui/messages`, in the person's language, and shows the English sentence where the name is not known.
//!
//! [`all`] has one function for each text, and `ui/messages/en/gateway.json` is made from the same table.

mod lines;
mod recognised;
mod table;
#[cfg(test)]
mod tests;

pub use lines::{Lines, TextPart};
pub use recognised::recognised;
pub use table::all;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use ts_rs::TS;

/// The parameters whose values are words of ours, with commas between them. Each word has a text: `gateway_status_pending`.
pub const WORDS: [&str; 4] = ["status", "fields", "rights", "settings"];

/// The name of a text in the catalogue, with its parameters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TextRef {
    /// `session_unknown` is `gateway_session_unknown` in the catalogue.
    pub name: String,
    /// The values of the text's parameters. Those named `status`, `fields`, `rights` and `settings` are words of ours, with
    /// commas between them, which have texts of their own: `gateway_status_pending`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(as = "Option<BTreeMap<String, String>>", optional)]
    pub params: BTreeMap<String, String>,
    /// The parameters that are texts themselves; `params` has them in English.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(as = "Option<BTreeMap<String, TextRef>>", optional)]
    pub texts: BTreeMap<String, TextRef>,
}

/// An English sentence, with its name in the catalogue where it has one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Text {
    pub english: String,
    pub named: Option<TextRef>,
}

impl Text {
    /// The same text with another English sentence, which may say more than the catalogue does.
    #[must_use]
    pub fn in_english(self, english: impl Into<String>) -> Self {
        Self { english: english.into(), ..self }
    }

    /// The same text with a parameter that is a text itself: it is worded in the language of its reader, too.
    #[must_use]
    pub fn with(mut self, param: &str, text: &Self) -> Self {
        if let (Some(named), Some(text)) = (&mut self.named, &text.named) {
            named.texts.insert(param.to_owned(), text.clone());
        }
        self
    }

    /// The English sentences of several texts, and their names, where all have one.
    #[must_use]
    pub fn apart(texts: Vec<Self>) -> (Vec<String>, Vec<TextRef>) {
        let named: Option<Vec<TextRef>> = texts.iter().map(|text| text.named.clone()).collect();
        (texts.into_iter().map(|text| text.english).collect(), named.unwrap_or_default())
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.english)
    }
}

/// So that a text can be a cause among others.
impl std::error::Error for Text {}

impl From<String> for Text {
    fn from(english: String) -> Self {
        Self { english, named: None }
    }
}

impl From<&str> for Text {
    fn from(english: &str) -> Self {
        english.to_owned().into()
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, english: &&str) -> bool {
        self.english == *english
    }
}
