//! Texts of the desktop in the language of the window: `ui/messages/LANGUAGE/desktop.json`, in the form of the window's
//! own catalogue (`ui/messages/README.md`).
//!
//! The page decides on the language and tells it; until it did, it is that of the last start, which a file keeps.

use icu_locale_core::Locale;
use icu_plurals::{PluralCategory, PluralRules};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

macro_rules! languages {
    ($($tag:literal),*) => {
        [$(($tag, include_str!(concat!("../../ui/messages/", $tag, "/desktop.json")))),*]
    };
}

/// English comes first: it stands in for what another language lacks.
const LANGUAGES: [(&str, &str); 5] = languages!["en", "de", "es", "ja", "zh-Hans"];
/// The file of the data folder that keeps the language.
const KEPT: &str = "language";

static CURRENT: AtomicUsize = AtomicUsize::new(0);
static TEXTS: LazyLock<Vec<BTreeMap<String, Message>>> =
    LazyLock::new(|| LANGUAGES.iter().map(|(_, file)| serde_json::from_str(file).unwrap_or_default()).collect());

/// A text, or several of which one fits.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Message {
    Plain(String),
    Variants([Variants; 1]),
}

#[derive(Debug, Deserialize)]
struct Variants {
    /// `plural=one`: the form for a number; `kind=failed`: the text for an input.
    #[serde(rename = "match")]
    forms: BTreeMap<String, String>,
}

/// Takes the language that was kept.
pub(crate) fn load(data_dir: &Path) {
    if let Ok(tag) = std::fs::read_to_string(data_dir.join(KEPT)) {
        choose(tag.trim());
    }
}

/// Takes and keeps a language; true if it is another one than before.
pub(crate) fn take(tag: &str, data_dir: &Path) -> bool {
    let is_new = choose(tag);
    if is_new && let Err(error) = std::fs::write(data_dir.join(KEPT), tag) {
        tracing::warn!(%error, "the language could not be kept");
    }
    is_new
}

fn choose(tag: &str) -> bool {
    let Some(chosen) = LANGUAGES.iter().position(|(known, _)| *known == tag) else { return false };
    CURRENT.swap(chosen, Ordering::Relaxed) != chosen
}

/// The tag of the present language.
pub(crate) fn language() -> &'static str {
    LANGUAGES[CURRENT.load(Ordering::Relaxed)].0
}

/// A text without inputs.
pub(crate) fn word(name: &str) -> &'static str {
    match find(CURRENT.load(Ordering::Relaxed), name) {
        Some(Message::Plain(text)) => text,
        _ => "",
    }
}

/// A text with its inputs filled in. `count` decides between the forms of a text with a plural, any other input between
/// texts of its own.
pub(crate) fn text(name: &str, inputs: &[(&str, &dyn Display)]) -> String {
    text_in(CURRENT.load(Ordering::Relaxed), name, inputs)
}

fn text_in(language: usize, name: &str, inputs: &[(&str, &dyn Display)]) -> String {
    let inputs: Vec<(&str, String)> = inputs.iter().map(|(name, value)| (*name, value.to_string())).collect();
    let form = match find(language, name) {
        Some(Message::Plain(text)) => text,
        Some(Message::Variants([variants])) => fitting(language, &variants.forms, &inputs),
        None => "",
    };
    filled(form, &inputs)
}

fn find(language: usize, name: &str) -> Option<&'static Message> {
    let key = format!("desktop_{name}");
    TEXTS[language].get(&key).or_else(|| TEXTS[0].get(&key))
}

fn fitting<'a>(language: usize, forms: &'a BTreeMap<String, String>, inputs: &[(&str, String)]) -> &'a str {
    let own = inputs.iter().find_map(|(name, value)| forms.get(&format!("{name}={value}")));
    let count = || inputs.iter().find(|(name, _)| *name == "count").and_then(|(_, value)| value.parse().ok());
    let plural = || forms.get(&format!("plural={}", category(language, count()?)));
    own.or_else(plural).or_else(|| forms.get("plural=other")).map_or("", String::as_str)
}

/// The form that a language has for a number, by the tables of Unicode.
fn category(language: usize, count: u64) -> &'static str {
    let tag = LANGUAGES[language].0.parse::<Locale>().ok();
    let rules = tag.and_then(|tag| PluralRules::try_new_cardinal(tag.into()).ok());
    match rules.map_or(PluralCategory::Other, |rules| rules.category_for(count)) {
        PluralCategory::Zero => "zero",
        PluralCategory::One => "one",
        PluralCategory::Two => "two",
        PluralCategory::Few => "few",
        PluralCategory::Many => "many",
        PluralCategory::Other => "other",
    }
}

/// Fills inputs in at once, so that braces in somebody's own words stay as they are.
fn filled(form: &str, inputs: &[(&str, String)]) -> String {
    let mut whole = String::new();
    let mut rest = form;
    while let Some((before, after)) = rest.split_once('{') {
        whole.push_str(before);
        let (name, more) = after.split_once('}').unwrap_or((after, ""));
        whole.push_str(inputs.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value));
        rest = more;
    }
    whole + rest
}

#[cfg(test)]
mod tests {
    use super::{LANGUAGES, Message, TEXTS, text_in};
    use rstest::rstest;

    fn in_language(tag: &str) -> usize {
        LANGUAGES.iter().position(|(known, _)| *known == tag).expect("a language")
    }

    #[rstest]
    #[case("en", "1 session needs you", "3 sessions need you", "a {name} failed")]
    #[case("de", "1 Sitzung mit Handlungsbedarf", "3 Sitzungen mit Handlungsbedarf", "a {name} ist fehlgeschlagen")]
    #[case("es", "1 sesión requiere atención", "3 sesiones requieren atención", "a {name} falló")]
    #[case("ja", "1 件のセッションが要対応", "3 件のセッションが要対応", "a {name} が失敗しました")]
    #[case("zh-Hans", "1 个会话待处理", "3 个会话待处理", "a {name} 失败")]
    fn a_text_has_the_form_that_its_language_asks_for(
        #[case] tag: &str,
        #[case] one: &str,
        #[case] three: &str,
        #[case] failed: &str,
    ) {
        let language = in_language(tag);
        assert_eq!(text_in(language, "several_need", &[("count", &1)]), one);
        assert_eq!(text_in(language, "several_need", &[("count", &3)]), three);
        assert_eq!(text_in(language, "ended", &[("end", &"failed"), ("name", &"a {name}")]), failed);
    }

    #[test]
    fn every_language_has_every_text() {
        let names = |language: usize| TEXTS[language].keys().collect::<Vec<_>>();
        assert!(names(0).len() > 60);
        for (language, (tag, _)) in LANGUAGES.iter().enumerate() {
            assert_eq!(names(language), names(0), "{tag}");
        }
    }

    #[test]
    fn every_text_is_used_and_every_name_is_there() {
        let sources = [include_str!("texts.rs"), include_str!("menus.rs"), include_str!("tray.rs")].concat()
            + include_str!("notifications.rs");
        for (name, message) in &TEXTS[0] {
            let name = name.trim_start_matches("desktop_");
            assert!(sources.contains(&format!("\"{name}\"")), "{name} is used nowhere");
            let is_plain = matches!(message, Message::Plain(_));
            assert!(is_plain || !sources.contains(&format!("word(\"{name}\")")), "{name} has inputs");
        }
        let used = sources.split("word(\"").chain(sources.split(" text(\"")).skip(1);
        for name in used.filter_map(|rest| rest.split_once('"')).map(|(name, _)| name) {
            let is_name = name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_');
            assert!(!is_name || TEXTS[0].contains_key(&format!("desktop_{name}")), "{name} is not in the catalogue");
        }
    }
}
