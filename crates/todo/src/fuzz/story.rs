//! A story: changes that bytes decide.
//!
//! Each byte decides by its low four bits, and white space by none, so that a story can be written as text: `0` to
//! `9` and `J` to `O` are 0 to 15, and so are `P`, and `A` to `O`.

use crate::Item;
use crate::list::flat;
use serde_json::{Value, json};

const CONTENTS: [&str; 16] = [
    "Read",
    "Plan",
    "Write the tests",
    "Fix",
    "Fix the parser",
    "Deploy",
    "fix the parser.",
    "1. Read",
    "2",
    "Read the parser's code, then plan",
    "<todo> & \"so\" on",
    "- [x] done",
    "(HIGH) Urgent",
    "日本語\nline",
    "  ",
    "Deploy (blocked)",
];

const STATUSES: [&str; 16] = [
    "pending",
    "in_progress",
    "completed",
    "blocked",
    "skipped",
    "cancelled",
    "on hold",
    "deleted",
    "unknown",
    "todo",
    "doing",
    "done",
    "",
    "TODO_STATUS_IN_PROGRESS",
    "removed",
    "waiting",
];

/// Names of items: ids, positions, texts.
const NAMES: [&str; 16] =
    ["1", "2", "3", "a", "b", "t1", "t2", "t3", "1.1", "2.1", "last", "Read", "Fix", "parser", "nowhere", " "];

const FIELDS: [(&str, &str); 15] = [
    ("priority", "high"),
    ("priority", "urgent"),
    ("notes", "half way"),
    ("notes", ""),
    ("activeForm", "Doing it"),
    ("estimate", "30min"),
    ("estimate", "15min|45min"),
    ("category", "testing"),
    ("owner", "me"),
    ("reason", "no time"),
    ("description", "more of it"),
    ("risk", "high"),
    ("extra", "not an object"),
    ("dependsOn", ""),
    ("content", "Deploy"),
];

const POSITIONS: [&str; 16] =
    ["1", "2", "3", "4", "last", "1.1", "1.2", "1.last", "2.1", "2.last", "last.1", "last.last", "0", "9", "5", "3.1"];

const SEVERAL: [&str; 14] =
    ["1", "2", "3", "last", "1.1", "2.1", "2.last", "1-2", "2-last", "1.1-1.last", "all", "1.2", "4", "2.1-2.2"];

/// Decides what happens.
pub(super) struct Story<'a>(pub(super) &'a [u8]);

impl Story<'_> {
    /// The next choice, of 16; `None` at the end.
    pub(super) fn choice(&mut self) -> Option<usize> {
        loop {
            let (first, rest) = self.0.split_first()?;
            self.0 = rest;
            if !first.is_ascii_whitespace() {
                return Some(usize::from(first & 15));
            }
        }
    }

    /// The next choice; the first one past the end.
    pub(super) fn next(&mut self) -> usize {
        self.choice().unwrap_or_default()
    }

    pub(super) fn caller(&mut self) -> &'static str {
        ["one", "two"][self.next() & 1]
    }

    pub(super) fn client(&mut self) -> String {
        ["me", "other"][usize::from(self.next() > 11)].to_owned()
    }

    pub(super) fn position(&mut self) -> &'static str {
        POSITIONS[self.next()]
    }

    /// Places in one word, or for the last choices none: then an item goes by its uid.
    pub(super) fn positions(&mut self) -> Option<&'static str> {
        SEVERAL.get(self.next()).copied()
    }

    pub(super) fn content(&mut self) -> &'static str {
        CONTENTS[self.next()]
    }

    pub(super) fn status(&mut self) -> &'static str {
        STATUSES[self.next()]
    }

    /// Up to seven items as JSON, as an agent sends them that was told of `known`.
    pub(super) fn todos(&mut self, known: &[Item]) -> Value {
        let count = self.next() & 7;
        (0..count).map(|_| self.todo(known, true)).collect()
    }

    fn todo(&mut self, known: &[Item], may_nest: bool) -> Value {
        let mut item = json!({ "content": self.content(), "status": self.status() });
        let more = self.next();
        if more & 1 != 0 {
            item["id"] = json!(NAMES[self.next()]);
        }
        if more & 2 != 0 {
            let count = 1 + (self.next() & 1);
            item["dependsOn"] = (0..count).map(|_| NAMES[self.next()]).collect();
        }
        if more & 4 != 0 {
            let (name, value) = self.field(known);
            item[name] = value;
        }
        if more & 8 != 0 && may_nest {
            let count = self.next() & 3;
            item["subtasks"] = (0..count).map(|_| self.todo(known, false)).collect();
        }
        item
    }

    /// A field with its value; the last of them is the uid of an item.
    fn field(&mut self, known: &[Item]) -> (&'static str, Value) {
        match FIELDS.get(self.next()) {
            Some((name, value)) => (name, json!(value)),
            None => ("uid", json!(self.item(known).map(|item| item.uid))),
        }
    }

    /// One of the items.
    pub(super) fn item<'i>(&mut self, items: &'i [Item]) -> Option<&'i Item> {
        let at = self.next();
        flat(items).nth(at).map(|(item, _)| item)
    }

    /// New values for one to four fields of an item.
    pub(super) fn patch(&mut self) -> Value {
        let mut patch = json!({});
        let what = self.next();
        if what & 1 != 0 || what == 0 {
            patch["status"] = json!(self.status());
        }
        if what & 2 != 0 {
            patch["content"] = json!(self.content());
        }
        if what & 4 != 0 {
            patch["dependsOn"] = json!([NAMES[self.next()]]);
        }
        if what & 8 != 0 {
            let (name, value) = self.field(&[]);
            patch[name] = value;
        }
        patch
    }
}
