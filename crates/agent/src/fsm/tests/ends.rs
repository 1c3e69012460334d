//! Conditions for the end of a run: a judgement of the whole, and the user's last words (requirements T11, T14, P11).

use super::world::World;
use super::{play, settings, working, world};
use crate::fsm::{PLANNED, Settings};
use rstest::rstest;

/// Everything is done, and the whole is judged.
fn judged() -> World {
    let mut world = working("A");
    world.happens("model A completed");
    assert_eq!(world.happens("says text"), "ask validate with the list");
    world
}

/// Tool calls that are made, each in an answer of its own.
#[track_caller]
fn reads(world: &mut World, count: usize) {
    for _ in 0..count {
        assert_eq!(world.happens("says read"), "call read");
        world.happens("called");
    }
}

// T14: the list is done, and nobody has said that it is enough.
#[rstest]
#[case::stopped("abort")]
#[case::failed("failed No network")]
fn what_nobody_has_judged_is_resumed(#[case] event: &str, #[values(true, false)] restarts: bool) {
    let mut world = judged();
    world.happens(event);
    if restarts {
        world.restart();
        world.happens("abort");
    }
    assert!(world.machine.can_resume());
    play(
        &mut world,
        &[
            ("resume", "start; ask validate with the list"),
            ("no untested", "tell The task is not complete yet: untested; ask plan since untested with the list"),
            ("abort", "cancel; end Aborted"),
        ],
    );
    // Nor was the plan made that it takes.
    assert!(world.machine.can_resume());
    play(&mut world, &[("resume", "start; ask validate with the list"), ("yes", "end Completed")]);
    assert!(!world.machine.can_resume());
}

#[test]
fn out_of_steps_before_the_judgement_it_is_resumed_with_new_ones() {
    let mut world = World::of(Settings { max_steps: 1, ..settings() }).with("A");
    world.machine.checkpoint.task = Some("Build it".to_owned());
    world.happens("resume");
    world.happens("model A completed");
    play(&mut world, &[("says text", "end StepLimit(1)"), ("resume", "start; ask validate with the list")]);
}

#[rstest]
#[case::it_is_enough(&["yes"])]
#[case::the_user_wants_no_more(&["no untested", "plan B@ask", "refused"])]
#[case::the_user_cleared_it(&["abort", "user clears"])]
#[case::something_else_is_asked_for(&["abort", "prompt What is a list?", "simple", "says text"])]
fn what_is_not_resumed(#[case] events: &[&str]) {
    let mut world = judged();
    for event in events {
        world.happens(event);
    }
    assert!(!world.machine.can_resume());
}

// T9: nothing of a plan is lost because its second half could not be planned.
#[test]
fn steps_for_which_there_was_no_room_wait_until_they_are_planned() {
    let mut world = world();
    let steps = |from: usize, to: usize| (from..=to).map(|at| format!("S{at}")).collect::<Vec<_>>().join(", ");
    let long = format!("plan {}", steps(1, PLANNED + 2));
    for event in ["prompt Build it", "complex", &long, &long, &long] {
        world.happens(event);
    }
    for at in 1..=PLANNED {
        world.happens(&format!("model S{at} completed"));
        world.happens("says text");
    }
    world.happens("failed No network");
    assert!(world.machine.can_resume());
    world.restart();
    let again = "ask plan since The plan before had no room for these steps. (S31, S32) with the list";
    play(
        &mut world,
        &[
            ("resume", &format!("start; {again}")),
            ("plan S31, S32", "add S31, S32; set S31 in_progress; ask work S31 with the list"),
        ],
    );
    assert_eq!(world.machine.checkpoint().postponed, Vec::<String>::new());
}

// P11: what came after the model was told anything last.
#[test]
fn what_the_user_said_last_is_heard_before_the_end() {
    let mut world = judged();
    play(
        &mut world,
        &[
            ("user notes Use tabs", ""),
            ("yes", "ask heed with the list"),
            ("says read", "call read"),
            ("called", "ask go on"),
            ("says text", "ask validate"),
            ("yes", "end Completed"),
        ],
    );
}

#[test]
fn what_follows_from_it_is_done() {
    let mut world = judged();
    play(
        &mut world,
        &[
            ("user notes Test it, too", ""),
            ("yes", "ask heed with the list"),
            ("says todo_manager", "call todo_manager"),
            ("model +B", ""),
            ("called", "ask go on with the list"),
            ("says text", "set B in_progress; ask work B with the list"),
        ],
    );
}

#[rstest]
#[case::in_a_simple_answer("says text")]
#[case::that_says_it_is_done("says done")]
fn so_it_is_in_a_simple_answer(#[case] reply: &str) {
    let mut world = world().with("A completed");
    play(
        &mut world,
        &[
            ("prompt Hello", "archive; ask classify with the list"),
            ("simple", "start; ask answer with the list"),
            ("user notes In French", ""),
            (reply, "ask heed with the list"),
            ("says text", "end Completed"),
        ],
    );
}

#[rstest]
#[case::without_a_list("", "ask heed with the list")]
#[case::beside_an_older_list("A blocked", "ask heed with the list")]
fn what_the_user_adds_to_a_simple_answer_is_done(#[case] items: &str, #[case] then: &str) {
    let mut world = if items.is_empty() { world() } else { world().with(items) };
    for event in ["prompt Hello", "simple", "user adds B"] {
        world.happens(event);
    }
    play(&mut world, &[("says done", then)]);
    assert!(world.happens("says text").ends_with("ask continue B"));
}

#[test]
fn a_note_while_the_last_item_is_done_is_heard_with_the_next_step_and_not_twice() {
    let mut world = working("A");
    play(
        &mut world,
        &[
            ("says read", "call read"),
            ("user notes Use tabs", ""),
            ("called", "ask go on with the list"),
            ("model A completed", ""),
            ("says text", "ask validate with the list"),
            ("yes", "end Completed"),
        ],
    );
}

// T10, T11: a list that the model writes by itself is one like any other.
#[test]
fn a_list_of_the_models_own_is_judged() {
    let mut world = world();
    play(
        &mut world,
        &[
            ("prompt Hello", "ask classify"),
            ("simple", "start; ask answer"),
            ("says todo_write", "call todo_write"),
            ("model +A", ""),
            ("called", "ask go on with the list"),
            ("model A completed", ""),
            ("says text", "ask validate with the list"),
            ("yes", "end Completed"),
        ],
    );
}

#[test]
fn an_item_that_the_model_began_by_itself_has_five_tool_calls() {
    let mut world = world();
    for event in ["prompt Hello", "simple", "says todo_write", "model +A, +B", "model A doing", "called"] {
        world.happens(event);
    }
    reads(&mut world, 5);
    play(
        &mut world,
        &[(
            "says read",
            "reject read: It used up its 5 tool calls.; set A skipped (It used up its 5 tool calls.); \
             set B in_progress; ask work B with the list",
        )],
    );
}

#[test]
fn saying_that_the_task_is_complete_settles_the_models_own_list() {
    let mut world = world();
    for event in ["prompt Hello", "simple", "says todo_write", "model +A, +B", "model A doing", "called"] {
        world.happens(event);
    }
    play(&mut world, &[("says done", "set A completed, B skipped (The task was complete without it.); end Completed")]);
}

#[test]
fn what_is_older_than_a_simple_prompt_is_left_as_it_is() {
    let mut world = world().with("A");
    for event in ["prompt Hello", "simple", "says todo_write", "model +B, +C", "model B doing", "called"] {
        world.happens(event);
    }
    play(&mut world, &[("says done", "set B completed, C skipped (The task was complete without it.); end Completed")]);
    assert!(world.items().starts_with("A pending"));
}

// K3: the user has begun both.
#[test]
fn an_item_of_a_simple_answer_is_verified_alone() {
    let mut world = world();
    for event in ["prompt Hello", "simple", "model +A!, +B", "user A in_progress", "user B in_progress"] {
        world.happens(event);
    }
    play(
        &mut world,
        &[
            ("says done", "set B pending; ask verify A with the list"),
            ("yes", "set A completed; set B in_progress; ask work B with the list"),
        ],
    );
}

// The user's own steps beside a simple answer are not counted, skipped or taken for the model's.
#[test]
fn an_older_item_in_progress_is_the_users() {
    let mut world = world().with("A, B");
    for event in ["prompt Hello", "simple", "user A in_progress"] {
        world.happens(event);
    }
    reads(&mut world, 7);
    world.happens("says todo_write");
    world.happens("model +C");
    world.happens("called");
    let then = "set C skipped (The task was complete without it.)";
    assert!(world.happens("says done").contains(then) && !world.items().contains("A completed"), "{}", world.items());
}

// T10: it has its five calls from then on.
#[test]
fn an_older_item_in_progress_is_the_tasks_once_a_turn_is_continued_with_it() {
    let mut world = world().with("A doing");
    for event in ["prompt Hello", "simple"] {
        world.happens(event);
    }
    reads(&mut world, 6);
    assert!(world.happens("says text").ends_with("ask continue A"));
    reads(&mut world, 5);
    let why = "It used up its 5 tool calls.";
    let then = format!("reject read: {why}; set A skipped ({why}); ask validate with the list");
    play(&mut world, &[("says read", &then)]);
}

// T10
#[test]
fn an_older_item_is_the_tasks_once_the_run_comes_to_it() {
    let mut world = world().with("A");
    for event in ["prompt Hello", "simple", "says todo_write", "model +B", "model B doing", "called"] {
        world.happens(event);
    }
    let why = "It used up its 5 tool calls.";
    for (item, then) in [("B", "set A in_progress; ask work A with the list"), ("A", "ask validate with the list")] {
        reads(&mut world, 5);
        let then = format!("reject read: {why}; set {item} skipped ({why}); {then}");
        play(&mut world, &[("says read", &then)]);
    }
}

#[test]
fn an_older_item_of_the_users_is_not_begun_since_the_model_says_done() {
    let mut world = world();
    world.happens("user adds U");
    for event in ["prompt Hello", "simple", "says todo_write", "model +B", "model B completed", "called"] {
        world.happens(event);
    }
    play(&mut world, &[("says done", "end Completed")]);
    assert_eq!(world.items(), "U pending, B completed");
}

#[test]
fn an_older_item_that_is_blocked_holds_nothing_up() {
    let mut world = world().with("X blocked");
    for event in ["prompt Hello", "simple", "says todo_write", "model +B", "model B completed", "called"] {
        world.happens(event);
    }
    play(&mut world, &[("says text", "ask validate"), ("yes", "end Completed")]);
}

#[test]
fn what_is_older_stays_so_when_the_prompt_is_begun_again() {
    let mut world = world().with("A");
    for event in
        ["prompt Hello", "abort", "resume", "simple", "says todo_write", "model +B, +C", "model B doing", "called"]
    {
        world.happens(event);
    }
    world.happens("says done");
    assert!(world.items().starts_with("A pending, B completed, C skipped"), "{}", world.items());
}

#[rstest]
#[case::stopped("abort")]
#[case::failed("failed No network")]
fn a_finished_list_of_the_models_own_is_judged_when_it_is_resumed(#[case] event: &str) {
    let mut world = world();
    for event in ["prompt Hello", "simple", "model +A", "model A completed", event] {
        world.happens(event);
    }
    world.restart();
    play(&mut world, &[("resume", "start; ask validate with the list"), ("yes", "end Completed")]);
}

#[test]
fn a_note_that_may_unblock_it_is_heard_before_it_is_left_blocked() {
    let mut world = working("A, X blocked");
    for event in ["says read", "called", "says text", "user notes Use port 8080"] {
        world.happens(event);
    }
    play(
        &mut world,
        &[
            ("yes", "set A completed; ask heed with the list"),
            ("model X pending", ""),
            ("says text", "set X in_progress; ask work X with the list"),
        ],
    );
}

#[test]
fn what_comes_while_the_last_change_is_made_is_heard_and_a_stop_then_is_one() {
    for stops in [false, true] {
        let mut world = working("A, B");
        world.is_slow = true;
        world.happens("says done");
        world.make();
        let note = todo::Change::Note { text: "Test it".to_owned(), client: "window".to_owned() };
        let event = world.edits(note);
        let _ = world.send(event);
        if stops {
            world.happens("abort");
        }
        assert_eq!(world.tells(), if stops { "end Completed" } else { "ask heed with the list" });
    }
}
