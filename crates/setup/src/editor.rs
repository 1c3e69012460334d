//! The agents that an editor starts over ACP, each with our proxy before its command.

use crate::json;
use crate::server::{Ours, words};
use crate::status::Registration;
use crate::text::Fault;
use agents::EditorAgents;
use serde_json::Value;

/// The option that names the data folder.
const DATA_DIR: &str = "--data-dir";

/// The word after which an agent's own command stands.
const END: &str = "--";

/// An agent's entry.
struct EditorAgent {
    name: String,
    /// Its program and arguments.
    words: Vec<String>,
    /// The place of [`END`] among its arguments, where our proxy is before it.
    proxied: Option<usize>,
}

impl EditorAgent {
    /// The options of our proxy that are not ours: somebody has added them.
    fn options(&self) -> Vec<String> {
        let mut options = self.words.iter().take(self.proxied.map_or(0, |end| end + 1)).skip(2).cloned();
        let mut others = Vec::new();
        while let Some(option) = options.next() {
            if option == DATA_DIR {
                options.next();
            } else {
                others.push(option);
            }
        }
        others
    }

    /// The arguments of our proxy.
    fn wanted(&self, ours: &Ours) -> Vec<String> {
        let mut wanted = ["acp", DATA_DIR, ours.data_dir()].map(str::to_owned).to_vec();
        wanted.extend(self.options());
        wanted.push(END.to_owned());
        wanted
    }

    fn is_current(&self, ours: &Ours) -> bool {
        self.proxied.is_some_and(|end| self.words[0] == ours.command() && self.words[1..=end + 1] == self.wanted(ours))
    }
}

/// The agents in a text that are started by a command.
///
/// # Errors
/// A syntax error.
fn agents(text: &str, ours: &Ours, form: EditorAgents) -> Result<Vec<EditorAgent>, Fault> {
    let value = json::value(text)?;
    let is_started = |entry: &Value| {
        let is_kind = form.kind.is_none_or(|(member, kind)| entry[member] == kind);
        is_kind && entry["command"].is_string() && (entry["args"].is_array() || entry.get("args").is_none())
    };
    let entries = value[form.agents].as_object().into_iter().flatten();
    Ok(entries
        .filter(|(_, entry)| is_started(entry))
        .map(|(name, entry)| {
            let words = words(entry);
            let proxied = ours.proxies(&words).then(|| words[1..].iter().position(|word| word == END)).flatten();
            // Nothing stands behind it: that starts no agent.
            let proxied = proxied.filter(|end| words.len() > end + 2);
            EditorAgent { name: name.clone(), words, proxied }
        })
        .collect())
}

/// Returns whether a text has an agent that our proxy can be put before.
///
/// # Errors
/// A syntax error.
pub(crate) fn has_agents(text: &str, ours: &Ours, form: EditorAgents) -> Result<bool, Fault> {
    Ok(!agents(text, ours, form)?.is_empty())
}

/// The state of our proxy: ours where it is before every agent.
///
/// # Errors
/// A syntax error.
pub(crate) fn look(text: &str, ours: &Ours, form: EditorAgents) -> Result<Registration, Fault> {
    let agents = agents(text, ours, form)?;
    if agents.iter().all(|agent| agent.proxied.is_none()) {
        return Ok(Registration::Absent);
    }
    let other = agents.iter().find(|agent| !agent.is_current(ours));
    Ok(other.map_or(Registration::Ours, |agent| {
        Registration::Outdated(format!("{}: {}", agent.name, agent.words.join(" ")).into())
    }))
}

/// The text with our proxy before every agent.
///
/// # Errors
/// A syntax error, or an entry that cannot be edited.
pub(crate) fn connect(text: &str, ours: &Ours, form: EditorAgents) -> Result<String, Fault> {
    agents(text, ours, form)?.iter().filter(|agent| !agent.is_current(ours)).try_fold(text.to_owned(), |text, agent| {
        let path = [form.agents, agent.name.as_str()];
        let text = match agent.proxied {
            Some(end) => json::unwrap(&text, &path, end + 1)?,
            None => text,
        };
        json::wrap(&text, &path, ours.command(), &agent.wanted(ours))
    })
}

/// The text with each agent's own command.
///
/// # Errors
/// A syntax error, or an entry that cannot be edited.
pub(crate) fn disconnect(text: &str, ours: &Ours, form: EditorAgents) -> Result<String, Fault> {
    agents(text, ours, form)?.iter().try_fold(text.to_owned(), |text, agent| match agent.proxied {
        Some(end) => json::unwrap(&text, &[form.agents, agent.name.as_str()], end + 1),
        None => Ok(text),
    })
}
