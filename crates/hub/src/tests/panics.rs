//! A panic in the writer: its caller is told, and nobody else notices.

use super::own_lists::{hook, worked};
use super::{World, agent, config, contents, todos, user};
use crate::error::Result;
use crate::turn::Turn;
use crate::writer::Work;
use crate::{Config, Hub, start};
use futures_util::StreamExt;
use futures_util::future::join_all;
use jiff::Timestamp;
use protocol::{
    Ask, Backend, Code, Event, GatewayState, KeyNew, KeyRevoke, PermissionAnswer, PermissionAsk, PermissionDecided,
    PermissionList, Reply, Rights, RuleCalls, RuleNew, SessionGet, SessionList, SessionReport, TodoAdd, TodoRead,
    TodoWrite,
};
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A change that panics, after it has written something or before.
struct Panics {
    session: Option<String>,
}

impl Work for Panics {
    type Answer = ();

    async fn perform(&self, turn: &mut Turn<'_, '_>) -> Result<()> {
        if let Some(session) = &self.session {
            let mut live = turn.find(session).await?;
            live.row.who.title = "half".to_owned();
            turn.save(&mut live, crate::turn::News::Updated).await?;
        }
        panic!("the test's own")
    }
}

async fn titles(world: &World) -> Vec<String> {
    let listed = world.ask(&user(), SessionList::default()).await.expect("they are listed");
    listed.sessions.into_iter().map(|session| session.title).collect()
}

#[tokio::test]
async fn a_change_that_panics_is_answered_and_others_go_on() {
    let world = World::new().await;
    let written = world.write(&agent("one"), todos(&["First"])).await;
    let before = titles(&world).await;
    let (mut snapshot, session) = (world.hub().subscribe(None).await.expect("a subscription"), written.session_id);
    for session in [None, Some(session.clone())] {
        let work = Panics { session };
        let error = world.hub().queue.submit(work).await.expect_err("it panics");
        assert_eq!(error.code, Code::Internal);
        assert!(error.message.contains("nothing was changed"), "{}", error.message);
    }
    assert_eq!(titles(&world).await, before, "what it had written is gone");
    world.hub().writes().await.expect("changes can be made");
    let add = TodoAdd { session_id: session.clone(), content: "Second".to_owned(), ..TodoAdd::default() };
    world.ask(&user(), add).await.expect("it is added");
    // The subscription goes on, and tells nothing of what did not happen.
    let told = snapshot.events.next().await.expect("it is told");
    assert!(matches!(told.event(), Event::TodoUpdate(update) if contents(&update.todos) == ["First", "Second"]));
    let world = world.restart().await;
    let read = world.ask(&user(), SessionGet { session_id: session, revision: None }).await.expect("it is there");
    assert_eq!((contents(&read.todos), titles(&world).await), (vec!["First", "Second"], before));
}

/// Those in one transaction with it lose nothing, and what each of them was told is so.
#[tokio::test]
async fn the_batch_of_a_change_that_panics_is_made_without_it() {
    let world = World::new().await;
    let session = world.write(&agent("one"), todos(&["First"])).await.session_id;
    // All are in the queue before the writer has its turn.
    let add = |at: usize| TodoAdd { session_id: session.clone(), content: format!("Step {at}"), ..TodoAdd::default() };
    let before: Vec<_> = (0..8).map(|at| world.hub().call(user(), add(at).into())).collect();
    let panics = world.hub().queue.submit(Panics { session: Some(session.clone()) });
    let after: Vec<_> = (8..16).map(|at| world.hub().call(user(), add(at).into())).collect();
    let (before, panics, after) = tokio::join!(join_all(before), panics, join_all(after));
    assert_eq!(panics.expect_err("it panics").code, Code::Internal);
    assert!(before.iter().chain(&after).all(std::result::Result::is_ok));
    let read = world.ask(&user(), SessionGet { session_id: session, revision: None }).await.expect("it is there");
    let expected: Vec<String> = (0..16).map(|at| format!("Step {at}")).collect();
    assert_eq!(contents(&read.todos)[1..], expected);
}

/// Keys are changed without a list: they are in memory, after a panic in whatever place, as the database has them.
#[tokio::test]
async fn wherever_it_panics_the_keys_are_those_that_are_stored() {
    let folder = tempfile::tempdir().expect("a folder");
    let clock = Clock { looks_left: Arc::default() };
    let running = start(clock.config(&folder)).await.expect("it starts");
    let hub = running.hub.clone();
    let names = |hub: &Hub| hub.keys().borrow().iter().map(|known| known.key.name.clone()).collect::<Vec<_>>();
    let (mut expected, mut refused) = (Vec::new(), 0);
    for look in 1_usize.. {
        clock.looks_left.store(look, Ordering::Relaxed);
        let ask = KeyNew { name: format!("look {look}"), rights: Some(Rights::Look) };
        let made = hub.call(user(), ask.clone().into()).await;
        let is_past = clock.looks_left.swap(0, Ordering::Relaxed) > 0;
        match made {
            Ok(_) => expected.push(ask.name),
            Err(_) => refused += 1,
        }
        assert_eq!(names(&hub), expected, "look {look}");
        if is_past {
            break;
        }
        // The next one's end, too.
        if let Some(name) = expected.first().cloned() {
            clock.looks_left.store(look, Ordering::Relaxed);
            let ended = hub.call(user(), KeyRevoke { key_id: name }.into()).await;
            clock.looks_left.store(0, Ordering::Relaxed);
            if ended.is_ok() {
                expected.remove(0);
            }
            assert_eq!(names(&hub), expected, "look {look}");
        }
    }
    assert!(refused > 0, "the clock panics in a change");
    running.stop().await;
    let running = start(clock.config(&folder)).await.expect("it starts again");
    assert_eq!(names(&running.hub), expected);
    running.stop().await;
}

/// A hub whose clock panics at its nth look from when it is told to.
struct Clock {
    looks_left: Arc<AtomicUsize>,
}

impl Clock {
    fn config(&self, folder: &tempfile::TempDir) -> Config {
        let now = Arc::new(Mutex::new(Timestamp::from_second(1_700_000_000).expect("a time")));
        let config = config(folder, &now, &Arc::new(Mutex::new(Duration::ZERO)));
        let (looks_left, usual) = (self.looks_left.clone(), config.now.clone());
        let look = move || {
            let looks = looks_left.try_update(Ordering::Relaxed, Ordering::Relaxed, |looks| looks.checked_sub(1));
            assert!(looks != Ok(1), "the test's own");
            usual()
        };
        Config { now: Arc::new(look), ..config }
    }
}

/// Wherever it panics, also after the commit: what was acknowledged is there, memory is what the database has, and the
/// next change succeeds.
#[tokio::test]
async fn wherever_it_panics_nothing_acknowledged_is_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let clock = Clock { looks_left: Arc::default() };
    let running = start(clock.config(&folder)).await.expect("it starts");
    let hub = running.hub.clone();
    let write = |content: String| TodoWrite { todos: json!([{ "content": content }]), ..TodoWrite::default() };
    let ask = async |request: protocol::Request| hub.call(agent("one"), request).await;
    ask(write("begin".to_owned()).into()).await.expect("it is written");
    let mut refused = 0;
    for look in 1_usize.. {
        let mut subscribed = hub.subscribe(None).await.expect("a subscription");
        clock.looks_left.store(look, Ordering::Relaxed);
        let content = format!("look {look}");
        let answer = ask(write(content.clone()).into()).await;
        let is_past = clock.looks_left.swap(0, Ordering::Relaxed) > 0;
        refused += usize::from(answer.is_err());
        let read = TodoRead::answer(ask(TodoRead::default().into()).await.expect("it is read")).expect("a list");
        let is_there = contents(&read.todos) == [content.as_str()];
        assert_eq!(is_there, answer.is_ok(), "look {look}: {answer:?}");
        // A page that was there learns it, or is told to begin anew.
        if is_there {
            let told = subscribed.events.next().await.expect("it is told");
            let begins = |state: GatewayState| state == GatewayState::Lagged;
            assert!(match told.event() {
                Event::TodoUpdate(update) => contents(&update.todos) == [content.as_str()],
                Event::GatewayState(state) => begins(state.state),
                other => panic!("{other:?}"),
            });
        }
        // The clock was not looked at so often: it never panicked.
        if is_past {
            break;
        }
    }
    assert!(refused > 0, "the clock panics in a change");
    let last = TodoRead::answer(ask(TodoRead::default().into()).await.expect("it is read")).expect("a list");
    running.stop().await;
    let running = start(clock.config(&folder)).await.expect("it starts again");
    let again = running.hub.call(agent("one"), TodoRead::default().into()).await.expect("it is read");
    let again = TodoRead::answer(again).expect("a list");
    assert_eq!((contents(&again.todos), again.revision), (contents(&last.todos), last.revision));
    running.stop().await;
}

/// Those who wait for a permission wait on, the user's answer reaches them, and the rules decide.
#[tokio::test]
async fn wherever_it_panics_who_waits_for_a_permission_waits_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let clock = Clock { looks_left: Arc::default() };
    let running = start(clock.config(&folder)).await.expect("it starts");
    let hub = running.hub.clone();
    let begins = SessionReport { begins: true, ..worked() };
    hub.call(hook("run-1"), begins.into()).await.expect("it begins");
    let calls = RuleCalls::Tool;
    let rule = RuleNew { allow: true, agent: None, session_id: None, folder: None, tool: "Edit".to_owned(), calls };
    hub.call(user(), rule.into()).await.expect("it is made");
    let ask = |tool: &str, wait_seconds: u32| PermissionAsk {
        tool: tool.to_owned(),
        input: "{}".to_owned(),
        wait_seconds,
        ..PermissionAsk::default()
    };
    let asked = tokio::spawn(hub.call(hook("run-1"), ask("Bash", 3_600).into()));
    let open = async || match hub.call(user(), PermissionList::default().into()).await.expect("they are listed") {
        Reply::PermissionList(listed) => listed.permissions,
        other => panic!("{other:?}"),
    };
    while open().await.is_empty() {
        tokio::task::yield_now().await;
    }
    let mut refused = 0;
    for look in 1_usize.. {
        clock.looks_left.store(look, Ordering::Relaxed);
        let write = TodoWrite { todos: json!([{ "content": format!("look {look}") }]), ..TodoWrite::default() };
        refused += usize::from(hub.call(agent("one"), write.into()).await.is_err());
        let is_past = clock.looks_left.swap(0, Ordering::Relaxed) > 0;
        let by_rule = hub.call(hook("run-1"), ask("Edit", 0).into()).await.expect("the rule decides");
        assert!(matches!(by_rule, Reply::PermissionAsk(decided) if decided.allowed == Some(true)), "look {look}");
        assert_eq!(open().await.len(), 1, "look {look}");
        if is_past {
            break;
        }
    }
    assert!(refused > 0, "the clock panics in a change");
    let permission = open().await.remove(0);
    let (session_id, permission_id) = (permission.session_id, permission.permission_id);
    let answer = PermissionAnswer { session_id, permission_id, allow: true, ..PermissionAnswer::default() };
    hub.call(user(), answer.into()).await.expect("it waits");
    let decided = PermissionAsk::answer(asked.await.expect("it ends").expect("it is answered"));
    assert_eq!(decided, Some(PermissionDecided { allowed: Some(true), ..PermissionDecided::default() }));
    running.stop().await;
}
