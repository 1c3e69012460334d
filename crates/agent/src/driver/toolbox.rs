//! What a model can call: the list's own tools, and those of the configured servers.

use crate::model::ToolSpec;
use crate::model::keys::Environment;
use crate::prompt::{DONE_DESCRIPTION, DONE_TOOL};
use crate::tools::{At, Options, Server, Tools};
use protocol::{ChatServer, ChatServerThere, ChatToolThere, ToolPolicy};
use serde_json::{Value, json};
use std::path::PathBuf;

/// The tools of a session.
pub(super) struct Toolbox {
    servers: Vec<ChatServer>,
    tools: Tools,
}

impl Toolbox {
    /// Connects to the servers that are not disabled; those without a folder of their own run in this one.
    pub(super) async fn connect(servers: Vec<ChatServer>, folder: Option<&str>, environment: Environment) -> Self {
        let enabled = servers.iter().filter(|server| !server.disabled);
        let wanted = enabled.map(|server| wanted(server, folder)).collect();
        Self { tools: Tools::connect(wanted, Options::new(environment)).await, servers }
    }

    /// Whether it is made from these.
    pub(super) fn is_of(&self, servers: &[ChatServer]) -> bool {
        self.servers == servers
    }

    /// The servers that cannot be reached, in a sentence each.
    pub(super) fn problems(&self) -> Vec<String> {
        let failures = self.tools.failures().iter();
        failures.map(|failure| format!("The tools of {} are not there: {}", failure.server, failure.why)).collect()
    }

    /// The names of the servers' tools.
    pub(super) fn names(&self) -> Vec<String> {
        self.tools.specs().iter().map(|spec| spec.name.clone()).collect()
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
        own.chain([done]).chain(self.tools.specs().iter().cloned()).collect()
    }

    /// The servers' tools in a sentence, for a model that plans.
    pub(super) fn named(&self) -> String {
        let names = self.names();
        if names.is_empty() {
            return String::new();
        }
        format!("\n\nTools beside those of the list: {}.", names.join(", "))
    }

    /// The servers as people see them.
    pub(super) fn there(&self, policy: impl Fn(&str) -> ToolPolicy) -> Vec<ChatServerThere> {
        let tool = |spec: &ToolSpec| ChatToolThere {
            name: spec.name.clone(),
            description: spec.description.clone(),
            policy: policy(&spec.name),
        };
        let of = |server: &ChatServer| {
            let prefix = format!("{}__", server.name);
            let failure = self.tools.failures().iter().find(|failure| failure.server == server.name);
            ChatServerThere {
                name: server.name.clone(),
                tools: self.tools.specs().iter().filter(|spec| spec.name.starts_with(&prefix)).map(tool).collect(),
                problem: failure.map(|failure| failure.why.clone()),
            }
        };
        self.servers.iter().map(of).collect()
    }

    /// Calls a tool: what it gives or why it failed, and whether it did.
    pub(super) async fn call(&self, name: &str, args: &Value) -> (String, bool) {
        let outcome = self.tools.call(name, args).await;
        (outcome.text, outcome.is_error)
    }

    /// Ends the servers that were started.
    pub(super) async fn close(&self) {
        self.tools.close().await;
    }
}

fn wanted(server: &ChatServer, folder: Option<&str>) -> Server {
    let own = Some(server.folder.as_str()).filter(|folder| !folder.is_empty());
    let at = match server.command.split_first() {
        Some((command, args)) => At::Process {
            command: command.clone(),
            args: args.to_vec(),
            env: server.env.clone(),
            cwd: own.or(folder).map(PathBuf::from),
        },
        None => At::Url { url: server.url.clone(), headers: server.headers.clone() },
    };
    Server { name: server.name.clone(), at }
}
