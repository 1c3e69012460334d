//! Assigning steps: several agents share a list, and each is given its own steps and those of nobody.

use super::{Command, misused, unquoted};
use crate::{Code, Error, Request, Result, TodoEdit, say};
use serde_json::{Map, Value};
use todo::text::plain;

/// The word for no agent.
pub(super) const NOBODY: &str = "nobody";

/// Items, and the agent whose they are to be, as they were typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    position: String,
    agent: String,
}

impl Command {
    /// Assigns items to an agent, or to nobody.
    ///
    /// # Errors
    /// [`Code::Usage`] where a part is missing, [`Code::InvalidMessage`] for a subtask.
    pub fn assign(position: Option<String>, agent: &str) -> Result<Self> {
        let (Some(position), agent) = (position, unquoted(agent)) else { return Err(misused("assign")) };
        if agent.is_empty() {
            return Err(misused("assign"));
        }
        if let Some((step, _)) = position.split_once('.') {
            return Err(Error::new(Code::InvalidMessage, say::assign_subtask(plain(&todo::short(step)))));
        }
        Ok(Self::Assign(Assignment { position, agent: agent.to_owned() }))
    }
}

impl Assignment {
    /// The edit, given the agents of the session.
    ///
    /// # Errors
    /// [`Code::InvalidMessage`] for an agent that is none of them.
    pub fn request(self, agents: &[String]) -> Result<Request> {
        let Self { position, agent } = self;
        let named = agents.iter().find(|name| **name == agent);
        let named = named.or_else(|| agents.iter().find(|name| name.to_lowercase() == agent.to_lowercase()));
        let owner = match named {
            Some(name) => Value::String(name.clone()),
            None if agent.eq_ignore_ascii_case(NOBODY) => Value::Null,
            None if agents.is_empty() => {
                return Err(Error::new(Code::InvalidMessage, say::assign_alone()));
            }
            None => {
                let (agent, known) = (plain(&todo::short(&agent)), plain(&agents.join(", ")));
                let text = say::assign_unknown(&agent, format!("{known}, {NOBODY}"));
                let english = format!("no agent of this list is called \"{agent}\"; use {known} or {NOBODY}");
                return Err(Error::new(Code::InvalidMessage, text.in_english(english)));
            }
        };
        let fields = Map::from_iter([("owner".to_owned(), owner)]);
        Ok(TodoEdit { position: Some(position), fields, ..TodoEdit::default() }.into())
    }
}
