//! Lines that are put together from texts of ours and from others' words.

use crate::{Text, TextRef};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A part of a longer text: words that stay as they are, or a text of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(untagged)]
pub enum TextPart {
    /// Words as they are.
    Words(String),
    /// A text in the language of its reader.
    Text(TextRef),
}

/// Lines in English, with the parts of which they are made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lines {
    pub english: String,
    pub parts: Vec<TextPart>,
}

impl Lines {
    /// Adds words that stay as they are.
    pub fn put(&mut self, words: &str) {
        self.english.push_str(words);
        match self.parts.last_mut() {
            Some(TextPart::Words(before)) => before.push_str(words),
            _ => self.parts.push(TextPart::Words(words.to_owned())),
        }
    }

    /// Adds a text.
    pub fn say(&mut self, text: Text) {
        match text.named {
            Some(named) => {
                self.english.push_str(&text.english);
                self.parts.push(TextPart::Text(named));
            }
            None => self.put(&text.english),
        }
    }

    /// Adds other lines.
    pub fn add(&mut self, other: Self) {
        self.english.push_str(&other.english);
        self.parts.extend(other.parts);
    }

    /// Adds things with something between them.
    pub fn join<T>(
        &mut self,
        things: impl IntoIterator<Item = T>,
        mut between: impl FnMut(&mut Self),
        mut each: impl FnMut(&mut Self, T),
    ) {
        for (at, thing) in things.into_iter().enumerate() {
            if at > 0 {
                between(self);
            }
            each(self, thing);
        }
    }
}
