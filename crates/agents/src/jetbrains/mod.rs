//! The JetBrains IDEs, which start agents over ACP, from their documentation of November 2026. None of them was tried.

use crate::{Agent, ConfigurationFiles, EditorAgents, Environment, Facts, Scope, ServerForm};
use protocol::{Text, say};

/// The JetBrains IDEs, which share one file.
pub struct JetBrains;

const FACTS: Facts = Facts {
    program: "idea",
    server_form: Some(ServerForm::Agents(EditorAgents { agents: "agent_servers", kind: None })),
    ..Facts::new("jetbrains", "JetBrains IDEs")
};

impl Agent for JetBrains {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn files(&self, environment: &Environment, scope: &Scope) -> ConfigurationFiles {
        let servers = match scope {
            Scope::User => vec![environment.home.join(".jetbrains/acp.json")],
            // Agents are the user's only.
            Scope::Project(_) => Vec::new(),
        };
        ConfigurationFiles { servers, ..ConfigurationFiles::default() }
    }

    fn notes(&self, _hooks: bool, _scope: &Scope) -> Vec<Text> {
        vec![say::note_new_chat()]
    }

    fn limits(&self) -> &'static [&'static str] {
        &[
            "agents of the registry, and those that come with the IDE, are started by the IDE itself: only those in `acp.json` are followed",
        ]
    }
}
