//! The one list that a client of the older protocol shows, and the sessions whose lists it is sent.
//!
//! Such a client draws every `todo.update` into the same panel, and nothing in the update names a session: lists of several
//! sessions would overwrite each other.

use protocol::{Event, EventsSnapshot, Session, SessionState, TodoUpdate};

/// The run whose list is shown where the client started no chat.
struct Run {
    session_id: String,
    is_over: bool,
    /// Its built-in list does not stand for it any more (`Session::list_session_id`).
    is_written: bool,
}

/// The panel of one connection.
#[derive(Default)]
pub(super) struct Panel {
    /// Sessions of the chats that the client started, the latest last.
    chats: Vec<String>,
    /// The session that the client named when it connected, by its id or label.
    named: Option<String>,
    run: Option<Run>,
}

impl Panel {
    pub(super) fn naming(named: Option<String>) -> Self {
        Self { named, ..Self::default() }
    }

    pub(super) fn named(&self) -> Option<&str> {
        self.named.as_deref()
    }

    /// Shows the lists of the client's own chats from now on.
    pub(super) fn started(&mut self, session_id: &str) {
        self.chats.retain(|chat| chat != session_id);
        self.chats.push(session_id.to_owned());
    }

    /// Shows the session that was last active and has a list, where there is no better one.
    pub(super) fn begin(&mut self, snapshot: &EventsSnapshot) {
        if self.named.is_some() || self.run.is_some() {
            return;
        }
        let has_list = |session: &Session| {
            let list = session.list_session_id.as_deref().unwrap_or(&session.session_id);
            snapshot.sessions.iter().any(|of| of.session.session_id == list && !of.todos.is_empty())
        };
        let mut runs = snapshot.sessions.iter().map(|of| &of.session).filter(|session| session.own_tool.is_none());
        self.run = runs.find(|session| has_list(session)).map(Run::of);
    }

    /// Returns the session whose list is to be seen at once, by its id or label.
    pub(super) fn target(&self) -> Option<&str> {
        let run = self.run.as_ref().map(|run| &run.session_id);
        self.chats.last().or(run).or(self.named.as_ref()).map(String::as_str)
    }

    /// Shows a session that was found under its name.
    pub(super) fn show(&mut self, session: &Session) {
        self.run = Some(Run::of(session));
    }

    /// Learns from an event, and returns the update whose list is to be shown.
    pub(super) fn takes<'a>(&mut self, event: &'a Event) -> Option<&'a TodoUpdate> {
        match event {
            Event::SessionCreated(event) | Event::SessionUpdated(event) => self.note(&event.session.session),
            Event::SessionDeleted(event) => self.run = self.run.take().filter(|run| run.session_id != event.session_id),
            Event::TodoUpdate(update) => {
                let session = &update.session.session;
                self.note(session);
                self.follow(session);
                return self.shows(session).then_some(update);
            }
            _ => {}
        }
        None
    }

    fn note(&mut self, session: &Session) {
        let Some(run) = self.run.as_mut().filter(|run| run.session_id == run_of(session)) else { return };
        let now = Run::of(session);
        run.is_over = now.is_over;
        if session.own_tool.is_none() {
            run.is_written = now.is_written;
        }
    }

    /// Shows another session, where the one that was shown is over or the named one has begun.
    fn follow(&mut self, session: &Session) {
        let follows = match &self.named {
            Some(named) => self.run.is_none() && session.label.as_ref() == Some(named),
            None => self.run.as_ref().is_none_or(|run| run.is_over) && !is_over(session),
        };
        if follows {
            self.show(session);
        }
    }

    fn shows(&self, session: &Session) -> bool {
        if !self.chats.is_empty() {
            return self.chats.contains(&session.session_id);
        }
        let run = self.run.as_ref().filter(|run| run.session_id == run_of(session));
        run.is_some_and(|run| session.own_tool.is_none() || !run.is_written)
    }
}

impl Run {
    fn of(session: &Session) -> Self {
        Self {
            session_id: run_of(session).to_owned(),
            is_over: is_over(session),
            is_written: session.own_tool.is_none() && session.has_list(),
        }
    }
}

/// Returns the session itself, or for a built-in list that of its run.
fn run_of(session: &Session) -> &str {
    let run = session.parent_session_id.as_deref().filter(|_| session.own_tool.is_some());
    run.unwrap_or(&session.session_id)
}

fn is_over(session: &Session) -> bool {
    matches!(session.state, SessionState::Finished | SessionState::Failed) || !session.current
}
