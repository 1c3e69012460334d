//! The `/todo` commands as a person types them (requirements P3 to P9): one language for the window's command bar, the
//! terminal and the WebSocket.
//!
//! A line or a terminal's words become a [`Command`]; a command that changes a list is one [`Request`].

mod assign;
mod complete;
mod parse;

#[cfg(test)]
mod tests;

pub use assign::Assignment;
pub use complete::{SavedChoice, complete};

use crate::{
    Code, EditInsist, Error, Lines, NoteSend, Request, Result, Text, TodoAdd, TodoArchive, TodoClear, TodoDelete,
    TodoEdit, TodoIndent, TodoMove, TodoSetStatus, TodoUndo, say,
};
use serde_json::{Map, Value};
use std::ops::Range;
use todo::text::plain;
use todo::{Priority, Status};

/// Usage of one command.
#[derive(Debug, Clone, Copy)]
pub struct Usage {
    /// `add`
    pub name: &'static str,
    /// Its arguments: `<position> <description>`.
    pub takes: &'static str,
    /// Its purpose, in a few words.
    pub does: fn() -> Text,
    /// One line that works.
    pub example: &'static str,
}

/// Every command, in the order in which people see them.
pub const COMMANDS: [Usage; 19] = [
    usage("show", "", say::help_show, "/todo show"),
    usage("add", "<position> <description>", say::help_add, "/todo add 2 Check the odd encodings"),
    usage("delete", "<position>", say::help_delete, "/todo delete 2-4"),
    usage("set", "<position> [status] [reason]", say::help_set, "/todo set 3 blocked no access yet"),
    usage("unset", "<position>", say::help_unset, "/todo unset 3"),
    usage("edit", "<position> <description>", say::help_edit, "/todo edit 2 --priority high"),
    usage("move", "<from> <to>", say::help_move, "/todo move 4 1"),
    usage("indent", "<position>", say::help_indent, "/todo indent 3"),
    usage("outdent", "<position>", say::help_outdent, "/todo outdent 2.1"),
    usage("assign", "<position> <agent>", say::help_assign, "/todo assign 2 codex"),
    usage("clear", "", say::help_clear, "/todo clear"),
    usage("undo", "", say::help_undo, "/todo undo"),
    usage("insist", "", say::help_insist, "/todo insist"),
    usage("note", "<text>", say::help_note, "/note use the staging database"),
    usage("list", "[page]", say::help_list, "/todo list 2"),
    usage("load", "<number>", say::help_load, "/todo load 2"),
    usage("archive", "", say::help_archive, "/todo archive"),
    usage("history", "[position]", say::help_history, "/todo history 2"),
    usage("help", "", say::help_help, "/todo help"),
];

const fn usage(name: &'static str, takes: &'static str, does: fn() -> Text, example: &'static str) -> Usage {
    Usage { name, takes, does, example }
}

impl Usage {
    /// `/todo add <position> <description>`
    #[must_use]
    pub fn line(&self) -> String {
        format!("/todo {} {}", self.name, self.takes).trim_end().to_owned()
    }
}

/// A command with its arguments.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Show the list.
    Show,
    /// Show the lists of all sessions.
    List(Pages),
    /// Show the commands.
    Help,
    /// Show who changed the list, or the item at a position.
    History(Option<String>),
    /// Put the list of that number in `list`, from 1, in the place of the current one.
    Load(usize),
    /// Assign items to an agent of the session.
    Assign(Assignment),
    /// Edit the list, or send the agent a message; the request names no session yet.
    Change(Box<Request>),
}

/// The pages of lists to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pages {
    /// That one, from 1.
    One(usize),
    /// All of them.
    All,
}

impl Pages {
    /// Lists on one page.
    pub const LISTS: usize = 50;

    /// The places of the lists on these pages, counted from 0.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        match self {
            Self::One(page) => {
                let first = page.saturating_sub(1).saturating_mul(Self::LISTS);
                first..first.saturating_add(Self::LISTS)
            }
            Self::All => 0..usize::MAX,
        }
    }

    /// # Errors
    /// [`Code::InvalidMessage`] for a page after the last, given the number of lists.
    pub fn check(self, total: usize) -> Result<()> {
        match self {
            Self::One(page) if page > 1 && self.range().start >= total => {
                let last = total.div_ceil(Self::LISTS).max(1);
                Err(Error::new(Code::InvalidMessage, say::page_unknown(page, last)))
            }
            _ => Ok(()),
        }
    }
}

/// The fields that `edit` sets besides the text; `None` leaves one as it is, an empty text takes it away.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fields {
    /// Text that is shown while the item is in progress.
    pub active_form: Option<String>,
    /// `high`, `medium`, `low` or `none`.
    pub priority: Option<String>,
    /// Remarks.
    pub notes: Option<String>,
}

impl Command {
    /// Reads a line: `/todo add 2 Fix it`, `add 2 Fix it`, `/note stop`.
    ///
    /// # Errors
    /// [`Code::Usage`] with the usage of the command, or with the commands; [`Code::InvalidTodos`] for an unknown word.
    pub fn parse(line: &str) -> Result<Self> {
        parse::line(line)
    }

    /// Adds an item.
    ///
    /// # Errors
    /// [`Code::Usage`] where a part is missing.
    pub fn add(position: Option<String>, description: &str) -> Result<Self> {
        let content = unquoted(description);
        if position.is_none() || content.is_empty() {
            return Err(misused("add"));
        }
        Ok(change(TodoAdd { position, content: content.to_owned(), ..TodoAdd::default() }))
    }

    /// Deletes items.
    ///
    /// # Errors
    /// [`Code::Usage`] where no position is given.
    pub fn delete(position: Option<String>) -> Result<Self> {
        let position = Some(position.ok_or_else(|| misused("delete"))?);
        Ok(change(TodoDelete { position, ..TodoDelete::default() }))
    }

    /// Sets the status of items, to `in_progress` where none is given.
    ///
    /// # Errors
    /// [`Code::Usage`] where no position is given.
    pub fn set(position: Option<String>, status: Option<String>, reason: Option<String>) -> Result<Self> {
        let position = Some(position.ok_or_else(|| misused("set"))?);
        let status = status.unwrap_or_else(|| Status::InProgress.name().to_owned());
        Ok(change(TodoSetStatus { position, status, reason, ..TodoSetStatus::default() }))
    }

    /// Sets items back to pending.
    ///
    /// # Errors
    /// [`Code::Usage`] where no position is given.
    pub fn unset(position: Option<String>) -> Result<Self> {
        let position = Some(position.ok_or_else(|| misused("unset"))?);
        Ok(change(TodoSetStatus { position, status: Status::Pending.name().to_owned(), ..TodoSetStatus::default() }))
    }

    /// Changes the fields of items; an empty description leaves the text.
    ///
    /// # Errors
    /// [`Code::Usage`] where there is no position or nothing to change, [`Code::InvalidTodos`] for a word that is no
    /// priority.
    pub fn edit(position: Option<String>, description: &str, fields: Fields) -> Result<Self> {
        let content = Some(unquoted(description).to_owned()).filter(|text| !text.is_empty());
        // Only a word of ours is a priority; an agent may have others, a person would have mistyped.
        let priority = match fields.priority.as_deref() {
            None => None,
            Some("none") => Some(Value::Null),
            Some(word) if Priority::from_word(word).is_some() => Some(Value::String(word.to_owned())),
            Some(word) => {
                return Err(Error::new(Code::InvalidTodos, say::not_a_priority(plain(&todo::short(word)))));
            }
        };
        let mut set = Map::new();
        for (key, value) in [("content", content), ("activeForm", fields.active_form), ("notes", fields.notes)] {
            set.extend(value.map(|value| (key.to_owned(), Value::String(value))));
        }
        set.extend(priority.map(|priority| ("priority".to_owned(), priority)));
        if position.is_none() || set.is_empty() {
            return Err(misused("edit"));
        }
        Ok(change(TodoEdit { position, fields: set, ..TodoEdit::default() }))
    }

    /// Moves an item.
    ///
    /// # Errors
    /// [`Code::Usage`] where a position is missing.
    pub fn move_to(from: Option<String>, to: Option<String>) -> Result<Self> {
        let (Some(from), Some(to)) = (from, to) else { return Err(misused("move")) };
        Ok(change(TodoMove { position: Some(from), to, ..TodoMove::default() }))
    }

    /// Moves items to the other level: under the item above them, or `out` of the one that they belong to.
    ///
    /// # Errors
    /// [`Code::Usage`] where no position is given.
    pub fn indent(position: Option<String>, out: bool) -> Result<Self> {
        let position = Some(position.ok_or_else(|| misused(if out { "outdent" } else { "indent" }))?);
        Ok(change(TodoIndent { position, out, ..TodoIndent::default() }))
    }

    /// Empties the list.
    #[must_use]
    pub fn clear() -> Self {
        change(TodoClear::default())
    }

    /// Takes back an edit of this client: that one, or its newest.
    #[must_use]
    pub fn undo(edit_id: Option<String>) -> Self {
        change(TodoUndo { edit_id, ..TodoUndo::default() })
    }

    /// Sends an edit again that the agent overrode or does not follow: that one, or the newest such edit.
    #[must_use]
    pub fn insist(edit_id: Option<String>) -> Self {
        change(EditInsist { edit_id, ..EditInsist::default() })
    }

    /// Puts the list into the history.
    #[must_use]
    pub fn archive() -> Self {
        change(TodoArchive::default())
    }

    /// Sends the agent a message.
    ///
    /// # Errors
    /// [`Code::Usage`] where there is no text.
    pub fn note(text: &str) -> Result<Self> {
        match unquoted(text) {
            "" => Err(misused("note")),
            text => Ok(change(NoteSend { text: text.to_owned(), ..NoteSend::default() })),
        }
    }

    /// Shows the lists: a page of them, the first where none is named, or all for `--all`.
    ///
    /// # Errors
    /// [`Code::InvalidMessage`] where it is no page.
    pub fn list(page: Option<&str>) -> Result<Self> {
        let wrong = |page: &str| Error::new(Code::InvalidMessage, say::page_number(plain(&todo::short(page))));
        Ok(Self::List(match page {
            None => Pages::One(1),
            Some("--all") => Pages::All,
            Some(page) => Pages::One(page.parse().ok().filter(|page| *page > 0).ok_or_else(|| wrong(page))?),
        }))
    }

    /// Loads a list by its number.
    ///
    /// # Errors
    /// [`Code::Usage`] where there is no number, [`Code::InvalidMessage`] where it is none.
    pub fn load(number: Option<&str>) -> Result<Self> {
        let number = number.ok_or_else(|| misused("load"))?;
        let wrong = || Error::new(Code::InvalidMessage, say::no_saved_list(plain(&todo::short(number))));
        number.parse().ok().filter(|number| *number > 0).map(Self::Load).ok_or_else(wrong)
    }
}

fn change(request: impl Into<Request>) -> Command {
    Command::Change(Box::new(request.into()))
}

/// The usage of a command, as an error.
fn misused(name: &str) -> Error {
    let usage = COMMANDS.iter().find(|usage| usage.name == name).map(Usage::line).unwrap_or_default();
    Error::new(Code::Usage, say::usage(usage))
}

/// The error for an unknown command, which names the commands (requirement P9).
#[must_use]
pub fn unknown(word: &str) -> Error {
    let known: Vec<&str> = COMMANDS.iter().map(|usage| usage.name).collect();
    let word = plain(&todo::short(word));
    Error::new(Code::Usage, say::unknown_command(word, known.join(", ")))
}

/// Returns the text of `/todo help`.
#[must_use]
pub fn help() -> Lines {
    let width = COMMANDS.iter().map(|usage| usage.line().chars().count()).max().unwrap_or_default();
    let mut lines = Lines::default();
    for usage in COMMANDS {
        lines.put(&format!("{:width$}  ", usage.line()));
        lines.say((usage.does)());
        lines.put("\n");
    }
    lines.say(say::help_positions());
    lines.put("\n");
    lines.say(say::help_examples());
    COMMANDS.iter().for_each(|usage| lines.put(&format!("\n  {}", usage.example)));
    lines
}

/// Removes the quotes around a text, where they surround all of it (requirement P5).
fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let inner = ['"', '\'']
        .into_iter()
        .find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote).filter(|inner| is_within(inner, quote)));
    inner.unwrap_or(text).trim()
}

/// True if no quote in a text between quotes ends the first of them: those that begin a word open others.
fn is_within(inner: &str, quote: char) -> bool {
    let (mut open, mut before) = (1_usize, None);
    let mut rest = inner.chars().peekable();
    while let Some(c) = rest.next() {
        let blank = |next: Option<char>| next.is_none_or(char::is_whitespace);
        let after = rest.peek().copied();
        if c == quote && blank(before) && !blank(after) {
            open += 1;
        } else if c == quote && !blank(before) && blank(after) {
            open = open.saturating_sub(1);
        }
        if open == 0 {
            return false;
        }
        before = Some(c);
    }
    true
}
