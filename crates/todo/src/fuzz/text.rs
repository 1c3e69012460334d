//! The text forms: whatever is read can be written and read again.

use super::listed;
use crate::list::flat;
use crate::text::{
    Token, Tokens, plain, read_markdown, read_show, read_xml, show as write_show, write_markdown, write_tokens,
    write_xml,
};
use crate::{Draft, Field, Item, Result};

/// Bytes up to which nothing that is read comes near a limit when it is written again.
const SMALL: usize = 16 * 1024;

/// A form, by its writer and its reader.
type Form = (fn(&[Item]) -> String, fn(&str) -> Result<Vec<Draft>>);

/// `<todo>` blocks in a stream: the same in any pieces, and what is written of a block is that block.
pub fn tokens(bytes: &[u8]) {
    let whole = pieces(bytes, bytes.len().max(1)..=bytes.len().max(1));
    assert_eq!(pieces(bytes, 1..=1), whole, "byte by byte");
    assert_eq!(pieces(bytes, 1..=9), whole, "in pieces of any size");
    let length = bytes.len();
    let mut before = 0;
    for token in whole {
        match token {
            Token::Prose(text) => assert!(!text.is_empty(), "prose is something"),
            Token::Block { at, .. } | Token::Broken { at, .. } if at < before || at >= length => {
                panic!("a block begins at {at}, after {before} and before {length}")
            }
            Token::Block { drafts, at } => {
                before = at;
                if let Some(items) = listed(drafts).filter(|_| length <= SMALL) {
                    block(&items);
                }
            }
            Token::Broken { at, problem } => {
                before = at;
                assert!(!problem.is_empty(), "it is said what is wrong");
            }
            Token::Element(element) => panic!("nobody looked for {element:?}"),
        }
    }
}

/// The tokens of a stream, taken in pieces whose sizes follow from its own bytes; prose in one piece.
fn pieces(bytes: &[u8], sizes: std::ops::RangeInclusive<usize>) -> Vec<Token> {
    let (least, choices) = (*sizes.start(), sizes.end() - sizes.start() + 1);
    let mut reader = Tokens::new();
    let mut out = Vec::new();
    let mut rest = bytes;
    let mut sum = 0;
    while let Some(first) = rest.first() {
        sum += usize::from(*first);
        let (piece, after) = rest.split_at((least + sum % choices).min(rest.len()));
        reader.push_bytes(piece, &mut out);
        rest = after;
    }
    reader.finish(&mut out);
    let mut joined: Vec<Token> = Vec::new();
    for token in out {
        match (joined.last_mut(), token) {
            (Some(Token::Prose(before)), Token::Prose(more)) => before.push_str(&more),
            (_, token) => joined.push(token),
        }
    }
    joined
}

/// A block carries every field that an attribute can say.
fn block(items: &[Item]) {
    let written = write_tokens(items);
    let read = read_block(&written).expect("what was written can be read");
    for (draft, item) in same_shape(&read, items) {
        assert_eq!(draft.id.as_deref(), Some(item.id.as_str()), "the id in {written}");
        for field in Field::ALL {
            let same = field == Field::Extra || draft.same(field, &Draft::of(&item));
            assert!(same, "the {} of {draft:?} is not that of {item:?} in {written}", field.name());
        }
    }
}

fn read_block(text: &str) -> Result<Vec<Draft>> {
    match pieces(text.as_bytes(), text.len()..=text.len()).pop() {
        Some(Token::Block { drafts, at: 0 }) => Ok(drafts),
        other => panic!("{text:?} is one block, not {other:?}"),
    }
}

/// `<todos>` XML.
pub fn xml(bytes: &[u8]) {
    again(bytes, (write_xml, read_xml));
}

/// Checklists.
pub fn markdown(bytes: &[u8]) {
    again(bytes, (write_markdown, read_markdown));
}

/// The output of `/todo show`.
pub fn show(bytes: &[u8]) {
    again(bytes, (|items| write_show(items).english, read_show));
}

/// Reads a text, writes what it said, and reads that: it says the same, however often.
fn again(bytes: &[u8], (write, read): Form) {
    let text = String::from_utf8_lossy(bytes);
    let Some(items) = read(&text).ok().and_then(listed).filter(|_| text.len() <= SMALL) else { return };
    let written = write(&items);
    let drafts = read(&written).unwrap_or_else(|error| panic!("what was written is refused: {error}: {written:?}"));
    let words = |text: &str| plain(text).split_whitespace().collect::<Vec<_>>().join(" ");
    for (draft, item) in same_shape(&drafts, &items) {
        assert_eq!(words(&draft.content), words(&item.content), "the content in {written:?}");
        assert_eq!(draft.status, item.status, "the status of {item:?} in {written:?}");
    }
    let Some(items) = listed(drafts) else { return };
    let once = write(&items);
    let twice = read(&once).ok().and_then(listed).map(|items| write(&items));
    assert_eq!(twice.as_ref(), Some(&once), "what was read from {written:?}");
}

/// Drafts beside the items that they were, on both levels.
fn same_shape(drafts: &[Draft], items: &[Item]) -> Vec<(Draft, Item)> {
    let counts = |subtasks: &mut dyn Iterator<Item = usize>| subtasks.collect::<Vec<_>>();
    assert_eq!(
        counts(&mut drafts.iter().map(|draft| draft.subtasks.len())),
        counts(&mut items.iter().map(|item| item.subtasks.len())),
        "{drafts:?} has the shape of {items:?}"
    );
    let drafts = drafts.iter().flat_map(|draft| std::iter::once(draft).chain(&draft.subtasks));
    drafts.cloned().zip(flat(items).map(|(item, _)| item.clone())).collect()
}
