//! The inside of a `<todo>` block: `<todo_item>` elements, nested one level, in a `<todo>` of their own or without
//! (requirements K1, K2).

use super::attributes::{attributes, draft, written};
use super::escape::{Context, escape};
use super::markup::{Content, Piece, Pieces};
use crate::{Draft, Error, Item, Result, limits};
use std::fmt::Write;

const ITEM: &str = "todo_item";
const LIST: &str = "todo";
const NAMES: &[&str] = &[ITEM, LIST];

/// A list as a `<todo>` block: one item a line, subtasks within their item, only what is set.
#[must_use]
pub fn write_tokens(items: &[Item]) -> String {
    let mut out = String::from("<todo>\n");
    for item in items {
        // Writing to a String cannot fail.
        let _ = write!(out, "<todo_item{}>{}", written(item), escape(&item.content, Context::Text));
        for sub in &item.subtasks {
            let _ = write!(out, "\n  <todo_item{}>{}</todo_item>", written(sub), escape(&sub.content, Context::Text));
        }
        out.push_str(if item.subtasks.is_empty() { "</todo_item>\n" } else { "\n</todo_item>\n" });
    }
    out.push_str("</todo>");
    out
}

/// An element that is open.
struct Open<'a> {
    attributes: &'a str,
    content: Content,
    subtasks: Vec<Draft>,
    /// The number of subtasks so far.
    seen: usize,
}

/// The treatment of an end of nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    Lenient,
    /// It shows that this is no block of its own, but a part of another.
    Exact,
}

/// Reads what stands between `<todo>` and `</todo>`. Text between the items is ignored; the `</todo_item>` of the last
/// item may be missing where it is clear that it has no subtasks.
pub(super) fn read(inside: &str, ends: Ends) -> Result<Vec<Draft>> {
    let mut list = Items::default();
    let mut pieces = Pieces::of(inside, NAMES);
    while let Some(piece) = pieces.next() {
        match piece {
            Piece::Open { name: LIST, empty: false, tag, .. } if !begins_list(pieces.rest()) => {
                list.text(|content| content.raw(tag));
            }
            Piece::Open { name: LIST, empty, .. } => {
                list.open_list()?;
                if empty {
                    list.close_list()?;
                }
            }
            Piece::Close(LIST) => list.close_list()?,
            Piece::Open { attributes, empty, .. } => {
                list.open(attributes)?;
                if empty {
                    list.close()?;
                }
            }
            Piece::Close(_) => list.close()?,
            Piece::Text(text) => list.text(|content| content.raw(text)),
            Piece::Literal(text) => list.text(|content| content.literal(text)),
        }
    }
    if list.ends_nothing && ends == Ends::Exact {
        return Err(wrong("there is a </todo_item> too many".to_owned()));
    }
    list.done()
}

/// A `<todo>` that stands before this text begins a list, and is no mention of one.
fn begins_list(text: &str) -> bool {
    let mut pieces = Pieces::of(text, NAMES);
    let first = pieces.find(|piece| !matches!(piece, Piece::Text(text) if text.trim_ascii().is_empty()));
    matches!(first, Some(Piece::Open { name: ITEM, .. } | Piece::Close(LIST)))
}

#[derive(Default)]
struct Items<'a> {
    items: Vec<Draft>,
    seen: usize,
    item: Option<Open<'a>>,
    sub: Option<Open<'a>>,
    /// The newest item after its end: a list that follows it has its subtasks.
    ended: Option<Open<'a>>,
    sublist: Option<Sublist>,
    ends_nothing: bool,
}

/// The open `<todo>` of an item's subtasks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sublist {
    Within,
    After,
}

impl<'a> Items<'a> {
    fn open(&mut self, attributes: &'a str) -> Result<()> {
        let open = Open { attributes, content: Content::default(), subtasks: Vec::new(), seen: 0 };
        match (&mut self.item, &self.sub) {
            (None, _) => {
                self.take_ended()?;
                self.seen += 1;
                self.item = Some(open);
            }
            (Some(item), None) => {
                item.content.raw("\n");
                item.seen += 1;
                self.sub = Some(open);
            }
            (Some(_), Some(_)) => return Err(self.too_deep()),
        }
        Ok(())
    }

    /// Ends what is open.
    fn close(&mut self) -> Result<()> {
        if let Some(sub) = self.sub.take() {
            if let Some(item) = &mut self.item {
                let path = format!("item {}.{}", self.seen, item.seen);
                if item.seen > limits::ITEMS {
                    return Err(wrong(format!("{path} is one too many; an item may have {} subtasks", limits::ITEMS)));
                }
                item.subtasks.push(draft(&attributes(sub.attributes), sub.content.done(), &path)?);
            }
        } else if self.sublist.is_none() && self.item.is_some() {
            self.ended = self.item.take();
        } else {
            self.ends_nothing = true;
        }
        Ok(())
    }

    fn open_list(&mut self) -> Result<()> {
        if self.sub.is_some() || self.sublist.is_some() {
            return Err(self.too_deep());
        }
        self.sublist = Some(if self.item.is_some() { Sublist::Within } else { Sublist::After });
        self.item = self.item.take().or(self.ended.take());
        if self.item.is_some() { Ok(()) } else { Err(wrong("there is a <todo> before the first item".to_owned())) }
    }

    fn close_list(&mut self) -> Result<()> {
        if self.sub.is_some() {
            self.close()?;
        }
        match self.sublist.take() {
            Some(Sublist::After) => self.ended = self.item.take(),
            Some(Sublist::Within) => {}
            None => return Err(wrong("there is a </todo> too many".to_owned())),
        }
        Ok(())
    }

    /// Nothing more belongs to the item that has ended.
    fn take_ended(&mut self) -> Result<()> {
        let Some(item) = self.ended.take() else { return Ok(()) };
        let path = format!("item {}", self.seen);
        let draft = draft(&attributes(item.attributes), item.content.done(), &path)?;
        if self.seen <= limits::ITEMS {
            self.items.push(Draft { subtasks: item.subtasks, ..draft });
        }
        Ok(())
    }

    fn text(&mut self, add: impl FnOnce(&mut Content)) {
        let item = self.item.as_mut().filter(|_| self.sublist != Some(Sublist::After));
        if let Some(open) = self.sub.as_mut().or(item) {
            add(&mut open.content);
        }
    }

    fn done(mut self) -> Result<Vec<Draft>> {
        let unclear = self.item.as_ref().is_some_and(|item| item.seen > 0);
        if unclear || self.sublist.is_some() {
            return Err(wrong(format!("item {} is not closed; each item ends with </todo_item>", self.seen)));
        }
        self.ended = self.item.take().or(self.ended.take());
        self.take_ended()?;
        if self.seen > limits::ITEMS { Err(Error::TooManyItems { sent: self.seen }) } else { Ok(self.items) }
    }

    fn too_deep(&self) -> Error {
        wrong(format!(
            "in item {} the elements are nested too deep, or one is not closed; items have one level of subtasks, and \
             each ends with </todo_item>",
            self.seen
        ))
    }
}

fn wrong(problem: String) -> Error {
    Error::Text { form: "<todo> block", problem }
}
