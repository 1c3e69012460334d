//! The two watchers of a conversation, one for each direction.
//!
//! They decide at once what is passed on, from what is known in this process, and hand copies of the lines to the follower.

use crate::answers::Answers;
use crate::follow::Side;
use crate::handshake::Handshake;
use crate::lines::Watcher;
use crate::prompts::Prompts;
use crate::tool_server::{self, ToolServer};
use agents::Registry;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};

/// Notes that may wait for the follower, and the bytes of their lines. What is beyond is not followed, only passed on.
const NOTES: usize = 1024;
const BYTES: usize = 16 * 1024 * 1024;

/// Something for the follower.
pub(crate) enum Note {
    /// The request of this id, which is to come, has our tool server with this label.
    Label { id: String, label: String },
    /// The agent gets a prompt of ours under this id, in this session.
    Prompt { id: String, own_session: String },
    /// The agent has our answer to its request of this id.
    Answered { id: String },
    /// Whole lines.
    Lines(Side, Vec<u8>),
    /// The agent has ended.
    End,
}

/// The way to the follower. Nobody waits in it.
#[derive(Clone)]
pub(crate) struct Notes {
    to: SyncSender<Note>,
    waiting: Arc<AtomicUsize>,
}

/// The follower's end.
pub(crate) struct Noted {
    from: Receiver<Note>,
    waiting: Arc<AtomicUsize>,
}

pub(crate) fn notes() -> (Notes, Noted) {
    let (to, from) = sync_channel(NOTES);
    let waiting = Arc::new(AtomicUsize::new(0));
    (Notes { to, waiting: waiting.clone() }, Noted { from, waiting })
}

impl Notes {
    fn lines(&self, side: Side, lines: &[u8]) {
        let waiting = self.waiting.fetch_add(lines.len(), Ordering::Relaxed);
        let is_taken = waiting <= BYTES && self.to.try_send(Note::Lines(side, lines.to_vec())).is_ok();
        if !is_taken {
            self.waiting.fetch_sub(lines.len(), Ordering::Relaxed);
        }
    }

    /// Says that a prompt of ours is to come; returns whether there was room for that.
    pub(crate) fn prompt(&self, id: String, own_session: String) -> bool {
        self.to.try_send(Note::Prompt { id, own_session }).is_ok()
    }

    /// Says that the agent gets our answer. Where there is no room the next line of the editor's says it.
    pub(crate) fn answered(&self, id: String) {
        let _ = self.to.try_send(Note::Answered { id });
    }

    /// Says that there is no more to come. Waits until there is room for that.
    pub(crate) fn end(&self) {
        let _ = self.to.send(Note::End);
    }
}

impl Noted {
    /// The next note; `None` when nobody can send more.
    pub(crate) fn next(&self) -> Option<Note> {
        let note = self.from.recv().ok()?;
        if let Note::Lines(_, lines) = &note {
            self.waiting.fetch_sub(lines.len(), Ordering::Relaxed);
        }
        Some(note)
    }
}

/// Our tool server, in the forms in which agents take it.
pub(crate) struct Offer {
    pub(crate) http: Option<ToolServer>,
    pub(crate) stdio: ToolServer,
    pub(crate) new_label: Box<dyn Fn() -> String + Send>,
}

/// Watches what the editor says: requests that open a session get our tool server, and the agent gets no second answer.
pub(crate) struct FromEditor {
    pub(crate) handshake: Arc<OnceLock<Handshake>>,
    pub(crate) offer: Offer,
    pub(crate) answers: Arc<Answers>,
    pub(crate) notes: Notes,
}

impl Watcher for FromEditor {
    fn instead(&mut self, line: &[u8]) -> Option<Vec<u8>> {
        if self.answers.is_late(line) {
            return Some(Vec::new());
        }
        if !tool_server::may_open(line) {
            return None;
        }
        let handshake = self.handshake.get().filter(|handshake| handshake.is_understood)?;
        let server = self.offer.http.as_ref().filter(|_| handshake.takes_http).unwrap_or(&self.offer.stdio);
        let label = (self.offer.new_label)();
        let tool_server::Added { line, id } = tool_server::add(line, server, &label)?;
        // Without the note the label leads to the session all the same, which begins with the first call then.
        let _ = self.notes.to.try_send(Note::Label { id, label });
        Some(line)
    }

    fn look(&mut self, lines: &[u8]) {
        self.notes.lines(Side::Editor, lines);
    }
}

/// Watches what the agent says: it introduces itself, and answers prompts of ours, which the editor knows nothing of.
pub(crate) struct FromAgent {
    pub(crate) handshake: Arc<OnceLock<Handshake>>,
    pub(crate) registry: Registry,
    pub(crate) named: Option<String>,
    pub(crate) command: Vec<String>,
    pub(crate) prompts: Arc<Prompts>,
    pub(crate) answers: Arc<Answers>,
    pub(crate) notes: Notes,
}

impl Watcher for FromAgent {
    fn instead(&mut self, line: &[u8]) -> Option<Vec<u8>> {
        if self.handshake.get().is_none()
            && let Some(handshake) = Handshake::read(line, self.registry, self.named.as_deref(), &self.command)
        {
            // It is set once, here.
            let _ = self.handshake.set(handshake);
        }
        if self.handshake.get().is_some_and(|handshake| handshake.is_understood) {
            self.answers.note(line);
        }
        self.prompts.answers(line).then(Vec::new)
    }

    fn look(&mut self, lines: &[u8]) {
        self.notes.lines(Side::Agent, lines);
    }
}
