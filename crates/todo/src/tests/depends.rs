//! Dependencies (requirement K3).

use super::World;
use crate::Error;
use crate::list::flat;
use rstest::rstest;
use serde_json::{Value, json};

fn on(world: &World, content: &str) -> Vec<Option<String>> {
    let said =
        |uid| flat(&world.list.items).find(|(item, _)| Some(item.uid) == uid).map(|(item, _)| item.content.clone());
    world.item(content).depends_on_uids.iter().map(|uid| said(*uid)).collect()
}

// K3
#[rstest]
#[case::by_id(json!(["b"]), Some("Build"))]
#[case::an_id_before_a_position(json!(["1"]), Some("Ship"))]
#[case::by_position(json!(["2"]), Some("Build"))]
#[case::by_position_of_a_subtask(json!(["2.1"]), Some("Compile the parser"))]
#[case::by_number(json!([2]), Some("Build"))]
#[case::by_exact_content(json!(["Build"]), Some("Build"))]
#[case::by_the_only_item_that_contains_it(json!(["the parser"]), Some("Compile the parser"))]
#[case::in_another_case(json!(["THE PARSER"]), Some("Compile the parser"))]
#[case::what_several_contain(json!(["i"]), None)]
#[case::what_nobody_is(json!(["registration"]), None)]
#[case::a_single_word(json!("b"), Some("Build"))]
fn found(#[case] depends_on: Value, #[case] expected: Option<&str>) {
    let mut world = World::new();
    world.write(
        "agent",
        json!([
            {"id": "r", "content": "Release", "dependsOn": depends_on},
            {"id": "b", "content": "Build", "subtasks": [{"id": "c", "content": "Compile the parser"}]},
            {"id": "1", "content": "Ship"}
        ]),
    );
    assert_eq!(on(&world, "Release"), [expected.map(str::to_owned)]);
    assert_eq!(world.item("Release").waiting, expected.is_some(), "what means nothing blocks nothing");
}

// K3
#[rstest]
#[case("pending", true)]
#[case("in_progress", true)]
#[case("blocked", true)]
#[case("on hold", true)]
#[case("completed", false)]
#[case("skipped", false)]
#[case("cancelled", false)]
fn met_when_terminal(#[case] status: &str, #[case] waits: bool) {
    let mut world = World::new();
    world.write("agent", json!([{"content": "A", "status": status}, {"content": "B", "dependsOn": ["A"]}]));
    assert_eq!(world.item("B").waiting, waits);
}

#[test]
fn only_what_is_pending_waits() {
    let mut world = World::new();
    world.write("agent", json!([{"content": "A"}, {"content": "B", "dependsOn": ["A"], "status": "doing"}]));
    assert!(!world.item("B").waiting, "its status says more");
}

#[test]
fn what_was_found_stays_found_when_places_and_texts_change() {
    let mut world = World::new();
    world.write("agent", json!([{"content": "A"}, {"content": "B", "dependsOn": ["1"]}]));
    world.add("1", "Mine").expect("there is room");
    assert_eq!(on(&world, "B"), [Some("A".to_owned())], "the user's item did not become what B waits for");
    world.set("2", json!({"content": "A, but better"})).expect("it is there");
    assert_eq!(on(&world, "B"), [Some("A, but better".to_owned())]);
    assert_eq!(world.item("B").depends_on, ["1"], "as it was said");
}

#[test]
fn what_was_removed_by_the_user_is_waited_for_again_when_it_returns() {
    let mut world = World::new();
    let list = json!([{"content": "A"}, {"content": "B", "dependsOn": ["1"]}, {"content": "C"}]);
    world.write("agent", list.clone());
    world.delete("1").expect("it is there");
    assert!(!world.item("B").waiting, "what is gone blocks nothing");
    world.write("agent", list);
    assert_eq!(on(&world, "B"), [None], "and nothing else takes its place");
    world.undo().expect("the delete is taken back");
    assert!(world.item("B").waiting);
}

#[test]
fn what_the_agent_replaced_is_looked_up_anew() {
    let mut world = World::new();
    world.write("agent", json!([{"content": "Read the docs"}, {"content": "B", "dependsOn": ["1"]}]));
    world.write("agent", json!([{"content": "Ask the user"}, {"content": "B", "dependsOn": ["1"]}]));
    assert_eq!(on(&world, "B"), [Some("Ask the user".to_owned())]);
}

// K3
#[rstest]
#[case::unmet(json!([{"content": "A"}, {"content": "B", "dependsOn": ["A"], "status": "doing"}]), &["\"B\" is in progress, though it waits for \"A\"; do that first, or mark it pending."])]
#[case::met(json!([{"content": "A", "status": "skipped"}, {"content": "B", "dependsOn": ["A"], "status": "doing"}]), &[])]
#[case::nothing_is_named(json!([{"content": "B", "dependsOn": ["A"], "status": "doing"}]), &[])]
#[case::subtask(json!([{"content": "A", "subtasks": [{"content": "A1", "dependsOn": ["B"], "status": "doing"}]}, {"content": "B"}]), &["\"A1\" is in progress, though it waits for \"B\"; do that first, or mark it pending."])]
fn what_begins_too_early_is_said(#[case] list: Value, #[case] remarks: &[&str]) {
    let mut world = World::new();
    assert_eq!(world.write("agent", list).remarks, remarks);
}

#[test]
fn what_the_user_begins_is_not_held_against_the_agent() {
    let mut world = World::new();
    let list = || json!([{"content": "A"}, {"content": "B", "dependsOn": ["A"]}]);
    world.write("agent", list());
    world.set("2", json!({"status": "in_progress"})).expect("it is there");
    let done = world.write("agent", list());
    assert_eq!((done.remarks, world.item("B").status), (Vec::new(), crate::Status::InProgress));
}

#[test]
fn what_comes_later_is_found_then() {
    let mut world = World::new();
    world.write("agent", json!([{"content": "B", "dependsOn": ["A"]}]));
    assert_eq!(on(&world, "B"), [None]);
    world.write("agent", json!([{"content": "B", "dependsOn": ["A"]}, {"content": "A"}]));
    assert_eq!(on(&world, "B"), [Some("A".to_owned())]);
}

#[rstest]
#[case::itself(json!([{"content": "A", "dependsOn": ["A"]}]), "\"A\" waits for \"A\"")]
#[case::two(json!([{"content": "A", "dependsOn": ["2"]}, {"content": "B", "dependsOn": ["1"]}]), "\"A\" waits for \"B\" waits for \"A\"")]
#[case::over_a_subtask(json!([{"content": "A", "subtasks": [{"content": "A1", "dependsOn": ["B"]}]}, {"content": "B", "dependsOn": ["A1"]}]), "\"A1\" waits for \"B\" waits for \"A1\"")]
fn circles_are_refused(#[case] list: Value, #[case] circle: &str) {
    let mut world = World::new();
    let drafts = crate::Draft::list(&list).expect("it is well formed");
    let refused = world.change(crate::Change::Replace { caller: "agent".to_owned(), drafts });
    assert_eq!(refused, Err(Error::Circle { items: circle.to_owned() }));
    assert_eq!(world.list.revision, 0, "nothing was changed");
}

#[test]
fn the_user_cannot_close_a_circle_either() {
    let mut world = World::new();
    world.write("agent", json!([{"content": "A"}, {"content": "B", "dependsOn": ["A"]}]));
    assert!(matches!(world.set("1", json!({"dependsOn": ["B"]})), Err(Error::Circle { .. })));
    assert!(world.item("A").depends_on.is_empty());
}

#[test]
fn where_the_users_and_the_agents_would_close_a_circle_the_users_stands() {
    let mut world = World::new();
    world.write("agent", json!([{"content": "A"}, {"content": "B"}]));
    world.set("1", json!({"dependsOn": ["B"]})).expect("it is there");
    let done = world.write("agent", json!([{"content": "A"}, {"content": "B", "dependsOn": ["A"]}]));
    assert_eq!(on(&world, "A"), [Some("B".to_owned())]);
    assert_eq!(on(&world, "B"), [None]);
    assert!(
        done.remarks.iter().any(|remark| remark.english.contains("\"B\" cannot wait for \"A\"")),
        "{:?}",
        done.remarks
    );
}

#[test]
fn a_list_names_so_many_dependencies_and_no_more() {
    let many: Vec<Value> = (0..256).map(|_| json!("x")).collect();
    let list = Value::Array((0..5).map(|at| json!({"content": format!("{at}"), "dependsOn": many})).collect());
    let refused = crate::Draft::list(&list).expect_err("it is refused").to_string();
    assert!(refused.contains("1280 dependencies"), "{refused}");
}

#[test]
fn a_long_chain_is_no_circle() {
    let chain = |count: usize| -> Value {
        (0..count).map(|at| json!({"id": format!("{at}"), "content": format!("Step {at}"), "dependsOn": [format!("{}", at + 1)]})).collect()
    };
    let mut world = World::new();
    world.write("agent", chain(256));
    assert_eq!(flat(&world.list.items).filter(|(item, _)| item.waiting).count(), 255);
}
