//! Agents that share the list of a session: their names, and the steps that each is given.

use crate::evidence::caller_key;
use crate::live::Live;
use crate::view;
use protocol::{Caller, EditView, Transport};
use todo::text::plain;
use todo::{EditState, Others, short};

impl Live {
    /// The names of the agents that share the list, where there are several.
    pub(crate) fn agents(&self) -> Vec<String> {
        if self.list.agents.len() < 2 {
            return Vec::new();
        }
        let mut names: Vec<String> = self.list.agents.values().cloned().collect();
        names.sort();
        names
    }

    /// The key under which the list knows a caller. A hook does not say the connection of its agent's calls: it is the
    /// one agent of that kind, where there is only one.
    pub(crate) fn key_of(&self, caller: &Caller) -> String {
        let key = caller_key(caller);
        let Some(agent) = caller.agent.as_ref().filter(|_| !self.list.agents.contains_key(&key)) else { return key };
        let kind = kind_name(&agent.agent.name);
        let mut of_kind = self.list.agents.iter().filter(|(_, name)| is_of_kind(name, &kind));
        match (of_kind.next(), of_kind.next()) {
            (Some((only, _)), None) => only.clone(),
            _ => key,
        }
    }

    /// The agents whose steps a caller is not given; all of them where it is not known which of them it is. The built-in
    /// agent has its list to itself.
    pub(crate) fn others(&self, caller: &Caller) -> Others {
        if caller.agent.is_none() || caller.transport == Transport::Builtin {
            return Others::default();
        }
        let key = self.key_of(caller);
        if self.list.agents.contains_key(&key) { self.list.others(&key) } else { self.list.all_agents() }
    }

    /// The name of a caller, where steps are shared out among several agents.
    pub(crate) fn name_of(&self, caller: &Caller) -> Option<String> {
        let agents = &self.list.agents;
        let is_shared = |owner: &String| agents.values().any(|name| name == owner);
        let shares = agents.len() > 1 && self.list.items.iter().any(|item| item.owner.as_ref().is_some_and(is_shared));
        if shares { agents.get(&self.key_of(caller)).cloned() } else { None }
    }

    /// The user's edits that no agent has seen yet, as far as they are about steps that a caller is given.
    pub(crate) fn queued_edits(&self, others: &Others) -> Vec<EditView> {
        let hidden = self.list.hidden_by(others);
        let queued = self.list.edits.iter().filter(|edit| edit.state == EditState::Queued);
        queued.filter_map(|edit| Others::part_of(edit, &hidden)).map(|edit| view::edit(&edit)).collect()
    }
}

/// The name of an agent as a part of a list.
pub(crate) fn kind_name(name: &str) -> String {
    let name = short(&plain(name));
    if name.trim().is_empty() { "agent".to_owned() } else { name }
}

/// The name of the agent of a kind with that number: `codex`, `codex 2`.
pub(crate) fn numbered(kind: &str, number: usize) -> String {
    if number == 1 { kind.to_owned() } else { format!("{kind} {number}") }
}

fn is_of_kind(name: &str, kind: &str) -> bool {
    name == kind
        || name
            .strip_prefix(kind)
            .and_then(|rest| rest.strip_prefix(' '))
            .is_some_and(|number| number.parse::<usize>().is_ok())
}
