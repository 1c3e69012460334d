//! Edits that an agent was told without its list, by a hook.

use super::{World, contents, todos};
use crate::{Draft, EditState, Item};
use jiff::Timestamp;
use serde_json::json;
use uuid::Uuid;

impl World {
    /// A hook tells all that is queued.
    pub(super) fn told_apart(&mut self, caller: &str) {
        let queued = self.list.edits.iter().filter(|edit| edit.state == EditState::Queued).map(|edit| edit.id);
        let queued: Vec<Uuid> = queued.collect();
        self.list.delivered(caller, None, &queued, Some("hook"), Timestamp::UNIX_EPOCH);
    }

    fn knows(&self, caller: &str) -> &[Item] {
        self.list.callers[caller].known_list.as_deref().expect("it was told a list")
    }

    fn states(&self) -> Vec<EditState> {
        self.list.edits.iter().map(|edit| edit.state).collect()
    }
}

#[test]
fn it_knows_the_list_with_those_edits() {
    let mut world = World::new();
    world.write("codex", json!([{"content": "A", "subtasks": [{"content": "A1"}, {"content": "A2"}]}, {"content": "B"}, {"content": "C"}]));
    world.add("2", "New").expect("it fits");
    world.add("1.1", "First of A").expect("it fits");
    world.delete("4").expect("it is there");
    world.delete("1.3").expect("it is there");
    world.set("3", json!({"content": "B, better", "status": "blocked"})).expect("it is there");
    world.move_to("3", "1").expect("it is there");
    world.told_apart("codex");
    assert_eq!(contents(world.knows("codex")), ["B, better", "A", "First of A", "A1", "New"]);
    assert_eq!(contents(world.knows("codex")), world.contents());
    let drafts = |items: &[Item]| items.iter().map(Draft::of).collect::<Vec<_>>();
    assert_eq!(drafts(world.knows("codex")), drafts(&world.list.items));
}

#[test]
fn what_others_changed_it_does_not_know() {
    let mut world = World::new();
    world.write("codex", todos(&["A", "B"]));
    world.write("qwen", json!([{"content": "A"}, {"content": "B"}, {"content": "Of qwen"}]));
    world.delete("1").expect("it is there");
    world.told_apart("codex");
    assert_eq!(contents(world.knows("codex")), ["B"]);
    assert_eq!(contents(world.knows("qwen")), ["A", "B", "Of qwen"], "the other was not told");
    world.write("codex", todos(&["B"]));
    assert_eq!(world.contents(), ["B", "Of qwen"], "and loses nothing by it");
    assert_eq!(world.states(), [EditState::Reflected]);
}

#[test]
fn a_hook_whose_caller_is_not_known_speaks_to_the_agent_of_the_list() {
    let mut world = World::new();
    world.write("connection", todos(&["A", "B"]));
    world.delete("2").expect("it is there");
    world.add("last", "Mine").expect("it fits");
    world.told_apart("own");
    assert!(!world.list.callers.contains_key("own"), "a hook is no caller of its own");
    world.write("connection", todos(&["A", "Mine"]));
    assert_eq!(world.states(), [EditState::Reflected; 2]);
}

#[test]
fn one_that_goes_on_as_before_ignores_it() {
    let mut world = World::new();
    world.write("codex", todos(&["A", "B"]));
    world.delete("2").expect("it is there");
    world.set("1", json!({"priority": "high"})).expect("it is there");
    world.told_apart("codex");
    world.write("codex", json!([{"content": "A", "priority": "low"}, {"content": "B"}]));
    assert_eq!(world.states(), [EditState::Delivered, EditState::Overridden]);
    world.write("codex", todos(&["A", "B"]));
    assert_eq!(world.states(), [EditState::Ignored, EditState::Overridden]);
}
