//! The order of items: moves by the user, and the agent's order after them.

use super::{World, todos};
use crate::EditState::{Ignored, Overridden, Queued, Reflected, Superseded};
use rstest::rstest;
use serde_json::{Value, json};

#[rstest]
#[case("3", "1", &["C", "A", "B", "D"], "Moved TODO from 3 to 1: \"C\"")]
#[case("1", "3", &["B", "C", "A", "D"], "Moved TODO from 1 to 3: \"A\"")]
#[case("1", "last", &["B", "C", "D", "A"], "Moved TODO from 1 to 4: \"A\"")]
#[case("2", "2", &["A", "B", "C", "D"], "Moved TODO from 2 to 2: \"B\"")]
fn moving(#[case] from: &str, #[case] to: &str, #[case] after: &[&str], #[case] message: &str) {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B", "C", "D"]));
    let ranks: Vec<_> = world.list.items.iter().map(|item| (item.uid, item.rank.clone())).collect();
    let done = world.move_to(from, to).expect("it is there");
    assert_eq!(done.message, message);
    assert_eq!(world.contents(), after);
    let kept = ranks.iter().filter(|(uid, rank)| world.item_by(*uid).rank == *rank).count();
    assert_eq!(kept, if from == to { 4 } else { 3 }, "its neighbours keep their ranks");
    if from != to {
        world.undo().expect("it is undone");
        assert_eq!(world.contents(), ["A", "B", "C", "D"]);
    }
}

#[test]
fn subtasks_move_among_themselves() {
    let mut world = World::new();
    world.write(
        "agent",
        json!([{"content": "A", "subtasks": [{"content": "A1"}, {"content": "A2"}]}, {"content": "B"}]),
    );
    world.move_to("1.2", "1.1").expect("they are there");
    assert_eq!(world.contents(), ["A", "A2", "A1", "B"]);
}

#[rstest]
#[case("1", "1.1", "An item stays on its level: 1 cannot be moved to 1.1")]
#[case("1", "9", "Position 9 does not exist")]
#[case("1-2", "1", "Only one item can be moved at a time; name one position")]
fn moving_what_cannot_be_moved(#[case] from: &str, #[case] to: &str, #[case] error: &str) {
    let mut world = World::new();
    world.write("agent", json!([{"content": "A", "subtasks": [{"content": "A1"}]}, {"content": "B"}]));
    assert_eq!(world.move_to(from, to).expect_err("it is refused").to_string(), error);
}

/// The user moves C to the front of A B C D E; then the agent's lists, the order after them, and what became of it.
#[rstest]
#[case::repeats(&["ABCDE"], "CABDE", Queued)]
#[case::goes_on(&["ABCDE", "ABCDE", "ABCDE"], "CABDE", Ignored)]
#[case::follows(&["ABCDE", "CABDE"], "CABDE", Reflected)]
#[case::inserts(&["ABXCDE"], "CABXDE", Queued)]
#[case::inserts_in_front(&["XABCDE"], "XCABDE", Queued)]
#[case::drops(&["ACDE"], "CADE", Queued)]
#[case::moves_another(&["EABCD"], "ECABD", Queued)]
#[case::moves_it_elsewhere(&["ABDEC"], "ABDEC", Overridden)]
#[case::moves_it_back_later(&["CABDE", "ABCDE"], "ABCDE", Reflected)]
fn what_becomes_of_it(#[case] lists: &[&str], #[case] after: &str, #[case] state: crate::EditState) {
    let list =
        |letters: &str| -> Value { letters.chars().map(|letter| json!({"content": letter.to_string()})).collect() };
    let mut world = World::new();
    world.write("agent", list("ABCDE"));
    let edit = world.move_to("3", "1").expect("it is there").edit;
    for (at, said) in lists.iter().enumerate() {
        if at + 1 < lists.len() {
            world.write("agent", list(said));
        } else {
            world.send("agent", &list(said));
        }
    }
    assert_eq!(world.contents().concat(), after);
    assert_eq!(world.edit(edit).state, state);
}

#[test]
fn an_agent_that_never_heard_of_the_list_does_not_move_it_back() {
    let mut world = World::new();
    world.write("one", todos(&["A", "B", "C"]));
    world.move_to("3", "1").expect("it is there");
    world.write("two", todos(&["A", "B", "C"]));
    assert_eq!(world.contents(), ["C", "A", "B"]);
}

#[test]
fn moving_it_again_takes_the_place_of_the_first_move() {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B", "C"]));
    let first = world.move_to("3", "1").expect("it is there").edit;
    world.move_to("1", "2").expect("it is there");
    assert_eq!(world.edit(first).state, Superseded);
    world.undo().expect("the second move");
    assert_eq!(world.contents(), ["C", "A", "B"]);
    assert_eq!(world.edit(first).state, Queued);
    world.undo().expect("and the first");
    assert_eq!(world.contents(), ["A", "B", "C"]);
}
