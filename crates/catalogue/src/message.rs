//! A text of the catalogue, and how its inputs are filled in.

use icu_locale_core::Locale;
use icu_plurals::{PluralCategory, PluralRules};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A text, or several of which one fits.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Message {
    Plain(String),
    Variants([Variants; 1]),
}

#[derive(Debug, Deserialize)]
pub(crate) struct Variants {
    /// `plural=one`: the form for a number; `kind=failed`: the text for an input.
    #[serde(rename = "match")]
    forms: BTreeMap<String, String>,
}

impl Message {
    pub(crate) fn filled(&self, language: &str, inputs: &[(&str, String)]) -> String {
        match self {
            Self::Plain(text) => filled(text, inputs),
            Self::Variants([variants]) => filled(fitting(language, &variants.forms, inputs), inputs),
        }
    }
}

fn fitting<'a>(language: &str, forms: &'a BTreeMap<String, String>, inputs: &[(&str, String)]) -> &'a str {
    let own = inputs.iter().find_map(|(name, value)| forms.get(&format!("{name}={value}")));
    let count = || inputs.iter().find(|(name, _)| *name == "count").and_then(|(_, value)| value.parse().ok());
    let plural = || forms.get(&format!("plural={}", category(language, count()?)));
    own.or_else(plural).or_else(|| forms.get("plural=other")).map_or("", String::as_str)
}

/// The form that a language has for a number, by the tables of Unicode.
fn category(language: &str, count: u64) -> &'static str {
    let tag = language.parse::<Locale>().ok();
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
