//! Pairing of items, over rewrites as agents really make them.

use super::World;
use crate::list::flat;
use rstest::rstest;
use serde_json::{Value, json};

/// After the second list, each of its items is the numbered one of the first (1-based), or new (0).
#[rstest]
#[case::the_same_again(json!([{"content": "A"}, {"content": "B"}]), json!([{"content": "A"}, {"content": "B"}]), &[1, 2])]
#[case::reordered(json!([{"content": "A"}, {"content": "B"}, {"content": "C"}]), json!([{"content": "C"}, {"content": "A"}, {"content": "B"}]), &[3, 1, 2])]
#[case::one_inserted(json!([{"content": "A"}, {"content": "B"}]), json!([{"content": "A"}, {"content": "X"}, {"content": "B"}]), &[1, 0, 2])]
#[case::duplicates_in_order(json!([{"content": "Test"}, {"content": "Fix"}, {"content": "Test"}]), json!([{"content": "Test"}, {"content": "Test"}]), &[1, 3])]
#[case::renamed_under_its_id(json!([{"id": "1", "content": "Read"}]), json!([{"id": "1", "content": "Write the whole chapter"}]), &[1])]
#[case::renumbered(json!([{"id": "1", "content": "A"}, {"id": "2", "content": "B"}]), json!([{"id": "1", "content": "B"}]), &[2])]
#[case::ids_swapped(json!([{"id": "1", "content": "A"}, {"id": "2", "content": "B"}]), json!([{"id": "1", "content": "B"}, {"id": "2", "content": "A"}]), &[2, 1])]
#[case::inserted_and_renumbered(json!([{"id": "1", "content": "A"}, {"id": "2", "content": "B"}]), json!([{"id": "1", "content": "New"}, {"id": "2", "content": "A"}, {"id": "3", "content": "B"}]), &[0, 1, 2])]
#[case::ids_that_change_with_the_status(json!([{"id": "a1", "content": "A"}, {"id": "b1", "content": "B"}]), json!([{"id": "a2", "content": "A", "status": "done"}, {"id": "b1", "content": "B"}]), &[1, 2])]
#[case::case_and_punctuation(json!([{"content": "Fix the parser."}]), json!([{"content": "fix the  Parser"}]), &[1])]
#[case::numbering_in_the_text(json!([{"content": "Fix the parser"}]), json!([{"content": "1. Fix the parser"}]), &[1])]
#[case::a_number_that_is_no_numbering(json!([{"content": "3 tests fail"}]), json!([{"content": "tests fail"}]), &[1])]
#[case::reworded_in_its_place(json!([{"content": "A"}, {"content": "Write the tests for the parser"}, {"content": "C"}]), json!([{"content": "A"}, {"content": "Write tests for the new parser"}, {"content": "C"}]), &[1, 2, 3])]
#[case::replaced_in_its_place(json!([{"content": "A"}, {"content": "Write the tests"}, {"content": "C"}]), json!([{"content": "A"}, {"content": "Deploy"}, {"content": "C"}]), &[1, 0, 3])]
#[case::something_else(json!([{"content": "A"}]), json!([{"content": "Deploy to production"}]), &[0])]
fn pairs(#[case] first: Value, #[case] second: Value, #[case] expected: &[usize]) {
    let mut world = World::new();
    let before = world.write("agent", first).list.items;
    let after = world.write("agent", second).list.items;
    let found: Vec<usize> =
        after.iter().map(|item| before.iter().position(|old| old.uid == item.uid).map_or(0, |at| at + 1)).collect();
    assert_eq!(found, expected);
}

/// A list before, the list after it, and for each of its items (depth first) the place of the one that it was.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Rewrite {
    name: String,
    #[expect(dead_code, reason = "for the reader")]
    from: String,
    why: String,
    before: Value,
    after: Value,
    same: Vec<Option<String>>,
}

#[test]
fn rewrites_as_agents_make_them() {
    let corpus: Vec<Rewrite> = serde_json::from_str(include_str!("identity_corpus.json")).expect("it is well formed");
    assert!(corpus.len() >= 40, "there are {} pairs", corpus.len());
    let mut wrong = Vec::new();
    for rewrite in corpus {
        let mut world = World::new();
        let before = world.write("agent", rewrite.before).list.items;
        let after = world.write("agent", rewrite.after).list.items;
        let mut places = std::collections::HashMap::new();
        for (at, item) in before.iter().enumerate() {
            places.insert(item.uid, format!("{}", at + 1));
            for (sub, subtask) in item.subtasks.iter().enumerate() {
                places.insert(subtask.uid, format!("{}.{}", at + 1, sub + 1));
            }
        }
        let found: Vec<Option<String>> = flat(&after).map(|(item, _)| places.get(&item.uid).cloned()).collect();
        if found != rewrite.same {
            wrong.push(format!("{}: {found:?} and not {:?} ({})", rewrite.name, rewrite.same, rewrite.why));
        }
    }
    assert!(wrong.is_empty(), "{} pairs are matched otherwise:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn our_ids_are_short_and_never_used_twice() {
    let mut world = World::new();
    world.write("agent", json!([{"content": "A"}, {"content": "B", "id": "t2"}]));
    world.write("agent", json!([{"content": "C"}]));
    world.write("agent", json!([{"content": "C"}, {"content": "D"}]));
    let ids: Vec<&str> = world.list.items.iter().map(|item| item.id.as_str()).collect();
    assert_eq!(ids, ["t3", "t4"], "t1 was given to another item, and t2 was taken when C came");
}

#[test]
fn two_items_under_one_id_get_two_ids() {
    let mut world = World::new();
    world.write("agent", json!([{"id": "1", "content": "A"}, {"id": "1", "content": "B"}]));
    let ids: Vec<&str> = world.list.items.iter().map(|item| item.id.as_str()).collect();
    assert_eq!(ids, ["1", "t1"]);
}
