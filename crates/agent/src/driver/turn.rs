//! How the model is asked: the conversation, the list as it is, and the tools.

use super::ask::{Job, ask};
use super::said::{Said, conversation};
use super::session::Session;
use super::step::Step;
use super::toolbox::Toolbox;
use super::{act, settings};
use crate::fsm::{Answer, Event, Purpose, RequestId};
use crate::model::{Message, Request};
use crate::prompt::{self, Voice};
use protocol::{ChatServer, TodoDelivered, TodoRead, TodoWritten};
use std::sync::Arc;

impl Session {
    /// Calls the model for a purpose.
    pub(super) async fn ask(&mut self, id: RequestId, purpose: Purpose, reminder: bool) {
        self.doing(doing(&purpose).to_owned());
        let model = match self.host.models().model(&self.state.model) {
            Ok(model) => model,
            Err(error) => return self.hear(Event::Answer { id, answer: Answer::Failed(error.to_string()) }),
        };
        let servers = self.host.hub.settings().chat_servers;
        if !self.toolbox.as_ref().is_some_and(|toolbox| toolbox.is_of(&servers)) {
            return self.connect(id, purpose, reminder, servers);
        }
        if purpose.is_turn() {
            if reminder {
                self.remind().await;
            }
            if let Some(content) = self.question(&purpose).filter(|_| purpose != Purpose::Answer) {
                self.say(Said::Ask { content }).await;
            }
        }
        let job = Job { model, request: self.request(&purpose), purpose: purpose.clone(), new_id: self.host.new_id() };
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
        if purpose.is_turn() {
            let tools = match voice {
                Voice::Tools => self.toolbox.as_ref().map(|toolbox| toolbox.specs()).unwrap_or_default(),
                Voice::Prose => Vec::new(),
            };
            return Request { system, messages, tools, json: false };
        }
        if let Some(toolbox) = self.toolbox.as_ref().filter(|_| voice == Voice::Tools) {
            system.push_str(&toolbox.named());
        }
        messages.extend(self.question(purpose).map(Message::User));
        Request { system, messages, tools: Vec::new(), json: true }
    }

    /// The servers are connected before a model is asked first, and anew when they are others; then it is asked.
    fn connect(&mut self, id: RequestId, purpose: Purpose, reminder: bool, servers: Vec<ChatServer>) {
        let (environment, folder) = (self.host.environment.clone(), self.folder.clone());
        self.spawn(id, |steps| async move {
            let toolbox = Toolbox::connect(servers, folder.as_deref(), environment).await;
            steps.send(Step::Connected(Box::new((toolbox, purpose, reminder)))).await;
        });
    }

    /// The tools are there.
    pub(super) async fn connected(&mut self, toolbox: Toolbox) {
        for problem in toolbox.problems() {
            self.say(Said::Notice { message: problem }).await;
        }
        if let Some(old) = self.toolbox.replace(Arc::new(toolbox)) {
            old.close().await;
        }
        self.machine.configure(settings::with(&self.host.hub.settings(), self.toolbox.as_deref()));
    }

    /// T7, P11: the model hears the list as it is, and what the user changed.
    async fn remind(&mut self) {
        let read = TodoRead { session_id: Some(self.session_id.clone()), ..TodoRead::default() };
        let written: TodoWritten = match self.host.call(&self.caller, read).await {
            Ok(written) => written,
            Err(error) => return tracing::warn!(%error, "the list cannot be read for the model"),
        };
        let mut content = prompt::reminder(&written.todos, &[]);
        let told = mcp::told_by_hook(&written.edits, &written.todos);
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
        Purpose::Verify { .. } => "Checking an item",
        Purpose::Validate => "Checking the whole",
    }
}
