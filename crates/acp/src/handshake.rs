//! The agent, as it introduces itself to the editor.

use crate::message::{Initialized, Message, VERSION};
use agents::{Agent, Registry, ServerForm, TOOLS};
use protocol::AgentInfo;

/// The name of an agent's list where nothing is known of its tools.
const PLAN: &str = "plan";

/// The agent, once it has answered `initialize`.
#[derive(Debug)]
pub(crate) struct Handshake {
    known: Option<&'static dyn Agent>,
    pub(crate) info: AgentInfo,
    /// The protocol version is one in which lines of ours may be added.
    pub(crate) is_understood: bool,
    /// It takes tool servers over HTTP.
    pub(crate) takes_http: bool,
}

impl Handshake {
    /// Reads the agent's answer to `initialize`; `None` for other lines. `named` is the agent's name where the user says
    /// it, `command` the words that started it.
    pub(crate) fn read(line: &[u8], registry: Registry, named: Option<&str>, command: &[String]) -> Option<Self> {
        // Sessions begin after it, so it is among the first lines.
        memchr::memmem::find(line, b"\"protocolVersion\"")?;
        let message = Message::read(line).filter(|message| message.method.is_none())?;
        let initialized: Initialized = message.outcome().ok()??;
        let said = initialized.agent_info;
        let known = match named {
            Some(name) => registry.named(name),
            None => {
                let started = |words: &[String]| words.iter().find_map(|word| started_by(registry, word));
                let (program, arguments) = command.split_at(command.len().min(1));
                // A launcher says nothing of the agent, and a word among its arguments may be anything.
                started(program).or_else(|| in_name(registry, &said.name)).or_else(|| started(arguments))
            }
        };
        let program = || command.first().map(|word| file_name(word).to_owned());
        let name = named.map(str::to_owned).or_else(|| known.map(|agent| agent.name().to_owned()));
        let name = name.or_else(|| Some(said.name).filter(|name| !name.is_empty())).or_else(program);
        Some(Self {
            known,
            info: AgentInfo { name: name.unwrap_or_default(), version: said.version },
            is_understood: initialized.protocol_version == VERSION,
            takes_http: initialized.agent_capabilities.mcp_capabilities.http,
        })
    }

    /// Returns whether a call of this title is one of our tools, or of the tool that writes the agent's built-in list.
    pub(crate) fn is_about_list(&self, title: &str) -> bool {
        match self.known {
            Some(agent) => agent.is_our_tool(title) || agent.list_tool(title).is_some(),
            None => TOOLS.iter().any(|tool| title.ends_with(tool)),
        }
    }

    /// The tool that writes the agent's built-in list.
    pub(crate) fn list_tool(&self) -> &'static str {
        self.known.and_then(|agent| agent.facts().list_tools.first()).map_or(PLAN, |tool| tool.name)
    }
}

/// The agent whose program a word of a command is.
fn started_by(registry: Registry, word: &str) -> Option<&'static dyn Agent> {
    let name = file_name(word);
    agents(registry).find(|agent| agent.facts().program == name)
}

/// The agents, without the editors that start them.
fn agents(registry: Registry) -> impl Iterator<Item = &'static dyn Agent> {
    registry.iter().filter(|agent| !matches!(agent.facts().server_form, Some(ServerForm::Agents(_))))
}

fn file_name(word: &str) -> &str {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// The agent whose name is a word of this one: `@zed-industries/claude-agent-acp` is Claude Code.
fn in_name(registry: Registry, name: &str) -> Option<&'static dyn Agent> {
    let name = name.to_ascii_lowercase();
    let is_in =
        |agent: &&'static dyn Agent| name.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == agent.name());
    agents(registry).find(is_in)
}

#[cfg(test)]
mod tests {
    use super::*;
    use agents::KNOWN;
    use rstest::rstest;

    fn read(info: &str, named: Option<&str>, command: &[&str]) -> Handshake {
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":0,"result":{{"protocolVersion":1,"agentCapabilities":{{"mcpCapabilities":{{"http":true}}}},"agentInfo":{info}}}}}"#
        );
        let command: Vec<String> = command.iter().map(|&word| word.to_owned()).collect();
        Handshake::read(line.as_bytes(), KNOWN, named, &command).expect("it is the answer")
    }

    #[rstest]
    #[case::program(r#"{"name":"OpenCode","version":"1.18.33"}"#, None, &["/usr/bin/opencode", "acp"], "opencode")]
    #[case::windows(r#"{"name":"x"}"#, None, &["C:\\bin\\gemini.exe", "--acp"], "gemini")]
    #[case::adapter(r#"{"name":"@zed-industries/claude-agent-acp"}"#, None, &["npx", "-y", "some-package"], "claude")]
    #[case::by_name(r#"{"name":"Codex ACP"}"#, None, &["node", "main.js"], "codex")]
    #[case::of_an_editors_maker(r#"{"name":"@zed-industries/fancy"}"#, None, &["node"], "@zed-industries/fancy")]
    #[case::said_by_the_user(r#"{"name":"Codex ACP"}"#, Some("mine"), &["codex"], "mine")]
    #[case::unknown(r#"{"name":"Fancy"}"#, None, &["fancy-agent"], "Fancy")]
    #[case::nothing_said("null", None, &["/opt/fancy-agent"], "fancy-agent")]
    #[case::of_another_form(r#"{"name":7}"#, None, &["/opt/fancy-agent"], "fancy-agent")]
    fn an_agent_has_its_name(
        #[case] info: &str,
        #[case] named: Option<&str>,
        #[case] command: &[&str],
        #[case] name: &str,
    ) {
        let handshake = read(info, named, command);
        assert_eq!(handshake.info.name, name);
        assert!(handshake.is_understood && handshake.takes_http);
    }

    #[test]
    fn other_lines_are_no_handshake() {
        for line in [
            r#"{"id":0,"method":"initialize","params":{"protocolVersion":1}}"#,
            r#"{"id":0,"error":{"code":1,"message":"\"protocolVersion\""}}"#,
            r#"{"id":0,"result":{"protocolVersions":1}}"#,
            "\"protocolVersion\"",
        ] {
            assert!(Handshake::read(line.as_bytes(), KNOWN, None, &[]).is_none(), "{line}");
        }
    }

    #[test]
    fn what_a_later_version_says_is_taken_as_far_as_it_is_known() {
        let line = br#"{"id":0,"result":{"protocolVersion":2,"agentCapabilities":[],"agentInfo":{"name":"Codex"}}}"#;
        let handshake = Handshake::read(line, KNOWN, None, &[]).expect("it is the answer");
        assert!(!handshake.is_understood && !handshake.takes_http);
        assert_eq!(handshake.info.name, "codex");
    }

    #[test]
    fn calls_about_a_list() {
        let opencode = read(r#"{"name":"OpenCode"}"#, None, &[]);
        let other = read(r#"{"name":"Fancy"}"#, None, &[]);
        for (title, of_opencode, of_other) in [
            ("sightline_todo_write", true, true),
            ("todowrite", true, false),
            ("bash", false, false),
            ("Write todo_write to a file", false, false),
        ] {
            assert_eq!((opencode.is_about_list(title), other.is_about_list(title)), (of_opencode, of_other), "{title}");
        }
        assert_eq!((opencode.list_tool(), other.list_tool()), ("todowrite", "plan"));
    }
}
