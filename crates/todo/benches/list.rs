//! Reading, changing and merging lists of 30 and of 256 items: eight times the items may cost 15 times as much, so
//! that nothing compares all with all. `cargo xtask bench --list` prints the ratios.
#![allow(missing_docs, reason = "criterion's macros make public functions")]

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::hint::black_box;
use todo::text::{Tokens, read_markdown, read_xml, write_markdown, write_tokens, write_xml};
use todo::{By, CallerMemory, Change, Draft, List, Position, Positions, Stamp, Target, apply};
use uuid::Uuid;

const SIZES: [usize; 2] = [30, 256];

const VERBS: [&str; 8] = ["Read", "Plan", "Write", "Fix", "Measure", "Move", "Review", "Document"];
const OBJECTS: [&str; 9] = [
    "the parser of the configuration",
    "the tests of the retry loop",
    "how sessions are resumed",
    "the migration of the history table",
    "the error that a closed socket gives",
    "the table of contents",
    "the colours of the dark theme",
    "the request limits per key",
    "the notes for the release",
];

/// A plan as an agent sends it: every eighth item with subtasks, every third waiting for another.
fn todos(size: usize) -> Value {
    let content = |at: usize| {
        let (verb, object) = (VERBS[at % VERBS.len()], OBJECTS[at % OBJECTS.len()]);
        format!("{verb} {object} in module {}, and see that the callers still work", at / 4)
    };
    (0..size)
        .map(|at| {
            let status = if at < size / 2 { "completed" } else { "pending" };
            let priority = ["high", "medium", "low"][at % 3];
            let mut item = json!({
                "id": format!("{}", at + 1), "content": content(at), "status": status,
                "activeForm": format!("Working on step {}", at + 1), "priority": priority,
            });
            if at % 3 == 2 {
                item["dependsOn"] = json!([format!("{at}")]);
                item["estimate"] = json!("30min");
            }
            if at % 8 == 0 {
                item["subtasks"] = json!([{ "content": "Look at what is there" }, { "content": "Decide" }]);
            }
            item
        })
        .collect()
}

/// A list as two agents and a user left it: the agent was told of it, and the user changed some of it since.
fn worked_on(size: usize) -> List {
    let mut list = write(&List::default(), &todos(size));
    told(&mut list);
    let target = |at: &str| Target::At(Positions::parse(at).expect("it is a position"));
    let client = || "me".to_owned();
    let patch = Box::new(Draft::patch(&json!({ "priority": "high", "notes": "first" }), "todo.edit").expect("a patch"));
    let edits = [
        Change::Set { target: target("7"), patch, by: By::User { client: client() } },
        Change::Delete { target: target("9"), client: client() },
        Change::Move { target: target("last"), to: Position::at(4), client: client() },
        add("12"),
    ];
    for edit in edits {
        list = done(&list, edit);
    }
    list
}

fn told(list: &mut List) {
    let items = list.items.clone();
    let memory: &mut CallerMemory = list.callers.entry("one".to_owned()).or_default();
    memory.known_list = Some(items.into());
}

fn write(list: &List, todos: &Value) -> List {
    let drafts = Draft::list(todos).expect("the list is well formed");
    done(list, Change::Replace { caller: "one".to_owned(), drafts })
}

fn add(position: &str) -> Change {
    Change::Add {
        position: Position::parse(position).expect("it is a position"),
        drafts: vec![Draft::new("Ask what the users say")],
        by: By::User { client: "me".to_owned() },
    }
}

fn done(list: &List, change: Change) -> List {
    let mut given = u128::from(list.revision) << 64;
    let mut uid = || {
        given += 1;
        Uuid::from_u128(given)
    };
    let mut stamp = Stamp { now: Timestamp::UNIX_EPOCH, uid: &mut uid };
    apply(list, change, &mut stamp).expect("the change is taken").list
}

fn parse(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("parse");
    for size in SIZES {
        let todos = todos(size);
        let items = write(&List::default(), &todos).items;
        let json = todos.to_string();
        group.bench_function(BenchmarkId::new("json", size), |bencher| {
            bencher.iter(|| Draft::list(&serde_json::from_str(black_box(&json)).expect("it is JSON")));
        });
        let block = format!("Here is the plan.\n{}\nI begin with the first step.\n", write_tokens(&items));
        group.bench_function(BenchmarkId::new("tokens", size), |bencher| {
            bencher.iter(|| {
                let mut found = Vec::new();
                let mut reader = Tokens::new();
                // As a model's output comes: a few characters at a time.
                for piece in block.as_bytes().chunks(6) {
                    reader.push_bytes(black_box(piece), &mut found);
                }
                reader.finish(&mut found);
                found
            });
        });
        let xml = write_xml(&items);
        group.bench_function(BenchmarkId::new("xml", size), |bencher| bencher.iter(|| read_xml(black_box(&xml))));
        let checklist = write_markdown(&items);
        group.bench_function(BenchmarkId::new("markdown", size), |bencher| {
            bencher.iter(|| read_markdown(black_box(&checklist)));
        });
    }
}

fn changes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("apply");
    for size in SIZES {
        let list = worked_on(size);
        let middle = || Target::At(Positions::from(Position::at(size / 2)));
        let client = || "me".to_owned();
        let patch = Draft::patch(&json!({ "status": "in_progress" }), "todo.edit").expect("a patch");
        let mut measure = |name: &str, change: &dyn Fn() -> Change| {
            group.bench_function(BenchmarkId::new(name, size), |bencher| {
                bencher.iter_batched(change, |change| done(black_box(&list), change), BatchSize::SmallInput);
            });
        };
        measure("add", &|| add(&(size / 2).to_string()));
        measure("set", &|| Change::Set {
            target: middle(),
            patch: Box::new(patch.clone()),
            by: By::User { client: client() },
        });
        measure("move", &|| Change::Move { target: middle(), to: Position::at(size / 4), client: client() });
        measure("delete", &|| Change::Delete { target: middle(), client: client() });
    }
}

fn merge(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("merge");
    for size in SIZES {
        let mut list = worked_on(size);
        told(&mut list);
        let mut moved_on = todos(size);
        moved_on[size / 2]["status"] = json!("in_progress");
        let mut reordered = todos(size);
        if let Value::Array(items) = &mut reordered {
            items.rotate_left(size / 3);
            items.swap(2, size - 3);
        }
        // Without ids, so that texts decide what is what.
        let mut renamed = todos(size);
        for item in renamed.as_array_mut().into_iter().flatten() {
            item.as_object_mut().map(|item| item.remove("id"));
        }
        for at in (0..size).step_by(2) {
            let content = renamed[at]["content"].as_str().unwrap_or_default();
            renamed[at]["content"] = json!(content.replace("see that the callers still work", "tell the others"));
        }
        for (name, todos) in [("one_moved_on", moved_on), ("reordered", reordered), ("half_renamed", renamed)] {
            let drafts = Draft::list(&todos).expect("the list is well formed");
            let change = || Change::Replace { caller: "one".to_owned(), drafts: drafts.clone() };
            group.bench_function(BenchmarkId::new(name, size), |bencher| {
                bencher.iter_batched(change, |change| done(black_box(&list), change), BatchSize::SmallInput);
            });
        }
    }
}

criterion_group!(benches, parse, changes, merge);
criterion_main!(benches);
