//! `sightline todo …`: the `/todo` commands in a terminal (requirements P3 to P7).

use crate::output::{self, Verbatim};
use crate::session::{Hub, other_version};
use crate::words::{self, of_command, of_edit, sent, word};
use clap::Subcommand;
use protocol::command::{Command, Fields, Pages, unknown};
use protocol::{
    ArchiveLists, ArchiveStatus, Code, Edited, ListEntry, Request, Revisions, Session, SessionGet, SessionLoad,
    SessionRevisions, Text, TodoAdd, TodoWrite, say,
};
use serde_json::{Value, json};
use std::ops::Range;
use std::path::Path;
use todo::text::plain;
use todo::{Item, Position};

/// Lists that are asked for at once.
const AT_ONCE: u32 = 200;

#[derive(Subcommand)]
pub(crate) enum TodoCommand {
    /// Show the list
    Show,
    /// Add an item at a position (1, last, 2.1, 2.last)
    Add {
        /// Position of the new item
        #[arg(allow_negative_numbers = true)]
        position: Option<String>,
        /// Text of the new item
        description: Vec<String>,
    },
    /// Delete items by position (2, last, 1.2, 2-4, all)
    Delete {
        /// Positions
        #[arg(allow_negative_numbers = true)]
        position: Option<String>,
    },
    /// Set the status of items, to in_progress where none is said
    Set {
        /// Positions
        #[arg(allow_negative_numbers = true)]
        position: Option<String>,
        /// pending, in_progress, completed, blocked, skipped or cancelled
        status: Option<String>,
        /// Reason
        #[arg(long)]
        reason: Option<String>,
    },
    /// Set items back to pending
    Unset {
        /// Positions
        #[arg(allow_negative_numbers = true)]
        position: Option<String>,
    },
    /// Change what an item says
    Edit {
        /// Position of the item
        #[arg(allow_negative_numbers = true)]
        position: Option<String>,
        /// Its new text
        description: Vec<String>,
        /// Text to show while it is in progress
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
        /// Position of the item
        #[arg(allow_negative_numbers = true)]
        from: Option<String>,
        /// Its new position
        #[arg(allow_negative_numbers = true)]
        to: Option<String>,
    },
    /// Make items subtasks of the one above them
    Indent {
        /// Positions
        #[arg(allow_negative_numbers = true)]
        position: Option<String>,
    },
    /// Take subtasks out of the item that they belong to
    Outdent {
        /// Positions
        #[arg(allow_negative_numbers = true)]
        position: Option<String>,
    },
    /// Assign items to one of several agents that share the list, or to nobody
    Assign {
        /// Positions
        #[arg(allow_negative_numbers = true)]
        position: Option<String>,
        /// The agent, as the list calls it (codex, codex 2), or nobody
        agent: Vec<String>,
    },
    /// Empty the list
    Clear,
    /// Take back an edit: the last one made in a terminal, or the one named
    Undo {
        /// Id of the edit
        edit: Option<String>,
    },
    /// Show the lists of all sessions
    List {
        /// The page, of 50 lists
        page: Option<String>,
        /// Show all of them
        #[arg(long, conflicts_with = "page")]
        all: bool,
    },
    /// Put a saved list, by its number in `list`, in the place of the current one
    Load {
        /// Number of the list; asked for where it is left out
        number: Option<String>,
    },
    /// Show who changed the list, or the item at a position
    History {
        /// Position of the item
        #[arg(allow_negative_numbers = true)]
        position: Option<String>,
    },
    /// Put the list into the history, and begin with an empty one
    Archive,
    /// Make an edit again that the agent overrode or ignores: the newest such, or the one named
    Insist {
        /// Id of the edit
        edit: Option<String>,
    },
    /// Send the agent a message, delivered on its next call
    Note {
        /// The message
        text: Vec<String>,
    },
    /// Write a whole list, as an agent does (JSON, or `-` for standard input)
    Write {
        /// `[{"content": "…", "status": "pending"}, …]`
        todos: String,
    },
    #[command(external_subcommand)]
    Other(Vec<String>),
}

pub(crate) async fn run(
    command: TodoCommand,
    session: Option<&str>,
    data_dir: &Path,
    json: bool,
) -> anyhow::Result<()> {
    // A wrong command fails before a connection is made.
    let parsed = parse(command).map_err(|error| match error.downcast::<protocol::Error>() {
        Ok(error) if error.code == Code::Usage => Verbatim(sent(&error.message, error.text.as_ref())).into(),
        Ok(error) => error.into(),
        Err(error) => error,
    })?;
    let hub = Hub::open(data_dir).await?;
    let done = perform(&hub, parsed, session, json).await;
    hub.close().await;
    done
}

/// A parsed command: one that the command bar has too, or one of the terminal's own.
enum Parsed {
    Typed(Command),
    LoadWithMenu,
    Write(String),
}

fn parse(command: TodoCommand) -> anyhow::Result<Parsed> {
    Ok(Parsed::Typed(match command {
        TodoCommand::Show => Command::Show,
        TodoCommand::List { all: true, .. } => Command::list(Some("--all"))?,
        TodoCommand::List { page, .. } => Command::list(page.as_deref())?,
        TodoCommand::Clear => Command::clear(),
        TodoCommand::Archive => Command::archive(),
        TodoCommand::History { position } => Command::History(position),
        TodoCommand::Add { position, description } => Command::add(position, &description.join(" "))?,
        TodoCommand::Delete { position } => Command::delete(position)?,
        TodoCommand::Set { position, status, reason } => Command::set(position, status, reason)?,
        TodoCommand::Unset { position } => Command::unset(position)?,
        TodoCommand::Edit { position, description, active_form, priority, notes } => {
            Command::edit(position, &description.join(" "), Fields { active_form, priority, notes })?
        }
        TodoCommand::Move { from, to } => Command::move_to(from, to)?,
        TodoCommand::Indent { position } => Command::indent(position, false)?,
        TodoCommand::Outdent { position } => Command::indent(position, true)?,
        TodoCommand::Assign { position, agent } => Command::assign(position, &agent.join(" "))?,
        TodoCommand::Undo { edit } => Command::undo(edit),
        TodoCommand::Insist { edit } => Command::insist(edit),
        TodoCommand::Note { text } => Command::note(&text.join(" "))?,
        TodoCommand::Load { number: None } => return Ok(Parsed::LoadWithMenu),
        TodoCommand::Load { number } => Command::load(number.as_deref()).map_err(wrong_number)?,
        TodoCommand::Write { todos } => return Ok(Parsed::Write(todos)),
        TodoCommand::Other(words) => {
            anyhow::bail!(unknown(words.first().map(String::as_str).unwrap_or_default()))
        }
    }))
}

async fn perform(hub: &Hub, parsed: Parsed, session: Option<&str>, json: bool) -> anyhow::Result<()> {
    match parsed {
        Parsed::Write(todos) => write(hub, &todos, session, json).await,
        Parsed::LoadWithMenu => load(hub, session, json).await,
        Parsed::Typed(Command::Change(request)) => edit(hub, in_session(hub, *request, session).await?, json).await,
        Parsed::Typed(Command::Assign(assignment)) => {
            let session_id = hub.session(session).await?.session_id;
            let session = hub.ask(SessionGet { session_id, revision: None }).await?.session;
            edit(hub, assignment.request(&session.agents)?.in_session(&session.session_id), json).await
        }
        Parsed::Typed(Command::Load(number)) => {
            let into = hub.session(session).await?.session_id;
            load_number(hub, into, number, json).await
        }
        Parsed::Typed(Command::Show) if json => {
            let session_id = hub.session(session).await?.session_id;
            output::json(&hub.ask(SessionGet { session_id, revision: None }).await?)
        }
        Parsed::Typed(Command::List(pages)) if json => list_as_json(hub, pages).await,
        Parsed::Typed(Command::History(position)) if json => output::json(&revisions(hub, session, position).await?),
        Parsed::Typed(Command::List(pages)) => output::line(&listed(hub, pages).await?),
        Parsed::Typed(command) => {
            let line = match command {
                Command::Show => "show".to_owned(),
                Command::History(position) => format!("history {}", position.unwrap_or_default()),
                _ => "help".to_owned(),
            };
            let session_id = hub.session(session).await?.session_id;
            let commanded = hub.ask(protocol::TodoCommand { session_id, line }).await?;
            if json { output::json(&commanded) } else { output::line(&of_command(&commanded)) }
        }
    }
}

/// The changes of the list, or of the item at a position.
async fn revisions(hub: &Hub, session: Option<&str>, position: Option<String>) -> anyhow::Result<Revisions> {
    let session_id = hub.session(session).await?.session_id;
    let list = hub.ask(SessionGet { session_id: session_id.clone(), revision: None }).await?;
    let uid = position.map(|typed| uid_at(&list.todos, &typed)).transpose()?;
    hub.ask(SessionRevisions { session_id, uid, ..SessionRevisions::default() }).await
}

fn print_edited(edited: &Edited, json: bool) -> anyhow::Result<()> {
    if json {
        return output::json(edited);
    }
    output::line(&plain(&of_edit(edited)))?;
    edited.remarks.iter().enumerate().try_for_each(|(at, english)| {
        let remark = Text { english: english.clone(), named: edited.remark_texts.get(at).cloned() };
        let left = say::left(&remark).with("what", &remark);
        output::line(&plain(&sent(&left.english, left.named.as_ref())))
    })
}

/// Sends an edit and prints its result.
async fn edit(hub: &Hub, request: Request, json: bool) -> anyhow::Result<()> {
    let edited = hub.reply(request).await?.into_edited().ok_or_else(other_version)?;
    print_edited(&edited, json)
}

/// `sightline note`: a message to the agent.
pub(crate) async fn note(text: &str, session: Option<&str>, data_dir: &Path, json: bool) -> anyhow::Result<()> {
    let Ok(command) = Command::note(text) else {
        return Err(Verbatim(word("terminal_usage_note").to_owned()).into());
    };
    let hub = Hub::open(data_dir).await?;
    let done = perform(&hub, Parsed::Typed(command), session, json).await;
    hub.close().await;
    done
}

/// Asks which list to load (requirement P8), by its number among the lists as they were shown.
async fn load(hub: &Hub, session: Option<&str>, json: bool) -> anyhow::Result<()> {
    let into = hub.session(session).await?.session_id;
    // The numbers are those that were shown, also where an agent writes before the answer.
    let mut lists = lists(hub, Pages::LISTS).await?;
    // Programs use this command too, and read nothing but JSON.
    if !json {
        output::line(&listed(hub, Pages::One(1)).await?)?;
        output::line(word("terminal_enter_number"))?;
    }
    let mut typed = String::new();
    std::io::stdin().read_line(&mut typed)?;
    let number = typed.trim();
    if number.is_empty() {
        return Ok(());
    }
    match Command::load(Some(number)).map_err(wrong_number)? {
        Command::Load(number) if number <= lists.len() => {
            let ListEntry { session, ended, .. } = lists.swap_remove(number - 1);
            let (from, revision) = (Some(session.session_id), ended.map(|list| list.revision));
            edit(hub, SessionLoad { session_id: into, from, revision, ..SessionLoad::default() }.into(), json).await
        }
        Command::Load(number) => load_number(hub, into, number, json).await,
        _ => Ok(()),
    }
}

/// The error of a word that is no number of a list.
fn wrong_number(error: protocol::Error) -> protocol::Error {
    if error.code == Code::Usage { error } else { in_terminal(error) }
}

/// The error of a number that no list has, with the way to the numbers.
fn in_terminal(error: protocol::Error) -> protocol::Error {
    match words::params(&error, "no_saved_list").and_then(|params| params.get("number")) {
        Some(number) => protocol::Error::new(error.code, say::no_saved_list_in_terminal(number)),
        None => error,
    }
}

/// Puts the list of that number in the place of a session's.
async fn load_number(hub: &Hub, session_id: String, number: usize, json: bool) -> anyhow::Result<()> {
    let line = format!("load {number}");
    let loaded = hub.ask(protocol::TodoCommand { session_id, line }).await;
    let loaded = loaded.map_err(|error| match error.downcast::<protocol::Error>() {
        Ok(error) if error.code == Code::SessionNotFound => in_terminal(error).into(),
        Ok(error) => error.into(),
        Err(error) => error,
    })?;
    match &loaded.edited {
        Some(edited) => print_edited(edited, json),
        None => output::line(&of_command(&loaded)),
    }
}

/// An edit in the session that was named, or in the one current session. Where there is none, a step begins a list.
async fn in_session(hub: &Hub, request: Request, session: Option<&str>) -> anyhow::Result<Request> {
    match (hub.session(session).await, request) {
        (Ok(session), request) => Ok(request.in_session(&session.session_id)),
        (Err(error), Request::TodoAdd(add)) if is_missing(&error) => {
            Ok(TodoAdd { label: session.map(str::to_owned), ..add }.into())
        }
        (Err(error), _) => Err(error),
    }
}

fn is_missing(error: &anyhow::Error) -> bool {
    error.downcast_ref::<protocol::Error>().is_some_and(|error| error.code == Code::SessionNotFound)
}

/// The item at a position.
fn uid_at(items: &[Item], typed: &str) -> anyhow::Result<String> {
    let slot = Position::parse(typed).and_then(|position| position.existing(items)).map_err(protocol::Error::from)?;
    Ok(slot.item(items).map(|item| item.uid.to_string()).unwrap_or_default())
}

/// The lists of all sessions (requirement P7), also where no session is current.
async fn listed(hub: &Hub, pages: Pages) -> anyhow::Result<String> {
    let line = match pages {
        Pages::One(page) => format!("list {page}"),
        Pages::All => "list --all".to_owned(),
    };
    Ok(of_command(&hub.ask(protocol::TodoCommand { session_id: String::new(), line }).await?))
}

/// The lists, by their numbers, with how many there are in all.
async fn list_as_json(hub: &Hub, pages: Pages) -> anyhow::Result<()> {
    let Range { start, end } = pages.range();
    let mut lists = lists(hub, end).await?;
    pages.check(lists.len())?;
    let lists = lists.split_off(start.min(lists.len()));
    let total = hub.ask(ArchiveStatus::default()).await?.lists;
    // Programs that know sessions only find those of the lists.
    let sessions: Vec<&Session> = lists.iter().filter(|list| list.ended.is_none()).map(|list| &list.session).collect();
    output::json(&json!({ "lists": lists, "first": start + 1, "total": total, "sessions": sessions }))
}

/// The lists up to a number, in the order of their numbers.
async fn lists(hub: &Hub, most: usize) -> anyhow::Result<Vec<ListEntry>> {
    let mut lists: Vec<ListEntry> = Vec::new();
    let mut cursor = None;
    loop {
        let page = hub.ask(ArchiveLists { cursor, limit: Some(AT_ONCE), ..ArchiveLists::default() }).await?;
        lists.extend(page.lists);
        cursor = page.next_cursor;
        if cursor.is_none() || lists.len() >= most {
            lists.truncate(most);
            return Ok(lists);
        }
    }
}

async fn write(hub: &Hub, todos: &str, session: Option<&str>, json: bool) -> anyhow::Result<()> {
    let Some(session) = session else {
        anyhow::bail!(word("terminal_say_session"));
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
    let progress = written.progress;
    let inputs: [(&str, &dyn std::fmt::Display); 2] = [("completed", &progress.completed), ("total", &progress.total)];
    output::line(&words::text("terminal_updated", &inputs))?;
    written.remarks.iter().try_for_each(|remark| output::line(&plain(remark)))
}
