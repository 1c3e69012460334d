//! TOML, edited in place: `toml_edit` says where everything is, and an edit puts lines in or takes lines out, so that
//! every other byte stays (its own writer turns line ends into `\n`). Each edit is checked by parsing its result.

use crate::text::{Fault, append, indent_at, line_and_column, lines, newline, splice};
use std::collections::BTreeMap;
use std::ops::Range;
use texts::all as say;
use toml_edit::{Array, Document, InlineTable, Item, Table, Value};

pub(crate) mod list;
#[cfg(test)]
mod tests;

/// A key of a table and its value.
pub(crate) type Pair<'a> = (&'a str, Value);

/// A table's place: its parent's name and its own.
pub(crate) type Path<'a> = [&'a str; 2];

/// A text, a truth value, a whole number or a list of these in TOML; no entry has anything else.
pub(crate) fn from_json(value: &serde_json::Value) -> Value {
    match value {
        serde_json::Value::Bool(truth) => (*truth).into(),
        serde_json::Value::Number(number) => number.as_i64().unwrap_or_default().into(),
        serde_json::Value::Array(list) => list.iter().map(from_json).collect::<toml_edit::Array>().into(),
        other => other.as_str().unwrap_or_default().into(),
    }
}

/// The texts, truth values and lists of texts in a table; the rest of an entry is left alone.
pub(crate) fn table_to_json(table: &dyn toml_edit::TableLike) -> serde_json::Value {
    let value = |item: &Item| match item.as_value()? {
        Value::String(text) => Some(text.value().as_str().into()),
        Value::Boolean(truth) => Some((*truth.value()).into()),
        Value::Array(list) => Some(list.iter().filter_map(Value::as_str).collect::<Vec<_>>().into()),
        _ => None,
    };
    let members = table.iter().filter_map(|(name, item)| Some((name.to_owned(), value(item)?)));
    serde_json::Value::Object(members.collect())
}

/// Parses a text.
///
/// # Errors
/// A syntax error.
pub(crate) fn parse(text: &str) -> Result<Document<&str>, Fault> {
    Document::parse(text).map_err(|error| {
        let (line, column) = line_and_column(text, error.span().map_or(0, |span| span.start));
        Fault::Syntax { line, column, message: error.message().trim().to_owned() }
    })
}

/// The item under a table's name in its parent.
pub(crate) fn get<'a>(document: &'a Document<&str>, [parent, name]: Path<'_>) -> Option<&'a Item> {
    document.as_table().get(parent)?.as_table_like()?.get(name)
}

/// The text with these keys in the table `[parent.name]`, which is added at the end where there is none.
///
/// # Errors
/// A syntax error, or something else that has the table's or its parent's name.
pub(crate) fn put(text: &str, path: Path<'_>, pairs: &[Pair<'_>]) -> Result<String, Fault> {
    let [parent, name] = path;
    let document = parse(text)?;
    let edited = match (document.as_table().get(parent), get(&document, path)) {
        (_, Some(item)) => set(text, path, item, pairs)?,
        (Some(Item::Value(Value::InlineTable(parent))), None) => {
            let value = pairs.iter().map(|(key, value)| (*key, value.clone())).collect::<InlineTable>();
            into_inline(text, parent, &[(name, Value::InlineTable(value))])
        }
        (Some(item), None) if item.as_table_like().is_none() => return Err(no_table(parent)),
        _ => add_table(text, path, pairs),
    };
    let same = |item: &Item, value: &Value| item.as_value().is_some_and(|own| plain(own) == plain(value));
    let after = parse(&edited)?;
    let table = get(&after, path).and_then(Item::as_table_like);
    let holds = |(key, value): &Pair<'_>| table.and_then(|table| table.get(key)).is_some_and(|item| same(item, value));
    if pairs.iter().all(holds) { Ok(edited) } else { Err(Fault::Shape(say::shape_fixed(format!("[{parent}.{name}]")))) }
}

/// The text without the table `[parent.name]` and all that is in it.
///
/// # Errors
/// A syntax error, or a table in parts that cannot be taken out safely.
pub(crate) fn take(text: &str, path: Path<'_>) -> Result<String, Fault> {
    let [parent, name] = path;
    let document = parse(text)?;
    let Some(item) = get(&document, path) else { return Ok(text.to_owned()) };
    let edited = match (document.as_table().get(parent), item) {
        (Some(Item::Value(Value::InlineTable(parent))), _) => out_of_inline(text, parent, name),
        (Some(Item::Table(parent)), Item::Value(_)) => {
            let places = parent.key(name).and_then(|key| key.span()).zip(item.span());
            splice(
                text,
                places
                    .map(|(key, value)| (lines(text, key.start..value.end, false), String::new()))
                    .into_iter()
                    .collect(),
            )
        }
        (_, Item::Table(table)) => splice(text, parts(text, table)),
        _ => return Err(no_table(name)),
    };
    let mut wanted = values(&document);
    wanted.retain(|place, _| {
        place.first().map(String::as_str) != Some(parent) || place.get(1).map(String::as_str) != Some(name)
    });
    if get(&parse(&edited)?, path).is_some() || values(&parse(&edited)?) != wanted {
        return Err(Fault::Shape(say::shape_take_others(format!("[{parent}.{name}]"))));
    }
    Ok(edited)
}

/// The text without a key of the table `[parent.name]`, and without the table if that was all in it.
///
/// # Errors
/// As [`take`].
pub(crate) fn take_key(text: &str, path: Path<'_>, key: &str) -> Result<String, Fault> {
    let document = parse(text)?;
    let edited = match get(&document, path) {
        Some(item) if item.as_table_like().is_some_and(|table| table.len() == 1 && table.contains_key(key)) => {
            return take(text, path);
        }
        Some(Item::Value(Value::InlineTable(table))) => out_of_inline(text, table, key),
        Some(Item::Table(table)) => {
            let places = table.key(key).and_then(|key| key.span()).zip(table.get(key).and_then(Item::span));
            let cut = places.map(|(key, value)| (lines(text, key.start..value.end, false), String::new()));
            splice(text, cut.into_iter().collect())
        }
        _ => return Ok(text.to_owned()),
    };
    let mut wanted = values(&document);
    wanted.retain(|place, _| !place.iter().map(String::as_str).eq([path[0], path[1], key]));
    if values(&parse(&edited)?) != wanted {
        return Err(Fault::Shape(say::shape_take_others(key)));
    }
    Ok(edited)
}

/// Every value of a document by its keys, to see that nothing else has changed.
fn values<S>(document: &Document<S>) -> BTreeMap<Vec<String>, String> {
    fn gather(item: &Item, place: &mut Vec<String>, found: &mut BTreeMap<Vec<String>, String>) {
        match item {
            Item::None => {}
            Item::Value(Value::InlineTable(table)) => {
                for (key, value) in table.iter() {
                    place.push(key.to_owned());
                    gather(&Item::Value(value.clone()), place, found);
                    place.pop();
                }
            }
            Item::Value(value) => drop(found.insert(place.clone(), plain(value))),
            Item::Table(table) => {
                for (key, item) in table.iter() {
                    place.push(key.to_owned());
                    gather(item, place, found);
                    place.pop();
                }
            }
            Item::ArrayOfTables(tables) => {
                for (number, table) in tables.iter().enumerate() {
                    place.push(number.to_string());
                    gather(&Item::Table(table.clone()), place, found);
                    place.pop();
                }
            }
        }
    }
    let mut found = BTreeMap::new();
    gather(document.as_item(), &mut Vec::new(), &mut found);
    found
}

/// A new table at the end of the text, where TOML allows one whatever came before.
fn add_table(text: &str, [parent, name]: Path<'_>, pairs: &[Pair<'_>]) -> String {
    add_block(text, &format!("[{parent}.{name}]"), pairs)
}

/// A header and the keys below it at the end of the text.
fn add_block(text: &str, header: &str, pairs: &[Pair<'_>]) -> String {
    let pairs = pairs.iter().map(|(key, value)| format!("{key} = {}", plain(value)));
    append(text, &std::iter::once(header.to_owned()).chain(pairs).collect::<Vec<_>>())
}

/// Sets keys of a table that is there.
fn set(text: &str, [parent, name]: Path<'_>, item: &Item, pairs: &[Pair<'_>]) -> Result<String, Fault> {
    let table = item.as_table_like().ok_or_else(|| no_table(&format!("{parent}.{name}")))?;
    let mut edits = Vec::new();
    let mut missing = Vec::new();
    for (key, value) in pairs {
        match table.get(key) {
            Some(Item::Value(old)) if plain(old) == plain(value) => {}
            Some(old) => edits.extend(old.span().map(|place| (place, plain(value)))),
            None => missing.push((*key, value.clone())),
        }
    }
    if missing.is_empty() {
        return Ok(splice(text, edits));
    }
    // First what is missing, since replacing moves places.
    let text = match item {
        Item::Value(Value::InlineTable(table)) => into_inline(text, table, &missing),
        Item::Table(table) if !table.is_dotted() && !table.is_implicit() => under_header(text, table, &missing),
        Item::Table(table) if table.is_implicit() && !table.is_dotted() => add_table(text, [parent, name], &missing),
        _ => return Err(Fault::Shape(say::shape_form(format!("{parent}.{name}")))),
    };
    put(&text, [parent, name], pairs)
}

/// Lines right below a table's header.
fn under_header(text: &str, table: &Table, pairs: &[Pair<'_>]) -> String {
    let newline = newline(text);
    let header = table.span().unwrap_or_default();
    let indent = indent_at(text, header.start);
    let new: Vec<String> = pairs.iter().map(|(key, value)| format!("{indent}{key} = {}", plain(value))).collect();
    match text[header.end..].find('\n') {
        Some(at) => {
            let after = header.end + at + 1;
            splice(text, vec![(after..after, format!("{}{newline}", new.join(newline)))])
        }
        None => format!("{text}{newline}{}", new.join(newline)),
    }
}

fn into_inline(text: &str, table: &InlineTable, pairs: &[Pair<'_>]) -> String {
    let new: Vec<String> = pairs.iter().map(|(key, value)| format!("{key} = {}", plain(value))).collect();
    let new = new.join(", ");
    let end = table.iter().filter_map(|(_, value)| end_of(value)).max();
    let open = table.span().map_or(0, |place| place.start + 1);
    let (at, new) = end.map_or_else(|| (open, format!(" {new} ")), |end| (end, format!(", {new}")));
    splice(text, vec![(at..at, new)])
}

/// A dotted table's own span is its key only.
fn end_of(value: &Value) -> Option<usize> {
    match value {
        Value::InlineTable(table) if table.is_dotted() => table.iter().filter_map(|(_, value)| end_of(value)).max(),
        value => value.span().map(|place| place.end),
    }
}

fn out_of_inline(text: &str, table: &InlineTable, name: &str) -> String {
    let entries = table.iter().filter_map(|(own, value)| {
        let key = table.key(own)?.span()?;
        Some((own == name, key.start..end_of(value)?))
    });
    let mut entries: Vec<_> = entries.collect();
    entries.sort_by_key(|(_, place)| place.start);
    let Some(at) = entries.iter().position(|(own, _)| *own) else { return text.to_owned() };
    let places: Vec<_> = entries.into_iter().map(|(_, place)| place).collect();
    cut(text, &places, at, table.span())
}

/// A table at the end of a list in brackets.
fn into_list(text: &str, list: &Array, pairs: &[Pair<'_>]) -> String {
    let table = Value::InlineTable(pairs.iter().map(|(key, value)| (*key, value.clone())).collect());
    let end = list.iter().filter_map(Value::span).map(|place| place.end).max();
    let open = list.span().map_or(0, |place| place.start + 1);
    let (at, new) = end.map_or_else(|| (open, plain(&table)), |end| (end, format!(", {}", plain(&table))));
    splice(text, vec![(at..at, new)])
}

fn out_of_list(text: &str, list: &Array, table: usize) -> String {
    let tables: Vec<bool> = list.iter().map(Value::is_inline_table).collect();
    let places: Vec<_> = list.iter().filter_map(Value::span).collect();
    let at = tables.iter().enumerate().filter(|(_, is_table)| **is_table).nth(table).map(|(at, _)| at);
    at.filter(|at| *at < places.len()).map_or_else(|| text.to_owned(), |at| cut(text, &places, at, list.span()))
}

/// The text without one of the values between brackets, and without its comma.
fn cut(text: &str, places: &[Range<usize>], at: usize, brackets: Option<Range<usize>>) -> String {
    let own = places[at].clone();
    let cut = match (at.checked_sub(1), places.get(at + 1)) {
        (Some(before), _) => places[before].end..own.end,
        (None, Some(next)) => own.start..next.start,
        (None, None) => {
            let inside = brackets.map_or(own.clone(), |place| place.start + 1..place.end - 1);
            // With its comma, if it has one; nothing else is in there.
            if text[inside.clone()].contains('#') { own } else { inside }
        }
    };
    splice(text, vec![(cut, String::new())])
}

/// The places of a table and the tables in it, each from its header to its last value.
fn parts(text: &str, table: &Table) -> Vec<(Range<usize>, String)> {
    let mut end = None;
    let mut parts = Vec::new();
    gather(text, table, &mut end, &mut parts);
    if let Some(header) = table.span().filter(|_| !table.is_implicit() || table.is_dotted()) {
        let gap = !table.is_dotted();
        parts.push((lines(text, header.start..end.unwrap_or(header.end), gap), String::new()));
    }
    parts
}

fn gather(text: &str, table: &Table, end: &mut Option<usize>, parts_of: &mut Vec<(Range<usize>, String)>) {
    for (_, item) in table.iter() {
        match item {
            Item::Table(inner) if inner.is_dotted() => gather(text, inner, end, parts_of),
            Item::Table(inner) => parts_of.extend(parts(text, inner)),
            Item::ArrayOfTables(tables) => parts_of.extend(tables.iter().flat_map(|inner| parts(text, inner))),
            item => *end = (*end).max(item.span().map(|place| place.end)),
        }
    }
}

/// A value as it is written when nobody has laid it out.
fn plain(value: &Value) -> String {
    let mut value = value.clone();
    tidy(&mut value);
    value.to_string()
}

fn tidy(value: &mut Value) {
    match value {
        Value::Array(list) => {
            list.iter_mut().for_each(tidy);
            list.fmt();
            list.set_trailing_comma(false);
            list.set_trailing("");
        }
        Value::InlineTable(table) => {
            table.iter_mut().for_each(|(_, value)| tidy(value));
            table.fmt();
        }
        Value::String(text) => text.fmt(),
        _ => {}
    }
    value.decor_mut().clear();
}

fn no_table(name: &str) -> Fault {
    Fault::Shape(say::shape_no_table(name))
}
