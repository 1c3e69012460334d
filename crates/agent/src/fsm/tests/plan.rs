//! Plans (requirement T9), and their checklist.

use super::{play, settings, world};
use crate::fsm::tests::world::World;
use crate::fsm::{Checkpoint, PLANNED, Policy, Settings};
use rstest::rstest;

fn planning(items: &str) -> World {
    let mut world = if items.is_empty() { world() } else { world().with(items) };
    world.happens("prompt Build it");
    world.happens("complex");
    world
}

fn steps(count: usize) -> String {
    let steps: Vec<String> = (1..=count).map(|at| format!("S{at}")).collect();
    format!("plan {}", steps.join(", "))
}

// T9
#[rstest]
#[case::steps("", "plan A, B", "start; add A, B; set A in_progress; ask work A with the list")]
#[case::none("", "plan ", "end Unplanned")]
#[case::only_blanks("A", "plan  ,  ", "end Unplanned")]
#[case::nothing_to_add("", "nothing", "end Unplanned")]
#[case::nothing_to_add_to_what_is_open("A", "nothing", "start; set A in_progress; ask work A with the list")]
#[case::nothing_to_add_to_what_is_blocked("A blocked", "nothing", "start; end Blocked")]
#[case::unreadable("", "unreadable", "end Unplanned")]
#[case::unreadable_beside_what_is_open("A", "unreadable", "end Unplanned")]
#[case::failed("", "failed 429", "end Failed(\"429\")")]
#[case::what_is_open_comes_first("A", "plan B", "start; add B; set A in_progress; ask work A with the list")]
#[case::what_is_open_is_not_planned_twice("A", "plan A", "start; set A in_progress; ask work A with the list")]
#[case::what_is_done_may_be("A completed, B", "plan A", "start; add A; set B in_progress; ask work B with the list")]
#[case::order_of_dependencies("", "plan A, B<1", "start; add A, B; set A in_progress; ask work A with the list")]
#[case::no_circles("", "plan A<2, B<1", "start; add A, B; set A in_progress; ask work A with the list")]
fn planned(#[case] items: &str, #[case] plan: &str, #[case] then: &str) {
    play(&mut planning(items), &[(plan, then)]);
}

// T9, T14: the prompt of another day, and another process.
#[test]
fn a_prompt_to_go_on_goes_on_with_the_list() {
    let mut world = world();
    for event in ["prompt Build it", "complex", "plan A, B", "abort"] {
        world.happens(event);
    }
    world.restart();
    world.happens("prompt Continue with the list");
    world.happens("complex");
    play(
        &mut world,
        &[
            ("failed no model", "end Failed(\"no model\")"),
            ("resume", "ask classify with the list"),
            ("complex", "ask plan with the list"),
            ("nothing", "start; set A in_progress; ask work A with the list"),
            ("model A completed", ""),
            ("says todo_manager", "call todo_manager"),
            ("called", "set B in_progress; ask work B with the list"),
        ],
    );
    assert_eq!(world.items(), "A completed, B in_progress", "nothing was added or archived");
}

#[test]
fn the_message_of_an_empty_plan() {
    assert_eq!(crate::fsm::RunEnd::Unplanned.to_string(), "Planning failed. Could not generate next steps.");
}

// T9, and nothing is lost silently.
#[test]
fn a_plan_that_is_too_long_is_asked_for_again() {
    let mut world = planning("");
    let (long, fits) = (steps(PLANNED + 2), steps(PLANNED));
    let again = "tell The plan has 32 steps; a shorter one is asked for.; ask plan shorter than 32";
    play(&mut world, &[(&long, again), (&long, again)]);
    assert!(world.happens(&fits).starts_with("start; add S1, S2"));
    assert_eq!(world.list.items.len(), PLANNED);
    assert!(world.machine.checkpoint().postponed.is_empty());
}

#[test]
fn what_a_plan_has_no_room_for_is_planned_when_the_others_are_done() {
    let mut world = planning("");
    let long = steps(PLANNED + 2);
    world.happens(&long);
    world.happens(&long);
    let then = world.happens(&long);
    assert!(then.starts_with(
        "tell The plan is too long; its last 2 steps are planned when the others are done.; start; add S1"
    ));
    assert_eq!((world.list.items.len(), world.machine.checkpoint().postponed.len()), (PLANNED, 2));
    let all = (1..=PLANNED).map(|at| format!("S{at} completed")).collect::<Vec<_>>().join(", ");
    world.happens(&format!("model {all}"));
    play(
        &mut world,
        &[("says text", "ask plan since The plan before had no room for these steps. (S31, S32) with the list")],
    );
}

#[test]
fn a_plan_waits_for_what_comes_before_it_and_not_for_itself() {
    let mut world = planning("Z");
    world.happens("plan A, B<1, C<A, D<D, E<F, F<Z");
    let waits: Vec<(&str, Vec<&str>)> = world
        .list
        .items
        .iter()
        .map(|item| (item.content.as_str(), item.depends_on.iter().map(String::as_str).collect()))
        .collect();
    let none: Vec<&str> = Vec::new();
    let expected = [
        ("Z", none.clone()),
        ("A", none.clone()),
        ("B", vec!["A"]),
        ("C", vec!["A"]),
        ("D", none.clone()),
        ("E", none),
        ("F", vec!["Z"]),
    ];
    assert_eq!(waits, expected);
}

const CHECKED: &str = "preflight A@ask, B, C@deny";

#[rstest]
#[case::approved("approved", "start; add A, B, C; set A in_progress; ask work A with the list")]
#[case::edited("edited X@ask, B, C", "start; add X, B, C; set X in_progress; ask work X with the list")]
#[case::left_out("edited -A@ask, B, C", "start; add A skipped, B, C; set B in_progress; ask work B with the list")]
#[case::taken_out("edited C, A@ask", "start; add C, A; set C in_progress; ask work C with the list")]
#[case::all_left_out("edited -A, -B, -C", "end Refused")]
#[case::emptied("edited ", "end Refused")]
#[case::refused("refused", "end Refused")]
#[case::expired("expired", "end Unanswered { can_resume: true }")]
#[case::aborted("abort", "cancel; end Aborted")]
fn checklists(#[case] answer: &str, #[case] then: &str) {
    play(&mut planning(""), &[("plan A@ask, B<1, C@deny", CHECKED), (answer, then)]);
}

#[rstest]
#[case::no_tool("plan A")]
#[case::approved_by_settings("plan A@read")]
#[case::denied_is_not_asked_for("plan A@deny")]
fn plans_without_a_checklist(#[case] plan: &str) {
    play(&mut planning(""), &[(plan, "start; add A; set A in_progress; ask work A with the list")]);
}

#[test]
fn an_approved_plan_approves_its_tools_for_this_run_but_not_what_was_left_out() {
    let mut world = planning("");
    play(
        &mut world,
        &[
            ("plan A@ask", "preflight A@ask"),
            ("approved", "start; add A; set A in_progress; ask work A with the list"),
            ("says ask", "call ask"),
            ("abort", "cancel; reject ask: The run was ended.; set A pending; end Aborted"),
            ("resume", "start; set A in_progress; ask work A with the list"),
            ("says ask", "approve ask"),
            ("abort", "cancel; reject ask: The run was ended.; set A pending; end Aborted"),
        ],
    );
    let mut world = planning("");
    play(
        &mut world,
        &[
            ("plan A@ask, B", "preflight A@ask, B"),
            ("edited -A@ask, B", "start; add A skipped, B; set B in_progress; ask work B with the list"),
            ("says ask", "approve ask"),
        ],
    );
}

#[test]
fn a_renamed_step_is_still_waited_for_and_a_skipped_one_says_why() {
    let mut world = planning("");
    play(
        &mut world,
        &[
            ("plan A@ask, B<1, C", "preflight A@ask, B, C"),
            ("edited X@ask, B, -C", "start; add X, B, C skipped; set X in_progress; ask work X with the list"),
        ],
    );
    assert_eq!(world.items(), "X in_progress, B pending, C skipped (The user left it out of the plan.)");
    assert!(world.list.items.iter().any(|item| item.content == "B" && item.waiting));
}

/// A plan on which nobody has decided: as the run ended, and in the same process or another one.
#[rstest]
fn a_plan_that_waits_is_asked_about_again(
    #[values("expired", "abort", "failed no window")] end: &str,
    #[values(true, false)] restarts: bool,
) {
    let mut world = planning("");
    world.happens("plan A@ask, B<1");
    assert!(!world.machine.can_resume(), "it goes on");
    world.happens(end);
    if restarts {
        world.restart();
    }
    assert!(world.machine.can_resume());
    play(
        &mut world,
        &[
            ("resume", "preflight A@ask, B"),
            ("expired", "end Unanswered { can_resume: true }"),
            ("resume", "preflight A@ask, B"),
            ("approved", "start; add A, B; set A in_progress; ask work A with the list"),
            ("abort", "cancel; set A pending; end Aborted"),
            ("resume", "start; set A in_progress; ask work A with the list"),
        ],
    );
    assert!(world.list.items.iter().any(|item| item.content == "B" && item.waiting));
}

// A process that is killed ends no run.
#[test]
fn a_plan_survives_its_process() {
    let mut world = planning("");
    world.happens("plan A@ask");
    world.restart();
    play(&mut world, &[("abort", ""), ("resume", "preflight A@ask"), ("refused", "end Refused")]);
    assert!(!world.machine.can_resume());
}

/// The list did not take it: a full disk.
#[rstest]
#[case::approved("plan A@ask, B", &["approved"], "preflight A@ask, B")]
#[case::edited("plan A@ask, B", &["edited A@ask, C"], "preflight A@ask, C")]
#[case::edited_so_that_nothing_is_asked_about("plan A@ask, B", &["edited -A@ask, B"], "start; add B")]
#[case::not_asked_about("plan A, B", &[], "start; add A, B")]
fn a_plan_that_was_not_written_is_not_lost(
    #[case] plan: &str,
    #[case] events: &[&str],
    #[case] then: &str,
    #[values(true, false)] restarts: bool,
) {
    let mut world = planning("");
    world.is_slow = true;
    world.happens(plan);
    for event in events {
        world.happens(event);
    }
    play(&mut world, &[("failed disk full", "end Failed(\"disk full\")")]);
    if restarts {
        world.restart();
    }
    assert!(world.machine.can_resume());
    play(&mut world, &[("resume", then)]);
    if let Some(steps) = then.strip_prefix("preflight ") {
        play(&mut world, &[("approved", &format!("start; add {}", steps.replace("@ask", "")))]);
    }
    world.happens("changed");
    assert_eq!(world.machine.checkpoint().plan.len(), 0, "it stands in the list");
}

// It may have been written, and the process killed before that was known.
#[test]
fn a_plan_that_was_written_is_not_written_twice() {
    let mut world = planning("");
    world.is_slow = true;
    play(&mut world, &[("plan A, B", "start; add A, B")]);
    world.make();
    world.restart();
    play(&mut world, &[("abort", ""), ("resume", "start; set A in_progress")]);
    assert_eq!((world.machine.checkpoint().plan.len(), world.list.items.len()), (0, 2));
}

#[rstest]
#[case::refused(&["refused"])]
#[case::approved_and_taken_away(&["approved", "abort", "user clears"])]
#[case::another_prompt(&["expired", "prompt Hello", "simple", "says text"])]
fn a_plan_that_waits_no_more(#[case] events: &[&str]) {
    let mut world = planning("");
    world.happens("plan A@ask");
    for event in events {
        world.happens(event);
    }
    assert_eq!((world.machine.checkpoint().plan.len(), world.machine.can_resume()), (0, false));
    play(&mut world, &[("resume", "end Emptied")]);
}

#[test]
fn a_plan_goes_with_the_list_that_it_is_for() {
    let mut world = planning("A");
    play(
        &mut world,
        &[
            ("plan B@ask", "preflight B@ask"),
            ("expired", "end Unanswered { can_resume: true }"),
            ("user notes Not yet", ""),
            ("resume", "preflight B@ask"),
            ("abort", "cancel; end Aborted"),
            ("user clears", ""),
            ("resume", "end Emptied"),
        ],
    );
    assert!(!world.machine.can_resume());
}

#[test]
fn a_plan_that_waited_is_looked_at_as_things_are_now() {
    let mut world = planning("");
    play(
        &mut world,
        &[
            ("plan A@ask, B, C", "preflight A@ask, B, C"),
            ("expired", "end Unanswered { can_resume: true }"),
            ("user adds B", ""),
            ("resume", "preflight A@ask, C"),
            ("abort", "cancel; end Aborted"),
        ],
    );
    let tools = [("ask".to_owned(), Policy::Auto)].into();
    world.machine.configure(Settings { tools, ..settings() });
    play(&mut world, &[("resume", "start; add A, C; set B in_progress; ask work B with the list")]);
}

// A note on an empty list empties nothing.
#[test]
fn what_a_waiting_plan_has_no_room_for_waits_with_it() {
    let mut world = planning("");
    let long = steps(PLANNED + 2).replace("S1,", "S1@ask,");
    for event in [long.as_str(), &long, &long, "user notes Not yet", "expired"] {
        world.happens(event);
    }
    world.restart();
    assert!(world.happens("resume").starts_with("preflight S1@ask, S2"));
    world.happens("approved");
    assert_eq!(world.machine.checkpoint().postponed, ["S31", "S32"]);
}

#[test]
fn what_was_stored_before_plans_were_is_read() {
    let stored = r#"{"task":"Build it","continuations":2,"approved":["ask"],"postponed":["S31"]}"#;
    let checkpoint: Checkpoint = serde_json::from_str(stored).expect("it is read");
    assert_eq!((checkpoint.continuations, checkpoint.plan.len()), (2, 0));
    assert_eq!(serde_json::to_string(&checkpoint).expect("JSON"), stored);
}

// G4: a run that goes on after an approval.
#[test]
fn what_was_finished_while_a_checklist_waited_is_archived() {
    let mut world = planning("A");
    play(
        &mut world,
        &[
            ("plan B@ask", "preflight B@ask"),
            ("user A completed", ""),
            ("approved", "archive; start; add B; set B in_progress; ask work B with the list"),
        ],
    );
    let mut world = planning("A");
    play(
        &mut world,
        &[
            ("plan B@ask", "preflight B@ask"),
            ("user A completed", ""),
            ("user adds C", ""),
            ("approved", "start; add B; set C in_progress; ask work C with the list"),
        ],
    );
}
