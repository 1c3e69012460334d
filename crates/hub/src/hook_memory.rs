//! Reports of hooks that belong to no session yet, and answers on their way to an agent.
//!
//! It is changed in a turn, on a copy that takes the place of the committed one with the commit. Waiting is measured on a
//! clock that nobody sets: the machine's may jump between a hook and its call.

use jiff::Timestamp;
use protocol::{AnnouncedCall, SubagentEvent};
use std::collections::HashMap;
use std::time::Duration;

/// The time that an answer to a hook may be on its way; what it should have told is told again after that.
const OFFERED: Duration = Duration::from_secs(5);

/// Prompts of runs kept whose session is not known yet.
const PROMPTS: usize = 256;

/// Announced calls that are waited for, and for how long.
const ANNOUNCED: usize = 64;
const ANNOUNCED_FOR: Duration = Duration::from_secs(60);

/// Sessions of whose runs hooks tell that are kept.
const HOOKED: usize = 1024;

/// The most ends of turns in a row that are put off. Claude Code ends a turn by itself after eight without a tool call.
const PUT_OFF: u32 = 6;

/// Seconds that a file's line may be behind the hook of its call.
const BEHIND_SECONDS: i64 = 5;

/// A call that a hook has announced.
#[derive(Debug, Clone)]
pub(crate) struct Announcement {
    /// The run's key.
    pub(crate) run: String,
    /// The agent's own id of its session.
    pub(crate) own_session: String,
    /// The agent's name.
    pub(crate) agent: String,
    /// The processes above the hook; none for a hook that came with a key.
    pub(crate) processes: Vec<String>,
    pub(crate) call: AnnouncedCall,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct HookMemory {
    /// Sessions whose edits a hook's answer is about to tell, since when.
    offered: HashMap<String, Duration>,
    /// The first prompts of runs whose session is not known yet, by the run's key.
    prompts: HashMap<String, String>,
    /// Sessions of whose runs hooks tell, and whether a hook's answer reaches the agent: files tell nothing more of them
    /// but their lists, and what no hook tells.
    hooked: HashMap<String, bool>,
    /// Calls that runs are about to make.
    announced: Vec<(Announcement, Duration)>,
    /// Subagents under way of sessions whose hooks do not say which events are a subagent's.
    subagents: HashMap<String, u32>,
    /// When a hook told of a run's built-in list last, by its session: a file that has the same a little later says the
    /// past.
    listed: HashMap<String, Timestamp>,
    /// Number of times that the end of the turn under way was put off, by session.
    put_off: HashMap<String, u32>,
}

impl HookMemory {
    pub(crate) fn is_hooked(&self, session_id: &str) -> bool {
        self.hooked.contains_key(session_id)
    }

    /// True if an answer to a hook of this session reaches its agent, so that it can be told of edits.
    pub(crate) fn listens(&self, session_id: &str) -> bool {
        self.hooked.get(session_id) == Some(&true)
    }

    pub(crate) fn hooked(&mut self, session_id: &str, listens: bool) {
        if self.hooked.len() >= HOOKED {
            self.hooked.clear();
        }
        *self.hooked.entry(session_id.to_owned()).or_default() |= listens;
    }

    /// Hooks that told of the one session tell of the other from now on.
    pub(crate) fn moved(&mut self, from: &str, to: &str) {
        if let Some(listens) = self.hooked.remove(from) {
            self.hooked(to, listens);
        }
        if let Some(at) = self.listed.remove(from) {
            self.listed.insert(to.to_owned(), at);
        }
    }

    /// True if an answer to a hook of this session is on its way. Hooks of calls that were made side by side ask at the
    /// same time: while one of them is about to tell, the others leave it to that one.
    pub(crate) fn is_offered(&self, session_id: &str, now: Duration) -> bool {
        self.offered.get(session_id).is_some_and(|since| is_within(*since, now, OFFERED))
    }

    pub(crate) fn offer(&mut self, session_id: &str, now: Duration) {
        self.offered.retain(|_, since| is_within(*since, now, OFFERED));
        self.offered.insert(session_id.to_owned(), now);
    }

    /// True if an answer to a hook of this session was on its way and is not known to be read.
    pub(crate) fn has_offer(&self, session_id: &str) -> bool {
        self.offered.contains_key(session_id)
    }

    /// The answer of a hook was read.
    pub(crate) fn was_delivered(&mut self, session_id: &str) {
        self.offered.remove(session_id);
    }

    /// True if the end of a turn may be put off once more.
    pub(crate) fn may_put_off(&self, session_id: &str) -> bool {
        self.put_off.get(session_id).is_none_or(|times| *times < PUT_OFF)
    }

    /// The end of a turn is put off, so that the agent hears of edits.
    pub(crate) fn put_off(&mut self, session_id: &str) {
        *self.put_off.entry(session_id.to_owned()).or_default() += 1;
    }

    /// True if the end of the turn under way was put off.
    pub(crate) fn was_put_off(&self, session_id: &str) -> bool {
        self.put_off.contains_key(session_id)
    }

    /// A turn ended, or the next one began.
    pub(crate) fn turn_over(&mut self, session_id: &str) {
        self.put_off.remove(session_id);
    }

    pub(crate) fn keep_prompt(&mut self, run: String, prompt: String) {
        if self.prompts.len() >= PROMPTS {
            self.prompts.clear();
        }
        self.prompts.entry(run).or_insert(prompt);
    }

    pub(crate) fn has_prompt(&self, run: &str) -> bool {
        self.prompts.contains_key(run)
    }

    pub(crate) fn take_prompt(&mut self, run: &str) -> Option<String> {
        self.prompts.remove(run)
    }

    /// A run is about to make a call.
    pub(crate) fn announce(&mut self, announcement: Announcement, now: Duration) {
        self.announced.retain(|(_, since)| is_within(*since, now, ANNOUNCED_FOR));
        if self.announced.len() >= ANNOUNCED {
            self.announced.remove(0);
        }
        self.announced.push((announcement, now));
    }

    /// The place of the first announced call that is meant.
    pub(crate) fn announced(&self, now: Duration, is_meant: impl Fn(&Announcement) -> bool) -> Option<usize> {
        self.announced.iter().position(|(call, since)| is_within(*since, now, ANNOUNCED_FOR) && is_meant(call))
    }

    /// An announced call, which was made now.
    pub(crate) fn take_announced(&mut self, at: usize) -> Announcement {
        self.announced.remove(at).0
    }

    /// A subagent has begun or ended.
    pub(crate) fn subagent(&mut self, session_id: &str, event: SubagentEvent) {
        let count = self.subagents.get(session_id).copied().unwrap_or_default();
        let count = match event {
            SubagentEvent::Began => count.saturating_add(1),
            SubagentEvent::Ended => count.saturating_sub(1),
        };
        self.no_subagents(session_id);
        if count > 0 {
            self.subagents.insert(session_id.to_owned(), count);
        }
    }

    /// Subagents that were under way are not any more.
    pub(crate) fn no_subagents(&mut self, session_id: &str) {
        self.subagents.remove(session_id);
    }

    pub(crate) fn has_subagents(&self, session_id: &str) -> bool {
        self.subagents.contains_key(session_id)
    }

    /// A hook has told of a run's built-in list; those before `long_ago` are forgotten.
    pub(crate) fn listed(&mut self, session_id: &str, at: Timestamp, is_long_ago: impl Fn(Timestamp) -> bool) {
        self.listed.retain(|_, told| !is_long_ago(*told));
        self.listed.insert(session_id.to_owned(), at);
    }

    /// True if what a file says of that time was told by a hook: a file's line may be later than its hook.
    pub(crate) fn is_listed(&self, session_id: &str, at: Timestamp) -> bool {
        self.listed.get(session_id).is_some_and(|told| at.as_second() - told.as_second() <= BEHIND_SECONDS)
    }
}

fn is_within(since: Duration, now: Duration, time: Duration) -> bool {
    now.saturating_sub(since) < time
}
