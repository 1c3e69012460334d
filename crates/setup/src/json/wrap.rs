//! A program before another one in an entry with `command` and `args`, and out of it again.
//!
//! What was there stays in its own bytes, one after the other: the old command becomes an argument as it is written.

use super::edit::{checked, pointer};
use super::tree::{Entry, Kind, Node, Tree};
use crate::text::{Fault, indent_at, newline, splice};
use serde_json::{Value, json};
use texts::all as say;

const COMMAND: &str = "command";
const ARGUMENTS: &str = "args";

/// The text with a program in the entry at `path`, whose arguments are `words`, the old command and the old arguments.
///
/// # Errors
/// A syntax error, or an entry of another form.
pub(crate) fn wrap(text: &str, path: &[&str], program: &str, words: &[String]) -> Result<String, Fault> {
    let tree = Tree::parse(text)?;
    let Parts { command, arguments } = Parts::of(&tree, path)?;
    let old = &text[command.node.place.clone()];
    let ours: Vec<String> = words.iter().map(|word| json!(word).to_string()).chain([old.to_owned()]).collect();
    let ours = ours.join(", ");
    let (place, new) = match arguments {
        Some(list) => match list.node.entries().first() {
            Some(first) => {
                let gap = &text[list.node.place.start + 1..first.start];
                let gap = if gap.is_empty() || !gap.trim().is_empty() { " " } else { gap };
                (first.start, format!("{ours},{gap}"))
            }
            None => (list.node.place.start + 1, ours),
        },
        None => {
            let between = if begins_line(text, command) {
                format!("{}{}", newline(text), indent_at(text, command.place.start))
            } else {
                " ".to_owned()
            };
            (command.place.end, format!(",{between}\"{ARGUMENTS}\":{OURS_ALONE}{ours} ]"))
        }
    };
    let edited = splice(text, vec![(command.node.place.clone(), json!(program).to_string()), (place..place, new)]);
    let expected = with_entry(&tree.value, path, |entry| {
        let old = entry.insert(COMMAND.to_owned(), json!(program)).unwrap_or_default();
        let had = entry.get(ARGUMENTS).and_then(Value::as_array).cloned().unwrap_or_default();
        let all = words.iter().map(|word| json!(word)).chain([old]).chain(had).collect();
        entry.insert(ARGUMENTS.to_owned(), Value::Array(all));
    });
    checked(edited, &expected)
}

/// The text with the command that is the argument after `count` words in the entry at `path`, and with its own arguments:
/// the reverse of [`wrap`].
///
/// # Errors
/// A syntax error, or an entry of another form.
pub(crate) fn unwrap(text: &str, path: &[&str], count: usize) -> Result<String, Fault> {
    let tree = Tree::parse(text)?;
    let Parts { command, arguments } = Parts::of(&tree, path)?;
    let Some(list) = arguments else { return Err(other_form(path)) };
    let entries = list.node.entries();
    let (Some(first), Some(old)) = (entries.first(), entries.get(count)) else { return Err(other_form(path)) };
    let is_alone = entries.len() == count + 1;
    let is_ours = is_alone && made_here(text, command, list);
    let place = match entries.get(count + 1) {
        Some(next) => first.start..next.start,
        None if is_ours => command.place.end..list.place.end,
        None => {
            let end = list.node.place.end - 1;
            first.start..tree.comma(old.end..end).map_or(old.end, |comma| comma.end)
        }
    };
    let edited = splice(text, vec![(command.node.place.clone(), text[old.clone()].to_owned()), (place, String::new())]);
    let expected = with_entry(&tree.value, path, |entry| {
        let mut all = entry.get(ARGUMENTS).and_then(Value::as_array).cloned().unwrap_or_default();
        let own = all.split_off((count + 1).min(all.len()));
        entry.insert(COMMAND.to_owned(), all.pop().unwrap_or_default());
        if is_ours {
            entry.remove(ARGUMENTS);
        } else {
            entry.insert(ARGUMENTS.to_owned(), Value::Array(own));
        }
    });
    checked(edited, &expected)
}

/// The beginning of a list that was not there before: into an empty one nothing is put with a space.
const OURS_ALONE: &str = " [ ";

/// Returns whether a list with nothing but ours was not there before.
fn made_here(text: &str, command: &Entry, list: &Entry) -> bool {
    let between = text.get(command.place.end..list.place.start).and_then(|text| text.strip_prefix(','));
    between.is_some_and(|text| text.trim().is_empty()) && text[list.node.place.start - 1..].starts_with(OURS_ALONE)
}

fn begins_line(text: &str, entry: &Entry) -> bool {
    text[..entry.place.start].trim_end_matches([' ', '\t']).ends_with('\n')
}

/// The two members of an entry.
struct Parts<'t> {
    command: &'t Entry,
    arguments: Option<&'t Entry>,
}

impl<'t> Parts<'t> {
    fn of(tree: &'t Tree, path: &[&str]) -> Result<Self, Fault> {
        let node = tree.find(path).ok_or_else(|| other_form(path))?;
        let once = |name| (node.count(name) <= 1).then(|| node.member(name));
        let (Some(Some(command)), Some(arguments)) = (once(COMMAND), once(ARGUMENTS)) else {
            return Err(other_form(path));
        };
        let is_list = |entry: &Entry| matches!(entry.node, Node { kind: Kind::List(_), .. });
        if arguments.is_some_and(|entry| !is_list(entry)) {
            return Err(other_form(path));
        }
        Ok(Self { command, arguments })
    }
}

fn with_entry(value: &Value, path: &[&str], change: impl FnOnce(&mut serde_json::Map<String, Value>)) -> Value {
    let mut value = value.clone();
    if let Some(Value::Object(entry)) = value.pointer_mut(&pointer(path)) {
        change(entry);
    }
    value
}

fn other_form(path: &[&str]) -> Fault {
    Fault::Shape(say::shape_no_command(path.join("."), COMMAND, ARGUMENTS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::value;
    use rstest::rstest;

    #[rstest]
    #[case::documented(r#"{"a": {"command": "npx", "args": ["x", "--acp"], "env": {}}}"#)]
    #[case::no_arguments(r#"{"a": {"command": "x"}}"#)]
    #[case::none_on_lines("{\n\t\"a\": {\n\t\t\"command\": \"x\",\n\t\t\"env\": {}\n\t}\n}\n")]
    #[case::empty(r#"{"a":{"command":"x","args":[]}}"#)]
    #[case::empty_with_a_space(r#"{"a": {"command": "x", "args": [ ]}}"#)]
    #[case::arguments_first(
        "{\n  \"a\": {\n    \"args\": [\n      \"one\",\n      \"two\",\n    ],\n    \"command\": \"x\",\n  },\n}"
    )]
    #[case::windows("{\r\n  \"a\": {\r\n    \"command\": \"C:\\\\x.exe\"\r\n  }\r\n}")]
    #[case::comments("{\"a\": { // its\n \"command\" : /* old */ \"\\u0078\", \"args\": [ /* first */ 'y', // second\n ] } }".replace('\'', "\"").leak())]
    fn there_and_back(#[case] text: &str) {
        let words = ["acp", "--data-dir", "/a \"b\"", "--"].map(str::to_owned);
        let there = wrap(text, &["a"], "/bin/ours", &words).expect("it has that form");
        let (before, after) = (value(text).expect("JSON"), value(&there).expect("JSON"));
        assert_eq!(after["a"]["command"], "/bin/ours");
        let mut all = json!(words).as_array().cloned().unwrap_or_default();
        all.push(before["a"]["command"].clone());
        all.extend(before["a"]["args"].as_array().into_iter().flatten().cloned());
        assert_eq!(after["a"]["args"], Value::Array(all));
        assert_eq!(after["a"]["env"], before["a"]["env"]);
        assert_eq!(unwrap(&there, &["a"], words.len()).expect("it has that form"), text);
    }

    #[rstest]
    #[case(r#"{"a": {"args": []}}"#)]
    #[case(r#"{"a": {"command": "x", "args": "y"}}"#)]
    #[case(r#"{"a": {"command": "x", "command": "y"}}"#)]
    #[case(r#"{"a": 1}"#)]
    #[case("{}")]
    fn what_has_another_form_stays(#[case] text: &str) {
        assert!(wrap(text, &["a"], "/bin/ours", &[]).is_err());
        assert!(unwrap(text, &["a"], 4).is_err());
    }
}
