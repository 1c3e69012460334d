//! Codex's kind of file, by example: put in, then taken out again without a trace.

use super::{Path, parse, put, take, take_key};
use crate::text::Fault;
use proptest::prelude::*;
use rstest::rstest;
use toml_edit::{Array, Value};

const OURS: Path<'static> = ["mcp_servers", "sightline"];

fn pairs(command: &str) -> [(&'static str, Value); 2] {
    [("command", command.into()), ("args", Value::Array(["mcp", "--agent"].into_iter().collect::<Array>()))]
}

const BLOCK: &str = "[mcp_servers.sightline]\ncommand = \"/x\"\nargs = [\"mcp\", \"--agent\"]\n";

#[rstest]
#[case::nothing("", BLOCK)]
#[case::keys("model = \"m\" # mine\n", &format!("model = \"m\" # mine\n\n{BLOCK}"))]
#[case::blank_lines_at_the_end("a = 1\n\n\n", &format!("a = 1\n\n\n\n{BLOCK}"))]
#[case::no_last_line_end("a = 1", &format!("a = 1\n\n{}", BLOCK.trim_end()))]
#[case::windows("a = 1\r\n", &format!("a = 1\r\n\r\n{}", BLOCK.replace('\n', "\r\n")))]
#[case::only_comments("# a\n#b", &format!("# a\n#b\n\n{}", BLOCK.trim_end()))]
#[case::other_servers("[mcp_servers.a]\ncommand = 'a'\n\n[[x]]\ny=1\n", &format!("[mcp_servers.a]\ncommand = 'a'\n\n[[x]]\ny=1\n\n{BLOCK}"))]
#[case::dotted("mcp_servers.a.command = 'a'\n", &format!("mcp_servers.a.command = 'a'\n\n{BLOCK}"))]
#[case::inline(
    "mcp_servers = { a = { command = 'a' } } # c\n",
    "mcp_servers = { a = { command = 'a' }, sightline = { command = \"/x\", args = [\"mcp\", \"--agent\"] } } # c\n"
)]
#[case::inline_dotted(
    "mcp_servers = { a.command = 'a' }",
    "mcp_servers = { a.command = 'a', sightline = { command = \"/x\", args = [\"mcp\", \"--agent\"] } }"
)]
fn there_and_back(#[case] text: &str, #[case] expected: &str) {
    let with = put(text, OURS, &pairs("/x")).expect("it can be put in");
    assert_eq!(with, expected);
    assert_eq!(put(&with, OURS, &pairs("/x")).expect("once more"), with);
    assert_eq!(take(&with, OURS).expect("it can be taken out"), text);
}

/// Others' lines in our table stay while it is there, and go with it.
#[rstest]
#[case::in_place(
    "[mcp_servers.sightline] # c\ncommand = '/old' # d\nargs = [ 'mcp',\n \"--agent\", ]\nenabled = true\n",
    "[mcp_servers.sightline] # c\ncommand = \"/x\" # d\nargs = [ 'mcp',\n \"--agent\", ]\nenabled = true\n",
    ""
)]
#[case::without_arguments(
    "a=1\n[mcp_servers.sightline]\ncommand = '/x'\n[b]\n",
    "a=1\n[mcp_servers.sightline]\nargs = [\"mcp\", \"--agent\"]\ncommand = '/x'\n[b]\n",
    "a=1\n[b]\n"
)]
#[case::with_tables_of_its_own(
    "[mcp_servers.sightline]\ncommand='/old'\nargs=['mcp']\n\n[mcp_servers.sightline.tools.todo_write]\nmode = 'x'\n\n# next\n[b]\n",
    "[mcp_servers.sightline]\ncommand=\"/x\"\nargs=[\"mcp\", \"--agent\"]\n\n[mcp_servers.sightline.tools.todo_write]\nmode = 'x'\n\n# next\n[b]\n",
    "\n# next\n[b]\n"
)]
#[case::inline_in_a_table(
    "[mcp_servers]\nsightline = { command = '/old' }\nb = {}\n",
    "[mcp_servers]\nsightline = { command = \"/x\", args = [\"mcp\", \"--agent\"] }\nb = {}\n",
    "[mcp_servers]\nb = {}\n"
)]
#[case::first_inline(
    "mcp_servers = { sightline = { command = '/old', args = [] }, b = {} }",
    "mcp_servers = { sightline = { command = \"/x\", args = [\"mcp\", \"--agent\"] }, b = {} }",
    "mcp_servers = { b = {} }"
)]
#[case::dotted_in_a_table(
    "[mcp_servers]\nsightline.command = '/old'\nsightline.args = []\n[b]\n",
    "[mcp_servers]\nsightline.command = \"/x\"\nsightline.args = [\"mcp\", \"--agent\"]\n[b]\n",
    "[mcp_servers]\n[b]\n"
)]
fn ours_is_brought_up_to_date(#[case] text: &str, #[case] expected: &str, #[case] without: &str) {
    let with = put(text, OURS, &pairs("/x")).expect("it can be changed");
    assert_eq!(with, expected);
    assert_eq!(take(&with, OURS).expect("it can be taken out"), without);
}

#[rstest]
#[case::syntax("a = 1\nb = [\n", 2)]
#[case::twice("a = 1\na = 2\n", 2)]
#[case::half("a = 'é'\n  = 2\n", 2)]
fn a_mistake_is_refused_with_its_place(#[case] text: &str, #[case] expected: usize) {
    match put(text, OURS, &pairs("/x")) {
        Err(Fault::Syntax { line, column, message }) => {
            assert!(line >= expected && column >= 1, "{line}:{column}");
            assert!(!message.is_empty(), "it says what is wrong");
        }
        other => panic!("it has a mistake: {other:?}"),
    }
}

#[rstest]
#[case("mcp_servers = 1\n")]
#[case("[mcp_servers]\nsightline = 'x'\n")]
#[case("[[mcp_servers.sightline]]\n")]
fn something_else_of_that_name_is_refused(#[case] text: &str) {
    assert!(matches!(put(text, OURS, &pairs("/x")), Err(Fault::Shape(_))), "{text}");
}

#[test]
fn a_key_goes_with_its_table_when_it_is_alone() {
    let text = "[tools.update_plan]\nenabled = true\nother = 1\n";
    let without = take_key(text, ["tools", "update_plan"], "enabled").expect("it can be taken out");
    assert_eq!(without, "[tools.update_plan]\nother = 1\n");
    let text = "tools = { web = true, update_plan = { enabled = true } }\n";
    let without = take_key(text, ["tools", "update_plan"], "enabled").expect("it can be taken out");
    assert_eq!(without, "tools = { web = true }\n");
}

proptest! {
    // Most of these lines together are no TOML.
    #![proptest_config(ProptestConfig { max_global_rejects: 1 << 20, ..ProptestConfig::default() })]

    #[test]
    fn a_table_comes_and_goes(
        lines in prop::collection::vec(prop::sample::select(vec![
            "", " ", "# c", "\t# = [", "[[list]]", "x = 1", "y = [ 1, # c", "2 ]", "z = '''", "'''", "[a.b] # c", "[mcp_servers]",
            "[mcp_servers.other]", "[mcp_servers.other.env]", "command = \"x\"", "mcp_servers.d.command = 'x'",
            "mcp_servers = { a = {}, b = 1 }", "[z]",
        ]), 0..12),
        newline in prop::sample::select(vec!["\n", "\r\n"]),
        last in any::<bool>(),
    ) {
        let text = lines.join(newline) + if last { newline } else { "" };
        prop_assume!(parse(&text).is_ok());
        let with = put(&text, OURS, &pairs("/x")).expect("it can be put in");
        prop_assert_eq!(&put(&with, OURS, &pairs("/x")).expect("once more"), &with);
        let moved = put(&with, OURS, &pairs("/y")).expect("it can be changed");
        prop_assert_eq!(take(&moved, OURS).expect("it can be taken out"), &text[..]);
        prop_assert_eq!(take(&with, OURS).expect("it can be taken out"), &text[..]);
    }
}

#[test]
fn what_stands_in_between_is_not_taken_out() {
    let text = "[mcp_servers]\nsightline.command = \"s\"\nother.command = \"o\"\nsightline.args = []\n";
    match take(text, ["mcp_servers", "sightline"]) {
        Ok(edited) => assert_eq!(edited, "[mcp_servers]\nother.command = \"o\"\n"),
        Err(Fault::Shape(why)) => assert!(why.english.contains("without changing something else"), "{why}"),
        Err(other) => panic!("{other:?}"),
    }
}
