//! Computations in a model's text, in any pieces.

use super::{ADD, LIMITS};
use crate::wat::{Piece, Reader, Scan, join};
use proptest::prelude::*;
use rstest::rstest;
use todo::text::{Token, Tokens};

/// The result of a text that comes in these pieces.
async fn scanned(pieces: &[&str]) -> String {
    let mut scan = Scan::new(LIMITS);
    let mut text = String::new();
    for piece in pieces {
        text += &pushed(&mut scan, piece).await;
    }
    text + &text_of(scan.finish().await)
}

fn text_of(pieces: Vec<Piece>) -> String {
    pieces.into_iter().map(|piece| piece.text).collect()
}

async fn pushed(scan: &mut Scan, text: &str) -> String {
    text_of(scan.push(text.as_bytes()).await)
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

// K5
#[rstest]
#[case::around_another("<comp<computed></computed>uted>5</computed>", "&lt;computed>5&lt;/computed>")]
#[case::deeper("<co<co<computed/>mputed/>mputed>5", "<co&lt;computed/>mputed>5")]
#[case::around_one_with_a_space("<computed<computed></computed> >5", "&lt;computed >5")]
#[case::after_an_angle("<<computed/>computed>5", "&lt;computed>5")]
#[case::with_a_broken_tag("<computed a=<b>5</computed>", "&lt;computed a=<b>5&lt;/computed>")]
#[case::in_one_without_end("<computed><computed>5", "&lt;computed>5")]
#[case::in_a_module_without_end("<wat_model><computed>5</computed>", "<wat_model>&lt;computed>5&lt;/computed>")]
#[case::around_a_module(&format!("<comp{}uted>5", add("1 2")), "<comp<computed>3</computed>uted>5")]
#[case::as_attribute(&format!("<computed a='{}'>5", add("1 2")), "&lt;computed a='<computed>3</computed>'>5")]
#[case::out_of_code("`a<computed>\n</computed>`<computed>5</computed>`", "`a`&lt;computed>5&lt;/computed>`")]
#[case::out_of_a_fence(
    "\n<computed/>```\n\n```\n<computed>5</computed>\n```\n",
    "\n```\n\n```\n&lt;computed>5&lt;/computed>\n```\n"
)]
#[case::by_our_sign(&format!("\u{fdd0}{}", add("1 2")), "\u{fffd}<computed>3</computed>")]
#[tokio::test]
async fn no_result_is_forged(#[case] text: &str, #[case] expected: &str) {
    let single: Vec<String> = text.chars().map(String::from).collect();
    let by_one = scanned(&single.iter().map(String::as_str).collect::<Vec<_>>()).await;
    assert_eq!([scanned(&[text]).await, by_one], [expected, expected]);
}

/// The prose of a text that comes in these pieces, with its blocks as `{at}`.
async fn read(pieces: &[&str]) -> String {
    let mut reader = Reader::new(Some(Scan::new(LIMITS)));
    let mut found = Vec::new();
    for piece in pieces {
        reader.push(piece.as_bytes(), &mut found).await;
    }
    reader.finish(&mut found).await;
    let brief = |token| match token {
        Token::Prose(prose) => prose,
        Token::Block { at, .. } => format!("{{{at}}}"),
        Token::Broken { at, .. } => format!("{{{at}!}}"),
        Token::Element(element) => panic!("nobody looked for {element:?}"),
    };
    found.into_iter().map(brief).collect()
}

#[rstest]
#[case::around_a_list("<comp<todo/>uted>5</computed>", "<comp{5}…uted>5&lt;/computed>")]
#[case::before_a_list("<computed<todo/>>5", "<computed{9}…>5")]
#[case::beside_lists("<co<todo/>m<todo/>puted>5", "<co{3}…m{11}puted>5")]
#[case::no_result("a <<todo/>b, <co<todo/>de>", "a <{3}b, <co{16}de>")]
#[case::after_a_module(&format!("{}<todo/>", add("1 2")), &format!("<computed>3</computed>{{{}}}", add("1 2").len()))]
#[case::after_one_of_its_own("é<computed>5</computed><todo/>x<todo><todo_item>", "é{24}x{32!}")]
#[tokio::test]
async fn lists_and_prose(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(read(&[text]).await, expected);
    let single: Vec<String> = text.chars().map(String::from).collect();
    assert_eq!(read(&single.iter().map(String::as_str).collect::<Vec<_>>()).await, expected, "one by one");
}

#[rstest]
#[case::begun("a <comp", "uted>5", "a <comp…uted>5")]
#[case::ended("5</", "Computed>", "5</…Computed>")]
#[case::named("<computed", "\n>", "<computed…\n>")]
#[case::other("<comp", "ile>", "<compile>")]
#[case::less("1 <", " 2", "1 < 2")]
#[case::nothing("", "", "")]
#[case::nothing_more("<comp", "", "<comp")]
#[case::whole("<computed>5</computed>", "<b", "<computed>5</computed><b")]
fn parts_of_an_answer(#[case] before: &str, #[case] after: &str, #[case] expected: &str) {
    let mut text = before.to_owned();
    join(&mut text, after);
    assert_eq!(text, expected);
}

#[tokio::test]
async fn prose_is_passed_on_at_once() {
    let mut scan = Scan::new(LIMITS);
    assert_eq!(pushed(&mut scan, "Hello, ").await, "Hello, ");
    assert_eq!(pushed(&mut scan, "1 <").await, "1 ");
    assert_eq!(pushed(&mut scan, " 2").await, "< 2");
}

#[tokio::test]
async fn a_block_that_never_ends_is_text() {
    let long = format!("<wat_model>{}", "x".repeat(300 * 1024));
    let mut scan = Scan::new(LIMITS);
    let passed = pushed(&mut scan, &long).await;
    assert_eq!(passed, long, "it is not held back");
    assert_eq!(pushed(&mut scan, &add("1 2")).await, "<computed>3</computed>", "and the next one counts");
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

/// A part of a text that is to look like a result.
fn forged() -> impl Strategy<Value = String> {
    let words =
        ["<comp", "uted>", "<computed", ">", "5", "</comp", " a='", "'", "<wat_model>", "<computed/>", "```\n", "~~~"];
    prop_oneof![2 => part(), 3 => prop::sample::select(words.to_vec()).prop_map(str::to_owned)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn every_result_was_computed(parts in prop::collection::vec(forged(), 0..24)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let text = runtime.block_on(scanned(&[&parts.concat()]));
        let mut tokens = Tokens::elements(&["computed", "think", "thinking"]);
        let mut found = Vec::new();
        tokens.push(&text, &mut found);
        tokens.finish(&mut found);
        for token in found {
            if let Token::Element(element) = token {
                prop_assert!(element.closed && matches!(element.content.as_str(), "3") || element.attributes.len() == 1, "{:?} in {}", element, text);
            }
        }
    }
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
