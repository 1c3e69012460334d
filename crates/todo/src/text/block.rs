//! The inside of a `<todo>` block: `<todo_item>` elements, nested one level (requirements K1, K2).

use super::attributes::{attributes, draft, written};
use super::escape::{Context, escape};
use super::markup::{Content, Piece, Pieces};
use crate::{Draft, Error, Item, Result, limits};
use std::fmt::Write;

const NAMES: &[&str] = &["todo_item"];

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

/// Reads what stands between `<todo>` and `</todo>`. Text between the items is ignored; the `</todo_item>` of the last
/// item may be missing where it is clear that it has no subtasks.
pub(super) fn read(inside: &str) -> Result<Vec<Draft>> {
    let mut list = Items::default();
    for piece in Pieces::of(inside, NAMES) {
        match piece {
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
    list.done()
}

#[derive(Default)]
struct Items<'a> {
    items: Vec<Draft>,
    seen: usize,
    item: Option<Open<'a>>,
    sub: Option<Open<'a>>,
}

impl<'a> Items<'a> {
    fn open(&mut self, attributes: &'a str) -> Result<()> {
        let open = Open { attributes, content: Content::default(), subtasks: Vec::new(), seen: 0 };
        match (&mut self.item, &self.sub) {
            (None, _) => {
                self.seen += 1;
                self.item = Some(open);
            }
            (Some(item), None) => {
                item.content.raw("\n");
                item.seen += 1;
                self.sub = Some(open);
            }
            (Some(_), Some(_)) => {
                return Err(wrong(format!(
                    "in item {} the elements are nested too deep, or one is not closed; items have one level of \
                     subtasks, and each ends with </todo_item>",
                    self.seen
                )));
            }
        }
        Ok(())
    }

    /// Ends what is open; an end of nothing is ignored.
    fn close(&mut self) -> Result<()> {
        if let Some(sub) = self.sub.take() {
            if let Some(item) = &mut self.item {
                let path = format!("item {}.{}", self.seen, item.seen);
                if item.seen > limits::ITEMS {
                    return Err(wrong(format!("{path} is one too many; an item may have {} subtasks", limits::ITEMS)));
                }
                item.subtasks.push(draft(&attributes(sub.attributes), sub.content.done(), &path)?);
            }
        } else if let Some(item) = self.item.take() {
            let path = format!("item {}", self.seen);
            let draft = draft(&attributes(item.attributes), item.content.done(), &path)?;
            if self.seen <= limits::ITEMS {
                self.items.push(Draft { subtasks: item.subtasks, ..draft });
            }
        }
        Ok(())
    }

    fn text(&mut self, add: impl FnOnce(&mut Content)) {
        if let Some(open) = self.sub.as_mut().or(self.item.as_mut()) {
            add(&mut open.content);
        }
    }

    fn done(mut self) -> Result<Vec<Draft>> {
        let unclear = self.item.as_ref().is_some_and(|item| item.seen > 0);
        if unclear {
            return Err(wrong(format!("item {} is not closed; each item ends with </todo_item>", self.seen)));
        }
        self.close()?;
        if self.seen > limits::ITEMS { Err(Error::TooManyItems { sent: self.seen }) } else { Ok(self.items) }
    }
}

fn wrong(problem: String) -> Error {
    Error::Text { form: "<todo> block", problem }
}
