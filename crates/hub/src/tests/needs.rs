//! Needs of sessions, their marks, and the settings.

use super::{World, agent, config, delete, todos, user};
use crate::start;
use protocol::{
    AgentIdentity, AgentInfo, Caller, Code, DRIFT_CALLS, Event, EventsSubscribe, Happened, ListState, NeedDismiss,
    NeedKind, NoteSend, Session, SessionExport, SessionGet, SessionList, SessionMark, SessionReport, Settings,
    SettingsGet, SettingsUpdate, TodoClear, TodoObserve, Transport,
};
use rstest::rstest;
use serde_json::{Value, json};

fn hook(own: &str) -> Caller {
    let identity = AgentIdentity {
        agent: AgentInfo { name: "codex".to_owned(), version: None },
        own_session: Some(own.to_owned()),
        folder: Some("/home/me/billing".to_owned()),
        ..AgentIdentity::default()
    };
    Caller::agent(Transport::Hook, own.to_owned(), identity)
}

async fn report(world: &World, own: &str, happened: Happened, text: Option<&str>) -> Option<String> {
    let ask = SessionReport {
        happened,
        text: text.map(str::to_owned),
        begins: true,
        tool: happened == Happened::Worked,
        ..SessionReport::default()
    };
    world.ask(&hook(own), ask).await.expect("it is heard").session_id
}

async fn session(world: &World, id: &str) -> Session {
    let ask = SessionGet { session_id: id.to_owned(), revision: None };
    world.ask(&user(), ask).await.expect("it is there").session
}

async fn kinds(world: &World, id: &str) -> Vec<NeedKind> {
    session(world, id).await.needs.iter().map(|need| need.kind).collect()
}

async fn dismiss(world: &World, id: &str, need: &str, dismissed: Option<bool>) {
    let ask = NeedDismiss { session_id: id.to_owned(), need_id: need.to_owned(), dismissed, until: None };
    world.ask(&user(), ask).await.expect("it is taken");
}

#[tokio::test]
async fn who_waits_needs_the_user_since_then_until_it_goes_on() {
    let world = World::new().await;
    let id = report(&world, "run", Happened::Prompted, Some("Fix it")).await.expect("it begins");
    assert_eq!(kinds(&world, &id).await, []);
    report(&world, "run", Happened::Waits, Some("wants to run cargo publish")).await;
    let since = session(&world, &id).await.needs[0].since;
    world.pass(6);
    report(&world, "run", Happened::Waits, Some("still waits")).await;
    let need = session(&world, &id).await.needs.remove(0);
    assert_eq!((need.kind, need.text.as_str(), need.since), (NeedKind::Waiting, "still waits", since));
    report(&world, "run", Happened::Worked, None).await;
    assert_eq!(kinds(&world, &id).await, []);
    world.pass(1);
    report(&world, "run", Happened::Waits, None).await;
    let again = session(&world, &id).await.needs.remove(0);
    assert!(again.id != need.id && again.since > since, "it is another wait: {again:?}");
    world.running.stop().await;
}

#[tokio::test]
async fn who_waits_stays_current_for_a_day_also_after_a_restart() {
    let world = World::new().await;
    let id = report(&world, "run", Happened::Waits, None).await.expect("it begins");
    let gone = report(&world, "other", Happened::Rests, None).await.expect("it begins");
    world.pass(60);
    let world = world.restart().await;
    let snapshot = world.ask(&user(), EventsSubscribe::default()).await.expect("a snapshot");
    let ids: Vec<_> = snapshot.sessions.iter().map(|known| known.session.session_id.as_str()).collect();
    assert_eq!(ids, [id.as_str()], "{gone} is not current any more");
    assert!(session(&world, &id).await.current);
    world.pass(24 * 60);
    let late = session(&world, &id).await;
    assert!(!late.current && late.needs.is_empty(), "its agent is long gone");
    world.running.stop().await;
}

#[tokio::test]
async fn blocked_items_and_edits_that_were_not_followed_need_the_user_the_longest_first() {
    let world = World::new().await;
    let codex = agent("one");
    let id = world.write(&codex, todos(&["A", "B"])).await.session_id;
    world.ask(&user(), delete(&id, "2")).await.expect("it is there");
    world.write(&codex, todos(&["A"])).await;
    world.pass(1);
    let blocked = json!([{"content": "A", "status": "pending", "subtasks": [{"content": "a", "status": "blocked"}]}, {"content": "C", "status": "blocked"}]);
    world.write(&codex, blocked).await;
    world.pass(1);
    // The agent brings back what was removed: it decided otherwise.
    let again = json!([{"content": "A", "subtasks": [{"content": "a", "status": "blocked"}]}, {"content": "B"}, {"content": "C", "status": "blocked"}]);
    world.write(&codex, again).await;
    let needs = session(&world, &id).await.needs;
    let found: Vec<_> = needs.iter().map(|need| (need.kind, need.text.as_str())).collect();
    assert_eq!(
        found[..2].iter().map(|(kind, _)| *kind).collect::<Vec<_>>(),
        [NeedKind::Blocked, NeedKind::Blocked],
        "{found:?}"
    );
    assert_eq!(found[2].0, NeedKind::Overridden, "{found:?}");
    assert!(found[2].1.contains('B'), "{found:?}");
    assert!(needs[2].edit_id.is_some() && needs[0].uid.is_some());

    dismiss(&world, &id, &needs[0].id, None).await;
    let world = world.restart().await;
    assert_eq!(kinds(&world, &id).await, [NeedKind::Blocked, NeedKind::Overridden], "it stays dismissed");
    dismiss(&world, &id, &needs[0].id, Some(false)).await;
    assert_eq!(kinds(&world, &id).await.len(), 3);
    world.running.stop().await;
}

#[tokio::test]
async fn a_list_that_stands_still_needs_the_user_until_it_is_asked_for() {
    let world = World::new().await;
    let id = world.write(&agent("one"), todos(&["A"])).await.session_id;
    let read = SessionReport { proof: world.proof(&agent("one")).await, ..SessionReport::default() };
    world.ask(&hook("run"), read).await.expect("it is heard");
    for _ in 0..DRIFT_CALLS {
        report(&world, "run", Happened::Worked, None).await;
    }
    assert_eq!(kinds(&world, &id).await, [NeedKind::Drift]);
    let since = session(&world, &id).await.needs[0].since;
    world.pass(1);
    report(&world, "run", Happened::Worked, None).await;
    assert_eq!(session(&world, &id).await.needs[0].since, since, "it has drifted since then");
    let ask = NoteSend { session_id: id.clone(), text: "Please bring your list up to date".to_owned() };
    world.ask(&user(), ask).await.expect("it is taken");
    assert_eq!(kinds(&world, &id).await, [], "it was asked");
    world.running.stop().await;
}

#[tokio::test]
async fn an_own_list_drifts_for_its_run_and_a_run_without_any_does_not() {
    let world = World::new().await;
    let run = report(&world, "run", Happened::Prompted, Some("Fix it")).await.expect("it begins");
    for _ in 0..2 * DRIFT_CALLS {
        report(&world, "run", Happened::Worked, None).await;
    }
    assert_eq!(kinds(&world, &run).await, [], "nobody says that it needs a list");
    let ask = TodoObserve { tool: "update_plan".to_owned(), todos: todos(&["A"]), ..TodoObserve::default() };
    let own = world.ask(&hook("run"), ask).await.expect("it is observed").session_id;
    let mut subscribed = protocol::Backend::subscribe(world.hub(), None).await.expect("subscribed");
    for _ in 0..DRIFT_CALLS {
        report(&world, "run", Happened::Worked, None).await;
    }
    assert_eq!((kinds(&world, &run).await, kinds(&world, &own).await), (vec![], vec![NeedKind::Drift]));
    let is_told = |event: &Event| match event {
        Event::SessionUpdated(told) => told.session.session.session_id == own && !told.session.session.needs.is_empty(),
        _ => false,
    };
    let mut told = false;
    while let Some(Some(event)) =
        futures_util::FutureExt::now_or_never(futures_util::StreamExt::next(&mut subscribed.events))
    {
        told |= is_told(event.event());
    }
    assert!(told, "who watches hears of it");
    world.running.stop().await;
}

#[tokio::test]
async fn an_agent_whose_list_is_off_needs_the_user() {
    let world = World::new().await;
    world.hub().silent_lists("codex", ListState::ToolOff);
    let id = report(&world, "run", Happened::Worked, None).await.expect("it begins");
    assert_eq!(kinds(&world, &id).await, [NeedKind::ToolOff]);
    report(&world, "run", Happened::Ended, None).await;
    assert_eq!(kinds(&world, &id).await, [], "it has ended");
    world.running.stop().await;
}

async fn mark(world: &World, ask: SessionMark) {
    world.ask(&user(), ask).await.expect("it is taken");
}

#[tokio::test]
async fn a_pinned_session_stays_on_the_board_however_long_it_is_silent() {
    let world = World::new().await;
    let id = world.write(&agent("one"), todos(&["A"])).await.session_id;
    mark(&world, SessionMark { session_id: id.clone(), pinned: Some(true), ..SessionMark::default() }).await;
    world.pass(60 * 24 * 30);
    let world = world.restart().await;
    let snapshot = world.ask(&user(), EventsSubscribe::default()).await.expect("a snapshot");
    let shown: Vec<_> = snapshot.sessions.iter().map(|known| &known.session).collect();
    assert_eq!((shown.len(), shown[0].pinned, shown[0].current), (1, true, false));
    mark(&world, SessionMark { session_id: id.clone(), pinned: Some(false), ..SessionMark::default() }).await;
    let snapshot = world.ask(&user(), EventsSubscribe::default()).await.expect("a snapshot");
    assert_eq!(snapshot.sessions, []);
    world.running.stop().await;
}

#[tokio::test]
async fn a_dismissed_session_comes_back_when_it_is_heard_of_and_a_muted_one_stays_muted() {
    let world = World::new().await;
    let codex = agent("one");
    let id = world.write(&codex, todos(&["A"])).await.session_id;
    let ask =
        SessionMark { session_id: id.clone(), muted: Some(true), dismissed: Some(true), ..SessionMark::default() };
    mark(&world, ask).await;
    let marked = session(&world, &id).await;
    assert!(marked.dismissed && marked.muted && !marked.pinned);
    world.pass(1);
    world.write(&codex, todos(&["A", "B"])).await;
    let heard = session(&world, &id).await;
    assert!(!heard.dismissed && heard.muted);
    let unknown = SessionMark { session_id: "nobody".to_owned(), ..SessionMark::default() };
    assert_eq!(world.ask(&user(), unknown).await.expect_err("it is not there").code, Code::SessionNotFound);
    world.running.stop().await;
}

#[tokio::test]
async fn settings_are_kept_told_and_change_what_is_stale() {
    let world = World::new().await;
    assert_eq!(world.ask(&user(), SettingsGet {}).await.expect("they are told"), Settings::default());
    let mut subscribed = protocol::Backend::subscribe(world.hub(), None).await.expect("subscribed");
    let ask = SettingsUpdate {
        stale_minutes: Some(60),
        quiet_from: Some("22:00".to_owned()),
        quiet_to: Some("08:00".to_owned()),
        ..SettingsUpdate::default()
    };
    let set = world.ask(&user(), ask).await.expect("they are taken");
    assert!(set.stale_minutes == 60 && set.notify_needs, "what is left out stays");
    let event = futures_util::StreamExt::next(&mut subscribed.events).await.expect("it is told");
    assert!(matches!(event.event(), Event::SettingsUpdated(told) if told.settings == set), "{event:?}");
    let id = world.write(&agent("one"), todos(&["A"])).await.session_id;
    world.pass(30);
    assert!(session(&world, &id).await.current, "half an hour is not long any more");
    let world = world.restart().await;
    assert_eq!(world.ask(&user(), SettingsGet {}).await.expect("they are told"), set);
    let snapshot = world.ask(&user(), EventsSubscribe::default()).await.expect("a snapshot");
    assert_eq!(snapshot.settings, set);
    world.running.stop().await;
}

#[rstest]
#[case(json!({"staleMinutes": 0}), "staleMinutes")]
#[case(json!({"staleMinutes": 1441}), "staleMinutes")]
#[case(json!({"quietFrom": "22:00"}), "quietTo")]
#[case(json!({"quietFrom": "24:00", "quietTo": "08:00"}), "quietFrom")]
#[case(json!({"quietFrom": "9:00", "quietTo": "+8:00"}), "22:00")]
#[case(json!({"terminal": "a\nb"}), "terminal")]
#[case(json!({"editor": "x".repeat(501)}), "editor")]
#[case(json!({"editor": "code \"{folder}"}), "quotes")]
#[case(json!({"terminal": " "}), "terminal")]
#[tokio::test]
async fn what_cannot_be_set_is_refused_and_nothing_is_changed(#[case] ask: Value, #[case] named: &str) {
    let world = World::new().await;
    let ask: SettingsUpdate = serde_json::from_value(ask).expect("it is well formed");
    let error = world.ask(&user(), ask).await.expect_err("it cannot be");
    assert_eq!(error.code, Code::InvalidSetting);
    assert!(error.message.contains(named), "{error}");
    assert_eq!(world.hub().settings(), Settings::default());
    world.running.stop().await;
}

#[tokio::test]
async fn a_setting_of_another_build_is_left_alone_and_a_broken_one_is_as_at_first() {
    let world = World::new().await;
    world.ask(&user(), SettingsUpdate { menu_bar: Some(true), ..SettingsUpdate::default() }).await.expect("taken");
    world.running.stop().await;
    let store::Opened { mut writer, .. } =
        store::open(&world.folder.path().join("sightline.db"), "db").await.expect("it opens");
    let mut transaction = writer.begin().await.expect("it begins");
    for (key, value) in [("ofTomorrow", "1"), ("staleMinutes", "\"soon\""), ("editor", "{")] {
        transaction.save_setting(key, value, 1).await.expect("it is stored");
    }
    transaction.commit().await.expect("it is kept");
    writer.close().await.expect("it is closed");
    let running = start(config(&world.folder, &world.now, &world.elapsed)).await.expect("the hub starts");
    assert_eq!(running.hub.settings(), Settings { menu_bar: true, ..Settings::default() });
    running.stop().await;
}

#[tokio::test]
async fn a_list_is_exported_as_a_checklist() {
    let world = World::new().await;
    let list = json!([{"content": "A", "status": "completed"}, {"content": "B\n# not a heading", "subtasks": [{"content": "b"}]}]);
    let id = world.write(&agent("one"), list).await.session_id;
    world.ask(&user(), TodoClear { session_id: id.clone() }).await.expect("it is there");
    let ask = |revision| SessionExport { session_id: id.clone(), revision, ..SessionExport::default() };
    let past = world.ask(&user(), ask(Some(1))).await.expect("it is there").text;
    assert!(past.ends_with("\n- [x] A\n- [ ] B # not a heading\n  - [ ] b\n"), "{past}");
    assert!(past.starts_with("# "), "{past}");
    let now = world.ask(&user(), ask(None)).await.expect("it is there").text;
    assert!(!now.contains("- ["), "{now}");
    assert_eq!(world.ask(&user(), ask(Some(9))).await.expect_err("not yet").code, Code::RevisionNotFound);
    let listed = world.ask(&user(), SessionList::default()).await.expect("they are listed").sessions;
    assert_eq!(listed[0].session_id, id);
    world.running.stop().await;
}

#[tokio::test]
async fn a_run_that_failed_needs_the_user_for_a_day_or_until_it_goes_on() {
    let world = World::new().await;
    let id = report(&world, "run", Happened::Prompted, Some("Fix it")).await.expect("it begins");
    report(&world, "run", Happened::Failed, Some("529 overloaded")).await;
    let need = session(&world, &id).await.needs.remove(0);
    assert_eq!((need.kind, need.text.as_str()), (NeedKind::Failed, "529 overloaded"));
    world.pass(23 * 60);
    assert_eq!(kinds(&world, &id).await, [NeedKind::Failed]);
    world.pass(2 * 60);
    assert_eq!(kinds(&world, &id).await, []);
    report(&world, "run", Happened::Prompted, Some("Again")).await;
    report(&world, "run", Happened::Failed, None).await;
    assert_eq!(kinds(&world, &id).await, [NeedKind::Failed]);
    report(&world, "run", Happened::Prompted, Some("And again")).await;
    assert_eq!(kinds(&world, &id).await, []);
    world.running.stop().await;
}

/// A run with a list of its own, whose hooks are heard.
async fn run_with_list(world: &World) -> (Caller, String) {
    let mut codex = agent("one");
    codex.agent.as_mut().expect("an agent").own_session = Some("run".to_owned());
    let id = world.write(&codex, todos(&["A", "B"])).await.session_id;
    (codex, id)
}

#[tokio::test]
async fn a_step_of_the_users_that_is_left_open_needs_the_user() {
    let world = World::new().await;
    let (codex, id) = run_with_list(&world).await;
    report(&world, "run", Happened::Ended, None).await;
    assert_eq!(kinds(&world, &id).await, [], "what the agent left open is its own");
    report(&world, "run", Happened::Prompted, Some("Go on")).await;
    let add = protocol::TodoAdd { session_id: id.clone(), content: "Mine".to_owned(), ..Default::default() };
    world.ask(&user(), add).await.expect("it is added");
    assert_eq!(kinds(&world, &id).await, []);
    report(&world, "run", Happened::Ended, None).await;
    let need = session(&world, &id).await.needs.remove(0);
    assert_eq!((need.kind, need.text.as_str()), (NeedKind::Unfinished, "Mine"));
    let done = json!([
        { "id": "1", "content": "A", "status": "completed" },
        { "id": "2", "content": "B", "status": "pending" },
        { "id": "3", "content": "Mine", "status": "completed" },
    ]);
    report(&world, "run", Happened::Prompted, Some("Go on")).await;
    world.write(&codex, json!([])).await;
    world.write(&codex, done).await;
    report(&world, "run", Happened::Ended, None).await;
    assert_eq!(kinds(&world, &id).await, []);
    world.running.stop().await;
}

#[tokio::test]
async fn nothing_that_the_user_did_needs_the_user() {
    let world = World::new().await;
    let (codex, id) = run_with_list(&world).await;
    let set = |status: &str| protocol::TodoSetStatus {
        session_id: id.clone(),
        position: Some("1".to_owned()),
        status: status.to_owned(),
        ..Default::default()
    };
    world.ask(&user(), set("blocked")).await.expect("it is set");
    assert_eq!(kinds(&world, &id).await, [], "the user has blocked it");
    world.ask(&user(), set("pending")).await.expect("it is set");
    let blocked = json!([{ "content": "A", "status": "pending" }, { "content": "B", "status": "blocked" }]);
    world.write(&codex, blocked).await;
    assert_eq!(kinds(&world, &id).await, [NeedKind::Blocked], "the agent has blocked the other one");
    let set = protocol::TodoSetStatus { position: Some("2".to_owned()), ..set("pending") };
    world.ask(&user(), set).await.expect("it is set");
    assert_eq!(kinds(&world, &id).await, []);
    let undo = protocol::TodoUndo { session_id: id.clone(), ..Default::default() };
    world.ask(&user(), undo).await.expect("it is undone");
    assert_eq!(kinds(&world, &id).await, [], "the user has seen it");
    world.running.stop().await;
}

#[tokio::test]
async fn a_need_that_is_put_off_comes_back_and_that_is_told() {
    let world = World::new().await;
    let id = report(&world, "run", Happened::Waits, Some("approval")).await.expect("it begins");
    let need = session(&world, &id).await.needs.remove(0);
    let until = Some(world.ago(-10));
    let later = NeedDismiss { session_id: id.clone(), need_id: need.id.clone(), dismissed: None, until };
    world.ask(&user(), later).await.expect("it is taken");
    assert_eq!(kinds(&world, &id).await, []);
    let world = world.restart().await;
    assert_eq!(kinds(&world, &id).await, [], "it is kept");
    let next = |events: &mut protocol::EventStream| {
        futures_util::FutureExt::now_or_never(futures_util::StreamExt::next(events)).flatten()
    };
    let mut events = protocol::Backend::subscribe(world.hub(), None).await.expect("a subscription").events;
    world.hub().core.board.time_passed(world.hub().core.moment());
    assert!(next(&mut events).is_none(), "nothing has changed");
    world.pass(11);
    world.hub().core.board.time_passed(world.hub().core.moment());
    let told = next(&mut events).expect("it is told");
    let Event::SessionUpdated(told) = told.event() else { panic!("{told:?}") };
    assert_eq!(told.session.session.needs, [need]);
    world.running.stop().await;
}
