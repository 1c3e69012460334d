//! Tool calls and continuations (requirements T10, P2, P3).

use super::{World, play, settings, working, world};
use crate::fsm::{CALLS_AT_ONCE, Settings};
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

/// Answers that only look at the list, or write it; the last one is too many.
fn lists(world: &mut super::World, count: usize, writes: bool) -> String {
    for at in 1..count {
        world.happens("says todo_write todo_read");
        if writes {
            world.happens(&format!("model +N{at}"));
        }
        world.happens("called");
        let then = world.happens("called");
        assert!(then.starts_with("ask go on"), "after {at}: {then}");
    }
    world.happens("says todo_write");
    if writes {
        world.happens("model +last");
    }
    world.happens("called")
}

const LISTED: &str = "The model did nothing but keep its list, in";

#[rstest]
#[case::without_a_change(10, false)]
#[case::with_changes(20, true)]
fn an_item_for_which_only_the_list_is_kept_is_skipped(#[case] count: usize, #[case] writes: bool) {
    let why = format!("{LISTED} {count} answers one after the other.");
    let then = format!("set A skipped ({why}); set B in_progress; ask work B with the list");
    let mut world = working("A, B");
    assert_eq!(lists(&mut world, count, writes), then);
    assert!(lists(&mut world, count, writes).starts_with("set B skipped"), "the next one has as many");
}

#[test]
fn other_calls_between_them_count_anew() {
    let mut world = working("A");
    for _ in 0..2 {
        for _ in 0..9 {
            play(&mut world, &[("says todo_write", "call todo_write"), ("called", "ask go on")]);
        }
        calls(&mut world, 1);
    }
}

#[test]
fn without_an_item_it_is_continued_and_ended() {
    let mut world = world().with("A");
    world.happens("prompt Hello");
    world.happens("simple");
    for nth in 1..=3 {
        let told = format!("tell Continued, {nth} of 3: ");
        let then = lists(&mut world, 10, false);
        assert!(then.starts_with(&told) && then.ends_with("ask continue A"), "{then}");
    }
    assert_eq!(lists(&mut world, 10, false), "end Continued");
    let mut world = super::world();
    world.happens("prompt Hello");
    world.happens("simple");
    assert_eq!(lists(&mut world, 10, false), format!("end Failed(\"{LISTED} 10 answers one after the other.\")"));
}

// An answer has 4 MiB: hundreds of calls.
#[test]
fn calls_beyond_fifty_in_one_answer_are_not_made() {
    let mut world = working("A");
    let says = |calls: usize| format!("says {}", vec!["todo_read"; calls].join(" "));
    let too_many = "reject todo_read: At most 50 calls in one answer; this one was not made. Make it in the next, where it \
                    is still needed.; ";
    play(&mut world, &[(&says(CALLS_AT_ONCE + 2), &format!("{}call todo_read", too_many.repeat(2)))]);
    for _ in 1..CALLS_AT_ONCE {
        play(&mut world, &[("called", "call todo_read")]);
    }
    play(&mut world, &[("called", "ask go on"), (&says(CALLS_AT_ONCE), "call todo_read")]);
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
    assert_eq!(world.machine.checkpoint().continuations, 3);
}

// P2
#[rstest]
#[case::never(0)]
#[case::once(1)]
#[case::often(5)]
fn as_often_as_the_settings_say(#[case] max_continuations: u8) {
    let mut world = World::of(Settings { max_continuations, ..settings() }).with("A");
    world.happens("prompt Go on");
    world.happens("simple");
    for nth in 1..=max_continuations {
        let then = world.happens("says text");
        assert!(then.starts_with(&format!("tell Continued, {nth} of {max_continuations}: ")), "{then}");
    }
    play(&mut world, &[("says text", "end Continued")]);
}

#[test]
fn a_limit_that_was_changed_counts_from_then_on() {
    let mut world = working("A");
    world.happens("says text");
    world.happens("says text");
    world.machine.configure(Settings { max_continuations: 1, ..settings() });
    play(&mut world, &[("says text", "set A pending; end Continued")]);
    world.machine.configure(Settings { max_continuations: 3, ..settings() });
    world.happens("resume");
    assert!(world.happens("says text").starts_with("tell Continued, 3 of 3: "));
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
    assert_eq!(world.machine.checkpoint().continuations, 0);
}

// The same while no process has the session.
#[test]
fn a_list_that_was_emptied_meanwhile_counts_anew() {
    let mut world = working("A, B");
    world.happens("says text");
    world.happens("abort");
    world.machine.checkpoint.postponed.push("C".to_owned());
    world.restart();
    assert_eq!((world.machine.checkpoint().continuations, world.machine.checkpoint().postponed.len()), (1, 1));
    world.event("user clears");
    world.restart();
    assert_eq!((world.machine.checkpoint().continuations, world.machine.checkpoint().postponed.len()), (0, 0));
}

#[rstest]
#[case::unreadable("unreadable", "set A pending; end Failed(\"The model's answer could not be read.\")")]
#[case::rate_limited("failed 429", "set A pending; end Failed(\"429\")")]
fn a_model_that_fails(#[case] answer: &str, #[case] then: &str) {
    let mut world = working("A, B");
    play(&mut world, &[(answer, then)]);
    assert_eq!(world.items(), "A pending, B pending");
}
