//! Places in a list as people type them: `3`, `last`, `2.1`, `2.last`, counted from 1.

use crate::text::plain;
use crate::{Error, Item, Result};

/// One part of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Index {
    At(usize),
    Last,
    /// A number that no place has: 0, or one too large to be counted with.
    Nowhere,
}

/// A position as typed, not yet looked up in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// Empty where nobody typed it.
    typed: String,
    top: Index,
    sub: Option<Index>,
}

/// A slot in a list, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slot {
    /// Among the top-level items.
    Top(usize),
    /// Among the subtasks of an item: the parent, then the place.
    Sub(usize, usize),
}

impl Slot {
    /// The position, counted from 1: `2` or `2.1`.
    #[must_use]
    pub fn number(self) -> String {
        match self {
            Self::Top(at) => (at + 1).to_string(),
            Self::Sub(parent, at) => format!("{}.{}", parent + 1, at + 1),
        }
    }

    /// The item in this slot.
    #[must_use]
    pub fn item(self, items: &[Item]) -> Option<&Item> {
        match self {
            Self::Top(at) => items.get(at),
            Self::Sub(parent, at) => items.get(parent)?.subtasks.get(at),
        }
    }
}

impl Position {
    /// The end of the list.
    #[must_use]
    pub fn last() -> Self {
        Self { typed: String::new(), top: Index::Last, sub: None }
    }

    /// A position of the top level, by its index from 0.
    #[must_use]
    pub fn at(index: usize) -> Self {
        Self { typed: (index + 1).to_string(), top: Index::At(index), sub: None }
    }

    /// Reads what was typed.
    ///
    /// # Errors
    /// [`Error::PositionFormat`] for everything but the forms above.
    pub fn parse(typed: &str) -> Result<Self> {
        let wrong = || Error::PositionFormat(echo(typed));
        let index = |part: &str| -> Result<Index> {
            if part == "last" {
                return Ok(Index::Last);
            }
            if part.is_empty() || !part.bytes().all(|b| b.is_ascii_digit()) {
                return Err(wrong());
            }
            let at = part.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            Ok(at.map_or(Index::Nowhere, Index::At))
        };
        let trimmed = typed.trim();
        let (top, sub) = match trimmed.split_once('.') {
            None => (index(trimmed)?, None),
            Some((top, sub)) => (index(top)?, Some(index(sub)?)),
        };
        Ok(Self { typed: echo(trimmed), top, sub })
    }

    /// The position as it was typed, or the number of its slot.
    #[must_use]
    pub fn echo(&self, slot: Slot) -> String {
        if self.typed.is_empty() { slot.number() } else { self.typed.clone() }
    }

    /// The slot to insert at; one past the end is allowed.
    ///
    /// # Errors
    /// [`Error::PositionRange`] past that, [`Error::NoParent`] for a subtask of nothing.
    pub fn insertion(&self, items: &[Item]) -> Result<Slot> {
        let within = |index: Index, length: usize| match index {
            Index::Last => Ok(length),
            Index::At(at) if at <= length => Ok(at),
            Index::At(_) | Index::Nowhere => {
                Err(Error::PositionRange { position: self.typed.clone(), last: length + 1 })
            }
        };
        let Some(sub) = self.sub else {
            return Ok(Slot::Top(within(self.top, items.len())?));
        };
        let parent = self.parent(items)?;
        Ok(Slot::Sub(parent, within(sub, items[parent].subtasks.len())?))
    }

    /// The slot of an item that is there.
    ///
    /// # Errors
    /// [`Error::NoPosition`], [`Error::NoParent`] or [`Error::NoSubtask`].
    pub fn existing(&self, items: &[Item]) -> Result<Slot> {
        let within = |index: Index, length: usize| match index {
            Index::Last => length.checked_sub(1),
            Index::At(at) => (at < length).then_some(at),
            Index::Nowhere => None,
        };
        let Some(sub) = self.sub else {
            return within(self.top, items.len()).map(Slot::Top).ok_or_else(|| Error::NoPosition(self.typed.clone()));
        };
        let parent = self.parent(items)?;
        within(sub, items[parent].subtasks.len())
            .map(|at| Slot::Sub(parent, at))
            .ok_or_else(|| Error::NoSubtask(self.typed.clone()))
    }

    fn parent(&self, items: &[Item]) -> Result<usize> {
        match self.top {
            Index::Last => items.len().checked_sub(1).ok_or(Error::NoParent("1".to_owned())),
            Index::At(at) if at < items.len() => Ok(at),
            Index::At(_) | Index::Nowhere => {
                Err(Error::NoParent(self.typed.split('.').next().unwrap_or_default().to_owned()))
            }
        }
    }
}

/// The typed text, as an error may repeat it.
fn echo(typed: &str) -> String {
    plain(&typed.chars().take(40).collect::<String>())
}

/// Several places as typed: `3`, `2-4`, `1.1-1.last`, `all`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Positions {
    /// One.
    One(Position),
    /// From one to another on one level, both included.
    Between(Position, Position),
    /// All items of the top level.
    All,
}

impl Positions {
    /// Reads what was typed.
    ///
    /// # Errors
    /// [`Error::PositionFormat`] for what looks like one position and is none, [`Error::PositionsFormat`] for others.
    pub fn parse(typed: &str) -> Result<Self> {
        let typed = typed.trim();
        if typed == "all" {
            return Ok(Self::All);
        }
        let Some((from, to)) = typed.split_once('-').filter(|(from, to)| !from.is_empty() && !to.is_empty()) else {
            return Position::parse(typed).map(Self::One);
        };
        let wrong = |_| Error::PositionsFormat(echo(typed));
        Ok(Self::Between(Position::parse(from).map_err(wrong)?, Position::parse(to).map_err(wrong)?))
    }

    /// The slots of the items that are there, top to bottom; at least one.
    ///
    /// # Errors
    /// Those of [`Position::existing`], [`Error::EmptyList`] for all of nothing, and [`Error::PositionsFormat`] for a range that goes backwards or from one
    /// level to another.
    pub fn slots(&self, items: &[Item]) -> Result<Vec<Slot>> {
        match self {
            Self::All if items.is_empty() => Err(Error::EmptyList),
            Self::All => Ok((0..items.len()).map(Slot::Top).collect()),
            Self::One(position) => Ok(vec![position.existing(items)?]),
            Self::Between(from, to) => match (from.existing(items)?, to.existing(items)?) {
                (Slot::Top(from), Slot::Top(to)) if from <= to => Ok((from..=to).map(Slot::Top).collect()),
                (Slot::Sub(parent, from), Slot::Sub(same, to)) if parent == same && from <= to => {
                    Ok((from..=to).map(|at| Slot::Sub(parent, at)).collect())
                }
                _ => Err(Error::PositionsFormat(format!("{}-{}", from.typed, to.typed))),
            },
        }
    }
}

impl From<Position> for Positions {
    fn from(position: Position) -> Self {
        Self::One(position)
    }
}

/// The slot of an item, by its uid.
#[must_use]
pub fn slot_of(items: &[Item], uid: uuid::Uuid) -> Option<Slot> {
    items.iter().enumerate().find_map(|(at, item)| {
        if item.uid == uid {
            return Some(Slot::Top(at));
        }
        item.subtasks.iter().position(|sub| sub.uid == uid).map(|sub| Slot::Sub(at, sub))
    })
}
