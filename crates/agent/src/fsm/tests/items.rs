//! One item after the other, verification and validation (requirements T10 to T12, K3).

use super::{play, settings, working, world};
use crate::fsm::tests::world::World;
use crate::fsm::{Answer, Effect, Event, ModelReply, RunEnd, Settings, ToolCall};
use rstest::rstest;

// T10, T11
#[test]
fn a_run_from_its_prompt_to_its_end() {
    let mut world = world();
    play(
        &mut world,
        &[
            ("prompt Build it", "ask classify"),
            ("complex", "ask plan"),
            ("plan A, B", "start; add A, B; set A in_progress; ask work A with the list"),
            ("says read", "call read"),
            ("called", "ask go on"),
            ("says todo_manager", "call todo_manager"),
            ("model A completed", ""),
            ("called", "set B in_progress; ask work B with the list"),
            ("says todo_manager", "call todo_manager"),
            ("model B skipped", ""),
            ("called", "ask validate with the list"),
            (
                "no untested: Test it",
                "tell The task is not complete yet: untested; ask plan since untested (Test it) with the list",
            ),
            ("plan C", "add C; set C in_progress; ask work C with the list"),
            ("model C completed", ""),
            ("says text", "ask validate with the list"),
            ("yes", "end Completed"),
        ],
    );
    assert_eq!(world.items(), "A completed, B skipped, C completed");
}

// K3
#[rstest]
#[case::in_order("A, B", "A")]
#[case::done_ones_stay("A completed, B skipped, C", "C")]
#[case::what_waits_is_not_started("A<B, B", "B")]
#[case::a_skipped_one_is_met("A<B, B skipped", "A")]
#[case::a_cancelled_one_is_met("A<B, B cancelled", "A")]
#[case::a_dependency_on_nothing_blocks_nothing("A<nothing", "A")]
#[case::blocked_and_unknown_are_not_started("A blocked, B on-hold, C", "C")]
#[case::what_is_begun_goes_on("A, B doing", "B")]
fn next(#[case] items: &str, #[case] item: &str) {
    let then = world().with(items).happens("resume");
    assert!(then.ends_with(&format!("ask work {item} with the list")), "{then}");
}

#[test]
fn at_most_one_is_in_progress() {
    let mut world = world().with("A, B doing, C doing");
    play(&mut world, &[("resume", "start; set C pending; ask work B with the list")]);
}

// T10: text without a word of whether it is done.
#[rstest]
#[case::done("yes", "set A completed; set B in_progress; ask work B with the list")]
#[case::not_done("no it fails", "ask redo A since it fails")]
#[case::unreadable("unreadable", "ask redo A since Whether it is done could not be read.")]
#[case::the_user_was_faster(
    "user A completed",
    "cancel; tell The user changed \"A\"; the work on it has stopped.; set B in_progress; ask work B with the list"
)]
fn silence_after_tool_calls_is_asked_about(#[case] answer: &str, #[case] then: &str) {
    let mut world = working("A, B");
    play(
        &mut world,
        &[("says read", "call read"), ("called", "ask go on"), ("says text", "ask verify A"), (answer, then)],
    );
}

// T12
#[test]
fn an_item_that_needs_verification_is_in_progress_until_then() {
    let mut world = working("A!, B");
    play(
        &mut world,
        &[
            ("says todo_manager", "call todo_manager"),
            ("model A completed", ""),
            ("called", "ask verify A with the list"),
            ("no untested", "ask redo A since untested with the list"),
        ],
    );
    assert_eq!(world.items(), "A in_progress, B pending");
    play(
        &mut world,
        &[
            ("model A completed", ""),
            ("says text", "ask verify A with the list"),
            ("yes", "set A completed; set B in_progress; ask work B with the list"),
        ],
    );
}

#[test]
fn neither_is_an_item_completed_that_is_not_its_turn() {
    let mut world = working("A, B!");
    play(
        &mut world,
        &[("model A completed, B completed", ""), ("says text", "set B in_progress; ask work B with the list")],
    );
    assert_eq!(world.items(), "A completed, B in_progress");
}

#[test]
fn by_numbers_it_is_not_completed_either() {
    let world = working("A!, B, C!");
    let told = world.list.items.clone();
    let (mut numbers, mut others) = (vec![2, 1, 3, 9, 0], vec![3]);
    assert_eq!(world.machine.tame_numbers(&mut numbers, &told), Some(world.named("A")));
    assert_eq!(world.machine.tame_numbers(&mut others, &told), None);
    assert_eq!((numbers, others), (vec![2, 9, 0], vec![]));
}

#[test]
fn an_item_that_is_not_verified_after_three_times_is_skipped() {
    let mut world = working("A!");
    for _ in 0..2 {
        play(
            &mut world,
            &[
                ("model A completed", ""),
                ("says text", "ask verify A with the list"),
                ("no red", "ask redo A since red with the list"),
            ],
        );
    }
    play(
        &mut world,
        &[
            ("model A completed", ""),
            ("says text", "ask verify A with the list"),
            ("no red", "set A skipped (It is not done: red); ask validate with the list"),
        ],
    );
}

// T10: the whole task.
#[rstest]
#[case::others_are_not_needed(
    "A, B",
    "says done",
    "set A completed, B skipped (The task was complete without it.); end Completed"
)]
#[case::what_is_blocked_stays("A, B blocked", "says done", "set A completed; end Completed")]
#[case::verified_first("A!, B", "says done", "ask verify A")]
#[case::its_calls_come_first("A", "says read done", "call read")]
fn a_turn_that_completes_the_task(#[case] items: &str, #[case] reply: &str, #[case] then: &str) {
    play(&mut working(items), &[(reply, then)]);
}

#[test]
fn a_verified_item_completes_the_task_that_it_was_said_to() {
    let mut world = working("A!, B");
    play(
        &mut world,
        &[
            ("says done", "ask verify A"),
            ("no red", "ask redo A since red"),
            ("says read done", "call read"),
            ("called", "ask verify A"),
            ("yes", "set A completed, B skipped (The task was complete without it.); end Completed"),
        ],
    );
}

#[test]
fn a_task_is_not_complete_without_what_the_user_added() {
    let mut world = working("A, B");
    play(
        &mut world,
        &[
            ("user adds C", ""),
            ("says done", "set A completed; set B in_progress; ask work B with the list"),
            ("says done", "set B completed; set C in_progress; ask work C with the list"),
            ("says done", "set C completed; end Completed"),
        ],
    );
    assert!(super::world::is_users(&world.list, "C"));
    let mut world = working("A, B");
    play(
        &mut world,
        &[("user adds C<B", ""), ("says done", "set A completed; set B in_progress; ask work B with the list")],
    );
}

// T10: new requirements become items.
#[test]
fn what_the_model_adds_is_done() {
    let mut world = working("A");
    play(
        &mut world,
        &[
            ("says todo_write", "call todo_write"),
            ("model A completed, +B", ""),
            ("called", "set B in_progress; ask work B with the list"),
        ],
    );
}

#[test]
fn a_model_that_begins_the_next_item_by_itself_goes_on_with_it() {
    let mut world = working("A, B");
    play(
        &mut world,
        &[
            ("says todo_write read read", "call todo_write"),
            ("model A completed, B doing", ""),
            ("called", "call read"),
            ("called", "call read"),
            ("called", "ask work B with the list"),
            ("says read read read read", "call read"),
            ("called", "call read"),
            ("called", "call read"),
            (
                "called",
                "reject read: It used up its 5 tool calls.; set B skipped (It used up its 5 tool calls.); \
                 ask validate with the list",
            ),
        ],
    );
}

#[test]
fn a_model_that_begins_two_begins_one() {
    let mut world = working("A, B, C");
    world.happens("model B doing, C doing");
    assert_eq!(world.items(), "A in_progress, B pending, C pending");
    world.happens("model A completed, B doing, C doing");
    assert_eq!(world.items(), "A completed, B in_progress, C pending");
}

// K3: a list that came past `tame`.
#[test]
fn what_is_begun_beside_an_item_is_put_back() {
    let mut world = working("A, B");
    play(
        &mut world,
        &[
            ("says todo_write read", "call todo_write"),
            ("wild B doing", ""),
            ("called", "set B pending; call read"),
            ("wild B doing", ""),
            ("called", "set B pending; ask go on with the list"),
        ],
    );
    world.happens("wild B doing");
    world.is_slow = true;
    play(&mut world, &[("says read", "set B pending")]);
    // It is made, the user begins that one, and only then its answer comes.
    world.make();
    play(&mut world, &[("user B in_progress", "")]);
    assert_eq!(world.tells(), "reject read: Another item is worked on now.; set A pending");
}

// T11
#[rstest]
#[case::complete("yes", "end Completed")]
#[case::unreadable(
    "unreadable",
    "tell All items are done; whether the task is complete could not be read.; end Completed"
)]
#[case::not_complete("no red", "tell The task is not complete yet: red; ask plan since red with the list")]
#[case::failed("failed 500", "end Failed(\"500\")")]
fn validating(#[case] answer: &str, #[case] then: &str) {
    play(&mut world().with("A completed"), &[("resume", "start; ask validate with the list"), (answer, then)]);
}

#[test]
fn what_came_during_the_validation_is_done_first() {
    let mut world = world().with("A completed");
    play(
        &mut world,
        &[
            ("resume", "start; ask validate with the list"),
            ("user adds B", ""),
            ("yes", "set B in_progress; ask work B with the list"),
        ],
    );
}

// T11
#[test]
fn the_step_limit_is_the_settings() {
    let mut world = World::of(Settings { max_steps: 4, ..settings() });
    play(
        &mut world,
        &[
            ("prompt Build", "ask classify"),
            ("complex", "ask plan"),
            ("plan A, B", "start; add A, B; set A in_progress; ask work A with the list"),
            ("says read", "call read"),
            ("called", "ask go on"),
            ("says read", "call read"),
            ("called", "set A pending; end StepLimit(4)"),
        ],
    );
    assert_eq!(world.items(), "A pending, B pending");
    let said = RunEnd::StepLimit(Settings::default().max_steps).to_string();
    assert_eq!(said, "Task did not complete within the maximum of 100 steps.");
    play(&mut world, &[("resume", "start; set A in_progress; ask work A with the list")]);
}

#[test]
fn going_on_after_a_computation_is_a_step() {
    let mut world = World::of(Settings { max_steps: 4, ..settings() });
    play(&mut world, &[("prompt Hello", "ask classify"), ("simple", "start; ask answer")]);
    let id = world.open.as_ref().and_then(Effect::request).expect("it is asked");
    let calls = vec![ToolCall { id: "1".to_owned(), tool: "read".to_owned() }];
    world.send(Event::Answer { id, answer: Answer::Turned(ModelReply { calls, done: false, more_steps: 2 }) });
    play(&mut world, &[("called", "end StepLimit(4)")]);
}

#[test]
fn a_list_that_takes_nothing_ends_the_run() {
    let mut world = world().with("A");
    world.is_slow = true;
    let mut then = world.happens("resume");
    for _ in 0..30 {
        if world.open.is_some() {
            then = world.tells();
        }
    }
    assert_eq!(then, "end Failed(\"The list does not take the changes of its agent.\")");
}
