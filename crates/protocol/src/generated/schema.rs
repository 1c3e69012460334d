//! `docs/protocol.schema.json`: a JSON Schema of every message.

use super::rows;
use crate::{Event, Reply, Request};
use schemars::generate::{Contract, SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Characters that the id of a message may have.
const ID_CHARS: u32 = 200;

/// Every type by its name, the messages among them: `Request`, `Reply` and `Event`. Docstrings are as they stand in the
/// source.
pub(super) fn definitions() -> BTreeMap<String, Value> {
    let mut definitions = types(Contract::Serialize, |generator| {
        generator.subschema_for::<Reply>();
        generator.subschema_for::<Event>();
    });
    definitions.extend(types(Contract::Deserialize, |generator| {
        generator.subschema_for::<Request>();
    }));
    definitions.values_mut().for_each(optional_is_not_null);
    for messages in ["Request", "Reply"] {
        let variants = definitions.get_mut(messages).and_then(|all| all["oneOf"].as_array_mut());
        for variant in variants.expect("one for each request") {
            variant["properties"]["id"] = json!({ "type": "string", "maxLength": ID_CHARS });
        }
    }
    definitions
}

/// The types that some messages are made of, as a gateway writes or reads them.
fn types(contract: Contract, add: impl FnOnce(&mut SchemaGenerator)) -> BTreeMap<String, Value> {
    let mut settings = SchemaSettings::draft2020_12();
    settings.contract = contract;
    let mut generator = settings.into_generator();
    add(&mut generator);
    generator.take_definitions(true).into_iter().collect()
}

/// Makes fields that can be null optional: that null means the same is said once, in the introduction.
fn optional_is_not_null(schema: &mut Value) {
    let mut optional = Vec::new();
    for (name, property) in schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
        if without_null(property) {
            optional.push(name.clone());
        }
    }
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| optional.iter().all(|one| name != one));
    }
    match schema {
        Value::Object(parts) => parts.values_mut().for_each(optional_is_not_null),
        Value::Array(parts) => parts.iter_mut().for_each(optional_is_not_null),
        _ => {}
    }
}

/// Drops `null` from a type, and says whether it was there.
fn without_null(property: &mut Value) -> bool {
    let Some(fields) = property.as_object_mut() else { return false };
    fields.retain(|key, value| key != "default" || !value.is_null());
    if let Some(Value::Array(types)) = fields.get_mut("type")
        && let [Value::String(one), Value::String(null)] = types.as_slice()
        && null == "null"
    {
        let one = one.clone();
        fields.insert("type".to_owned(), one.into());
        return true;
    }
    if let Some(Value::Array(choices)) = fields.get("anyOf")
        && let [Value::Object(one), null] = choices.as_slice()
        && null["type"] == "null"
    {
        let one = one.clone();
        fields.remove("anyOf");
        fields.extend(one);
        return true;
    }
    false
}

/// Replaces links of the source by the names on the wire, in every description.
fn reword(schema: &mut Value) {
    match schema {
        Value::Object(parts) => {
            for (key, part) in parts {
                match part {
                    Value::String(text) if key == "description" => *text = super::page::linked(text, |name, _| name),
                    part => reword(part),
                }
            }
        }
        Value::Array(parts) => parts.iter_mut().for_each(reword),
        _ => {}
    }
}

fn schema() -> String {
    let mut definitions: Map<String, Value> = definitions().into_iter().collect();
    definitions.values_mut().for_each(reword);
    let messages = ["Request", "Reply", "Event"].map(|name| json!({ "$ref": format!("#/$defs/{name}") }));
    let answers: Map<String, Value> = rows().map(|row| (row.kind.to_owned(), row.reply.into())).collect();
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Sightline protocol",
        "description": "Made from crates/protocol by `cargo xtask types`; do not edit. Explained in protocol.md.",
        "anyOf": messages,
        "$comment": "x-answers: the type of the answer to each type of request",
        "x-answers": answers,
        "$defs": definitions,
    });
    serde_json::to_string_pretty(&schema).expect("JSON") + "\n"
}

#[test]
fn schema_is_current() {
    super::is_current("docs/protocol.schema.json", &schema());
}
