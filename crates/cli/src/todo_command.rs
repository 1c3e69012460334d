//! `sightline todo …`: the `/todo` commands in a terminal (REQUIREMENTS P3 to P7).

use crate::output::{self, Verbatim};
use crate::session::Hub;
use clap::Subcommand;
use protocol::{Edited, SessionGet, SessionList, TodoAdd, TodoClear, TodoDelete, TodoUndo, TodoWrite};
use serde_json::{Map, Value};
use std::path::Path;
use todo::text::{SavedList, saved_lists, show};

/// How many saved lists are shown.
const LISTS: u32 = 50;

#[derive(Subcommand)]
pub(crate) enum TodoCommand {
    /// Show the list
    Show,
    /// Add an item at a position (1, last, 2.1, 2.last)
    Add {
        /// Where
        #[arg(allow_negative_numbers = true)]
        position: Option<String>,
        /// What
        description: Vec<String>,
    },
    /// Delete the item at a position
    Delete {
        /// Which
        #[arg(allow_negative_numbers = true)]
        position: Option<String>,
    },
    /// Empty the list
    Clear,
    /// Take back an edit: the last one made in a terminal, or the one named
    Undo {
        /// Which
        edit: Option<String>,
    },
    /// Show all sessions and their lists
    List,
    /// Write a whole list, as an agent does (JSON, or `-` for standard input)
    Write {
        /// `[{"content": "…", "status": "pending"}, …]`
        todos: String,
    },
    #[command(external_subcommand)]
    Other(Vec<String>),
}

const COMMANDS: &str = "show, add, delete, clear, undo, list, write";

pub(crate) async fn run(
    command: TodoCommand,
    session: Option<&str>,
    data_dir: &Path,
    json: bool,
) -> anyhow::Result<()> {
    check(&command)?;
    let hub = Hub::open(data_dir).await?;
    let done = perform(&hub, command, session, json).await;
    hub.close().await;
    done
}

/// What is wrong with a command before anybody has to be asked.
fn check(command: &TodoCommand) -> anyhow::Result<()> {
    let usage = |text: &str| Err(Verbatim(format!("Usage: {text}")).into());
    match command {
        TodoCommand::Add { position, description } if position.is_none() || description.is_empty() => {
            usage("/todo add <position> <description>")
        }
        TodoCommand::Delete { position: None } => usage("/todo delete <position>"),
        TodoCommand::Other(words) => {
            let word = words.first().map(String::as_str).unwrap_or_default();
            Err(Verbatim(format!("Unknown subcommand: {}. Use: {COMMANDS}", todo::text::plain(word))).into())
        }
        _ => Ok(()),
    }
}

async fn perform(hub: &Hub, command: TodoCommand, session: Option<&str>, json: bool) -> anyhow::Result<()> {
    match command {
        TodoCommand::Show => {
            let session_id = hub.session(session).await?.session_id;
            let list = hub.ask(SessionGet { session_id, revision: None }).await?;
            if json { output::json(&list) } else { output::line(&show(&list.todos)) }
        }
        TodoCommand::Add { position, description } => {
            let session_id = hub.session(session).await?.session_id;
            let content = unquoted(&description.join(" ")).to_owned();
            said(&hub.ask(TodoAdd { session_id, position, content, fields: Map::new() }).await?, json)
        }
        TodoCommand::Delete { position } => {
            let session_id = hub.session(session).await?.session_id;
            said(&hub.ask(TodoDelete { session_id, position, uid: None }).await?, json)
        }
        TodoCommand::Clear => {
            let session_id = hub.session(session).await?.session_id;
            said(&hub.ask(TodoClear { session_id }).await?, json)
        }
        TodoCommand::Undo { edit } => {
            let session_id = hub.session(session).await?.session_id;
            said(&hub.ask(TodoUndo { session_id, edit_id: edit }).await?, json)
        }
        TodoCommand::List => list(hub, json).await,
        TodoCommand::Write { todos } => write(hub, &todos, session, json).await,
        TodoCommand::Other(_) => Ok(()),
    }
}

fn said(edited: &Edited, json: bool) -> anyhow::Result<()> {
    if json { output::json(edited) } else { output::line(&todo::text::plain(&edited.message)) }
}

async fn list(hub: &Hub, json: bool) -> anyhow::Result<()> {
    let page = hub.ask(SessionList { limit: Some(LISTS), cursor: None }).await?;
    if json {
        return output::json(&page);
    }
    let mut lists = Vec::new();
    for session in &page.sessions {
        lists.push(hub.ask(SessionGet { session_id: session.session_id.clone(), revision: None }).await?);
    }
    let now = app::now().as_second();
    let saved: Vec<SavedList<'_>> = lists
        .iter()
        .map(|list| SavedList {
            current: list.session.current,
            age: now - list.session.last_activity_at.as_second(),
            items: &list.todos,
        })
        .collect();
    output::line(&saved_lists(&saved))
}

async fn write(hub: &Hub, todos: &str, session: Option<&str>, json: bool) -> anyhow::Result<()> {
    let Some(session) = session else {
        anyhow::bail!("say which session: --session LABEL (a new label makes a new session)");
    };
    let text = if todos == "-" { std::io::read_to_string(std::io::stdin())? } else { todos.to_owned() };
    let todos: Value = serde_json::from_str(&text).map_err(|error| {
        anyhow::anyhow!(
            "this is not JSON ({error}); a list looks like [{{\"content\": \"…\", \"status\": \"pending\"}}]"
        )
    })?;
    let written = hub.ask(TodoWrite { session: Some(session.to_owned()), todos, ..TodoWrite::default() }).await?;
    if json {
        return output::json(&written);
    }
    output::line(&format!("Updated todos: {}/{} complete", written.progress.completed, written.progress.total))
}

/// A description without the quotes around it.
fn unquoted(text: &str) -> &str {
    let text = text.trim();
    ['"', '\''].iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::unquoted;

    // P5
    #[test]
    fn surrounding_quotes_go() {
        assert_eq!(unquoted("\"Fix it\""), "Fix it");
        assert_eq!(unquoted(" 'Fix it' "), "Fix it");
        assert_eq!(unquoted("say \"it\""), "say \"it\"");
        assert_eq!(unquoted("\""), "\"");
    }
}
