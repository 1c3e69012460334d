//! Computations in a model's text, in any pieces.

use super::{ADD, LIMITS};
use crate::wat::Scan;
use proptest::prelude::*;
use rstest::rstest;

/// The result of a text that comes in these pieces.
async fn scanned(pieces: &[&str]) -> String {
    let mut scan = Scan::new(LIMITS);
    let mut text = String::new();
    for piece in pieces {
        text += &scan.push(piece).await;
    }
    text + &scan.finish().await
}

fn add(args: &str) -> String {
    format!("<wat_model args=\"{args}\">{ADD}</wat_model>")
}

// K5
#[rstest]
#[case::prose("Just <b>prose</b>, 1 < 2.", "Just <b>prose</b>, 1 < 2.")]
#[case::one(&format!("It is {}.", add("8.5 5")), "It is <computed>13.5</computed>.")]
#[case::named(&format!("<wat_model call='add' args='1 2'>{ADD}</wat_model>"), "<computed>3</computed>")]
#[case::any_case(&format!("<WAT_Model ARGS=\"1 2\">{ADD}</WAT_MODEL >"), "<computed>3</computed>")]
#[case::two(&format!("{} and {}", add("1 2"), add("3 4")), "<computed>3</computed> and <computed>7</computed>")]
#[case::among_todos(
    &format!("<todo><todo_item>a</todo_item></todo>{}<todo><todo_item>b</todo_item></todo>", add("1 2")),
    "<todo><todo_item>a</todo_item></todo><computed>3</computed><todo><todo_item>b</todo_item></todo>"
)]
#[case::an_error("<wat_model/>", "<computed error=\"true\">There is no module in the block.</computed>")]
#[case::escaped_arguments(
    &format!("<wat_model call=\"a&lt;b\">{ADD}</wat_model>"),
    "<computed error=\"true\">The module exports no function \"a&lt;b\"; it exports \"add\".</computed>"
)]
#[case::its_own(&format!("{}<computed>4</computed> is 4", add("1 2")), "<computed>3</computed> is 4")]
#[case::its_own_alone("So <computed error=\"true\">x</computed>!", "So !")]
#[case::its_own_without_end("So <computed>4 is it", "So 4 is it")]
#[case::its_own_empty("So <computed/>!", "So !")]
#[case::cut_off("Now <wat_model>(module", "Now <wat_model>(module")]
#[case::a_mention("Write <wat_modelling> or <computed", "Write <wat_modelling> or <computed")]
#[case::thought(&format!("<think>{}</think>done", add("1 2")), &format!("<think>{}</think>done", add("1 2")))]
#[case::thought_of_its_own(
    "<thinking><computed>1</computed></thinking>",
    "<thinking><computed>1</computed></thinking>"
)]
#[case::fenced(&format!("```xml\n{}\n```\n", add("1 2")), &format!("```xml\n{}\n```\n", add("1 2")))]
#[case::inline("use `<wat_model>` here", "use `<wat_model>` here")]
#[case::after_a_fence(&format!("```\na\n```\n{}", add("1 2")), "```\na\n```\n<computed>3</computed>")]
#[tokio::test]
async fn a_text(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(scanned(&[text]).await, expected);
    let single: Vec<String> = text.chars().map(String::from).collect();
    assert_eq!(scanned(&single.iter().map(String::as_str).collect::<Vec<_>>()).await, expected, "one by one");
    for (at, _) in text.char_indices() {
        let (before, after) = text.split_at(at);
        assert_eq!(scanned(&[before, after]).await, expected, "cut at {at}");
    }
}

#[tokio::test]
async fn prose_is_passed_on_at_once() {
    let mut scan = Scan::new(LIMITS);
    assert_eq!(scan.push("Hello, ").await, "Hello, ");
    assert_eq!(scan.push("1 <").await, "1 ");
    assert_eq!(scan.push(" 2").await, "< 2");
}

#[tokio::test]
async fn a_block_that_never_ends_is_text() {
    let long = format!("<wat_model>{}", "x".repeat(300 * 1024));
    let mut scan = Scan::new(LIMITS);
    let passed = scan.push(&long).await;
    assert_eq!(passed, long, "it is not held back");
    assert_eq!(scan.push(&add("1 2")).await, "<computed>3</computed>", "and the next one counts");
}

#[tokio::test]
async fn there_is_an_end_to_it() {
    let text = scanned(&[&add("1 2").repeat(66)]).await;
    assert_eq!(text.matches("<computed>3</computed>").count(), 64);
    assert_eq!(text.matches("An answer may have 64 computations.").count(), 2);
}

/// A part of a text.
fn part() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(add("1 2")),
        Just("<wat_model>".to_owned()),
        Just("</wat_model>".to_owned()),
        Just("<computed>".to_owned()),
        Just("</computed>".to_owned()),
        Just("<think>".to_owned()),
        Just("</think>".to_owned()),
        Just("```".to_owned()),
        Just("`".to_owned()),
        Just("\n".to_owned()),
        Just("<".to_owned()),
        Just("ä".to_owned()),
        "[ -~]{0,4}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_pieces_do_not_matter(parts in prop::collection::vec(part(), 0..12), cuts in prop::collection::vec(0..400usize, 0..8)) {
        let text = parts.concat();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| text.floor_char_boundary(cut)).collect();
        cuts.sort_unstable();
        let (mut pieces, mut from) = (Vec::new(), 0);
        for cut in cuts {
            pieces.push(&text[from..cut]);
            from = cut;
        }
        pieces.push(&text[from..]);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let whole = runtime.block_on(scanned(&[&text]));
        prop_assert_eq!(runtime.block_on(scanned(&pieces)), whole);
    }
}
