//! Elements other than `<todo>` in a stream.

use crate::text::{ELEMENT_BYTES, Element, Token, Tokens};
use rstest::rstest;

const NAMES: &[&str] = &["sum", "summary", "think"];

fn found(pieces: &[&str]) -> Vec<Token> {
    all(Tokens::elements(NAMES), pieces)
}

fn all(mut tokens: Tokens, pieces: &[&str]) -> Vec<Token> {
    let mut out = Vec::new();
    for piece in pieces {
        tokens.push(piece, &mut out);
    }
    tokens.finish(&mut out);
    let mut joined: Vec<Token> = Vec::new();
    for token in out {
        match (joined.last_mut(), token) {
            (Some(Token::Prose(before)), Token::Prose(more)) => before.push_str(&more),
            (_, token) => joined.push(token),
        }
    }
    joined
}

/// A stream with its elements as `{at name attributes|content}`, with `!` where the end is missing.
fn brief(tokens: Vec<Token>) -> String {
    let brief = |token| match token {
        Token::Prose(text) => text,
        Token::Element(Element { name, attributes, content, closed, at, .. }) => {
            let attributes: String = attributes.iter().map(|(name, value)| format!(" {name}={value}")).collect();
            format!("{{{at} {name}{attributes}|{content}}}{}", if closed { "" } else { "!" })
        }
        other => panic!("nobody looked for {other:?}"),
    };
    tokens.into_iter().map(brief).collect()
}

#[rstest]
#[case::none("a <b>c</b> <todo><todo_item>d</todo_item></todo>", "a <b>c</b> <todo><todo_item>d</todo_item></todo>")]
#[case::one("a <sum>1 < 2</sum> b", "a {2 sum|1 < 2} b")]
#[case::longer_name("<summary>a</summary>", "{0 summary|a}")]
#[case::attributes("<sum a=\"1 2\" b='&lt;' c=d>x</sum>", "{0 sum a=1 2 b=< c=d|x}")]
#[case::a_quoted_end("<sum a=\">\">x</sum>", "{0 sum a=>|x}")]
#[case::empty("é<sum a=1/>b", "é{2 sum a=1|}b")]
#[case::no_content("<sum></sum>", "{0 sum|}")]
#[case::any_case("<SUM>x</Sum >y", "{0 sum|x}y")]
#[case::within("<sum><sum>x</sum></sum>", "{0 sum|<sum>x}</sum>")]
#[case::no_end("<sum a=1>x</su", "{0 sum a=1|x</su}!")]
#[case::no_tag("<sum a=1", "<sum a=1")]
#[case::thought("<think><sum>x</sum></think><sum/>", "<think><sum>x</sum></think>{27 sum|}")]
#[case::fence("```\n<sum/>\n```\n<sum/>", "```\n<sum/>\n```\n{15 sum|}")]
#[case::code("`<sum/>` <sum/>", "`<sum/>` {9 sum|}")]
#[case::fence_after("<sum/>\n```\n<sum/>\n```", "{0 sum|}\n```\n<sum/>\n```")]
fn elements(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(brief(found(&[text])), expected);
    for (at, _) in text.char_indices() {
        let (before, after) = text.split_at(at);
        assert_eq!(brief(found(&[before, after])), expected, "cut at {at}");
    }
}

#[test]
fn what_is_too_long_is_given_out() {
    let text = format!("<sum>{}</sum><sum/>", "x".repeat(ELEMENT_BYTES + 10));
    let tokens = found(&[&text]);
    let [Token::Element(long), Token::Prose(rest), Token::Element(next)] = tokens.as_slice() else {
        panic!("{} tokens", tokens.len())
    };
    assert!(!long.closed && next.closed);
    assert_eq!((long.tag.as_str(), long.content.len()), ("<sum>", ELEMENT_BYTES + 1));
    assert_eq!(rest, "xxxxxxxxx</sum>");
}

#[rstest]
#[case::a_tag("é<sum a='1'>x</sum>", "é{2 sum|}!sum a='1'>x{14 /sum|}!/sum>")]
#[case::a_broken_one("<sum a=<sum/>", "{0 sum|}!sum a={7 sum|}!sum/>")]
#[case::without_its_end("<sum\n<", "{0 sum|}!sum\n<")]
#[case::no_tag("<sums> <sum", "<sums> <sum")]
#[case::thought("<think><sum></think><sum>", "<think><sum></think>{20 sum|}!sum>")]
#[case::code("`<sum>` ```</sum>``` <sum>", "`<sum>` ```</sum>``` {21 sum|}!sum>")]
fn marks(#[case] text: &str, #[case] expected: &str) {
    let marks = || Tokens::marks(&["sum", "/sum", "think"]);
    assert_eq!(brief(all(marks(), &[text])), expected);
    for (at, _) in text.char_indices() {
        let (before, after) = text.split_at(at);
        assert_eq!(brief(all(marks(), &[before, after])), expected, "cut at {at}");
    }
}

// Where the text before was put in the place of another one.
#[test]
fn what_stands_for_more_or_less_moves_what_follows() {
    let mut tokens = Tokens::new();
    let mut out = Vec::new();
    tokens.push("ten", &mut out);
    tokens.shift(7);
    tokens.push("<todo/>", &mut out);
    tokens.shift(-2);
    tokens.push("<todo/>", &mut out);
    let places: Vec<usize> = out
        .iter()
        .filter_map(|token| match token {
            Token::Block { at, .. } => Some(*at),
            _ => None,
        })
        .collect();
    assert_eq!(places, [10, 15]);
}
