//! A list of entries in YAML, edited in place by `yaml-edit`, which keeps every byte that need not change. Each edit is
//! checked by parsing its result.

use crate::text::Fault;
use agents::{Entry, SERVER};
use serde_json::Value;
use std::str::FromStr;
use texts::all as say;
use yaml_edit::{Document, Mapping, Sequence, YamlNode};

/// The member of an entry that has its name.
const NAME: &str = "name";

/// The entry of our name in a list as JSON, with its texts, truth values and lists of texts; `null` where there is none.
///
/// # Errors
/// A syntax error, or a list in another form.
pub(crate) fn read(text: &str, list: &str) -> Result<Value, Fault> {
    let document = parse(text)?;
    let entry = entries(&document, list)?.and_then(|entries| ours(&entries));
    Ok(entry.map_or(Value::Null, |(_, entry)| value(&YamlNode::Mapping(entry))))
}

/// The text with these members in the entry of our name, which is added at the end of the list where there is none.
///
/// # Errors
/// A syntax error, or a list in another form.
pub(crate) fn put(text: &str, list: &str, members: &Entry) -> Result<String, Fault> {
    let document = parse(text)?;
    let is_kept = |entry: &Mapping, name: &str, new: &Value| entry.get(name).is_some_and(|old| value(&old) == *new);
    match entries(&document, list)? {
        Some(there) => match ours(&there) {
            Some((_, entry)) => {
                for (name, value) in members.0.iter().filter(|(name, value)| !is_kept(&entry, name, value)) {
                    set(&entry, name, value);
                }
            }
            None => there.push(new_entry(members)),
        },
        None => {
            let added = Sequence::new_pending_block();
            added.push(new_entry(members));
            root(&document)?.set(list, added);
        }
    }
    let edited = document.to_string();
    let after = read(&edited, list)?;
    if members.0.iter().all(|(name, value)| after[name] == *value) && others(&edited, list)? == others(text, list)? {
        return Ok(edited);
    }
    Err(Fault::Shape(say::shape_form(list)))
}

/// The text without the entry of our name, and without a list that this leaves empty.
///
/// # Errors
/// A syntax error, or an edit that would change something else.
pub(crate) fn take(text: &str, list: &str) -> Result<String, Fault> {
    let document = parse(text)?;
    let Some((entries, at)) = entries(&document, list)?.and_then(|entries| ours(&entries).map(|(at, _)| (entries, at)))
    else {
        return Ok(text.to_owned());
    };
    entries.remove(at);
    if entries.is_empty() {
        root(&document)?.remove(list);
    }
    let edited = document.to_string();
    if read(&edited, list)?.is_null() && others(&edited, list)? == others(text, list)? {
        return Ok(edited);
    }
    Err(Fault::Shape(say::shape_name_others(list)))
}

fn parse(text: &str) -> Result<Document, Fault> {
    if text.trim().is_empty() {
        return Ok(Document::new_mapping());
    }
    // The library counts lines for no error.
    Document::from_str(text).map_err(|error| Fault::Syntax { line: 1, column: 1, message: error.to_string() })
}

fn root(document: &Document) -> Result<Mapping, Fault> {
    document.as_mapping().ok_or_else(|| Fault::Shape(say::shape_no_mapping()))
}

/// The list of this name. `None` where there is nothing under it.
fn entries(document: &Document, list: &str) -> Result<Option<Sequence>, Fault> {
    match root(document)?.get(list) {
        None => Ok(None),
        Some(YamlNode::Sequence(entries)) => Ok(Some(entries)),
        Some(YamlNode::Scalar(scalar)) if scalar.is_null() => Ok(None),
        Some(_) => Err(Fault::Shape(say::shape_no_list(list))),
    }
}

/// The place and the members of the entry of our name.
fn ours(entries: &Sequence) -> Option<(usize, Mapping)> {
    entries.values().enumerate().find_map(|(at, entry)| {
        let entry = entry.as_mapping()?.clone();
        (value(&entry.get(NAME)?) == SERVER).then_some((at, entry))
    })
}

/// Every other entry and everything outside of the list, as JSON.
fn others(text: &str, list: &str) -> Result<Vec<Value>, Fault> {
    let document = parse(text)?;
    let is_ours = |entry: &Value| entry[NAME] == SERVER;
    let mut found: Vec<Value> = entries(&document, list)?
        .iter()
        .flat_map(|list| list.values().map(|entry| value(&entry)).collect::<Vec<_>>())
        .collect();
    found.retain(|entry| !is_ours(entry));
    let members = root(&document)?.iter().map(|(name, member)| (value(&name), value(&member))).collect::<Vec<_>>();
    found.extend(
        members.into_iter().filter(|(name, _)| name != list).map(|(name, member)| serde_json::json!([name, member])),
    );
    Ok(found)
}

fn value(node: &YamlNode) -> Value {
    match node {
        YamlNode::Scalar(scalar) if !scalar.is_quoted() && scalar.as_bool().is_some() => scalar.as_bool().into(),
        YamlNode::Scalar(scalar) => scalar.as_string().into(),
        YamlNode::Sequence(list) => list.values().map(|one| value(&one)).collect(),
        YamlNode::Mapping(mapping) => {
            let member = |(name, one): (YamlNode, YamlNode)| Some((value(&name).as_str()?.to_owned(), value(&one)));
            Value::Object(mapping.iter().filter_map(member).collect())
        }
        YamlNode::Alias(_) | YamlNode::TaggedNode(_) => node.to_string().into(),
    }
}

fn new_entry(members: &Entry) -> Mapping {
    let entry = Mapping::new();
    entry.set(NAME, SERVER);
    for (name, value) in &members.0 {
        set(&entry, name, value);
    }
    entry
}

fn set(entry: &Mapping, name: &str, value: &Value) {
    match value {
        Value::Bool(truth) => entry.set(name, *truth),
        Value::Array(list) => {
            let words = Sequence::new_flow();
            for word in list.iter().filter_map(Value::as_str) {
                words.push(word);
            }
            entry.set(name, words);
        }
        other => entry.set(name, other.as_str().unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::{put, read, take};
    use crate::text::Fault;
    use agents::Entry;
    use rstest::rstest;
    use serde_json::json;

    const LIST: &str = "mcpServers";

    fn members() -> Entry {
        Entry::program("/opt/sight line/sightline", vec!["mcp".to_owned(), "/home/u/it's: data".to_owned()])
    }

    const ENTRY: &str =
        "- name: sightline\n  command: /opt/sight line/sightline\n  args: [mcp, \"/home/u/it's: data\"]\n";

    #[rstest]
    #[case::keys("name: x # mine\nmodels:\n  - name: m\n", &format!("name: x # mine\nmodels:\n  - name: m\nmcpServers:\n{ENTRY}"))]
    #[case::others(
        "mcpServers:\n  - name: a\n    command: b\n# end\nother: 1\n",
        &format!("mcpServers:\n  - name: a\n    command: b\n{}# end\nother: 1\n", ENTRY.replace("- name", "  - name").replace("\n  ", "\n    "))
    )]
    #[case::no_indent("mcpServers:\n- name: a\n", &format!("mcpServers:\n- name: a\n{ENTRY}"))]
    #[case::no_last_line_end("a: 1", &format!("a: 1\nmcpServers:\n{}", ENTRY.trim_end()))]
    fn there_and_back(#[case] text: &str, #[case] expected: &str) {
        let with = put(text, LIST, &members()).expect("it can be put in");
        assert_eq!(with, expected);
        assert_eq!(put(&with, LIST, &members()).expect("once more"), with);
        assert_eq!(read(&with, LIST).expect("it is there")["args"], json!(["mcp", "/home/u/it's: data"]));
        assert_eq!(take(&with, LIST).expect("it can be taken out"), text);
    }

    #[test]
    fn line_ends_of_windows_stay() {
        let text = "a: 1\r\nmcpServers:\r\n  - name: a\r\n";
        let with = put(text, LIST, &members()).expect("it can be put in");
        assert_eq!(with.matches('\n').count(), with.matches("\r\n").count(), "{with:?}");
        assert_eq!(take(&with, LIST).expect("it can be taken out"), text);
    }

    #[test]
    fn an_entry_of_ours_keeps_what_is_not_set() {
        let text = "a: 1\nmcpServers:\n  - name: sightline # mine\n    command: /old\n    env: { A: \"1\" }\n    args: [mcp]\n";
        let set = put(text, LIST, &members()).expect("it can be set");
        assert!(
            set.contains("- name: sightline # mine\n    command: /opt/sight line/sightline\n    env: { A: \"1\" }\n"),
            "{set}"
        );
        assert_eq!(take(&set, LIST).expect("it can be taken out"), "a: 1\n");
    }

    #[rstest]
    #[case("mcpServers:\n  sightline:\n    command: x\n")]
    #[case("- a\n")]
    #[case("mcpServers: \"x\"\n")]
    #[case("a: [1\n")]
    fn what_is_something_else_is_said(#[case] text: &str) {
        let fault = put(text, LIST, &members()).expect_err("it cannot be edited");
        assert!(matches!(fault, Fault::Shape(_) | Fault::Syntax { .. }), "{text}");
    }
}
