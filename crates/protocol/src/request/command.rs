//! Commands as a person types them.

use super::Edited;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use texts::{TextPart, TextRef};
use ts_rs::TS;

/// Carries out a command as a person types it: `/todo add 2 Fix the parser`, `/note use the
/// staging database`.
// requirements P3 to P9.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TodoCommand {
    /// The session.
    pub session_id: String,
    /// The typed line; `/todo` may be left out.
    pub line: String,
}

/// The outcome of a typed command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Commanded {
    /// Lines for a terminal: `Added TODO at position 2: "x"`, or a whole list.
    pub output: String,
    /// The same in parts, of which some are texts of the catalogue; left out where it was an edit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<TextPart>>", optional)]
    pub parts: Vec<TextPart>,
    /// The list after the command, where it was an edit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub edited: Option<Edited>,
}

/// Asks how a command that is being typed can be completed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TodoComplete {
    /// The session.
    pub session_id: String,
    /// The line up to the cursor.
    pub line: String,
}

/// Completions of a typed line.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Completions {
    /// Usage of the command, once it is known: `/todo add <position> <description>`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub usage: Option<String>,
    /// Completions, best first; at most 50.
    pub choices: Vec<Choice>,
}

/// One completion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Choice {
    /// The whole line with it.
    pub line: String,
    /// The part that it adds: `add`, `2`, `completed`.
    pub label: String,
    /// Its meaning: the command's purpose, or the item at that position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub detail: Option<String>,
    /// The same in the catalogue, where it is ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub detail_text: Option<TextRef>,
}
