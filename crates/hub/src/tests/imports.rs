//! Imported sessions: each could have been written here, or it is refused with its name and the fault.

use super::own_lists::hook;
use super::{World, agent, user};
use proptest::prelude::*;
use protocol::{
    Backend, Caller, Code, Error, ExportFormat, Reply, Request, SessionExport, SessionImport, SessionList,
    SessionsImported, SettingsUpdate, TodoAdd,
};
use rstest::rstest;
use serde_json::{Value, json};

impl World {
    /// The answer to a request in its form on the wire.
    async fn send(&self, caller: &Caller, request: Value) -> Result<Reply, Error> {
        let request: Request = serde_json::from_value(request).expect("a request");
        self.hub().call(caller.clone(), request).await
    }

    pub(super) async fn ids(&self) -> Vec<String> {
        let ask = SessionList { limit: Some(200), ..SessionList::default() };
        let page = self.ask(&user(), ask).await.expect("a page");
        let mut ids: Vec<String> = page.sessions.into_iter().map(|session| session.session_id).collect();
        ids.sort();
        ids
    }

    async fn export(&self, ids: &[String]) -> String {
        let (first, rest) = ids.split_first().expect("a session");
        let format = ExportFormat::Json;
        let ask = SessionExport { session_id: first.clone(), and: rest.to_vec(), format, revision: None };
        self.ask(&user(), ask).await.expect("an export").text
    }

    async fn import(&self, text: &str) -> Result<SessionsImported, Error> {
        self.ask(&user(), SessionImport { text: text.to_owned(), ..SessionImport::default() }).await
    }

    /// The answer that an import would get; nothing is changed.
    async fn check(&self, text: &str) -> Result<SessionsImported, Error> {
        self.ask(&user(), SessionImport { text: text.to_owned(), check: true, ..SessionImport::default() }).await
    }
}

/// A change by somebody; positions may not exist by then.
pub(super) type Deed = (u8, u8, u8);

pub(super) fn deeds(most: usize) -> impl Strategy<Value = Vec<Deed>> {
    prop::collection::vec((0_u8..20, 0_u8..6, 0_u8..6), 1..most)
}

const STATUSES: [&str; 7] = ["pending", "in_progress", "completed", "blocked", "skipped", "cancelled", "on hold"];

/// Makes a change; it may be refused, but never because something is broken.
pub(super) async fn make(world: &World, id: &str, (what, one, other): Deed) {
    let status = STATUSES[usize::from(other) % 6];
    let list: Value = (0..=one)
        .map(|number| {
            json!({
                "id": format!("i{number}"), "content": format!("Step {number} {}", other / 3), "status": STATUSES[usize::from((number + other) % 7)],
                "notes": format!("note {other}"), "dependsOn": if number == 1 { json!(["i0"]) } else { json!([]) }, "estimate": "30min",
                "subtasks": if number == 2 { json!([{ "content": "Sub" }, { "content": "Sub 2", "status": status }]) } else { json!([]) },
                "theirs": { "deep": [[[number]]] },
            })
        })
        .collect();
    let (mine, position, place) = (user(), (one + 1).to_string(), format!("{}.{}", other + 1, one + 1));
    let me = agent("one");
    let (caller, request) = match what {
        0..3 => (&me, json!({ "type": "todo.write", "sessionId": id, "todos": list })),
        3 => (&me, json!({ "type": "todo.write", "sessionId": id, "todos": list, "merge": true })),
        4 => (&me, json!({ "type": "todo.manage", "sessionId": id, "action": "complete", "ids": [one] })),
        5 => {
            (&me, json!({ "type": "todo.manage", "sessionId": id, "action": "insert", "position": one, "todos": list }))
        }
        6 => (
            &mine,
            json!({ "type": "todo.add", "sessionId": id, "content": format!("Mine {other}"), "position": position }),
        ),
        7 => (&mine, json!({ "type": "todo.add", "sessionId": id, "content": "Mine below", "position": place })),
        8 => (&mine, json!({ "type": "todo.delete", "sessionId": id, "position": position })),
        9 => (&mine, json!({ "type": "todo.setStatus", "sessionId": id, "position": position, "status": status })),
        10 => (
            &mine,
            json!({ "type": "todo.edit", "sessionId": id, "position": position, "content": format!("Otherwise {other}") }),
        ),
        11 => (
            &mine,
            json!({ "type": "todo.edit", "sessionId": id, "position": position, "dependsOn": [other.to_string()], "mine": { "a": one } }),
        ),
        12 => (
            &mine,
            json!({ "type": "todo.move", "sessionId": id, "position": position, "to": (other + 1).to_string() }),
        ),
        13 => (&mine, json!({ "type": "todo.clear", "sessionId": id })),
        14 => (&mine, json!({ "type": "todo.archive", "sessionId": id })),
        15 => (&mine, json!({ "type": "note.send", "sessionId": id, "text": format!("Mind {one}\nand {other}") })),
        16 => {
            (&mine, json!({ "type": "session.load", "sessionId": id, "from": id, "revision": u64::from(one) * 2 + 1 }))
        }
        17 => (&mine, json!({ "type": "edit.insist", "sessionId": id })),
        _ => (&mine, json!({ "type": "todo.undo", "sessionId": id })),
    };
    let answer = world.send(caller, request.clone()).await;
    if let Err(error) = &answer {
        assert!(!matches!(error.code, Code::Internal | Code::Storage | Code::Unavailable), "{request}: {error}");
    }
    if let Ok(Reply::TodoWrite(written)) = answer
        && other > 1
    {
        world.delivered(&me, &written).await;
    }
    world.pass(i64::from(other));
}

/// Sessions of every kind: a label, an agent with a subagent, a built-in list, and one that nothing was written to.
async fn rich(deeds: &[Deed]) -> World {
    let world = World::new().await;
    let id = world.write(&agent("one"), json!([{ "id": "i0", "content": "Begin" }])).await.session_id;
    for deed in deeds {
        make(&world, &id, *deed).await;
    }
    world.observe(&hook("run"), json!([{ "content": "Plan", "status": "in_progress" }]), None).await;
    let mut below = hook("below");
    below.agent.as_mut().expect("an agent").parent = Some("run".to_owned());
    world.observe(&below, json!([{ "content": "Look" }, { "content": "Tell" }]), None).await;
    let load = json!({ "type": "session.load", "label": "later", "from": id });
    world.send(&user(), load).await.expect("it is loaded");
    let prompted =
        json!({ "type": "session.report", "happened": "prompted", "text": "Line one\nline two\u{0}", "begins": true });
    world.send(&hook("silent"), prompted).await.expect("it is heard");
    world
}

const DEEDS: [Deed; 15] = [
    (0, 4, 3),
    (6, 1, 0),
    (7, 0, 2),
    (8, 1, 2),
    (9, 0, 2),
    (10, 0, 1),
    (11, 3, 1),
    (12, 0, 2),
    (15, 1, 1),
    (0, 5, 2),
    (14, 0, 2),
    (16, 2, 2),
    (18, 0, 0),
    (2, 3, 2),
    (6, 0, 5),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    // D6
    #[test]
    fn every_export_is_taken_in_and_exported_the_same(deeds in deeds(40), is_trimmed in any::<bool>(), is_restarted in any::<bool>()) {
        block_on(async {
            let mut world = rich(&deeds).await;
            if is_restarted {
                world = world.restart().await;
            }
            if is_trimmed {
                world.ask(&user(), SettingsUpdate { keep_revisions: Some(3), ..SettingsUpdate::default() }).await.expect("set");
                world.pass(3 * 24 * 60);
                world.hub().sweep().await.expect("swept");
            }
            let ids = world.ids().await;
            let text = world.export(&ids).await;
            let other = World::new().await;
            // A clock that is somewhat behind refuses nothing.
            other.pass(if is_trimmed { 3 * 24 * 60 } else { 0 });
            assert_eq!(other.check(&text).await.expect("it would be").sessions, ids);
            assert_eq!(other.ids().await, [""; 0], "a check imports nothing");
            assert_eq!(other.import(&text).await.expect("imported").sessions, ids);
            assert_eq!(other.export(&ids).await, text);
            for id in &ids {
                let alone = World::new().await;
                alone.pass(if is_trimmed { 3 * 24 * 60 } else { 0 });
                let text = world.export(std::slice::from_ref(id)).await;
                alone.import(&text).await.expect("it comes in without those that it belongs to");
                assert_eq!(alone.export(std::slice::from_ref(id)).await, text);
            }
        });
    }

    // D6
    #[test]
    fn what_is_taken_in_can_be_worked_on(faults in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..FAULTS), 1..4), later in deeds(12)) {
        block_on(async {
            let world = rich(&DEEDS).await;
            let ids = world.ids().await;
            let mut file: Value = serde_json::from_str(&world.export(&ids).await).expect("JSON");
            for (place, fault) in faults {
                break_at(&mut file, place, fault);
            }
            let other = World::new().await;
            let checked = other.check(&file.to_string()).await;
            match other.import(&file.to_string()).await {
                Err(refused) => {
                    prop_assert_eq!(refused.code, Code::InvalidMessage);
                    let said = ["session ", "no export", "in form", "\"text\""];
                    prop_assert!(said.iter().any(|said| refused.message.contains(said)), "{}", refused.message);
                    prop_assert_eq!(other.ids().await, [""; 0]);
                    prop_assert!(checked.is_err());
                }
                Ok(imported) => {
                    for id in imported.sessions {
                        for deed in &later {
                            make(&other, &id, *deed).await;
                        }
                        let last = other.send(&user(), json!({ "type": "todo.add", "sessionId": id, "content": "Last" })).await;
                        if let Err(error) = last {
                            prop_assert!(matches!(error.code, Code::ReadOnly | Code::LimitExceeded), "{}", error);
                        }
                        let text = other.export(std::slice::from_ref(&id)).await;
                        let third = World::new().await;
                        third.pass(60);
                        third.import(&text).await.map_err(|error| TestCaseError::fail(error.to_string()))?;
                        prop_assert_eq!(third.export(std::slice::from_ref(&id)).await, text);
                    }
                    let other = other.restart().await;
                    other.ids().await;
                }
            }
            Ok(())
        })?;
    }
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(work)
}

const FAULTS: usize = 22;

/// Breaks an export somewhere.
fn break_at(file: &mut Value, place: prop::sample::Index, fault: usize) {
    let paths = paths(file, "");
    let at = place.index(paths.len());
    let (above, key) = paths[at].rsplit_once('/').expect("below the root");
    let number = file.pointer(&paths[at]).and_then(Value::as_u64);
    let value = match fault {
        0 => json!(null),
        1 => json!(u64::MAX),
        2 => json!(-1),
        3 => json!(1.5e300),
        4 => json!(""),
        5 => json!("x".repeat(70_000)),
        6 => json!("\u{0}\u{1b}[31m\n"),
        7 => json!("9999-12-30T22:00:00Z"),
        8 => json!("-009999-01-02T01:59:59Z"),
        9 => json!([]),
        10 => json!({}),
        11 => json!(true),
        12 => json!("00000000-0000-0000-0000-000000000000"),
        13 => json!(number.map_or(0, |number| number.saturating_add(1))),
        14 => json!(number.map_or(1, |number| number.saturating_sub(1))),
        15 => (0..60).fold(json!(1), |inner, _| json!([inner])),
        16 => json!(1_u64 << 40),
        17..=19 => file.pointer(&paths[(at * fault + 1) % paths.len()]).cloned().unwrap_or_default(),
        20 => {
            match file.pointer_mut(above) {
                Some(Value::Object(map)) => drop(map.remove(key)),
                Some(Value::Array(values)) => drop(values.remove(key.parse().expect("a place"))),
                _ => {}
            }
            return;
        }
        _ => {
            if let Some(Value::Array(values)) = file.pointer_mut(above) {
                values.push(values[key.parse::<usize>().expect("a place")].clone());
            }
            return;
        }
    };
    if let Some(broken) = file.pointer_mut(&paths[at]) {
        *broken = value;
    }
}

/// The paths of all values below one.
fn paths(value: &Value, above: &str) -> Vec<String> {
    let inner: Vec<(String, &Value)> = match value {
        Value::Object(map) => map.iter().map(|(key, inner)| (format!("{above}/{key}"), inner)).collect(),
        Value::Array(values) => values.iter().enumerate().map(|(at, inner)| (format!("{above}/{at}"), inner)).collect(),
        _ => return Vec::new(),
    };
    inner.into_iter().flat_map(|(path, inner)| [vec![path.clone()], paths(inner, &path)].concat()).collect()
}

/// The session of an export that has been worked on most.
fn worked_on(file: &mut Value) -> &mut Value {
    let sessions = file["sessions"].as_array_mut().expect("sessions");
    sessions.iter_mut().max_by_key(|session| session["items"].as_array().map(Vec::len)).expect("a session")
}

fn item(session: &mut Value) -> &mut Value {
    let items = session["items"].as_array_mut().expect("items");
    items
        .iter_mut()
        .rfind(|state| state.get("to").is_none() && state.get("parent").is_none())
        .expect("one that is there")
}

/// One more item, beside the one that is there.
fn add_item(session: &mut Value, uid: u128, parent: &Value) {
    let mut state = item(session).clone();
    state["item"]["uid"] = json!(uuid::Uuid::from_u128(uid).to_string());
    if !parent.is_null() {
        state["parent"] = parent.clone();
    }
    session["items"].as_array_mut().expect("items").push(state);
}

fn edit<'a>(session: &'a mut Value, kind: &str) -> &'a mut Value {
    let edits = session["edits"].as_array_mut().expect("edits");
    &mut edits.iter_mut().find(|edit| edit["edit"]["action"]["kind"] == kind).expect("one of that kind")["edit"]
}

type Fault = fn(&mut Value);

// D6
#[rstest]
#[case::too_many_items(|s: &mut Value| (0..5_000).for_each(|uid| add_item(s, uid, &Value::Null)), "more than 1024 steps on one level")]
#[case::too_many_subtasks(|s: &mut Value| { let uid = item(s)["item"]["uid"].clone(); (0..1_100).for_each(|at| add_item(s, at, &uid)) }, "more than 1024 steps on one level")]
#[case::a_long_active_form(|s: &mut Value| item(s)["item"]["activeForm"] = json!("x".repeat(1_000_000)), "activeForm of 1000000 characters")]
#[case::a_long_id(|s: &mut Value| item(s)["item"]["id"] = json!("x".repeat(501)), "an id of 501 characters")]
#[case::no_id(|s: &mut Value| item(s)["item"]["id"] = json!(" "), "an empty id")]
#[case::a_long_status_word(|s: &mut Value| item(s)["item"]["statusRaw"] = json!("x".repeat(501)), "a status word of 501")]
#[case::an_unknown_status(|s: &mut Value| item(s)["item"]["status"] = json!("soon"), "item.status: unknown variant `soon`")]
#[case::nothing_to_see(|s: &mut Value| item(s)["item"]["content"] = json!("\u{0}\u{7}\n"), "says nothing")]
#[case::many_dependencies(|s: &mut Value| item(s)["item"]["dependsOn"] = json!(vec!["x"; 257]), "depends on 257 items")]
#[case::more_dependencies_than_names(|s: &mut Value| item(s)["item"]["dependsOnUids"] = json!([null, null, null]), "that it does not name")]
#[case::waiting_for_itself(|s: &mut Value| { let uid = item(s)["item"]["uid"].clone(); item(s)["item"]["dependsOn"] = json!(["me"]); item(s)["item"]["dependsOnUids"] = json!([uid]) }, "wait for each other")]
#[case::other_keys_too_deep(|s: &mut Value| item(s)["item"]["extra"] = json!({ "a": (0..65).fold(json!(1), |inner, _| json!([inner])) }), "nested more than 64")]
#[case::other_keys_too_large(|s: &mut Value| item(s)["item"]["extra"] = json!({ "a": "x".repeat(262_144) }), "other keys of more than 262144 bytes")]
#[case::worked_for_ever(|s: &mut Value| item(s)["item"]["workedMs"] = json!(u64::MAX), "was worked on for")]
#[case::taken_up_for_ever(|s: &mut Value| item(s)["item"]["reopened"] = json!(u64::MAX), "taken up again")]
#[case::made_in_9999(|s: &mut Value| item(s)["item"]["createdAt"] = json!("9999-12-30T22:00:00Z"), "before 1970 or still to come")]
#[case::made_before_time(|s: &mut Value| item(s)["item"]["statusAt"] = json!("-009999-01-02T01:59:59Z"), "before 1970 or still to come")]
#[case::a_rank_that_is_none(|s: &mut Value| item(s)["rank"] = json!("zz"), "\"zz\" for a rank")]
#[case::there_before_all(|s: &mut Value| item(s)["from"] = json!(0), "is there from 0")]
#[case::its_own_parent(|s: &mut Value| item(s)["parent"] = item(s)["item"]["uid"].clone(), "no step at revision")]
#[case::each_others_parents(|s: &mut Value| { let uid = item(s)["item"]["uid"].clone(); add_item(s, 7, &uid); let seven = json!(uuid::Uuid::from_u128(7).to_string()); for state in s["items"].as_array_mut().expect("items") { if state["item"]["uid"] == uid { state["parent"] = seven.clone() } } }, "no step at revision")]
#[case::below_nobody(|s: &mut Value| item(s)["parent"] = json!(uuid::Uuid::from_u128(9).to_string()), "no step at revision")]
#[case::an_item_twice(|s: &mut Value| { let again = item(s).clone(); s["items"].as_array_mut().expect("items").push(again) }, "twice at revision")]
#[case::ids_without_end(|s: &mut Value| s["idsGiven"] = json!(u64::MAX), "has given 18446744073709551615 ids")]
#[case::a_negative_number(|s: &mut Value| s["idsGiven"] = json!(-1), "not well formed")]
#[case::a_revision_twice(|s: &mut Value| { let again = s["revisions"][0].clone(); s["revisions"][1] = again }, "each once and in their order")]
#[case::revisions_out_of_order(|s: &mut Value| s["revisions"].as_array_mut().expect("revisions").reverse(), "each once and in their order")]
#[case::a_revision_in_9999(|s: &mut Value| s["revisions"][0]["at"] = json!("9999-12-30T22:00:00Z"), "still to come")]
#[case::a_cause_too_long(|s: &mut Value| s["revisions"][0]["cause"] = json!("x".repeat(201)), "a cause of 201 characters")]
#[case::a_maker_too_long(|s: &mut Value| s["revisions"][0]["name"] = json!("x".repeat(4_001)), "an agent's name of 4001 characters")]
#[case::an_id_in_capitals(|s: &mut Value| s["sessionId"] = json!("0192F3A4-0000-7000-8000-00000000000A"), "no id of a session")]
#[case::a_label_with_lines(|s: &mut Value| s["label"] = json!("one\ntwo"), "\"label\" that is no label")]
#[case::a_label_without_letters(|s: &mut Value| s["label"] = json!(" "), "\"label\" that is no label")]
#[case::a_tool_without_name(|s: &mut Value| s["ownTool"] = json!(""), "\"ownTool\"")]
#[case::a_long_version(|s: &mut Value| s["agentVersion"] = json!("x".repeat(4_001)), "an agent's version of 4001")]
#[case::begun_in_9999(|s: &mut Value| s["createdAt"] = json!("9999-12-30T22:00:00Z"), "\"createdAt\" 9999")]
#[case::active_in_9999(|s: &mut Value| s["lastActivityAt"] = json!("9999-12-30T22:00:00Z"), "\"lastActivityAt\" 9999")]
#[case::no_time(|s: &mut Value| s["stateAt"] = json!("tomorrow"), "not well formed")]
#[case::under_itself(|s: &mut Value| s["parentSessionId"] = s["sessionId"].clone(), "is under itself")]
#[case::under_nothing(|s: &mut Value| s["parentSessionId"] = json!("x"), "\"parentSessionId\"")]
#[case::a_list_twice(|s: &mut Value| { let list = s["lists"][0].clone(); s["lists"].as_array_mut().expect("lists").insert(0, list) }, "with that of another one")]
#[case::lists_out_of_order(|s: &mut Value| s["lists"].as_array_mut().expect("lists").reverse(), "not only the last one is active")]
#[case::a_list_of_later(|s: &mut Value| s["lists"].as_array_mut().expect("lists").last_mut().expect("one")["from"] = json!(9_999), "begins with the revision 9999")]
#[case::wrong_types(|s: &mut Value| s["items"] = json!({ "0": 1 }), "items: invalid type")]
#[case::an_edit_twice(|s: &mut Value| { let again = s["edits"][0].clone(); s["edits"].as_array_mut().expect("edits").push(again) }, "is there twice")]
#[case::an_edit_of_later(|s: &mut Value| s["edits"][0]["edit"]["revision"] = json!(9_999), "made the revision 9999")]
#[case::an_edit_in_9999(|s: &mut Value| s["edits"][0]["edit"]["at"] = json!("9999-12-30T22:00:00Z"), "still to come")]
#[case::a_long_message(|s: &mut Value| edit(s, "note")["action"]["text"] = json!("x".repeat(2_001)), "a message of 2001 characters")]
#[case::a_long_client(|s: &mut Value| s["edits"][0]["edit"]["client"] = json!("x".repeat(2_001)), "a client of 2001 characters")]
#[case::a_removed_item_that_says_nothing(|s: &mut Value| edit(s, "delete")["action"]["removed"][0]["item"]["content"] = json!(""), "says nothing")]
#[case::an_edit_that_empties(|s: &mut Value| { let items = &mut edit(s, "set")["action"]["items"][0]; items["fields"] = json!(["content"]); items["from"] = json!({ "content": "", "status": "pending" }) }, "empties its content")]
#[case::half_of_an_edit(|s: &mut Value| s["edits"][0]["edit"]["action"] = json!({ "kind": "delete" }), "not well formed")]
#[tokio::test]
async fn one_wrong_session_refuses_all_and_is_named(#[case] fault: Fault, #[case] said: &str) {
    let world = rich(&DEEDS).await;
    let mut file: Value = serde_json::from_str(&world.export(&world.ids().await).await).expect("JSON");
    let session = worked_on(&mut file);
    fault(session);
    let name = session["sessionId"].as_str().expect("a text").to_owned();
    let other = World::new().await;
    other.pass(60);
    let refused = other.import(&file.to_string()).await.expect_err("it is refused");
    assert_eq!(refused.code, Code::InvalidMessage);
    let message: String = refused.message.chars().take(400).collect();
    assert!(message.contains(said), "{message}");
    assert!(message.starts_with(&format!("session {name} ")), "{message}");
    assert!(refused.message.len() < 1_000 && refused.message.ends_with("Nothing was imported"), "{message}");
    assert_eq!(other.ids().await, [""; 0]);
}

#[tokio::test]
async fn a_session_that_is_in_it_twice_is_taken_once_or_refused() {
    let world = rich(&DEEDS).await;
    let ids = world.ids().await;
    let mut file: Value = serde_json::from_str(&world.export(&ids).await).expect("JSON");
    let again = worked_on(&mut file).clone();
    file["sessions"].as_array_mut().expect("sessions").push(again);
    let other = World::new().await;
    other.pass(60);
    assert_eq!(other.check(&file.to_string()).await.expect("it would be").sessions, ids);
    file["sessions"].as_array_mut().expect("sessions").last_mut().expect("it")["title"] = json!("Another");
    let refused = other.import(&file.to_string()).await.expect_err("it is refused");
    assert!(refused.message.contains("is there twice, and differs"), "{refused}");
    assert_eq!(other.ids().await, [""; 0]);
}

#[tokio::test]
async fn half_a_file_and_other_forms_are_refused() {
    let world = rich(&DEEDS).await;
    let text = world.export(&world.ids().await).await;
    let other = World::new().await;
    for (text, said) in [
        (&text[..text.len() / 2], "EOF"),
        (&text[1..], "no export"),
        ("{\"sightline\": \"1\", \"sessions\": []}", "no export"),
        ("{\"sightline\": 1, \"sessions\": {}}", "\"text\""),
        ("{\"sightline\": 1, \"sessions\": [null]}", "session 1 of the file"),
        ("{\"sightline\": 1, \"sessions\": [7, []]}", "session 1 of the file"),
    ] {
        let refused = other.import(text).await.expect_err("it is refused");
        assert!(refused.message.contains(said), "{refused}");
    }
}

#[tokio::test]
async fn sessions_are_not_under_each_other() {
    let world = rich(&DEEDS).await;
    let mut file: Value = serde_json::from_str(&world.export(&world.ids().await).await).expect("JSON");
    let (one, two) = (file["sessions"][0]["sessionId"].clone(), file["sessions"][1]["sessionId"].clone());
    file["sessions"][0]["parentSessionId"] = two;
    file["sessions"][1]["parentSessionId"] = one;
    let other = World::new().await;
    other.pass(60);
    let refused = other.import(&file.to_string()).await.expect_err("it is refused");
    assert!(refused.message.contains("is under itself"), "{refused}");
    // Nor when they come one after the other.
    let part = |at: usize| json!({ "sightline": 1, "sessions": [file["sessions"][at]] }).to_string();
    let id = |at: usize, key: &str| file["sessions"][at][key].as_str().expect("an id").to_owned();
    // A part of a longer import says what the others bring.
    let ask = |at: usize, check| SessionImport {
        text: part(at),
        check,
        parents: [0, 1].map(|at| (id(at, "sessionId"), Some(id(at, "parentSessionId")))).into(),
    };
    for check in [true, false] {
        let refused = other.ask(&user(), ask(0, check)).await.expect_err("it is refused");
        assert!(refused.message.contains("is under itself"), "{refused}");
        assert_eq!(other.ids().await, [""; 0]);
    }
    other.import(&part(0)).await.expect("its parent is not here");
    let refused = other.import(&part(1)).await.expect_err("it is refused");
    assert!(refused.message.contains("is under itself"), "{refused}");
}

#[tokio::test]
async fn the_last_ids_are_given_without_harm() {
    let world = rich(&DEEDS).await;
    let mut file: Value = serde_json::from_str(&world.export(&world.ids().await).await).expect("JSON");
    let session = worked_on(&mut file);
    session["idsGiven"] = json!(todo::check::MOST);
    let session_id = session["sessionId"].as_str().expect("a text").to_owned();
    let other = World::new().await;
    other.pass(60);
    other.import(&file.to_string()).await.expect("it is imported");
    for content in ["One more", "And another"] {
        let add = TodoAdd { session_id: session_id.clone(), content: content.to_owned(), ..TodoAdd::default() };
        other.ask(&user(), add).await.expect("it is added");
    }
}
