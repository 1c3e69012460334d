//! The texts of `ui/messages` for programs without a page: those of the desktop, of the terminal, and those that the gateway
//! sends by name, in the form of the window's own catalogue (`ui/messages/README.md`).
//!
//! A process has one language at a time. It is English until [`choose`] says otherwise.

mod environment;
mod message;
#[cfg(test)]
mod tests;

pub use environment::of_environment;

use message::Message;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use texts::TextRef;

macro_rules! languages {
    ($($tag:literal),*) => {
        [$((
            $tag,
            [
                include_str!(concat!("../../../ui/messages/", $tag, "/desktop.json")),
                include_str!(concat!("../../../ui/messages/", $tag, "/gateway.json")),
                include_str!(concat!("../../../ui/messages/", $tag, "/terminal.json")),
            ],
        )),*]
    };
}

/// English comes first: it stands in for what another language lacks.
const LANGUAGES: [(&str, [&str; 3]); 5] = languages!["en", "de", "es", "ja", "zh-Hans"];

static CURRENT: AtomicUsize = AtomicUsize::new(0);
static TEXTS: LazyLock<[LazyLock<BTreeMap<String, Message>>; LANGUAGES.len()]> = LazyLock::new(|| {
    [|| read(0), || read(1), || read(2), || read(3), || read(4)].map(|read: fn() -> _| LazyLock::new(read))
});

fn read(language: usize) -> BTreeMap<String, Message> {
    let files = LANGUAGES[language].1;
    files.iter().flat_map(|file| serde_json::from_str::<BTreeMap<String, Message>>(file).unwrap_or_default()).collect()
}

/// Takes a language; true if it is another one than before.
pub fn choose(tag: &str) -> bool {
    let Some(chosen) = LANGUAGES.iter().position(|(known, _)| *known == tag) else { return false };
    CURRENT.swap(chosen, Ordering::Relaxed) != chosen
}

/// The tag of the present language.
pub fn language() -> &'static str {
    LANGUAGES[CURRENT.load(Ordering::Relaxed)].0
}

/// True if the present language is English, in which programs may go on saying what they always said.
pub fn is_english() -> bool {
    CURRENT.load(Ordering::Relaxed) == 0
}

/// The keys of an area, for tests.
pub fn keys(area: &str) -> impl Iterator<Item = &'static str> {
    let prefix = format!("{area}_");
    TEXTS[0].keys().map(String::as_str).filter(move |key| key.starts_with(&prefix))
}

/// True if a text has forms of its own for its inputs, for tests.
pub fn has_forms(key: &str) -> bool {
    matches!(find(0, key), Some(Message::Variants(_)))
}

/// A text without inputs, by its area and name.
pub fn word(key: &str) -> &'static str {
    match find(CURRENT.load(Ordering::Relaxed), key) {
        Some(Message::Plain(text)) => text,
        _ => "",
    }
}

/// A text with its inputs filled in. `count` decides between the forms of a text with a plural, any other input between
/// texts of its own.
pub fn text(key: &str, inputs: &[(&str, &dyn Display)]) -> String {
    let inputs: Vec<(&str, String)> = inputs.iter().map(|(name, value)| (*name, value.to_string())).collect();
    text_in(CURRENT.load(Ordering::Relaxed), key, &inputs)
}

/// A text without inputs, where there is one of that key.
pub fn known(key: &str) -> Option<&'static str> {
    find(CURRENT.load(Ordering::Relaxed), key).and_then(|message| match message {
        Message::Plain(text) => Some(text.as_str()),
        Message::Variants(_) => None,
    })
}

/// A number as people read it.
pub fn number(value: u64) -> String {
    grouped(CURRENT.load(Ordering::Relaxed), value)
}

/// Digits in groups of three. Spanish begins with numbers of five digits, by the tables of Unicode.
fn grouped(language: usize, value: u64) -> String {
    let digits = value.to_string();
    let least = if LANGUAGES[language].0 == "es" { 5 } else { 4 };
    let Some(Message::Plain(sign)) = find(language, "terminal_number_group").filter(|_| digits.len() >= least) else {
        return digits;
    };
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push_str(sign);
        }
        grouped.push(digit);
    }
    grouped
}

/// A text that a gateway sent by its name, with the texts that are its parameters, in the present language; `None` for
/// one that this build does not know.
pub fn sent(text: &TextRef) -> Option<String> {
    sent_in(CURRENT.load(Ordering::Relaxed), text, WITHIN)
}

/// So deep texts may stand within each other: those of a stranger's could grow without end.
const WITHIN: u8 = 4;

fn sent_in(language: usize, text: &TextRef, within: u8) -> Option<String> {
    let key = format!("gateway_{}", text.name);
    find(language, &key)?;
    let param = |(name, value): (&String, &String)| {
        let inner = text.texts.get(name).filter(|_| within > 0);
        inner.and_then(|inner| sent_in(language, inner, within - 1)).unwrap_or_else(|| worded(language, name, value))
    };
    let inputs: Vec<(&str, String)> = text.params.iter().map(|input| (input.0.as_str(), param(input))).collect();
    Some(text_in(language, &key, &inputs))
}

/// A parameter as people read it: some are words of ours.
fn worded(language: usize, name: &str, value: &str) -> String {
    if !texts::WORDS.contains(&name) {
        return value.to_owned();
    }
    let word = |word: &str| match find(language, &format!("gateway_{name}_{word}")) {
        Some(Message::Plain(text)) => text.clone(),
        _ => word.to_owned(),
    };
    let comma = match find(language, "terminal_comma") {
        Some(Message::Plain(comma)) => comma,
        _ => ", ",
    };
    value.split(',').map(word).collect::<Vec<_>>().join(comma)
}

fn text_in(language: usize, key: &str, inputs: &[(&str, String)]) -> String {
    let Some(message) = find(language, key) else { return String::new() };
    let count = inputs.iter().find(|(name, _)| *name == "count").and_then(|(_, value)| value.parse().ok());
    let number = count.map(|count| ("number", grouped(language, count)));
    let inputs: Vec<(&str, String)> = inputs.iter().cloned().chain(number).collect();
    message.filled(LANGUAGES[language].0, &inputs)
}

fn find(language: usize, key: &str) -> Option<&'static Message> {
    TEXTS[language].get(key).or_else(|| TEXTS[0].get(key))
}
