//! `docs/protocol.md`: the protocol for people, an introduction and then every message and type.

use super::{CLASSES, Row, rows, schema};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;

const INTRODUCTION: &str = include_str!("introduction.md");

type Definitions = BTreeMap<String, Value>;

/// A text of the source with its links, [`Name`] or [`crate::Name`], replaced. `link` gets the name on the wire and the
/// anchor on the page.
pub(super) fn linked(text: &str, link: impl Fn(String, String) -> String) -> String {
    let mut parts = text.split("[`");
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (target, rest) = part.split_once("`]").expect("a link ends");
        let name = target.rsplit("::").next().unwrap_or(target);
        let (shown, anchor) = match rows().find(|row| row.name == name) {
            Some(row) => (row.kind, anchor(row.kind)),
            None => (name, anchor(name)),
        };
        result.push_str(&link(format!("`{shown}`"), anchor));
        // The link's address in the source, if it has one, is skipped.
        result.push_str(rest.strip_prefix('(').and_then(|rest| rest.split_once(')')).map_or(rest, |(_, rest)| rest));
    }
    result
}

/// The anchor of a heading, as GitHub makes it.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase().replace(' ', "-");
    kept.chars().filter(|letter| letter.is_alphanumeric() || *letter == '-').collect()
}

fn described(schema: &Value) -> String {
    linked(schema["description"].as_str().unwrap_or_default(), |name, anchor| format!("[{name}](#{anchor})"))
}

/// A description as the cell of a table.
fn cell(schema: &Value) -> String {
    described(schema).replace('\n', " ").replace('|', "\\|")
}

fn type_of(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        return format!("[{name}](#{})", anchor(name));
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        return choices.iter().map(type_of).collect::<Vec<_>>().join(" or ");
    }
    match &schema["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        Value::String(one) => match (one.as_str(), schema["format"].as_str()) {
            ("array", _) => format!("list of {}", type_of(&schema["items"])),
            ("object", _) if schema["additionalProperties"].is_object() => {
                format!("object of {}", type_of(&schema["additionalProperties"]))
            }
            ("string", Some("date-time")) => "time".to_owned(),
            (one, _) => one.to_owned(),
        },
        _ => "any JSON".to_owned(),
    }
}

/// The fields of a type, or its values, as tables.
fn shape(page: &mut String, schema: &Value) {
    let fields: Vec<_> = schema["properties"].as_object().into_iter().flatten().collect();
    if !fields.is_empty() {
        let required = |name: &str| schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
        page.push_str("\n| field | type | meaning |\n|---|---|---|\n");
        for (name, field) in fields {
            let meaning = match &field["const"] {
                Value::String(value) => format!("`{value}`"),
                _ => cell(field),
            };
            let optional = if required(name) { "" } else { ", optional" };
            writeln!(page, "| `{name}` | {}{optional} | {meaning} |", type_of(field)).expect("memory");
        }
        if schema["additionalProperties"] == true {
            page.push_str("\nFurther fields are taken as described above.\n");
        }
    }
    let variants: Vec<_> = schema["oneOf"].as_array().into_iter().flatten().collect();
    if variants.iter().any(|variant| variant["properties"].is_object()) {
        for variant in variants {
            writeln!(page, "\n{}", described(variant)).expect("memory");
            shape(page, variant);
        }
    } else if !variants.is_empty() {
        page.push_str("\n| value | meaning |\n|---|---|\n");
        for variant in variants {
            let value = variant["const"].as_str().expect("a word");
            writeln!(page, "| `{value}` | {} |", cell(variant)).expect("memory");
        }
    }
}

fn request(page: &mut String, class: &str, row: &Row, definitions: &Definitions) {
    let fields = &definitions[row.name];
    let repeat = match row.repeat {
        "always" => "yes",
        "never" => "no",
        "unless_it_adds" => "unless its `action` adds items",
        other => panic!("say in words what {other} means"),
    };
    let needs = match (row.asker, class) {
        ("Agent", "Connection" | "Question") => "*look*, or an agent's key".to_owned(),
        ("Agent", _) => "*edit*, or an agent's key".to_owned(),
        (rights, _) => format!("*{}*", rights.to_lowercase()),
    };
    writeln!(page, "\n#### `{}`\n\n{}\n", row.kind, described(fields)).expect("memory");
    writeln!(
        page,
        "Answer: `{}` with [{}](#{}). Needs {needs}. Safe to send again: {repeat}.",
        row.reply,
        row.answer,
        anchor(row.answer)
    )
    .expect("memory");
    shape(page, fields);
}

/// `ItemEdit` as `item edit`.
fn words(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
}

fn page() -> String {
    let mut definitions = schema::definitions();
    let events = definitions.remove("Event").expect("events");
    let codes = definitions.remove("Code").expect("codes");
    let mut page = INTRODUCTION.to_owned();
    page.push_str("\n## Messages\n");
    for (class, about, rows) in CLASSES {
        let about: Vec<_> =
            about.iter().map(|line| linked(line.trim(), |name, anchor| format!("[{name}](#{anchor})"))).collect();
        writeln!(page, "\n### Requests: {}\n\n{}", words(class), about.join("\n")).expect("memory");
        for row in *rows {
            request(&mut page, class, row, &definitions);
        }
    }
    page.push_str("\n## Event types\n\n| `type` | fields | when |\n|---|---|---|\n");
    for event in events["oneOf"].as_array().expect("variants") {
        let kind = event["properties"]["type"]["const"].as_str().expect("a type");
        writeln!(page, "| `{kind}` | {} | {} |", type_of(event), cell(event)).expect("memory");
    }
    writeln!(page, "\n## Errors\n\n<a id=\"code\"></a>\n{}", described(&codes)).expect("memory");
    shape(&mut page, &codes);
    page.push_str("\n## Types\n");
    for (name, definition) in &definitions {
        if ["Request", "Reply"].contains(&name.as_str()) || rows().any(|row| row.name == name) {
            continue;
        }
        writeln!(page, "\n### {name}\n\n{}", described(definition)).expect("memory");
        shape(&mut page, definition);
    }
    page
}

#[test]
fn page_is_current() {
    super::is_current("docs/protocol.md", &page());
}

#[test]
fn links_lead_to_one_heading_each() {
    let page = page();
    let headings =
        page.lines().filter(|line| line.starts_with('#')).map(|line| anchor(line.trim_start_matches('#').trim()));
    let mut anchors: Vec<String> = headings.chain(["code".to_owned()]).collect();
    anchors.sort();
    for pair in anchors.windows(2) {
        assert_ne!(pair[0], pair[1], "two headings have one anchor");
    }
    for link in page.split("](#").skip(1) {
        let anchor = link.split(')').next().expect("an end").to_owned();
        assert!(anchors.binary_search(&anchor).is_ok(), "there is no heading for #{anchor}");
    }
}

#[test]
fn the_examples_are_messages() {
    let mut asked = 0;
    for line in INTRODUCTION.lines() {
        if let Some(request) = line.strip_prefix("→ ") {
            let fields: Value = serde_json::from_str(request).expect(line);
            let kind = fields["type"].as_str().expect(line).to_owned();
            crate::Request::read(&kind, fields).expect(line);
            asked += 1;
        } else if let Some(answer) = line.strip_prefix("← ") {
            let is_reply = serde_json::from_str::<crate::Reply>(answer).is_ok();
            assert!(is_reply || serde_json::from_str::<crate::Event>(answer).is_ok(), "{line}");
        }
    }
    assert!(asked > 3);
}
