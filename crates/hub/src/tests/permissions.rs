//! Permissions that agents ask for: answered by the user, by a rule, elsewhere, or not at all.

use super::own_lists::{hook, worked};
use super::{World, agent, todos, user};
use protocol::{
    AuditDeed, AuditList, Backend, Caller, Code, DoneCall, Happened, NeedKind, Permission, PermissionAnswer,
    PermissionAsk, PermissionDecided, PermissionList, PermissionState, Question, QuestionOption, Rights, RuleCalls,
    RuleDelete, RuleEdit, RuleList, RuleNew, SessionDelete, SessionLeave, SessionReport, SessionState, SessionUndelete,
    Transport, input_digest,
};
use rstest::rstest;
use serde_json::json;
use tokio::task::JoinHandle;

type Asked = JoinHandle<Result<PermissionDecided, protocol::Error>>;

fn asks(command: &str) -> PermissionAsk {
    let input = json!({ "command": command }).to_string();
    PermissionAsk { tool: "Bash".to_owned(), input, wait_seconds: 60, ..PermissionAsk::default() }
}

/// A run whose hooks are heard, and its session.
async fn run(world: &World, own: &str) -> (Caller, String) {
    let begins = SessionReport { begins: true, ..worked() };
    let id = world.report(&hook(own), begins).await.session_id.expect("it begins");
    (hook(own), id)
}

/// An agent asks, and waits.
async fn ask(world: &World, caller: &Caller, ask: PermissionAsk) -> Asked {
    world.pass(1);
    let (hub, caller) = (world.hub().clone(), caller.clone());
    let before = waiting(world).await.len();
    let asked = tokio::spawn(async move {
        let reply = hub.call(caller, ask.into()).await?;
        Ok(<PermissionAsk as protocol::Ask>::answer(reply).expect("its answer"))
    });
    while waiting(world).await.len() == before && !asked.is_finished() {
        tokio::task::yield_now().await;
    }
    asked
}

async fn waiting(world: &World) -> Vec<Permission> {
    world.ask(&user(), PermissionList::default()).await.expect("they are listed").permissions
}

async fn past(world: &World, id: &str) -> Vec<Permission> {
    let ask = PermissionList { session_id: Some(id.to_owned()), limit: None };
    world.ask(&user(), ask).await.expect("they are listed").permissions
}

fn answer(permission: &Permission, allow: bool) -> PermissionAnswer {
    let Permission { session_id, permission_id, .. } = permission.clone();
    PermissionAnswer { session_id, permission_id, allow, ..PermissionAnswer::default() }
}

fn rule(calls: RuleCalls) -> RuleNew {
    RuleNew { allow: true, agent: None, session_id: None, folder: None, tool: "Bash".to_owned(), calls }
}

fn allowed(allow: bool) -> PermissionDecided {
    PermissionDecided { allowed: Some(allow), ..PermissionDecided::default() }
}

#[tokio::test]
async fn the_user_allows_and_denies() {
    let world = World::new().await;
    let (caller, id) = run(&world, "run-1").await;
    let asked = ask(&world, &caller, asks("cargo test")).await;
    let session = world.session(&id).await;
    assert_eq!((session.state, session.needs.len()), (SessionState::Waiting, 1), "it says it once");
    let need = &session.needs[0];
    assert_eq!((need.kind, need.text.as_str()), (NeedKind::Permission, "Bash: cargo test"));
    let permission = waiting(&world).await.remove(0);
    assert_eq!(need.permission_id.as_ref(), Some(&permission.permission_id));
    assert_eq!((permission.state, permission.command.as_deref()), (PermissionState::Open, Some("cargo test")));
    assert_eq!(permission.expires_at.duration_since(permission.asked_at).as_secs(), 60);

    world.ask(&user(), answer(&permission, true)).await.expect("it waits");
    assert_eq!(asked.await.expect("it ends"), Ok(allowed(true)));
    let session = world.session(&id).await;
    assert_eq!((session.state, session.needs.len()), (SessionState::Running, 0));
    let again = world.ask(&user(), answer(&permission, false)).await.expect_err("it was answered");
    assert_eq!(again.code, Code::PermissionNotFound);

    let asked = ask(&world, &caller, asks("rm -rf target")).await;
    let permission = waiting(&world).await.remove(0);
    let denied = PermissionAnswer { message: Some("Use cargo clean".to_owned()), ..answer(&permission, false) };
    world.ask(&user(), denied).await.expect("it waits");
    let told = PermissionDecided { message: Some("Use cargo clean".to_owned()), ..allowed(false) };
    assert_eq!(asked.await.expect("it ends"), Ok(told));
    let states: Vec<_> = past(&world, &id).await.into_iter().map(|it| (it.state, it.message)).collect();
    let words = Some("Use cargo clean".to_owned());
    assert_eq!(states, [(PermissionState::Denied, words), (PermissionState::Allowed, None)]);
    let log = world.ask(&user(), AuditList::default()).await.expect("it is read").entries;
    let deeds: Vec<_> = log.iter().map(|entry| (entry.deed, entry.subject.as_str())).collect();
    assert_eq!(deeds, [(AuditDeed::Deny, "Bash: rm -rf target"), (AuditDeed::Approve, "Bash: cargo test")]);
    world.running.stop().await;
}

#[tokio::test]
async fn only_who_may_answer_answers() {
    let world = World::new().await;
    let (caller, id) = run(&world, "run-1").await;
    let asked = ask(&world, &caller, asks("cargo test")).await;
    let permission = waiting(&world).await.remove(0);
    let page = Caller::user(Transport::Websocket, "page").with(Rights::Edit);
    for caller in [page, caller.clone(), agent("two")] {
        let refused = world.ask(&caller, answer(&permission, true)).await.expect_err("it may not");
        assert_eq!(refused.code, Code::Unauthorized);
        let refused = world.ask(&caller, rule(RuleCalls::Tool)).await.expect_err("it may not");
        assert_eq!(refused.code, Code::Unauthorized);
    }
    assert!(!asked.is_finished() && waiting(&world).await.len() == 1);
    // Nor does an answer about another session count.
    let (_, other) = run(&world, "run-2").await;
    let wrong = PermissionAnswer { session_id: other, ..answer(&permission, true) };
    assert_eq!(world.ask(&user(), wrong).await.expect_err("not of it").code, Code::PermissionNotFound);
    world.ask(&user(), answer(&permission, true)).await.expect("it waits");
    assert_eq!(asked.await.expect("it ends"), Ok(allowed(true)));
    assert_eq!(past(&world, &id).await.len(), 1);
    world.running.stop().await;
}

#[rstest]
#[case::its_call_is_done(SessionReport { done: Some(Box::new(done("cargo test"))), ..worked() }, true)]
#[case::another_call_is_done(SessionReport { done: Some(Box::new(done("cargo fmt"))), ..worked() }, false)]
#[case::another_tool(SessionReport { done: Some(Box::new(DoneCall { tool: "Edit".to_owned(), ..DoneCall::default() })), ..worked() }, false)]
#[case::it_works(worked(), false)]
#[case::a_prompt(SessionReport { happened: Happened::Prompted, ..worked() }, true)]
#[case::the_end_of_its_turn(SessionReport { happened: Happened::Rests, ..worked() }, true)]
#[case::its_end(SessionReport { happened: Happened::Ended, ..worked() }, true)]
#[tokio::test]
async fn the_first_answer_wins(#[case] then: SessionReport, #[case] settles: bool) {
    let world = World::new().await;
    let (caller, id) = run(&world, "run-1").await;
    let asked = ask(&world, &caller, asks("cargo test")).await;
    world.report(&caller, then).await;
    assert_eq!(waiting(&world).await.is_empty(), settles);
    if settles {
        assert_eq!(asked.await.expect("it ends"), Ok(PermissionDecided::default()), "nobody decided here");
        assert_eq!(past(&world, &id).await[0].state, PermissionState::Elsewhere);
        assert!(world.session(&id).await.needs.is_empty());
    }
    world.running.stop().await;
}

#[tokio::test]
async fn of_two_answers_at_once_one_counts_for_all() {
    let world = World::new().await;
    let (caller, id) = run(&world, "run-1").await;
    for number in 0..20 {
        let command = format!("step {number}");
        let asked = ask(&world, &caller, asks(&command)).await;
        let permission = waiting(&world).await.remove(0);
        let here = world.hub().call(user(), answer(&permission, true).into());
        let report = SessionReport { done: Some(Box::new(done(&command))), ..worked() };
        let there = world.hub().call(caller.clone(), report.into());
        let (here, there) = if number % 2 == 0 {
            tokio::join!(here, there)
        } else {
            let (there, here) = tokio::join!(there, here);
            (here, there)
        };
        there.expect("it is heard");
        let decided = asked.await.expect("it ends").expect("it is answered");
        let state = past(&world, &id).await[0].state;
        match here {
            Ok(_) => assert_eq!((decided, state), (allowed(true), PermissionState::Allowed)),
            Err(error) => {
                assert_eq!(error.code, Code::PermissionNotFound);
                assert_eq!((decided, state), (PermissionDecided::default(), PermissionState::Elsewhere));
            }
        }
        assert_eq!(waiting(&world).await, []);
    }
    world.running.stop().await;
}

fn done(command: &str) -> DoneCall {
    DoneCall { tool: "Bash".to_owned(), input: Some(input_digest(&asks(command).input)), ..DoneCall::default() }
}

#[tokio::test]
async fn whoever_does_not_wait_any_more_asks_by_itself() {
    let world = World::new().await;
    let (caller, id) = run(&world, "run-1").await;
    // Its hook is gone.
    let asked = ask(&world, &caller, asks("one")).await;
    asked.abort();
    while !waiting(&world).await.is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(past(&world, &id).await[0].state, PermissionState::Expired);
    let session = world.session(&id).await;
    assert_eq!(session.needs[0].kind, NeedKind::Waiting, "its own prompt is there now: {session:?}");
    // Its time is up.
    let asked = ask(&world, &caller, PermissionAsk { wait_seconds: 1, ..asks("two") }).await;
    assert_eq!(asked.await.expect("it ends"), Ok(PermissionDecided::default()));
    world.running.stop().await;
}

/// The end of a session in which somebody waits.
#[derive(Clone, Copy)]
enum End {
    Deleted,
    Joined,
    AgentLeft,
}

#[rstest]
#[case::it_is_deleted(End::Deleted)]
#[case::it_is_known_to_be_another(End::Joined)]
#[case::its_agent_ends(End::AgentLeft)]
#[tokio::test]
async fn an_agent_whose_session_ends_asks_by_itself_at_once(#[case] end: End) {
    let world = World::new().await;
    let (caller, id) = run(&world, "run-1").await;
    let asked = ask(&world, &caller, asks("cargo test")).await;
    match end {
        End::Deleted => {
            let delete = SessionDelete { session_id: id.clone(), for_good: false };
            world.ask(&user(), delete).await.expect("it is there");
        }
        End::Joined => {
            let ours = world.write(&agent("one"), todos(&["Plan"])).await.session_id;
            let read = SessionReport { proof: world.proof(&agent("one")).await, ..worked() };
            assert_eq!(world.report(&caller, read).await.session_id, Some(ours), "one run");
        }
        End::AgentLeft => {
            let mut agent = agent("one");
            agent.agent.as_mut().expect("an agent").own_session = Some("run-1".to_owned());
            assert_eq!(world.write(&agent, todos(&["Plan"])).await.session_id, id, "one run");
            world.ask(&agent, SessionLeave {}).await.expect("it leaves");
            assert_eq!(past(&world, &id).await[0].state, PermissionState::Elsewhere);
        }
    }
    assert_eq!(asked.await.expect("it ends"), Ok(PermissionDecided::default()));
    assert_eq!(waiting(&world).await, []);
    if matches!(end, End::Deleted) {
        world.ask(&user(), SessionUndelete { session_id: id.clone() }).await.expect("it comes back");
        assert_eq!(past(&world, &id).await[0].state, PermissionState::Elsewhere);
        assert!(world.session(&id).await.needs.iter().all(|need| need.kind != NeedKind::Permission));
    }
    world.running.stop().await;
}

#[tokio::test]
async fn after_a_start_nobody_waits() {
    let world = World::new().await;
    let (caller, id) = run(&world, "run-1").await;
    let asked = ask(&world, &caller, asks("one")).await;
    let database = world.folder.path().join("sightline.db");
    let copy = tempfile::tempdir().expect("a folder");
    // As it is when the process is killed.
    for name in ["sightline.db", "sightline.db-wal"] {
        std::fs::copy(database.with_file_name(name), copy.path().join(name)).expect("copied");
    }
    asked.abort();
    let killed = super::World { folder: copy, ..world };
    let world = killed.restart().await;
    while past(&world, &id).await[0].state != PermissionState::Expired {
        tokio::task::yield_now().await;
    }
    assert!(waiting(&world).await.is_empty());
    world.running.stop().await;
}

#[tokio::test]
async fn a_rule_decides_for_the_user_and_only_what_it_is_for() {
    let world = World::new().await;
    let (caller, id) = run(&world, "run-1").await;
    let asked = ask(&world, &caller, asks("cargo test -p hub")).await;
    let permission = waiting(&world).await.remove(0);
    let words = vec!["cargo".to_owned(), "test".to_owned()];
    let always = RuleNew {
        folder: Some("/home/me/billing".to_owned()),
        agent: Some("codex".to_owned()),
        ..rule(RuleCalls::Command { words })
    };
    let with_rule = PermissionAnswer { rule: Some(always.clone()), ..answer(&permission, true) };
    world.ask(&user(), with_rule).await.expect("it waits");
    assert_eq!(asked.await.expect("it ends"), Ok(allowed(true)));

    let again = ask(&world, &caller, asks("cargo test --release")).await;
    assert_eq!(again.await.expect("it ends"), Ok(allowed(true)), "nobody was asked");
    let other = ask(&world, &caller, asks("cargo test; rm -rf /")).await;
    assert_eq!(waiting(&world).await.len(), 1, "that is another command");
    other.abort();
    // A rule that denies comes first.
    let never = RuleNew { allow: false, ..rule(RuleCalls::Tool) };
    let never = world.ask(&user(), never).await.expect("it is made");
    let denied = ask(&world, &caller, PermissionAsk { wait_seconds: 0, ..asks("cargo test") }).await;
    assert_eq!(denied.await.expect("it ends"), Ok(allowed(false)));
    world.ask(&user(), RuleDelete { rule_id: never.rule_id.clone() }).await.expect("it is there");
    let gone = world.ask(&user(), RuleDelete { rule_id: never.rule_id }).await.expect_err("it is gone");
    assert_eq!(gone.code, Code::RuleNotFound);

    let world = world.restart().await;
    let rules = world.ask(&user(), RuleList {}).await.expect("listed").rules;
    assert_eq!(rules.iter().map(|rule| (&rule.says, rule.decided)).collect::<Vec<_>>(), [(&always, 1)]);
    let narrower = RuleNew { calls: RuleCalls::Input { input: "cargo fmt".to_owned() }, ..always };
    let edit = RuleEdit { rule_id: rules[0].rule_id.clone(), says: narrower.clone() };
    assert_eq!(world.ask(&user(), edit).await.expect("it is there").says, narrower);
    let quiet = |command| PermissionAsk { wait_seconds: 0, ..asks(command) };
    world.pass(1);
    assert_eq!(world.ask(&caller, quiet("cargo fmt")).await, Ok(allowed(true)));
    assert_eq!(world.ask(&caller, quiet("cargo test")).await, Ok(PermissionDecided::default()), "nobody is asked");
    let told: Vec<_> = past(&world, &id).await.into_iter().map(|it| (it.state, it.rule_id.is_some())).collect();
    assert_eq!(told[0], (PermissionState::Allowed, true));
    world.running.stop().await;
}

#[tokio::test]
async fn a_rule_for_a_session_decides_what_waits_in_it_and_goes_with_it() {
    let world = World::new().await;
    let (caller, id) = run(&world, "run-1").await;
    let (other, _) = run(&world, "run-2").await;
    let first = ask(&world, &caller, asks("one")).await;
    let second = ask(&world, &caller, asks("two")).await;
    let elsewhere = ask(&world, &other, asks("two")).await;
    let permission = waiting(&world).await.remove(0);
    let rule = RuleNew { session_id: Some(id.clone()), ..rule(RuleCalls::Tool) };
    let with_rule = PermissionAnswer { rule: Some(rule), ..answer(&permission, true) };
    world.ask(&user(), with_rule).await.expect("it waits");
    assert_eq!(first.await.expect("it ends"), Ok(allowed(true)));
    assert_eq!(second.await.expect("it ends"), Ok(allowed(true)));
    assert!(!elsewhere.is_finished(), "it is another session");
    let delete = SessionDelete { session_id: id, for_good: true };
    world.ask(&user(), delete).await.expect("it is there");
    world.hub().sweep().await.expect("swept");
    let world = world.restart().await;
    assert!(world.ask(&user(), RuleList {}).await.expect("listed").rules.is_empty());
    world.running.stop().await;
}

#[tokio::test]
async fn questions_are_answered() {
    let world = World::new().await;
    let (caller, _) = run(&world, "run-1").await;
    let option = |label: &str| QuestionOption { label: label.to_owned(), description: None };
    let question = |multiple| Question {
        text: "Which database?".to_owned(),
        options: vec![option("SQLite"), option("Postgres")],
        multiple,
        header: None,
    };
    let questions = vec![question(false), question(true)];
    let asked = ask(&world, &caller, PermissionAsk { questions, ..asks("") }).await;
    let permission = waiting(&world).await.remove(0);
    let with = |answers: &[&[&str]]| PermissionAnswer {
        answers: answers.iter().map(|one| one.iter().map(|&word| word.to_owned()).collect()).collect(),
        ..answer(&permission, true)
    };
    for wrong in [with(&[]), with(&[&["SQLite"]]), with(&[&["SQLite", "Postgres"], &["SQLite"]]), with(&[&[], &["x"]])]
    {
        let refused = world.ask(&user(), wrong).await.expect_err("an answer is missing");
        assert_eq!(refused.code, Code::InvalidMessage);
    }
    world.ask(&user(), with(&[&["SQLite"], &["Postgres", "Something else"]])).await.expect("it waits");
    let told = asked.await.expect("it ends").expect("answered");
    assert_eq!(told.answers, [vec!["SQLite"], vec!["Postgres", "Something else"]]);
    world.running.stop().await;
}

#[rstest]
#[case::no_tool(PermissionAsk { tool: String::new(), ..asks("x") })]
#[case::a_long_tool(PermissionAsk { tool: "x".repeat(201), ..asks("x") })]
#[case::a_tool_with_a_line(PermissionAsk { tool: "Ba\nsh".to_owned(), ..asks("x") })]
#[case::no_json(PermissionAsk { input: "{".to_owned(), ..asks("x") })]
#[case::too_much(PermissionAsk { input: format!("\"{}\"", "x".repeat(300_000)), ..asks("x") })]
#[case::too_long(PermissionAsk { wait_seconds: 3_601, ..asks("x") })]
#[tokio::test]
async fn what_cannot_be_asked_is_refused(#[case] wrong: PermissionAsk) {
    let world = World::new().await;
    let (caller, _) = run(&world, "run-1").await;
    assert_eq!(world.ask(&caller, wrong).await.expect_err("wrong").code, Code::InvalidMessage);
    assert_eq!(world.ask(&hook("another"), asks("x")).await.expect_err("unknown").code, Code::SessionNotFound);
    world.running.stop().await;
}

#[tokio::test]
async fn thirty_sessions_ask_at_once_and_one_of_them_not_without_end() {
    let world = World::new().await;
    let mut asked = Vec::new();
    for number in 0..30 {
        let (caller, _) = run(&world, &format!("run-{number}")).await;
        asked.push(ask(&world, &caller, asks(&format!("step {number}"))).await);
    }
    let permissions = waiting(&world).await;
    assert_eq!(permissions.len(), 30);
    for (number, permission) in permissions.iter().enumerate() {
        world.ask(&user(), answer(permission, number % 2 == 0)).await.expect("it waits");
    }
    for (number, asked) in asked.into_iter().enumerate() {
        assert_eq!(asked.await.expect("it ends"), Ok(allowed(number % 2 == 0)));
    }
    let (caller, _) = run(&world, "run-30").await;
    let mut asked = Vec::new();
    for number in 0..32 {
        asked.push(ask(&world, &caller, asks(&format!("step {number}"))).await);
    }
    let refused = world.ask(&caller, asks("one more")).await.expect_err("it waits for enough");
    assert_eq!(refused.code, Code::LimitExceeded);
    let list = world.write(&agent("busy"), todos(&["A"])).await;
    assert_eq!(list.todos.len(), 1, "nobody else waits for it");
    world.running.stop().await;
}
