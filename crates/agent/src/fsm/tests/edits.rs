//! The user changes the list while a run goes on (requirements P11, T10).

use super::{play, working, world};
use crate::fsm::{Answer, ChangedBy, Effect, Event};
use rstest::rstest;

const STOPPED: &str = "cancel; tell The user changed \"A\"; the work on it has stopped.; \
                       set B in_progress; ask work B with the list";

#[rstest]
#[case::deleted(
    "user deletes A",
    "cancel; tell The user changed \"A\"; the work on it has stopped.; set B in_progress; ask work B with the list"
)]
#[case::done_by_the_user("user A completed", STOPPED)]
#[case::skipped_by_the_user("user A skipped", STOPPED)]
#[case::taken_back("user A pending", STOPPED)]
#[case::blocked("user A blocked", STOPPED)]
#[case::another_one_first(
    "user C in_progress",
    "cancel; tell The user changed \"A\"; the work on it has stopped.; set A pending; ask work C with the list"
)]
#[case::a_later_one_deleted("user deletes B", "")]
#[case::one_added("user adds D", "")]
#[case::a_note("user notes Use the other one", "")]
#[case::cleared("user clears", "cancel; end Emptied")]
fn edits_during_a_turn(#[case] edit: &str, #[case] then: &str) {
    play(&mut working("A, B, C"), &[(edit, then)]);
}

#[rstest]
#[case::calling("says read", "reject read: The user changed this item; it is not worked on any more.; ")]
#[case::approving("says ask", "reject ask: The user changed this item; it is not worked on any more.; ")]
fn a_tool_call_for_a_deleted_item_is_cancelled(#[case] reply: &str, #[case] rejected: &str) {
    let mut world = working("A, B");
    world.happens(reply);
    let then = format!(
        "cancel; {rejected}tell The user changed \"A\"; the work on it has stopped.; \
         set B in_progress; ask work B with the list"
    );
    play(&mut world, &[("user deletes A", &then)]);
}

#[test]
fn a_verification_of_a_deleted_item_is_cancelled() {
    let mut world = working("A, B");
    play(
        &mut world,
        &[
            ("says read", "call read"),
            ("called", "ask go on"),
            ("says text", "ask verify A"),
            ("user deletes A", STOPPED),
        ],
    );
}

// P11: the model's next call says so.
#[rstest]
#[case::added("user adds D")]
#[case::a_note("user notes Use the other one")]
#[case::deleted("user deletes C")]
fn the_model_is_told(#[case] edit: &str) {
    let mut world = working("A, B, C");
    play(
        &mut world,
        &[
            ("says read", "call read"),
            (edit, ""),
            ("called", "ask go on with the list"),
            ("says read", "call read"),
            ("called", "ask go on"),
        ],
    );
}

#[test]
fn what_the_user_added_is_done_and_what_the_user_did_is_not() {
    let mut world = working("A, B");
    play(
        &mut world,
        &[
            ("user adds C", ""),
            ("user B completed", ""),
            ("model A completed", ""),
            ("says text", "set C in_progress; ask work C with the list"),
        ],
    );
}

#[test]
fn an_item_that_was_taken_back_is_not_taken_up_by_itself() {
    let mut world = working("A, B");
    play(
        &mut world,
        &[
            ("user A pending", STOPPED),
            ("model B completed", ""),
            ("says text", "end Blocked"),
            ("resume", "start; set A in_progress; ask work A with the list"),
        ],
    );
}

#[test]
fn what_the_user_wants_done_again_is_done_again() {
    let mut world = working("A, B");
    let skipped = "It used up its 5 tool calls.";
    let then =
        format!("reject read: {skipped}; set A skipped ({skipped}); set B in_progress; ask work B with the list");
    world.happens("says read read read read read read");
    for _ in 0..4 {
        world.happens("called");
    }
    play(
        &mut world,
        &[
            ("called", &then),
            ("user A pending", ""),
            ("model B completed", ""),
            ("says text", "set A in_progress; ask work A with the list"),
            ("says read", "call read"),
        ],
    );
}

// It comes back as it was, in progress: the user wants that one done now.
#[test]
fn a_deleted_item_that_comes_back_is_done() {
    let mut world = working("A, B");
    let dropped =
        "cancel; tell The user changed \"B\"; the work on it has stopped.; set B pending; ask work A with the list";
    play(&mut world, &[("user deletes A", STOPPED), ("user undoes", dropped)]);
}

#[test]
fn edits_before_there_is_a_plan_are_in_it() {
    let mut world = world();
    play(
        &mut world,
        &[
            ("prompt Build", "ask classify"),
            ("user adds A", ""),
            ("complex", "ask plan with the list"),
            ("user clears", ""),
            ("user adds B", ""),
            ("plan C", "start; add C; set B in_progress; ask work B with the list"),
        ],
    );
}

#[test]
fn another_plan_for_a_list_that_the_user_cleared_is_not_made() {
    let mut world = world().with("A completed");
    play(
        &mut world,
        &[
            ("resume", "start; ask validate with the list"),
            ("no red", "tell The task is not complete yet: red; ask plan since red with the list"),
            ("user clears", "cancel; end Emptied"),
        ],
    );
}

#[test]
fn edits_between_a_change_and_its_answer() {
    let mut world = world().with("A, B");
    world.is_slow = true;
    play(
        &mut world,
        &[
            ("resume", "start; set A in_progress"),
            ("user deletes A", ""),
            ("changed", "set B in_progress"),
            ("user clears", ""),
            ("changed", "end Emptied"),
        ],
    );
}

#[test]
fn an_older_list_does_not_replace_a_newer_one() {
    let mut world = working("A, B");
    let old = world.snapshot();
    world.happens("user deletes B");
    assert_eq!(world.send(Event::List { list: old, by: ChangedBy::User }), []);
    assert_eq!(world.machine.list().items.len(), 1);
}

#[test]
fn late_and_doubled_answers_change_nothing() {
    let mut world = working("A, B");
    let asked = world.open.as_ref().and_then(Effect::request).expect("the model is asked");
    play(
        &mut world,
        &[
            ("says read", "call read"),
            (
                "user deletes A",
                &format!(
                    "cancel; reject read: The user changed this item; it is not worked on any more.; {}",
                    &STOPPED["cancel; ".len()..]
                ),
            ),
        ],
    );
    let mut past = world.past.clone();
    past.push(asked);
    for id in past {
        for answer in [Answer::Called { error: None }, Answer::Failed("late".to_owned()), Answer::Unreadable] {
            assert_eq!(world.send(Event::Answer { id, answer }), []);
        }
    }
}
