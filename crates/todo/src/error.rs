//! Errors of changes, in words that help the sender to correct them.

use crate::limits;
use texts::{Text, all as say};

/// The reason why a change was refused. The list is as it was before.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// An item as sent is not one.
    #[error("{0}")]
    Item(
        /// Its place in the message, such as `todos[2].content`, the problem, and the values that are accepted.
        Text,
    ),
    /// More top-level items than a list may have.
    #[error(
        "{sent} items were sent, a list may have {}. Nothing was changed; merge small steps and send the list again",
        limits::ITEMS
    )]
    TooManyItems {
        /// The number that was sent.
        sent: usize,
    },
    /// The list as a whole is too large.
    #[error(
        "the list takes {sent} bytes, it may take {}. Nothing was changed; shorten the longest contents and send it again",
        limits::LIST_BYTES
    )]
    ListTooLarge {
        /// Its size as JSON.
        sent: usize,
    },
    /// A change would make a list, or the subtasks of an item, longer than they may be.
    #[error(
        "the list would have {items} steps on one level, it may have {}. Nothing was changed; remove some, or archive the \
         list, and send it again",
        limits::LEVEL_ITEMS
    )]
    ListFull {
        /// The number of items that it would have.
        items: usize,
    },
    /// More of the user's edits count than may.
    #[error(
        "{edits} of your edits and messages would wait for the agent, at most {} can. Nothing was changed; undo some, or \
         let the agent go on first",
        limits::EDITS
    )]
    TooManyEdits {
        /// The number of edits that there would be.
        edits: usize,
    },
    /// Items that wait for each other.
    #[error(
        "these items wait for each other, so none could begin: {items}. Nothing was changed; take one dependency out and send it again"
    )]
    Circle {
        /// `"A" waits for "B" waits for "A"`.
        items: String,
    },
    /// Not a position at all (requirement P5).
    #[error("Invalid position format: {0}. Use 1, 2, last, 1.1, or 1.last")]
    PositionFormat(String),
    /// Not a position, and not several.
    #[error("Invalid positions: {0}. Use 1, 2, last, 1.1, 1.last, 2-4, or all")]
    PositionsFormat(String),
    /// All items of a list that has none.
    #[error("The list is empty; there is nothing to change")]
    EmptyList,
    /// Several items where one is wanted.
    #[error("Only one item can be moved at a time; name one position")]
    MoveOne,
    /// An item is to leave its level.
    #[error("An item stays on its level: {from} cannot be moved to {to}")]
    MoveLevel {
        /// Its position.
        from: String,
        /// The position that was asked for.
        to: String,
    },
    /// A subtask is to become a subtask.
    #[error("Item {0} is a subtask already, and a subtask has no subtasks of its own")]
    TooDeep(String),
    /// An item of the top level is to leave the one that it belongs to.
    #[error("Item {0} is on the top level already")]
    OnTop(String),
    /// The first item is to become a subtask.
    #[error("Item {0} has no item above it that it could belong to")]
    NothingAbove(String),
    /// An unknown status, from a sender that can choose another.
    #[error("\"{0}\" is no status; use pending, in_progress, completed, blocked, skipped or cancelled")]
    StatusWord(String),
    /// An unknown priority, from a sender that can choose another.
    #[error("that is no priority; use high, medium or low, or null for none")]
    PriorityWord,
    /// A position past the end, where an item is to be inserted.
    #[error("Position {position} out of range (1-{last})")]
    PositionRange {
        /// As it was typed.
        position: String,
        /// The last one accepted.
        last: usize,
    },
    /// The parent of a subtask position is not there.
    #[error("Parent position {0} does not exist")]
    NoParent(String),
    /// No item stands there.
    #[error("Position {0} does not exist")]
    NoPosition(String),
    /// No subtask stands there.
    #[error("Subtask position {0} does not exist")]
    NoSubtask(String),
    /// No item has that uid: it was removed meanwhile, or it is of another session.
    #[error("There is no item {0} in this list any more")]
    NoItem(String),
    /// An action of `todo_manager` cannot be done (requirements T1 to T6).
    #[error("{0}")]
    Manager(String),
    /// A text is no list of its form.
    #[error("the {form} cannot be read: {problem}")]
    Text {
        /// `<todos> list`.
        form: &'static str,
        /// The problem, its place, and the values that are accepted.
        problem: String,
    },
    /// There is nothing to undo.
    #[error("There is no edit to undo here")]
    NothingToUndo,
    /// That edit is not there, or cannot be undone again.
    #[error("Edit {0} cannot be undone: it is unknown, was undone already, or its item is gone")]
    CannotUndo(String),
    /// The edit cannot be sent again.
    #[error("Edit {0} cannot be sent again: it is unknown, or the agent neither overrode nor ignored it")]
    CannotInsist(String),
    /// The agent overrode or ignored no edit.
    #[error("the agent neither overrode nor ignores any of your edits")]
    NothingToInsist,
    /// The item that a subtask belonged to is gone, too.
    #[error("The item that \"{0}\" belonged to is gone; bring that back first")]
    NoHome(String),
    /// Everything that the edit changed was changed again by somebody else.
    #[error("This cannot be undone any more: {0}")]
    ChangedSince(Text),
}

/// The result of applying a change.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// The error for people.
    #[must_use]
    pub fn text(&self) -> Text {
        let text = match self {
            Self::Item(text) => text.clone(),
            Self::TooManyItems { sent } => say::too_many_items(sent, limits::ITEMS),
            Self::ListTooLarge { sent } => say::list_too_large(sent, limits::LIST_BYTES),
            Self::ListFull { items } => say::list_full(items, limits::LEVEL_ITEMS),
            Self::TooManyEdits { edits } => say::too_many_edits(edits, limits::EDITS),
            Self::Circle { items } => say::circle(items),
            Self::PositionFormat(typed) => say::position_format(typed),
            Self::PositionsFormat(typed) => say::positions_format(typed),
            Self::EmptyList => say::list_empty(),
            Self::MoveOne => say::move_one(),
            Self::MoveLevel { from, to } => say::move_level(from, to),
            Self::TooDeep(position) => say::too_deep(position),
            Self::OnTop(position) => say::on_top(position),
            Self::NothingAbove(position) => say::nothing_above(position),
            Self::StatusWord(word) => say::status_word(word),
            Self::PriorityWord => say::priority_word(),
            Self::PositionRange { position, last } => say::position_range(position, last),
            Self::NoParent(position) => say::no_parent(position),
            Self::NoPosition(position) => say::no_position(position),
            Self::NoSubtask(position) => say::no_subtask(position),
            Self::NoItem(uid) => say::no_item(uid),
            // Read by agents only.
            Self::Manager(problem) => problem.as_str().into(),
            Self::Text { form, problem } => say::text_unreadable(form, problem),
            Self::NothingToUndo => say::nothing_to_undo(),
            Self::CannotUndo(edit) => say::cannot_undo(edit),
            Self::CannotInsist(edit) => say::cannot_insist(edit),
            Self::NothingToInsist => say::nothing_to_insist(),
            Self::NoHome(content) => say::no_home(content),
            Self::ChangedSince(problem) => say::changed_since(problem).with("problem", problem),
        };
        text.in_english(self.to_string())
    }
}
