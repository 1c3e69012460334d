//! The model, tokens, cost and files of a session.

use super::own_lists::{file, hook, worked};
use super::{World, agent, todos, user};
use crate::{ChatEntry, StoredChat};
use protocol::{ChangedFile, DoneCall, GatewayStatus, Happened, SessionFiles, SessionReport, SessionState, Usage};
use serde_json::json;

fn used(context: u64, cost: Option<u64>) -> Usage {
    let model = Some("claude-opus-4-5".to_owned());
    Usage { model, context_tokens: Some(context), micro_dollars: cost, ..Usage::default() }
}

fn told(usage: Usage) -> SessionReport {
    SessionReport { usage: Some(Box::new(usage)), ..worked() }
}

fn changed(file: &str) -> SessionReport {
    let file = Some(file.to_owned());
    let done = DoneCall { tool: "Edit".to_owned(), text: file.clone(), file, ..DoneCall::default() };
    SessionReport { done: Some(Box::new(done)), tool: true, ..worked() }
}

impl World {
    async fn commits(&self) -> u64 {
        self.ask(&user(), GatewayStatus {}).await.expect("it is told").commits
    }

    async fn files(&self, id: &str) -> Vec<ChangedFile> {
        self.ask(&user(), SessionFiles { session_id: id.to_owned() }).await.expect("they are listed").files
    }
}

// Of a run with hooks its file tells nothing else.
#[tokio::test]
async fn a_file_tells_what_a_run_with_hooks_has_used() {
    let world = World::new().await;
    let id = world.report(&hook("run-1"), worked()).await.session_id.expect("it begins");
    assert_eq!(world.session(&id).await.usage, None);
    world.pass(2);
    let rests = SessionReport { happened: Happened::Rests, ..worked() };
    world.report(&hook("run-1"), rests).await;
    let by_file = SessionReport { at: Some(world.ago(1)), ..told(used(46_000, Some(420_000))) };
    world.report(&file("run-1"), by_file.clone()).await;
    let session = world.session(&id).await;
    assert_eq!(session.usage, Some(Usage { at: world.ago(1), ..used(46_000, Some(420_000)) }));
    assert_eq!(session.state, SessionState::Idle, "it still rests");
    let commits = world.commits().await;
    world.report(&file("run-1"), by_file).await;
    let older = SessionReport { at: Some(world.ago(2)), ..told(used(9, None)) };
    world.report(&file("run-1"), older).await;
    assert_eq!(world.commits().await, commits, "nothing of it is new");
    world.report(&hook("run-1"), told(used(50_000, None))).await;
    let world = world.restart().await;
    let expected = Usage { at: world.ago(0), ..used(50_000, Some(420_000)) };
    assert_eq!(world.session(&id).await.usage, Some(expected));
    world.running.stop().await;
}

#[tokio::test]
async fn the_files_that_a_session_changed_are_kept() {
    let world = World::new().await;
    let id = world.report(&hook("run-1"), changed("/home/me/billing/src/lib.rs")).await.session_id.expect("it begins");
    world.pass(1);
    world.report(&hook("run-1"), changed("src/main.rs")).await;
    world.pass(1);
    world.report(&hook("run-1"), changed("src/lib.rs")).await;
    for hostile in ["src/a\nb.rs", "src/\u{1b}[31m.rs", "x".repeat(5_000).as_str()] {
        world.report(&hook("run-1"), changed(hostile)).await;
    }
    let world = world.restart().await;
    let file = |name: &str, times, minutes| ChangedFile {
        path: format!("/home/me/billing/src/{name}"),
        times,
        at: world.ago(minutes),
        agent: None,
    };
    assert_eq!(world.files(&id).await, [file("lib.rs", 2, 0), file("main.rs", 1, 1)]);
    for number in 0..201 {
        world.pass(1);
        world.report(&hook("run-1"), changed(&format!("src/{number}.rs"))).await;
    }
    let files = world.files(&id).await;
    assert_eq!((files.len(), files[0].path.as_str()), (200, "/home/me/billing/src/200.rs"));
    assert_eq!(files[199].path, "/home/me/billing/src/1.rs", "the oldest went");
    world.running.stop().await;
}

#[tokio::test]
async fn a_run_that_was_known_as_two_keeps_what_both_knew() {
    let world = World::new().await;
    let hooked = world.report(&hook("run-1"), changed("src/lib.rs")).await.session_id.expect("it begins");
    world.report(&hook("run-1"), told(used(46_000, None))).await;
    let id = world.write(&agent("one"), todos(&["A"])).await.session_id;
    let proof = world.proof(&agent("one")).await;
    let joined = world.report(&hook("run-1"), SessionReport { proof, ..worked() }).await.session_id;
    assert_eq!(joined.as_ref(), Some(&id));
    assert_ne!(hooked, id);
    assert_eq!(world.files(&id).await.len(), 1);
    assert_eq!(world.session(&id).await.usage.and_then(|usage| usage.context_tokens), Some(46_000));
    world.running.stop().await;
}

#[tokio::test]
async fn the_built_in_agents_runs_are_added_up() {
    let world = World::new().await;
    let id = world.write(&agent("one"), todos(&["A"])).await.session_id;
    let end = |seq: u64, cost: Option<f64>| {
        let usage = json!({ "inputTokens": 1_000, "outputTokens": 50, "totalTokens": 1_050 });
        let mut end = json!({ "kind": "end", "outcome": "completed", "message": "", "usage": usage });
        if let Some(cost) = cost {
            end["cost"] = json!({ "inputCost": 0.0, "outputCost": 0.0, "totalCost": cost });
        }
        ChatEntry { seq, at: world.ago(0), json: order(&end) }
    };
    let save = async |messages: Vec<ChatEntry>| {
        let chat = StoredChat { state: r#"{"model":"openai/gpt-5"}"#.to_owned(), running: false, messages };
        world.hub().save_chat(id.clone(), chat).await.expect("it is saved");
        world.session(&id).await.usage.expect("it is told")
    };
    let first = save(vec![end(2, Some(0.25))]).await;
    assert_eq!((first.model.as_deref(), first.input_tokens), (Some("openai/gpt-5"), Some(1_000)));
    world.pass(1);
    assert_eq!(save(vec![end(2, Some(0.25))]).await, first, "told once more it counts once");
    let second = save(vec![end(4, Some(0.5))]).await;
    assert_eq!((second.output_tokens, second.micro_dollars), (Some(100), Some(750_000)));
    world.running.stop().await;
}

/// JSON as it is stored: its kind first.
fn order(end: &serde_json::Value) -> String {
    let rest = end.as_object().expect("an object").iter().filter(|(name, _)| *name != "kind");
    let rest = rest.map(|(name, value)| format!(",{}:{value}", json!(name))).collect::<String>();
    format!(r#"{{"kind":"end"{rest}}}"#)
}
