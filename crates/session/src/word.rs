//! Enums that are stored as words, each word written in one place.

use serde::{Deserialize, Deserializer};

/// A concept that is stored as one of a few words.
pub trait Word: Copy + PartialEq + 'static {
    /// Every value with its word.
    const WORDS: &'static [(Self, &'static str)];

    /// The value that stands for words of a later build.
    const FALLBACK: Self;

    /// Returns the stored word.
    fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(value, _)| *value == self).map_or("", |(_, word)| word)
    }

    /// Reads a stored word. One that this build does not know is the fallback, so that a database or an export of a
    /// later build can be read.
    fn from_word(word: &str) -> Self {
        Self::WORDS.iter().find(|(_, known)| *known == word).map_or(Self::FALLBACK, |(value, _)| *value)
    }
}

/// Reads a word as [`Word::from_word`] does, for `deserialize_with`. The types' own `Deserialize` refuses unknown words,
/// since a client that sends one is mistaken.
///
/// # Errors
/// When it is not a text.
pub fn tolerant<'de, T: Word, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    Ok(T::from_word(&String::deserialize(deserializer)?))
}

/// Declares an enum whose variants have the same word in the database, on the wire and in TypeScript.
macro_rules! words {
    (
        $(#[$about:meta])*
        $name:ident, unknown words are $fallback:ident
        $($(#[$each:meta])* $variant:ident = $word:literal)*
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[derive(serde::Serialize, serde::Deserialize, ts_rs::TS, schemars::JsonSchema)]
        pub enum $name {
            $($(#[$each])* #[serde(rename = $word)] $variant,)*
        }

        impl $crate::Word for $name {
            const WORDS: &'static [(Self, &'static str)] = &[$((Self::$variant, $word),)*];
            const FALLBACK: Self = Self::$fallback;
        }
    };
}

pub(crate) use words;
