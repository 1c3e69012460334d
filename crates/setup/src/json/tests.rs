//! The layout that edits follow, by example.

use super::{push, put, take, take_from};
use crate::text::Fault;
use rstest::rstest;
use serde_json::json;
use texts::all as say;

#[rstest]
#[case::nothing("", "{\n  \"s\": {\n    \"x\": 1\n  }\n}\n")]
#[case::only_a_comment("// mine", "// mine\n{\n  \"s\": {\n    \"x\": 1\n  }\n}\n")]
#[case::empty("{}", "{\n  \"s\": {\n    \"x\": 1\n  }\n}")]
#[case::empty_on_two_lines("{\r\n}\r\n", "{\r\n  \"s\": {\r\n    \"x\": 1\r\n  }\r\n}\r\n")]
#[case::only_a_comment_inside("{\n  // mine\n}", "{\n  // mine\n  \"s\": {\n    \"x\": 1\n  }\n}")]
#[case::one_line("{\"a\":1}", "{\"a\":1, \"s\": {\"x\": 1}}")]
#[case::tabs("{\n\t\"a\": 1\n}\n", "{\n\t\"a\": 1,\n\t\"s\": {\n\t\t\"x\": 1\n\t}\n}\n")]
#[case::trailing_comma("{\n \"a\": 1,\n}", "{\n \"a\": 1,\n \"s\": {\n  \"x\": 1\n },\n}")]
#[case::comment_of_the_last(
    "{\n  \"a\": 1 // one\n  // more\n}",
    "{\n  \"a\": 1, // one\n  \"s\": {\n    \"x\": 1\n  }\n  // more\n}"
)]
#[case::there_on_one_line("{\n  \"s\": { \"a\": 1 }\n}", "{\n  \"s\": { \"a\": 1, \"x\": 1 }\n}")]
#[case::there_and_other("{ \"s\": { \"x\": [2] /* c */ } }", "{ \"s\": { \"x\": 1 /* c */ } }")]
fn putting_in(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(put(text, &["s", "x"], &json!(1)).expect("it can be put in"), expected);
}

#[rstest]
#[case::with_what_it_leaves_empty("{\"s\": {\"x\": 1}}", "{}")]
#[case::not_with_a_comment("{\n  \"s\": {\n    // why\n    \"x\": 1\n  }\n}", "{\n  \"s\": {\n    // why\n  }\n}")]
#[case::first("{\n  \"s\": {\n    \"x\": 1,\n    \"y\": 2\n  }\n}", "{\n  \"s\": {\n    \"y\": 2\n  }\n}")]
#[case::first_on_a_line("{\"s\": { \"x\": 1, \"y\": 2 }}", "{\"s\": { \"y\": 2 }}")]
#[case::between("{\"s\": {\"a\": 0, \"x\": 1, \"y\": 2}}", "{\"s\": {\"a\": 0, \"y\": 2}}")]
#[case::before_one_on_its_line("{\"s\": {\n // c\n \"x\": 1, \"y\": 2\n}}", "{\"s\": {\n // c\n \"y\": 2\n}}")]
#[case::comments_on_both_sides("{\"s\": {\n // c\n \"x\": 1 /* d */, // e\n}}", "{\"s\": {\n // c\n /* d */ // e\n}}")]
#[case::not_what_is_there_twice("{\"s\": {\"y\": 1}, \"s\": {\"x\": 1}}", "{\"s\": {\"y\": 1}, \"s\": {}}")]
#[case::not_there("{\"s\": {}}", "{\"s\": {}}")]
fn taking_out(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(take(text, &["s", "x"]).expect("it can be taken out"), expected);
}

#[test]
fn a_list_is_made_and_goes() {
    let with = push("{\n  \"a\": 1\n}\n", &["hooks", "Stop"], &json!(1)).expect("it can be added");
    assert_eq!(with, "{\n  \"a\": 1,\n  \"hooks\": {\n    \"Stop\": [\n      1\n    ]\n  }\n}\n");
    assert_eq!(take_from(&with, &["hooks", "Stop"], 0).expect("it can be taken out"), "{\n  \"a\": 1\n}\n");
}

#[rstest]
#[case::open("{\n  \"a\": [1,\n", Fault::Syntax { line: 2, column: 8, message: String::new() })]
#[case::missing_comma("{\n  \"é\": 1 \"b\": 2 }", Fault::Syntax { line: 2, column: 9, message: String::new() })]
#[case::single_quotes("{'a': 1}", Fault::Syntax { line: 1, column: 2, message: String::new() })]
#[case::two_values("{} {}", Fault::Syntax { line: 1, column: 4, message: String::new() })]
#[case::no_object("[]", Fault::Shape(say::shape_whole()))]
#[case::something_else("{\"s\": 1}", Fault::Shape(say::shape_no_object("s")))]
fn refused(#[case] text: &str, #[case] expected: Fault) {
    let fault = match put(text, &["s", "x"], &json!(1)).expect_err("it cannot be edited") {
        Fault::Syntax { line, column, message } => {
            assert!(!message.is_empty(), "the parser says what is wrong");
            Fault::Syntax { line, column, message: String::new() }
        }
        shape @ Fault::Shape(_) => shape,
    };
    assert_eq!(fault, expected);
}

#[test]
fn a_list_of_another_kind_is_refused() {
    assert_eq!(push("{\"a\": {}}", &["a"], &json!(1)), Err(Fault::Shape(say::shape_no_list("a"))));
}

#[test]
fn what_is_there_twice_is_left() {
    let fault = take("{\"s\": {\"x\": 1, \"y\": 2, \"x\": 3}}", &["s", "x"]).expect_err("one would come back");
    assert_eq!(fault, Fault::Shape(say::shape_twice("s.x", 2)));
    let text = "{\"hooks\": {\"Stop\": [1], \"Stop\": [2]}}";
    assert_eq!(
        take_from(text, &["hooks", "Stop"], 0).expect("it can be taken out"),
        "{\"hooks\": {\"Stop\": [1], \"Stop\": []}}"
    );
}
