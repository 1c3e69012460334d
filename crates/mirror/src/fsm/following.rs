//! A link whose host answers: pages of changes, the sessions of a page side by side, and edits one after the other.

use super::event::{Effect, Input};
use hub::{Forwarded, HostPosition};
use protocol::{Code, Error, FeedChanges, FeedPage, FeedSession, Reply, Request, Text, say};
use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

/// Sessions that are asked for side by side.
const ABREAST: usize = 8;

/// A request that the host has not answered.
#[derive(Debug)]
enum Asked {
    Subscription,
    /// `goes_on` after a cursor.
    Changes {
        goes_on: bool,
    },
    Session(FeedSession),
    Edit(Box<Forwarded>),
    Probe(Duration),
}

/// A page of changes on its way.
#[derive(Debug)]
struct Page {
    cursor: String,
    deleted: Vec<protocol::FeedDeleted>,
    more: bool,
    left: VecDeque<String>,
    /// Sessions under way, each with the revision that was last asked for.
    busy: HashMap<String, Option<u64>>,
    /// Sessions whose history here was found to be another one.
    anew: HashSet<String>,
}

#[derive(Debug)]
enum Fetching {
    /// Nothing is known to have changed.
    Idle,
    /// The position is read, or the page is asked for.
    Asking,
    Page(Box<Page>),
    /// The end of a page is stored.
    Ending {
        more: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Editing {
    Idle,
    /// It is read, sent, or its end is stored; and another may have come meanwhile.
    Busy {
        again: bool,
    },
}

#[derive(Debug)]
pub(super) struct Following {
    since: Option<jiff::Timestamp>,
    asked: HashMap<u64, Asked>,
    fetching: Fetching,
    /// More has changed since the page was asked for.
    dirty: bool,
    editing: Editing,
    probed: Duration,
    has_caught_up: bool,
}

type Send<'a> = &'a mut dyn FnMut(Request, &mut Vec<Effect>) -> u64;

impl Following {
    pub(super) fn new(subscription: u64, since: Option<jiff::Timestamp>) -> Self {
        Self {
            since,
            asked: HashMap::from([(subscription, Asked::Subscription)]),
            fetching: Fetching::Idle,
            dirty: false,
            editing: Editing::Busy { again: false },
            probed: Duration::ZERO,
            has_caught_up: false,
        }
    }

    /// True if the host owes an answer.
    pub(super) fn asks(&self) -> bool {
        !self.asked.is_empty()
    }

    pub(super) fn probed(&self) -> Duration {
        self.probed
    }

    pub(super) fn probe(&mut self, id: u64, now: Duration) {
        self.probed = now;
        self.asked.insert(id, Asked::Probe(now));
    }

    /// True if it had everything once.
    pub(super) fn has_caught_up(&self) -> bool {
        self.has_caught_up
    }

    /// # Errors
    /// The reason for which the connection is given up.
    pub(super) fn step(
        &mut self,
        now: Duration,
        input: Input,
        send: Send<'_>,
        effects: &mut Vec<Effect>,
    ) -> Result<(), Text> {
        match input {
            Input::Answer(id, answer) => self.answered(now, id, *answer, effects)?,
            Input::Changed => self.dirty = true,
            Input::Woken => match &mut self.editing {
                Editing::Busy { again } => *again = true,
                Editing::Idle => self.read_edit(effects),
            },
            Input::Position(position) => self.ask_for_changes(position, send, effects),
            Input::Prepared(ask) => self.ask_for_session(ask, send, effects)?,
            Input::Taken(session, taken) => self.taken(&session, taken, effects)?,
            Input::PageTaken(taken) => {
                taken.map_err(Error::into_text)?;
                let Fetching::Ending { more } = self.fetching else { return Ok(()) };
                self.fetching = Fetching::Idle;
                self.dirty |= more;
                self.has_caught_up |= !self.dirty;
            }
            Input::NextEdit(Some(edit)) => {
                let id = send(edit.edit.clone().into(), effects);
                self.asked.insert(id, Asked::Edit(edit));
            }
            Input::NextEdit(None) => match self.editing {
                Editing::Busy { again: true } => self.read_edit(effects),
                _ => self.editing = Editing::Idle,
            },
            Input::Settled(settled) => {
                settled.map_err(Error::into_text)?;
                self.read_edit(effects);
            }
            Input::HubFailed(error) => return Err(error.into_text()),
            Input::Opened | Input::Lost(_) | Input::Tick => {}
        }
        self.fetch(effects);
        Ok(())
    }

    fn read_edit(&mut self, effects: &mut Vec<Effect>) {
        self.editing = Editing::Busy { again: false };
        effects.push(Effect::ReadEdit);
    }

    /// Goes on with what is to be fetched.
    fn fetch(&mut self, effects: &mut Vec<Effect>) {
        match &mut self.fetching {
            Fetching::Idle if self.dirty => {
                self.dirty = false;
                self.fetching = Fetching::Asking;
                effects.push(Effect::ReadPosition);
            }
            Fetching::Page(page) => {
                while page.busy.len() < ABREAST
                    && let Some(next) = page.left.pop_front()
                {
                    page.busy.insert(next.clone(), None);
                    effects.push(Effect::Prepare(next));
                }
                if page.busy.is_empty() {
                    let (cursor, deleted) = (page.cursor.clone(), std::mem::take(&mut page.deleted));
                    let more = page.more;
                    self.fetching = Fetching::Ending { more };
                    effects.push(Effect::TakePage(Some(cursor), deleted, more));
                }
            }
            Fetching::Idle | Fetching::Asking | Fetching::Ending { .. } => {}
        }
    }

    fn ask_for_changes(&mut self, position: HostPosition, send: Send<'_>, effects: &mut Vec<Effect>) {
        let HostPosition { cursor, witness, is_first } = position;
        let goes_on = cursor.is_some();
        let ask = FeedChanges { cursor, since: self.since.filter(|_| is_first), witness, limit: None };
        let id = send(ask.into(), effects);
        self.asked.insert(id, Asked::Changes { goes_on });
    }

    fn ask_for_session(&mut self, ask: FeedSession, send: Send<'_>, effects: &mut Vec<Effect>) -> Result<(), Text> {
        let Fetching::Page(page) = &mut self.fetching else { return Ok(()) };
        let Some(last) = page.busy.get_mut(&ask.session_id) else { return Ok(()) };
        if last.is_some_and(|last| ask.revision <= last && !page.anew.contains(&ask.session_id)) {
            return Err(say::link_stuck(ask.session_id, ask.revision));
        }
        *last = Some(ask.revision);
        let id = send(ask.clone().into(), effects);
        self.asked.insert(id, Asked::Session(ask));
        Ok(())
    }

    fn answered(
        &mut self,
        now: Duration,
        id: u64,
        answer: Result<Reply, Error>,
        effects: &mut Vec<Effect>,
    ) -> Result<(), Text> {
        match (self.asked.remove(&id), answer) {
            (None, _) => {}
            (Some(Asked::Subscription), Ok(_)) => self.dirty = true,
            (Some(Asked::Probe(sent)), Ok(_)) => effects.push(Effect::Delay(now.saturating_sub(sent))),
            // The host has another history: what it has lately is fetched as at first.
            (Some(Asked::Changes { goes_on: true }), Ok(Reply::FeedChanges(page))) if page.anew => {
                self.fetching = Fetching::Ending { more: true };
                effects.push(Effect::TakePage(None, Vec::new(), true));
            }
            (Some(Asked::Changes { .. }), Ok(Reply::FeedChanges(page))) => self.begin(page),
            (Some(Asked::Session(ask)), Ok(Reply::FeedSession(rows))) => {
                if rows.differs
                    && let Fetching::Page(page) = &mut self.fetching
                    && !page.anew.insert(ask.session_id.clone())
                {
                    return Err(say::link_another(ask.session_id));
                }
                effects.push(Effect::Take(Box::new(ask), Box::new(rows)));
            }
            // It was deleted meanwhile, which comes with a later page.
            (Some(Asked::Session(ask)), Err(error)) if error.code == Code::SessionNotFound => {
                self.done(&ask.session_id)
            }
            (Some(Asked::Session(ask)), Err(error)) if error.code == Code::InvalidMessage => {
                self.leave_out(&ask.session_id, error, effects);
            }
            (Some(Asked::Edit(edit)), Ok(Reply::EditOnce(_))) => effects.push(Effect::Settle(edit, None)),
            (Some(Asked::Edit(edit)), Err(error)) if !is_passing(error.code) => {
                effects.push(Effect::Settle(edit, Some(error.into_text())));
            }
            (Some(_), Err(error)) => return Err(error.into_text()),
            (Some(_), Ok(_)) => return Err(say::link_other_answer()),
        }
        Ok(())
    }

    fn begin(&mut self, page: FeedPage) {
        let mut left = VecDeque::new();
        let mut seen = HashSet::new();
        for session in page.sessions {
            if seen.insert(session.clone()) {
                left.push_back(session);
            }
        }
        self.fetching = Fetching::Page(Box::new(Page {
            cursor: page.cursor,
            deleted: page.deleted,
            more: page.more,
            left,
            busy: HashMap::new(),
            anew: HashSet::new(),
        }));
    }

    fn taken(&mut self, session: &str, taken: Result<bool, Error>, effects: &mut Vec<Effect>) -> Result<(), Text> {
        match taken {
            Ok(true) => effects.push(Effect::Prepare(session.to_owned())),
            Ok(false) => self.done(session),
            Err(error) if error.code == Code::InvalidMessage => self.leave_out(session, error, effects),
            Err(error) => return Err(error.into_text()),
        }
        Ok(())
    }

    /// A session that cannot be understood holds nothing else up. It is asked for again when it changes.
    fn leave_out(&mut self, session: &str, error: Error, effects: &mut Vec<Effect>) {
        let problem = error.into_text();
        effects.push(Effect::Unread(say::link_session(session, &problem).with("problem", &problem)));
        self.done(session);
    }

    /// Nothing more is to be fetched of a session of the page.
    fn done(&mut self, session: &str) {
        if let Fetching::Page(page) = &mut self.fetching {
            page.busy.remove(session);
        }
    }
}

/// True if an edit may be taken at another time.
fn is_passing(code: Code) -> bool {
    matches!(code, Code::Unavailable | Code::Storage | Code::Internal | Code::RateLimited | Code::UnknownType)
}
