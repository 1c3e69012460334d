//! What holds for every list, every edit and every order of them.

use super::{World, contents};
use crate::list::flat;
use crate::text::show;
use crate::{Item, Origin, Position, Said, rank};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::HashSet;

/// Something that happens to a list.
#[derive(Debug, Clone)]
enum Step {
    Write(&'static str, Vec<usize>),
    Lost(&'static str, Vec<usize>),
    Add(String),
    Delete(String),
    Clear,
    Undo,
}

fn words() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(0_usize..8, 0..8)
}

fn position() -> impl Strategy<Value = String> {
    prop_oneof![
        (1_usize..9).prop_map(|at| at.to_string()),
        Just("last".to_owned()),
        (1_usize..5, 1_usize..4).prop_map(|(at, sub)| format!("{at}.{sub}")),
        (1_usize..5).prop_map(|at| format!("{at}.last")),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let agent = || prop_oneof![Just("one"), Just("two")];
    prop_oneof![
        4 => (agent(), words()).prop_map(|(agent, words)| Step::Write(agent, words)),
        1 => (agent(), words()).prop_map(|(agent, words)| Step::Lost(agent, words)),
        3 => position().prop_map(Step::Add),
        2 => position().prop_map(Step::Delete),
        1 => Just(Step::Clear),
        2 => Just(Step::Undo),
    ]
}

const WORDS: [&str; 8] = ["Read", "Plan", "Write the tests", "Fix", "Fix", "Deploy", "Measure", "Tell the user"];

fn list(words: &[usize]) -> Value {
    words.iter().map(|word| json!({ "content": WORDS[*word] })).collect()
}

fn take(world: &mut World, step: &Step, added: usize) {
    match step {
        Step::Write(agent, words) => drop(world.write(agent, list(words))),
        Step::Lost(agent, words) => drop(world.send(agent, &list(words))),
        // A position that does not exist is refused, and that is all.
        Step::Add(position) => drop(world.add(position, &format!("mine {added}"))),
        Step::Delete(position) => drop(world.delete(position)),
        Step::Clear => drop(world.clear()),
        Step::Undo => drop(world.undo()),
    }
}

fn ascending(items: &[Item]) -> bool {
    items.windows(2).all(|pair| pair[0].rank < pair[1].rank) && items.iter().all(|item| ascending(&item.subtasks))
}

proptest! {
    #[test]
    fn every_list_stays_whole(steps in prop::collection::vec(step(), 1..30)) {
        let mut world = World::new();
        for (at, step) in steps.iter().enumerate() {
            let before = world.list.revision;
            take(&mut world, step, at);
            prop_assert!(world.list.revision - before <= 1, "one change is one revision");
            let uids: Vec<_> = flat(&world.list.items).map(|(item, _)| item.uid).collect();
            prop_assert_eq!(uids.iter().collect::<HashSet<_>>().len(), uids.len(), "uids are unique");
            let ids: HashSet<_> = world.list.items.iter().map(|item| &item.id).collect();
            prop_assert_eq!(ids.len(), world.list.items.len(), "ids are unique");
            prop_assert!(ascending(&world.list.items), "ranks ascend");
            prop_assert!(!show(&world.list.items).is_empty());
        }
    }

    #[test]
    fn nothing_that_the_user_added_is_lost_to_an_agent(
        steps in prop::collection::vec(step(), 0..12), lists in prop::collection::vec(words(), 1..6)
    ) {
        let mut world = World::new();
        for (at, step) in steps.iter().enumerate() {
            take(&mut world, step, at);
        }
        let own: HashSet<_> = world.list.items.iter().filter(|i| i.origin == Origin::User).map(|i| i.uid).collect();
        for (at, words) in lists.iter().enumerate() {
            world.write(if at % 2 == 0 { "one" } else { "two" }, list(words));
        }
        for uid in own {
            prop_assert!(world.has(uid), "an item of the user's is gone");
        }
    }

    #[test]
    fn nothing_that_the_user_removed_returns_by_repetition(words in words(), at in 1_usize..8, times in 1_usize..6) {
        let mut world = World::new();
        world.write("one", list(&words));
        if world.delete(&at.to_string()).is_ok() {
            let without = world.contents();
            for _ in 0..times {
                world.write("one", list(&words));
                prop_assert_eq!(&world.contents(), &without);
            }
        }
    }

    #[test]
    fn without_edits_the_list_is_the_agents(lists in prop::collection::vec(words(), 1..8)) {
        let mut world = World::new();
        for words in &lists {
            world.write("one", list(words));
            let sent: Vec<&str> = words.iter().map(|word| WORDS[*word]).collect();
            prop_assert_eq!(world.contents(), sent);
        }
    }

    #[test]
    fn merging_twice_is_merging_once(steps in prop::collection::vec(step(), 0..15), words in words()) {
        let mut world = World::new();
        for (at, step) in steps.iter().enumerate() {
            take(&mut world, step, at);
        }
        world.write("one", list(&words));
        let once = contents(&world.list.items);
        let again = world.write("one", list(&words));
        prop_assert!(again.difference.is_empty(), "{:?} after {:?}", contents(&world.list.items), once);
    }

    #[test]
    fn an_edit_and_its_undo_leave_the_list_as_it_was(words in words(), place in position(), remove in any::<bool>()) {
        let mut world = World::new();
        world.write("one", list(&words));
        let before: Vec<_> = flat(&world.list.items).map(|(item, _)| item.uid).collect();
        let done = if remove { world.delete(&place) } else { world.add(&place, "mine") };
        if done.is_ok() {
            world.undo().expect("it was just made");
            let after: Vec<_> = flat(&world.list.items).map(|(item, _)| item.uid).collect();
            prop_assert_eq!(before, after);
        }
    }

    #[test]
    fn what_was_said_is_packed_without_loss(steps in prop::collection::vec(step(), 1..15), words in words()) {
        let mut world = World::new();
        for (at, step) in steps.iter().enumerate() {
            take(&mut world, step, at);
        }
        world.send("one", &list(&words));
        let memory = world.list.callers["one"].clone();
        let packed = Said::pack(&memory, &world.list.items);
        let json = serde_json::to_string(&packed).expect("it is plain data");
        let (back, order) = serde_json::from_str::<Said>(&json).expect("it reads back").unpack(&world.list.items);
        prop_assert_eq!(&order, &memory.order);
        let texts = |said: &std::collections::BTreeMap<_, crate::Draft>| -> Vec<_> {
            said.iter().map(|(uid, draft)| (*uid, draft.content.clone(), draft.status, draft.subtasks.len())).collect()
        };
        prop_assert_eq!(texts(&back), texts(&memory.said));
    }

    #[test]
    fn a_rank_changes_only_for_what_moved(words in words(), place in position()) {
        let mut world = World::new();
        world.write("one", list(&words));
        let before = world.list.items.clone();
        if world.add(&place, "mine").is_ok() {
            for item in &before {
                prop_assert_eq!(&world.item_by(item.uid).rank, &item.rank);
            }
        }
        let mut again = world.list.items.clone();
        rank::assign(&mut again);
        prop_assert_eq!(again, world.list.items);
    }

    #[test]
    fn no_typed_position_panics(typed in "\\PC{0,12}") {
        if let Ok(position) = Position::parse(&typed) {
            let mut world = World::new();
            world.write("one", list(&[0, 1, 2]));
            let _ = position.insertion(&world.list.items);
            let _ = position.existing(&world.list.items);
        }
    }
}
