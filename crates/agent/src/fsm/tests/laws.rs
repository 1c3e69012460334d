//! Laws that hold whatever happens: fitting, odd, late and doubled answers, a model that writes anything, a user who
//! changes anything, at any moment.

use super::deeds::{Deed, Mind, STATUSES, STEPS, deed, mind, some_settings};
use super::settings;
use super::world::{World, in_other_words, step};
use crate::fsm::limits::RELEASES;
use crate::fsm::list::{needs_verification, tool};
use crate::fsm::run::State;
use crate::fsm::{
    Answer, CALLS, Change, ChangedBy, Effect, Event, Notice, PLANNED, Preflight, Purpose, RequestId, RunEnd, Settings,
    TODO_TOOLS, ToolCall,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use todo::{Draft, Item, Status};
use uuid::Uuid;

/// Facts of the run, counted without the machine.
#[derive(Default)]
struct Witness {
    calls_given: usize,
    steps: u32,
    is_started: bool,
    continuations: u8,
    /// Items that were there before the prompt and are not the task's yet: work on them is the user's.
    older: BTreeSet<Uuid>,
    /// Tool calls of each item of the task.
    efforts: BTreeMap<Uuid, u8>,
    /// Calls that the model waits for.
    unanswered: BTreeSet<String>,
    /// The call that is made.
    called: Option<(RequestId, ToolCall)>,
    /// The item that was found to be done.
    verified: Option<Uuid>,
    /// The steps of the plan are the user's.
    is_edited: bool,
    /// Changes were refused or failed.
    is_dishonest: bool,
    is_for_item: bool,
}

struct Story {
    world: World,
    witness: Witness,
}

impl Story {
    fn new(settings: Settings) -> Self {
        Self { world: World::of(settings), witness: Witness::default() }
    }

    fn take(&mut self, deed: &Deed) {
        let before = self.world.machine.clone();
        match deed {
            Deed::Prompt | Deed::Resume => {
                if !before.is_running() {
                    self.witness.new_run();
                    self.witness.older = statuses(&self.world.list.items).into_keys().collect();
                    if matches!(deed, Deed::Prompt) {
                        self.witness.continuations = 0;
                    }
                }
                let text = "Build it".to_owned();
                let event = if matches!(deed, Deed::Prompt) { Event::Prompt { text } } else { Event::Resume };
                let effects = self.send(event);
                if !before.is_running() && matches!(deed, Deed::Resume) && !effects.iter().any(classifies) {
                    // The prompt is not begun again: the run is for the list.
                    self.witness.older.clear();
                }
                let is_idle = effects.contains(&Effect::End(RunEnd::Emptied));
                assert!(!before.can_resume() || !is_idle, "what can be resumed is");
            }
            Deed::Abort => {
                self.send(Event::Abort);
                if !self.world.is_slow {
                    assert!(!self.world.machine.is_running(), "an abort ends the run");
                }
            }
            Deed::Answer(mind) => self.answer(mind),
            Deed::Odd(kind, mind) => {
                let Some(open) = self.world.open.clone() else { return };
                let answer = mind.answer(*kind, &open, &mut self.witness.calls_given);
                self.respond(&open, answer);
            }
            Deed::Late(ago, kind, mind) => {
                let past = &self.world.past;
                let id = past.len().checked_sub(ago + 1).and_then(|at| past.get(at)).copied();
                let id = id.unwrap_or(RequestId(1_000_000));
                let answer = mind.answer(*kind, &Effect::Start, &mut 0);
                let effects = self.world.send(Event::Answer { id, answer });
                assert_eq!((effects, &self.world.machine), (Vec::new(), &before), "nobody waits for that");
            }
            Deed::Write(items) => self.write(items),
            Deed::Again => {
                let list = self.world.snapshot();
                self.send(Event::List { list, by: ChangedBy::User });
                self.send(Event::List { list: Default::default(), by: ChangedBy::User });
            }
            Deed::Restart => {
                self.world.restart();
                let is_empty = self.world.list.items.is_empty();
                let continuations = if is_empty { 0 } else { self.witness.continuations };
                self.witness = Witness { continuations, is_dishonest: self.witness.is_dishonest, ..Witness::default() };
            }
            edit => self.edit(edit),
        }
        self.holds();
    }

    fn answer(&mut self, mind: &Mind) {
        let Some(open) = self.world.open.clone() else { return };
        if let Effect::Change { .. } = open {
            // Only where they are answered one by one.
            self.witness.is_dishonest |= !mind.honest;
            let word = if mind.honest { "changed" } else { "failed" };
            let event = if mind.trouble < 5 && !mind.honest { self.world.unchanged() } else { self.world.event(word) };
            self.send(event);
            return;
        }
        let answer = mind.fitting(&open, &mut self.witness.calls_given);
        self.respond(&open, answer);
    }

    fn respond(&mut self, open: &Effect, answer: Answer) {
        let Some(id) = open.request() else { return };
        if let (Answer::Turned(reply), Effect::Ask { purpose, .. }) = (&answer, open)
            && purpose.is_turn()
        {
            self.witness.unanswered.extend(reply.calls.iter().map(|call| call.id.clone()));
            self.witness.steps += reply.more_steps;
        }
        if let (Answer::Judged(verdict), Effect::Ask { purpose: Purpose::Verify { item }, .. }) = (&answer, open) {
            self.witness.verified = Some(*item).filter(|_| verdict.done);
        }
        if let Some((_, call)) = self.witness.called.take_if(|(called, _)| *called == id)
            && matches!(answer, Answer::Called { .. })
        {
            self.witness.unanswered.remove(&call.id);
        }
        self.witness.is_edited = matches!(answer, Answer::Checked(Preflight::Edited(_)));
        self.send(Event::Answer { id, answer });
    }

    /// The model writes; what needs verification is not completed by that.
    fn write(&mut self, items: &[(usize, usize)]) {
        // In its turn, or late.
        let is_turn = |state: &State| matches!(state, State::Turning | State::Calling | State::Changing(_));
        if !is_turn(&self.world.machine.run.state) {
            return;
        }
        let held: Vec<Uuid> = self.world.list.items.iter().filter(|item| is_held(item)).map(|item| item.uid).collect();
        let drafts = items.iter().map(|(word, status)| {
            let fresh = step(STEPS[word % STEPS.len()]);
            let known = self.world.list.items.iter().find(|item| item.content == fresh.content);
            let draft = match (word / STEPS.len(), known) {
                (0, Some(item)) => Draft::of(item),
                // By its words alone, and in other words.
                (1, _) => fresh,
                _ => in_other_words(fresh),
            };
            draft.with_status(Status::from_word(STATUSES[*status]))
        });
        let drafts = drafts.collect();
        let before = in_progress(&self.world.list.items);
        let event = self.world.writes(drafts);
        let after = in_progress(&self.world.list.items);
        self.witness.older.retain(|uid| before.contains(uid) || !after.contains(uid));
        for item in self.world.list.items.iter().filter(|item| held.contains(&item.uid)) {
            assert_ne!(item.status, Status::Completed, "\"{}\" was not verified", item.content);
        }
        self.send(event);
    }

    fn edit(&mut self, deed: &Deed) {
        let content = |at: usize| self.world.list.items.get(at).map(|item| item.content.clone());
        let words = match deed {
            Deed::Set(at, status) => content(*at).map(|text| (text, STATUSES[*status])),
            Deed::Delete(at) => content(*at).map(|text| (text, "")),
            _ => None,
        };
        let client = "window".to_owned();
        let target = |text: &str| todo::Target::Uids(vec![self.world.named(text)]);
        let change = match (deed, words) {
            (Deed::Set(..), Some((text, status))) => {
                let patch = Draft::patch(&serde_json::json!({ "status": status }), "status").expect("it is a status");
                todo::Change::Set { target: target(&text), patch: Box::new(patch), by: todo::By::User { client } }
            }
            (Deed::Delete(_), Some((text, _))) => todo::Change::Delete { target: target(&text), client },
            (Deed::Add(word), _) => todo::Change::Add {
                position: todo::Position::at(0),
                drafts: vec![step(STEPS[*word])],
                by: todo::By::User { client },
            },
            (Deed::Clear, _) => todo::Change::Clear { client },
            (Deed::Undo, _) => todo::Change::Undo { edit: None, client },
            (Deed::Note, _) => todo::Change::Note { text: "mind the gap".to_owned(), client },
            _ => return,
        };
        let before: BTreeMap<Uuid, Status> = statuses(&self.world.list.items);
        let event = self.world.edits(change);
        let after = statuses(&self.world.list.items);
        self.witness.efforts.retain(|uid, _| before.get(uid) == after.get(uid));
        if after.is_empty() {
            self.witness.continuations = 0;
        }
        self.send(event);
    }

    fn send(&mut self, event: Event) -> Vec<Effect> {
        let effects = self.world.send(event);
        effects.iter().for_each(|effect| self.sees(effect));
        effects
    }

    fn sees(&mut self, effect: &Effect) {
        let witness = &mut self.witness;
        match effect {
            Effect::Start => assert!(!std::mem::replace(&mut witness.is_started, true), "it starts once"),
            Effect::Ask { purpose, .. } => {
                witness.steps += 1;
                assert!(witness.steps <= self.world.machine.settings.max_steps, "T11");
                assert_eq!(witness.unanswered, BTreeSet::new(), "every call is made or rejected");
                assert!(witness.is_started || !purpose.is_turn(), "nothing is shown before the start");
                let is_alone = self.world.machine.list.in_progress().count() <= 1;
                assert!(is_alone || self.world.machine.run.item.is_none(), "K3");
                if let Purpose::Work { item } | Purpose::Continue { item } = purpose {
                    assert!(!self.world.machine.run.older.contains(item), "an item that is taken up is the task's");
                }
                witness.asked(purpose);
            }
            Effect::Call { id, call } => {
                witness.called = Some((*id, call.clone()));
                assert_ne!(call.tool, "deny", "G3");
                let is_alone = self.world.machine.list.in_progress().count() <= 1;
                assert!(is_alone || self.world.machine.run.item.is_none(), "K3");
                if !TODO_TOOLS.contains(&call.tool.as_str()) {
                    let doing = self.world.machine.doing();
                    assert!(doing.is_some() || !witness.is_for_item, "an item is in progress");
                    // T10 limits the calls for an item that the run has taken up. Calls of a simple answer are not for the
                    // older item that the user works on meanwhile.
                    let taken = doing.filter(|doing| !witness.older.contains(doing));
                    let calls = taken.map(|taken| witness.efforts.entry(taken).or_default());
                    assert!(calls.is_none_or(|calls| std::mem::replace(calls, *calls + 1) < CALLS), "T10");
                }
            }
            Effect::Cancel { id } if witness.called.as_ref().is_some_and(|(called, _)| called == id) => {
                witness.called = None;
            }
            Effect::Reject { call, .. } => {
                assert!(witness.called.is_none(), "a call that is made is cancelled first");
                assert!(witness.unanswered.remove(&call.id), "a call is answered once");
            }
            Effect::Tell(Notice::Continued { nth, of, .. }) => {
                witness.continuations += 1;
                assert_eq!(*nth, witness.continuations, "P2");
                assert!(*nth <= *of && *of == self.world.machine.settings.max_continuations, "P2");
            }
            Effect::Change { change, .. } => self.changes(change),
            Effect::End(_) => {
                assert_eq!(witness.unanswered, BTreeSet::new(), "every call is made or rejected");
                let in_progress = todo::list::flat(&self.world.list.items)
                    .filter(|(item, _)| item.status == Status::InProgress)
                    .count();
                assert!(witness.is_dishonest || self.world.is_slow || in_progress == 0, "T12");
            }
            _ => {}
        }
    }

    fn changes(&self, change: &Change) {
        match change {
            Change::Archive => {}
            Change::Add(steps) => {
                assert!(steps.len() <= PLANNED || self.witness.is_edited, "T9");
                assert!(steps.iter().all(|step| !step.content.trim().is_empty()), "an item says something");
            }
            Change::Set(marks) => {
                let begun = marks.iter().filter(|mark| mark.status == Status::InProgress).count();
                assert!(begun <= 1, "K3");
                for mark in marks.iter().filter(|mark| mark.status == Status::Completed) {
                    let item = self.world.list.items.iter().find(|item| item.uid == mark.uid);
                    let is_unproven = item.is_some_and(needs_verification) && self.witness.verified != Some(mark.uid);
                    assert!(!is_unproven, "T12");
                }
            }
        }
    }

    /// Between events.
    fn holds(&self) {
        let machine = &self.world.machine;
        assert_eq!(machine.is_running(), self.world.open.is_some(), "it waits for exactly one answer");
        assert!(machine.checkpoint.continuations <= machine.settings.max_continuations, "P2");
    }
}

impl Witness {
    /// Follows whether the turn is for an item, and which items have become the task's.
    fn asked(&mut self, purpose: &Purpose) {
        match purpose {
            Purpose::Work { .. } => self.is_for_item = true,
            Purpose::Plan(_) | Purpose::Answer | Purpose::Heed => self.is_for_item = false,
            _ => {}
        }
        match purpose {
            Purpose::Work { item } | Purpose::Continue { item } => self.older.retain(|older| older != item),
            Purpose::Plan(_) => self.older.clear(),
            _ => {}
        }
    }

    fn new_run(&mut self) {
        *self = Self {
            calls_given: self.calls_given,
            continuations: self.continuations,
            is_dishonest: self.is_dishonest,
            ..Self::default()
        };
    }
}

fn is_held(item: &Item) -> bool {
    needs_verification(item) && !item.status.is_terminal()
}

fn classifies(effect: &Effect) -> bool {
    matches!(effect, Effect::Ask { purpose: Purpose::Classify, .. })
}

fn in_progress(items: &[Item]) -> BTreeSet<Uuid> {
    items.iter().filter(|item| item.status == Status::InProgress).map(|item| item.uid).collect()
}

fn statuses(items: &[Item]) -> BTreeMap<Uuid, Status> {
    items.iter().map(|item| (item.uid, item.status)).collect()
}

proptest! {
    /// Whatever happens, in whatever order.
    #[test]
    fn the_limits_hold(settings in some_settings(), deeds in prop::collection::vec(deed(), 1..150)) {
        let mut story = Story::new(settings);
        for deed in &deeds {
            story.take(deed);
        }
        story.take(&Deed::Abort);
    }

    /// The same where changes of the list take their time, are refused or fail.
    #[test]
    fn the_limits_hold_on_a_slow_list(settings in some_settings(), deeds in prop::collection::vec(deed(), 1..150)) {
        let mut story = Story::new(settings);
        story.world.is_slow = true;
        for deed in &deeds {
            story.take(deed);
        }
        // Once nobody interferes any more an abort leaves nothing in progress there either.
        story.take(&Deed::Abort);
        for _ in 0..=RELEASES {
            if story.world.machine.is_running() {
                let event = story.world.event("changed");
                story.send(event);
            }
        }
        prop_assert!(!story.world.machine.is_running());
        let in_progress = todo::list::flat(&story.world.list.items).filter(|(item, _)| item.status == Status::InProgress);
        prop_assert!(story.witness.is_dishonest || in_progress.count() == 0, "T12");
    }

    /// A run whose requests are answered ends, whatever the answers are and whatever the user did before.
    #[test]
    fn a_run_that_is_answered_ends(
        settings in some_settings(),
        deeds in prop::collection::vec(deed(), 0..40),
        minds in prop::collection::vec(mind(), 1..20),
        is_slow in any::<bool>(),
    ) {
        let mut story = Story::new(settings);
        story.world.is_slow = is_slow;
        deeds.iter().for_each(|deed| story.take(deed));
        story.take(&Deed::Prompt);
        let mut minds = minds.iter().cycle();
        let most = 60 * 20 + 100;
        for _ in 0..most {
            if !story.world.machine.is_running() {
                return Ok(());
            }
            story.take(&Deed::Answer(minds.next().expect("a cycle goes on").clone()));
        }
        prop_assert!(false, "it goes on after {most} answers");
    }
}

/// The user works on an older item beside a simple answer, whose calls are not the item's until the turn is continued with
/// it.
#[test]
fn calls_of_a_simple_answer_are_not_those_of_an_older_item() {
    let goes_on = Mind {
        complex: false,
        steps: Vec::new(),
        calls: Vec::new(),
        done: false,
        verdict: true,
        approval: 0,
        edits: (0, 0),
        trouble: 2,
        honest: true,
    };
    let reads = Deed::Answer(Mind { calls: vec![0], ..goes_on.clone() });
    let goes_on = Deed::Answer(goes_on);
    let mut story = Story::new(settings());
    for deed in [Deed::Add(0), Deed::Set(0, 1), Deed::Prompt, goes_on.clone()] {
        story.take(&deed);
    }
    for _ in 0..=CALLS {
        story.take(&reads);
        assert!(story.witness.called.is_some(), "it is made");
        story.take(&goes_on);
    }
    assert_eq!(story.witness.efforts, BTreeMap::new());
    story.take(&goes_on);
    assert_eq!(story.witness.continuations, 1);
    story.take(&reads);
    assert_eq!(story.witness.efforts.into_values().collect::<Vec<_>>(), [1]);
}

/// The keys by which a plan says more than words are those that the machine reads.
#[test]
fn steps_of_these_tables_say_what_they_mean() {
    let draft = step("G!@ask");
    assert_eq!((draft.content.as_str(), tool(&draft)), ("G", Some("ask")));
}
