//! Answers of a model that are to be JSON.

use crate::fsm::{Answer, Purpose, Verdict};
use serde_json::{Value, json};
use todo::Draft;
use todo::limits::TEXT_CHARS;

/// Reads the answer for a purpose that is not a turn.
pub(super) fn read(purpose: &Purpose, text: &str) -> Answer {
    let Some(value) = object_in(text) else { return Answer::Unreadable };
    match purpose {
        Purpose::Classify => match value.get("complex").and_then(Value::as_bool) {
            Some(complex) => Answer::Classified { complex },
            None => Answer::Unreadable,
        },
        Purpose::Plan(_) => match value.get("steps").and_then(Value::as_array) {
            Some(steps) => {
                // A step without words keeps its place, since others name the steps they wait for by number.
                let read: Vec<Draft> = steps.iter().map(|value| step(value).unwrap_or_default()).collect();
                let says_nothing = !read.is_empty() && read.iter().all(|step| step.content.is_empty());
                if says_nothing { Answer::Unreadable } else { Answer::Planned(read) }
            }
            None => Answer::Unreadable,
        },
        _ => match value.get("done").and_then(Value::as_bool) {
            Some(done) => Answer::Judged(Verdict {
                done,
                reason: texts(value.get("reason")).join(" "),
                suggestions: texts(value.get("suggestions")),
            }),
            None => Answer::Unreadable,
        },
    }
}

/// Reads a step of a plan. One that does not have the form asked for is read as its words alone, so that it does not spoil
/// the others.
fn step(step: &Value) -> Option<Draft> {
    let words = step.as_str().or_else(|| step.get("content")?.as_str())?.trim();
    let words = match words.char_indices().nth(TEXT_CHARS - 1) {
        Some((end, _)) if words.chars().count() > TEXT_CHARS => format!("{}…", words.get(..end).unwrap_or_default()),
        _ => words.to_owned(),
    };
    let mut fields = step.as_object().cloned().unwrap_or_default();
    fields.insert("content".to_owned(), words.clone().into());
    let read = |step: Value| Draft::list(&json!([step])).ok()?.pop();
    read(fields.into()).or_else(|| read(json!({ "content": words })))
}

/// The text, or the texts of the array.
fn texts(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(text)) if !text.trim().is_empty() => vec![text.clone()],
        Some(Value::Array(list)) => list.iter().flat_map(|text| texts(Some(text))).collect(),
        _ => Vec::new(),
    }
}

/// The last JSON object in a text: models think aloud before it, and put it in code fences.
fn object_in(text: &str) -> Option<Value> {
    let text = match text.rsplit_once("</think>") {
        Some((_, after)) => after,
        None => text,
    };
    let mut found = None;
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find('{')).map(|at| from + at) {
        let mut values = serde_json::Deserializer::from_str(text.get(at..)?).into_iter::<Value>();
        match values.next() {
            Some(Ok(value @ Value::Object(_))) => {
                from = at + values.byte_offset();
                found = Some(value);
            }
            _ => from = at + 1,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{object_in, read};
    use crate::fsm::{Answer, Grounds, Purpose, Verdict};
    use rstest::rstest;
    use serde_json::json;

    #[rstest]
    #[case(r#"{"complex": true}"#, Some(json!({"complex": true})))]
    #[case("```json\n{\"complex\": false}\n```", Some(json!({"complex": false})))]
    #[case("<think>{\"complex\": true}?</think>{\"complex\": false}", Some(json!({"complex": false})))]
    #[case("First {this} and then {\"a\": {\"b\": 1}} so.", Some(json!({"a": {"b": 1}})))]
    #[case("{\"a\": 1", None)]
    #[case("no", None)]
    #[case("[1]", None)]
    fn an_object_is_found(#[case] text: &str, #[case] value: Option<serde_json::Value>) {
        assert_eq!(object_in(text), value);
    }

    #[rstest]
    #[case(Purpose::Classify, "{}", Answer::Unreadable)]
    #[case(Purpose::Classify, r#"{"complex": "yes"}"#, Answer::Unreadable)]
    #[case(Purpose::Classify, r#"{"complex": true}"#, Answer::Classified { complex: true })]
    #[case(Purpose::Validate, r#"{"done": true}"#, Answer::Judged(Verdict { done: true, ..Verdict::default() }))]
    #[case(
        Purpose::Validate,
        r#"{"done": true, "reason": "seen"}"#,
        Answer::Judged(Verdict { done: true, reason: "seen".to_owned(), suggestions: Vec::new() })
    )]
    #[case(Purpose::Validate, r#"{"reason": "so"}"#, Answer::Unreadable)]
    #[case(Purpose::Plan(Grounds::default()), r#"{"steps": []}"#, Answer::Planned(Vec::new()))]
    #[case(Purpose::Plan(Grounds::default()), r#"{"steps": 3}"#, Answer::Unreadable)]
    #[case(Purpose::Plan(Grounds::default()), r#"{"steps": [3, {}]}"#, Answer::Unreadable)]
    #[case::null_and_no_list(
        Purpose::Validate,
        r#"{"done": false, "reason": null, "suggestions": "Test it"}"#,
        Answer::Judged(Verdict { suggestions: vec!["Test it".to_owned()], ..Verdict::default() })
    )]
    #[case::of_no_text(
        Purpose::Validate,
        r#"{"done": true, "reason": ["a", "b", 1], "suggestions": null}"#,
        Answer::Judged(Verdict { done: true, reason: "a b".to_owned(), ..Verdict::default() })
    )]
    fn answers_are_read(#[case] purpose: Purpose, #[case] text: &str, #[case] answer: Answer) {
        assert_eq!(read(&purpose, text), answer);
    }

    #[rstest]
    #[case::words(json!(["Read", " Write "]), &["Read", "Write"])]
    #[case::blank(json!([{"content": " "}, "Write", null]), &["", "Write", ""])]
    #[case::of_a_wrong_type(json!([{"content": "Read", "dependsOn": {"a": 1}, "estimatedMinutes": []}]), &["Read"])]
    #[case::too_long(json!(["Read", "x".repeat(9_000)]), &["Read", &format!("{}…", "x".repeat(1_999))])]
    fn one_odd_step_takes_no_other_with_it(#[case] steps: serde_json::Value, #[case] read_as: &[&str]) {
        let text = json!({ "steps": steps }).to_string();
        let Answer::Planned(steps) = read(&Purpose::Plan(Grounds::default()), &text) else { panic!("a plan") };
        assert_eq!(steps.iter().map(|step| step.content.as_str()).collect::<Vec<_>>(), read_as, "each at its place");
    }

    #[test]
    fn of_a_plan_that_is_far_too_long_all_is_read() {
        let text = json!({ "steps": (0..400).map(|at| format!("Step {at}")).collect::<Vec<_>>() }).to_string();
        let Answer::Planned(steps) = read(&Purpose::Plan(Grounds::default()), &text) else { panic!("a plan") };
        assert_eq!(steps.len(), 400);
    }
}
