//! The sessions and settings of the gateway as a view outside of the page follows them: the tray, the notifications,
//! the terminal. Says which list stands for a run, and which runs need the user.

use crate::follow::Message;
use protocol::{Event, Need, NeedKind, Session, SessionTodos, Settings, SharedEvent};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use todo::{Item, Status};

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
pub struct Desk {
    sessions: HashMap<String, ReceivedSession>,
    /// The user's settings.
    pub settings: Settings,
    /// A first snapshot has come.
    pub has_snapshot: bool,
}

impl Desk {
    /// Applies a message of the gateway; returns whether anything changed.
    pub fn apply(&mut self, message: Message) -> bool {
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
    pub fn sessions(&self) -> impl Iterator<Item = (&Session, &[Item])> {
        self.sessions.values().filter_map(ReceivedSession::parts)
    }

    /// Every current run with the list that stands for it.
    #[must_use]
    pub fn runs(&self) -> Vec<Run<'_>> {
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
    #[must_use]
    pub fn needs(&self) -> Vec<(&Session, &Need)> {
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

    /// The needs for which the user is called: those of sessions that are not muted, the oldest first.
    #[must_use]
    pub fn calls(&self) -> Vec<(&Session, &Need)> {
        self.needs().into_iter().filter(|(session, _)| !self.is_muted(session)).collect()
    }

    /// The runs as they want attention: those that need the user by their oldest need, then the youngest; subagents
    /// after whom they work for. Each with its level below a run.
    #[must_use]
    pub fn in_order(&self) -> Vec<(usize, Run<'_>)> {
        let mut places = HashMap::new();
        for (place, (run, _)) in self.calls().into_iter().enumerate() {
            places.entry(run.session_id.as_str()).or_insert(place);
        }
        let mut runs = self.runs();
        runs.sort_by_cached_key(|run| {
            let place = places.get(run.session.session_id.as_str()).copied().unwrap_or(usize::MAX);
            (place, Reverse(run.session.created_at), run.session.session_id.clone())
        });
        let ids: HashSet<&str> = runs.iter().map(|run| run.session.session_id.as_str()).collect();
        let mut below: HashMap<Option<&str>, Vec<&Run<'_>>> = HashMap::new();
        for run in &runs {
            let above = run.session.parent_session_id.as_deref().filter(|id| ids.contains(id));
            below.entry(above).or_default().push(run);
        }
        let mut ordered = Vec::with_capacity(runs.len());
        let roots = below.remove(&None).unwrap_or_default();
        let mut next: Vec<(usize, &Run<'_>)> = roots.into_iter().rev().map(|run| (0, run)).collect();
        while let Some((level, run)) = next.pop() {
            ordered.push((level, *run));
            let children = below.remove(&Some(run.session.session_id.as_str())).unwrap_or_default();
            next.extend(children.into_iter().rev().map(|child| (level + 1, child)));
        }
        // Those that work for each other in a circle.
        let seen: HashSet<&str> = ordered.iter().map(|(_, run)| run.session.session_id.as_str()).collect();
        let left = runs.iter().filter(|run| !seen.contains(run.session.session_id.as_str()));
        let left: Vec<_> = left.map(|run| (0, *run)).collect();
        ordered.extend(left);
        ordered
    }

    /// True if a session is muted, or one of those above it.
    #[must_use]
    pub fn is_muted(&self, session: &Session) -> bool {
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
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// The session of the run itself.
    pub session: &'a Session,
    /// The session that the progress and the items are of.
    pub list: &'a Session,
    /// The items of that list.
    pub items: &'a [Item],
}

impl<'a> Run<'a> {
    /// The first step in progress, or the innermost one in progress within it.
    #[must_use]
    pub fn step(&self) -> Option<&'a Item> {
        step(self.items)
    }
}

fn step(items: &[Item]) -> Option<&Item> {
    let item = items.iter().find(|item| item.status == Status::InProgress || step(&item.subtasks).is_some())?;
    Some(step(&item.subtasks).unwrap_or(item))
}
