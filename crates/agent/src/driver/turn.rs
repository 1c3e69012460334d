//! How the model is asked: the conversation, the list as it is, and the tools.

use super::act;
use super::ask::{Job, ask};
use super::requests::of_model;
use super::said::{Said, conversation, is_unanswered, without_calls};
use super::session::Session;
use super::step::Step;
use super::toolbox::Toolbox;
use crate::fsm::{Purpose, RequestId};
use crate::model::{Message, Request};
use crate::prompt::{self, Voice};
use protocol::{ChatServer, TodoDelivered, TodoRead, TodoWritten};
use std::sync::Arc;

impl Session {
    /// Calls the model for a purpose.
    pub(super) async fn ask(&mut self, id: RequestId, purpose: Purpose, reminder: bool) {
        self.doing(doing(&purpose).to_owned());
        let servers = self.host.hub.settings().chat_servers;
        let connected = self.run.as_ref().and_then(|run| run.connected);
        let is_complete = |toolbox: &Toolbox| {
            toolbox.is_of(&servers)
                // Who could not be reached before this run may be there by now.
                && (connected.is_some() || !toolbox.lacks_some())
                // Once before each request: a server may say so without end.
                && (connected == Some(id) || !toolbox.has_changed())
        };
        if !self.toolbox.as_deref().is_some_and(is_complete) {
            return self.connect(id, purpose, reminder, servers);
        }
        if purpose.is_turn() {
            self.remind(reminder).await;
            let question = match purpose {
                // The prompt itself.
                Purpose::Answer if is_unanswered(&self.entries) => None,
                Purpose::Answer => self.machine.kept().task.as_deref().map(prompt::again),
                _ => self.question(&purpose),
            };
            if let Some(content) = question {
                self.say(Said::Ask { content }).await;
            }
        }
        self.ask_model(id, purpose).await;
    }

    /// Calls the model with what was said so far.
    pub(super) async fn ask_model(&mut self, id: RequestId, purpose: Purpose) {
        let model = match self.host.models().model(&self.state.model) {
            Ok(model) => model,
            Err(error) => return self.failed(id, &of_model(error)).await,
        };
        let (request, new_id) = (self.request(&purpose), self.host.new_id());
        let more = self.run.as_ref().map_or(0, |run| run.more);
        let job = Job { model, request, purpose: purpose.clone(), more, new_id };
        if let Some(run) = &mut self.run {
            run.asked = Some(purpose);
        }
        self.spawn(id, |steps| ask(job, steps));
    }

    fn question(&self, purpose: &Purpose) -> Option<String> {
        let task = self.machine.kept().task.as_deref().unwrap_or_default();
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
            system.push_str(&toolbox.named());
        }
        messages.extend(self.question(purpose).map(Message::User));
        Request { system, messages, tools: Vec::new(), json: true }
    }

    /// The servers are connected before a model is asked first, and those that are new or could not be reached later on;
    /// within a run those are asked for their tools that have others; then the model is asked.
    fn connect(&mut self, id: RequestId, purpose: Purpose, reminder: bool, servers: Vec<ChatServer>) {
        let (environment, folder, before) = (self.host.environment.clone(), self.folder.clone(), self.toolbox.clone());
        let has_connected = self.run.as_ref().is_some_and(|run| run.connected.is_some());
        self.spawn(id, |steps| async move {
            let toolbox = match before {
                Some(before) if has_connected && before.is_of(&servers) => before.renewed().await,
                before => Toolbox::connect(servers, folder.as_deref(), environment, before.as_deref()).await,
            };
            steps.send(Step::Connected(Box::new((toolbox, purpose, reminder)))).await;
        });
    }

    /// The tools are there.
    pub(super) async fn connected(&mut self, id: RequestId, toolbox: Toolbox) {
        let has_connected = self.run.as_mut().is_some_and(|run| run.connected.replace(id).is_some());
        let said = self.toolbox.as_ref().filter(|_| has_connected).map(|before| before.problems()).unwrap_or_default();
        for problem in toolbox.problems().into_iter().filter(|problem| !said.contains(problem)) {
            self.say(Said::notice(problem)).await;
        }
        let approved = &self.state.approved;
        self.machine.forget_approvals(|tool| {
            toolbox.digest(&self.session_id, tool).is_some_and(|digest| approved.get(tool) != Some(&digest))
        });
        let toolbox = Arc::new(toolbox);
        // Beside the session: servers may take their time for it.
        if let Some(before) = self.toolbox.replace(toolbox.clone()) {
            self.host.tasks.spawn(async move { before.close_but(&toolbox).await });
        }
        self.note_kept();
    }

    /// What is to be kept of the machine. An approval is for a tool as it is then: one that comes back as another,
    /// whenever that is, is not approved.
    pub(super) fn note_kept(&mut self) {
        let Self { state, machine, toolbox, session_id, .. } = self;
        state.kept = machine.kept().clone();
        state.approved.retain(|tool, _| machine.allowed().any(|allowed| allowed == tool));
        for tool in machine.allowed() {
            if !state.approved.contains_key(tool)
                && let Some(digest) = toolbox.as_ref().and_then(|toolbox| toolbox.digest(session_id, tool))
            {
                state.approved.insert(tool.to_owned(), digest);
            }
        }
    }

    /// T7, P11: the model hears the list as it is where that is news, and what the user changed or noted in any case.
    async fn remind(&mut self, is_news: bool) {
        let read = TodoRead { session_id: Some(self.session_id.clone()), ..TodoRead::default() };
        let written: TodoWritten = match self.host.call(&self.caller, read).await {
            Ok(written) => written,
            Err(error) => return tracing::warn!(%error, "the list cannot be read for the model"),
        };
        let told = mcp::told_by_hook(&written.edits, &written.todos);
        if !is_news && told.is_none() {
            return;
        }
        let mut content = prompt::reminder(&written.todos);
        let mut edits = Vec::new();
        if let Some(told) = told {
            content.push_str("\n\n");
            content.push_str(&told.text);
            edits = told.edits;
        }
        self.say(Said::Reminder { content }).await;
        if let Some(run) = &mut self.run {
            run.told = Some((act::snapshot(&written).revision, edits));
        }
    }

    /// The model has read what it was told.
    pub(super) async fn delivered(&self, revision: u64, edits: Vec<String>) {
        let delivered =
            TodoDelivered { session_id: self.session_id.clone(), revision: Some(revision), edits, tool_call: None };
        if let Err(error) = self.host.call(&self.caller, delivered).await {
            tracing::warn!(%error, "a delivery could not be noted; the edits will be told again");
        }
    }
}

/// For people.
fn doing(purpose: &Purpose) -> &'static str {
    match purpose {
        Purpose::Classify => "Reading the task",
        Purpose::Plan(_) => "Planning",
        Purpose::Answer => "Answering",
        Purpose::Work { .. } | Purpose::GoOn | Purpose::Redo { .. } => "Working",
        Purpose::Continue { .. } => "Going on",
        Purpose::Heed => "Reading what you said",
        Purpose::Verify { .. } => "Checking an item",
        Purpose::Validate => "Checking the whole",
    }
}
