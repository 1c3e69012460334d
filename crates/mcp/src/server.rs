//! The MCP server itself: one for each stdio process or HTTP session, or for each stateless request.

use crate::identity::{Origin, caller, receipts};
use crate::receipts::{Receipt, Receipts};
use crate::roots::Roots;
use crate::todo_call::{self, TodoCall};
use crate::{reminder, resource, tool};
use protocol::{
    Ask, Backend, Caller, Code, SessionAt, SessionGet, TodoDelivered, TodoManage, TodoManaged, TodoRead, TodoWrite,
    TodoWritten,
};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestMethod, CompleteRequestParams,
    CompleteResult, ContentBlock, Implementation, InitializeRequestParams, InitializeResult, ListPromptsRequestMethod,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, MetaObject,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ResourceContents,
    ResourceUpdatedNotificationParam, ServerCapabilities, ServerConfig, SubscribeRequestParams, SubscriptionFilter,
    Tool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio_util::sync::{CancellationToken, DropGuard};

/// The most lists that a client watches at once: its own, and a few that it keeps beside it.
const WATCHED: usize = 16;

/// The most bytes of the parameters with which a client introduces itself.
const INTRODUCTION_BYTES: usize = 16 * 1024;

/// The answer for every address that is not of a list of the client's own, whatever it is of.
const NOT_OWN: &str = "this is no list of yours; resources/list names those that are";

/// The MCP server of the tools and the resource, over a backend.
#[derive(Clone)]
pub struct TodoServer {
    backend: Arc<dyn Backend>,
    origin: Arc<Origin>,
    receipts: Arc<Receipts>,
    /// Subscriptions of the older protocol, by address; each ends when its guard is dropped.
    watched: Arc<Mutex<HashMap<String, DropGuard>>>,
    roots: Arc<Roots>,
    version: String,
    /// True if the first answer was given.
    introduced: Arc<AtomicBool>,
}

impl TodoServer {
    /// A server over `backend`; `origin` is the evidence of the agent that is there before it says anything.
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

    fn may_say_an_old_session(&self, agent: &str) -> bool {
        let variable = self.origin.agents.named(agent).and_then(|agent| agent.facts().session_variable);
        variable.is_some_and(|variable| variable.may_be_old)
    }

    async fn caller(&self, context: &RequestContext<RoleServer>) -> Caller {
        let folder = match self.origin.folder {
            Some(_) => None,
            None => self.roots.folder(context).await,
        };
        caller(&self.origin, context, folder).await
    }

    async fn ask<A: Ask>(&self, caller: &Caller, ask: A) -> protocol::Result<A::Answer> {
        let reply = self.backend.call(caller.clone(), ask.into()).await?;
        let unexpected = || protocol::Error::new(Code::Internal, "the gateway gave the answer to another request");
        A::answer(reply).ok_or_else(unexpected)
    }

    /// Makes a call of a todo tool.
    async fn todo_call(
        &self,
        caller: &Caller,
        tool: &str,
        mut arguments: Map<String, Value>,
        prove: bool,
    ) -> protocol::Result<ToolAnswer> {
        let session = label(&mut arguments)?;
        Ok(match TodoCall::read(tool, arguments)? {
            TodoCall::Write { todos, merge } => {
                let ask = TodoWrite { session, todos, merge, prove, ..TodoWrite::default() };
                let written = self.ask(caller, ask).await?;
                list_answer(&todo_call::write_headline(&written), written)
            }
            TodoCall::Read => {
                let read = self.ask(caller, TodoRead { session, prove, ..TodoRead::default() }).await?;
                list_answer(&todo_call::read_headline(&read), read)
            }
            TodoCall::Manage { action, fields } => {
                let ask = TodoManage { session, session_id: None, prove, action, fields };
                manager_answer(self.ask(caller, ask).await?)
            }
        })
    }

    /// Keeps a subscription until it is taken back; one more of the same address takes the place of the one before.
    fn watch(&self, uri: &str, stop: CancellationToken) -> Result<(), ErrorData> {
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        let count = watched.len();
        match watched.entry(uri.to_owned()) {
            Entry::Vacant(_) if count >= WATCHED => {
                let problem = format!("a client watches at most {WATCHED} lists; take a subscription back first");
                Err(ErrorData::invalid_params(problem, None))
            }
            entry => {
                entry.insert_entry(stop.drop_guard());
                Ok(())
            }
        }
    }

    async fn session(&self, caller: &Caller, session_id: &str) -> protocol::Result<SessionAt> {
        self.ask(caller, SessionGet { session_id: session_id.to_owned(), revision: None }).await
    }

    /// The list of the client's own whose address this is; for any other address the error has that with it.
    async fn list_at(&self, uri: &str, context: &RequestContext<RoleServer>) -> Result<SessionAt, ErrorData> {
        let not_own = || ErrorData::resource_not_found(NOT_OWN, Some(json!({ "uri": uri })));
        let id = resource::session_of(uri).ok_or_else(not_own)?;
        self.session(&self.caller(context).await, id).await.map_err(|error| match error.code {
            Code::Storage | Code::Unavailable => ErrorData::internal_error(error.message, None),
            _ => not_own(),
        })
    }
}

/// The list that a call names, where the agent keeps several.
fn label(arguments: &mut Map<String, Value>) -> protocol::Result<Option<String>> {
    match arguments.remove("session") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(label)) if label.trim().is_empty() => Ok(None),
        Some(Value::String(label)) => Ok(Some(label)),
        Some(_) => Err(protocol::Error::new(Code::InvalidMessage, "\"session\" is a label, so it must be text")),
    }
}

/// The answer to a call of a todo tool, before it is sent.
struct ToolAnswer {
    /// For the model; each becomes a block of content.
    texts: Vec<String>,
    /// The same for agents that show their model no texts.
    structured: Map<String, Value>,
    /// The edits that the texts report.
    edits: Vec<String>,
    written: TodoWritten,
}

/// The answer of a tool that gives the list.
fn list_answer(headline: &str, written: TodoWritten) -> ToolAnswer {
    let report = reminder::text(headline, &written);
    ToolAnswer {
        texts: vec![report.text],
        structured: reminder::structured(&written, true),
        edits: report.edits,
        written,
    }
}

/// The answer of `todo_manager`: JSON by itself, then the list after an action that changes it (requirements T1, T7).
fn manager_answer(managed: TodoManaged) -> ToolAnswer {
    let result = todo_call::manager_result(&managed.output);
    let report = reminder::state(managed.changes, managed.unchanged, &managed.written);
    let mut texts = vec![result.to_string()];
    texts.extend(Some(report.text).filter(|text| !text.is_empty()));
    let mut structured = reminder::structured(&managed.written, managed.changes);
    if let Value::Object(result) = result {
        structured.extend(result);
    }
    ToolAnswer { texts, structured, edits: report.edits, written: managed.written }
}

fn refused(tool: &str, error: &protocol::Error) -> CallToolResponse {
    let refusal = todo_call::refusal(tool, error);
    let text = match &refusal {
        Value::String(sentence) => format!("Error: {sentence}"),
        json => json.to_string(),
    };
    let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
    result.structured_content = Some(refusal).filter(Value::is_object);
    result.into()
}

impl ServerHandler for TodoServer {
    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let bytes = serde_json::to_vec(&request).map_or(0, |json| json.len());
        if bytes > INTRODUCTION_BYTES {
            let problem =
                format!("the parameters of initialize have at most {INTRODUCTION_BYTES} bytes, these {bytes}");
            return Err(ErrorData::invalid_params(problem, None));
        }
        context.peer.set_peer_info(request.clone());
        self.negotiate_initialize(&request)
    }

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
        Ok(ListToolsResult::with_all_items(tool::tools().to_vec()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tool::tools().iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let caller = self.caller(&context).await;
        let tool = request.name.as_ref();
        if !tool::TODO_TOOLS.contains(&tool) {
            let known = tool::TODO_TOOLS.join(", ");
            return Err(ErrorData::invalid_params(format!("there is no tool \"{tool}\"; there are {known}"), None));
        }
        let arguments = request.arguments.unwrap_or_default();
        let names_a_list = arguments.get("session").is_some_and(|session| !session.is_null());
        // The first answer says which session it got, with a secret that the agent's hooks read as well. An agent that says
        // its own id needs none, unless that may be an old one, or it says it with a key: our own command, which its hooks
        // start, has none.
        let agent = caller.agent.as_ref();
        let says = match agent {
            // A list that the call names is not the run's own.
            _ if names_a_list => false,
            // Our command's hooks name the call, too. With a key there is only the transcript, whose newest run may be another
            // one than a moment ago.
            Some(agent) if agent.call.is_some() => caller.key.is_some(),
            Some(agent) if self.may_say_an_old_session(&agent.agent.name) => true,
            Some(agent) if agent.own_session.is_some() && caller.key.is_none() => false,
            _ => !self.introduced.load(Ordering::Relaxed),
        };
        let mut answer = match self.todo_call(&caller, tool, arguments, says).await {
            Ok(answer) => answer,
            Err(error) => return Ok(refused(tool, &error)),
        };
        let session_id = answer.written.session_id;
        answer.texts = answer.texts.into_iter().map(reminder::unnamed).collect();
        let mut meta = None;
        if let Some(proof) = answer.written.proof {
            self.introduced.store(true, Ordering::Relaxed);
            if caller.agent.as_ref().is_some_and(|agent| agent.call.is_some()) {
                // It keeps what is beside a result for its files, and shows its model none of it.
                meta = Some(reminder::proof_beside(proof));
            } else {
                // Some agents join the texts without anything between them.
                answer.texts.push(format!("\n{}", reminder::session_line(&session_id, &proof)));
            }
        }
        let mut result = CallToolResult::success(answer.texts.into_iter().map(ContentBlock::text).collect());
        result.meta = meta.map(MetaObject);
        result.structured_content = Some(Value::Object(answer.structured));
        let delivered = TodoDelivered {
            session_id,
            revision: Some(answer.written.revision),
            edits: answer.edits,
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

    // A capability that is not declared does not exist; the library would answer with an empty list.
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
        self.watch(&request.uri, stop.clone())?;
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
            .map(|uris| uris.iter().filter(|uri| resource::session_of(uri).is_some()).take(WATCHED).cloned().collect());
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        // Neither the acknowledgement nor silence tells which of them exist.
        let mut uris = Vec::new();
        for uri in context.accepted().resource_subscriptions.iter().flatten() {
            if self.list_at(uri, context.request_context()).await.is_ok() {
                uris.push(uri.clone());
            }
        }
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
