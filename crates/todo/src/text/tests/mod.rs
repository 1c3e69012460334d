//! The text forms, as tables and as laws: what is written is read back, and nothing that is read makes them panic.

mod elements;
mod markdown;
mod show;
mod stream;
mod tokens;
mod xml;

use crate::{Draft, FieldSet, Fields, Item, Priority, Status};
use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use uuid::Uuid;

/// Texts that a form may take for its own syntax.
const PARTS: [&str; 60] = [
    "a",
    "Fix",
    "the parser",
    " ",
    "  ",
    "\n",
    "\r\n",
    "\n    ",
    "\t",
    "&",
    "&amp;",
    "&#10;",
    "&#x41;",
    "&nope;",
    "<",
    ">",
    "<b>",
    "</todo>",
    "<todo>",
    "<todo/>",
    "</todos>",
    "<todo_item>",
    "</todo_item>",
    "<todo_item status=\"done\"",
    "\"",
    "'",
    "=",
    ",",
    "]]>",
    "<![CDATA[",
    "-->",
    "<!--",
    "`",
    "``",
    "```",
    "\n```\n",
    "~~~",
    "<think>",
    "</think>",
    "[x]",
    "- [ ] b",
    "[PENDING]",
    "(HIGH) ",
    "(skipped)",
    " (blocked)",
    " (status: odd)",
    ")",
    "😀",
    "e\u{301}",
    "שלום",
    "\u{202e}",
    "\u{0}",
    "\u{1b}[31m",
    "\u{7f}",
    "\u{85}",
    "\u{2028}",
    "\u{fffd}",
    "\u{feff}",
    "\u{a0}",
    "1. ",
];

fn text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        6 => prop::sample::select(PARTS.as_slice()).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(part, 0..8).prop_map(|parts| parts.concat())
}

/// A content: something that can be seen.
fn content() -> impl Strategy<Value = String> {
    (text(), "[a-z]", text()).prop_map(|(before, seen, after)| before + &seen + &after)
}

fn field() -> impl Strategy<Value = Option<String>> {
    prop::option::weighted(0.2, content())
}

fn status() -> impl Strategy<Value = (Status, Option<String>)> {
    let known = [
        Status::Pending,
        Status::InProgress,
        Status::Completed,
        Status::Blocked,
        Status::Skipped,
        Status::Cancelled,
        Status::Unknown,
    ];
    let own = ["awaiting review", "on <hold>", "x] y [z", "say \"ok\"", "🚧", "a (b) c", "?", "two\nlines", " padded "];
    prop_oneof![
        4 => prop::sample::select(known.to_vec()).prop_map(|status| (status, None)),
        1 => prop::sample::select(own.to_vec()).prop_map(|own| (Status::Unknown, Some(own.to_owned()))),
    ]
}

fn extra() -> impl Strategy<Value = Map<String, Value>> {
    let keys = ["risk", "x-y", "ns:key", "größe", "not a name", "1st", "priority", "Blocked-By", "text", ""];
    let key = prop::sample::select(keys.to_vec()).prop_map(str::to_owned);
    let value = prop_oneof![3 => content().prop_map(Value::from), 1 => Just(json!({ "a": [1, null] }))];
    prop::collection::vec((key, value), 0..3).prop_map(|pairs| pairs.into_iter().collect())
}

fn one() -> impl Strategy<Value = Item> {
    let priority = prop::option::of(prop::sample::select(vec![Priority::High, Priority::Medium, Priority::Low]));
    let decided = (content(), status(), priority, prop::collection::vec(content(), 0..3), extra());
    let fields = (field(), field(), field(), field(), field(), field(), field());
    (decided, fields, content(), any::<bool>()).prop_map(|(decided, texts, id, waiting)| {
        let (content, (status, status_raw), priority, depends_on, extra) = decided;
        let (active_form, category, estimate, description, notes, owner, reason) = texts;
        let fields = Fields {
            status,
            status_raw,
            priority,
            depends_on,
            extra,
            active_form,
            category,
            estimate,
            description,
            notes,
            owner,
            reason,
            content,
        };
        Item { id: id.into(), waiting: waiting && status == Status::Pending, fields: fields.into(), ..item("") }
    })
}

fn items() -> impl Strategy<Value = Vec<Item>> {
    let nested = (one(), prop::collection::vec(one(), 0..3));
    prop::collection::vec(nested.prop_map(|(item, subtasks)| Item { subtasks, ..item }), 0..5)
}

/// An item that has a content and nothing else.
fn item(content: &str) -> Item {
    Item::new(Uuid::nil(), "t1".to_owned(), Draft::new(content).fields, Timestamp::UNIX_EPOCH)
}

/// An item whose status is a word of the agent's own.
fn own_word(content: &str, word: &str) -> Item {
    let mut item = with(content, Status::Unknown);
    item.status_raw = Some(word.to_owned());
    item
}

fn with(content: &str, status: Status) -> Item {
    let mut item = item(content);
    item.status = status;
    item
}

/// Drafts as a reader gives them, without which fields were given.
fn without_given(mut drafts: Vec<Draft>) -> Vec<Draft> {
    for draft in &mut drafts {
        draft.given = FieldSet::default();
        draft.subtasks = without_given(std::mem::take(&mut draft.subtasks));
    }
    drafts
}

/// The values of items that a form carries: `of` takes them over into an empty draft.
fn carried(items: &[Item], of: &dyn Fn(&Item, &mut Draft)) -> Vec<Draft> {
    let draft = |item: &Item| {
        let mut draft = Draft::default();
        of(item, &mut draft);
        draft.subtasks = carried(&item.subtasks, of);
        draft
    };
    items.iter().map(draft).collect()
}

/// A list in short: `in_progress a`, subtasks after `>`.
fn brief(drafts: &[Draft]) -> Vec<String> {
    fn one(draft: &Draft, depth: &str) -> String {
        let status = draft.status_raw.as_deref().unwrap_or(draft.status.name());
        format!("{depth}{status} {}", draft.content)
    }
    let each = |draft: &Draft| -> Vec<String> {
        std::iter::once(one(draft, "")).chain(draft.subtasks.iter().map(|sub| one(sub, "> "))).collect()
    };
    drafts.iter().flat_map(each).collect()
}
