//! JSON with comments, edited in place.
//!
//! `jsonc-parser` says where everything is; an edit puts text in or takes text out at such a place, so that every
//! other byte stays. (Its own tree for editing lays lines out anew around what it touches, which cannot be undone.)
//! An entry put in at the end of an object or list is taken out again without a trace; each edit is checked by
//! parsing its result.

mod edit;
mod remove;
mod tree;
mod wrap;

#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;

pub(crate) use edit::{push, put};
pub(crate) use remove::{take, take_from};
pub(crate) use tree::value;
pub(crate) use wrap::{unwrap, wrap};

/// The value that names lead to; `null` where they lead nowhere.
pub(crate) fn at<'a>(value: &'a serde_json::Value, path: &[&str]) -> &'a serde_json::Value {
    path.iter().fold(value, |value, name| &value[name])
}
