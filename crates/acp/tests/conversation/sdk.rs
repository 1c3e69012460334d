//! An editor and an agent that are both made with ACP's own library.

use crate::world::{Hub, LONG, config, example};
use acp::start;
use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    ContentBlock, InitializeRequest, NewSessionRequest, PermissionOptionId, PromptRequest, RequestPermissionOutcome,
    RequestPermissionRequest, RequestPermissionResponse, SelectedPermissionOutcome, SessionNotification, SessionUpdate,
    StopReason, TextContent,
};
use agent_client_protocol::{Agent, ByteStreams, Client};
use protocol::NeedKind;
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio_util::compat::{TokioAsyncReadCompatExt, TokioAsyncWriteCompatExt};

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_with_a_plan_and_a_permission() {
    let hub = Hub::new().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("its address");
    let proxy_side = std::net::TcpStream::connect(address).expect("it listens");
    let (editor_side, _) = listener.accept().await.expect("a connection");
    let (mut config, _) = config(vec![example("sdk_agent").into_os_string()], hub.backend());
    config.agent = Some("fancy".to_owned());
    let to_editor = proxy_side.try_clone().expect("its other half");
    let mut conversation = start(config, proxy_side, to_editor).await.expect("it starts");

    let heard: Arc<Mutex<Vec<SessionUpdate>>> = Arc::default();
    let updates = heard.clone();
    let (asked, is_asked) = oneshot::channel();
    let asked = Mutex::new(Some(asked));
    let (read, write) = editor_side.into_split();
    let editor = Client
        .v1()
        .on_receive_notification(
            async move |told: SessionNotification, _| {
                updates.lock().expect("nobody panicked").push(told.update);
                Ok(())
            },
            agent_client_protocol::on_receive_notification!(),
        )
        .on_receive_request(
            async move |permission: RequestPermissionRequest, responder, _| {
                let asked = asked.lock().expect("nobody panicked").take().expect("it asks once");
                assert!(asked.send((permission, responder)).is_ok(), "the test waits for it");
                Ok(())
            },
            agent_client_protocol::on_receive_request!(),
        )
        .connect_with(ByteStreams::new(write.compat_write(), read.compat()), async |agent: ConnectionTo<Agent>| {
            agent.send_request(InitializeRequest::new(ProtocolVersion::V1)).block_task().await?;
            let session = agent.send_request(NewSessionRequest::new("/home/me/billing")).block_task().await?.session_id;
            let prompt = vec![ContentBlock::Text(TextContent::new("Tidy up"))];
            let turn = agent.send_request(PromptRequest::new(session, prompt));
            let answer = async {
                let (permission, responder) = is_asked.await.expect("the agent asks");
                let waiting = hub.session("that waits", |it| !it.session.needs.is_empty()).await;
                let need = &waiting.session.needs[0];
                assert_eq!((need.kind, need.text.as_str()), (NeedKind::Waiting, "Remove the build folder"));
                let option: PermissionOptionId = permission.options[0].option_id.clone();
                let selected = RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(option));
                responder.respond(RequestPermissionResponse::new(selected)).expect("the agent hears it");
            };
            let (turn, ()) = tokio::join!(turn.block_task(), answer);
            assert_eq!(turn?.stop_reason, StopReason::EndTurn);
            Ok(())
        });
    tokio::time::timeout(LONG, editor).await.expect("it comes to an end").expect("without an error");

    let heard = std::mem::take(&mut *heard.lock().expect("nobody panicked"));
    let [SessionUpdate::Plan(plan), servers, outcome] = heard.as_slice() else { panic!("{heard:?}") };
    assert_eq!(plan.entries[0].content, "Read");
    assert!(format!("{servers:?}").contains("sightline mcp --session label-1"), "{servers:?}");
    assert!(format!("{outcome:?}").contains("once"), "{outcome:?}");
    let list = hub.session("with the plan", |it| it.session.own_tool.is_some()).await;
    assert_eq!((list.session.own_tool.as_deref(), list.todos[0].content.as_str()), (Some("plan"), "Read"));
    assert_eq!((list.session.agent.name.as_str(), list.session.title.as_str()), ("fancy", "Tidy up"));
    assert!(tokio::time::timeout(LONG, conversation.ended()).await.expect("it ends").is_ok());
}
