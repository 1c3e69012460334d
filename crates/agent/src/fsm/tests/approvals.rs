//! Approvals of tool calls (REQUIREMENTS G3).

use super::{play, working, world};
use crate::fsm::{Policy, Settings, TODO_TOOLS};
use rstest::rstest;

#[rstest]
#[case::once("once", "call ask")]
#[case::session("session", "call ask")]
#[case::refused(
    "refused",
    "reject ask: The user refused to approve ask.; set A skipped (The user refused to approve ask.); \
     set B in_progress; ask work B with the list"
)]
#[case::expired("expired", "reject ask: The run was ended.; set A pending; end Unanswered")]
#[case::failed("failed gone", "reject ask: The run was ended.; set A pending; end Failed(\"gone\")")]
#[case::aborted("abort", "cancel; reject ask: The run was ended.; set A pending; end Aborted")]
fn answers(#[case] answer: &str, #[case] then: &str) {
    play(&mut working("A, B"), &[("says ask", "approve ask"), (answer, then)]);
}

#[test]
fn the_other_calls_of_an_answer_are_not_made_either() {
    let mut world = working("A");
    play(
        &mut world,
        &[
            ("says read ask read", "call read"),
            ("called", "approve ask"),
            (
                "refused",
                "reject ask: The user refused to approve ask.; reject read: The user refused to approve ask.; \
                 set A skipped (The user refused to approve ask.); ask validate with the list",
            ),
        ],
    );
}

#[test]
fn without_an_item_the_model_hears_of_it_and_goes_on() {
    let mut world = world();
    play(
        &mut world,
        &[
            ("prompt Hello", "ask classify"),
            ("simple", "start; ask answer"),
            ("says ask read", "approve ask"),
            ("refused", "reject ask: The user refused to approve ask.; call read"),
            ("called", "ask go on"),
        ],
    );
}

#[test]
fn an_approval_holds_once_or_for_the_session() {
    let mut world = working("A");
    play(
        &mut world,
        &[
            ("says ask", "approve ask"),
            ("once", "call ask"),
            ("called", "ask go on"),
            ("says ask", "approve ask"),
            ("session", "call ask"),
            ("called", "ask go on"),
            ("says ask", "call ask"),
            ("abort", "cancel; reject ask: The run was ended.; set A pending; end Aborted"),
        ],
    );
    world.restart();
    play(&mut world, &[("resume", "start; set A in_progress; ask work A with the list"), ("says ask", "call ask")]);
    // What the settings deny is not called, whatever was approved.
    let tools = [("ask".to_owned(), Policy::Deny)].into();
    world.machine.configure(Settings { tools, ..super::settings() });
    play(
        &mut world,
        &[("called", "ask go on"), ("says ask", "reject ask: The user's settings deny ask; do without it.; ask go on")],
    );
}

#[test]
fn what_is_denied_is_not_called_and_not_counted() {
    let mut world = working("A");
    for _ in 0..6 {
        let then = "reject deny: The user's settings deny deny; do without it.; ask go on";
        play(&mut world, &[("says deny", then)]);
    }
    play(&mut world, &[("says read", "call read")]);
}

#[test]
fn at_first_every_tool_is_asked_for_but_those_of_the_list() {
    let settings = Settings::default();
    assert_eq!(settings.policy("anything"), Policy::Ask);
    let denied = Settings { other_tools: Policy::Deny, ..settings };
    assert!(TODO_TOOLS.iter().all(|tool| denied.policy(tool) == Policy::Auto));
}
