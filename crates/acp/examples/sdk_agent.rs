//! An agent made with ACP's own library. With a prompt it sends a plan, says which tool servers it has, and asks for a
//! permission; then it says how that was answered.

use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    AgentCapabilities, ContentBlock, ContentChunk, InitializeRequest, InitializeResponse, McpServer, NewSessionRequest,
    NewSessionResponse, PermissionOption, PermissionOptionKind, Plan, PlanEntry, PlanEntryPriority, PlanEntryStatus,
    PromptRequest, PromptResponse, RequestPermissionRequest, SessionNotification, SessionUpdate, StopReason,
    TextContent, ToolCallUpdate, ToolCallUpdateFields,
};
use agent_client_protocol::{Agent, Client, Result, Stdio};
use std::sync::{Arc, Mutex};

const SESSION: &str = "sdk-session";

fn says(connection: &ConnectionTo<Client>, text: String) -> Result<()> {
    let chunk = ContentChunk::new(ContentBlock::Text(TextContent::new(text)));
    connection.send_notification(SessionNotification::new(SESSION, SessionUpdate::AgentMessageChunk(chunk)))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let servers = Arc::new(Mutex::new(String::new()));
    let given = servers.clone();
    Agent
        .v1()
        .on_receive_request(
            async move |initialize: InitializeRequest, responder, _connection| {
                let answer = InitializeResponse::new(initialize.protocol_version);
                responder.respond(answer.agent_capabilities(AgentCapabilities::new()))
            },
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            async move |asked: NewSessionRequest, responder, _connection| {
                let name = |server: &McpServer| match server {
                    McpServer::Stdio(stdio) => format!("{} {}", stdio.name, stdio.args.join(" ")),
                    other => format!("{other:?}"),
                };
                let names: Vec<String> = asked.mcp_servers.iter().map(name).collect();
                *given.lock().expect("nobody panicked") = names.join(", ");
                responder.respond(NewSessionResponse::new(SESSION))
            },
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            async move |_: PromptRequest, responder, connection: ConnectionTo<Client>| {
                let entry = PlanEntry::new("Read", PlanEntryPriority::High, PlanEntryStatus::InProgress);
                let plan = SessionUpdate::Plan(Plan::new(vec![entry]));
                connection.send_notification(SessionNotification::new(SESSION, plan))?;
                says(&connection, servers.lock().expect("nobody panicked").clone())?;
                let call = ToolCallUpdate::new("call-1", ToolCallUpdateFields::new().title("Remove the build folder"));
                let once = PermissionOption::new("once", "Allow once", PermissionOptionKind::AllowOnce);
                let asked = connection.send_request(RequestPermissionRequest::new(SESSION, call, vec![once]));
                let speaker = connection.clone();
                connection.spawn(async move {
                    let answer = asked.block_task().await?;
                    says(&speaker, format!("{:?}", answer.outcome))?;
                    responder.respond(PromptResponse::new(StopReason::EndTurn))
                })
            },
            agent_client_protocol::on_receive_request!(),
        )
        .connect_to(Stdio::new())
        .await
}
