//! What the gateway has told, as far as the tray, the taskbar and the notifications look at it.

use app::Message;
use protocol::{Event, Need, NeedKind, Session, SessionTodos, Settings, SharedEvent};
use std::collections::{HashMap, HashSet};
use todo::Item;

/// How many levels of subagents are looked through.
const LEVELS: usize = 16;

/// A session as it was told last, held as it came.
enum Told {
    Whole(Box<SessionTodos>),
    Event(SharedEvent),
}

impl Told {
    fn look(&self) -> Option<(&Session, &[Item])> {
        match self {
            Self::Whole(whole) => Some((&whole.session, &whole.todos)),
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

/// All sessions and what the user has set.
#[derive(Default)]
pub(crate) struct Desk {
    sessions: HashMap<String, Told>,
    pub(crate) settings: Settings,
    /// The gateway has told something since this view began.
    pub(crate) is_told: bool,
}

impl Desk {
    /// Takes what the gateway says; whether anything here changed.
    pub(crate) fn take(&mut self, message: Message) -> bool {
        match message {
            Message::Snapshot(snapshot) => {
                if snapshot.whole {
                    self.sessions.clear();
                }
                for gone in &snapshot.deleted {
                    self.sessions.remove(gone);
                }
                for told in snapshot.sessions {
                    self.sessions.insert(told.session.session_id.clone(), Told::Whole(Box::new(told)));
                }
                self.settings = snapshot.settings;
                self.is_told = true;
                true
            }
            Message::Event(event) => self.hear(event),
        }
    }

    fn hear(&mut self, shared: SharedEvent) -> bool {
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
        let told = Told::Event(shared);
        let is_over = told.look().is_some_and(|(session, _)| !session.current && !session.pinned);
        if is_over {
            // It would be kept for as long as the window is open.
            self.sessions.remove(&id);
        } else {
            self.sessions.insert(id, told);
        }
        true
    }

    /// Every session with its list.
    pub(crate) fn sessions(&self) -> impl Iterator<Item = (&Session, &[Item])> {
        self.sessions.values().filter_map(Told::look)
    }

    /// Every current run, with its list: ours, or where it has none, its agent's own.
    pub(crate) fn runs(&self) -> Vec<Run<'_>> {
        let mut own: HashMap<&str, (&Session, &[Item])> = HashMap::new();
        let mut runs = Vec::new();
        for (session, items) in self.sessions().filter(|(session, _)| session.current && !session.dismissed) {
            match (&session.parent_session_id, &session.own_tool) {
                (Some(parent), Some(_)) => drop(own.insert(parent, (session, items))),
                _ => runs.push(Run { session, list: session, items }),
            }
        }
        for run in &mut runs {
            if run.session.progress.total == 0
                && let Some((list, items)) = own.get(run.session.session_id.as_str())
            {
                (run.list, run.items) = (list, items);
            }
        }
        runs
    }

    /// Everything that is needed, with the run that needs it, longest first; of muted ones too.
    pub(crate) fn needs(&self) -> Vec<(&Session, &Need)> {
        let with_own: HashSet<&str> = self
            .sessions()
            .filter(|(session, _)| session.current && session.own_tool.is_some())
            .filter_map(|(session, _)| session.parent_session_id.as_deref())
            .collect();
        // That our tool is off is no matter where the agent's own list is there to see.
        let matters = move |run: &Session, need: &Need| {
            need.kind != NeedKind::ToolOff || !with_own.contains(run.session_id.as_str())
        };
        let mut needs: Vec<_> = self
            .sessions()
            .filter(|(session, _)| session.current && !self.above(session).any(|session| session.dismissed))
            .flat_map(|(session, _)| {
                let run = self.run_of(session);
                session.needs.iter().map(move |need| (run, need))
            })
            .filter(|(run, need)| matters(run, need))
            .collect();
        needs.sort_by(|(_, one), (_, other)| one.since.cmp(&other.since).then_with(|| one.id.cmp(&other.id)));
        needs
    }

    /// Whether the user does not want to hear of a session, or of one that it works for.
    pub(crate) fn is_muted(&self, session: &Session) -> bool {
        self.above(session).any(|session| session.muted)
    }

    /// A session and those that it works for.
    fn above<'a>(&'a self, session: &'a Session) -> impl Iterator<Item = &'a Session> {
        let next = |session: &&'a Session| {
            let above = session.parent_session_id.as_ref().and_then(|id| self.sessions.get(id));
            above.and_then(Told::look).map(|(session, _)| session)
        };
        // What goes round in a circle ends as well.
        std::iter::successors(Some(session), next).take(LEVELS)
    }

    /// The run whose list a session is, where it is an agent's own; else itself.
    fn run_of<'a>(&'a self, session: &'a Session) -> &'a Session {
        let run = session.own_tool.as_ref().and(session.parent_session_id.as_ref());
        run.and_then(|id| self.sessions.get(id)).and_then(Told::look).map_or(session, |(run, _)| run)
    }
}

/// A run with the list to show for it.
pub(crate) struct Run<'a> {
    pub(crate) session: &'a Session,
    /// Whose progress and items those are.
    pub(crate) list: &'a Session,
    pub(crate) items: &'a [Item],
}
