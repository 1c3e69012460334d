//! Several writers at once: whatever the interleaving, there is one order, and it is the same for everybody.

use super::{World, agent, labelled, todos};
use futures_util::StreamExt;
use proptest::prelude::*;
use protocol::{
    Backend, Caller, Edited, Event, ExportFormat, Reply, Request, SessionExport, SessionGet, SessionImport,
    SessionRevisions, Subscription, TodoAdd, TodoClear, TodoDelete, TodoDelivered, TodoEdit, TodoMove, TodoSetStatus,
    TodoUndo, TodoWrite, Transport,
};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex};
use todo::Item;
use todo::list::flat;

/// A step of somebody. Positions may not exist by then: a refused step changes nothing.
#[derive(Debug, Clone)]
enum Step {
    Add(String),
    Delete(String),
    Set(String, &'static str),
    Edit(String),
    Move(String, String),
    Clear,
    Undo,
    /// An agent sends its list of these words, and hears the answer or not.
    Write(Vec<usize>, bool),
    /// It heard the answer to what was asked at that place.
    Hear(usize),
}

const WORDS: [&str; 6] = ["Read", "Plan", "Write the tests", "Fix", "Deploy", "Measure"];

fn position() -> impl Strategy<Value = String> {
    prop_oneof![(1_usize..6).prop_map(|at| at.to_string()), Just("last".to_owned()), Just("1.last".to_owned())]
}

fn edits() -> impl Strategy<Value = Vec<Step>> {
    let status = prop::sample::select(vec!["pending", "in_progress", "completed", "blocked"]);
    let step = prop_oneof![
        4 => position().prop_map(Step::Add),
        3 => position().prop_map(Step::Delete),
        2 => (position(), status).prop_map(|(at, status)| Step::Set(at, status)),
        1 => position().prop_map(Step::Edit),
        2 => (position(), position()).prop_map(|(from, to)| Step::Move(from, to)),
        1 => Just(Step::Clear),
        3 => Just(Step::Undo),
    ];
    prop::collection::vec(step, 1..6)
}

fn lists() -> impl Strategy<Value = Vec<Step>> {
    let list = prop::collection::vec(0..WORDS.len(), 0..5);
    prop::collection::vec((list, any::<bool>()).prop_map(|(words, hears)| Step::Write(words, hears)), 1..5)
}

/// Everybody at work: two windows, a terminal, two agents.
fn work() -> impl Strategy<Value = Vec<(Caller, Vec<Step>)>> {
    (edits(), edits(), edits(), lists(), lists()).prop_map(|(one, two, three, four, five)| {
        vec![
            (Caller::user(Transport::Window, "window"), one),
            (Caller::user(Transport::Page, "page"), two),
            (Caller::user(Transport::Cli, "cli"), three),
            (agent("one"), four),
            (labelled("two"), five),
        ]
    })
}

fn request(session_id: &str, step: &Step, name: &str) -> Request {
    let session_id = session_id.to_owned();
    match step.clone() {
        Step::Add(at) => {
            TodoAdd { session_id, label: None, position: Some(at), content: name.to_owned(), fields: Map::new() }.into()
        }
        Step::Delete(at) => TodoDelete { session_id, position: Some(at), uid: None }.into(),
        Step::Set(at, status) => {
            let status = status.to_owned();
            TodoSetStatus { session_id, position: Some(at), status, ..TodoSetStatus::default() }.into()
        }
        Step::Edit(at) => {
            let fields = json!({ "content": name, "priority": "high" }).as_object().cloned().unwrap_or_default();
            TodoEdit { session_id, position: Some(at), uid: None, fields }.into()
        }
        Step::Move(from, to) => TodoMove { session_id, position: Some(from), uid: None, to }.into(),
        Step::Clear => TodoClear { session_id }.into(),
        Step::Undo => TodoUndo { session_id, edit_id: None }.into(),
        Step::Hear(_) => unreachable!("it is made of an answer"),
        Step::Write(words, _) => {
            let words: Vec<&str> = words.iter().map(|word| WORDS[*word]).collect();
            TodoWrite { session_id: Some(session_id), todos: todos(&words), ..TodoWrite::default() }.into()
        }
    }
}

/// Something that was asked, in the order in which all asked.
#[derive(Debug, Clone)]
struct Asked {
    caller: Caller,
    step: Step,
    name: String,
}

/// The result of a step: the revision, and the list in the answer; `None` where it was refused or changed nothing.
type StepResult = Option<(u64, Vec<Item>)>;

/// Everybody's way to the hub, which notes the order of the calls.
#[derive(Default)]
struct Desk {
    asked: Mutex<Vec<Asked>>,
    /// The edits in the answer to each write, by the place of that write.
    told: Mutex<BTreeMap<usize, TodoDelivered>>,
}

impl Desk {
    /// Asks; gives the place in the order, and what came of it.
    async fn ask(&self, world: &World, id: &str, asked: Asked) -> (usize, StepResult) {
        let request = match asked.step {
            Step::Hear(write) => self.told.lock().expect("nobody panicked")[&write].clone().into(),
            _ => request(id, &asked.step, &asked.name),
        };
        let (place, answer) = {
            // The hub takes changes in the order of the calls, not of the first polls.
            let mut order = self.asked.lock().expect("nobody panicked");
            order.push(asked.clone());
            (order.len() - 1, world.hub().call(asked.caller.clone(), request))
        };
        let outcome = match answer.await {
            Ok(Reply::TodoWrite(written)) => {
                let told = TodoDelivered {
                    session_id: id.to_owned(),
                    revision: Some(written.revision),
                    edits: written.edits.iter().map(|edit| edit.edit_id.clone()).collect(),
                    tool_call: None,
                };
                self.told.lock().expect("nobody panicked").insert(place, told);
                Some((written.revision, written.todos))
            }
            Ok(Reply::TodoDelivered(_)) | Err(_) => None,
            Ok(reply) => {
                let Edited { revision, todos, edit_id, .. } = reply.into_edited().expect("an edit");
                (!edit_id.is_empty()).then_some((revision, todos))
            }
        };
        (place, outcome)
    }
}

/// A list without what differs between two runs: uids and times.
fn plain(items: &[Item]) -> Vec<Value> {
    let plain = |item: &Item| json!([item.content, item.status, item.priority, item.origin, plain(&item.subtasks)]);
    items.iter().map(plain).collect()
}

/// Reads all events that are there, and keeps the lists by revision; they come in ascending order.
async fn read(mut subscription: Subscription, id: String, last: u64) -> (BTreeMap<u64, Vec<Item>>, bool) {
    let mut lists = BTreeMap::new();
    let mut ascending = true;
    let mut newest = 0;
    for session in subscription.snapshot.sessions.iter().filter(|session| session.session.session_id == id) {
        newest = session.session.revision;
        lists.insert(newest, session.todos.clone());
    }
    while newest < last {
        let Some(event) = subscription.events.next().await else { break };
        if let Event::TodoUpdate(update) = event.event()
            && update.session_id == id
        {
            ascending &= update.revision >= newest;
            newest = update.revision;
            lists.insert(newest, update.todos.clone());
        }
    }
    (lists, ascending)
}

async fn check(work: Vec<(Caller, Vec<Step>)>) -> Result<(), TestCaseError> {
    let world = Arc::new(World::new().await);
    let first = TodoWrite { session: Some("shared".to_owned()), todos: todos(&WORDS[..3]), ..TodoWrite::default() };
    let id = world.ask(&labelled("two"), first.clone()).await.expect("it is written").session_id;
    let early = world.hub().subscribe(None).await.expect("it subscribes");

    let desk = Arc::new(Desk::default());
    let barrier = Arc::new(tokio::sync::Barrier::new(work.len()));
    let mut writers = Vec::new();
    for (caller, steps) in work {
        let (world, desk, id, barrier) = (world.clone(), desk.clone(), id.clone(), barrier.clone());
        writers.push(tokio::spawn(async move {
            barrier.wait().await;
            let mut outcomes = Vec::new();
            for (at, step) in steps.into_iter().enumerate() {
                let hears = matches!(step, Step::Write(_, true));
                let asked = Asked { name: format!("{} {at}", caller.client), caller: caller.clone(), step };
                let (place, outcome) = desk.ask(&world, &id, asked.clone()).await;
                if hears && outcome.is_some() {
                    outcomes.push(desk.ask(&world, &id, Asked { step: Step::Hear(place), ..asked }).await);
                }
                outcomes.push((place, outcome));
            }
            outcomes
        }));
    }
    let middle = world.hub().subscribe(None).await.expect("it subscribes");
    let mut outcomes = BTreeMap::new();
    for writer in writers {
        outcomes.extend(writer.await.expect("nobody panicked"));
    }

    // One order, that of the calls, without gaps; each was answered with the list that its own revision made.
    let user = Caller::user(Transport::Window, "reader");
    let ask = SessionRevisions { session_id: id.clone(), limit: Some(500), ..SessionRevisions::default() };
    let revisions = world.ask(&user, ask).await.expect("they are kept").revisions;
    let last = revisions.first().map_or(0, |newest| newest.revision);
    let numbers: Vec<u64> = revisions.iter().rev().map(|revision| revision.revision).collect();
    prop_assert_eq!(numbers, (1..=last).collect::<Vec<_>>(), "revisions have no gaps");
    let asked = desk.asked.lock().expect("nobody panicked").clone();
    let mut made = 1;
    for (place, outcome) in &outcomes {
        let Some((revision, _)) = outcome else { continue };
        let repeats = matches!(asked[*place].step, Step::Write(..)) && *revision == made;
        prop_assert!(repeats || *revision == made + 1, "each change is one revision, in the order of the calls");
        made = *revision;
    }
    prop_assert_eq!(made, last);
    let mut kept = BTreeMap::new();
    for revision in 1..=last {
        let ask = SessionGet { session_id: id.clone(), revision: Some(revision) };
        kept.insert(revision, world.ask(&user, ask).await.expect("it is kept").todos);
    }
    for (revision, items) in outcomes.values().flatten() {
        prop_assert_eq!(&kept[revision], items, "revision {} was answered with its own list", revision);
        let uids: Vec<_> = flat(items).map(|(item, _)| item.uid).collect();
        prop_assert_eq!(uids.iter().collect::<HashSet<_>>().len(), uids.len(), "no item is there twice");
    }

    // Everybody sees that order, whenever they came.
    let late = world.hub().subscribe(None).await.expect("it subscribes");
    for subscription in [early, middle, late] {
        let (lists, ascending) = read(subscription, id.clone(), last).await;
        prop_assert!(ascending, "no update comes after a later one");
        prop_assert_eq!(lists.keys().next_back(), Some(&last), "all saw the last");
        for (revision, items) in lists {
            prop_assert_eq!(&kept[&revision], &items, "revision {} is the same for all", revision);
        }
    }

    // It is as if they had come one after the other: so asked again, each makes the same list.
    let (alone, again) = (World::new().await, Desk::default());
    let new = alone.ask(&labelled("two"), first).await.expect("it is written").session_id;
    for (place, asked) in asked.into_iter().enumerate() {
        let (_, outcome) = again.ask(&alone, &new, asked.clone()).await;
        let plain = |outcome: &StepResult| outcome.as_ref().map(|(revision, items)| (*revision, plain(items)));
        prop_assert_eq!(plain(&outcome), plain(&outcomes[&place]), "{:?} of {}", asked.step, asked.name);
    }
    alone.running.stop().await;
    Arc::into_inner(world).expect("all writers are done").running.stop().await;
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn writers_at_once_end_in_one_order_that_everybody_sees(work in work()) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(3).enable_all().build();
        runtime.expect("a runtime").block_on(check(work))?;
    }
}

// D3
#[tokio::test]
async fn an_export_beside_a_writer_is_of_one_moment() {
    let (world, elsewhere) = (World::new().await, World::new().await);
    let codex = agent("one");
    let id = world.write(&codex, todos(&["Read"])).await.session_id;
    let hub = world.hub().clone();
    let writer = tokio::spawn(async move {
        for at in 0..200 {
            let todos = todos(&["Read", "Fix", "Ship"][..at % 4]);
            hub.call(codex.clone(), TodoWrite { todos, ..TodoWrite::default() }.into()).await.expect("it is written");
        }
    });
    let mut revisions = HashSet::new();
    while !writer.is_finished() {
        let ask = SessionExport { session_id: id.clone(), format: ExportFormat::Json, ..SessionExport::default() };
        let text = world.ask(&super::user(), ask).await.expect("it is exported").text;
        let file: Value = serde_json::from_str(&text).expect("JSON");
        revisions.insert(file["sessions"][0]["revision"].as_u64());
        // The import refuses a file that is not of one moment.
        let imported = elsewhere
            .ask(&super::user(), SessionImport { text, check: true, ..SessionImport::default() })
            .await
            .expect("it is whole");
        assert_eq!(imported.sessions.len(), 1);
    }
    writer.await.expect("it wrote");
    assert!(!revisions.is_empty());
    world.running.stop().await;
    elsewhere.running.stop().await;
}
