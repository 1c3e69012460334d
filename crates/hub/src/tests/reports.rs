//! Answers that agents get by their hooks.

use super::{World, agent, contents, delete, labelled, todos, user};
use protocol::{
    AgentIdentity, AgentInfo, Caller, Code, EditState, Happened, ListState, NoteSend, SessionGet, SessionLeave,
    SessionList, SessionReport, SessionReported, SessionState, TodoDelivered, TodoRead, TodoWrite, Transport,
};

/// A hook of a run of `codex`, by that run's own id.
fn hook(own: &str) -> Caller {
    let identity = AgentIdentity {
        agent: AgentInfo { name: "codex".to_owned(), version: None },
        own_session: Some(own.to_owned()),
        folder: Some("/home/me/billing".to_owned()),
        ..AgentIdentity::default()
    };
    Caller::agent(Transport::Hook, own.to_owned(), identity)
}

async fn report(world: &World, caller: &Caller, read: Option<&str>, listens: bool) -> SessionReported {
    let ask = SessionReport { proof: read.map(str::to_owned), listens, ..SessionReport::default() };
    world.ask(caller, ask).await.expect("it is heard")
}

async fn told(world: &World, caller: &Caller, reported: &SessionReported) {
    let delivered = TodoDelivered {
        session_id: reported.session_id.clone().expect("it is known"),
        revision: None,
        edits: reported.edits.iter().map(|edit| edit.edit_id.clone()).collect(),
        tool_call: Some("hook PostToolUse".to_owned()),
    };
    world.ask(caller, delivered).await.expect("it is noted");
}

async fn note(world: &World, session_id: &str, text: &str) {
    let ask = NoteSend { session_id: session_id.to_owned(), text: text.to_owned() };
    world.ask(&user(), ask).await.expect("it is taken");
}

#[tokio::test]
async fn a_hook_hears_what_its_run_was_not_told_once() {
    let world = World::new().await;
    let codex = agent("one");
    let id = world.write(&codex, todos(&["A", "B"])).await.session_id;
    assert_eq!(report(&world, &hook("run-1"), None, true).await, SessionReported::default(), "nobody knows it yet");
    let page = world.ask(&user(), SessionList::default()).await.expect("they are listed");
    assert_eq!(page.sessions.len(), 1, "a hook alone makes no session");

    let known = report(&world, &hook("run-1"), world.proof(&agent("one")).await.as_deref(), false).await;
    assert_eq!((known.session_id.as_deref(), known.edits.len()), (Some(id.as_str()), 0));
    world.ask(&user(), delete(&id, "2")).await.expect("it is there");
    note(&world, &id, "use the staging database").await;
    assert_eq!(report(&world, &hook("run-1"), None, false).await.edits, [], "what is not listened to is not told");
    let heard = report(&world, &hook("run-1"), None, true).await;
    assert_eq!((heard.edits.len(), contents(&heard.todos)), (2, vec!["A"]));
    told(&world, &hook("run-1"), &heard).await;
    assert_eq!(report(&world, &hook("run-1"), None, true).await.edits, []);
    let read = world.ask(&codex, TodoRead::default()).await.expect("it reads");
    assert_eq!(read.edits, [], "nor by the next result");
    let edits = world.ask(&user(), SessionGet { session_id: id.clone(), revision: None }).await.expect("there").edits;
    let states: Vec<_> = edits.iter().map(|edit| (edit.state, edit.tool_call.as_deref())).collect();
    assert_eq!(states, [(EditState::Delivered, Some("hook PostToolUse")); 2]);

    // The list in a hook's answer counts as delivered: an agent that follows it reflects it, although no result said so.
    world.write(&codex, todos(&["A"])).await;
    let edits = world.ask(&user(), SessionGet { session_id: id, revision: None }).await.expect("there").edits;
    assert_eq!(edits[0].state, EditState::Reflected);
    world.running.stop().await;
}

#[tokio::test]
async fn what_was_learnt_of_a_run_lasts_and_the_newest_counts() {
    let world = World::new().await;
    let first = world.write(&agent("one"), todos(&["A"])).await.session_id;
    report(&world, &hook("run-1"), world.proof(&agent("one")).await.as_deref(), false).await;
    let world = world.restart().await;
    assert_eq!(report(&world, &hook("run-1"), None, true).await.session_id, Some(first));
    // The run was resumed: another process of its tool server, another session of ours.
    let second = world.write(&agent("two"), todos(&["B"])).await.session_id;
    report(&world, &hook("run-1"), world.proof(&agent("two")).await.as_deref(), false).await;
    assert_eq!(report(&world, &hook("run-1"), None, true).await.session_id, Some(second.clone()));
    let world = world.restart().await;
    assert_eq!(report(&world, &hook("run-1"), None, true).await.session_id, Some(second.clone()));
    let foreign = report(&world, &hook("run-1"), Some("0199aa11-2b3c-7d4e-8f50-123456789abc"), true).await;
    assert_eq!(foreign.session_id, Some(second), "a result of another gateway means nothing here");
    world.running.stop().await;
}

#[tokio::test]
async fn hooks_side_by_side_tell_once_and_an_answer_that_was_lost_is_made_up_for() {
    let world = World::new().await;
    let id = world.write(&agent("one"), todos(&["A"])).await.session_id;
    report(&world, &hook("run-1"), world.proof(&agent("one")).await.as_deref(), false).await;
    note(&world, &id, "one").await;
    let (one, two) = (hook("run-1"), hook("run-1"));
    let (one, two) = tokio::join!(report(&world, &one, None, true), report(&world, &two, None, true));
    assert_eq!((one.edits.len(), two.edits.len()), (1, 0));
    // Its hook died before it could say so.
    assert_eq!(report(&world, &hook("run-1"), None, true).await.edits, []);
    world.pass(1);
    assert_eq!(report(&world, &hook("run-1"), None, true).await.edits.len(), 1);
    let read = world.ask(&agent("one"), TodoRead::default()).await.expect("it reads");
    assert_eq!(read.edits.len(), 1, "a result of ours does not wait for hooks");
    world.running.stop().await;
}

#[tokio::test]
async fn a_report_says_that_the_agent_is_at_work() {
    let world = World::new().await;
    let id = world.write(&agent("one"), todos(&["A"])).await.session_id;
    report(&world, &hook("run-1"), world.proof(&agent("one")).await.as_deref(), false).await;
    world.pass(20);
    let get = || SessionGet { session_id: id.clone(), revision: None };
    assert_eq!(world.ask(&user(), get()).await.expect("there").session.state, SessionState::Stale);
    report(&world, &hook("run-1"), None, false).await;
    assert_eq!(world.ask(&user(), get()).await.expect("there").session.state, SessionState::Running);
    let nobody = world.ask(&user(), SessionReport::default()).await.expect_err("a person is no agent");
    assert_eq!(nobody.code, Code::InvalidMessage);
    world.running.stop().await;
}

/// The tool server of the run that says the same id.
fn same_run(own: &str, label: Option<&str>) -> Caller {
    let mut caller = agent(own);
    if let Some(agent) = &mut caller.agent {
        agent.own_session = Some(own.to_owned());
        agent.label = label.map(str::to_owned);
    }
    caller
}

fn happened(happened: Happened, text: &str) -> SessionReport {
    let text = Some(text.to_owned()).filter(|text| !text.is_empty());
    SessionReport { happened, text, begins: true, ..SessionReport::default() }
}

#[tokio::test]
async fn a_run_is_seen_from_its_prompt_to_its_end() {
    let world = World::new().await;
    let run = hook("run-1");
    let reported = |what| world.ask(&run, what);
    let asked = happened(Happened::Prompted, "Prepare the release\nof version 2");
    let id = reported(asked).await.expect("it is heard").session_id.expect("it is one from now on");
    let seen =
        || async { world.ask(&user(), SessionGet { session_id: id.clone(), revision: None }).await.expect("there") };
    let session = seen().await.session;
    assert_eq!((session.title.as_str(), session.list_state), ("Prepare the release…", ListState::NeverCalled));
    let list = TodoWrite { todos: todos(&["A", "B"]), ..TodoWrite::default() };
    let written = world.ask(&same_run("run-1", None), list).await.expect("it is written");
    assert_eq!(written.session_id, id, "its list is that session's");
    let session = seen().await.session;
    assert_eq!((session.title.as_str(), session.list_state), ("Prepare the release…", ListState::Active));
    for (what, text, state, reason) in [
        (Happened::Worked, "", SessionState::Running, None),
        (Happened::Waits, "approval: Bash", SessionState::Waiting, Some("approval: Bash")),
        (Happened::Worked, "", SessionState::Running, None),
        (Happened::Rests, "", SessionState::Idle, None),
        (Happened::Prompted, "Go on", SessionState::Running, None),
        (Happened::Ended, "exit", SessionState::Finished, Some("exit")),
        (Happened::Prompted, "Once more", SessionState::Running, None),
    ] {
        reported(happened(what, text)).await.expect("it is heard");
        let session = seen().await.session;
        assert_eq!((session.state, session.state_reason.as_deref()), (state, reason), "{what:?}");
        assert_eq!(session.title, "Prepare the release…", "what was asked first");
    }
    world.running.stop().await;
}

#[tokio::test]
async fn what_was_asked_before_the_session_was_known_is_its_title() {
    let world = World::new().await;
    let asked = SessionReport { begins: false, ..happened(Happened::Prompted, "Prepare the release") };
    let unknown = world.ask(&hook("run-1"), asked).await.expect("it is heard");
    assert_eq!(unknown.session_id, None, "its tool server says nothing of it, so it may be any");
    let id = world.write(&agent("one"), todos(&["A"])).await.session_id;
    report(&world, &hook("run-1"), world.proof(&agent("one")).await.as_deref(), false).await;
    let session = world.ask(&user(), SessionGet { session_id: id, revision: None }).await.expect("there").session;
    assert_eq!(session.title, "Prepare the release");
    world.running.stop().await;
}

#[tokio::test]
async fn a_label_is_given_to_the_session_that_only_hooks_know() {
    let world = World::new().await;
    let id = world.ask(&hook("run-1"), happened(Happened::Prompted, "Go")).await.expect("it is heard").session_id;
    let list = TodoWrite { todos: todos(&["A"]), ..TodoWrite::default() };
    let written = world.ask(&same_run("run-1", Some("release")), list).await.expect("it is written");
    assert_eq!((Some(&written.session_id), written.session.as_deref()), (id.as_ref(), Some("release")));
    note(&world, "release", "stop").await;
    assert_eq!(report(&world, &hook("run-1"), None, true).await.edits.len(), 1);
    world.running.stop().await;
}

#[tokio::test]
async fn a_session_ends_with_the_last_of_those_that_share_it() {
    let world = World::new().await;
    let (one, two) = (labelled("one"), labelled("two"));
    let (here, there) = (world.hub().present("one"), world.hub().present("two"));
    let list = || TodoWrite { todos: todos(&["A"]), ..TodoWrite::default() };
    let id = world.ask(&one, list()).await.expect("it is written").session_id;
    world.ask(&two, list()).await.expect("it is written");
    let state = || async {
        let ask = SessionGet { session_id: id.clone(), revision: None };
        world.ask(&user(), ask).await.expect("there").session.state
    };
    world.ask(&one, SessionLeave {}).await.expect("it leaves");
    assert_eq!(state().await, SessionState::Running, "the other one is still at it");
    drop(here);
    world.ask(&two, SessionLeave {}).await.expect("it leaves");
    assert_eq!(state().await, SessionState::Finished);
    drop(there);
    world.running.stop().await;
}

/// Gemini says no id to its tool server; both have its process above them.
fn of_process(mut caller: Caller, processes: &[&str]) -> Caller {
    if let Some(agent) = &mut caller.agent {
        agent.processes = processes.iter().map(|process| (*process).to_owned()).collect();
    }
    caller
}

#[tokio::test]
async fn a_resumed_run_goes_on_with_its_session_by_its_process() {
    let world = World::new().await;
    let first = of_process(agent("server-1"), &["100:1", "1:1"]);
    let id = world.write(&first, todos(&["A", "B"])).await.session_id;
    let proof = world.proof(&first).await;
    report(&world, &of_process(hook("run-1"), &["200:1", "100:1", "7:0"]), proof.as_deref(), false).await;
    let other = world.write(&of_process(agent("server-2"), &["101:1"]), todos(&["Other"])).await.session_id;
    assert_ne!(other, id, "another run in the same folder is another session");

    // Another process, the same run: its hook comes before its first list.
    world.pass(60);
    report(&world, &of_process(hook("run-1"), &["301:9", "300:9", "7:0"]), None, true).await;
    let resumed = of_process(agent("server-3"), &["300:9", "7:0"]);
    assert_eq!(world.write(&resumed, todos(&["A", "B"])).await.session_id, id);
    let mut other = of_process(agent("server-5"), &["300:9"]);
    if let Some(agent) = &mut other.agent {
        agent.agent.name = "opencode".to_owned();
    }
    assert_ne!(world.write(&other, todos(&["A"])).await.session_id, id, "an agent run by another is not that one");
    let (_one, _two) = (world.hub().present("server-3"), world.hub().present("server-6"));
    world.write(&resumed, todos(&["A", "B"])).await;
    let beside = of_process(agent("server-6"), &["300:9"]);
    assert_ne!(world.write(&beside, todos(&["A"])).await.session_id, id, "nor one beside it in the same process");
    let reused = of_process(agent("server-4"), &["300:10"]);
    assert_ne!(world.write(&reused, todos(&["A"])).await.session_id, id, "an id used again is another process");
    world.running.stop().await;
}
