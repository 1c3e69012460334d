//! Tool calls and continuations (REQUIREMENTS T10, P2, P3).

use super::{play, working, world};
use rstest::rstest;

/// Tool calls that come back well, each in an answer of its own.
fn calls(world: &mut super::World, count: usize) {
    for _ in 0..count {
        play(world, &[("says read", "call read"), ("called", "ask go on")]);
    }
}

// T10
#[test]
fn an_item_has_five_tool_calls_and_then_a_last_word() {
    let mut world = working("A, B");
    calls(&mut world, 5);
    play(
        &mut world,
        &[
            ("says todo_manager", "call todo_manager"),
            ("model A completed", ""),
            ("called", "set B in_progress; ask work B with the list"),
        ],
    );
    calls(&mut world, 5);
    play(
        &mut world,
        &[(
            "says read",
            "reject read: It used up its 5 tool calls.; set B skipped (It used up its 5 tool calls.); ask validate with the list",
        )],
    );
    assert_eq!(world.items(), "A completed, B skipped (It used up its 5 tool calls.)");
}

// T10, T14: the reason says what went wrong.
#[test]
fn a_skipped_item_says_what_failed_last() {
    let mut world = working("A");
    calls(&mut world, 4);
    play(
        &mut world,
        &[
            ("says read read", "call read"),
            (
                "error no such file",
                "reject read: It used up its 5 tool calls; the last one failed: no such file; \
                 set A skipped (It used up its 5 tool calls; the last one failed: no such file); \
                 ask validate with the list",
            ),
        ],
    );
}

#[test]
fn todo_tools_are_not_counted() {
    let mut world = working("A");
    for _ in 0..9 {
        play(&mut world, &[("says todo_write", "call todo_write"), ("called", "ask go on")]);
    }
    calls(&mut world, 5);
}

#[test]
fn an_item_that_is_not_done_has_no_more_calls_than_five() {
    let mut world = working("A");
    calls(&mut world, 5);
    play(
        &mut world,
        &[("says text", "ask verify A"), ("no red", "set A skipped (It is not done: red); ask validate with the list")],
    );
}

#[test]
fn calls_for_an_item_that_is_done_are_not_made() {
    let mut world = working("A, B");
    play(
        &mut world,
        &[
            ("says todo_manager read read", "call todo_manager"),
            ("model A completed", ""),
            (
                "called",
                "reject read: No item is in progress any more; the next one follows.; \
                 reject read: No item is in progress any more; the next one follows.; \
                 set B in_progress; ask work B with the list",
            ),
        ],
    );
}

// Models without tool calls: K1.
#[test]
fn a_model_without_tool_calls_drives_the_list_by_its_blocks() {
    let mut world = working("A, B, C");
    play(
        &mut world,
        &[
            ("model A completed, B doing", ""),
            ("says text", "ask work B with the list"),
            ("model B completed, C completed, +D", ""),
            ("says text", "set D in_progress; ask work D with the list"),
            ("model D completed", ""),
            ("says text", "ask validate with the list"),
        ],
    );
}

// P2
#[test]
fn a_turn_that_ends_with_work_left_is_continued_three_times() {
    let mut world = working("A, B");
    for nth in 1..=3 {
        let told = format!(
            "tell Continued, {nth} of 3: the turn ended without a tool call while \"A\" is open.; ask continue A"
        );
        play(&mut world, &[("says text", &told)]);
    }
    play(&mut world, &[("says text", "set A pending; end Continued")]);
    assert_eq!(world.items(), "A pending, B pending");
    // Neither a resumption nor another process counts anew.
    world.restart();
    play(
        &mut world,
        &[
            ("resume", "start; set A in_progress; ask work A with the list"),
            ("says text", "set A pending; end Continued"),
        ],
    );
    assert_eq!(world.machine.kept().continuations, 3);
}

#[test]
fn the_next_prompt_counts_anew() {
    let mut world = working("A");
    for _ in 0..4 {
        world.happens("says text");
    }
    play(
        &mut world,
        &[
            ("prompt Go on", "ask classify with the list"),
            ("simple", "start; ask answer with the list"),
            (
                "says text",
                "tell Continued, 1 of 3: the turn ended without a tool call while \"A\" is open.; ask continue A",
            ),
            ("says read", "call read"),
            ("called", "ask go on"),
            (
                "says text",
                "tell Continued, 2 of 3: the turn ended without a tool call while \"A\" is open.; ask continue A",
            ),
            ("abort", "cancel; end Aborted"),
        ],
    );
}

// P2: the item in progress, else the first pending.
#[rstest]
#[case::pending("A completed, B, C", "B")]
#[case::in_progress("A, B doing", "B")]
#[case::what_waits_is_not_named("A<B, B", "B")]
fn what_a_continuation_names(#[case] items: &str, #[case] item: &str) {
    let mut world = world().with(items);
    world.happens("prompt Hello");
    world.happens("simple");
    assert!(world.happens("says text").ends_with(&format!("ask continue {item}")));
}

#[rstest]
#[case::nothing_can_start("A blocked", "says text", "end Completed")]
#[case::it_says_that_it_is_done("A", "says done", "end Completed")]
fn no_continuation(#[case] items: &str, #[case] reply: &str, #[case] then: &str) {
    let mut world = world().with(items);
    play(
        &mut world,
        &[("prompt Hello", "ask classify with the list"), ("simple", "start; ask answer with the list"), (reply, then)],
    );
}

// P3
#[test]
fn clearing_the_list_ends_the_run_and_counts_anew() {
    let mut world = working("A, B");
    world.happens("says text");
    play(&mut world, &[("user clears", "cancel; end Emptied")]);
    assert_eq!(world.machine.kept().continuations, 0);
}

#[rstest]
#[case::unreadable("unreadable", "set A pending; end Failed(\"The model's answer could not be read.\")")]
#[case::rate_limited("failed 429", "set A pending; end Failed(\"429\")")]
fn a_model_that_fails(#[case] answer: &str, #[case] then: &str) {
    let mut world = working("A, B");
    play(&mut world, &[(answer, then)]);
    assert_eq!(world.items(), "A pending, B pending");
}
