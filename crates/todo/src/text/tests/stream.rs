//! Blocks in a stream: what is a block, what is prose, and that it does not matter in which pieces it comes
//! (requirements K1, K8).

use super::{brief, text};
use crate::limits;
use crate::text::{Token, Tokens};
use proptest::prelude::*;
use rstest::rstest;

/// The tokens of a stream that is cut at these places; uninterrupted prose in one piece.
pub(super) fn tokens(stream: &[u8], cuts: &[usize]) -> Vec<Token> {
    let mut reader = Tokens::new();
    let mut out = Vec::new();
    let mut from = 0;
    for cut in cuts.iter().copied().chain([stream.len()]).filter(|cut| *cut <= stream.len()) {
        reader.push_bytes(&stream[from.min(cut)..cut], &mut out);
        from = from.max(cut);
    }
    reader.finish(&mut out);
    joined(out)
}

fn joined(tokens: Vec<Token>) -> Vec<Token> {
    let mut joined: Vec<Token> = Vec::new();
    for token in tokens {
        match (joined.last_mut(), token) {
            (Some(Token::Prose(before)), Token::Prose(more)) => before.push_str(&more),
            (_, token) => joined.push(token),
        }
    }
    joined
}

/// A stream in short: prose as it is, `{3: pending a}` for a block at byte 3, `{3!}` for a broken one.
fn outline(stream: &str) -> String {
    let short = |token: Token| match token {
        Token::Prose(text) => text,
        Token::Block { drafts, at } => format!("{{{at}: {}}}", brief(&drafts).join(", ")),
        Token::Broken { at, .. } => format!("{{{at}!}}"),
        Token::Element(element) => format!("{{{}: {}}}", element.at, element.name),
    };
    tokens(stream.as_bytes(), &[]).into_iter().map(short).collect()
}

/// A block.
pub(super) const A: &str = "<todo><todo_item>a</todo_item></todo>";

// K1: blocks are found in streaming text, each the complete state.
#[rstest]
#[case::alone("@", "{0: pending a}")]
#[case::in_prose("Well: @ So.", "Well: {6: pending a} So.")]
#[case::several("é@\n@", "é{2: pending a}\n{40: pending a}")]
#[case::broken_then_good("<todo><todo_item> </todo_item></todo>x@", "{0!}x{38: pending a}")]
#[case::again("<todo><todo_item>b</todo_item>\n@ x", "{0!}{31: pending a} x")]
#[case::again_and_again(
    "<todo><todo_item>b</todo_item>\n@<!-- c -->\n@\n<b>",
    "{0!}{31: pending a}<!-- c -->\n{79: pending a}\n<b>"
)]
// The lists of an open item are its subtasks, and are left out with it.
#[case::again_within_an_item("<todo><todo_item>b\n@<!-- c -->\n@\n<b> @", "{0!}\n<b> {109: pending a}")]
#[case::again_within_a_list_within_an_item("<todo><todo_item>b\n<todo><todo_item>c</todo_item>\n@\n<b>", "{0!}\n<b>")]
#[case::again_and_cut_off("<todo><todo_item>b<todo>", "{0!}")]
#[case::again_empty("<todo><todo_item>b</todo_item>\n<todo/> x", "{0!}{31: } x")]
#[case::again_empty_within_an_item("<todo><todo_item>b\n<todo/> x", "{0!} x")]
#[case::again_on_lines(
    "<todo>\n<todo_item>parent\n<todo>\n<todo_item>child</todo_item>\n</todo>\nprose",
    "{0!}\nprose"
)]
// A list within a block is of it, and so are end tags that are left over.
#[case::nested("Well: <todo><todo_item>p@</todo_item></todo> So.", "Well: {6: pending p, > pending a} So.")]
#[case::nested_on_lines("<todo>\n<todo_item>p\n@\n</todo_item>\n</todo>.", "{0: pending p, > pending a}.")]
#[case::nested_twice_on_lines(
    "<todo>\n<todo_item>p\n@\n@\n</todo_item>\n</todo>.",
    "{0: pending p, > pending a, > pending a}."
)]
#[case::nested_after_its_item("<todo><todo_item>p</todo_item>\n@\n</todo>.", "{0: pending p, > pending a}.")]
#[case::nested_twice(
    "<todo><todo_item>p@@</todo_item>@</todo>.",
    "{0: pending p, > pending a, > pending a, > pending a}."
)]
#[case::nested_empty("<todo><todo_item>p<todo/></todo_item><todo></todo></todo>.", "{0: pending p}.")]
#[case::again_at_the_end("<todo><todo_item>b</todo_item>\n@", "{0!}{31: pending a}")]
#[case::nested_and_cut_off("<todo><todo_item>p\n@", "{0!}")]
#[case::nested_and_cut_off_within("x<todo><todo_item>p<todo><todo_item>a", "x{1!}")]
#[case::nested_and_cut_off_after("<todo><todo_item>p@</todo_item>", "{0!}")]
#[case::nested_too_deep("<todo><todo_item>p<todo><todo_item>q@</todo_item></todo></todo_item></todo> x", "{0!} x")]
#[case::nested_and_then_text(
    "<todo><todo_item>p@ and so on</todo_item></todo> x",
    "{0: pending p\nand so on, > pending a} x"
)]
#[case::nested_without_its_begin(
    "<todo><todo_item>p<todo_item>a</todo_item></todo>\n</todo_item> </TODO >x",
    "{0!}\n x"
)]
#[case::ends_left_over("@</todo></todo_item></todo_items></todo>", "{0: pending a}</todo_items></todo>")]
#[case::items_left_over("@<todo_item>b</todo_item></todo>.", "{0: pending a}{37!}.")]
#[case::nested_without_its_end(
    "<todo>\n<todo_item>p\n<todo>\n<todo_item>c</todo_item>\n</todo_item>\n</todo>.",
    "{0!}."
)]
#[case::ends_cut_off("@ </todo_it", "{0: pending a} </todo_it")]
#[case::cut_off("So <todo><todo_item>b</todo_item> and the rest", "So {3!}")]
#[case::cut_off_early("So <todo> \n", "So {3!}")]
#[case::emptied("<todo></todo>.", "{0: }.")]
// A mention is prose, and not reported.
#[case::mention("Write <todo> and so on", "Write <todo> and so on")]
#[case::mention_twice("<todo> <todo>\n<b>", "<todo> <todo>\n<b>")]
#[case::mention_then_block("<todo>@", "<todo>{6: pending a}")]
#[case::mention_with_comment("<todo> <!-- x --> y @", "<todo> <!-- x --> y {20: pending a}")]
#[case::mention_with_literal("<todo><![CDATA[x]]></todo>", "<todo><![CDATA[x]]></todo>")]
#[case::other_names("<todos><todo_list></todo> <todo_items>", "<todos><todo_list></todo> <todo_items>")]
#[case::other_item("<todo><todo_items></todo_items></todo>", "<todo><todo_items></todo_items></todo>")]
#[case::half_a_tag("a < b <tod", "a < b <tod")]
#[case::tag_in_tag("<todo <@", "<todo <{7: pending a}")]
#[case::after_less("<<<@", "<<<{3: pending a}")]
// K8: what is thought changes nothing.
#[case::think("<think>@</think>@", "<think>@</think>{52: pending a}")]
#[case::thinking("<Thinking x=\"1\">@</think></THINKING >@", "<Thinking x=\"1\">@</think></THINKING >{73: pending a}")]
#[case::think_open("<think>@ \n@", "<think>@ \n@")]
#[case::no_thought("<think/>@<thinker>@", "<think/>{8: pending a}<thinker>{54: pending a}")]
#[case::fence_in_thought("<think>\n```\n</think>@", "<think>\n```\n</think>{20: pending a}")]
#[case::false_ends("<think>< /think></thin<</think>@", "<think>< /think></thin<</think>{31: pending a}")]
#[case::end_after_half_an_end("<think></thin</think>@", "<think></thin</think>{21: pending a}")]
// K8: code fences.
#[case::fence("```xml\n@\n```\n@", "```xml\n@\n```\n{49: pending a}")]
#[case::fence_indented("   ```\n@\n  ```  \r\n@", "   ```\n@\n  ```  \r\n{54: pending a}")]
#[case::tildes("~~~ a `b` @\n@\n~~~\n@", "~~~ a `b` @\n@\n~~~\n{90: pending a}")]
#[case::longer("````\n```\n@\n`````\n@", "````\n```\n@\n`````\n{53: pending a}")]
#[case::other_mark("```\n~~~\n@", "```\n~~~\n@")]
#[case::not_alone("```\n@\n``` x\n@", "```\n@\n``` x\n@")]
#[case::fence_open("a\n```\n@\n<think>", "a\n```\n@\n<think>")]
#[case::think_in_fence("```\n<think>\n```\n@", "```\n<think>\n```\n{16: pending a}")]
#[case::ticks_in_the_first_line("``` a`b\n@", "``` a`b\n{8: pending a}")]
#[case::after_a_mention("<todo>\n```\n@\n```\n", "<todo>\n```\n@\n```\n")]
#[case::at_the_end("```", "```")]
#[case::too_far_in("    ```\n@", "    ```\n{8: pending a}")]
#[case::within_a_line("x ```\n@", "x ```\n{6: pending a}")]
#[case::two_tildes("~~\n@", "~~\n{3: pending a}")]
#[case::after_a_block("@```\n@", "{0: pending a}```\n{41: pending a}")]
// K8: inline code.
#[case::inline("Say `@` and `` ` @ ``.", "Say `@` and `` ` @ ``.")]
#[case::inline_not_closed("It`s\n@", "It`s\n{5: pending a}")]
#[case::inline_not_closed_here("It`s @\n`", "It`s {5: pending a}\n`")]
#[case::inline_other_length("``a` @\n", "``a` {5: pending a}\n")]
#[case::inline_inner("` ``@`` x\n", "` ``@`` x\n")]
#[case::inline_at_end("It`s @", "It`s {5: pending a}")]
#[case::inline_at_start("``` @ ``` @\n@", "``` @ ``` {46: pending a}\n{84: pending a}")]
#[case::in_item("It`s <todo>\n<todo_item>run `ls`</todo_item></todo>", "It`s {5: pending run `ls`}")]
fn found(#[case] stream: &str, #[case] expected: &str) {
    // `@` is the block `A`; where it is prose, it is that in the outline too.
    assert_eq!(outline(&stream.replace('@', A)), expected.replace('@', A));
}

#[test]
fn it_is_said_whether_another_block_was_taken_in_the_place_of_one_that_is_cut_off() {
    let problems = |stream: &str| -> Vec<String> {
        let problem = |token| match token {
            Token::Broken { problem, .. } => Some(problem),
            _ => None,
        };
        tokens(stream.as_bytes(), &[]).into_iter().filter_map(problem).collect()
    };
    let nothing = "the block is cut off: there is no </todo>. Nothing was changed; write the whole list again";
    let another = "the block is cut off: there is no </todo>. The one that follows was taken in its place";
    assert_eq!(problems(&format!("<todo><todo_item>b</todo_item>\n{A} x")), [another]);
    assert_eq!(problems(&format!("<todo><todo_item>b</todo_item>\n{A}")), [another]);
    assert_eq!(problems(&format!("<todo><todo_item>b\n{A} x")), [nothing]);
    assert_eq!(problems(&format!("<todo><todo_item>b\n{A}")), [nothing]);
    let broken = problems("<todo><todo_item>b</todo_item>\n<todo><todo_item> </todo_item></todo> x");
    assert_eq!(broken.len(), 2);
    assert_eq!(broken[0], nothing);
}

#[test]
fn prose_is_passed_on_as_it_comes() {
    let mut reader = Tokens::new();
    let mut pushed = |chunk: &str| {
        let mut out = Vec::new();
        reader.push(chunk, &mut out);
        out
    };
    let prose = |text: &str| vec![Token::Prose(text.to_owned())];
    assert_eq!(pushed("So "), prose("So "));
    assert_eq!(pushed("a <"), prose("a "));
    assert_eq!(pushed("b"), prose("<b"));
    assert_eq!(pushed(" <todo>"), prose(" "));
    assert_eq!(pushed("x"), prose("<todo>x"));
    assert_eq!(pushed("`c"), []);
    assert_eq!(pushed("` d"), prose("`c` d"));
    assert_eq!(pushed("\n```\nx"), prose("\n```\nx"));
}

#[test]
fn a_block_counts_at_its_end() {
    let mut reader = Tokens::new();
    let mut out = Vec::new();
    reader.push(&A[..A.len() - 1], &mut out);
    assert_eq!(out, []);
    reader.push(">", &mut out);
    assert!(matches!(out.as_slice(), [Token::Block { at: 0, .. }]), "{out:?}");
}

// Bytes that are no UTF-8, and characters that come in two pieces.
#[rstest]
#[case(b"a\xff\xfeb<todo/>", "a\u{fffd}\u{fffd}b{4: }")]
#[case(b"\xf0\x9f\x98\x80<todo/>", "\u{1f600}{4: }")]
#[case(b"\xf0\x9f<todo/>\xe2\x82", "\u{fffd}{2: }\u{fffd}")]
#[case(b"\xe2\xe2\x82\xac\xc3", "\u{fffd}\u{20ac}\u{fffd}")]
fn bytes(#[case] stream: &[u8], #[case] expected: &str) {
    let short = |tokens: Vec<Token>| -> String {
        let each = tokens.into_iter().map(|token| match token {
            Token::Prose(text) => text,
            Token::Block { at, .. } => format!("{{{at}: }}"),
            Token::Broken { at, .. } => format!("{{{at}!}}"),
            Token::Element(element) => format!("{{{}: {}}}", element.at, element.name),
        });
        each.collect()
    };
    let every: Vec<usize> = (0..stream.len()).collect();
    assert_eq!(short(tokens(stream, &[])), expected);
    assert_eq!(short(tokens(stream, &every)), expected);
}

// No stream makes it hold more than one block, and each is read in time.
#[rstest]
#[case::block("<todo><todo_item>", "a")]
#[case::comment("<todo><todo_item>a<!--", "-")]
#[case::literal("<todo><todo_item>a<![CDATA[", "]")]
#[case::items("<todo>", "<todo_item>a</todo_item>\n")]
#[case::lead("<todo>", " ")]
#[case::comments("<todo>", "<!-- -->")]
#[case::open_comments("", "<todo><!--")]
#[case::mentions("<todo><todo_item>", "<todo>")]
#[case::mentions_apart("<todo><todo_item>", "<todo> x")]
#[case::tags("", "<todo a=\"")]
#[case::tags_of_one_kind("", "<todo ")]
#[case::open_tag("<todo ", "x ")]
#[case::open_tag_within("<todo><todo_item>a<todo ", "x ")]
#[case::ticks("", "`")]
#[case::open_ticks("", "` `` ``` ```` ````` `````` ```````")]
#[case::thoughts("<think>", "</thin")]
#[case::fence("```", "`~ ")]
#[case::tildes("~", "~")]
#[case::less("", "<")]
fn bounds(#[case] begin: &str, #[case] part: &str) {
    const ROUNDS: usize = 200;
    let piece = part.repeat(4096 / part.len());
    let mut reader = Tokens::new();
    let mut out = Vec::new();
    let mut most = 0;
    reader.push(begin, &mut out);
    for _ in 0..ROUNDS {
        reader.push(&piece, &mut out);
        most = most.max(reader.held());
    }
    reader.finish(&mut out);
    assert!(most <= limits::LIST_BYTES + 64 * 1024, "{most} bytes were held");
}

// The text after a block that is too large is read as usual.
#[rstest]
#[case("<todo><todo_item>")]
#[case("<todo><todo_item>a<!--")]
#[case("<todo><todo_item>a<![CDATA[")]
fn after_one_that_is_too_large(#[case] begin: &str) {
    let stream = format!("x{begin}{}</todo>y{A}", "a ".repeat(limits::LIST_BYTES));
    assert!(outline(&stream).starts_with("x{1!}y{"), "{}", outline(&stream));
    let stream = format!("{begin}{}\n{A}y", "a ".repeat(limits::LIST_BYTES));
    assert!(outline(&stream).ends_with(": pending a}y"), "{}", outline(&stream));
    let stream = stream.replace("<todo><todo_item>a<", "<todo> <!-- again --> <todo_item>a<");
    assert!(outline(&stream).ends_with(": pending a}y"), "{}", outline(&stream));
}

fn part() -> impl Strategy<Value = Vec<u8>> {
    let whole = prop::sample::select(vec![
        A,
        "<todo>\n<!-- plan -->\n<todo_item status=\"doing\" notes='x > y'>é & <b><todo_item>s</todo_item></todo_item>\n</todo>",
        "<todo><todo_item> </todo_item></todo>",
        "<todo><todo_item>cut",
        "\n<todo><todo_item>p<todo>\n<todo_item>c</todo_item></todo>",
        "</todo_item></todo>",
        "<todo/>",
        "<TODO x=\"1\">\n",
        "</todo>",
        "<todo_item>",
        "\n```\n",
        "\n```",
        "\n~~~~\n",
        "<think>",
        "</think>",
        "<thinking>",
        "</thinking>",
        "`",
        "``",
        "\n",
        "<!-- c -->",
        "<!--",
        "-->",
        "<![CDATA[x]]>",
        "]]>",
        "Prose, 日本語. ",
        "😀",
    ]);
    prop_oneof![
        6 => whole.prop_map(|part| part.as_bytes().to_vec()),
        2 => text().prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ]
}

/// A part of a stream that stands by itself, and whether it is prose, a block or broken.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Prose,
    Block,
    Broken,
    CutOff,
}

fn kinds() -> impl Strategy<Value = Vec<(String, Kind)>> {
    let block =
        prop::sample::select(vec![A, "<todo>\n  <todo_item status=done>é `x` ```</todo_item>\n</todo>", "<TODO/>"]);
    let prose = "[a-z<é日😀 ]{0,12}\n";
    let fence = prop::sample::select(vec!["```", "````xml", "~~~", "  ~~~~ a"]);
    prop::collection::vec(
        prop_oneof![
            prose.prop_map(|text| (text, Kind::Prose)),
            block.clone().prop_map(|block| (block.to_owned(), Kind::Block)),
            block.clone().prop_map(|block| (format!("so `{}`\n", block.replace(['\n', '`'], "")), Kind::Prose)),
            (fence, block.clone()).prop_map(|(fence, block)| {
                let end = fence.trim_matches(|c| !matches!(c, '`' | '~'));
                (format!("\n{fence}\n{block}\n{end}\n"), Kind::Prose)
            }),
            block.clone().prop_map(|block| (format!("<think>{block}\n```</think>"), Kind::Prose)),
            block.prop_map(|block| (format!("<Thinking>{block}</THINKING>"), Kind::Prose)),
            Just(("<todo> is a mention\n".to_owned(), Kind::Prose)),
            Just(("<todo><todo_item></todo_item></todo>".to_owned(), Kind::Broken)),
            Just(("<todo>\n<todo_item>日本</todo_item>\n".to_owned(), Kind::CutOff)),
        ],
        0..10,
    )
}

/// An item of a block, with its own list.
#[derive(Debug, Clone)]
struct Node {
    content: String,
    list: Vec<Self>,
}

fn trees() -> impl Strategy<Value = Vec<Node>> {
    let leaf = "[a-zé日]{1,4}".prop_map(|content| Node { content, list: Vec::new() });
    let node = leaf.prop_recursive(3, 12, 3, |inner| {
        let list = prop_oneof![2 => prop::collection::vec(inner, 0..3), 1 => Just(Vec::new())];
        ("[a-zé日]{1,4}", list).prop_map(|(content, list)| Node { content, list })
    });
    prop::collection::vec(node, 1..4)
}

fn depth(items: &[Node]) -> usize {
    items.iter().map(|item| 1 + depth(&item.list)).max().unwrap_or(0)
}

/// The list of each item in it or after it, in one line, or each tag in its own.
fn nested_block(items: &[Node], style: usize) -> String {
    let line = if style == 1 { "\n" } else { "" };
    let item = |item: &Node| {
        let list = if item.list.is_empty() { String::new() } else { nested_block(&item.list, style) + line };
        let (within, after) = if style == 2 { ("", list.as_str()) } else { (list.as_str(), "") };
        format!("<todo_item>{}{line}{within}</todo_item>{line}{after}", item.content)
    };
    format!("<todo>{line}{}</todo>", items.iter().map(item).collect::<String>())
}

fn nested_brief(items: &[Node]) -> Vec<String> {
    let sub = |item: &Node| format!("> pending {}", item.content);
    let with_list = |item: &Node| {
        let first = format!("pending {}", item.content);
        std::iter::once(first).chain(item.list.iter().map(sub)).collect::<Vec<_>>()
    };
    items.iter().flat_map(with_list).collect()
}

proptest! {
    // K1, K8: told apart in any order. What follows one that is cut off is of it, until the next whole one.
    #[test]
    fn mixes(parts in kinds()) {
        let (mut stream, mut blocks, mut prose, mut cut_off) = (String::new(), Vec::new(), String::new(), false);
        for (text, kind) in parts {
            match kind {
                Kind::Prose if cut_off => continue,
                Kind::Prose => prose.push_str(&text),
                // Nobody can tell whether it is of the other.
                Kind::CutOff if cut_off => {}
                kind => blocks.push((stream.len(), kind == Kind::Block)),
            }
            cut_off = kind == Kind::CutOff;
            stream.push_str(&text);
        }
        if !cut_off {
            stream.push('.');
            prose.push('.');
        }
        let (mut found, mut passed) = (Vec::new(), String::new());
        for token in tokens(stream.as_bytes(), &[]) {
            match token {
                Token::Prose(text) => passed.push_str(&text),
                Token::Block { at, .. } => found.push((at, true)),
                Token::Broken { at, .. } => found.push((at, false)),
                Token::Element(element) => panic!("nobody looked for {element:?}"),
            }
        }
        prop_assert_eq!(found, blocks);
        prop_assert_eq!(passed, prose);
    }

    // K1: of an item that is open no list is one of its own; what follows them is as if it stood alone.
    #[test]
    fn within_an_open_item(blocks in 1..4_usize, line in "[ \n]{0,2}", parts in kinds()) {
        let begin = format!("<todo>\n<todo_item>日本\n{}{A}", format!("{A}{line}\n").repeat(blocks - 1));
        let whole = parts.into_iter().filter(|(_, kind)| *kind != Kind::CutOff).map(|(text, _)| text);
        let rest = format!("{line}\nWell.\n{}", whole.collect::<String>());
        let mut found = tokens(format!("{begin}{rest}").as_bytes(), &[]);
        let is_reported = matches!(found.remove(0), Token::Broken { at: 0, problem } if problem.contains("Nothing was changed"));
        prop_assert!(is_reported);
        let moved = |token| match token {
            Token::Block { drafts, at } => Token::Block { drafts, at: at + begin.len() },
            Token::Broken { problem, at } => Token::Broken { problem, at: at + begin.len() },
            token => token,
        };
        let alone: Vec<Token> = tokens(rest.as_bytes(), &[]).into_iter().map(moved).collect();
        prop_assert_eq!(found, alone);
    }

    // K1: lists in lists are subtasks, and a block of which a part is missing changes nothing.
    #[test]
    fn nested(items in trees(), style in 0..3_usize, cut in any::<prop::sample::Index>()) {
        let block = nested_block(&items, style);
        let stream = format!("Before.\n{block} After <b>.");
        let read = tokens(stream.as_bytes(), &[]);
        prop_assert!(matches!(read.first(), Some(Token::Prose(text)) if text == "Before.\n"));
        prop_assert!(matches!(read.last(), Some(Token::Prose(text)) if text == " After <b>."));
        prop_assert_eq!(read.len(), 3);
        match &read[1] {
            Token::Block { drafts, at: 8 } => prop_assert_eq!(brief(drafts), nested_brief(&items)),
            Token::Broken { at: 8, problem } => {
                prop_assert!(depth(&items) > 2 && problem.contains("nested too deep"), "{}", problem);
            }
            other => prop_assert!(false, "{:?}", other),
        }
        prop_assert_eq!(matches!(read[1], Token::Block { .. }), depth(&items) <= 2);

        let cut = 8 + cut.index(block.len());
        let read = tokens(&stream.as_bytes()[..cut], &[]);
        let broken = read.iter().filter(|token| matches!(token, Token::Broken { at: 8, .. })).count();
        prop_assert!(!read.iter().any(|token| matches!(token, Token::Block { .. })), "{:?}", read);
        prop_assert_eq!(broken, usize::from(cut >= 8 + "<todo>".len()));
    }

    // K1: of a block with a tag too many or too few nothing becomes prose, and no part of it is a list without a word.
    #[test]
    fn mistaken_tags(
        items in trees(), style in 0..3_usize, at in any::<prop::sample::Index>(),
        tag in prop::sample::select(vec!["", "", "<todo>", "<todo_item>", "</todo_item>", "<todo/>", "<!-- c -->", "<!--"]),
    ) {
        let block = nested_block(&items, style);
        let tags: Vec<usize> = block.match_indices('<').map(|(at, _)| at).skip(2).collect();
        let from = tags[at.index(tags.len())];
        // Either a tag is missing, or another stands before it.
        let to = from + if tag.is_empty() { block[from..].find('>').map_or(0, |end| end + 1) } else { 0 };
        let stream = format!("{}{tag}{} After.", &block[..from], &block[to..]);
        let mut told = false;
        for token in tokens(stream.as_bytes(), &[]) {
            match token {
                Token::Prose(text) => prop_assert!(["", "After."].contains(&text.trim()), "{text:?} in {stream}"),
                Token::Block { at, .. } => prop_assert!(at == 0 || told, "{}", stream),
                Token::Broken { .. } => told = true,
                Token::Element(element) => panic!("nobody looked for {element:?}"),
            }
        }
    }

    #[test]
    fn pieces_do_not_matter(
        parts in prop::collection::vec(part(), 0..14), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12)
    ) {
        let stream = parts.concat();
        let whole = tokens(&stream, &[]);
        let every: Vec<usize> = (0..stream.len()).collect();
        prop_assert_eq!(&tokens(&stream, &every), &whole);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
        cuts.sort_unstable();
        prop_assert_eq!(&tokens(&stream, &cuts), &whole);
        if let Ok(text) = std::str::from_utf8(&stream) {
            let (mut reader, mut out) = (Tokens::new(), Vec::new());
            text.chars().for_each(|c| reader.push(&c.to_string(), &mut out));
            reader.finish(&mut out);
            prop_assert_eq!(&joined(out), &whole);
        }
    }

    #[test]
    fn blocks_begin_where_they_say(parts in prop::collection::vec(part(), 0..14)) {
        let stream = parts.concat();
        let mut last = None;
        for token in tokens(&stream, &[]) {
            if let Token::Block { at, .. } | Token::Broken { at, .. } = token {
                prop_assert!(stream[at..].to_ascii_lowercase().starts_with(b"<todo"));
                prop_assert!(last < Some(at));
                last = Some(at);
            }
        }
    }
}
