//! Limits of a list. They are checked on the list that was sent, never on the result of a merge.

/// Top-level items in one list, and subtasks in one item.
pub const ITEMS: usize = 256;

/// Characters in the content of one item, and in each of its other texts.
pub const TEXT_CHARS: usize = 2_000;

/// Bytes of a whole list as JSON.
pub const LIST_BYTES: usize = 256 * 1024;

/// Characters in an id or a status word.
pub const WORD_CHARS: usize = 500;

/// Dependencies that one list may name, since each is looked for in all of it.
pub const DEPENDENCIES: usize = 1_024;
