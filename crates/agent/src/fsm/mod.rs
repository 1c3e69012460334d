//! The built-in agent's state machine: what happens next, and nothing of how.
//!
//! [`Machine::handle`] takes an [`Event`] and gives [`Effect`]s. The driver performs them in order and answers those
//! with a [`RequestId`]. It never gets stuck: while a run goes on, exactly one request is outstanding, and that is the
//! state. An answer that nobody waits for changes nothing.
//!
//! A *run* goes from a prompt, or a resumption, to an [`Outcome`]. A *step* is one call of the model, for whatever
//! purpose. A *turn* is what the model does between two things it is told: its answers and tool calls, up to an answer
//! without tool calls. *The item* is the one that the turn is about; a turn that answers a simple prompt has none.
//!
//! # What happens after an answer
//!
//! | waits for | answer | then |
//! |---|---|---|
//! | `Classifying` | simple, or unreadable | a turn without an item |
//! | | complex | `Planning` |
//! | `Planning` | no steps, or unreadable | end `Unplanned` |
//! | | more than 30 new steps | `Planning`, twice; then the first 30, the others are planned when these are done |
//! | | steps with a tool that needs approval | `Checking` |
//! | | other steps | added, then *next* |
//! | `Checking` | approved, edited | added, then *next*; the tools of the steps need no more approval in this run |
//! | | refused, or all steps left out | end `Refused` |
//! | | expired | end `Unanswered`; the plan waits, as it does when the run ends otherwise meanwhile |
//! | `Turning` | tool calls | *next call*; those beyond 50 are rejected |
//! | | the task is complete | its calls, then: item completed, others of the task skipped, *done*; not while a user's item of it can start, nor before the user's last word is heard |
//! | | text only, without an item, in a run over the list | *next* |
//! | | text only, simple, nothing can start | *done*; *next* where the model has written a list of its own |
//! | | text only, after tool calls for the item | `Verifying`: nobody said that it is done |
//! | | text only, otherwise | continued, 3 times after a prompt; then end `Continued` |
//! | | unreadable | end `Failed` |
//! | `Approving` | once, session | `Calling` |
//! | | refused | item skipped, *next*; without an item *next call*, or end `Failed` after more than 5 that were not allowed |
//! | | expired | end `Unanswered` |
//! | `Calling` | called | *next call* |
//! | `Verifying` | done | item completed, *next* |
//! | | not done, or unreadable | the turn once more with the reason; item skipped after 3 times, or 5 tool calls |
//! | `Validating` | complete, or unreadable | *done* |
//! | | not complete | `Planning`, with the reason and the suggestions |
//! | | whatever, and an item can start | *next* |
//! | `Changing` | changed | what it was for: classify, add, next, work on the item, end |
//! | any | failed | end `Failed` |
//! | any call of the model | (the steps are used up) | end `StepLimit` |
//!
//! *Next*: the list is empty → end `Emptied`; an item is in progress → that one (another than the last one first); one is
//! pending and waits for nothing → in progress; others are open → end `Blocked`; steps were postponed → `Planning`;
//! else `Validating`.
//!
//! *Done*: the user has said something since the model was told of the list last → a turn without an item, `Turning`;
//! else end `Completed`. So it is before an end `Blocked` or `Continued`.
//!
//! What was in the list before a prompt is none of its task's until a plan is made, the model begins it or it is
//! continued with: it is neither counted nor settled.
//!
//! *Next call*: a todo tool → `Calling`; the item, or the one that the model has begun by itself, had its 5 calls →
//! skipped, *next*; nothing is in progress → *next*; policy `auto`, or approved before → `Calling`; `ask` → `Approving`; `deny` → rejected, counted as a call of the item,
//! and the next one; without an item end `Failed` after more than 5 that were not allowed. After the last: the item was
//! claimed, and needs verification → `Verifying`; it is terminal or gone → *next*; 20 answers one after the other, or 10
//! without a change of the list, called nothing but todo tools → the item is skipped, *next*, or without an item it is
//! continued, and where nothing is open ends `Failed`; else the turn goes on, `Turning`.
//!
//! *End*: what is outstanding is cancelled, calls that were not made are rejected, what is in progress becomes pending,
//! then [`Effect::End`].
//!
//! # What happens otherwise
//!
//! | event | state | then |
//! |---|---|---|
//! | prompt | `Idle` | the list is archived, by setting; `Classifying` |
//! | resume | `Idle`, a plan waits | as after `Planning`, with the policies as they are now |
//! | | `Idle`, the prompt came to no answer, plan or list | `Classifying` |
//! | | `Idle` | *next*; nothing of the list is archived or repeated |
//! | prompt, resume | any other | nothing |
//! | abort | `Changing` | its answer is waited for, then end `Aborted` |
//! | | any other | end `Aborted` |
//! | | `Idle` | what is in progress becomes pending |
//! | list, by the model | any | it is known; nothing is cancelled |
//! | list, by the user | in a turn, the item is not in progress any more, or another one is | cancelled, *next* |
//! | | in a run over the list, the list is empty | end `Emptied` |
//! | | any other | it is known, and the model's next call says so |
//!
//! # What is kept
//!
//! The list and [`Kept`] are enough to go on in another process: [`Machine::new`], then [`Event::Abort`] so that nothing
//! seems to be in progress, and [`Event::Resume`] when the user wants that. Steps and tool calls are counted anew in
//! each run.

mod begin;
mod edits;
mod effect;
mod end;
mod event;
mod items;
mod judge;
mod list;
mod outcome;
mod plan;
mod run;
mod settings;
mod tame;
mod turn;

#[cfg(test)]
mod tests;

pub use effect::{Change, Effect, Grounds, Mark, Notice, Purpose, Step};
pub use event::{Answer, Approval, By, EditedStep, Event, Preflight, Reply, RequestId, ToolCall, Verdict};
pub use list::{NEEDS_VERIFICATION, Snapshot, TOOL};
pub use outcome::Outcome;
pub use settings::{Archiving, Kept, Policy, Settings, TODO_TOOLS};

use run::{After, Run, State};

/// Tool calls for one item, those of todo tools left out and those that the settings deny counted (REQUIREMENTS T10).
/// In a turn without an item so many may be denied or refused.
pub const CALLS: u8 = 5;

/// Calls of one answer that are made; a model that says more than that has lost its way.
pub const CALLS_AT_ONCE: usize = 50;

/// Answers of a turn, one after the other, that call nothing but todo tools.
pub const LISTINGS: u8 = 20;

/// The same without any change of the list.
pub const IDLE_LISTINGS: u8 = 10;

/// Continuations after one prompt (P2).
pub const CONTINUATIONS: u8 = 3;

/// New items by one plan (T9); what the user adds to it does not count.
pub const PLANNED: usize = 30;

/// How often a plan that is too long is asked for again.
pub const SHORTENINGS: u8 = 2;

/// Verifications that an item may fail before it is skipped.
pub const CHECKS: u8 = 3;

/// Changes of the list without a call of the model between them.
const CHANGES: u8 = 16;

/// Tries to have nothing in progress at the end.
const RELEASES: u8 = 3;

/// The state of one session's agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    settings: Settings,
    kept: Kept,
    list: Snapshot,
    /// The list is otherwise than the model was told.
    has_news: bool,
    last_id: RequestId,
    run: Run,
    /// What `handle` gives.
    effects: Vec<Effect>,
}

impl Machine {
    /// A machine without a run, new or as another process left it. The list may have been emptied since.
    #[must_use]
    pub fn new(settings: Settings, mut kept: Kept, list: Snapshot) -> Self {
        if list.items.is_empty() {
            kept.emptied();
        }
        let (last_id, run) = (RequestId::default(), Run::default());
        Self { settings, kept, list, has_news: false, last_id, run, effects: Vec::new() }
    }

    /// Takes what happened; gives what is to be done, in this order.
    #[must_use]
    pub fn handle(&mut self, event: Event) -> Vec<Effect> {
        match event {
            Event::Prompt { text } if !self.is_running() => self.prompted(text),
            Event::Resume if !self.is_running() => self.resumed(),
            Event::Prompt { .. } | Event::Resume => {}
            Event::Abort => self.aborted(),
            Event::List { list, by } => self.listed(list, by),
            Event::Answer { id, answer } if self.is_running() && id == self.run.id => self.answered(answer),
            Event::Answer { .. } => {}
        }
        std::mem::take(&mut self.effects)
    }

    /// A run goes on; a prompt has to wait or be refused.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.run.state != State::Idle
    }

    /// An answer to this request would be heard.
    #[must_use]
    pub fn waits_for(&self, id: RequestId) -> bool {
        self.is_running() && self.run.id == id
    }

    /// There is something to resume, and no run.
    #[must_use]
    pub fn can_resume(&self) -> bool {
        !self.is_running() && self.kept.can_resume(&self.list)
    }

    /// What to store beside the list.
    #[must_use]
    pub fn kept(&self) -> &Kept {
        &self.kept
    }

    /// The list as it is known.
    #[must_use]
    pub fn list(&self) -> &Snapshot {
        &self.list
    }

    /// The tools that the user approved, for the session and by a plan, and those of a plan that waits for that. Some are
    /// there more than once.
    pub fn allowed(&self) -> impl Iterator<Item = &str> {
        let approved = self.kept.approved.iter().chain(&self.run.granted).map(String::as_str);
        approved.chain(self.kept.plan.iter().filter_map(list::tool))
    }

    /// Takes back what the user approved of these tools, for the session and by a plan: they are others by now, under
    /// the same names.
    pub fn forget_approvals(&mut self, is_of: impl Fn(&str) -> bool) {
        self.kept.approved.retain(|tool| !is_of(tool));
        self.run.granted.retain(|tool| !is_of(tool));
        let turn = &mut self.run.turn;
        turn.is_approved &= !turn.calls.front().is_some_and(|call| is_of(&call.tool));
    }

    /// Other settings, from now on.
    pub fn configure(&mut self, settings: Settings) {
        self.settings = settings;
    }

    fn answered(&mut self, answer: Answer) {
        if std::mem::take(&mut self.run.adds_plan) && matches!(answer, Answer::Changed(_)) {
            self.kept.plan.clear();
        }
        match (std::mem::take(&mut self.run.state), answer) {
            (State::Changing(After::End(outcome, tries)), answer) => {
                if let Answer::Changed(list) = answer {
                    self.take_list(list);
                }
                self.release(outcome, tries);
            }
            (_, Answer::Failed(why)) => self.end(Outcome::Failed(why)),
            (State::Changing(after), Answer::Changed(list)) => self.changed(after, list),
            (State::Classifying, Answer::Classified { complex }) => self.classified(Some(complex)),
            (State::Classifying, Answer::Unreadable) => self.classified(None),
            (State::Planning, Answer::Planned(steps)) => self.planned(steps),
            (State::Planning, Answer::Unreadable) => self.planned(Vec::new()),
            (State::Checking, Answer::Checked(answer)) => self.checked(answer),
            (State::Turning, Answer::Turned(reply)) => self.turned(reply),
            (State::Approving, Answer::Approved(approval)) => self.approved(approval),
            (State::Calling, Answer::Called { error }) => self.called(error),
            (State::Verifying, Answer::Judged(verdict)) => self.verified(Some(verdict)),
            (State::Verifying, Answer::Unreadable) => self.verified(None),
            (State::Validating, Answer::Judged(verdict)) => self.validated(Some(verdict)),
            (State::Validating, Answer::Unreadable) => self.validated(None),
            (State::Turning, Answer::Unreadable) => {
                self.end(Outcome::Failed("The model's answer could not be read.".to_owned()));
            }
            // No answer to what was asked: waiting on would be waiting for ever.
            (_, _) => self.end(Outcome::Failed("An answer came that nobody asked for.".to_owned())),
        }
    }

    fn changed(&mut self, after: After, list: Snapshot) {
        self.take_list(list);
        match after {
            After::Classify => self.classify(),
            After::Add(steps) => self.add(steps),
            After::Next => self.next(),
            After::Turn => self.go_on(),
            After::Work(item) => self.begun(item),
            After::End(outcome, tries) => self.release(outcome, tries),
        }
    }
}
