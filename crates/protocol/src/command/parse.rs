//! A line, taken apart: the command, its positions, its options, and the rest as it was typed.

use super::{Command, Fields, misused, unknown};
use crate::Result;

/// Words that may stand before a command.
const PREFIXES: [&str; 2] = ["/todo", "todo"];

pub(super) fn line(line: &str) -> Result<Command> {
    let (name, rest) = name(line);
    match name {
        "show" => only(name, rest).map(|[]| Command::Show),
        "list" => only(name, rest).and_then(|[page]| Command::list(page.as_deref())),
        "clear" => only(name, rest).map(|[]| Command::clear()),
        "archive" => only(name, rest).map(|[]| Command::archive()),
        "help" | "" => Ok(Command::Help),
        "history" => only(name, rest).map(|[position]| Command::History(position)),
        "undo" => only(name, rest).map(|[edit]| Command::undo(edit)),
        "insist" => only(name, rest).map(|[edit]| Command::insist(edit)),
        "note" => Command::note(rest),
        "load" => only(name, rest).and_then(|[number]| Command::load(number.as_deref())),
        "delete" => only(name, rest).and_then(|[position]| Command::delete(position)),
        "unset" => only(name, rest).and_then(|[position]| Command::unset(position)),
        "indent" => only(name, rest).and_then(|[position]| Command::indent(position, false)),
        "outdent" => only(name, rest).and_then(|[position]| Command::indent(position, true)),
        "move" => only(name, rest).and_then(|[from, to]| Command::move_to(from, to)),
        "add" => {
            let (position, description) = first(rest);
            Command::add(position, description)
        }
        "assign" => {
            let (position, agent) = first(rest);
            Command::assign(position, agent)
        }
        "set" => {
            let (position, rest) = first(rest);
            let (status, reason) = first(rest);
            Command::set(position, status, Some(super::unquoted(reason).to_owned()).filter(|reason| !reason.is_empty()))
        }
        "edit" => {
            let (position, rest) = first(rest);
            let (fields, description) = options(rest)?;
            Command::edit(position, description, fields)
        }
        other => Err(unknown(other)),
    }
}

/// Refuses more words than the command takes: a slip must not be passed over, least of all where a list is emptied.
fn only<const N: usize>(name: &str, rest: &str) -> Result<[Option<String>; N]> {
    let mut words = rest.split_whitespace().map(str::to_owned);
    let taken = std::array::from_fn(|_| words.next());
    if words.next().is_none() { Ok(taken) } else { Err(misused(name)) }
}

/// Returns the command's name and its arguments; `/note` is a command by itself.
pub(super) fn name(line: &str) -> (&str, &str) {
    let (first, rest) = word(line);
    if PREFIXES.contains(&first) {
        return word(rest);
    }
    (first.strip_prefix('/').unwrap_or(first), rest)
}

/// `--priority high --notes "two words"`, before the description.
fn options(line: &str) -> Result<(Fields, &str)> {
    let mut fields = Fields::default();
    let mut rest = line.trim_start();
    while let Some(option) = rest.strip_prefix("--") {
        let (name, after) = word(option);
        let (value, after) = value(after);
        let field = match name {
            "priority" => &mut fields.priority,
            "notes" => &mut fields.notes,
            "active-form" => &mut fields.active_form,
            _ => return Err(misused("edit")),
        };
        *field = Some(value.ok_or_else(|| misused("edit"))?.to_owned());
        rest = after.trim_start();
    }
    Ok((fields, rest))
}

/// One word, or a text in quotes.
fn value(line: &str) -> (Option<&str>, &str) {
    let line = line.trim_start();
    for quote in ['"', '\''] {
        if let Some((quoted, rest)) = line.strip_prefix(quote).and_then(|line| line.split_once(quote)) {
            return (Some(quoted), rest);
        }
    }
    let (word, rest) = word(line);
    (Some(word).filter(|word| !word.is_empty()), rest)
}

fn first(line: &str) -> (Option<String>, &str) {
    let (first, rest) = word(line);
    (Some(first.to_owned()).filter(|word| !word.is_empty()), rest)
}

fn word(line: &str) -> (&str, &str) {
    let line = line.trim_start();
    line.split_once(char::is_whitespace).unwrap_or((line, ""))
}
