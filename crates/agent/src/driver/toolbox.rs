//! What a model can call: the list's own tools, and those of the configured servers.

use crate::model::ToolSpec;
use crate::prompt::{DONE_DESCRIPTION, DONE_TOOL};
use protocol::{ChatServer, ChatServerThere, ToolPolicy};
use serde_json::{Value, json};
use std::fmt::Write;

/// The tools of a session.
pub(super) struct Toolbox {
    servers: Vec<ChatServer>,
}

impl Toolbox {
    pub(super) async fn connect(servers: Vec<ChatServer>, _folder: Option<&str>) -> Self {
        Self { servers }
    }

    /// Whether it is made from these.
    pub(super) fn is_of(&self, servers: &[ChatServer]) -> bool {
        self.servers == servers
    }

    /// The servers that cannot be reached, in a sentence each.
    pub(super) fn problems(&self) -> Vec<String> {
        Vec::new()
    }

    /// The names of the servers' tools.
    pub(super) fn names(&self) -> Vec<String> {
        self.others().into_iter().map(|spec| spec.name).collect()
    }

    fn others(&self) -> Vec<ToolSpec> {
        Vec::new()
    }

    /// All that a model is offered.
    pub(super) fn specs(&self) -> Vec<ToolSpec> {
        let own = mcp::of_one_list().into_iter().map(|(name, description, schema)| ToolSpec {
            name: name.to_owned(),
            description,
            schema,
        });
        let done = ToolSpec {
            name: DONE_TOOL.to_owned(),
            description: DONE_DESCRIPTION.to_owned(),
            schema: json!({ "type": "object", "properties": {} }),
        };
        own.chain([done]).chain(self.others()).collect()
    }

    /// The servers' tools in a sentence, for a model that plans.
    pub(super) fn named(&self) -> String {
        let others = self.others();
        let mut text = String::new();
        for (at, spec) in others.iter().enumerate() {
            let _ = write!(text, "{}{}", if at == 0 { "\n\nTools beside those of the list: " } else { ", " }, spec.name);
        }
        text
    }

    /// The servers as people see them.
    pub(super) fn there(&self, _policy: impl Fn(&str) -> ToolPolicy) -> Vec<ChatServerThere> {
        Vec::new()
    }

    /// Calls a tool: what it gives or why it failed, and whether it did.
    pub(super) async fn call(&self, name: &str, _args: Value) -> (String, bool) {
        (format!("There is no tool {name}."), true)
    }
}
