//! A list of agents, passed to whoever asks about them.

use crate::Agent;

/// A list of agents.
#[derive(Debug, Clone, Copy, Default)]
pub struct Registry(&'static [&'static dyn Agent]);

impl Registry {
    /// A registry of these agents.
    #[must_use]
    pub const fn new(agents: &'static [&'static dyn Agent]) -> Self {
        Self(agents)
    }

    /// All agents, in the order of the registry.
    pub fn iter(self) -> impl Iterator<Item = &'static dyn Agent> {
        self.0.iter().copied()
    }

    /// The agents whose configuration is understood.
    pub fn connectable(self) -> impl Iterator<Item = &'static dyn Agent> {
        self.iter().filter(|agent| agent.facts().server_form.is_some())
    }

    /// The agents whose hooks are understood.
    pub fn hooked(self) -> impl Iterator<Item = &'static dyn Agent> {
        self.iter().filter(|agent| agent.facts().hooks.is_some())
    }

    /// The agent of this name.
    #[must_use]
    pub fn named(self, name: &str) -> Option<&'static dyn Agent> {
        self.iter().find(|agent| agent.name() == name)
    }

    /// The agent that calls itself this in an MCP handshake.
    #[must_use]
    pub fn of_client(self, client: &str) -> Option<&'static dyn Agent> {
        self.iter().find(|agent| agent.facts().mcp_clients.iter().any(|prefix| client.starts_with(prefix)))
    }

    /// The name for people of the agent with this name or alias.
    #[must_use]
    pub fn title(self, name: &str) -> Option<&'static str> {
        self.iter()
            .find(|agent| agent.name() == name || agent.facts().aliases.contains(&name))
            .map(|agent| agent.title())
    }

    /// The names of these agents, for messages.
    pub fn names(agents: impl Iterator<Item = &'static dyn Agent>) -> String {
        agents.map(|agent| agent.name()).collect::<Vec<_>>().join(", ")
    }

    /// The environment variables in which an agent tells its session to the programs it starts.
    pub fn session_variables(self) -> impl Iterator<Item = &'static str> {
        self.iter().filter_map(|agent| agent.facts().session_variable).map(|variable| variable.name)
    }
}

#[cfg(test)]
mod tests {
    use crate::KNOWN;

    #[test]
    fn a_server_of_an_agent_that_withholds_variables_can_start_on_windows() {
        let passed_on: Vec<_> = KNOWN.iter().filter_map(|agent| agent.facts().server_variables).collect();
        assert!(passed_on.len() > 1, "some withhold them");
        for variables in passed_on {
            for needed in ["APPDATA", "LOCALAPPDATA", "PATH", "PATHEXT", "SYSTEMROOT", "TEMP", "USERPROFILE"] {
                assert!(variables.windows.contains(&needed), "{needed} is kept from it");
            }
            assert!(variables.unix.contains(&"HOME") && variables.unix.contains(&"PATH"));
        }
    }
}
