//! The MCP server itself: one for each stdio process or HTTP session, or for each stateless request.

use crate::identity::{Origin, caller, receipts};
use crate::receipts::{Receipt, Receipts};
use crate::roots::Roots;
use crate::{reminder, resource, tool};
use protocol::{
    Backend, Caller, Code, Reply, Request, SessionAt, SessionGet, TodoDelivered, TodoManage, TodoManaged, TodoRead,
    TodoWrite, TodoWritten,
};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestMethod, CompleteRequestParams,
    CompleteResult, ContentBlock, Implementation, ListPromptsRequestMethod, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ResourceContents,
    ResourceUpdatedNotificationParam, ServerCapabilities, ServerConfig, SubscribeRequestParams, SubscriptionFilter,
    Tool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use todo::manager::ACTIONS;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Serves the tools and the resource over a backend.
#[derive(Clone)]
pub struct TodoServer {
    backend: Arc<dyn Backend>,
    origin: Arc<Origin>,
    receipts: Arc<Receipts>,
    /// Subscriptions of the older protocol, by address; each ends when its guard is dropped.
    watched: Arc<Mutex<HashMap<String, DropGuard>>>,
    roots: Arc<Roots>,
    version: String,
    /// The first answer was given.
    introduced: Arc<AtomicBool>,
}

impl TodoServer {
    /// A server over `backend`; `origin` is what is known of the agent before it says anything.
    pub fn new(backend: Arc<dyn Backend>, origin: Origin, version: String) -> Self {
        let origin = Arc::new(origin);
        let (receipts, watched, introduced) = (Arc::default(), Arc::default(), Arc::default());
        Self { backend, origin, receipts, watched, roots: Arc::default(), version, introduced }
    }

    /// The answers that were not sent yet, for the transport to note when they are.
    #[must_use]
    pub fn receipts(&self) -> Arc<Receipts> {
        self.receipts.clone()
    }

    async fn caller(&self, context: &RequestContext<RoleServer>) -> Caller {
        let folder = match self.origin.folder {
            Some(_) => None,
            None => self.roots.folder(context).await,
        };
        caller(&self.origin, context, folder)
    }

    async fn ask(&self, caller: &Caller, request: Request) -> protocol::Result<Reply> {
        self.backend.call(caller.clone(), request).await
    }

    async fn write(&self, caller: &Caller, arguments: &mut Map<String, Value>) -> protocol::Result<TodoWritten> {
        let Some(todos) = parsed(arguments.remove("todos")) else {
            return Err(protocol::Error::new(
                Code::InvalidMessage,
                "\"todos\" is missing: send the whole list, [{\"content\": \"…\", \"status\": \"pending\"}, …]",
            ));
        };
        let session = label(arguments)?;
        let merge = match arguments.remove("merge") {
            None | Some(Value::Null) => false,
            Some(Value::Bool(merge)) => merge,
            Some(_) => {
                return Err(protocol::Error::new(Code::InvalidMessage, "\"merge\" must be true or false"));
            }
        };
        let request = TodoWrite { session, todos, merge, ..TodoWrite::default() };
        match self.ask(caller, request.into()).await? {
            Reply::TodoWrite(written) => Ok(written),
            _ => Err(unexpected()),
        }
    }

    async fn read(&self, caller: &Caller, arguments: &mut Map<String, Value>) -> protocol::Result<TodoWritten> {
        let session = label(arguments)?;
        match self.ask(caller, TodoRead { session, ..TodoRead::default() }.into()).await? {
            Reply::TodoRead(read) => Ok(read),
            _ => Err(unexpected()),
        }
    }

    async fn manage(&self, caller: &Caller, mut fields: Map<String, Value>) -> protocol::Result<TodoManaged> {
        let session = label(&mut fields)?;
        let Some(Value::String(action)) = fields.remove("action") else {
            let known = ACTIONS.join(", ");
            return Err(protocol::Error::new(Code::InvalidMessage, format!("Action required: one of {known}")));
        };
        if let Some(todos) = parsed(fields.remove("todos")) {
            fields.insert("todos".to_owned(), todos);
        }
        match self.ask(caller, TodoManage { session, session_id: None, action, fields }.into()).await? {
            Reply::TodoManage(managed) => Ok(managed),
            _ => Err(unexpected()),
        }
    }

    async fn session(&self, caller: &Caller, session_id: &str) -> protocol::Result<SessionAt> {
        let request = SessionGet { session_id: session_id.to_owned(), revision: None };
        match self.ask(caller, request.into()).await? {
            Reply::SessionGet(session) => Ok(session),
            _ => Err(unexpected()),
        }
    }

    /// The list whose address this is; where there is none, the error has the address with it.
    async fn list_at(&self, uri: &str, context: &RequestContext<RoleServer>) -> Result<SessionAt, ErrorData> {
        let unknown = |message| ErrorData::resource_not_found(message, Some(json!({ "uri": uri })));
        let Some(id) = resource::session_of(uri) else {
            return Err(unknown(format!("\"{uri}\" is not a list; lists are todo://list/SESSION")));
        };
        self.session(&self.caller(context).await, id).await.map_err(|error| unknown(error.message))
    }
}

/// A list as it was sent; some models send it as a text that holds JSON.
fn parsed(todos: Option<Value>) -> Option<Value> {
    match todos? {
        Value::String(text) => Some(serde_json::from_str(&text).unwrap_or(Value::String(text))),
        todos => Some(todos),
    }
}

fn label(arguments: &mut Map<String, Value>) -> protocol::Result<Option<String>> {
    match arguments.remove("session") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(label)) if label.trim().is_empty() => Ok(None),
        Some(Value::String(label)) => Ok(Some(label)),
        Some(_) => Err(protocol::Error::new(Code::InvalidMessage, "\"session\" is a label, so it must be text")),
    }
}

fn unexpected() -> protocol::Error {
    protocol::Error::new(Code::Internal, "the gateway gave the answer to another request")
}

/// A result before it is sent: what it says, and of which list.
struct Answered {
    blocks: Vec<String>,
    structured: Value,
    told: Vec<String>,
    written: TodoWritten,
}

/// The result of a tool that gives the list.
fn listed(verb: &str, written: TodoWritten) -> Answered {
    let headline = format!("{verb}: {}/{} complete", written.progress.completed, written.progress.total);
    let told = reminder::text(&headline, &written);
    Answered { blocks: vec![told.text], structured: reminder::structured(&written), told: told.edits, written }
}

/// The result of a step: JSON by itself, then the list where it changed (REQUIREMENTS T1, T7).
fn stepped(managed: TodoManaged) -> Answered {
    let answer = json!({ "ok": true, "output": managed.output });
    let told = reminder::state(managed.changes, &managed.written);
    let mut blocks = vec![answer.to_string()];
    blocks.extend(Some(told.text).filter(|text| !text.is_empty()));
    let mut structured = reminder::structured(&managed.written);
    if let (Some(structured), Value::Object(answer)) = (structured.as_object_mut(), answer) {
        structured.extend(answer);
    }
    Answered { blocks, structured, told: told.edits, written: managed.written }
}

fn manager_refused(error: &protocol::Error) -> CallToolResponse {
    let answer = json!({ "ok": false, "error": error.message });
    let mut result = CallToolResult::error(vec![ContentBlock::text(answer.to_string())]);
    result.structured_content = Some(answer);
    result.into()
}

fn refused(error: &protocol::Error) -> CallToolResponse {
    CallToolResult::error(vec![ContentBlock::text(format!("Error: {}", error.message))]).into()
}

impl ServerHandler for TodoServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_resources().enable_resources_subscribe().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("sightline", self.version.clone()).with_title("Sightline"))
            .with_instructions(tool::INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tool::tools()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tool::tools().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let caller = self.caller(&context).await;
        let mut arguments = request.arguments.unwrap_or_default();
        let names_a_list = arguments.get("session").is_some_and(|session| !session.is_null());
        let answered = match request.name.as_ref() {
            tool::WRITE => self.write(&caller, &mut arguments).await.map(|written| listed("Updated todos", written)),
            tool::READ => self.read(&caller, &mut arguments).await.map(|read| listed("Todos", read)),
            tool::MANAGER => match self.manage(&caller, arguments).await {
                Ok(managed) => Ok(stepped(managed)),
                Err(error) => return Ok(manager_refused(&error)),
            },
            other => {
                let known = tool::NAMES.join(", ");
                return Err(ErrorData::invalid_params(
                    format!("there is no tool \"{other}\"; there are {known}"),
                    None,
                ));
            }
        };
        let mut answered = match answered {
            Ok(answered) => answered,
            Err(error) => return Ok(refused(&error)),
        };
        let session_id = answered.written.session_id;
        answered.blocks = answered.blocks.into_iter().map(reminder::unnamed).collect();
        // The first answer says which session it got, in a text that the agent's hooks read as well. An agent that says
        // its own id needs none; Claude Code's may be an old one, and changes under a running server.
        let agent = caller.agent.as_ref();
        let says = match agent {
            // A list that the call names is not the run's own.
            _ if names_a_list => false,
            Some(agent) if agent.agent.name == "claude" => true,
            Some(agent) if agent.own_session.is_some() => false,
            _ => !self.introduced.swap(true, Ordering::Relaxed),
        };
        if says {
            answered.blocks.push(reminder::session_line(&session_id));
        }
        let mut result = CallToolResult::success(answered.blocks.into_iter().map(ContentBlock::text).collect());
        result.structured_content = Some(answered.structured);
        let delivered = TodoDelivered {
            session_id,
            revision: Some(answered.written.revision),
            edits: answered.told,
            tool_call: Some(context.id.to_string()),
        };
        receipts(&self.receipts, &context).note(Receipt { call: context.id.clone(), caller, delivered });
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        // Without a list there is no resource, and asking does not make one.
        let own = self.session(&self.caller(&context).await, "").await;
        let resources =
            own.iter().map(|own| resource::described(&own.session.session_id, &own.session.title)).collect();
        Ok(ListResourcesResult::with_all_items(resources))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(vec![resource::template()]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let found = self.list_at(&request.uri, &context).await?;
        let json = json!({ "sessionId": found.session.session_id, "revision": found.revision, "todos": found.todos });
        let contents = ResourceContents::TextResourceContents {
            uri: request.uri,
            mime_type: Some("application/json".to_owned()),
            text: json.to_string(),
            meta: None,
        };
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    // What is not declared is not there; the library would answer with nothing.
    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn complete(
        &self,
        _request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let id = self.list_at(&request.uri, &context).await?.session.session_id;
        let first =
            self.backend.subscribe(None).await.map_err(|error| ErrorData::internal_error(error.message, None))?;
        let stop = CancellationToken::new();
        let guard = stop.clone().drop_guard();
        self.watched.lock().unwrap_or_else(PoisonError::into_inner).insert(request.uri.clone(), guard);
        let (backend, peer, asked) = (self.backend.clone(), context.peer, request.uri);
        tokio::spawn(async move {
            let tell = |_| {
                let (peer, uri) = (peer.clone(), asked.clone());
                async move { peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await.is_ok() }
            };
            tokio::select! {
                () = stop.cancelled() => {}
                () = resource::watch(backend, first, vec![resource::uri(&id)], tell) => {}
            }
        });
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner).remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let mut accepted = SubscriptionFilter::new();
        accepted.resource_subscriptions = requested
            .resource_subscriptions
            .as_ref()
            .map(|uris| uris.iter().filter(|uri| resource::session_of(uri).is_some()).cloned().collect());
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let uris = context.accepted().resource_subscriptions.clone().unwrap_or_default();
        let sink = context.sink().clone();
        let tell = |uri: String| {
            let sink = sink.clone();
            async move { sink.notify_resource_updated(uri).await.is_ok() }
        };
        let first =
            self.backend.subscribe(None).await.map_err(|error| ErrorData::internal_error(error.message, None))?;
        // The SDK acknowledged before it called us; what changed since then is covered by saying so once.
        for uri in &uris {
            tell(uri.clone()).await;
        }
        tokio::select! {
            () = context.cancelled() => {}
            () = resource::watch(self.backend.clone(), first, uris, tell) => {}
        }
        Ok(())
    }
}
