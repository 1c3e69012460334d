//! A list of tables in TOML, written as `[[name]]` or as `name = [{…}]`, edited in place.

use super::{Pair, add_block, into_list, no_table, out_of_list, parse, parts, plain, values};
use crate::text::{Fault, splice};
use std::collections::BTreeMap;
use texts::all as say;
use toml_edit::{Document, Item, TableLike, Value};

/// The tables of a list, in their order.
pub(crate) fn entries<'a>(document: &'a Document<&str>, name: &str) -> Vec<&'a dyn TableLike> {
    match document.as_table().get(name) {
        Some(Item::ArrayOfTables(tables)) => tables.iter().map(|table| table as &dyn TableLike).collect(),
        Some(Item::Value(Value::Array(list))) => {
            list.iter().filter_map(Value::as_inline_table).map(|table| table as &dyn TableLike).collect()
        }
        _ => Vec::new(),
    }
}

/// The text with these keys in the first table of a list that is meant. Without such a table one is added at the end; in
/// one that is there, only keys that it has are set.
///
/// # Errors
/// A syntax error, or something else of the list's name.
pub(crate) fn put(
    text: &str,
    name: &str,
    is_meant: &dyn Fn(&dyn TableLike) -> bool,
    pairs: &[Pair<'_>],
) -> Result<String, Fault> {
    let document = parse(text)?;
    let Some(table) = entries(&document, name).into_iter().find(|table| is_meant(*table)) else {
        return push(text, name, pairs);
    };
    let edits = pairs.iter().filter_map(|(key, value)| match table.get(key)? {
        Item::Value(old) if plain(old) == plain(value) => None,
        old => Some((old.span()?, plain(value))),
    });
    let edited = splice(text, edits.collect());
    parse(&edited)?;
    Ok(edited)
}

/// The text with a table of these keys at the end of a list.
///
/// # Errors
/// A syntax error, or something else of the list's name.
pub(crate) fn push(text: &str, name: &str, pairs: &[Pair<'_>]) -> Result<String, Fault> {
    let document = parse(text)?;
    let edited = match document.as_table().get(name) {
        None | Some(Item::ArrayOfTables(_)) => add_block(text, &format!("[[{name}]]"), pairs),
        Some(Item::Value(Value::Array(list))) => into_list(text, list, pairs),
        Some(_) => return Err(no_table(name)),
    };
    let count = entries(&document, name).len() + 1;
    if entries(&parse(&edited)?, name).len() != count {
        return Err(Fault::Shape(say::shape_form(name)));
    }
    Ok(edited)
}

/// The text without the tables of a list that are meant.
///
/// # Errors
/// A syntax error, or an edit that would change something else.
pub(crate) fn take(text: &str, name: &str, is_meant: &dyn Fn(&dyn TableLike) -> bool) -> Result<String, Fault> {
    let mut text = text.to_owned();
    loop {
        let document = parse(&text)?;
        let Some(at) = entries(&document, name).into_iter().rposition(is_meant) else { return Ok(text) };
        let edited = match document.as_table().get(name) {
            Some(Item::ArrayOfTables(tables)) => {
                tables.get(at).map_or_else(|| text.clone(), |table| splice(&text, parts(&text, table)))
            }
            Some(Item::Value(Value::Array(list))) => out_of_list(&text, list, at),
            _ => return Err(no_table(name)),
        };
        let after = parse(&edited)?;
        let mut left: Vec<String> = entries(&document, name).into_iter().map(shown).collect();
        left.remove(at);
        let is_left = entries(&after, name).into_iter().map(shown).eq(left);
        if !is_left || others(&after, name) != others(&document, name) {
            return Err(Fault::Shape(say::shape_name_others(name)));
        }
        text = edited;
    }
}

/// The keys and values of a table, to compare it.
fn shown(table: &dyn TableLike) -> String {
    table.iter().map(|(key, item)| format!("{key} = {}\n", item.to_string().trim())).collect()
}

/// Every value outside of the list.
fn others(document: &Document<&str>, name: &str) -> BTreeMap<Vec<String>, String> {
    let mut values = values(document);
    values.retain(|place, _| place.first().map(String::as_str) != Some(name));
    values
}

#[cfg(test)]
mod tests {
    use super::{entries, push, put, take};
    use crate::toml::{Pair, parse};
    use rstest::rstest;
    use toml_edit::{Item, TableLike};

    fn pairs() -> [Pair<'static>; 2] {
        [("name", "ours".into()), ("command", "/x".into())]
    }

    fn is_ours(table: &dyn TableLike) -> bool {
        table.get("name").and_then(Item::as_str) == Some("ours")
    }

    const BLOCK: &str = "[[servers]]\nname = \"ours\"\ncommand = \"/x\"\n";

    #[rstest]
    #[case::nothing("", BLOCK)]
    #[case::keys("a = 1 # mine\n", &format!("a = 1 # mine\n\n{BLOCK}"))]
    #[case::no_last_line_end("a = 1", &format!("a = 1\n\n{}", BLOCK.trim_end()))]
    #[case::windows("a = 1\r\n", &format!("a = 1\r\n\r\n{}", BLOCK.replace('\n', "\r\n")))]
    #[case::others("[[servers]]\nname = 'a'\n[b]\nc = 1\n", &format!("[[servers]]\nname = 'a'\n[b]\nc = 1\n\n{BLOCK}"))]
    #[case::empty_brackets(
        "servers = [] # none\nb = 1\n",
        "servers = [{ name = \"ours\", command = \"/x\" }] # none\nb = 1\n"
    )]
    #[case::brackets(
        "servers = [\n  { name = 'a' },\n]\n",
        "servers = [\n  { name = 'a' }, { name = \"ours\", command = \"/x\" },\n]\n"
    )]
    fn there_and_back(#[case] text: &str, #[case] expected: &str) {
        let with = push(text, "servers", &pairs()).expect("it can be put in");
        assert_eq!(with, expected);
        assert_eq!(put(&with, "servers", &is_ours, &pairs()).expect("once more"), with);
        assert_eq!(take(&with, "servers", &is_ours).expect("it can be taken out"), text);
    }

    #[test]
    fn a_table_that_is_there_keeps_what_is_not_set() {
        let text = "[[servers]]\nname = 'ours' # mine\ncommand = '/old'\nmore = 1\n\n[[servers]]\nname = 'a'\n";
        let set = put(text, "servers", &is_ours, &pairs()).expect("it can be set");
        assert_eq!(set, text.replace("'/old'", "\"/x\""));
        let left = take(&set, "servers", &is_ours).expect("it can be taken out");
        assert_eq!(left, "\n[[servers]]\nname = 'a'\n");
        assert_eq!(entries(&parse(&left).expect("TOML"), "servers").len(), 1);
    }

    #[rstest]
    #[case("servers = 'x'\n")]
    #[case("[servers]\na = 1\n")]
    #[case("servers = [\n")]
    fn what_is_something_else_is_said(#[case] text: &str) {
        assert!(push(text, "servers", &pairs()).is_err(), "{text}");
    }
}
