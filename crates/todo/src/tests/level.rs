//! Items on another level: by the user, and the agent's lists after that.

use super::World;
use crate::EditState::{Delivered, Ignored, Overridden, Queued, Reflected, Superseded};
use crate::{EditState, Item, Status};
use rstest::rstest;
use serde_json::{Value, json};

/// `A B{b c} D`, in letters.
fn list(letters: &str) -> Value {
    let mut items: Vec<Value> = Vec::new();
    let mut under = false;
    for letter in letters.chars().filter(|letter| *letter != ' ') {
        let item = json!({ "content": letter.to_string() });
        match letter {
            '{' => under = true,
            '}' => under = false,
            _ if under => {
                let parent = items.last_mut().expect("an item above");
                match parent["subtasks"].as_array_mut() {
                    Some(subtasks) => subtasks.push(item),
                    None => parent["subtasks"] = json!([item]),
                }
            }
            _ => items.push(item),
        }
    }
    Value::Array(items)
}

fn letters(items: &[Item]) -> String {
    let of = |item: &Item| match item.subtasks.as_slice() {
        [] => item.content.clone(),
        subtasks => format!("{}{{{}}}", item.content, letters(subtasks)),
    };
    items.iter().map(of).collect()
}

#[rstest]
#[case::under_the_one_above("2", false, "A{B}C{d}E", "Indented TODO at 2: \"B\"")]
#[case::its_subtasks_come_along("3", false, "AB{Cd}E", "Indented TODO at 3: \"C\"")]
#[case::after_those_that_are_there("4", false, "ABC{dE}", "Indented TODO at 4: \"E\"")]
#[case::several("3-4", false, "AB{CdE}", "Indented 2 TODOs at 3-4")]
#[case::a_subtask("3.1", true, "ABCdE", "Outdented TODO at 3.1: \"d\"")]
fn the_user_puts_it_on_the_other_level(
    #[case] positions: &str,
    #[case] out: bool,
    #[case] after: &str,
    #[case] message: &str,
) {
    let mut world = World::new();
    world.write("agent", list("ABC{d}E"));
    let done = world.level(positions, out).expect("it is there");
    assert_eq!(done.message, message);
    assert_eq!(letters(&world.list.items), after);
    world.undo().expect("it is undone");
    assert_eq!(letters(&world.list.items), "ABC{d}E");
}

#[test]
fn several_subtasks_keep_their_order() {
    let mut world = World::new();
    world.write("agent", list("A{bcd}E"));
    world.level("1.1-1.2", true).expect("they are there");
    assert_eq!(letters(&world.list.items), "A{d}bcE");
}

#[rstest]
#[case("1", false, "Item 1 has no item above it that it could belong to")]
#[case("2.1", false, "Item 2.1 is a subtask already, and a subtask has no subtasks of its own")]
#[case("2", true, "Item 2 is on the top level already")]
#[case("9", false, "Position 9 does not exist")]
fn what_cannot_be_put_there(#[case] position: &str, #[case] out: bool, #[case] error: &str) {
    let mut world = World::new();
    world.write("agent", list("AB{c}"));
    assert_eq!(world.level(position, out).expect_err("it is refused").to_string(), error);
    assert_eq!(letters(&world.list.items), "AB{c}");
}

#[rstest]
#[case::one("2", "B", "to 1.1, as a subtask of \"A\"")]
#[case::with_its_subtasks("3", "2 items: C, d", "to 2.1, 2.2, as subtasks of \"B\"")]
fn the_agent_is_told_where_it_is(#[case] position: &str, #[case] text: &str, #[case] detail: &str) {
    let mut world = World::new();
    world.write("agent", list("ABC{d}"));
    let done = world.level(position, false).expect("it is there");
    let edit = world.edit(done.edit);
    assert_eq!((edit.text().as_str(), edit.detail().as_deref()), (text, Some(detail)));
}

#[test]
fn the_agent_is_told_that_it_is_a_step_of_its_own() {
    let mut world = World::new();
    world.write("agent", list("A{b}"));
    let done = world.level("1.1", true).expect("it is there");
    assert_eq!(world.edit(done.edit).detail().as_deref(), Some("to 2, as a step of its own"));
}

/// The user puts B under A in `ABC`; then the agent's lists, the list after them, and what became of the edit.
#[rstest]
#[case::repeats(&["ABC"], "A{B}C", Queued)]
#[case::repeats_what_it_was_told_otherwise(&["ABC", "ABC"], "A{B}C", Delivered)]
#[case::goes_on(&["ABC", "ABC", "ABC"], "A{B}C", Ignored)]
#[case::follows(&["ABC", "A{B}C"], "A{B}C", Reflected)]
#[case::follows_and_goes_on(&["ABC", "A{B}C", "A{BD}C"], "A{BD}C", Reflected)]
#[case::decides_again_later(&["ABC", "A{B}C", "ABC"], "ABC", Reflected)]
#[case::adds_and_removes(&["ABD"], "A{B}D", Queued)]
#[case::drops_it_unheard(&["AC"], "A{B}C", Queued)]
#[case::drops_it(&["ABC", "AC"], "AC", Overridden)]
#[case::drops_its_parent(&["ABC", "BC"], "A{B}C", Delivered)]
#[case::gives_it_subtasks(&["AB{x}C"], "A{Bx}C", Queued)]
fn what_becomes_of_it(#[case] lists: &[&str], #[case] after: &str, #[case] state: EditState) {
    let mut world = World::new();
    world.write("agent", list("ABC"));
    let uid = world.item("B").uid;
    let edit = world.level("2", false).expect("it is there").edit;
    for (at, said) in lists.iter().enumerate() {
        world.restart();
        match at + 1 < lists.len() {
            true => drop(world.write("agent", list(said))),
            false => drop(world.send("agent", &list(said))),
        }
    }
    assert_eq!(letters(&world.list.items), after);
    assert_eq!(world.edit(edit).state, state);
    let is_same = !after.contains('B') || lists.last() == Some(&"ABC") && state == Reflected || world.has(uid);
    assert!(is_same, "it is the same item as before");
}

/// The user takes `b` out of A in `A{bc}D`.
#[rstest]
#[case::repeats(&["A{bc}D"], "A{c}bD", Queued)]
#[case::follows(&["A{bc}D", "A{c}bD"], "A{c}bD", Reflected)]
#[case::goes_on(&["A{bc}D", "A{bc}D", "A{bc}D"], "A{c}bD", Ignored)]
#[case::drops_its_former_parent(&["A{bc}D", "bD"], "bD", Reflected)]
fn what_becomes_of_a_subtask(#[case] lists: &[&str], #[case] after: &str, #[case] state: EditState) {
    let mut world = World::new();
    world.write("agent", list("A{bc}D"));
    let edit = world.level("1.1", true).expect("it is there").edit;
    for (at, said) in lists.iter().enumerate() {
        match at + 1 < lists.len() {
            true => drop(world.write("agent", list(said))),
            false => drop(world.send("agent", &list(said))),
        }
    }
    assert_eq!(letters(&world.list.items), after);
    assert_eq!(world.edit(edit).state, state);
}

#[test]
fn what_the_agent_says_of_it_counts_wherever_it_says_it() {
    let mut world = World::new();
    world.write("agent", list("ABC{d}"));
    world.level("3", false).expect("it is there");
    let done = json!([
        { "content": "A" }, { "content": "B" },
        { "content": "C", "status": "completed", "subtasks": [{ "content": "d", "status": "in_progress" }] },
    ]);
    world.write("agent", done);
    assert_eq!(letters(&world.list.items), "AB{Cd}");
    assert_eq!((world.item("C").status, world.item("d").status), (Status::Completed, Status::InProgress));
    // A part of the list names it there, too.
    world.part("agent", json!([{ "content": "B", "status": "in_progress" }])).expect("it is known");
    world.level("2.2", true).expect("it is there");
    world
        .part("agent", json!([{ "content": "C", "subtasks": [{ "content": "d", "status": "completed" }] }]))
        .expect("it is known");
    assert_eq!(letters(&world.list.items), "AB{C}d");
    assert_eq!(world.item("d").status, Status::Completed);
}

#[test]
fn an_agent_that_never_heard_of_the_list_does_not_put_it_back() {
    let mut world = World::new();
    world.write("one", list("ABC"));
    world.level("2", false).expect("it is there");
    world.write("two", list("ABC"));
    assert_eq!(letters(&world.list.items), "A{B}C");
}

#[test]
fn one_that_was_removed_there_stays_removed() {
    let mut world = World::new();
    world.write("agent", list("ABC"));
    world.level("2", false).expect("it is there");
    world.delete("1.1").expect("it is there");
    world.write("agent", list("ABC"));
    assert_eq!(letters(&world.list.items), "AC");
    world.undo().expect("the removal");
    world.delete("1").expect("with the subtask");
    world.write("agent", list("ABC"));
    assert_eq!(letters(&world.list.items), "C");
}

#[test]
fn one_whose_former_parent_was_removed_stays() {
    let mut world = World::new();
    world.write("agent", list("A{b}C"));
    world.level("1.1", true).expect("it is there");
    world.delete("1").expect("it is there");
    world.write("agent", list("A{b}C"));
    world.write("agent", list("A{b}C"));
    assert_eq!(letters(&world.list.items), "bC");
}

#[test]
fn another_level_takes_the_place_of_the_first() {
    let mut world = World::new();
    world.write("agent", list("ABC"));
    let first = world.level("2", false).expect("it is there").edit;
    world.level("1.1", true).expect("it is there");
    assert_eq!(world.edit(first).state, Superseded);
    assert_eq!(letters(&world.list.items), "ABC");
    world.undo().expect("the second");
    assert_eq!((letters(&world.list.items).as_str(), world.edit(first).state), ("A{B}C", Queued));
}

#[test]
fn a_past_list_has_its_levels_and_gives_them_up_again() {
    let mut world = World::new();
    world.write("agent", list("AB{c}D"));
    let past = world.list.items.clone();
    world.level("2", false).expect("it is there");
    world.load(past).expect("it is a list");
    assert_eq!(letters(&world.list.items), "AB{c}D");
    world.undo().expect("the past list");
    assert_eq!(letters(&world.list.items), "A{Bc}D");
}
