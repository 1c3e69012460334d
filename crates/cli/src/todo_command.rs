//! `sightline todo …`: the `/todo` commands in a terminal (REQUIREMENTS P3 to P7).

use crate::output::{self, Verbatim};
use crate::session::Hub;
use clap::Subcommand;
use protocol::{
    EditInsist, EditState, EditView, Edited, NoteSend, SessionGet, SessionList, SessionLoad, TodoAdd, TodoArchive,
    TodoClear, TodoDelete, TodoEdit, TodoMove, TodoSetStatus, TodoUndo, TodoWrite,
};
use serde_json::{Map, Value};
use std::path::Path;
use todo::text::{SavedList, saved_lists, show};
use todo::{Priority, Status};

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
    /// Delete items by position (2, last, 1.2, 2-4, all)
    Delete {
        /// Which
        #[arg(allow_negative_numbers = true)]
        position: Option<String>,
    },
    /// Set the status of items, to in_progress where none is said
    Set {
        /// Which
        #[arg(allow_negative_numbers = true)]
        position: Option<String>,
        /// pending, in_progress, completed, blocked, skipped or cancelled
        status: Option<String>,
        /// Why
        #[arg(long)]
        reason: Option<String>,
    },
    /// Set items back to pending
    Unset {
        /// Which
        #[arg(allow_negative_numbers = true)]
        position: Option<String>,
    },
    /// Change what an item says
    Edit {
        /// Which
        #[arg(allow_negative_numbers = true)]
        position: Option<String>,
        /// Its new text
        description: Vec<String>,
        /// What to show while it is in progress
        #[arg(long)]
        active_form: Option<String>,
        /// high, medium, low, or none
        #[arg(long)]
        priority: Option<String>,
        /// Remarks; an empty text takes them away
        #[arg(long)]
        notes: Option<String>,
    },
    /// Move an item to another position on its level
    Move {
        /// Which
        #[arg(allow_negative_numbers = true)]
        from: Option<String>,
        /// Where to
        #[arg(allow_negative_numbers = true)]
        to: Option<String>,
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
    /// Put a saved list, by its number in `list`, in the place of the current one
    Load {
        /// Which; asked for where it is left out
        number: Option<String>,
    },
    /// Put the list into the history, and begin with an empty one
    Archive,
    /// Make an edit again that the agent overrode or ignores: the newest such, or the one named
    Insist {
        /// Which
        edit: Option<String>,
    },
    /// Write a whole list, as an agent does (JSON, or `-` for standard input)
    Write {
        /// `[{"content": "…", "status": "pending"}, …]`
        todos: String,
    },
    #[command(external_subcommand)]
    Other(Vec<String>),
}

const COMMANDS: &str = "show, add, delete, set, unset, edit, move, clear, undo, insist, list, load, archive, write";

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
        TodoCommand::Set { position: None, .. } => usage("/todo set <position> [status]"),
        TodoCommand::Unset { position: None } => usage("/todo unset <position>"),
        TodoCommand::Edit { position, description, active_form, priority, notes }
            if position.is_none()
                || (description.is_empty() && active_form.is_none() && priority.is_none() && notes.is_none()) =>
        {
            usage("/todo edit <position> <description>")
        }
        TodoCommand::Move { to: None, .. } => usage("/todo move <from> <to>"),
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
        TodoCommand::Set { position, status, reason } => {
            let session_id = hub.session(session).await?.session_id;
            let status = status.unwrap_or_else(|| Status::InProgress.name().to_owned());
            said(&hub.ask(TodoSetStatus { session_id, position, status, reason, uid: None }).await?, json)
        }
        TodoCommand::Unset { position } => {
            let session_id = hub.session(session).await?.session_id;
            let status = Status::Pending.name().to_owned();
            said(&hub.ask(TodoSetStatus { session_id, position, status, reason: None, uid: None }).await?, json)
        }
        TodoCommand::Edit { position, description, active_form, priority, notes } => {
            let session_id = hub.session(session).await?.session_id;
            let content = Some(unquoted(&description.join(" ")).to_owned()).filter(|_| !description.is_empty());
            // Only a word of ours is a priority; an agent may have others, people would have mistyped.
            let priority = match priority.as_deref() {
                None => None,
                Some("none") => Some(Value::Null),
                Some(word) if Priority::from_word(word).is_some() => Some(Value::String(word.to_owned())),
                Some(word) => anyhow::bail!("\"{word}\" is no priority; use high, medium, low or none"),
            };
            let mut fields = Map::new();
            for (key, value) in [("content", content), ("activeForm", active_form), ("notes", notes)] {
                fields.extend(value.map(|value| (key.to_owned(), Value::String(value))));
            }
            fields.extend(priority.map(|priority| ("priority".to_owned(), priority)));
            said(&hub.ask(TodoEdit { session_id, position, uid: None, fields }).await?, json)
        }
        TodoCommand::Move { from, to } => {
            let session_id = hub.session(session).await?.session_id;
            let to = to.unwrap_or_default();
            said(&hub.ask(TodoMove { session_id, position: from, uid: None, to }).await?, json)
        }
        TodoCommand::Archive => {
            let session_id = hub.session(session).await?.session_id;
            said(&hub.ask(TodoArchive { session_id }).await?, json)
        }
        TodoCommand::Insist { edit } => insist(hub, edit, session, json).await,
        TodoCommand::Load { number } => load(hub, number, session, json).await,
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
    if json {
        return output::json(edited);
    }
    output::line(&todo::text::plain(&edited.message))?;
    edited.remarks.iter().try_for_each(|left| output::line(&todo::text::plain(&format!("Left: {left}"))))
}

/// `sightline note`: a line for the agent.
pub(crate) async fn note(text: &str, session: Option<&str>, data_dir: &Path, json: bool) -> anyhow::Result<()> {
    if text.trim().is_empty() {
        return Err(Verbatim("Usage: sightline note <text>".to_owned()).into());
    }
    let hub = Hub::open(data_dir).await?;
    let done = async {
        let session_id = hub.session(session).await?.session_id;
        said(&hub.ask(NoteSend { session_id, text: unquoted(text).to_owned() }).await?, json)
    };
    let done = done.await;
    hub.close().await;
    done
}

async fn insist(hub: &Hub, edit: Option<String>, session: Option<&str>, json: bool) -> anyhow::Result<()> {
    let session_id = hub.session(session).await?.session_id;
    let list = hub.ask(SessionGet { session_id: session_id.clone(), revision: None }).await?;
    let open = |edit: &&EditView| matches!(edit.state, EditState::Overridden | EditState::Ignored);
    let newest = list.edits.iter().rev().find(open).map(|edit| edit.edit_id.clone());
    let Some(edit_id) = edit.or(newest) else {
        anyhow::bail!("the agent neither overrode nor ignores any of your edits");
    };
    said(&hub.ask(EditInsist { session_id, edit_id }).await?, json)
}

// P8
async fn load(hub: &Hub, number: Option<String>, session: Option<&str>, json: bool) -> anyhow::Result<()> {
    let into = hub.session(session).await?.session_id;
    let number = match number {
        Some(number) => number,
        None => {
            // Programs type it, too, and read nothing but JSON.
            if !json {
                list(hub, false).await?;
                output::line("Enter number to load into current session (or blank to cancel):")?;
            }
            let mut typed = String::new();
            std::io::stdin().read_line(&mut typed)?;
            typed.trim().to_owned()
        }
    };
    if number.is_empty() {
        return Ok(());
    }
    let sessions = hub.ask(SessionList { limit: Some(LISTS), cursor: None }).await?.sessions;
    let chosen = number.parse::<usize>().ok().and_then(|number| sessions.get(number.checked_sub(1)?));
    let Some(chosen) = chosen else {
        anyhow::bail!("there is no saved list {}; `sightline todo list` numbers those there are", todo::short(&number));
    };
    let ask = SessionLoad { session_id: into, from: Some(chosen.session_id.clone()), revision: None };
    said(&hub.ask(ask).await?, json)
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
