//! The built-in agent's state machine: it decides what happens next, and does nothing itself.
//!
//! [`AgentMachine::handle`] takes an [`Event`] and returns [`Effect`]s. The driver performs them in order and answers those
//! with a [`RequestId`]. The machine never gets stuck: while a run is under way, exactly one request is outstanding, and
//! that is the state. An answer to any other request changes nothing.
//!
//! A *run* goes from a prompt, or a resumption, to an [`RunEnd`]. A *step* is one call of the model, for whatever
//! purpose. A *turn* is the model's work between two messages to it: its answers and tool calls, up to an answer without
//! tool calls. *The item* is the one that the turn is about; a turn that answers a simple prompt has none.
//!
//! # After an answer
//!
//! | waits for | answer | then |
//! |---|---|---|
//! | `Classifying` | simple, or unreadable | a turn without an item |
//! | | complex | `Planning` |
//! | `Planning` | no steps, and items are open | *next* |
//! | | no steps otherwise, or unreadable | end `Unplanned` |
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
//! | | text only, otherwise | continued, after a prompt as often as the settings say; then end `Continued` |
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
//! Items that were in the list before a prompt do not belong to its task until a plan is made, the model begins them, a
//! turn is continued with them or *next* comes to them: until then tool calls are not counted as theirs, and the end of
//! the task leaves them as they are.
//!
//! *Next call*: a todo tool → `Calling`; the item, or the one that the model has begun by itself, had its 5 calls →
//! skipped, *next*; nothing is in progress → *next*; policy `auto`, or approved before → `Calling`; `ask` → `Approving`; `deny` → rejected, counted as a call of the item,
//! and the next one; without an item end `Failed` after more than 5 that were not allowed. After the last: the item was
//! claimed, and needs verification → `Verifying`; it is terminal or gone → *next*; 20 answers one after the other, or 10
//! without a change of the list, called nothing but todo tools → the item is skipped, *next*, or without an item it is
//! continued, and where nothing is open ends `Failed`; else the turn goes on, `Turning`.
//!
//! *End*: the outstanding request is cancelled, calls that were not made are rejected, items in progress become pending,
//! then [`Effect::End`].
//!
//! # After everything else
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
//! # Checkpoint
//!
//! The list and the [`Checkpoint`] are enough to go on in another process: [`AgentMachine::new`], then [`Event::Abort`], so
//! that no item seems to be in progress, and [`Event::Resume`] when the user wants that. Steps and tool calls are counted
//! anew in each run.
//!
//! # Files
//!
//! `effect`, `event`, `list`, `settings`, `run` and `run_end` are data, `machine` is the state. `request` asks and ends;
//! `items`, `judge`, `turn`, `plan`, `begin` and `edits` each decide on one thing, and use only those before them;
//! `handle` passes each event to them. `tame` looks at the machine and changes nothing in it.

mod begin;
mod edits;
mod effect;
mod event;
mod handle;
mod items;
mod judge;
mod limits;
mod list;
mod machine;
mod plan;
mod request;
mod run;
mod run_end;
mod settings;
mod tame;
mod turn;

#[cfg(test)]
mod tests;

pub use effect::{Change, Effect, Grounds, Notice, PlanStep, Purpose, StatusChange};
pub use event::{Answer, Approval, ChangedBy, EditedStep, Event, ModelReply, Preflight, RequestId, ToolCall, Verdict};
pub use limits::{CALLS, CALLS_AT_ONCE, CHECKS, IDLE_LISTINGS, LISTINGS, PLANNED, SHORTENINGS};
pub use list::{NEEDS_VERIFICATION, Snapshot, TOOL};
pub use machine::AgentMachine;
pub use run_end::RunEnd;
pub use settings::{Archiving, Checkpoint, Policy, Settings, TODO_TOOLS};
