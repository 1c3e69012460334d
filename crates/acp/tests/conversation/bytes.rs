//! Every byte gets through, whatever it is.

use crate::world::{LONG, World, config, editor};
use acp::start;
use proptest::prelude::*;
use proptest::test_runner::{Config as Runs, TestRunner};
use serde_json::json;
use std::cell::RefCell;
use std::io::Read;
use std::sync::Arc;
use std::thread;
use tokio::time::timeout;

/// Lines that no proxy of typed messages would bring over unchanged.
const ODD: [&[u8]; 12] = [
    b"a line of a log\n",
    b"\xff\xfe not UTF-8\n",
    b"\n",
    b"{\"jsonrpc\":\"2.0\",\"id\":12345678901234567890123,\"method\":\"x/big\"}\n",
    b"{\"jsonrpc\":\"2.0\",\"id\":1.50,\"method\":\"x/half\",\"params\":{\"n\":1.0e2,\"z\":1,\"a\":2},\"extra\":[1, 2]}\n",
    b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"},{\"jsonrpc\":\"2.0\",\"method\":\"y\"}]\n",
    b"{\"jsonrpc\":\"1.0\",\"method\":\"_vendor/thing\",\"params\":null}\r\n",
    b"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1,\"message\":\"\",\"more\":{}},\"result\":null}\n",
    b"  {\"method\" : \"session/update\", \"params\": {\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"unheard_of\"}}}  \n",
    b"{\"id\":7,\"result\":{\"nobody\":\"asked\"}}\n",
    b"{\"id\":8,\"method\":\"session/new\",\"params\":{\"mcpServers\":[]}}\n",
    b"{\"method\":\"$/cancel_request\",\"params\":{\"requestId\":8}}\n",
];

#[tokio::test(flavor = "multi_thread")]
async fn odd_lines_go_both_ways_as_they_are() {
    let mut world = World::new().await;
    for line in ODD {
        world.editor.says_raw(line);
        assert_eq!(world.agent.hears_raw(), line, "before the agent has introduced itself, nothing is added");
        world.agent.says_raw(line);
        assert_eq!(world.editor.hears_raw(), line);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_anybody_says_comes_over() {
    // An agent that says what it hears: what comes back went both ways.
    let (config, _) = config(vec!["cat".into()], Arc::new(Nobody));
    let (editor, from_editor, to_editor) = editor();
    let mut conversation = start(config, from_editor, to_editor).await.expect("it starts");
    let editor = RefCell::new(editor);
    let line = prop::collection::vec(prop_oneof![any::<u8>(), Just(b'{'), Just(b'"'), Just(b'\n')], 0..1_000);
    let mut runner = TestRunner::new(Runs::with_cases(100));
    runner
        .run(&line, |mut bytes| {
            bytes.push(b'\n');
            let mut editor = editor.borrow_mut();
            editor.says_raw(&bytes);
            let mut back = vec![0; bytes.len()];
            editor.reads.read_exact(&mut back)?;
            prop_assert_eq!(back, bytes);
            Ok(())
        })
        .expect("they come back");
    editor.borrow_mut().writes = None;
    assert!(timeout(LONG, conversation.ended()).await.expect("it ends").expect("its status").success());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_line_does_not_wait_for_its_end() {
    let mut world = World::new().await;
    world.agent.says_raw(&vec![b'x'; 3 << 20]);
    let mut most = vec![0; 2 << 20];
    world.editor.reads.read_exact(&mut most).expect("it comes before its end");
    world.agent.says_raw(b"\nnext\n");
    assert_eq!(world.editor.hears_raw().len(), (1 << 20) + 1);
    assert_eq!(world.editor.hears_raw(), b"next\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_waits_for_a_gateway_that_never_answers() {
    let mut world = World::without_hub().await;
    world.initialize(false);
    world.open("session/new", "s");
    // More than the news that may wait.
    for id in 10..500 {
        world.prompt(id, "s", "Go on");
        world.update("s", &json!({ "sessionUpdate": "plan", "entries": [{ "content": "One" }] }));
        world.turn_ends(id);
    }
    world.agent.writes = None;
    drop(world.agent);
    let ended = timeout(LONG, world.conversation.ended()).await.expect("it ends");
    assert!(ended.expect("its status").success());
    timeout(LONG, world.conversation.finish(std::time::Duration::from_millis(50))).await.expect("nobody waits");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_agent_said_last_is_heard_and_its_end_is_told() {
    let command = ["sh".into(), "-c".into(), "printf 'last words'; exit 7".into()];
    let (config, _) = config(command.into(), Arc::new(Nobody));
    let (mut editor, from_editor, to_editor) = editor();
    let mut conversation = start(config, from_editor, to_editor).await.expect("it starts");
    let status = timeout(LONG, conversation.ended()).await.expect("it ends").expect("its status");
    assert_eq!(status.code(), Some(7));
    let mut said = [0; 10];
    editor.reads.read_exact(&mut said).expect("it said something");
    assert_eq!(&said, b"last words");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_whose_editor_hangs_up_hears_it() {
    let (config, _) = config(vec!["cat".into()], Arc::new(Nobody));
    let (mut editor, from_editor, to_editor) = editor();
    let mut conversation = start(config, from_editor, to_editor).await.expect("it starts");
    editor.says_raw(b"no end of line");
    editor.writes = None;
    let rest = thread::spawn(move || {
        let mut rest = Vec::new();
        editor.reads.read_to_end(&mut rest).expect("it can be read");
        rest
    });
    assert!(timeout(LONG, conversation.ended()).await.expect("it ends").expect("its status").success());
    conversation.finish(LONG).await;
    assert_eq!(rest.join().expect("it is read"), b"no end of line");
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn an_agent_is_told_to_end() {
    let command = ["sh".into(), "-c".into(), "trap 'exit 3' TERM; echo ready; while :; do read line; done".into()];
    let (config, _) = config(command.into(), Arc::new(Nobody));
    let (mut editor, from_editor, to_editor) = editor();
    let mut conversation = start(config, from_editor, to_editor).await.expect("it starts");
    assert_eq!(editor.hears_raw(), b"ready\n");
    conversation.terminate();
    // The shell looks at the signal when its line comes.
    editor.says_raw(b"\n");
    let status = timeout(LONG, conversation.ended()).await.expect("it ends").expect("its status");
    assert_eq!(status.code(), Some(3));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_does_not_end_by_itself_is_ended() {
    let mut world = World::new().await;
    // It hears that its input ends, and waits for its strings.
    world.editor.writes = None;
    assert_eq!(world.agent.hears_raw(), b"");
    world.conversation.kill();
    let status = timeout(LONG, world.conversation.ended()).await.expect("it ends").expect("its status");
    assert!(!status.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_is_not_there_is_an_error() {
    let (config, _) = config(vec!["/nowhere/agent".into()], Arc::new(Nobody));
    let (_editor, from_editor, to_editor) = editor();
    let error = start(config, from_editor, to_editor).await.err().expect("it cannot be started");
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
}

/// No gateway runs.
struct Nobody;

impl protocol::Backend for Nobody {
    fn call(
        &self,
        _: protocol::Caller,
        _: protocol::Request,
    ) -> protocol::BoxFuture<protocol::Result<protocol::Reply>> {
        Box::pin(async { Err(protocol::Error::new(protocol::Code::Unavailable, "there is none")) })
    }

    fn subscribe(&self, _: Option<String>) -> protocol::BoxFuture<protocol::Result<protocol::Subscription>> {
        Box::pin(async { Err(protocol::Error::new(protocol::Code::Unavailable, "there is none")) })
    }
}
