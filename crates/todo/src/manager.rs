//! `todo_manager`: an agent works on its list step by step (requirements T1 to T7).
//!
//! The same list as `todo_write` has, under the same rules. Here items go by their numbers, the positions of the top
//! level, at most one is in progress, and an agent has at most 30 of its own.

use crate::{Applied, By, Change, Draft, Error, Item, List, Origin, Position, Result, Stamp, Status, Target, apply};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use uuid::Uuid;

/// Items that an agent may have through this tool; the user's do not count.
pub const ITEMS: usize = 30;

/// The names of the actions.
pub const ACTIONS: [&str; 7] =
    ["list", "next", "add_multiple", "add_after_position", "complete_multiple", "skip", "replace_all"];

/// A call of `todo_manager`.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Returns the list.
    List,
    /// Returns the item in progress, or starts the first that can be started.
    Next,
    /// Adds items at the end, or after a position (0: at the beginning).
    Add {
        /// The position; the end when `None`.
        after: Option<usize>,
        /// The items.
        drafts: Vec<Draft>,
    },
    /// Completes items, by their numbers.
    Complete(Vec<usize>),
    /// Skips one item, which stays in the list.
    Skip {
        /// Its number.
        id: usize,
        /// Why.
        reason: Option<String>,
    },
    /// Sends the whole list anew.
    Replace(Vec<Draft>),
}

/// The result of an action.
#[derive(Debug, Clone, PartialEq)]
pub struct Managed {
    /// The changed list; `None` where there was nothing to change.
    pub applied: Option<Applied>,
    /// For the agent: a sentence, or an item.
    pub output: Value,
}

impl Action {
    /// Reads an action and its fields: `todos`, `ids`, `position`, `reason`.
    ///
    /// # Errors
    /// With the words of requirement T1: `Todos required`, `IDs required`, and so on.
    pub fn read(action: &str, fields: &Map<String, Value>) -> Result<Self> {
        let drafts = || match fields.get("todos") {
            None | Some(Value::Null) => Err(refused("Todos required")),
            Some(todos) => Draft::list(todos),
        };
        let some_drafts =
            || drafts().and_then(|some| if some.is_empty() { Err(refused("Todos required")) } else { Ok(some) });
        Ok(match action {
            "list" => Self::List,
            "next" => Self::Next,
            "add_multiple" => Self::Add { after: None, drafts: some_drafts()? },
            "add_after_position" => {
                let after = fields.get("position").and_then(number).ok_or_else(|| refused("Position required"))?;
                Self::Add { after: Some(after), drafts: some_drafts()? }
            }
            "complete_multiple" => Self::Complete(ids(fields)?),
            "skip" => match ids(fields)?.as_slice() {
                [id] => {
                    let reason =
                        fields.get("reason").and_then(Value::as_str).filter(|reason| !reason.trim().is_empty());
                    Self::Skip { id: *id, reason: reason.map(str::to_owned) }
                }
                several => {
                    return Err(refused(&format!(
                        "Skip takes exactly one id, {} were sent; skip one at a time",
                        several.len()
                    )));
                }
            },
            "replace_all" => Self::Replace(drafts()?),
            other => {
                let known = ACTIONS.join(", ");
                return Err(refused(&format!("Unknown action: {}. Use one of {known}", crate::short(other))));
            }
        })
    }

    /// True if it changes the list, and is answered with it.
    #[must_use]
    pub fn changes(&self) -> bool {
        !matches!(self, Self::List)
    }
}

/// Carries an action out.
///
/// # Errors
/// Unknown numbers, too many items, a second one in progress; nothing is changed then.
pub fn manage(list: &List, caller: &str, action: Action, stamp: &mut Stamp<'_>) -> Result<Managed> {
    let by = || By::Agent { caller: caller.to_owned() };
    let whole = list;
    let list = &given(whole, caller);
    let numbers = Numbers::of(list, caller);
    let (change, output) = match action {
        Action::List => {
            return Ok(Managed { applied: None, output: Value::String(crate::text::write_xml(&list.items)) });
        }
        Action::Next => return next(whole, list, caller, stamp),
        Action::Add { after, drafts } => {
            let output = format!("Added {} TODOs", drafts.len());
            let own = list.items.iter().filter(|item| item.origin == Origin::Agent).count();
            within_limit(own + drafts.len())?;
            let position = Position::at(numbers.place_after(list, after)?);
            (Change::Add { position, drafts, by: by() }, output)
        }
        Action::Complete(ids) => {
            let done = ids.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
            (set(numbers.uids(list, &ids)?, Status::Completed, None, by()), format!("Completed TODOs: {done}"))
        }
        Action::Skip { id, reason } => {
            (set(numbers.uids(list, &[id])?, Status::Skipped, reason, by()), format!("Skipped TODO: {id}"))
        }
        Action::Replace(drafts) => {
            within_limit(drafts.len())?;
            let output = format!("Replaced all TODOs with {} new items", drafts.len());
            (Change::Replace { caller: caller.to_owned(), drafts }, output)
        }
    };
    let applied = apply(whole, change, stamp)?;
    check(list, &given(&applied.list, caller))?;
    Ok(Managed { applied: Some(applied), output: Value::String(output) })
}

/// The list as the caller is given it: without the steps of other agents.
fn given<'a>(list: &'a List, caller: &str) -> Cow<'a, List> {
    let others = list.others(caller);
    match list.items.iter().any(|item| others.hides(item)) {
        true => Cow::Owned(List { items: others.visible(&list.items), ..list.clone() }),
        false => Cow::Borrowed(list),
    }
}

fn next(whole: &List, list: &List, caller: &str, stamp: &mut Stamp<'_>) -> Result<Managed> {
    let place = |fits: &dyn Fn(&Item) -> bool| list.items.iter().position(fits);
    if let Some(at) = place(&|item| item.status == Status::InProgress) {
        return Ok(Managed { applied: None, output: described(at, &list.items[at]) });
    }
    let Some(at) = place(&|item| item.status == Status::Pending && !item.waiting) else {
        let said = match list.items.iter().all(|item| item.status.is_terminal()) {
            _ if list.items.is_empty() => "No active TODOs",
            true => "All TODOs are done or skipped",
            false => "No TODO can be started: those that are left wait for others or are blocked",
        };
        return Ok(Managed { applied: None, output: json!(said) });
    };
    let uids = vec![list.items[at].uid];
    let change = set(uids, Status::InProgress, None, By::Agent { caller: caller.to_owned() });
    let applied = apply(whole, change, stamp)?;
    let output = given(&applied.list, caller).items.get(at).map_or(Value::Null, |item| described(at, item));
    Ok(Managed { applied: Some(applied), output })
}

fn described(at: usize, item: &Item) -> Value {
    json!({ "id": at + 1, "content": item.content, "status": crate::text::xml_status(item) })
}

/// The items that an agent means by its numbers: those of the list as it knows it.
struct Numbers {
    known: Vec<(Uuid, String)>,
}

impl Numbers {
    fn of(list: &List, caller: &str) -> Self {
        let known = list.callers.get(caller).and_then(|memory| memory.known_list.as_deref()).unwrap_or(&list.items);
        Self { known: known.iter().map(|item| (item.uid, crate::short(&item.content))).collect() }
    }

    fn uids(&self, list: &List, ids: &[usize]) -> Result<Vec<Uuid>> {
        let uid = |id: &usize| {
            let Some((uid, content)) = id.checked_sub(1).and_then(|at| self.known.get(at)) else {
                let known = match self.known.len() {
                    0 => "the list is empty".to_owned(),
                    last => format!("the list has 1 to {last}"),
                };
                return Err(refused(&format!("Unknown ID: {id}; {known}. Nothing was changed")));
            };
            if list.items.iter().all(|item| item.uid != *uid) {
                return Err(refused(&format!(
                    "TODO {id}, \"{content}\", is not in the list any more. Nothing was changed; call list and use its ids"
                )));
            }
            Ok(*uid)
        };
        ids.iter().map(uid).collect()
    }

    /// The place after the item of that number (0: the first), or at the end. Where it is gone, after the one before.
    fn place_after(&self, list: &List, after: Option<usize>) -> Result<usize> {
        let Some(after) = after else { return Ok(list.items.len()) };
        let Some(before) = self.known.get(..after) else {
            return Err(refused(&format!("Position {after} out of range (0-{})", self.known.len())));
        };
        let place = |(uid, _): &(Uuid, String)| list.items.iter().position(|item| item.uid == *uid);
        Ok(before.iter().rev().find_map(place).map_or(0, |at| at + 1))
    }
}

fn set(uids: Vec<Uuid>, status: Status, reason: Option<String>, by: By) -> Change {
    let patch = Draft::of_status(status, reason);
    Change::Set { target: Target::Uids(uids), patch: Box::new(patch), by }
}

/// Checked on what is sent, and what the agent has already where it adds to that.
fn within_limit(count: usize) -> Result<()> {
    if count <= ITEMS {
        return Ok(());
    }
    Err(refused(&format!(
        "Too many TODOs: {count} would be in the list, {ITEMS} may be. Nothing was changed; put small steps together"
    )))
}

/// At most one in progress.
fn check(before: &List, after: &List) -> Result<()> {
    let active = |list: &List| list.items.iter().filter(|item| item.status == Status::InProgress).count();
    if active(after) > 1 && active(after) > active(before) {
        return Err(refused(
            "Only one TODO can be doing at a time. Nothing was changed; complete or skip that one first",
        ));
    }
    Ok(())
}

/// The numbers in `ids`, each once.
fn ids(fields: &Map<String, Value>) -> Result<Vec<usize>> {
    let sent = match fields.get("ids") {
        None | Some(Value::Null) => return Err(refused("IDs required")),
        Some(Value::Array(sent)) if sent.is_empty() => return Err(refused("IDs required")),
        Some(Value::Array(sent)) => sent.clone(),
        Some(single) => vec![single.clone()],
    };
    let mut ids = Vec::new();
    for id in &sent {
        let Some(id) = number(id) else {
            let said: String = id.to_string().chars().take(40).collect();
            return Err(refused(&format!("Unknown ID: {said}; an ID is a number as in the list. Nothing was changed")));
        };
        if !ids.contains(&id) {
            ids.push(id);
        }
        if ids.len() > crate::limits::ITEMS {
            return Err(refused("More IDs than a list can have were sent. Nothing was changed"));
        }
    }
    Ok(ids)
}

/// A whole number, or a text that is one.
fn number(value: &Value) -> Option<usize> {
    match value {
        Value::Number(number) => number.as_u64().and_then(|number| usize::try_from(number).ok()),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn refused(message: &str) -> Error {
    Error::Manager(message.to_owned())
}
