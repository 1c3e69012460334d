//! Plans (REQUIREMENTS T9), and their checklist.

use super::{play, world};
use crate::fsm::PLANNED;
use crate::fsm::tests::world::World;
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
#[case::unreadable("", "unreadable", "end Unplanned")]
#[case::failed("", "failed 429", "end Failed(\"429\")")]
#[case::what_is_open_comes_first("A", "plan B", "start; add B; set A in_progress; ask work A with the list")]
#[case::what_is_open_is_not_planned_twice("A", "plan A", "start; set A in_progress; ask work A with the list")]
#[case::what_is_done_may_be("A completed, B", "plan A", "start; add A; set B in_progress; ask work B with the list")]
#[case::order_of_dependencies("", "plan A, B<1", "start; add A, B; set A in_progress; ask work A with the list")]
#[case::no_circles("", "plan A<2, B<1", "start; add A, B; set A in_progress; ask work A with the list")]
fn planned(#[case] items: &str, #[case] plan: &str, #[case] then: &str) {
    play(&mut planning(items), &[(plan, then)]);
}

#[test]
fn the_message_of_an_empty_plan() {
    assert_eq!(crate::fsm::Outcome::Unplanned.to_string(), "Planning failed. Could not generate next steps.");
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
    assert!(world.machine.kept().postponed.is_empty());
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
    assert_eq!((world.list.items.len(), world.machine.kept().postponed.len()), (PLANNED, 2));
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
#[case::expired("expired", "end Unanswered")]
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
