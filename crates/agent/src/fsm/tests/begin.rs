//! Prompts, classification, archiving, resumption (requirements T8, P1, G4, T14).

use super::{play, settings, world};
use crate::fsm::tests::world::World;
use crate::fsm::{Archiving, Settings};
use rstest::rstest;

// T8
#[rstest]
#[case::simple("simple", "start; ask answer")]
#[case::complex("complex", "ask plan")]
#[case::unreadable(
    "unreadable",
    "tell It could not be told whether the task needs a plan; it is answered without one.; start; ask answer"
)]
#[case::failed("failed no model", "end Failed(\"no model\")")]
#[case::nonsense("called", "end Failed(\"An answer came that nobody asked for.\")")]
#[case::aborted("abort", "cancel; end Aborted")]
fn classifying(#[case] answer: &str, #[case] then: &str) {
    play(&mut world(), &[("prompt Build it", "ask classify"), (answer, then)]);
}

#[test]
fn a_simple_task_is_one_turn_without_a_list() {
    let mut world = world();
    play(
        &mut world,
        &[
            ("prompt What is this?", "ask classify"),
            ("simple", "start; ask answer"),
            ("says read read", "call read"),
            ("called", "call read"),
            ("error no file", "ask go on"),
            ("says text", "end Completed"),
        ],
    );
    assert_eq!(world.items(), "");
}

// P1, G4
#[rstest]
#[case::done(Archiving::WhenCompleted, "A completed, B skipped, C cancelled", "archive; ask classify with the list")]
#[case::open(Archiving::WhenCompleted, "A completed, B", "ask classify with the list")]
#[case::blocked_is_open(Archiving::WhenCompleted, "A blocked", "ask classify with the list")]
#[case::always(Archiving::Always, "A completed, B", "archive; ask classify with the list")]
#[case::never(Archiving::Never, "A completed", "ask classify with the list")]
fn a_new_prompt_archives(#[case] archiving: Archiving, #[case] items: &str, #[case] then: &str) {
    let mut world = World::of(Settings { archiving, ..settings() }).with(items);
    play(&mut world, &[("prompt Next", then)]);
}

#[test]
fn nothing_is_archived_of_an_empty_list() {
    let mut world = World::of(Settings { archiving: Archiving::Always, ..settings() });
    play(&mut world, &[("prompt Next", "ask classify")]);
}

// T14
#[rstest]
#[case::what_is_pending("A completed, B", "start; set B in_progress; ask work B with the list")]
#[case::what_a_killed_process_left("A, B doing", "start; ask work B with the list")]
#[case::a_skipped_one_stays("A skipped, B", "start; set B in_progress; ask work B with the list")]
#[case::all_done("A completed", "start; ask validate with the list")]
#[case::only_blocked("A blocked, B<A", "start; end Blocked")]
fn resuming(#[case] items: &str, #[case] then: &str) {
    play(&mut world().with(items), &[("resume", then)]);
}

/// A prompt that came to nothing: as the run ended, and in the same process or another one. The list may be an older one.
#[rstest]
#[case::while_it_is_read(&["failed no model"])]
#[case::while_it_is_planned(&["complex", "abort"])]
#[case::without_a_plan(&["complex", "unreadable"])]
#[case::while_it_is_answered(&["simple", "failed no model"])]
#[case::in_the_middle_of_an_answer(&["simple", "says read", "called", "abort"])]
#[case::after_a_look_at_the_list(&["simple", "looks", "says todo_manager", "called", "failed no model"])]
#[case::with_nobody_to_allow_a_call(&["simple", "says ask", "expired"])]
fn a_prompt_that_came_to_nothing_is_begun_again(
    #[case] events: &[&str],
    #[values("A completed", "B")] items: &str,
    #[values(true, false)] restarts: bool,
) {
    let mut world = world().with(items);
    world.happens("prompt Build");
    assert!(!world.machine.can_resume(), "it goes on");
    for event in events {
        world.happens(event);
    }
    let list = world.items();
    if restarts {
        world.restart();
    }
    assert!(world.machine.can_resume());
    let with_list = if list.is_empty() { "" } else { " with the list" };
    play(&mut world, &[("resume", &format!("ask classify{with_list}")), ("complex", &format!("ask plan{with_list}"))]);
    assert_eq!(world.items(), list, "nothing is archived by that");
}

// It was answered; what is open is an older list.
#[test]
fn an_answer_is_not_given_again_for_what_is_open_beside_it() {
    let mut world = world().with("A");
    play(
        &mut world,
        &[
            ("prompt Send it", "ask classify with the list"),
            ("simple", "start; ask answer with the list"),
            ("says send", "call send"),
            ("called", "ask go on"),
        ],
    );
    assert!(world.machine.checkpoint().unanswered);
    assert!(world.happens("says text").ends_with("ask continue A"));
    assert!(!world.machine.checkpoint().unanswered);
    play(&mut world, &[("abort", "cancel; end Aborted")]);
    assert!(world.happens("resume").starts_with("start; set A in_progress"), "with the list");
}

#[rstest]
#[case::answered(&["simple", "says text"])]
#[case::planned_and_taken_away(&["complex", "plan A", "user clears"])]
#[case::refused(&["complex", "plan A@ask", "refused"])]
fn a_prompt_that_came_to_something_is_not_begun_again(#[case] events: &[&str]) {
    let mut world = world();
    world.happens("prompt Build");
    for event in events {
        world.happens(event);
    }
    assert!(!world.machine.can_resume(), "{}", world.items());
}

#[test]
fn nothing_to_resume() {
    play(&mut world(), &[("resume", "end Emptied")]);
}

#[test]
fn during_a_run_neither_prompt_nor_resumption_changes_anything() {
    let mut world = world();
    play(
        &mut world,
        &[("prompt One", "ask classify"), ("prompt Two", ""), ("resume", ""), ("simple", "start; ask answer")],
    );
    assert_eq!(world.machine.checkpoint().task.as_deref(), Some("One"));
}

// T14: killed in the middle, and another process goes on.
#[test]
fn another_process_goes_on_with_the_list() {
    let mut world = world();
    play(
        &mut world,
        &[
            ("prompt Build", "ask classify"),
            ("complex", "ask plan"),
            ("plan A, B", "start; add A, B; set A in_progress; ask work A with the list"),
            ("model A completed", ""),
            ("says todo_manager", "call todo_manager"),
            ("called", "set B in_progress; ask work B with the list"),
            (
                "says text",
                "tell Continued, 1 of 3: the turn ended without a tool call while \"B\" is open.; ask continue B",
            ),
        ],
    );
    world.restart();
    assert_eq!(
        (world.machine.checkpoint().task.as_deref(), world.machine.checkpoint().continuations),
        (Some("Build"), 1)
    );
    play(
        &mut world,
        &[("abort", "set B pending; end Aborted"), ("resume", "start; set B in_progress; ask work B with the list")],
    );
}
