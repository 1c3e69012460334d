//! Putting in: always at the end of an object or list, laid out as its neighbours are.

use super::tree::{Kind, Mark, Node, Tree};
use crate::text::{Fault, indent_at, newline, splice};
use serde::Serialize;
use serde_json::ser::PrettyFormatter;
use serde_json::{Value, json};
use texts::all as say;

/// The text with the member at the end of `path` set to `value`: replaced where it stands and differs, else added,
/// with the objects on the way to it.
///
/// # Errors
/// A syntax error, or something on the way that is no object.
pub(crate) fn put(text: &str, path: &[&str], value: &impl Serialize) -> Result<String, Fault> {
    let Some((name, parents)) = path.split_last() else { return Ok(text.to_owned()) };
    let text = objects(text, parents)?;
    let tree = Tree::parse(&text)?;
    let style = Style::of(&text, &tree);
    let new = as_value(value)?;
    let mut expected = tree.value.clone();
    let Some(parent) = tree.find(parents) else { return Err(no_object(parents)) };
    let edited = match parent.member(name) {
        Some(_) if tree.value.pointer(&pointer(path)) == Some(&new) => return Ok(text),
        Some(entry) => {
            let old = &text[entry.node.place.clone()];
            let new = style.render(value, old.contains('\n'), indent_at(&text, entry.place.start))?;
            splice(&text, vec![(entry.node.place.clone(), new)])
        }
        None => insert(&text, &tree, parent, &style, Some(name), value)?,
    };
    if let Some(Value::Object(members)) = expected.pointer_mut(&pointer(parents)) {
        members.insert((*name).to_owned(), new);
    }
    checked(edited, &expected)
}

/// The text with `value` added to the list at the end of `path`, which is made where there is none.
///
/// # Errors
/// A syntax error, or something at or on the way to `path` that is something else.
pub(crate) fn push(text: &str, path: &[&str], value: &impl Serialize) -> Result<String, Fault> {
    let mut text = text.to_owned();
    if Tree::parse(&text)?.find(path).is_none() {
        text = put(&text, path, &json!([]))?;
    }
    let tree = Tree::parse(&text)?;
    let mut expected = tree.value.clone();
    let (Some(list), Some(Value::Array(values))) = (tree.find(path), expected.pointer_mut(&pointer(path))) else {
        return Err(Fault::Shape(say::shape_no_list(path.join("."))));
    };
    values.push(as_value(value)?);
    let edited = insert(&text, &tree, list, &Style::of(&text, &tree), None, value)?;
    checked(edited, &expected)
}

/// The text with an object at each step of `path`.
fn objects(text: &str, path: &[&str]) -> Result<String, Fault> {
    let tree = Tree::parse(text)?;
    if tree.root.is_none() {
        let newline = newline(text);
        let between = if text.is_empty() || text.ends_with('\n') { "" } else { newline };
        return objects(&format!("{text}{between}{{}}{newline}"), path);
    }
    for steps in 0..=path.len() {
        let so_far = &path[..steps];
        match tree.find(so_far) {
            Some(Node { kind: Kind::Object(_), .. }) => {}
            Some(Node { kind: Kind::List(_), .. }) if steps < path.len() => {}
            Some(_) => return Err(no_object(so_far)),
            None => return objects(&put(text, so_far, &json!({}))?, path),
        }
    }
    Ok(text.to_owned())
}

/// An entry after the last one of a container.
fn insert(
    text: &str,
    tree: &Tree,
    container: &Node,
    style: &Style,
    name: Option<&str>,
    value: &impl Serialize,
) -> Result<String, Fault> {
    let Style { newline, indent, .. } = style;
    let entry = |lines: bool, base: &str| -> Result<String, Fault> {
        let value = style.render(value, lines, base)?;
        Ok(name.map_or_else(|| value.clone(), |name| format!("{}: {value}", json!(name))))
    };
    let inside = container.inside();
    let entries = container.entries();
    let Some(last) = entries.last() else {
        let base = indent_at(text, container.place.start);
        let after = tree.marks(inside.clone()).next_back().map_or(inside.start, |(place, _)| place.end);
        if style.one_line {
            let new = entry(false, base)?;
            return Ok(splice(text, vec![(after..after, new)]));
        }
        let inner = format!("{base}{indent}");
        let close = if text[after..inside.end].contains('\n') { "" } else { &format!("{newline}{base}") };
        return Ok(splice(text, vec![(after..after, format!("{newline}{inner}{}{close}", entry(true, &inner)?))]));
    };
    let before_last = entries.len().checked_sub(2).map_or(inside.start, |at| entries[at].end);
    let comma = tree.comma(last.end..inside.end);
    let mut after = comma.as_ref().map_or(last.end, |comma| comma.end);
    if !text[before_last..last.start].contains('\n') {
        let new = entry(false, "")?;
        let new = if comma.is_some() { format!(" {new},") } else { format!(", {new}") };
        return Ok(splice(text, vec![(after..after, new)]));
    }
    // A comment on the last entry's line is about that entry.
    for (place, mark) in tree.marks(after..inside.end) {
        if *mark == Mark::Comma || text[after..place.start].contains('\n') {
            break;
        }
        after = place.end;
    }
    let base = indent_at(text, last.start);
    let (separator, trailing) = if comma.is_some() { ("", ",") } else { (",", "") };
    let new = format!("{newline}{base}{}{trailing}", entry(true, base)?);
    Ok(splice(text, vec![(last.end..last.end, separator.to_owned()), (after..after, new)]))
}

/// The layout of a text.
struct Style {
    newline: &'static str,
    indent: String,
    /// All of it on one line, as programs write it that nobody is to read.
    one_line: bool,
}

impl Style {
    fn of(text: &str, tree: &Tree) -> Self {
        let entries = tree.root.as_ref().map(Node::entries).unwrap_or_default();
        let own_line =
            |place: &&std::ops::Range<usize>| text[..place.start].trim_end_matches([' ', '\t']).ends_with('\n');
        let indent =
            entries.iter().find(own_line).map(|place| indent_at(text, place.start)).filter(|it| !it.is_empty());
        let one_line =
            !entries.is_empty() && tree.root.as_ref().is_some_and(|root| !text[root.place.clone()].contains('\n'));
        Self { newline: newline(text), indent: indent.unwrap_or("  ").to_owned(), one_line }
    }

    fn render(&self, value: &impl Serialize, lines: bool, base: &str) -> Result<String, Fault> {
        let mut out = Vec::new();
        let written = if lines {
            let format = PrettyFormatter::with_indent(self.indent.as_bytes());
            value.serialize(&mut serde_json::Serializer::with_formatter(&mut out, format))
        } else {
            value.serialize(&mut serde_json::Serializer::new(&mut out))
        };
        written.map_err(|error| Fault::Shape(error.to_string().into()))?;
        // JSON has no line end within a string.
        Ok(String::from_utf8_lossy(&out).replace('\n', &format!("{}{base}", self.newline)))
    }
}

fn as_value(value: &impl Serialize) -> Result<Value, Fault> {
    serde_json::to_value(value).map_err(|error| Fault::Shape(error.to_string().into()))
}

pub(super) fn pointer(path: &[&str]) -> String {
    path.iter().map(|name| format!("/{}", name.replace('~', "~0").replace('/', "~1"))).collect()
}

/// The edited text, if its value is the wanted one.
pub(super) fn checked(edited: String, expected: &Value) -> Result<String, Fault> {
    if Tree::parse(&edited)?.value == *expected {
        return Ok(edited);
    }
    Err(Fault::Shape(say::shape_others()))
}

fn no_object(path: &[&str]) -> Fault {
    Fault::Shape(if path.is_empty() { say::shape_whole() } else { say::shape_no_object(path.join(".")) })
}
