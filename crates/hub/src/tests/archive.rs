//! The archive: pages, search, deleting and bringing back, retention, export and import.

use super::{World, agent, user};
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use protocol::{
    ArchiveInsight, ArchiveStatus, Code, ExportFormat, Retention, SessionDelete, SessionExport, SessionFilter,
    SessionGet, SessionImport, SessionList, SessionLoad, SessionMark, SessionRevisions, SessionSearch, SessionUndelete,
    SettingsUpdate, TodoEdit, TodoManage, TodoWrite,
};
use rstest::rstest;
use serde_json::{Value, json};

/// A hub with one session each of these agents, a day apart, none of them current.
async fn with_sessions(names: &[&str]) -> World {
    let world = World::new().await;
    for name in names {
        world
            .write(
                &agent(name),
                json!([{ "content": format!("Fix {name}"), "status": "in_progress" }, { "content": "Test" }]),
            )
            .await;
        world.pass(24 * 60);
    }
    world
}

async fn listed(world: &World, filter: SessionFilter) -> Vec<String> {
    let mut ids = Vec::new();
    let mut cursor = None;
    loop {
        let ask = SessionList { cursor, limit: Some(2), filter: filter.clone() };
        let page = world.ask(&user(), ask).await.expect("a page");
        ids.extend(page.sessions.into_iter().map(|session| session.session_id));
        cursor = page.next_cursor;
        if cursor.is_none() {
            return ids;
        }
    }
}

async fn found(world: &World, query: &str) -> Vec<(String, u64)> {
    let ask = SessionSearch { query: query.to_owned(), ..SessionSearch::default() };
    let found = world.ask(&user(), ask).await.expect("an answer");
    found.results.into_iter().map(|hit| (hit.snippet, hit.revision)).collect()
}

async fn id_of(world: &World, connection: &str) -> String {
    let ask = SessionGet::default();
    world.ask(&agent(connection), ask).await.expect("its session").session.session_id
}

#[tokio::test]
async fn what_is_searched_for_is_found_at_the_revision_in_which_it_was_said() {
    let world = World::new().await;
    let me = agent("one");
    world.write(&me, json!([{ "id": "a", "content": "Read the résumé parser", "notes": "see ticket 4711" }])).await;
    world.write(&me, json!([{ "id": "a", "content": "Write the lexer" }, { "content": "Ship" }])).await;
    world
        .write(&me, json!([{ "id": "a", "content": "Write the lexer", "status": "completed" }, { "content": "Ship" }]))
        .await;
    assert_eq!(found(&world, "resume pars").await, [("Read the résumé parser".to_owned(), 1)]);
    assert_eq!(found(&world, "4711").await, [("see ticket 4711".to_owned(), 1)]);
    assert_eq!(found(&world, "LEXER").await, [("Write the lexer".to_owned(), 3)]);
    assert_eq!(found(&world, "\"the lexer\"").await.len(), 1);
    assert_eq!(found(&world, "\"lexer the\"").await, []);
    assert_eq!(found(&world, "lexer OR parser").await.len(), 1, "one hit of each session");
    assert_eq!(found(&world, "billing").await, [("/home/me/billing".to_owned(), 3)], "by its folder");
    let ask = SessionSearch { query: "résu".to_owned(), ..SessionSearch::default() };
    let hit = world.ask(&user(), ask).await.expect("an answer").results.remove(0);
    let parts: Vec<(&str, bool)> = hit.parts.iter().map(|part| (part.text.as_str(), part.hit)).collect();
    assert_eq!(parts, [("Read the ", false), ("résumé", true), (" parser", false)]);
    assert!(hit.uid.is_some());
}

#[rstest]
#[case("\"")]
#[case("fix AND")]
#[case("OR")]
#[case("(fix OR")]
#[case("NEAR(")]
#[case("NOT")]
#[case("content:fix AND nothing:x")]
#[case("{a} : ^b AND *")]
#[case("'; DROP TABLE sessions; --")]
#[case("\u{0}\u{1}")]
#[case("🎉 → ")]
#[tokio::test]
async fn whatever_is_typed_is_no_error(#[case] query: &str) {
    let world = with_sessions(&["one"]).await;
    found(&world, query).await;
    found(&world, &query.repeat(400)).await;
    assert_eq!(found(&world, "fix").await.len(), 1);
}

#[tokio::test]
async fn filters_find_what_they_say_page_by_page() {
    let world = with_sessions(&["a", "b", "c", "d", "e"]).await;
    let all = listed(&world, SessionFilter::default()).await;
    assert_eq!(all.len(), 5);
    let none = SessionFilter { agent: Some("nobody".to_owned()), ..SessionFilter::default() };
    assert_eq!(listed(&world, none).await, [""; 0]);
    let codex = SessionFilter { agent: Some("codex".to_owned()), unfinished: true, ..SessionFilter::default() };
    assert_eq!(listed(&world, codex).await, all);
    world.write(&agent("c"), json!([{ "content": "Fix c", "status": "completed" }])).await;
    let unfinished = SessionFilter { unfinished: true, ..SessionFilter::default() };
    assert_eq!(listed(&world, unfinished).await.len(), 4);
    let begin: Timestamp = Timestamp::from_second(1_700_000_000).expect("a time");
    let days = |count: i64| Some(begin + SignedDuration::from_hours(24 * count));
    let some = SessionFilter { since: days(1), until: days(3), ..SessionFilter::default() };
    assert_eq!(listed(&world, some).await, [all[3].clone()], "the others were heard of at other times");
}

#[tokio::test]
async fn a_deleted_session_is_gone_and_comes_back_as_it_was() {
    let world = with_sessions(&["one", "two"]).await;
    let one = id_of(&world, "one").await;
    let before = world
        .ask(&user(), SessionExport { session_id: one.clone(), format: ExportFormat::Json, ..SessionExport::default() })
        .await
        .expect("it");
    world.ask(&user(), SessionDelete { session_id: one.clone(), for_good: false }).await.expect("deleted");
    assert_eq!(listed(&world, SessionFilter::default()).await.len(), 1);
    assert_eq!(found(&world, "one").await, []);
    let gone =
        world.ask(&user(), SessionGet { session_id: one.clone(), revision: None }).await.expect_err("it is gone");
    assert_eq!(gone.code, Code::SessionNotFound);
    let deleted = SessionFilter { deleted: true, ..SessionFilter::default() };
    assert_eq!(listed(&world, deleted.clone()).await, std::slice::from_ref(&one));

    let world = world.restart().await;
    world.ask(&user(), SessionUndelete { session_id: one.clone() }).await.expect("it is back");
    let after = world
        .ask(&user(), SessionExport { session_id: one.clone(), format: ExportFormat::Json, ..SessionExport::default() })
        .await
        .expect("it");
    assert_eq!(after, before);
    assert_eq!(listed(&world, deleted).await, [""; 0]);
    assert_eq!(found(&world, "one").await.len(), 1);
    let again = world.ask(&user(), SessionUndelete { session_id: one }).await.expect_err("it is not deleted");
    assert_eq!(again.code, Code::SessionNotFound);
}

#[tokio::test]
async fn a_day_after_it_was_deleted_it_is_gone_for_good() {
    let world = with_sessions(&["one", "two"]).await;
    let one = id_of(&world, "one").await;
    world.ask(&user(), SessionDelete { session_id: one.clone(), for_good: false }).await.expect("deleted");
    world.pass(23 * 60);
    world.hub().sweep().await.expect("swept");
    let status = world.ask(&user(), ArchiveStatus::default()).await.expect("how much");
    assert_eq!((status.sessions, status.deleted), (1, 1));
    world.pass(2 * 60);
    world.hub().sweep().await.expect("swept");
    let status = world.ask(&user(), ArchiveStatus::default()).await.expect("how much");
    assert_eq!((status.sessions, status.deleted, status.free_bytes), (1, 0, 0));
    world.ask(&user(), SessionUndelete { session_id: one }).await.expect_err("it is gone");
    assert_eq!(found(&world, "fix").await.len(), 1);
}

#[tokio::test]
async fn what_is_refused_leaves_nothing_behind() {
    let world = World::new().await;
    let todos = json!([{ "content": "Fix" }]);
    let agents = ["one", "two", "three"].map(agent);
    // In one batch with others: what they do stands.
    let (first, refused, second) = tokio::join!(
        world.ask(&agents[0], TodoWrite { todos: todos.clone(), ..TodoWrite::default() }),
        world.ask(
            &agents[1],
            TodoManage {
                session_id: None,
                session: None,
                prove: false,
                action: "complete_multiple".to_owned(),
                fields: json!({ "ids": [9] }).as_object().expect("fields").clone(),
            }
        ),
        world.ask(&agents[2], TodoWrite { todos, ..TodoWrite::default() }),
    );
    refused.expect_err("there is no such step");
    let mut kept = [first.expect("written").session_id, second.expect("written").session_id];
    kept.sort();
    let mut all = listed(&world, SessionFilter::default()).await;
    all.sort();
    assert_eq!(all, kept);
    let world = world.restart().await;
    assert_eq!(listed(&world, SessionFilter::default()).await.len(), 2, "nor on the disk");
}

#[tokio::test]
async fn an_agent_whose_session_was_deleted_begins_another() {
    let world = World::new().await;
    let me = agent("one");
    let before = world.write(&me, json!([{ "content": "Fix" }])).await;
    world
        .ask(&user(), SessionDelete { session_id: before.session_id.clone(), for_good: false })
        .await
        .expect("deleted");
    let after = world.write(&me, json!([{ "content": "Test" }])).await;
    assert_ne!(before.session_id, after.session_id);
    assert_eq!(after.revision, 1);
    world.ask(&user(), SessionUndelete { session_id: before.session_id.clone() }).await.expect("it is back");
    let both = listed(&world, SessionFilter::default()).await;
    assert!(both.contains(&before.session_id) && both.contains(&after.session_id));
}

#[tokio::test]
async fn retention_takes_what_is_old_and_neither_pinned_nor_current() {
    let world = with_sessions(&["a", "b", "c", "d"]).await;
    let pinned = id_of(&world, "a").await;
    world
        .ask(&user(), SessionMark { session_id: pinned.clone(), pinned: Some(true), ..SessionMark::default() })
        .await
        .expect("pinned");
    world.pass(1);
    let kept = Retention { keep_days: 2, ..Retention::default() };
    let status = world.ask(&user(), ArchiveStatus { with: Some(kept) }).await.expect("how much");
    assert_eq!((status.sessions, status.due), (4, 2), "what would go is said before");
    world.hub().sweep().await.expect("swept");
    assert_eq!(listed(&world, SessionFilter::default()).await.len(), 4, "for ever by default");
    world.ask(&user(), SettingsUpdate { keep_days: Some(2), ..SettingsUpdate::default() }).await.expect("set");
    world.hub().sweep().await.expect("swept");
    let left = listed(&world, SessionFilter::default()).await;
    assert_eq!(left.len(), 2);
    assert!(left.contains(&pinned));
    let back = SessionFilter { deleted: true, ..SessionFilter::default() };
    assert_eq!(listed(&world, back).await.len(), 2, "for a day they can be brought back");
}

#[tokio::test]
async fn a_project_has_a_rule_of_its_own() {
    let world = with_sessions(&["a", "b"]).await;
    world.pass(1);
    let projects = |days: u32| Some([("billing".to_owned(), days)].into());
    let left = async || listed(&world, SessionFilter::default()).await.len();
    world
        .ask(&user(), SettingsUpdate { keep_days: Some(1), keep_projects: projects(0), ..SettingsUpdate::default() })
        .await
        .expect("set");
    world.hub().sweep().await.expect("swept");
    assert_eq!(left().await, 2, "this project is kept for ever");
    world.ask(&user(), SettingsUpdate { keep_projects: projects(1), ..SettingsUpdate::default() }).await.expect("set");
    world.hub().sweep().await.expect("swept");
    assert_eq!(left().await, 0);
}

#[tokio::test]
async fn old_revisions_go_and_their_numbers_never_return() {
    let world = World::new().await;
    let me = agent("one");
    for number in 1..=350 {
        world
            .write(&me, json!([{ "id": "a", "content": format!("Step {number}") }, { "id": "b", "content": "Ship" }]))
            .await;
    }
    let id = id_of(&world, "one").await;
    world.ask(&user(), SettingsUpdate { keep_revisions: Some(20), ..SettingsUpdate::default() }).await.expect("set");
    world.hub().sweep().await.expect("swept");
    let get = |revision: u64| SessionGet { session_id: id.clone(), revision: Some(revision) };
    world.ask(&user(), get(1)).await.expect("it is current: nothing goes");
    world.pass(24 * 60);
    world.hub().sweep().await.expect("swept");
    let gone = world.ask(&user(), get(330)).await.expect_err("it is gone");
    assert_eq!(gone.message, "this session has the revisions 331 to 350, not 330");
    let first = world.ask(&user(), get(331)).await.expect("the first that is kept");
    assert_eq!(first.todos.iter().map(|item| item.content.as_str()).collect::<Vec<_>>(), ["Step 331", "Ship"]);
    assert_eq!(found(&world, "\"step 12\"").await, [], "what was said only then is not found");
    assert_eq!(found(&world, "ship").await.len(), 1);
    let revisions = world
        .ask(&user(), SessionRevisions { session_id: id.clone(), limit: Some(500), ..SessionRevisions::default() })
        .await
        .expect("they");
    assert_eq!((revisions.revisions.len(), revisions.revisions[19].revision), (20, 331));
    let next = world.write(&me, json!([{ "id": "a", "content": "Step 351" }])).await;
    assert_eq!(next.revision, 351);
}

#[tokio::test]
async fn a_list_is_loaded_into_the_session_of_a_new_label() {
    let world = World::new().await;
    let written =
        world.write(&agent("one"), json!([{ "content": "Fix", "status": "completed" }, { "content": "Test" }])).await;
    let ask = SessionLoad {
        label: Some("later".to_owned()),
        from: Some(written.session_id.clone()),
        ..SessionLoad::default()
    };
    let loaded = world.ask(&user(), ask.clone()).await.expect("loaded");
    assert_ne!(loaded.session_id, written.session_id);
    let statuses: Vec<&str> = loaded.todos.iter().map(|item| item.status.name()).collect();
    assert_eq!(statuses, ["completed", "pending"]);
    let mut other = agent("two");
    other.agent.as_mut().expect("an agent").label = Some("later".to_owned());
    let read = world.ask(&other, protocol::TodoRead::default()).await.expect("its list");
    assert_eq!((read.session_id, read.todos.len()), (loaded.session_id, 2));
    for wrong in [
        SessionLoad { from: None, ..ask.clone() },
        SessionLoad { session_id: written.session_id.clone(), ..ask.clone() },
        SessionLoad { label: Some(String::new()), ..ask.clone() },
    ] {
        world.ask(&user(), wrong.clone()).await.expect_err("it says what is wrong");
    }
}

#[tokio::test]
async fn what_was_done_is_summed_up_by_the_hour() {
    let world = World::new().await;
    let me = agent("one");
    let list = |first: &str, second: &str| json!([{ "id": "a", "content": "Fix", "status": first, "estimate": "30min" }, { "id": "b", "content": "Test", "status": second }]);
    world.write(&me, list("in_progress", "pending")).await;
    world.pass(10);
    world.write(&me, list("completed", "in_progress")).await;
    world.pass(60);
    world.write(&me, list("in_progress", "skipped")).await;
    let hours = world.ask(&user(), ArchiveInsight::default()).await.expect("hours").hours;
    assert_eq!(hours.len(), 2);
    let [first, second] = &hours[..] else { unreachable!() };
    assert_eq!((first.lists, first.finished, first.worked_ms), (1, 1, 600_000));
    assert_eq!((first.estimated, first.estimated_ms, first.actual_ms), (1, 1_800_000, 600_000));
    assert_eq!((second.lists, second.finished, second.skipped, second.reopened), (0, 0, 1, 1));
    assert_eq!((first.agent.as_str(), first.at.to_string().as_str()), ("codex", "2023-11-14T22:00:00Z"));
    let later = ArchiveInsight { since: Some(second.at), until: None };
    assert_eq!(world.ask(&user(), later).await.expect("hours").hours, std::slice::from_ref(second));
}

#[rstest]
#[case("", "no export")]
#[case("{}", "no export")]
#[case("{\"sightline\": 2, \"sessions\": []}", "form 2")]
#[case("{\"sightline\": 1, \"sessions\": [{}]}", "sessionId")]
#[tokio::test]
async fn what_is_no_export_is_refused(#[case] text: &str, #[case] said: &str) {
    let world = World::new().await;
    let refused = world
        .ask(&user(), SessionImport { text: text.to_owned(), ..SessionImport::default() })
        .await
        .expect_err("it is refused");
    assert_eq!(refused.code, Code::InvalidMessage);
    assert!(refused.message.contains(said), "{}", refused.message);
}

/// One fault in a session that is otherwise right.
#[rstest]
#[case("/sessions/0/sessionId", json!("../etc"), "no id")]
#[case("/sessions/0/revision", json!(9), "not 1 to 9")]
#[case("/sessions/0/firstRevision", json!(0), "not 0 to")]
#[case("/sessions/0/revision", json!(u64::MAX), "are not 1 to")]
#[case("/sessions/0/title", json!("x".repeat(4_001)), "too long")]
#[case("/sessions/0/items/0/from", json!(99), "is there from 99")]
#[case("/sessions/0/items/0/to", json!(1), "is there from 1 to 1")]
#[case("/sessions/0/items/0/item/content", json!(""), "says nothing")]
#[case("/sessions/0/items/0/item/content", json!("x".repeat(2001)), "too much")]
#[case("/sessions/0/lists", json!([]), "no list")]
#[tokio::test]
async fn half_an_export_is_not_taken_in(#[case] place: &str, #[case] value: Value, #[case] said: &str) {
    let world = with_sessions(&["one", "two"]).await;
    let (one, two) = (id_of(&world, "one").await, id_of(&world, "two").await);
    let ask = SessionExport { session_id: two, and: vec![one], format: ExportFormat::Json, revision: None };
    let text = world.ask(&user(), ask).await.expect("an export").text;
    let mut wrong: Value = serde_json::from_str(&text).expect("JSON");
    *wrong.pointer_mut(place).or(None).unwrap_or(&mut Value::Null) = value.clone();
    if wrong.pointer(place) != Some(&value) {
        wrong["sessions"][0]["items"][0]["to"] = value;
    }
    let other = World::new().await;
    let refused = other
        .ask(&user(), SessionImport { text: wrong.to_string(), ..SessionImport::default() })
        .await
        .expect_err("it is refused");
    assert!(refused.message.contains(said), "{}", refused.message);
    assert_eq!(listed(&other, SessionFilter::default()).await, [""; 0], "nothing of it is taken in");
}

/// As it was exported before the fields of a session were in groups.
const EARLIER_EXPORT: &str = r#"{"sightline":1,"sessions":[{"sessionId":"0192f3a4-0000-7000-8000-000000000001",
"parentSessionId":"0192f3a4-0000-7000-8000-000000000002","ownTool":"update_plan","label":"one","title":"Fix",
"prompt":"Fix it","agent":"codex","agentVersion":"1.2","folder":"/code/api","project":"api","branch":"main",
"state":"waiting","stateReason":"approval","stateAt":"2023-11-14T22:13:20Z","listState":"tool-off","idsGiven":3,
"createdAt":"2023-11-14T22:13:20Z","lastActivityAt":"2023-11-14T22:13:21Z","readOnly":true,"pinned":true,
"firstRevision":1,"revision":1,"revisions":[{"revision":1,"at":"2023-11-14T22:13:20Z","by":"subagent","name":"codex",
"transport":"hook","cause":"todo.write"}],"lists":[{"listId":"a list","from":1,"createdAt":"2023-11-14T22:13:20Z"}],
"items":[],"edits":[]}]}"#;

#[tokio::test]
async fn an_earlier_export_is_read_and_written_with_every_field() {
    let world = World::new().await;
    let import = SessionImport { text: EARLIER_EXPORT.to_owned(), ..SessionImport::default() };
    let session_id = world.ask(&user(), import).await.expect("imported").sessions.remove(0);
    let export = SessionExport { session_id, format: ExportFormat::Json, ..SessionExport::default() };
    let text = world.ask(&user(), export).await.expect("an export").text;
    let json = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    assert_eq!(json(&text), json(EARLIER_EXPORT));
}

#[tokio::test]
async fn training_examples_have_the_prompt_and_the_blocks_as_they_evolved() {
    let world = World::new().await;
    let me = agent("one");
    let written = world.write(&me, json!([{ "id": "a", "content": "Fix" }])).await;
    world.write(&me, json!([{ "id": "a", "content": "Fix", "status": "completed" }])).await;
    let ask =
        SessionExport { session_id: written.session_id, format: ExportFormat::Training, ..SessionExport::default() };
    let text = world.ask(&user(), ask).await.expect("an example").text;
    let example: Value = serde_json::from_str(&text).expect("one line of JSON");
    assert_eq!(example["prompt"], Value::Null);
    let response = example["response"].as_str().expect("a text");
    assert_eq!(response.matches("<todo>").count(), 2);
    assert!(response.find("pending") < response.find("completed"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Export and import are the identity, and any revision is read back as the hub held it then.
    #[test]
    fn a_history_is_read_back_as_it_was(changes in prop::collection::vec((0_u8..6, 0_u8..5, 0_u8..4), 1..40)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let world = World::new().await;
            let me = agent("one");
            let mut told = vec![world.write(&me, json!([{ "id": "i0", "content": "Begin" }])).await.todos];
            for (deed, which, how) in changes {
                world.pass(1);
                let items: Vec<Value> = (0..=which).map(|number| {
                    let status = ["pending", "in_progress", "completed", "blocked"][usize::from((how + number) % 4)];
                    json!({ "id": format!("i{number}"), "content": format!("Step {number} {}", deed / 3), "status": status, "subtasks": if deed == 4 { json!([{ "id": "s", "content": "Sub" }]) } else { json!([]) } })
                }).collect();
                let id = id_of(&world, "one").await;
                let now = match deed {
                    5 => {
                        let fields = [("notes".to_owned(), json!(format!("note {how}")))].into_iter().collect();
                        let ask = TodoEdit { session_id: id.clone(), position: Some("1".to_owned()), uid: None, fields };
                        world.ask(&user(), ask).await.map(|edited| (edited.revision, edited.todos)).ok()
                    }
                    _ => {
                        let written = world.write(&me, Value::Array(items)).await;
                        Some((written.revision, written.todos))
                    }
                };
                if let Some((revision, todos)) = now && revision as usize == told.len() + 1 {
                    told.push(todos);
                }
            }
            let id = id_of(&world, "one").await;
            let export = SessionExport { session_id: id.clone(), format: ExportFormat::Json, ..SessionExport::default() };
            let text = world.ask(&user(), export.clone()).await.expect("an export");
            let other = World::new().await;
            let imported = other.ask(&user(), SessionImport { text: text.text.clone(), ..SessionImport::default() }).await.expect("imported");
            assert_eq!(imported.sessions, std::slice::from_ref(&id));
            assert_eq!(other.ask(&user(), export).await.expect("an export"), text);
            let again = other.ask(&user(), SessionImport { text: text.text, ..SessionImport::default() }).await.expect("imported");
            assert_eq!((again.sessions.len(), again.known), (0, 1));
            for (at, todos) in told.iter().enumerate() {
                let get = SessionGet { session_id: id.clone(), revision: Some(at as u64 + 1) };
                for world in [&world, &other] {
                    let there = world.ask(&user(), get.clone()).await.expect("it was there");
                    assert_eq!(&there.todos, todos, "revision {}", at + 1);
                }
            }
        });
    }
}

#[tokio::test]
async fn by_size_the_oldest_go_and_pinned_ones_stay() {
    let world = World::new().await;
    let text = "x".repeat(1_900);
    let names: Vec<String> = (0..60).map(|number| format!("agent-{number:02}")).collect();
    for name in &names {
        let items: Vec<Value> =
            (0..100).map(|number| json!({ "content": format!("{name} {number} {text}") })).collect();
        world.write(&agent(name), Value::Array(items)).await;
        world.pass(60);
    }
    let pinned = id_of(&world, &names[0]).await;
    let mark = SessionMark { session_id: pinned.clone(), pinned: Some(true), ..SessionMark::default() };
    world.ask(&user(), mark).await.expect("pinned");
    let before = world.ask(&user(), ArchiveStatus::default()).await.expect("how much");
    assert!(before.bytes > 13_000_000, "{}", before.bytes);
    let ask = SettingsUpdate { keep_megabytes: Some(10), ..SettingsUpdate::default() };
    world.ask(&user(), ask).await.expect("set");
    world.hub().sweep().await.expect("swept");
    let left = listed(&world, SessionFilter::default()).await;
    assert!((10..60).contains(&left.len()), "{}", left.len());
    assert!(left.contains(&pinned));
    let newest = id_of(&world, &names[59]).await;
    assert!(left.contains(&newest));
    let deleted = listed(&world, SessionFilter { deleted: true, ..SessionFilter::default() }).await;
    assert_eq!(deleted.len() + left.len(), 60, "for a day they can be brought back");
    world.pass(25 * 60);
    world.hub().sweep().await.expect("swept");
    let after = world.ask(&user(), ArchiveStatus::default()).await.expect("how much");
    assert!(after.bytes < 11_500_000 && after.free_bytes == 0, "{after:?}");
    assert_eq!(listed(&world, SessionFilter::default()).await.len(), left.len());
}

#[tokio::test]
async fn an_import_changes_nothing_of_another_session() {
    let world = World::new().await;
    let one = world.write(&agent("one"), json!([{ "content": "Fix" }])).await.session_id;
    let fields = [("notes".to_owned(), json!("mine"))].into_iter().collect();
    let ask = TodoEdit { session_id: one.clone(), position: Some("1".to_owned()), uid: None, fields };
    world.ask(&user(), ask).await.expect("edited");
    let export = SessionExport { session_id: one.clone(), format: ExportFormat::Json, ..SessionExport::default() };
    let before = world.ask(&user(), export.clone()).await.expect("an export");
    let mut hostile: Value = serde_json::from_str(&before.text).expect("JSON");
    hostile["sessions"][0]["sessionId"] = json!(uuid::Uuid::new_v4().to_string());
    hostile["sessions"][0]["lists"][0]["listId"] = json!("another");
    hostile["sessions"][0]["edits"][0]["edit"]["client"] = json!("somebody else");
    let refused = world
        .ask(&user(), SessionImport { text: hostile.to_string(), ..SessionImport::default() })
        .await
        .expect_err("it is refused");
    assert!(refused.message.contains("another session"), "{}", refused.message);
    assert_eq!(world.ask(&user(), export).await.expect("an export"), before);
    assert_eq!(listed(&world, SessionFilter::default()).await, [one]);
}
