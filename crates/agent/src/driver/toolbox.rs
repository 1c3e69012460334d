//! The tools that a model can call: the todo tools, and those of the configured servers.

use crate::model::ToolSpec;
use crate::prompt::{DONE_DESCRIPTION, DONE_TOOL};
use crate::tools::{Failure, Folder, Options, Server, Tools, Transport};
use protocol::{ChatServer, ChatServerTools, ChatTool, Settings, Text, ToolPolicy, say};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A tool beside the one that the user allowed to call without asking.
#[derive(PartialEq, Eq)]
enum Standing {
    /// None was seen by that name.
    Unseen,
    /// It is the same.
    Allowed,
    /// It is another.
    Changed,
}

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
        options: Options,
        before: Option<&Self>,
    ) -> Self {
        let enabled = servers.iter().filter(|server| !server.disabled);
        let wanted = enabled.map(|server| wanted(server, folder)).collect();
        let before = before.map(|before| &before.tools);
        Self { tools: Tools::connect_beside(wanted, options, before).await, servers }
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

    /// A digest of a tool: of its server's configuration, its description and its schema. Those of a session's approvals
    /// differ between sessions, since there may be secrets in the server's variables and arguments; those of the settings
    /// stand beside the servers' configurations anyway.
    pub(super) fn digest(&self, session_id: &str, tool: &str) -> Option<String> {
        let spec = self.tools.specs().iter().find(|spec| spec.name == tool)?;
        let server = self.servers.iter().find(|server| tool.starts_with(&Self::prefix(&server.name)));
        let made_from = json!([session_id, server, spec.description, spec.schema]);
        Some(protocol::proof::hex(&Sha256::digest(made_from.to_string())))
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
    pub(super) fn problems(&self) -> Vec<Text> {
        let of = |Failure { server, why }: &Failure| say::notice_tools_missing(server, why).with("problem", why);
        self.tools.failures().iter().map(of).collect()
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

    /// The policy for the calls of a tool: it is called without asking only as long as it is the one that was allowed.
    pub(super) fn policy(&self, settings: &Settings, tool: &str) -> ToolPolicy {
        match settings.tool_policy(tool) {
            ToolPolicy::Auto if self.standing(settings, tool) != Standing::Allowed => ToolPolicy::Ask,
            policy => policy,
        }
    }

    /// The tool has become another since the user allowed to call it without asking.
    pub(super) fn is_changed(&self, settings: &Settings, tool: &str) -> bool {
        settings.tool_policy(tool) == ToolPolicy::Auto && self.standing(settings, tool) == Standing::Changed
    }

    /// The digests of the settings with those of tools that are called without asking and were not seen before; none if
    /// there is no such tool.
    pub(super) fn seen(&self, settings: &Settings) -> Option<BTreeMap<String, String>> {
        let is_new = |tool: &String| {
            settings.tool_policy(tool) == ToolPolicy::Auto && self.standing(settings, tool) == Standing::Unseen
        };
        let new: Vec<String> = self.names().into_iter().filter(is_new).collect();
        if new.is_empty() {
            return None;
        }
        let new = new.into_iter().filter_map(|tool| Some((tool.clone(), self.digest("", &tool)?)));
        Some(settings.chat_tool_digests.clone().into_iter().chain(new).collect())
    }

    fn standing(&self, settings: &Settings, tool: &str) -> Standing {
        match settings.chat_tool_digests.get(tool) {
            None => Standing::Unseen,
            Some(seen) if self.digest("", tool).as_ref() == Some(seen) => Standing::Allowed,
            Some(_) => Standing::Changed,
        }
    }

    /// The servers as the settings show them.
    pub(super) fn servers_there(&self, settings: &Settings) -> Vec<ChatServerTools> {
        let tool = |spec: &ToolSpec| {
            let is_changed = self.is_changed(settings, &spec.name);
            ChatTool {
                name: spec.name.clone(),
                description: spec.description.clone(),
                policy: if is_changed { ToolPolicy::Ask } else { settings.tool_policy(&spec.name) },
                digest: self.digest("", &spec.name).unwrap_or_default(),
                changed: is_changed,
            }
        };
        let of = |server: &ChatServer| {
            let prefix = Self::prefix(&server.name);
            let failure = self.tools.failures().iter().find(|failure| failure.server == server.name);
            ChatServerTools {
                name: server.name.clone(),
                tools: self.tools.specs().iter().filter(|spec| spec.name.starts_with(&prefix)).map(tool).collect(),
                problem: failure.map(|failure| failure.why.english.clone()),
                problem_text: failure.and_then(|failure| failure.why.named.clone()),
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

fn wanted(server: &ChatServer, session: Option<&str>) -> Server {
    let own = Some(server.folder.as_str()).filter(|folder| !folder.is_empty());
    let folder = |path: &str, of_session| Folder { path: PathBuf::from(path), of_session };
    let transport = match server.command.split_first() {
        Some((command, args)) => Transport::Process {
            command: command.clone(),
            args: args.to_vec(),
            env: server.env.clone(),
            cwd: own.map(|own| folder(own, false)).or_else(|| session.map(|path| folder(path, true))),
            confined: server.confined,
        },
        None => Transport::Url { url: server.url.clone(), headers: server.headers.clone() },
    };
    Server { name: server.name.clone(), transport }
}
