//! The tools that a model can call: the todo tools, and those of the configured servers.

use crate::model::ToolSpec;
use crate::model::keys::Environment;
use crate::prompt::{DONE_DESCRIPTION, DONE_TOOL};
use crate::tools::{Options, Server, Tools, Transport};
use protocol::{ChatServer, ChatServerTools, ChatTool, ToolPolicy};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::path::PathBuf;

pub(super) struct Toolbox {
    servers: Vec<ChatServer>,
    tools: Tools,
}

impl Toolbox {
    /// Connects to the servers that are not disabled; those without a folder of their own run in `folder`. Servers of
    /// `before` that are configured as before stay connected.
    pub(super) async fn connect(
        servers: Vec<ChatServer>,
        folder: Option<&str>,
        environment: Environment,
        before: Option<&Self>,
    ) -> Self {
        let enabled = servers.iter().filter(|server| !server.disabled);
        let wanted = enabled.map(|server| wanted(server, folder)).collect();
        let before = before.map(|before| &before.tools);
        Self { tools: Tools::connect_beside(wanted, Options::new(environment), before).await, servers }
    }

    /// The same servers, with the tools that they offer now.
    pub(super) async fn renewed(&self) -> Self {
        Self { tools: self.tools.renewed().await, servers: self.servers.clone() }
    }

    /// A server has announced that its tools have changed.
    pub(super) fn has_changed(&self) -> bool {
        self.tools.have_changed()
    }

    /// It is made from these servers.
    pub(super) fn is_of(&self, servers: &[ChatServer]) -> bool {
        self.servers == servers
    }

    /// A digest of a tool: of its server's configuration, its description and its schema. It differs between sessions,
    /// since there may be secrets in the server's variables and arguments.
    pub(super) fn digest(&self, session_id: &str, tool: &str) -> Option<String> {
        let spec = self.tools.specs().iter().find(|spec| spec.name == tool)?;
        let server = self.servers.iter().find(|server| tool.starts_with(&Self::prefix(&server.name)));
        let made_from = json!([session_id, server, spec.description, spec.schema]);
        let digest = Sha256::digest(made_from.to_string());
        Some(digest.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Some of its servers could not be reached.
    pub(super) fn lacks_some(&self) -> bool {
        !self.tools.failures().is_empty()
    }

    /// The beginning of the names of a server's tools; no server's name has an underscore in it.
    pub(super) fn prefix(server: &str) -> String {
        format!("{server}__")
    }

    /// A sentence for each server that cannot be reached.
    pub(super) fn problems(&self) -> Vec<String> {
        let failures = self.tools.failures().iter();
        failures.map(|failure| format!("The tools of {} are not there: {}", failure.server, failure.why)).collect()
    }

    /// The names of the servers' tools.
    pub(super) fn names(&self) -> Vec<String> {
        self.tools.specs().iter().map(|spec| spec.name.clone()).collect()
    }

    /// All tools that a model is offered.
    pub(super) fn specs(&self) -> Vec<ToolSpec> {
        let todo_tools = mcp::tools_for_one_list();
        let own = todo_tools.into_iter().map(|(name, description, schema)| ToolSpec { name, description, schema });
        let done = ToolSpec {
            name: DONE_TOOL.to_owned(),
            description: DONE_DESCRIPTION.to_owned(),
            schema: json!({ "type": "object", "properties": {} }),
        };
        own.chain([done]).chain(self.tools.specs().iter().cloned()).collect()
    }

    /// The servers' tools in a sentence, for a model that plans.
    pub(super) fn sentence(&self) -> String {
        let names = self.names();
        if names.is_empty() {
            return String::new();
        }
        format!("\n\nTools beside those of the list: {}.", names.join(", "))
    }

    /// The servers as the settings show them.
    pub(super) fn servers_there(&self, policy: impl Fn(&str) -> ToolPolicy) -> Vec<ChatServerTools> {
        let tool = |spec: &ToolSpec| ChatTool {
            name: spec.name.clone(),
            description: spec.description.clone(),
            policy: policy(&spec.name),
        };
        let of = |server: &ChatServer| {
            let prefix = Self::prefix(&server.name);
            let failure = self.tools.failures().iter().find(|failure| failure.server == server.name);
            ChatServerTools {
                name: server.name.clone(),
                tools: self.tools.specs().iter().filter(|spec| spec.name.starts_with(&prefix)).map(tool).collect(),
                problem: failure.map(|failure| failure.why.clone()),
            }
        };
        self.servers.iter().map(of).collect()
    }

    /// Calls a tool; returns its result, and whether that is an error.
    pub(super) async fn call(&self, name: &str, args: &Value) -> (String, bool) {
        let result = self.tools.call(name, args).await;
        (result.text, result.is_error)
    }

    /// Ends the servers that were started.
    pub(super) async fn close(&self) {
        self.tools.close().await;
    }

    /// Ends the servers that `other` does not have.
    pub(super) async fn close_but(&self, other: &Self) {
        self.tools.close_but(&other.tools).await;
    }
}

fn wanted(server: &ChatServer, folder: Option<&str>) -> Server {
    let own = Some(server.folder.as_str()).filter(|folder| !folder.is_empty());
    let transport = match server.command.split_first() {
        Some((command, args)) => Transport::Process {
            command: command.clone(),
            args: args.to_vec(),
            env: server.env.clone(),
            cwd: own.or(folder).map(PathBuf::from),
        },
        None => Transport::Url { url: server.url.clone(), headers: server.headers.clone() },
    };
    Server { name: server.name.clone(), transport }
}
