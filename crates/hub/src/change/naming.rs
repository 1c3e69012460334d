//! An agent gets its name among those that share a session's list.

use crate::error::Result;
use crate::evidence::{as_said, caller_key};
use crate::live::{Line, Live};
use crate::sharing::{kind_name, numbered};
use crate::turn::Turn;
use protocol::Transport;
use std::sync::Arc;

/// Agents of one session that have a name.
const AGENTS: usize = 8;

impl Turn<'_, '_> {
    /// Names the caller, if it is an agent without a name there. It gets the name of one of its kind that is gone, with
    /// that one's steps, or else a new one.
    pub(super) async fn name_agent(&mut self, live: &mut Live, connection: Option<&str>) -> Result<()> {
        let is_built_in = self.caller.transport == Transport::Builtin;
        let Some(agent) = self.caller.agent.as_ref().filter(|_| !is_built_in) else { return Ok(()) };
        live.runs_in(self.caller);
        let key = caller_key(self.caller);
        if let Some(connection) = connection {
            let is_held = self.core.board.is_present(as_said(connection));
            let is_so = |line: &Line| line.connection == connection && line.is_held == is_held;
            if !live.lines.get(&key).is_some_and(is_so) {
                live.lines.insert(key.clone(), Line { connection: connection.to_owned(), is_held });
            }
        }
        if live.list.agents.contains_key(&key) {
            return Ok(());
        }
        let kind = kind_name(&agent.agent.name);
        // A subagent calls over the connection of its agent.
        let connection = connection.filter(|_| agent.parent.is_none());
        let mut names = (1..).map(|number| numbered(&kind, number));
        let (name, before) = loop {
            let Some(name) = names.next() else { return Ok(()) };
            let holder = live.list.agents.iter().find(|(_, taken)| **taken == name).map(|(holder, _)| holder.clone());
            match holder {
                None => break (name, self.surplus_agent(live)),
                Some(holder) if self.is_gone(live, &holder, connection) => break (name, Some(holder)),
                Some(_) => {}
            }
        };
        let agents = &mut Arc::make_mut(&mut live.list).agents;
        if let Some(before) = before {
            agents.remove(&before);
            self.transaction.name_caller(&live.row, &before, None).await?;
        }
        self.transaction.name_caller(&live.row, &key, Some(&name)).await?;
        agents.insert(key, name);
        Ok(())
    }

    /// The agent that loses its name where there is no room for another one: one that is gone, or the one that was told
    /// of the oldest list.
    fn surplus_agent(&self, live: &Live) -> Option<String> {
        if live.list.agents.len() < AGENTS {
            return None;
        }
        let newest = |key: &String| {
            let revisions = live.caller_revisions.get(key).copied().unwrap_or_default();
            revisions.known_revision.max(revisions.sent_revision)
        };
        live.list.agents.keys().min_by_key(|key| (!self.is_gone(live, key, None), newest(key))).cloned()
    }

    /// True if the agent of that key has ended, or goes on over the connection given under another key.
    fn is_gone(&self, live: &Live, key: &str, connection: Option<&str>) -> bool {
        match live.lines.get(key) {
            Some(line) if connection == Some(line.connection.as_str()) => true,
            Some(line) if line.is_held => !self.core.board.is_present(as_said(&line.connection)),
            // Nobody knows when a client over HTTP ends.
            _ => self.core.is_long_ago(live.known_until()),
        }
    }
}
