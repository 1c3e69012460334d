//! The user stops the run (requirement T12).

use super::{play, working, world};
use rstest::rstest;

/// In every state: how it is reached, and what an abort makes of it.
#[rstest]
#[case::classifying(&["prompt Build"], "cancel; end Aborted")]
#[case::planning(&["prompt Build", "complex"], "cancel; end Aborted")]
#[case::checking(&["prompt Build", "complex", "plan A@ask"], "cancel; end Aborted")]
#[case::answering(&["prompt Build", "simple"], "cancel; end Aborted")]
#[case::working(&["prompt Build", "complex", "plan A"], "cancel; set A pending; end Aborted")]
#[case::calling(&["prompt Build", "complex", "plan A", "says read read"], "cancel; reject read: The run was ended.; reject read: The run was ended.; set A pending; end Aborted")]
#[case::approving(&["prompt Build", "complex", "plan A", "says ask"], "cancel; reject ask: The run was ended.; set A pending; end Aborted")]
#[case::verifying(&["prompt Build", "complex", "plan A", "says read", "called", "says text"], "cancel; set A pending; end Aborted")]
#[case::validating(&["prompt Build", "complex", "plan A", "model A completed", "says text"], "cancel; end Aborted")]
#[case::continued(&["prompt Build", "complex", "plan A", "says text"], "cancel; set A pending; end Aborted")]
#[case::idle(&[], "")]
#[case::ended(&["prompt Build", "failed no model"], "")]
fn everywhere(#[case] before: &[&str], #[case] then: &str) {
    let mut world = world();
    for event in before {
        world.happens(event);
    }
    play(&mut world, &[("abort", then), ("abort", "")]);
    assert!(!world.machine.is_running());
}

#[rstest]
#[case::archiving("A completed", "prompt Build", "archive", "end Aborted")]
#[case::beginning("A", "resume", "start; set A in_progress", "set A pending")]
fn a_change_of_the_list_is_waited_for(
    #[case] items: &str,
    #[case] event: &str,
    #[case] change: &str,
    #[case] then: &str,
) {
    let mut world = world().with(items);
    world.is_slow = true;
    play(&mut world, &[(event, change), ("abort", ""), ("abort", ""), ("changed", then)]);
    if world.open.is_some() {
        play(&mut world, &[("abort", ""), ("changed", "end Aborted")]);
    }
}

#[test]
fn what_a_killed_process_left_in_progress_goes_back() {
    let mut world = world().with("A completed, B doing, C");
    play(&mut world, &[("abort", "set B pending; end Aborted"), ("abort", "")]);
    assert_eq!(world.items(), "A completed, B pending, C pending");
}

#[test]
fn a_list_that_cannot_be_changed_does_not_hold_the_end_up() {
    let mut world = working("A");
    world.is_slow = true;
    play(
        &mut world,
        &[
            ("abort", "cancel; set A pending"),
            ("failed disk full", "set A pending"),
            ("failed disk full", "set A pending"),
            ("failed disk full", "end Aborted"),
        ],
    );
}
