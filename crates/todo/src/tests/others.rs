//! A list that several agents share: each is given its own steps and those that are nobody's.

use super::{World, contents, todos};
use crate::list::flat;
use crate::manager::{Action, manage};
use crate::{Draft, EditState, Field, Item, Others, Stamp, Status};
use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::{Value, json};
use uuid::Uuid;

impl World {
    /// A list of two agents, "one" and "two".
    fn shared() -> Self {
        let mut world = Self::new();
        world.list.agents = [("one", "codex"), ("two", "codex 2")].map(|(k, v)| (k.to_owned(), v.to_owned())).into();
        world
    }

    fn assign(&mut self, positions: &str, owner: Option<&str>) {
        self.set(positions, json!({ "owner": owner })).expect("it is there");
    }

    /// The items that an agent is given.
    fn given(&self, caller: &str) -> Vec<Item> {
        self.list.others(caller).visible(&self.list.items)
    }

    /// The steps of "two".
    fn hidden(&self) -> Vec<Item> {
        self.list.items.iter().filter(|item| item.owner.as_deref() == Some("codex 2")).cloned().collect()
    }
}

#[test]
fn each_is_given_its_own_steps_and_those_that_are_nobodys() {
    let mut world = World::shared();
    world.write("one", todos(&["Read", "Fix", "Test", "Ship"]));
    world.write("two", todos(&["Read", "Fix", "Test", "Ship"]));
    world.assign("2", Some("codex"));
    world.assign("3", Some("codex 2"));
    world.assign("4", Some("Ann from the desk"));
    assert_eq!(contents(&world.given("one")), ["Read", "Fix", "Ship"]);
    assert_eq!(contents(&world.given("two")), ["Read", "Test", "Ship"]);
    assert_eq!(contents(&world.given("nobody knows")), ["Read", "Fix", "Test", "Ship"], "it is no agent of the list");
    assert_eq!(contents(&world.list.all_agents().visible(&world.list.items)), ["Read", "Ship"]);
    world.hear("one");
    let known = world.list.callers["one"].known_list.as_deref().expect("it was told");
    assert_eq!(contents(known), ["Read", "Fix", "Ship"]);
}

#[test]
fn a_step_that_was_given_away_is_not_changed_by_repetition_and_does_not_come_twice() {
    let mut world = World::shared();
    world.write("one", todos(&["Read", "Fix", "Test"]));
    world.assign("2", Some("codex 2"));
    let before = world.item("Fix").clone();
    // From its context; it has even done it meanwhile.
    let sent = json!([{ "content": "Read", "status": "completed" }, { "content": "Fix", "status": "completed" },
        { "content": "Test" }]);
    for _ in 0..3 {
        let done = world.write("one", sent.clone());
        assert_eq!(world.contents(), ["Read", "Fix", "Test"]);
        assert!(world.item("Fix").is_as(&before));
        assert_eq!(done.remarks, ["\"Fix\" is assigned to codex 2 now; leave it out of your list."]);
    }
    world.restart();
    world.write("one", sent.clone());
    assert_eq!(world.contents(), ["Read", "Fix", "Test"], "after a restart as well");
    // It is its own again, and what it said of it is a decision at last.
    world.assign("2", None);
    world.write("one", sent);
    assert_eq!(world.item("Fix").status, Status::Completed);
}

#[test]
fn a_part_and_a_number_do_not_reach_it_either() {
    let mut world = World::shared();
    world.write("one", json!([{ "content": "Read", "id": "a" }, { "content": "Fix", "id": "b" }]));
    world.assign("2", Some("codex 2"));
    let before = world.item("Fix").clone();
    let done = world.part("one", json!([{ "id": "b", "status": "completed" }])).expect("it is left out");
    assert_eq!(done.remarks, ["\"Fix\" is assigned to codex 2 now; leave it out of your list."]);
    assert!(world.item("Fix").is_as(&before));
    let mut uid = || Uuid::from_u128(u128::MAX);
    let stamp = &mut Stamp { now: Timestamp::UNIX_EPOCH, uid: &mut uid };
    let complete = |number: usize| Action::Complete(vec![number]);
    let refused = manage(&world.list, "one", complete(2), stamp).expect_err("it has one item").to_string();
    assert!(refused.contains("the list has 1 to 1"), "{refused}");
    let listed = manage(&world.list, "one", Action::List, stamp).expect("it is listed").output.to_string();
    assert!(listed.contains("Read") && !listed.contains("Fix"), "{listed}");
    let added = Action::Add { after: Some(1), drafts: vec![Draft::new("Ship")] };
    let added = manage(&world.list, "one", added, stamp).expect("after its last").applied.expect("it changes the list");
    assert_eq!(contents(&added.list.items), ["Read", "Ship", "Fix"]);
    // Its own is the only one in progress that it may have.
    world.agent_set("two", "2", "in_progress").expect("its step");
    let next = manage(&world.list, "one", Action::Next, stamp).expect("it has one left");
    assert_eq!(next.output["content"], "Read");
}

#[test]
fn an_edit_is_of_those_who_are_given_its_steps() {
    let mut world = World::shared();
    world.write("one", todos(&["Read", "Fix", "Test"]));
    world.write("two", todos(&["Read", "Fix", "Test"]));
    let edit = world.set("1-2", json!({ "owner": "codex 2" })).expect("they are there").edit;
    let both = world.set("1-3", json!({ "priority": "high" })).expect("they are there").edit;
    let part = |world: &World, edit| {
        let part = Others::part_of(world.edit(edit), &world.list.hidden_by(&world.list.others("one")));
        part.map(|part| part.into_owned())
    };
    assert_eq!(part(&world, edit), None);
    assert_eq!(part(&world, both).expect("one is its").text(), "Test");
    let deleted = world.delete("1").expect("it is there").edit;
    assert_eq!(part(&world, deleted), None, "it was another's");
    world.hear("one");
    let state = |world: &World, edit| world.edit(edit).state;
    assert_eq!(state(&world, edit), EditState::Queued);
    assert_eq!(state(&world, deleted), EditState::Queued);
    assert_eq!(state(&world, both), EditState::Delivered);
    // Its lists say nothing about it.
    for _ in 0..3 {
        world.write("one", todos(&["Test"]));
    }
    assert_eq!(state(&world, deleted), EditState::Queued);
    world.write("two", todos(&["Fix", "Test"]));
    world.write("two", todos(&["Fix", "Test"]));
    assert_eq!(state(&world, edit), EditState::Reflected, "an agent need not say whose its step is");
    assert_eq!(state(&world, deleted), EditState::Reflected);
    assert_eq!(world.item("Fix").owner.as_deref(), Some("codex 2"));
}

#[test]
fn a_removed_step_of_another_is_no_step_that_an_agent_never_saw() {
    let mut world = World::shared();
    world.write("two", todos(&["Fix"]));
    world.assign("1", Some("codex 2"));
    world.delete("1").expect("it is there");
    world.write("one", todos(&["Fix"]));
    assert_eq!(world.contents(), ["Fix"], "it is the agent's own");
}

#[test]
fn an_emptied_list_is_emptied_of_ones_own() {
    let mut world = World::shared();
    world.write("one", todos(&["Read", "Fix"]));
    world.assign("2", Some("codex 2"));
    world.hear("one");
    let done = world.write("one", todos(&[]));
    assert_eq!(world.contents(), ["Fix"]);
    assert_eq!(done.next, crate::NextList::Same);
    world.change(crate::Change::Archive { by: crate::By::Agent { caller: "one".to_owned() } }).expect("it is its way");
    assert_eq!(world.contents(), ["Fix"], "nor is it archived by the one");
}

const WORDS: [&str; 6] = ["Read", "Plan", "Write the tests", "Fix", "Fix", "Deploy"];
const STATUSES: [&str; 5] = ["pending", "in_progress", "completed", "blocked", "cancelled"];

fn steps() -> impl Strategy<Value = Vec<(usize, usize)>> {
    prop::collection::vec((0..WORDS.len(), 0..STATUSES.len()), 0..6)
}

fn list(steps: &[(usize, usize)]) -> Value {
    let item = |at: usize, (word, status): (usize, usize)| {
        let mut item = json!({ "content": WORDS[word], "status": STATUSES[status], "notes": format!("n{status}") });
        if at % 2 == 1 {
            item["dependsOn"] = json!([WORDS[steps[at - 1].0]]);
        }
        if word % 4 == 3 {
            item["subtasks"] = json!([{ "content": WORDS[status], "status": STATUSES[(status + 1) % 5] }]);
        }
        item
    };
    steps.iter().enumerate().map(|(at, step)| item(at, *step)).collect()
}

/// Something that "one" does to a list.
#[derive(Debug, Clone)]
enum Deed {
    Write(Vec<(usize, usize)>),
    /// The answer is lost.
    Send(Vec<(usize, usize)>),
    Part(Vec<(usize, usize)>),
    Add(usize, usize),
    Set(usize, usize),
    Again,
    Empty,
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        3 => steps().prop_map(Deed::Write),
        1 => steps().prop_map(Deed::Send),
        2 => steps().prop_map(Deed::Part),
        1 => (1_usize..5, 0..WORDS.len()).prop_map(|(at, word)| Deed::Add(at, word)),
        1 => (1_usize..5, 0..STATUSES.len()).prop_map(|(at, status)| Deed::Set(at, status)),
        1 => Just(Deed::Again),
        1 => Just(Deed::Empty),
    ]
}

fn write(world: &mut World, todos: Value, last: &mut Value) {
    let _ = world.try_write("one", &todos);
    *last = todos;
}

/// Refused where it makes no sense, and that is all.
fn take(world: &mut World, deed: &Deed, last: &mut Value) {
    match deed {
        Deed::Write(steps) => write(world, list(steps), last),
        Deed::Send(steps) => {
            let drafts = Draft::list(&list(steps)).expect("it is well formed");
            let _ = world.change(crate::Change::Replace { caller: "one".to_owned(), drafts });
        }
        Deed::Part(steps) => drop(world.part("one", list(steps))),
        Deed::Add(at, word) => drop(world.agent_add("one", &at.to_string(), WORDS[*word])),
        Deed::Set(at, status) => drop(world.agent_set("one", &at.to_string(), STATUSES[*status])),
        Deed::Again => write(world, last.clone(), last),
        Deed::Empty => write(world, json!([]), last),
    }
}

/// A list as "one" sees it, without what numbers it.
fn seen(items: &[Item]) -> Vec<(String, Vec<Value>, Vec<usize>)> {
    let place = |uid: &Uuid| flat(items).position(|(item, _)| item.uid == *uid).unwrap_or(usize::MAX);
    flat(items)
        .map(|(item, _)| {
            let fields = Field::ALL.iter().map(|field| item.value(*field)).collect();
            (item.content.clone(), fields, item.depends_on_uids.iter().flatten().map(place).collect())
        })
        .collect()
}

proptest! {
    #[test]
    fn no_step_of_another_is_lost_or_changed(
        first in steps(), given_away in prop::collection::vec(1_usize..6, 0..3), own in steps(),
        deeds in prop::collection::vec(deed(), 1..8)
    ) {
        let mut world = World::shared();
        let mut last = list(&first);
        prop_assume!(world.try_write("one", &last).is_ok());
        world.part("two", own.iter().map(|(word, status)| {
            json!({ "content": format!("{} of two", WORDS[*word]), "status": STATUSES[*status], "owner": "codex 2" })
        }).collect()).expect("it is well formed");
        for at in given_away {
            let _ = world.set(&at.to_string(), json!({ "owner": "codex 2" }));
        }
        let before = world.hidden();
        for deed in &deeds {
            take(&mut world, deed, &mut last);
            let after = world.hidden();
            // A step can only come to be another's by what its owner's list says.
            prop_assert_eq!(after.len(), before.len());
            for (was, is) in before.iter().zip(&after) {
                let same = |was: &Item, is: &Item| was.is_as(is) && was.waiting == is.waiting;
                let waits = was.depends_on_uids.iter().flatten().next().is_some();
                prop_assert!(was.is_as(is) && (waits || same(was, is)), "{:?} became {:?}", was, is);
                prop_assert_eq!(&was.subtasks, &is.subtasks);
            }
            let known = world.list.callers["one"].known_list.clone().unwrap_or_default();
            if !matches!(deed, Deed::Send(_)) {
                prop_assert!(known.iter().all(|item| item.owner.is_none()));
            }
        }
    }

    #[test]
    fn every_other_step_behaves_as_if_they_were_not_there(
        first in steps(), own in steps(), at in 0_usize..6, deeds in prop::collection::vec(deed(), 1..8)
    ) {
        let (mut shared, mut alone) = (World::shared(), World::shared());
        let mut last = list(&first);
        for world in [&mut shared, &mut alone] {
            prop_assume!(world.try_write("one", &last).is_ok());
        }
        // Among the steps of the one, and with the same words.
        for (word, status) in &own {
            let at = (at % (shared.list.items.len() + 1) + 1).to_string();
            let mut draft = Draft::new(WORDS[*word]);
            draft.status = crate::Status::Pending;
            draft.owner = Some("codex 2".to_owned());
            let by = crate::By::Agent { caller: "two".to_owned() };
            let position = crate::Position::parse(&at).expect("a number");
            shared.change(crate::Change::Add { position, drafts: vec![draft], by }).expect("there is that place");
            let _ = status;
        }
        let mut again = last.clone();
        for deed in &deeds {
            take(&mut shared, deed, &mut last);
            take(&mut alone, deed, &mut again);
            prop_assert_eq!(seen(&shared.given("one")), seen(&alone.given("one")));
        }
    }

    #[test]
    fn a_step_that_is_nobodys_again_is_there_again(
        first in steps(), at in 1_usize..6, meanwhile in prop::collection::vec((any::<bool>(), any::<bool>()), 0..4),
        restarts in any::<bool>()
    ) {
        let mut world = World::shared();
        let whole = list(&first);
        prop_assume!(world.try_write("one", &whole).is_ok());
        let Some(uid) = world.list.items.get(at - 1).filter(|item| !item.status.is_terminal()).map(|item| item.uid) else {
            return Ok(());
        };
        world.assign(&at.to_string(), Some("codex 2"));
        let before = world.item_by(uid).clone();
        let mut obeys = first;
        obeys.remove(at - 1);
        // A step that waits for it would name nothing.
        let without: Value = obeys.iter().map(|(word, _)| json!({ "content": WORDS[*word] })).collect();
        for (hears, leaves_out) in &meanwhile {
            if *hears {
                world.hear("one");
            }
            let _ = world.send("one", if *leaves_out { &without } else { &whole });
        }
        if meanwhile.iter().all(|(hears, _)| !hears) {
            world.hear("one");
        }
        if restarts {
            world.restart();
        }
        world.hear("two");
        let position = world.list.items.iter().position(|item| item.uid == uid).expect("it is not lost") + 1;
        world.assign(&position.to_string(), None);
        // Its owner of before heard of it; the one did not yet, and leaves it out as it was told.
        let queued: Vec<Uuid> = world.list.edits.iter().map(|edit| edit.id).collect();
        world.list.delivered("two", Some(world.list.items.clone()), &queued, None, Timestamp::UNIX_EPOCH);
        world.send("one", &without);
        let now = world.item_by(uid);
        prop_assert_eq!((&now.content, now.status), (&before.content, before.status));
        world.hear("one");
        let known = world.list.callers["one"].known_list.as_deref().map_or(&[][..], Vec::as_slice);
        prop_assert!(known.iter().any(|item| item.uid == uid), "it is shown again");
    }
}
