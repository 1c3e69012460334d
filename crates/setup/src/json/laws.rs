//! Laws over random texts: what is put in and taken out again leaves no trace.

use super::{push, put, take, take_from, value};
use proptest::prelude::*;
use serde_json::json;

/// White space and comments as they stand between things. What ends in a line comment ends its line.
fn gap(newline: &'static str) -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => Just(String::new()),
        3 => Just(" ".to_owned()),
        3 => Just(newline.to_owned()),
        2 => Just(format!("{newline}\t")),
        2 => Just(format!("{newline}    ")),
        1 => Just("/* { \" */".to_owned()),
        1 => Just(format!("// ,] é{newline}  ")),
        1 => Just(format!("/* two{newline} lines */")),
    ];
    prop::collection::vec(part, 0..3).prop_map(|parts| parts.concat())
}

/// Entries with gaps around them, and braces or brackets.
fn container(
    newline: &'static str,
    entry: BoxedStrategy<String>,
    ends: [&'static str; 2],
    size: std::ops::Range<usize>,
) -> BoxedStrategy<String> {
    let entry =
        (gap(newline), entry, gap(newline)).prop_map(|(before, entry, after)| format!("{before}{entry}{after}"));
    let entries = prop::collection::vec(entry, size);
    let text = move |(entries, comma, gap): (Vec<String>, bool, String)| {
        let comma = if comma && !entries.is_empty() { "," } else { "" };
        format!("{}{}{comma}{gap}{}", ends[0], entries.join(","), ends[1])
    };
    (entries, any::<bool>(), gap(newline)).prop_map(text).boxed()
}

fn member(newline: &'static str, value: BoxedStrategy<String>) -> BoxedStrategy<String> {
    // So many names that none is there twice.
    (any::<u64>(), gap(newline), value).prop_map(|(name, gap, value)| format!("\"{name}\":{gap}{value}")).boxed()
}

fn any_value(newline: &'static str) -> BoxedStrategy<String> {
    let plain = ["1", "-2.5e3", "null", "\"a \\\" // , }\"", "{}", "[ ]"].map(str::to_owned);
    let inner = move |inner: BoxedStrategy<String>| {
        prop_oneof![
            container(newline, inner.clone(), ["[", "]"], 0..3),
            container(newline, member(newline, inner), ["{", "}"], 0..3),
        ]
    };
    prop::sample::select(plain.to_vec()).prop_recursive(3, 12, 3, inner).boxed()
}

/// An object that has `known` (a container of others' things) somewhere among its members.
fn text(ends: [&'static str; 2]) -> impl Strategy<Value = String> {
    prop::sample::select(vec!["\n", "\r\n"]).prop_flat_map(move |newline| {
        let value = any_value(newline);
        let entry = if ends[0] == "{" { member(newline, value.clone()) } else { value.clone() };
        let known = container(newline, entry, ends, 1..4).prop_map(|known| format!("\"known\": {known}")).boxed();
        let members = prop_oneof![member(newline, value), known].boxed();
        let root = container(newline, members, ["{", "}"], 1..4)
            .prop_filter("known once", |text| text.matches("\"known\"").count() == 1);
        (gap(newline), root, gap(newline)).prop_map(|(before, root, after)| format!("{before}{root}{after}"))
    })
}

proptest! {
    /// In an object that is there, in one that is made, and in several that are made.
    #[test]
    fn a_member_comes_and_goes(text in text(["{", "}"])) {
        let entry = json!({ "command": "/opt/sightline", "args": ["mcp", "--agent"] });
        for path in [&["known", "sightline"][..], &["servers", "sightline"], &["a", "b", "c"], &["d"]] {
            let with = put(&text, path, &entry).expect("a member can be put in");
            let again = put(&with, path, &entry).expect("once more");
            prop_assert_eq!(&again, &with, "putting it in twice changes nothing");
            let changed = put(&with, path, &json!("other")).expect("it can be changed");
            prop_assert_eq!(take(&changed, path).expect("it can be taken out"), &text[..]);
            prop_assert_eq!(take(&with, path).expect("it can be taken out"), &text[..]);
        }
    }

    #[test]
    fn a_value_of_a_list_comes_and_goes(text in text(["[", "]"])) {
        for path in [&["known"][..], &["hooks", "Stop"]] {
            let with = push(&text, path, &json!({ "hooks": [{ "command": "x" }] })).expect("a value can be added");
            let pointer: String = path.iter().map(|name| format!("/{name}")).collect();
            let count = value(&with).expect("it parses").pointer(&pointer).and_then(|list| list.as_array().map(Vec::len));
            let last = count.expect("a list") - 1;
            prop_assert_eq!(take_from(&with, path, last).expect("it can be taken out"), &text[..]);
        }
    }

    /// Taking an entry out removes it alone, whatever was put in after it, and every comment stays.
    #[test]
    fn taking_out_keeps_the_rest(text in text(["{", "}"])) {
        let with = put(&text, &["known", "sightline"], &json!({ "a": [1] })).expect("put in");
        let more = put(&with, &["known", "later"], &json!(true)).expect("put in after it");
        let without = take(&more, &["known", "sightline"]).expect("it can be taken out");
        let expected = put(&text, &["known", "later"], &json!(true)).expect("put in alone");
        prop_assert_eq!(value(&without).expect("it parses"), value(&expected).expect("it parses"));
        let comments = |text: &str| text.matches("/*").count() + text.matches("//").count();
        prop_assert_eq!(comments(&without), comments(&text));
    }

    #[test]
    fn any_text_is_edited_or_refused(text in "[{}\\[\\],:\"a/* \n\r0]{0,24}") {
        if let Ok(with) = put(&text, &["x", "y"], &json!(1)) {
            prop_assert_eq!(value(&with).expect("what was edited parses")["x"]["y"].as_u64(), Some(1));
        }
    }
}
