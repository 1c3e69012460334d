//! Laws that hold for every list, every edit and every order of them.

use super::{World, contents};
use crate::list::flat;
use crate::text::show;
use crate::{Draft, Field, Item, Origin, Position, Positions, SentDifference, Status, rank};
use proptest::prelude::*;
use serde_json::{Value, json};
use smol_str::SmolStr;
use std::collections::HashSet;

/// Something that happens to a list.
#[derive(Debug, Clone)]
enum Step {
    Write(&'static str, Vec<usize>),
    Lost(&'static str, Vec<usize>),
    /// A list with statuses, ids and dependencies.
    Rich(&'static str, Vec<(usize, usize)>),
    Part(&'static str, Vec<(usize, usize)>),
    Add(String),
    Delete(String),
    Set(String, usize),
    Rename(String, usize),
    Move(String, String),
    Level(String, bool),
    AgentAdd(&'static str, String, usize),
    AgentSet(&'static str, String, usize),
    /// The list as it was so many steps ago.
    Load(usize),
    /// Of the items that were and are gone, the one after so many others.
    Restore(usize),
    /// A hook tells an agent what is queued.
    ToldApart(&'static str),
    /// The memory is stored and read back.
    Restart,
    Archive,
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

fn agent() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("one"), Just("two")]
}

fn rich() -> impl Strategy<Value = Vec<(usize, usize)>> {
    prop::collection::vec((0_usize..8, 0_usize..STATUSES.len()), 0..8)
}

fn positions() -> impl Strategy<Value = String> {
    prop_oneof![4 => position(), 1 => (position(), position()).prop_map(|(from, to)| format!("{from}-{to}")), 1 => Just("all".to_owned())]
}

/// The edits of the user.
fn edit() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => position().prop_map(Step::Add),
        2 => positions().prop_map(Step::Delete),
        2 => (positions(), 0_usize..6).prop_map(|(at, status)| Step::Set(at, status)),
        1 => (position(), 0_usize..8).prop_map(|(at, word)| Step::Rename(at, word)),
        2 => (position(), position()).prop_map(|(from, to)| Step::Move(from, to)),
        2 => (positions(), any::<bool>()).prop_map(|(at, out)| Step::Level(at, out)),
        1 => Just(Step::Clear),
        1 => (0_usize..5).prop_map(Step::Load),
        2 => Just(Step::Undo),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (agent(), words()).prop_map(|(agent, words)| Step::Write(agent, words)),
        1 => (agent(), words()).prop_map(|(agent, words)| Step::Lost(agent, words)),
        3 => (agent(), rich()).prop_map(|(agent, items)| Step::Rich(agent, items)),
        1 => (agent(), rich()).prop_map(|(agent, items)| Step::Part(agent, items)),
        1 => (agent(), position(), 0_usize..8).prop_map(|(agent, at, word)| Step::AgentAdd(agent, at, word)),
        1 => (agent(), positions(), 0_usize..6).prop_map(|(agent, at, status)| Step::AgentSet(agent, at, status)),
        1 => Just(Step::Archive),
        2 => (0_usize..6).prop_map(Step::Restore),
        2 => agent().prop_map(Step::ToldApart),
        1 => Just(Step::Restart),
        8 => edit(),
    ]
}

const STATUSES: [&str; 8] =
    ["pending", "in_progress", "completed", "blocked", "skipped", "cancelled", "on hold", "deleted"];

/// Items with a status each, some with an id, and each second one waiting for the one before it.
fn rich_list(items: &[(usize, usize)]) -> Value {
    items
        .iter()
        .enumerate()
        .map(|(at, (word, status))| {
            let mut item =
                json!({ "content": WORDS[*word], "status": STATUSES[*status], "notes": format!("n{status}") });
            if word % 3 == 0 {
                item["id"] = json!(format!("{word}"));
            }
            if at % 2 == 1 {
                item["dependsOn"] = json!([WORDS[items[at - 1].0]]);
            }
            if word % 4 == 3 {
                let sub = |word: usize| json!({ "content": WORDS[word % 8], "status": STATUSES[(status + 1) % 6] });
                item["subtasks"] = json!([sub(*status), sub(at + status), sub(at)]);
            }
            item
        })
        .collect()
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
        Step::Rich(agent, items) => drop(world.try_write(agent, &rich_list(items))),
        Step::Part(agent, items) => drop(world.part(agent, rich_list(items))),
        Step::Set(positions, status) => drop(world.set(positions, json!({ "status": STATUSES[*status] }))),
        Step::Rename(position, word) => drop(world.set(position, json!({ "content": WORDS[*word] }))),
        Step::Move(from, to) => drop(world.move_to(from, to)),
        Step::Level(positions, out) => drop(world.level(positions, *out)),
        Step::AgentAdd(agent, position, word) => drop(world.agent_add(agent, position, WORDS[*word])),
        Step::AgentSet(agent, positions, status) => drop(world.agent_set(agent, positions, STATUSES[*status])),
        Step::Load(ago) => {
            let past = world.past.iter().rev().nth(*ago).cloned().unwrap_or_default();
            drop(world.load(past));
        }
        Step::Archive => drop(world.change(crate::Change::Archive { by: crate::By::User { client: "me".to_owned() } })),
        Step::Restore(nth) => {
            let gone = world.still_removed().into_iter().nth(*nth);
            drop(gone.map(|gone| world.restore(gone)));
        }
        Step::ToldApart(agent) => world.told_apart(agent),
        Step::Restart => world.restart(),
        Step::Clear => drop(world.clear()),
        Step::Undo => drop(world.undo()),
    }
}

fn waits_for_itself(items: &[Item]) -> bool {
    let on: std::collections::HashMap<_, Vec<_>> =
        flat(items).map(|(item, _)| (item.uid, item.depends_on_uids.iter().flatten().copied().collect())).collect();
    on.keys().any(|start| {
        let mut seen = HashSet::new();
        let mut next: Vec<_> = on[start].clone();
        while let Some(uid) = next.pop() {
            if seen.insert(uid) {
                next.extend(on.get(&uid).into_iter().flatten());
            }
        }
        seen.contains(start)
    })
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
            for level in std::iter::once(&world.list.items).chain(world.list.items.iter().map(|item| &item.subtasks)) {
                let ids: HashSet<_> = level.iter().map(|item| &item.id).collect();
                prop_assert_eq!(ids.len(), level.len(), "ids are unique");
            }
            prop_assert!(ascending(&world.list.items), "ranks ascend");
            for (item, _) in flat(&world.list.items) {
                prop_assert_eq!(item.depends_on_uids.len(), item.depends_on.len());
                prop_assert!(!item.content.is_empty());
                prop_assert_eq!(item.status == Status::Unknown, item.status_raw.is_some(), "{:?}", item);
                prop_assert!(!item.waiting || item.status == Status::Pending);
            }
            prop_assert!(!waits_for_itself(&world.list.items));
            prop_assert!(!show(&world.list.items).english.is_empty());
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
        let own = |item: &&Item| item.origin == Origin::User && !item.status.is_terminal();
        let own: HashSet<_> = world.list.items.iter().filter(own).map(|i| i.uid).collect();
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

    /// However often agents say their own last lists again, and whatever they heard meanwhile.
    #[test]
    fn agents_that_repeat_themselves_undo_nothing(
        steps in prop::collection::vec(step(), 0..12), first in rich(), second in rich(),
        edits in prop::collection::vec(edit(), 1..6), again in prop::collection::vec((agent(), any::<bool>()), 1..6)
    ) {
        let mut world = World::new();
        for (at, step) in steps.iter().enumerate() {
            take(&mut world, step, at);
        }
        let lists = [("one", rich_list(&first)), ("two", rich_list(&second))];
        for (agent, list) in &lists {
            // A list that waits for itself is refused, and then there is nothing to repeat.
            prop_assume!(world.try_write(agent, list).is_ok());
        }
        for (at, edit) in edits.iter().enumerate() {
            take(&mut world, edit, 100 + at);
        }
        // The agents' own steps in progress give way to the user's at the first list; what is closed may be dropped.
        for (agent, list) in &lists {
            prop_assume!(world.try_write(agent, list).is_ok());
        }
        // An agent's item in progress may be put back and taken up again; that undoes nothing of the user's.
        let begun = |status| if status == Status::InProgress { Status::Pending } else { status };
        let open = |world: &World| -> Vec<_> {
            flat(&world.list.items)
                .filter(|(item, _)| !item.status.is_terminal())
                .map(|(item, parent)| (item.uid, parent, item.content.clone(), begun(item.status)))
                .collect()
        };
        let before = open(&world);
        for (agent, hears) in again {
            let (_, list) = lists.iter().find(|(name, _)| *name == agent).expect("it is one of the two");
            world.send(agent, list);
            if hears {
                world.hear(agent);
            }
            prop_assert_eq!(&open(&world), &before);
        }
    }

    #[test]
    fn what_the_user_set_stands_while_the_agent_repeats_itself(
        items in rich(), at in 1_usize..9, status in 0_usize..6, word in 0_usize..8, times in 1_usize..5
    ) {
        let mut world = World::new();
        if world.try_write("one", &rich_list(&items)).is_err() || world.list.items.is_empty() {
            return Ok(());
        }
        let change = json!({ "status": STATUSES[status], "content": format!("mine {word}"), "priority": "low" });
        let at = at % world.list.items.len();
        world.set(&(at + 1).to_string(), change).expect("it is there");
        let uid = world.list.items[at].uid;
        for _ in 0..times {
            world.write("one", rich_list(&items));
            let item = world.item_by(uid);
            prop_assert_eq!(item.status.name(), STATUSES[status]);
            prop_assert_eq!(&item.content, &format!("mine {word}"));
        }
    }

    #[test]
    fn every_edit_can_be_undone_and_the_list_is_as_it_was(items in rich(), edits in prop::collection::vec(edit(), 1..8)) {
        let mut world = World::new();
        prop_assume!(world.try_write("one", &rich_list(&items)).is_ok());
        let before = world.list.items.clone();
        let mut made = 0;
        for (at, edit) in edits.iter().enumerate() {
            let edits = world.list.edits.len();
            if !matches!(edit, Step::Undo) {
                take(&mut world, edit, at);
                made += world.list.edits.len() - edits;
            }
        }
        for _ in 0..made {
            prop_assert!(world.undo().is_ok());
        }
        let plain = |items: &[Item]| -> Vec<(Item, Option<uuid::Uuid>)> {
            let alone = |item: &Item| Item { subtasks: Vec::new(), waiting: false, ..item.clone() };
            flat(items)
                .map(|(item, parent)| {
                    // Time goes on meanwhile.
                    (Item { rank: SmolStr::default(), status_at: item.created_at, worked_ms: 0, ..alone(item) }, parent)
                })
                .collect()
        };
        prop_assert_eq!(plain(&world.list.items), plain(&before));
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
    fn without_edits_every_field_is_the_agents(lists in prop::collection::vec(rich(), 1..8)) {
        let mut world = World::new();
        for items in &lists {
            let list = rich_list(items);
            let Ok(drafts) = Draft::list(&list) else { continue };
            if world.try_write("one", &list).is_err() {
                continue;
            }
            let drafts: Vec<Draft> = drafts.into_iter().filter(|draft| !draft.deleted).collect();
            prop_assert_eq!(drafts.len(), world.list.items.len());
            let with_subtasks = drafts.iter().flat_map(|draft| std::iter::once(draft).chain(&draft.subtasks));
            for (draft, (item, _)) in with_subtasks.zip(flat(&world.list.items)) {
                for field in Field::ALL {
                    prop_assert!(item.same(field, draft), "{:?} of {:?} and {:?}", field, item, draft);
                }
            }
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
        let packed = SentDifference::pack(&memory, &world.list.items);
        let json = serde_json::to_string(&packed).expect("it is plain data");
        let read = serde_json::from_str::<SentDifference>(&json).expect("it reads back");
        let (back, order, parents) = read.unpack(&world.list.items);
        prop_assert_eq!(&order, &memory.last_sent_order);
        prop_assert_eq!(&parents, &memory.last_sent_parents);
        let texts = |said: &std::collections::BTreeMap<_, crate::Draft>| -> Vec<_> {
            said.iter().map(|(uid, draft)| (*uid, draft.content.clone(), draft.status, draft.subtasks.len())).collect()
        };
        prop_assert_eq!(texts(&back), texts(&memory.last_sent));
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
        let items = |items: &[Item]| Positions::parse(&typed).and_then(|positions| positions.slots(items));
        prop_assert!(items(&[]).is_err(), "nothing is there");
        if let Ok(position) = Position::parse(&typed) {
            let mut world = World::new();
            world.write("one", list(&[0, 1, 2]));
            let _ = position.insertion(&world.list.items);
            let _ = position.existing(&world.list.items);
        }
    }
}
