//! Progress.

use super::World;
use crate::progress;
use rstest::rstest;
use serde_json::{Value, json};

#[rstest]
#[case::nothing(json!([]), 0, 0, 0.0)]
#[case::skipped_counts_as_done(json!([{"content": "A", "status": "done"}, {"content": "B", "status": "skipped"}, {"content": "C"}]), 2, 3, 2.0 / 3.0)]
#[case::cancelled_does_not_count(json!([{"content": "A", "status": "done"}, {"content": "B", "status": "cancelled"}]), 1, 1, 1.0)]
#[case::all_cancelled(json!([{"content": "A", "status": "cancelled"}]), 0, 0, 0.0)]
#[case::an_unknown_word_is_not_done(json!([{"content": "A", "status": "nearly"}, {"content": "B", "status": "blocked"}]), 0, 2, 0.0)]
#[case::subtasks_move_the_bar_only(json!([{"content": "A", "subtasks": [{"content": "1", "status": "done"}, {"content": "2"}]}, {"content": "B"}]), 0, 2, 0.25)]
#[case::cancelled_subtasks_do_not(json!([{"content": "A", "subtasks": [{"content": "1", "status": "done"}, {"content": "2", "status": "cancelled"}]}]), 0, 1, 1.0)]
#[case::a_done_item_is_done_whatever_its_subtasks_say(json!([{"content": "A", "status": "done", "subtasks": [{"content": "1"}]}]), 1, 1, 1.0)]
fn counted(#[case] list: Value, #[case] completed: usize, #[case] total: usize, #[case] fraction: f64) {
    let mut world = World::new();
    world.write("agent", list);
    let found = progress(&world.list.items);
    assert_eq!((found.completed, found.total), (completed, total));
    assert!((found.fraction - fraction).abs() < 1e-9, "{} and not {fraction}", found.fraction);
}
