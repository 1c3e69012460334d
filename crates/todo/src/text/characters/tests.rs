//! The table against Unicode and against the UI's, and the cases that both sides have in common.

use super::{Kind, TABLE, exact, exact_lines, kind, plain};
use serde::Deserialize;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

const FILE: &str = include_str!("../../../../../ui/src/shared/text/characters.json");
const CASES: &str = include_str!("../../../../../ui/src/shared/text/characters.cases.json");

#[derive(Deserialize)]
struct Table {
    ranges: Vec<(String, String, String)>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    text: String,
    plain: String,
    exact: String,
}

#[test]
fn the_window_has_the_same_table() {
    let file: Table = serde_json::from_str(FILE).expect("the table");
    let own: Vec<_> = TABLE
        .iter()
        .map(|(start, end, kind)| (format!("{start:04X}"), format!("{end:04X}"), format!("{kind:?}").to_lowercase()))
        .collect();
    assert_eq!(file.ranges, own);
    assert!(TABLE.is_sorted_by_key(|range| range.0) && TABLE.windows(2).all(|two| two[0].1 < two[1].0));
}

#[test]
fn every_character_without_a_letter_is_in_the_table() {
    for c in '\0'..=char::MAX {
        let kind = kind(c);
        match c.general_category() {
            GeneralCategory::Control => assert_eq!(kind, Some(Kind::Control), "{c:?}"),
            GeneralCategory::LineSeparator | GeneralCategory::ParagraphSeparator => {
                assert_eq!(kind, Some(Kind::Line), "{c:?}");
            }
            GeneralCategory::SpaceSeparator => assert_eq!(kind, (c != ' ').then_some(Kind::Space), "{c:?}"),
            GeneralCategory::Format | GeneralCategory::PrivateUse => assert!(kind.is_some(), "{c:?}"),
            GeneralCategory::Unassigned => {}
            // A variation selector, a filler or a joiner of graphemes; UI's test knows their property.
            GeneralCategory::NonspacingMark | GeneralCategory::OtherLetter | GeneralCategory::OtherSymbol => {
                assert!(matches!(kind, None | Some(Kind::Variation | Kind::Invisible | Kind::Space)), "{c:?} {kind:?}");
            }
            _ => assert_eq!(kind, None, "{c:?}"),
        }
    }
}

#[test]
fn both_forms_are_those_of_the_window() {
    let cases: Vec<Case> = serde_json::from_str(CASES).expect("the cases");
    assert!(cases.len() > 20);
    for case in cases {
        assert_eq!(plain(&case.text), case.plain, "plain: {}", case.name);
        assert_eq!(exact(&case.text), case.exact, "exact: {}", case.name);
    }
}

#[test]
fn no_character_of_the_table_is_left_in_either_form() {
    for c in '\0'..=char::MAX {
        for text in [format!("{c}"), format!("a{c}b"), format!(" {c} "), format!("{c}{c}")] {
            let shown = exact(&text);
            assert!(shown.chars().all(|c| kind(c).is_none()), "{c:?}: {shown:?}");
            let turns = |c: char| {
                matches!(kind(c), Some(Kind::Control | Kind::Line | Kind::Bidi | Kind::Override | Kind::Joiner))
                    || matches!(kind(c), Some(Kind::Tag | Kind::Invisible))
            };
            assert!(!plain(&text).chars().any(turns), "{c:?}: {:?}", plain(&text));
        }
    }
}

#[test]
fn a_line_has_no_end_in_it() {
    assert_eq!(plain("a\r\nb\tc\u{2028}d\u{85}e\u{1b}[2J"), "a  b c d e [2J");
    assert_eq!(exact("a\nb\u{1b}"), "a<U+000A>b<U+001B>");
    assert_eq!(exact_lines("a\n\tb\rc\u{2028}d\n"), "a\n\tb<U+000D>c<U+2028>d\n");
}
