//! The one table of texts that cross a wire: a line for each, with its parameters and its English sentence, in a file for
//! each subject.

/// A line of the table.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) params: &'static [&'static str],
    pub(crate) english: &'static str,
}

macro_rules! texts {
    ($($name:ident($($param:ident),*) $english:literal;)*) => {
        /// A function for each text, with its parameters.
        #[allow(clippy::needless_pass_by_value, reason = "a parameter is whatever can be shown")]
        pub(super) mod all {
            use crate::{Text, TextRef};
            use std::collections::BTreeMap;
            use std::fmt::Display;

            $(
                #[must_use]
                pub fn $name($($param: impl Display),*) -> Text {
                    $(let $param = $param.to_string();)*
                    Text {
                        english: format!($english),
                        named: Some(TextRef {
                            name: stringify!($name).to_owned(),
                            params: BTreeMap::from([$((stringify!($param).to_owned(), $param)),*]),
                            texts: BTreeMap::new(),
                        }),
                    }
                }
            )*
        }

        pub(crate) const ROWS: &[crate::table::Row] = &[$(crate::table::Row {
            name: stringify!($name),
            params: &[$(stringify!($param)),*],
            english: $english,
        }),*];
    };
}

mod agents;
mod built_in_agent;
mod commands;
mod gateway;
mod lists;
mod sessions;

/// A function for each text.
pub mod all {
    pub use super::agents::all::*;
    pub use super::built_in_agent::all::*;
    pub use super::commands::all::*;
    pub use super::gateway::all::*;
    pub use super::lists::all::*;
    pub use super::sessions::all::*;
}

/// All lines.
pub(crate) fn rows() -> impl Iterator<Item = &'static Row> {
    [agents::ROWS, built_in_agent::ROWS, commands::ROWS, gateway::ROWS, lists::ROWS, sessions::ROWS]
        .into_iter()
        .flatten()
}
