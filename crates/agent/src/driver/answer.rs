//! What a model's answer says, where it is to be JSON.

use crate::fsm::{Answer, Purpose, Verdict};
use serde_json::Value;
use todo::Draft;

/// The answer to a purpose that is no turn.
pub(super) fn read(purpose: &Purpose, text: &str) -> Answer {
    let Some(value) = object_in(text) else { return Answer::Unreadable };
    match purpose {
        Purpose::Classify => match value.get("complex").and_then(Value::as_bool) {
            Some(complex) => Answer::Classified { complex },
            None => Answer::Unreadable,
        },
        Purpose::Plan(_) => match value.get("steps").map(Draft::list) {
            Some(Ok(steps)) => Answer::Planned(steps),
            _ => Answer::Unreadable,
        },
        _ => match (value.get("done"), serde_json::from_value::<Verdict>(value.clone())) {
            (Some(Value::Bool(_)), Ok(verdict)) => Answer::Judged(verdict),
            _ => Answer::Unreadable,
        },
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
    #[case(Purpose::Validate, r#"{"reason": "so"}"#, Answer::Unreadable)]
    #[case(Purpose::Plan(Grounds::default()), r#"{"steps": []}"#, Answer::Planned(Vec::new()))]
    #[case(Purpose::Plan(Grounds::default()), r#"{"steps": 3}"#, Answer::Unreadable)]
    fn answers_are_read(#[case] purpose: Purpose, #[case] text: &str, #[case] answer: Answer) {
        assert_eq!(read(&purpose, text), answer);
    }
}
