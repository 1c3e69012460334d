//! Limits of the model's own lists (requirements T12, K3).

use super::world::{World, in_other_words, step};
use super::{settings, working, world};
use crate::fsm::list::needs_verification;
use crate::fsm::tame::preview;
use proptest::prelude::*;
use rstest::rstest;
use todo::{Change, Draft, Field, Item, Status};
use uuid::Uuid;

fn list(drafts: Vec<Draft>) -> Change {
    Change::Replace { caller: "agent".to_owned(), drafts }
}

fn part(drafts: Vec<Draft>) -> Change {
    Change::Merge { caller: "agent".to_owned(), drafts }
}

fn active(items: &[Item]) -> Vec<&Item> {
    items.iter().filter(|item| item.status == Status::InProgress).collect()
}

/// `A doing`, `A! completed`: the words and the status of a draft that says no more.
fn draft(words: &str) -> Draft {
    let (text, status) = words.split_once(' ').unwrap_or((words, "pending"));
    let given = [Field::Content, Field::Status].into_iter().collect();
    Draft { given, ..step(text).with_status(Status::from_word(status)) }
}

/// The list after the model has sent these drafts.
fn sends(world: &mut World, change: fn(Vec<Draft>) -> Change, words: &str) -> String {
    let mut change = change(words.split(", ").map(draft).collect());
    world.machine.tame(&world.list, &mut change);
    world.apply(change);
    world.items()
}

#[rstest]
#[case::its_own_stays(list, "A doing, B doing, C doing", "A in_progress, B pending, C pending")]
#[case::wherever_it_stands(list, "C doing, B doing, A doing", "C pending, B pending, A in_progress")]
#[case::on_to_the_next(list, "A completed, B doing, C doing", "A completed, B in_progress, C pending")]
#[case::called_otherwise(list, "C doing, a. doing, B", "C pending, a. in_progress, B pending")]
#[case::a_new_one_waits(list, "D doing, A doing, B, C", "D pending, A in_progress, B pending, C pending")]
#[case::twice_the_same(list, "A doing, A doing", "A in_progress, A pending")]
#[case::its_own_is_not_in_the_part(part, "B doing, C doing", "A in_progress, B pending, C pending")]
#[case::a_part_with_new_ones(
    part,
    "A completed, D doing, E doing",
    "A completed, B pending, C pending, D in_progress, E pending"
)]
fn one_is_in_progress(#[case] change: fn(Vec<Draft>) -> Change, #[case] words: &str, #[case] then: &str) {
    assert_eq!(sends(&mut working("A, B, C"), change, words), then);
}

// T12: its own is not done by that, and corrections in progress beside nothing else.
#[rstest]
#[case::and_goes_on(list, "A completed, B doing", "A in_progress, B pending")]
#[case::in_other_words(list, "B doing, a. completed", "B pending, a. in_progress")]
#[case::in_part(part, "A completed, B doing", "A in_progress, B pending")]
#[case::one_that_is_not_begun(list, "A doing, B completed", "A in_progress, B completed")]
fn what_needs_verification(#[case] change: fn(Vec<Draft>) -> Change, #[case] words: &str, #[case] then: &str) {
    assert_eq!(sends(&mut working("A!, B"), change, words), then);
}

#[test]
fn a_status_of_other_words_comes_back_with_them() {
    let mut world = world().with("A! on-hold, B");
    let mut raw = draft("A! on-hold");
    raw.status_raw = Some("on-hold".to_owned());
    world.apply(list(vec![raw, draft("B")]));
    assert_eq!(sends(&mut world, list, "A completed, B"), "A unknown, B pending");
    assert_eq!(world.list.items.first().and_then(|item| item.status_raw.as_deref()), Some("on-hold"));
}

// The user begins B, of which the machine has not heard yet. As long as B is in progress the list takes A for pending.
#[test]
fn what_the_first_look_brings_out_the_second_takes_out() {
    let mut world = working("C!, B blocked, A");
    world.event("user B in_progress");
    sends(&mut world, list, "C completed, B doing, A doing");
    let active: Vec<&str> = active(&world.list.items).iter().map(|item| item.content.as_str()).collect();
    assert_eq!(active, ["C"]);
}

/// The hub's writer waits for this: what it takes does not grow with the items.
#[rstest]
#[case::whole(list, false)]
#[case::part(part, false)]
#[case::all_to_be_verified(list, true)]
fn a_list_is_looked_at_a_few_times(#[case] change: fn(Vec<Draft>) -> Change, #[case] held: bool) {
    let text = |at: usize| format!("Step {at}{}", if held { "!" } else { "" });
    let all = |status: Status| (0..256).map(|at| draft(&text(at).replace(' ', "-")).with_status(status)).collect();
    let mut world = world();
    if held {
        world.apply(list(all(Status::InProgress)));
    }
    let mut change = change(all(if held { Status::Completed } else { Status::InProgress }));
    let mut looks = 0;
    world.machine.tame_by(&world.list, &mut change, &mut |list, change| {
        looks += 1;
        preview(list, change)
    });
    assert!(looks <= 2, "{looks}");
    world.apply(change);
    assert_eq!((world.list.items.len(), active(&world.list.items).len()), (256, 1));
}

const TEXTS: [&str; 6] = ["A", "B!", "C", "D!", "E", "F"];
const STATUSES: [&str; 6] = ["pending", "in_progress", "completed", "blocked", "skipped", "on-hold"];

/// A text, how it is said, and a status; in progress more often than anything else.
type Word = (usize, usize, usize);

fn words() -> impl Strategy<Value = Vec<Word>> {
    let status = prop_oneof![3 => Just(1), 2 => 0..STATUSES.len()];
    prop::collection::vec((0..TEXTS.len(), 0_usize..4, status), 0..9)
}

/// Something that makes the list what it is.
#[derive(Debug, Clone)]
enum Deed {
    /// This caller writes: the whole, or a part.
    Writes(bool, bool, Vec<Word>),
    /// The user sets a status, or takes an item away.
    Sets(usize, usize),
    Deletes(usize),
    /// The model was told the list.
    Told,
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        4 => (any::<bool>(), any::<bool>(), words()).prop_map(|(agent, whole, words)| Deed::Writes(agent, whole, words)),
        4 => (0_usize..6, 0_usize..3).prop_map(|(at, status)| Deed::Sets(at, status)),
        1 => (0_usize..6).prop_map(Deed::Deletes),
        2 => Just(Deed::Told),
    ]
}

fn drafts(world: &World, words: &[Word]) -> Vec<Draft> {
    let said = words.iter().map(|(text, form, status)| {
        let fresh = draft(&format!("{} {}", TEXTS[*text], STATUSES[*status]));
        let known = world.list.items.iter().find(|item| item.content == fresh.content);
        match (form, known) {
            (0, Some(item)) => Draft { uid: Some(item.uid), ..fresh },
            (1, Some(item)) => Draft { id: Some(item.id.clone()), ..fresh },
            (2, _) => in_other_words(fresh),
            _ => fresh,
        }
    });
    said.collect()
}

fn takes(world: &mut World, deed: &Deed) {
    let user = || "window".to_owned();
    let uid = |at: usize| world.list.items.get(at).map(|item| todo::Target::Uids(vec![item.uid]));
    let change = match deed {
        Deed::Writes(is_agent, is_whole, words) => {
            let caller = if *is_agent { "agent" } else { "other" }.to_owned();
            let drafts = drafts(world, words);
            Some(if *is_whole { Change::Replace { caller, drafts } } else { Change::Merge { caller, drafts } })
        }
        Deed::Sets(at, status) => uid(*at).map(|target| {
            let patch = serde_json::json!({ "status": STATUSES[*status] });
            let patch = Box::new(Draft::patch(&patch, "status").expect("it is a status"));
            Change::Set { target, patch, by: todo::By::User { client: user() } }
        }),
        Deed::Deletes(at) => uid(*at).map(|target| Change::Delete { target, client: user() }),
        Deed::Told => {
            let items = world.list.items.clone();
            world.list.callers.entry("agent".to_owned()).or_default().known_list = Some(items.into());
            None
        }
    };
    change.into_iter().for_each(|change| world.apply(change));
}

proptest! {
    /// Whatever the list is and whoever has made it so, in the turn for one of its items or without one.
    #[test]
    fn nothing_is_too_much(
        deeds in prop::collection::vec(deed(), 0..8),
        item in 0_usize..8,
        is_whole in any::<bool>(),
        words in words(),
    ) {
        let mut world = World::of(settings());
        deeds.iter().for_each(|deed| takes(&mut world, deed));
        let before = world.list.items.clone();
        world.machine.list = world.snapshot();
        world.machine.run.item = before.get(item).map(|item| item.uid);

        let mut change = if is_whole { list } else { part }(drafts(&world, &words));
        world.machine.tame(&world.list, &mut change);
        let mut again = change.clone();
        prop_assert_eq!(world.machine.tame(&world.list, &mut again), None);
        prop_assert_eq!(&again, &change, "there is nothing left to take out");

        world.apply(change);
        let was = |uid: Uuid| before.iter().find(|item| item.uid == uid);
        for item in world.list.items.iter().filter(|item| item.status == Status::Completed) {
            let held = was(item.uid).is_some_and(|was| needs_verification(was) && !was.status.is_terminal());
            prop_assert!(!held, "\"{}\" was not verified", item.content);
        }
        let active = active(&world.list.items);
        let begun = active.iter().any(|item| was(item.uid).is_none_or(|was| was.status != Status::InProgress));
        prop_assert!(active.len() <= 1 || !begun, "{:?}", active);
    }
}
