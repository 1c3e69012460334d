//! Taking out, the reverse of putting in: comments and the layout of what stays are left alone.

use super::edit::{checked, pointer};
use super::tree::{Kind, Mark, Tree};
use crate::text::{Fault, indent_at, newline, splice};
use serde_json::Value;
use texts::all as say;

/// The text without the member at the end of `path`, and without the objects on the way that it leaves empty.
///
/// # Errors
/// A syntax error, a name that is there twice (to the agents the last one counts: without it an older one would), or
/// an edit that would change something else.
pub(crate) fn take(text: &str, path: &[&str]) -> Result<String, Fault> {
    let Some((name, parents)) = path.split_last() else { return Ok(text.to_owned()) };
    let tree = Tree::parse(text)?;
    let Some(node) = tree.find(parents) else { return Ok(text.to_owned()) };
    let Kind::Object(members) = &node.kind else { return Ok(text.to_owned()) };
    let Some(at) = members.iter().position(|(own, _)| own == name) else { return Ok(text.to_owned()) };
    if node.count(name) > 1 {
        return Err(Fault::Shape(say::shape_twice(path.join("."), node.count(name))));
    }
    let mut expected = tree.value.clone();
    if let Some(Value::Object(members)) = expected.pointer_mut(&pointer(parents)) {
        members.remove(*name);
    }
    without_empty(&cut(text, &tree, parents, at, &expected)?, parents)
}

/// The text without the value at `at` of the list at the end of `path`, and without what that leaves empty.
///
/// # Errors
/// As [`take`].
pub(crate) fn take_from(text: &str, path: &[&str], at: usize) -> Result<String, Fault> {
    let tree = Tree::parse(text)?;
    let mut expected = tree.value.clone();
    match expected.pointer_mut(&pointer(path)) {
        Some(Value::Array(values)) if at < values.len() => drop(values.remove(at)),
        _ => return Ok(text.to_owned()),
    }
    without_empty(&cut(text, &tree, path, at, &expected)?, path)
}

/// Takes an object or list out that nothing is left in, not even a comment; the whole file's object stays, and so does
/// one whose name is there twice.
fn without_empty(text: &str, path: &[&str]) -> Result<String, Fault> {
    let tree = Tree::parse(text)?;
    let (Some((name, parents)), Some(node)) = (path.split_last(), tree.find(path)) else { return Ok(text.to_owned()) };
    let alone = tree.find(parents).is_some_and(|parent| parent.count(name) == 1);
    let empty = node.entries().is_empty() && tree.marks(node.inside()).next().is_none();
    if alone && empty { take(text, path) } else { Ok(text.to_owned()) }
}

/// Cuts the entry at `at` out of a container.
fn cut(text: &str, tree: &Tree, path: &[&str], at: usize, expected: &Value) -> Result<String, Fault> {
    let Some(container) = tree.find(path) else { return Ok(text.to_owned()) };
    let (inside, entries) = (container.inside(), container.entries());
    let entry = &entries[at];
    let before = at.checked_sub(1).map_or(inside.start, |at| entries[at].end);
    let next = entries.get(at + 1).map(|next| next.start);
    let comma_before = if at == 0 { None } else { tree.comma(before..entry.start) };
    let comma_after = tree.comma(entry.end..next.unwrap_or(inside.end));

    let last_mark = tree.marks(before..entry.start).next_back();
    let mut start = last_mark.map_or(inside.start, |(place, _)| place.end);
    let end = match &comma_after {
        Some(comma) if text[entry.end..comma.start].trim().is_empty() => comma.end,
        _ => entry.end,
    };
    let mut cuts = Vec::new();
    let line = text[end..].split('\n').next().unwrap_or_default();
    let rest = line.trim_start_matches([' ', '\t']);
    let follows = !rest.trim_end().is_empty();
    let closes =
        follows && next.is_none() && tree.marks(end..inside.end).next().is_none_or(|(_, mark)| *mark == Mark::Comma);
    let after_line_comment = last_mark.is_some_and(|(_, mark)| *mark == Mark::Line);
    let mut to = end;
    if follows && text[start..entry.start].contains('\n') && (!closes || after_line_comment) {
        // The rest of the line takes the entry's place.
        start = entry.start;
        to = end + line.len() - rest.len();
    }
    cuts.push(start..to);
    if let Some(comma) = comma_after.as_ref().filter(|comma| comma.start >= to) {
        cuts.push(comma.clone());
    }
    if let Some(comma) = comma_before.filter(|_| next.is_none() && comma_after.is_none()) {
        cuts.push(comma);
    }
    if entries.len() == 1 && tree.marks(inside.clone()).all(|(_, mark)| *mark == Mark::Comma) {
        // `{}` was spread over two lines to put it in.
        let left = format!("{}{}", &text[inside.start..start], &text[to..inside.end]);
        if left == format!("{}{}", newline(text), indent_at(text, container.place.start)) {
            cuts = vec![inside];
        }
    }
    checked(splice(text, cuts.into_iter().map(|place| (place, String::new())).collect()), expected)
}
