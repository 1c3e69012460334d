//! A form that the user is to fill in: the part of JSON Schema that ACP has for it.

use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// A form.
#[derive(Deserialize)]
pub(crate) struct Form {
    #[serde(default)]
    pub(crate) properties: BTreeMap<String, Property>,
    #[serde(default)]
    pub(crate) required: Vec<String>,
}

/// A member of a form.
#[derive(Deserialize)]
pub(crate) struct Property {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    pub(crate) title: Option<String>,
    #[serde(default)]
    pub(crate) description: Option<String>,
    #[serde(default, rename = "enum")]
    values: Option<Vec<String>>,
    #[serde(default, rename = "oneOf", alias = "anyOf")]
    titled: Option<Vec<Choice>>,
    #[serde(default)]
    items: Option<Items>,
    /// Limits of a text, or of the number of choices.
    #[serde(flatten)]
    others: HashMap<String, Value>,
}

#[derive(Deserialize)]
struct Items {
    #[serde(default, rename = "enum")]
    values: Option<Vec<String>>,
    #[serde(default, rename = "anyOf", alias = "oneOf")]
    titled: Option<Vec<Choice>>,
}

/// A value to choose.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct Choice {
    #[serde(rename = "const")]
    pub(crate) value: Value,
    pub(crate) title: String,
    #[serde(default)]
    pub(crate) description: Option<String>,
}

impl Property {
    /// The values to choose from, none for a text, and whether several may be chosen; `None` for any other member.
    pub(crate) fn choices(&self) -> Option<(Vec<Choice>, bool)> {
        const LIMITS: [&str; 6] = ["minLength", "maxLength", "pattern", "format", "minItems", "maxItems"];
        if LIMITS.iter().any(|limit| self.others.get(*limit).is_some_and(|value| !value.is_null())) {
            return None;
        }
        let named = |value: Value, title: &str| Choice { value, title: title.to_owned(), description: None };
        let plain = |values: &Vec<String>| values.iter().map(|it| named(it.as_str().into(), it)).collect();
        match (self.kind.as_str(), &self.items) {
            ("boolean", _) => Some((vec![named(true.into(), "true"), named(false.into(), "false")], false)),
            ("string", _) => {
                Some((self.titled.clone().or_else(|| self.values.as_ref().map(plain)).unwrap_or_default(), false))
            }
            ("array", Some(items)) => Some((items.titled.clone().or_else(|| items.values.as_ref().map(plain))?, true)),
            _ => None,
        }
    }
}
