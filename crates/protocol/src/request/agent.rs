//! Requests of agents, and the answers that they read.

use crate::EditView;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;
use todo::Item;
use ts_rs::TS;

/// Replaces an agent's list, or updates a part of it; the gateway merges it with the user's edits.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TodoWrite {
    /// The session. Left out where `session` names it, or by a client that said in [`Hello`] for which agent it speaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session_id: Option<String>,
    /// Label of the session, 1 to 200 characters; the session is made when the label is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session: Option<String>,
    /// The items as the agent writes them: `{id?, content, status?, activeForm?, …}`, at most 256.
    #[ts(type = "Array<Record<string, unknown>>")]
    #[schemars(with = "Vec<serde_json::Map<String, Value>>")]
    #[serde(serialize_with = "as_list")]
    pub todos: Value,
    /// Updates instead of replacing: `todos` holds only items that changed, named by `id` or `uid`, and new ones.
    /// Everything else stays.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub merge: bool,
    /// For a subagent: the session of the agent that it works for. Counts only when the session is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub parent_session_id: Option<String>,
    /// Set by transports to the message's id; becomes the `requestId` of the `todo.update`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub request_id: Option<String>,
    /// Asks for `proof` in the answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub prove: bool,
}

/// Writes a list that was sent as a text that holds it as the list that it is.
fn as_list<S: Serializer>(todos: &Value, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    match todos.as_str().map(serde_json::from_str::<&RawValue>) {
        Some(Ok(list)) => list.serialize(serializer),
        _ => todos.serialize(serializer),
    }
}

/// Reads an agent's list, in the name of the agent: the answer delivers pending edits.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TodoRead {
    /// The session. Left out where `session` names it, or by a client that said in [`Hello`] for which agent it speaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session_id: Option<String>,
    /// Label of the session; the session is made when the label is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session: Option<String>,
    /// Asks for `proof` in the answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub prove: bool,
}

/// The list after the merge, and the edits that the agent has to be told of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TodoWritten {
    /// Id of the session.
    pub session_id: String,
    /// The session's label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session: Option<String>,
    /// The newest revision.
    pub revision: u64,
    /// The list, in order, without the steps of other agents of the session.
    pub todos: Vec<Item>,
    /// The progress of these.
    pub progress: crate::Progress,
    /// The user's edits that this answer delivers. They stay pending until the answer was sent; see [`TodoDelivered`].
    pub edits: Vec<EditView>,
    /// Further sentences for the agent: several items are in progress, an item stays removed.
    pub remarks: Vec<String>,
    /// A secret for the agent's result. A hook or a file of the agent that has read it proves by it that it is of the
    /// same run; it is good once, and for a minute ([`SessionReport`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub proof: Option<String>,
    /// The caller's name among the agents of the session, where steps are shared out among several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub agent: Option<String>,
}

/// Carries out one action of the tool `todo_manager`, on the same list as [`TodoWrite`]. Its arguments (`todos`, `ids`,
/// `position`, `reason`) are further fields.
// requirements T1 to T7.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TodoManage {
    /// The session. Left out where `session` names it, or by a client that said in [`Hello`] for which agent it speaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session_id: Option<String>,
    /// Label of the session; the session is made when the label is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session: Option<String>,
    /// Asks for `proof` in the answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub prove: bool,
    /// `list`, `next`, `add_multiple`, `add_after_position`, `complete_multiple`, `skip` or `replace_all`.
    pub action: String,
    /// The action's arguments: `todos`, `ids`, `position`, `reason`.
    #[serde(flatten)]
    #[ts(skip)]
    pub fields: serde_json::Map<String, Value>,
}

/// The outcome of an action of `todo_manager`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TodoManaged {
    /// `Added 2 TODOs`, the list, or the next item.
    pub output: Value,
    /// The action is one that changes the list, even where everything was so already.
    pub changes: bool,
    /// It is such an action, and everything was so already.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub unchanged: bool,
    /// The list after it, and the edits that the agent has to be told of.
    #[serde(flatten)]
    pub written: TodoWritten,
}

/// Confirms that an answer with edits reached the agent: they are delivered. Without it they are told again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TodoDelivered {
    /// Id of the session.
    pub session_id: String,
    /// The revision that the agent got, which it knows from now on. Left out where only edits were sent, and not the
    /// list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub revision: Option<u64>,
    /// Ids of the edits in the answer.
    pub edits: Vec<String>,
    /// Id of the tool call whose result had them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tool_call: Option<String>,
}

/// An answer without content.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct Done {}

/// Says that an agent has ended in good order; its sessions are finished. Only for a client that said in [`Hello`] for
/// which agent it speaks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct SessionLeave {}

#[cfg(test)]
mod tests {
    use super::TodoWrite;
    use serde_json::{Value, json};

    #[test]
    fn a_list_that_was_sent_as_a_text_is_a_list_on_the_wire() {
        for (todos, wire) in [
            (json!(r#" [{"content": "Größe"}] "#), json!([{ "content": "Größe" }])),
            (json!([{ "content": "A" }]), json!([{ "content": "A" }])),
            (json!("no list"), json!("no list")),
            (Value::Null, Value::Null),
        ] {
            let ask = TodoWrite { todos, ..TodoWrite::default() };
            let text = serde_json::to_string(&ask).expect("JSON");
            assert_eq!(serde_json::from_str::<Value>(&text).expect("JSON")["todos"], wire);
            assert_eq!(serde_json::to_value(&ask).expect("JSON")["todos"], wire);
        }
    }
}
