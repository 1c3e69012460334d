//! `sightline later`: the steps and messages that are kept until an agent is idle.

use crate::output;
use crate::session::Hub;
use crate::words::{self, word};
use clap::Subcommand;
use protocol::{LaterAdd, LaterDelete, LaterEdit, LaterItem, LaterList};
use std::path::{Path, PathBuf};

#[derive(Subcommand)]
pub(crate) enum LaterCommand {
    /// Show them, numbered in the order in which they are delivered
    List,
    /// Keep a message, or a step, until the agent is idle
    Add {
        /// It is a step for the list
        #[arg(long)]
        step: bool,
        /// For the next session in this folder, and not for a session
        #[arg(long, value_name = "DIR")]
        folder: Option<PathBuf>,
        /// The message or the step
        text: Vec<String>,
    },
    /// Change the text of one
    Edit {
        /// Its number in `sightline later list`
        number: usize,
        /// The new text
        text: Vec<String>,
    },
    /// Move one to another number
    Move {
        /// Its number in `sightline later list`
        from: usize,
        /// The number that it moves to
        to: u32,
    },
    /// Delete one
    Delete {
        /// Its number in `sightline later list`
        number: usize,
    },
}

pub(crate) async fn run(
    command: LaterCommand,
    session: Option<&str>,
    data_dir: &Path,
    json: bool,
) -> anyhow::Result<()> {
    if let LaterCommand::Add { step, folder, text } = &command {
        let text = text.join(" ");
        return match folder {
            Some(folder) => {
                let folder = Some(std::path::absolute(folder)?.display().to_string());
                let hub = Hub::open(data_dir).await?;
                let added = hub.ask(LaterAdd { folder, step: *step, text, ..LaterAdd::default() }).await;
                hub.close().await;
                print(&added?, json)
            }
            None => add(&text, *step, session, data_dir, json).await,
        };
    }
    let hub = Hub::open(data_dir).await?;
    let done = change(&hub, command, session, json).await;
    hub.close().await;
    done
}

/// Keeps a message or a step for a session.
pub(crate) async fn add(
    text: &str,
    step: bool,
    session: Option<&str>,
    data_dir: &Path,
    json: bool,
) -> anyhow::Result<()> {
    let hub = Hub::open(data_dir).await?;
    let added = async {
        let session_id = Some(hub.session(session).await?.session_id);
        hub.ask(LaterAdd { session_id, step, text: text.to_owned(), ..LaterAdd::default() }).await
    }
    .await;
    hub.close().await;
    print(&added?, json)
}

async fn change(hub: &Hub, command: LaterCommand, session: Option<&str>, json: bool) -> anyhow::Result<()> {
    let session_id = Some(hub.session(session).await?.session_id);
    let mut waiting = hub.ask(LaterList { session_id }).await?.items;
    waiting.retain(|item| item.handed_over.is_none());
    let numbered = |number: usize| {
        let item = number.checked_sub(1).and_then(|at| waiting.get(at));
        item.map(|item| item.later_id.clone())
            .ok_or_else(|| anyhow::anyhow!(words::text("terminal_later_number", &[("number", &number)])))
    };
    match command {
        LaterCommand::Edit { number, text } => {
            let edit = LaterEdit { later_id: numbered(number)?, text: Some(text.join(" ")), ..LaterEdit::default() };
            print(&hub.ask(edit).await?, json)
        }
        LaterCommand::Move { from, to } => {
            let edit = LaterEdit { later_id: numbered(from)?, to: Some(to), ..LaterEdit::default() };
            print(&hub.ask(edit).await?, json)
        }
        LaterCommand::Delete { number } => {
            hub.ask(LaterDelete { later_id: numbered(number)? }).await?;
            if json { output::json(&serde_json::json!({})) } else { output::line(word("terminal_deleted")) }
        }
        LaterCommand::List | LaterCommand::Add { .. } if json => output::json(&waiting),
        LaterCommand::List | LaterCommand::Add { .. } if waiting.is_empty() => {
            output::line(word("terminal_nothing_later"))
        }
        LaterCommand::List | LaterCommand::Add { .. } => (1..).zip(&waiting).try_for_each(|(number, item)| {
            let place = item
                .folder
                .as_ref()
                .map(|_| format!("{}{}", word("terminal_comma"), word("terminal_for_next_in_folder")));
            output::line(&format!("{number}. {}{}", shown(item), place.unwrap_or_default()))
        }),
    }
}

fn print(item: &LaterItem, json: bool) -> anyhow::Result<()> {
    if json {
        output::json(item)
    } else {
        output::line(&words::text("terminal_kept_until_idle", &[("what", &shown(item))]))
    }
}

fn shown(item: &LaterItem) -> String {
    let kind = if item.step { "terminal_later_step" } else { "terminal_later_message" };
    format!("{} {}", word(kind), todo::text::plain(&item.text))
}
