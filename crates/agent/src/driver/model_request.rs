//! The input of a model call: the conversation, the current list and the tools.

use super::conversation::{conversation, is_unanswered, without_calls};
use super::host::Host;
use super::model_call::{ModelCall, make};
use super::session::Session;
use super::toolbox::Toolbox;
use super::update::Update;
use crate::fsm::{Purpose, RequestId};
use crate::model::{Message, Request};
use crate::prompt::{self, Voice};
use hub::EntryKind;
use protocol::{ChatServer, Rights, SettingsUpdate, Text, TodoDelivered, TodoRead, TodoWritten, say};
use std::sync::Arc;

impl Session {
    /// Calls the model for a purpose.
    pub(super) async fn ask(&mut self, id: RequestId, purpose: Purpose, reminder: bool) {
        self.doing(doing(&purpose));
        let servers = self.host.hub.settings().chat_servers;
        let connected = self.run.as_ref().and_then(|run| run.connected);
        let is_complete = |toolbox: &Toolbox| {
            toolbox.is_of(&servers)
                // A server that could not be reached before this run may be there by now.
                && (connected.is_some() || !toolbox.lacks_some())
                // Once before each request: a server may report changes without end.
                && (connected == Some(id) || !toolbox.has_changed())
        };
        if !self.toolbox.as_deref().is_some_and(is_complete) {
            return self.connect(id, purpose, reminder, servers);
        }
        self.note_tools().await;
        if purpose.is_turn() {
            self.remind(reminder).await;
            let question = match purpose {
                // The prompt itself is in the conversation.
                Purpose::Answer if is_unanswered(&self.entries) => None,
                Purpose::Answer => self.machine.checkpoint().task.as_deref().map(prompt::again),
                _ => self.question(&purpose),
            };
            if let Some(content) = question {
                self.record(EntryKind::Ask { content }).await;
            }
        }
        self.ask_model(id, purpose).await;
    }

    /// Notes the tools that may be called without asking, as they are when they are first seen: one that becomes another is
    /// asked for.
    async fn note_tools(&mut self) {
        let Some(toolbox) = &self.toolbox else { return };
        let Some(digests) = toolbox.seen(&self.host.hub.settings()) else { return };
        let update = SettingsUpdate { chat_tool_digests: Some(digests), ..SettingsUpdate::default() };
        if let Err(error) = self.host.call(&Host::viewer().with(Rights::Administer), update).await {
            tracing::warn!(%error, "tools could not be noted; they are asked for");
        }
    }

    /// Calls the model with the conversation so far.
    pub(super) async fn ask_model(&mut self, id: RequestId, purpose: Purpose) {
        let model = match self.host.models().model(&self.state.model) {
            Ok(model) => model,
            Err(error) => return self.failed(id, &error.into()).await,
        };
        let (request, new_id) = (self.request(&purpose), self.host.new_id());
        let more = self.run.as_ref().map_or(0, |run| run.more);
        let call = ModelCall { model, request, purpose: purpose.clone(), more, new_id };
        if let Some(run) = &mut self.run {
            run.asked = Some(purpose);
        }
        self.spawn(id, |updates| make(call, updates));
    }

    fn question(&self, purpose: &Purpose) -> Option<String> {
        let task = self.machine.checkpoint().task.as_deref().unwrap_or_default();
        prompt::ask(purpose, task, &self.machine.list().items)
    }

    fn request(&self, purpose: &Purpose) -> Request {
        let voice = self.voice();
        let mut system = prompt::system(voice);
        let mut messages = conversation(&self.entries);
        if purpose.is_turn() && voice == Voice::Tools {
            let tools = self.toolbox.as_ref().map(|toolbox| toolbox.specs()).unwrap_or_default();
            return Request { system, messages, tools, json: false };
        }
        messages = without_calls(messages);
        if purpose.is_turn() {
            return Request { system, messages, tools: Vec::new(), json: false };
        }
        if let Some(toolbox) = self.toolbox.as_ref().filter(|_| voice == Voice::Tools) {
            system.push_str(&toolbox.sentence());
        }
        messages.extend(self.question(purpose).map(Message::User));
        Request { system, messages, tools: Vec::new(), json: true }
    }

    /// Connects the tool servers beside the session, and asks the model then. Servers that are connected stay so; within a
    /// run, those whose tools have changed are asked for them again.
    fn connect(&mut self, id: RequestId, purpose: Purpose, reminder: bool, servers: Vec<ChatServer>) {
        let (options, folder, before) = (self.host.tools.clone(), self.folder.clone(), self.toolbox.clone());
        let has_connected = self.run.as_ref().is_some_and(|run| run.connected.is_some());
        self.spawn(id, |updates| async move {
            let toolbox = match before {
                Some(before) if has_connected && before.is_of(&servers) => before.renewed().await,
                before => Toolbox::connect(servers, folder.as_deref(), options, before.as_deref()).await,
            };
            updates.send(Update::Connected(Box::new((toolbox, purpose, reminder)))).await;
        });
    }

    /// Takes the tools that [`Session::connect`] has connected.
    pub(super) async fn connected(&mut self, id: RequestId, toolbox: Toolbox) {
        let has_connected = self.run.as_mut().is_some_and(|run| run.connected.replace(id).is_some());
        let before = self.toolbox.as_ref().filter(|_| has_connected);
        let known = before.map(|before| before.problems()).unwrap_or_default();
        for problem in toolbox.problems().into_iter().filter(|problem| !known.contains(problem)) {
            self.record(EntryKind::notice(problem)).await;
        }
        let approved = &self.state.approved;
        self.machine.forget_approvals(|tool| {
            toolbox.digest(&self.session_id, tool).is_some_and(|digest| approved.get(tool) != Some(&digest))
        });
        let toolbox = Arc::new(toolbox);
        // Beside the session, since servers may take their time to end.
        if let Some(before) = self.toolbox.replace(toolbox.clone()) {
            self.host.tasks.spawn(async move { before.close_but(&toolbox).await });
        }
        self.note_checkpoint();
    }

    /// Adds a reminder for the model (requirements T7, P11): with the current list if that `is_news`, and in any case if the
    /// user has changed or noted something.
    async fn remind(&mut self, is_news: bool) {
        let read = TodoRead { session_id: Some(self.session_id.clone()), ..TodoRead::default() };
        let written: TodoWritten = match self.host.call(&self.caller, read).await {
            Ok(written) => written,
            Err(error) => return tracing::warn!(%error, "the list cannot be read for the model"),
        };
        let report = mcp::hook_report(&written.edits, &written.todos, None);
        if !is_news && report.is_none() {
            return;
        }
        let mut content = prompt::reminder(&written.todos);
        let mut edits = Vec::new();
        if let Some(report) = report {
            content.push_str("\n\n");
            content.push_str(&report.text);
            edits = report.edits;
        }
        self.record(EntryKind::Reminder { content }).await;
        if let Some(run) = &mut self.run {
            run.reported = Some((written.revision, edits));
        }
    }

    /// Notes that the model has read this revision and these edits.
    pub(super) async fn delivered(&self, revision: u64, edits: Vec<String>) {
        let delivered =
            TodoDelivered { session_id: self.session_id.clone(), revision: Some(revision), edits, tool_call: None };
        if let Err(error) = self.host.call(&self.caller, delivered).await {
            tracing::warn!(%error, "a delivery could not be noted; the edits will be told again");
        }
    }
}

/// The words for people while a call of this purpose is under way.
fn doing(purpose: &Purpose) -> Text {
    match purpose {
        Purpose::Classify => say::doing_classify(),
        Purpose::Plan(_) => say::doing_plan(),
        Purpose::Answer => say::doing_answer(),
        Purpose::Work { .. } | Purpose::GoOn | Purpose::Redo { .. } => say::doing_work(),
        Purpose::Continue { .. } => say::doing_go_on(),
        Purpose::Heed => say::doing_heed(),
        Purpose::Verify { .. } => say::doing_verify(),
        Purpose::Validate => say::doing_validate(),
    }
}
