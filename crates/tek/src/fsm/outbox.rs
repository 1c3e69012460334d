//! Messages of the user's on their way, one after the other: a connection has one chat of ours under way.
//!
//! A message has arrived once something came of it. One whose connection ends before that is sent again.

use super::{Effect, Line};
use std::collections::VecDeque;

/// Messages that may wait.
const WAITING: usize = 1_000;

#[derive(Debug, Default)]
pub(super) struct Outbox {
    waiting: VecDeque<Line>,
    /// The message under way: its request once it is sent, and whether it has arrived.
    under_way: Option<(Option<String>, Line, bool)>,
    /// Ids of those that have arrived, the newest last: they may be told once more.
    arrived: VecDeque<String>,
}

impl Outbox {
    pub(super) fn add(&mut self, line: Line) {
        let is_known = |known: &Line| known.edit == line.edit;
        let is_there = self.waiting.iter().any(is_known)
            || self.under_way.as_ref().is_some_and(|(_, known, _)| is_known(known))
            || self.arrived.contains(&line.edit);
        if !is_there && self.waiting.len() < WAITING {
            self.waiting.push_back(line);
        }
    }

    /// Takes the next message to be sent: its session and its text.
    pub(super) fn next(&mut self) -> Option<(String, String)> {
        if self.under_way.is_some() {
            return None;
        }
        let line = self.waiting.pop_front()?;
        let next = (line.session.clone(), line.text.clone());
        self.under_way = Some((None, line, false));
        Some(next)
    }

    pub(super) fn sent(&mut self, request: &str) {
        if let Some((id, ..)) = &mut self.under_way {
            *id = Some(request.to_owned());
        }
    }

    /// The session of a message under way.
    pub(super) fn session(&self, request: &str) -> Option<String> {
        self.is_it(request).map(|line| line.session.clone())
    }

    /// Something came of a request: a message of it has arrived, and its text is told.
    pub(super) fn accepted(&mut self, request: &str, effects: &mut Vec<Effect>) -> Option<String> {
        let line = self.is_it(request)?.clone();
        let (_, _, has_arrived) = self.under_way.as_mut()?;
        if !std::mem::replace(has_arrived, true) {
            if self.arrived.len() >= WAITING {
                self.arrived.pop_front();
            }
            self.arrived.push_back(line.edit.clone());
            effects.push(Effect::Arrived(line.clone()));
        }
        Some(line.text)
    }

    /// The chat of a request is over: the next message may go.
    pub(super) fn over(&mut self, request: &str) {
        if self.is_it(request).is_some() {
            self.under_way = None;
        }
    }

    /// A message was refused since another chat is under way.
    pub(super) fn again(&mut self, request: &str) {
        if self.is_it(request).is_some()
            && let Some((_, line, has_arrived)) = self.under_way.take()
            && !has_arrived
        {
            self.waiting.push_front(line);
        }
    }

    /// The connection is over.
    pub(super) fn lost(&mut self) {
        if let Some((_, line, has_arrived)) = self.under_way.take()
            && !has_arrived
        {
            self.waiting.push_front(line);
        }
    }

    fn is_it(&self, request: &str) -> Option<&Line> {
        let (id, line, _) = self.under_way.as_ref()?;
        (id.as_deref() == Some(request)).then_some(line)
    }
}
