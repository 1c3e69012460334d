//! Commands as a person types them.

use super::Edited;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A command as a person types it (REQUIREMENTS P3 to P9): `/todo add 2 Fix the parser`, `/note use the staging database`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoCommand {
    /// Which session.
    pub session_id: String,
    /// What was typed; `/todo` may be left out.
    pub line: String,
}

/// What a typed command gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Commanded {
    /// What a terminal prints, lines of text: `Added TODO at position 2: "x"`, or a whole list.
    pub output: String,
    /// What it made of the list, where it changes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub edited: Option<Edited>,
}

/// Asks how a command that is being typed can go on.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoComplete {
    /// Which session.
    pub session_id: String,
    /// What was typed so far, up to the cursor.
    pub line: String,
}

/// How a command can go on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Completions {
    /// How the command is used, once it is known which: `/todo add <position> <description>`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub usage: Option<String>,
    /// Ways to go on, best first; at most 50.
    pub choices: Vec<Choice>,
}

/// One way to go on with a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Choice {
    /// The whole line with it.
    pub line: String,
    /// What it adds: `add`, `2`, `completed`.
    pub label: String,
    /// What it means: the command's purpose, the item at that position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub detail: Option<String>,
}
