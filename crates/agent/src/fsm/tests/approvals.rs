//! Approvals of tool calls (requirement G3).

use super::{play, working, world};
use crate::fsm::{Policy, RunEnd, Settings, TODO_TOOLS};
use rstest::rstest;

#[rstest]
#[case::once("once", "call ask")]
#[case::session("session", "call ask")]
#[case::refused(
    "refused",
    "reject ask: The user refused to approve ask.; set A skipped (The user refused to approve ask.); \
     set B in_progress; ask work B with the list"
)]
#[case::expired("expired", "reject ask: The run was ended.; set A pending; end Unanswered { can_resume: true }")]
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

// There is nothing to resume, and nobody is told to.
#[test]
fn nobody_answers_and_there_is_no_list() {
    let mut world = world();
    // The model has begun a list, and the user does not want it.
    for event in ["prompt Hello", "simple", "model +A", "user clears", "says ask"] {
        world.happens(event);
    }
    play(&mut world, &[("expired", "reject ask: The run was ended.; end Unanswered { can_resume: false }")]);
    assert!(!world.machine.can_resume());
    let said = [false, true].map(|can_resume| RunEnd::Unanswered { can_resume }.to_string());
    assert_eq!(said.map(|said| said.contains("resume")), [false, true]);
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
    // A tool that the settings deny is not called, whatever was approved.
    let tools = [("ask".to_owned(), Policy::Deny)].into();
    world.machine.configure(Settings { tools, ..super::settings() });
    play(
        &mut world,
        &[("called", "ask go on"), ("says ask", "reject ask: The user's settings deny ask; do without it.; ask go on")],
    );
}

// Another server under the same name.
#[test]
fn an_approval_is_forgotten_with_its_server() {
    let mut world = working("A");
    for event in ["says ask", "session", "called"] {
        world.happens(event);
    }
    world.machine.forget_approvals(|tool| tool == "another");
    play(&mut world, &[("says ask", "call ask"), ("called", "ask go on")]);
    world.machine.forget_approvals(|tool| tool == "ask");
    assert!(world.machine.checkpoint().approved.is_empty());
    play(&mut world, &[("says ask", "approve ask")]);
}

#[test]
fn so_is_that_of_a_plan_and_of_a_call_that_is_not_made_yet() {
    let mut world = world();
    for event in ["prompt Build", "complex", "plan A@ask, B", "approved"] {
        world.happens(event);
    }
    world.machine.forget_approvals(|tool| tool == "ask");
    world.is_slow = true;
    play(&mut world, &[("says ask", "approve ask"), ("wild B doing", ""), ("once", "set B pending")]);
    world.machine.forget_approvals(|tool| tool == "ask");
    play(&mut world, &[("changed", "approve ask")]);
}

const DENIED: &str = "reject deny: The user's settings deny deny; do without it.; ";

// T10: a model that insists uses its item up.
#[test]
fn what_is_denied_is_not_called_and_counted() {
    let mut world = working("A, B");
    for _ in 0..5 {
        play(&mut world, &[("says deny", &format!("{DENIED}ask go on"))]);
    }
    let why = "It used up its 5 tool calls; the last one failed: The user's settings deny deny; do without it.";
    let then = format!("reject deny: {why}; set A skipped ({why}); set B in_progress; ask work B with the list");
    play(&mut world, &[("says deny", &then), ("says read", "call read")]);
}

#[rstest]
#[case::denied("deny", &["says deny"], "The user's settings deny deny; do without it.")]
#[case::refused("ask", &["says ask", "refused"], "The user refused to approve ask.")]
#[case::both("deny", &["says deny ask", "refused", "says deny"], "The user's settings deny deny; do without it.")]
fn without_an_item_one_that_insists_is_stopped(#[case] tool: &str, #[case] insists: &[&str], #[case] why: &str) {
    let mut world = world();
    world.happens("prompt Hello");
    let mut said = vec![world.happens("simple")];
    while world.machine.is_running() {
        said.extend(insists.iter().map(|event| world.happens(event)));
        assert!(said.len() < 20, "it is not stopped");
    }
    assert_eq!(said.concat().matches("reject").count(), 6);
    let end = "The model goes on calling tools that it may not call; the last one was";
    assert_eq!(said.last(), Some(&format!("reject {tool}: {why}; end Failed(\"{end} {tool}.\")")));
}

#[test]
fn at_first_every_tool_is_asked_for_but_those_of_the_list() {
    let settings = Settings::default();
    assert_eq!(settings.policy("anything"), Policy::Ask);
    let denied = Settings { other_tools: Policy::Deny, ..settings };
    assert!(TODO_TOOLS.iter().all(|tool| denied.policy(tool) == Policy::Auto));
}
