//! The sessions and settings of the gateway, for the tray, the taskbar and the notifications.

use app::Message;
use protocol::{Event, Need, NeedKind, Session, SessionTodos, Settings, SharedEvent};
use std::collections::{HashMap, HashSet};
use todo::Item;

/// The most levels of subagents that are followed.
const LEVELS: usize = 16;

/// The last state of a session, in the message that brought it.
enum ReceivedSession {
    Snapshot(Box<SessionTodos>),
    Event(SharedEvent),
}

impl ReceivedSession {
    fn parts(&self) -> Option<(&Session, &[Item])> {
        match self {
            Self::Snapshot(session) => Some((&session.session, &session.todos)),
            Self::Event(event) => match event.event() {
                Event::TodoUpdate(update) => Some((&update.session.session, &update.todos)),
                Event::SessionCreated(told) | Event::SessionUpdated(told) => {
                    Some((&told.session.session, &told.session.todos))
                }
                _ => None,
            },
        }
    }
}

/// All sessions and the user's settings.
#[derive(Default)]
pub(crate) struct Desk {
    sessions: HashMap<String, ReceivedSession>,
    pub(crate) settings: Settings,
    /// A first snapshot has come.
    pub(crate) has_snapshot: bool,
}

impl Desk {
    /// Applies a message of the gateway; returns whether anything changed.
    pub(crate) fn apply(&mut self, message: Message) -> bool {
        match message {
            Message::Snapshot(snapshot) => {
                if snapshot.whole {
                    self.sessions.clear();
                }
                for gone in &snapshot.deleted {
                    self.sessions.remove(gone);
                }
                for told in snapshot.sessions {
                    self.sessions.insert(told.session.session_id.clone(), ReceivedSession::Snapshot(Box::new(told)));
                }
                self.settings = snapshot.settings;
                self.has_snapshot = true;
                true
            }
            Message::Event(event) => self.apply_event(event),
        }
    }

    fn apply_event(&mut self, shared: SharedEvent) -> bool {
        let id = match shared.event() {
            Event::TodoUpdate(update) => update.session_id.clone(),
            Event::SessionCreated(told) | Event::SessionUpdated(told) => told.session.session.session_id.clone(),
            Event::SessionDeleted(gone) => return self.sessions.remove(&gone.session_id).is_some(),
            Event::SettingsUpdated(update) => {
                self.settings = update.settings.clone();
                return true;
            }
            _ => return false,
        };
        let told = ReceivedSession::Event(shared);
        let is_over = told.parts().is_some_and(|(session, _)| !session.current && !session.pinned);
        if is_over {
            // Past sessions would pile up for as long as the window is open.
            self.sessions.remove(&id);
        } else {
            self.sessions.insert(id, told);
        }
        true
    }

    /// Every session with its list.
    pub(crate) fn sessions(&self) -> impl Iterator<Item = (&Session, &[Item])> {
        self.sessions.values().filter_map(ReceivedSession::parts)
    }

    /// Every current run with the list that stands for it.
    pub(crate) fn runs(&self) -> Vec<Run<'_>> {
        let is_list = |session: &Session| session.own_tool.is_some() && session.parent_session_id.is_some();
        let mut runs = Vec::new();
        for (session, items) in self.sessions() {
            if session.current && !session.dismissed && !is_list(session) {
                let standing = session.list_session_id.as_ref().and_then(|id| self.sessions.get(id));
                let (list, items) = standing.and_then(ReceivedSession::parts).unwrap_or((session, items));
                runs.push(Run { session, list, items });
            }
        }
        runs
    }

    /// All needs with their runs, the oldest first, including those of muted sessions.
    pub(crate) fn needs(&self) -> Vec<(&Session, &Need)> {
        let with_own: HashSet<&str> = self
            .sessions()
            .filter(|(session, _)| session.current && session.own_tool.is_some())
            .filter_map(|(session, _)| session.parent_session_id.as_deref())
            .collect();
        // Our tool being off does not matter where the agent's built-in list is shown.
        let matters = move |run: &Session, need: &Need| {
            need.kind != NeedKind::ToolOff || !with_own.contains(run.session_id.as_str())
        };
        let mut needs: Vec<_> = self
            .sessions()
            .filter(|(session, _)| session.current && !self.with_ancestors(session).any(|session| session.dismissed))
            .flat_map(|(session, _)| {
                let run = self.run_of(session);
                session.needs.iter().map(move |need| (run, need))
            })
            .filter(|(run, need)| matters(run, need))
            .collect();
        needs.sort_by(|(_, one), (_, other)| one.since.cmp(&other.since).then_with(|| one.id.cmp(&other.id)));
        needs
    }

    /// True if a session is muted, or one of those above it.
    pub(crate) fn is_muted(&self, session: &Session) -> bool {
        self.with_ancestors(session).any(|session| session.muted)
    }

    /// A session and its parents, which it works for as a subagent.
    fn with_ancestors<'a>(&'a self, session: &'a Session) -> impl Iterator<Item = &'a Session> {
        let next = |session: &&'a Session| {
            let above = session.parent_session_id.as_ref().and_then(|id| self.sessions.get(id));
            above.and_then(ReceivedSession::parts).map(|(session, _)| session)
        };
        // The limit also ends a circle.
        std::iter::successors(Some(session), next).take(LEVELS)
    }

    /// The run to which a session belongs as its built-in list; any other session is its own run.
    fn run_of<'a>(&'a self, session: &'a Session) -> &'a Session {
        let run = session.own_tool.as_ref().and(session.parent_session_id.as_ref());
        run.and_then(|id| self.sessions.get(id)).and_then(ReceivedSession::parts).map_or(session, |(run, _)| run)
    }
}

/// A run with the list to show for it.
pub(crate) struct Run<'a> {
    pub(crate) session: &'a Session,
    /// The session that the progress and the items are of.
    pub(crate) list: &'a Session,
    pub(crate) items: &'a [Item],
}
