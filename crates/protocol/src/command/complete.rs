//! Completions of a command that is being typed.

use super::assign::NOBODY;
use super::{COMMANDS, Usage, parse};
use crate::{Choice, Completions, Text, say};
use todo::text::plain;
use todo::{Item, Positions, Status};

/// The most choices in an answer.
const CHOICES: usize = 50;

/// A list that can be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedChoice {
    /// Its description: the agent, the number of items, the first of them.
    pub detail: Text,
}

/// Completes a line, for that list; `saved` are the lists that `load` numbers, in its order, and `agents` those that
/// share the list.
///
/// A position is found by a part of the item's text, too: `/todo delete pars` offers the item `Fix the parser`.
#[must_use]
pub fn complete(line: &str, items: &[Item], saved: &[SavedChoice], agents: &[String]) -> Completions {
    let (name, rest) = parse::name(line);
    let Some(usage) = COMMANDS.iter().find(|usage| usage.name == name).filter(|_| has_ended(line, name)) else {
        return Completions { usage: None, choices: names(name) };
    };
    let head = &line[..line.len() - rest.len()];
    let choices = match usage.name {
        "add" => on_first(head, rest, insertions(items)),
        "edit" => match rest.trim_start().split_once(char::is_whitespace) {
            None => on_first(head, rest, positions(items, usage.name)),
            Some((position, typed)) => {
                matching(&format!("{head}{position} "), typed.trim_start(), changes(items, position))
            }
        },
        "delete" | "unset" | "history" => on_first(head, rest, positions(items, usage.name)),
        "indent" | "outdent" => {
            let below = |candidate: &Candidate| level(&candidate.label).is_some() == (usage.name == "outdent");
            on_first(head, rest, positions(items, usage.name).into_iter().filter(below).collect())
        }
        "set" => match second(rest) {
            None => on_first(head, rest, positions(items, usage.name)),
            Some((position, typed)) => matching(&format!("{head}{position} "), typed, statuses()),
        },
        "assign" => match rest.trim_start().split_once(char::is_whitespace) {
            None => on_first(head, rest, steps(items)),
            Some((position, typed)) => {
                let agents = agents.iter().map(String::as_str).chain([NOBODY]);
                let agents = agents.map(|name| Candidate::new(plain(name), "")).collect();
                matching(&format!("{head}{position} "), typed.trim_start(), agents)
            }
        },
        "move" => match second(rest) {
            None => on_first(head, rest, positions(items, usage.name)),
            Some((position, typed)) => {
                let same_level = positions(items, usage.name)
                    .into_iter()
                    .filter(|candidate| level(&candidate.label) == level(position) && candidate.label != position);
                matching(&format!("{head}{position} "), typed, same_level.collect())
            }
        },
        "load" => {
            let numbered =
                saved.iter().enumerate().map(|(at, saved)| Candidate::new((at + 1).to_string(), saved.detail.clone()));
            on_first(head, rest, numbered.collect())
        }
        _ => Vec::new(),
    };
    Completions { usage: Some(usage.line()), choices }
}

/// A word to type, and its meaning.
struct Candidate {
    label: String,
    detail: Text,
    /// The command is complete with it, so that no space follows.
    last: bool,
}

impl Candidate {
    fn new(label: String, detail: impl Into<Text>) -> Self {
        let detail = detail.into();
        let shown = plain(&todo::short(&detail.english));
        Self { label, detail: detail.in_english(shown), last: true }
    }
}

/// Returns whether something follows the name, if only a space.
fn has_ended(line: &str, name: &str) -> bool {
    // The name is a part of the line.
    let end = name.as_ptr() as usize - line.as_ptr() as usize + name.len();
    end < line.len()
}

fn names(typed: &str) -> Vec<Choice> {
    let choice = |usage: &Usage| Choice {
        line: format!("/todo {}{}", usage.name, if usage.takes.is_empty() { "" } else { " " }),
        label: usage.name.to_owned(),
        detail: Some((usage.does)().english),
        detail_text: (usage.does)().named,
    };
    let typed = if "todo".starts_with(typed) { "" } else { typed };
    COMMANDS.iter().filter(|usage| usage.name.starts_with(typed)).map(choice).collect()
}

/// Returns the first word and the beginning of the second, once the first is finished.
fn second(rest: &str) -> Option<(&str, &str)> {
    let (first, second) = rest.trim_start().split_once(char::is_whitespace)?;
    (!second.trim_start().contains(char::is_whitespace)).then(|| (first, second.trim_start()))
}

fn on_first(head: &str, rest: &str, candidates: Vec<Candidate>) -> Vec<Choice> {
    let typed = rest.trim_start();
    // The description of an `edit` may well be a part of an item's text: nothing is offered for more than one word.
    if typed.contains(char::is_whitespace) {
        return Vec::new();
    }
    matching(head, typed, candidates)
}

/// Returns the choices that begin with the typed text, then those whose meaning contains it.
fn matching(head: &str, typed: &str, candidates: Vec<Candidate>) -> Vec<Choice> {
    let typed = typed.to_lowercase();
    let (begin, others): (Vec<Candidate>, Vec<Candidate>) =
        candidates.into_iter().partition(|candidate| candidate.label.to_lowercase().starts_with(&typed));
    let meant = others.into_iter().filter(|candidate| candidate.detail.english.to_lowercase().contains(&typed));
    let choice = |candidate: Candidate| Choice {
        line: format!("{head}{}{}", candidate.label, if candidate.last { "" } else { " " }),
        label: candidate.label,
        detail: Some(candidate.detail.english).filter(|detail| !detail.is_empty()),
        detail_text: candidate.detail.named,
    };
    begin.into_iter().chain(meant).take(CHOICES).map(choice).collect()
}

fn positions(items: &[Item], command: &str) -> Vec<Candidate> {
    let last = matches!(command, "delete" | "unset" | "history" | "indent" | "outdent");
    let mut candidates = Vec::new();
    for (at, item) in items.iter().enumerate() {
        candidates.push(Candidate { last, ..Candidate::new((at + 1).to_string(), item.content.as_str()) });
        for (sub, subtask) in item.subtasks.iter().enumerate() {
            candidates.push(Candidate {
                last,
                ..Candidate::new(format!("{}.{}", at + 1, sub + 1), subtask.content.as_str())
            });
        }
    }
    if !items.is_empty() && matches!(command, "delete" | "unset" | "set" | "assign") {
        candidates.push(Candidate { last, ..Candidate::new("all".to_owned(), say::choice_all()) });
    }
    candidates
}

/// Positions on the top level.
fn steps(items: &[Item]) -> Vec<Candidate> {
    positions(items, "assign").into_iter().filter(|candidate| level(&candidate.label).is_none()).collect()
}

/// Positions of a new item: before each item, and at the end.
fn insertions(items: &[Item]) -> Vec<Candidate> {
    let mut candidates = vec![Candidate { last: false, ..Candidate::new("last".to_owned(), say::choice_last()) }];
    for (at, item) in items.iter().enumerate() {
        let before = say::choice_before(plain(&todo::short(&item.content)));
        candidates.push(Candidate { last: false, ..Candidate::new((at + 1).to_string(), before) });
        let under = say::choice_under(plain(&todo::short(&item.content)));
        candidates.push(Candidate { last: false, ..Candidate::new(format!("{}.last", at + 1), under) });
    }
    candidates
}

/// Completions of an `edit`: the item's text, to go on from, and its other fields.
fn changes(items: &[Item], position: &str) -> Vec<Candidate> {
    let found = Positions::parse(position).and_then(|positions| positions.slots(items));
    let item = found.ok().as_deref().and_then(<[_]>::first).and_then(|slot| slot.item(items));
    let text = item.map(|item| Candidate { last: true, label: plain(&item.content), detail: say::choice_content() });
    let priorities = ["high", "medium", "low", "none"].map(|word| Candidate::new(format!("--priority {word}"), ""));
    let texts =
        ["--active-form \"", "--notes \""].map(|option| Candidate::new(option.to_owned(), say::choice_quoted()));
    text.into_iter().chain(priorities).chain(texts).collect()
}

fn statuses() -> Vec<Candidate> {
    Status::SETTABLE.iter().map(|status| Candidate::new(status.name().to_owned(), "")).collect()
}

fn level(position: &str) -> Option<&str> {
    position.split_once('.').map(|(parent, _)| parent)
}
