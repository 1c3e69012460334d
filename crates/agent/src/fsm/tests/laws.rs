//! What holds whatever happens: fitting, odd, late and doubled answers, a model that writes anything, a user who
//! changes anything, at any moment.

use super::settings;
use super::world::{World, step};
use crate::fsm::list::{needs_verification, tool};
use crate::fsm::run::State;
use crate::fsm::{
    Answer, Approval, Archiving, By, CALLS, CONTINUATIONS, Change, EditedStep, Effect, Event, Notice, Outcome, PLANNED,
    Preflight, Purpose, RELEASES, Reply, RequestId, Settings, TODO_TOOLS, ToolCall, Verdict,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use todo::{Draft, Item, Status};
use uuid::Uuid;

/// Something that happens.
#[derive(Debug, Clone)]
enum Deed {
    Prompt,
    Resume,
    Abort,
    /// The request is answered by what it asks for.
    Answer(Mind),
    /// By what it does not ask for, perhaps.
    Odd(usize, Mind),
    /// A request of the past, or none, is answered.
    Late(usize, usize, Mind),
    /// The model writes a list: words and statuses.
    Write(Vec<(usize, usize)>),
    /// The user sets the status of the item at a place.
    Set(usize, usize),
    Delete(usize),
    Add(usize),
    Clear,
    Undo,
    Note,
    /// A list comes once more, or late.
    Again,
    Restart,
}

/// An answer to whatever is asked.
#[derive(Debug, Clone)]
struct Mind {
    complex: bool,
    steps: Vec<usize>,
    calls: Vec<usize>,
    done: bool,
    verdict: bool,
    approval: usize,
    /// Which steps of a checklist are left out, and what is added.
    edits: (usize, usize),
    /// Unreadable, or a failure.
    trouble: usize,
    /// The change is made.
    honest: bool,
}

const STATUSES: [&str; 6] = ["pending", "in_progress", "completed", "blocked", "skipped", "cancelled"];
const STEPS: [&str; 7] = ["A", "B!", "C@ask", "D<1", "E@deny", "F<B", "G!@ask"];
const TOOLS: [&str; 6] = ["read", "ask", "deny", "todo_write", "todo_manager", "todo_read"];

fn mind() -> impl Strategy<Value = Mind> {
    let plan = prop_oneof![
        6 => prop::collection::vec(0..STEPS.len(), 0..5),
        1 => prop::collection::vec(0..STEPS.len(), 29..70),
    ];
    let calls = prop::collection::vec(0..TOOLS.len(), 0..8);
    let flags = (any::<bool>(), prop::bool::weighted(0.1), any::<bool>(), prop::bool::weighted(0.9));
    (flags, plan, calls, 0_usize..9, (0_usize..4, 0_usize..4), 0_usize..40).prop_map(
        |((complex, done, verdict, honest), steps, calls, approval, edits, trouble)| Mind {
            complex,
            steps,
            calls,
            done,
            verdict,
            approval,
            edits,
            trouble,
            honest,
        },
    )
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        3 => Just(Deed::Prompt),
        1 => Just(Deed::Resume),
        1 => Just(Deed::Abort),
        24 => mind().prop_map(Deed::Answer),
        1 => (0_usize..9, mind()).prop_map(|(kind, mind)| Deed::Odd(kind, mind)),
        1 => (0_usize..50, 0_usize..9, mind()).prop_map(|(ago, kind, mind)| Deed::Late(ago, kind, mind)),
        4 => prop::collection::vec((0..STEPS.len() * 3, 0..STATUSES.len()), 0..6).prop_map(Deed::Write),
        2 => (0_usize..6, 0..STATUSES.len()).prop_map(|(at, status)| Deed::Set(at, status)),
        1 => (0_usize..6).prop_map(Deed::Delete),
        1 => (0..STEPS.len()).prop_map(Deed::Add),
        1 => prop_oneof![Just(Deed::Clear), Just(Deed::Undo), Just(Deed::Note), Just(Deed::Again), Just(Deed::Restart)],
    ]
}

fn some_settings() -> impl Strategy<Value = Settings> {
    let archiving = prop_oneof![Just(Archiving::WhenCompleted), Just(Archiving::Always), Just(Archiving::Never)];
    (0_u32..60, archiving).prop_map(|(max_steps, archiving)| Settings { max_steps, archiving, ..settings() })
}

impl Mind {
    /// The answer to what is asked.
    fn fitting(&self, open: &Effect, calls: &mut usize) -> Answer {
        match (self.trouble, open) {
            (0, _) => return Answer::Failed("it failed".to_owned()),
            (1, Effect::Ask { .. }) => return Answer::Unreadable,
            _ => {}
        }
        let kind = match open {
            Effect::Ask { purpose: Purpose::Classify, .. } => 0,
            Effect::Ask { purpose: Purpose::Plan(_), .. } => 1,
            Effect::Ask { purpose: Purpose::Verify { .. } | Purpose::Validate, .. } => 3,
            Effect::Ask { .. } => 2,
            Effect::Call { .. } => 4,
            Effect::Approve { .. } => 5,
            Effect::Preflight { .. } => 6,
            _ => 7,
        };
        self.answer(kind, open, calls)
    }

    fn answer(&self, kind: usize, open: &Effect, calls: &mut usize) -> Answer {
        match kind {
            0 => Answer::Classified { complex: self.complex },
            1 => Answer::Planned(self.plan()),
            2 => {
                let most = if let Effect::Ask { more, .. } = open { *more } else { 0 };
                let more_steps = u32::try_from(self.approval).unwrap_or_default().min(most);
                Answer::Turned(Reply { calls: self.calls(calls), done: self.done, more_steps })
            }
            3 => Answer::Judged(Verdict { done: self.verdict, reason: "so it is".to_owned(), suggestions: Vec::new() }),
            4 => Answer::Called { error: (!self.verdict).then(|| "no such file".to_owned()) },
            5 => Answer::Approved(match self.approval {
                0 => Approval::Refused,
                1 => Approval::Expired,
                2 => Approval::Session,
                _ => Approval::Once,
            }),
            6 => Answer::Checked(self.check(open)),
            7 => Answer::Unreadable,
            _ => Answer::Failed("it failed".to_owned()),
        }
    }

    fn plan(&self) -> Vec<Draft> {
        let name = |(at, word): (usize, &usize)| {
            let mut draft = step(STEPS[*word]);
            // Each is another one, but for the first few.
            if at > 4 {
                draft.content = format!("{} {at}", draft.content);
            }
            draft
        };
        self.steps.iter().enumerate().map(name).collect()
    }

    fn calls(&self, given: &mut usize) -> Vec<ToolCall> {
        let call = |tool: &usize| {
            *given += 1;
            ToolCall { id: given.to_string(), tool: TOOLS[*tool].to_owned() }
        };
        self.calls.iter().map(call).collect()
    }

    fn check(&self, open: &Effect) -> Preflight {
        let Effect::Preflight { steps, .. } = open else { return Preflight::Approved };
        let (left_out, added) = self.edits;
        match self.approval {
            0 => Preflight::Refused,
            1 => Preflight::Expired,
            2 | 3 => Preflight::Edited(
                steps
                    .iter()
                    .enumerate()
                    .map(|(at, step)| (step.content.clone(), at % 4 < left_out))
                    .chain((0..added).map(|at| (format!("mine {at}"), false)))
                    .map(|(content, skip)| EditedStep { content, tool: Some("ask".to_owned()), skip })
                    .collect(),
            ),
            _ => Preflight::Approved,
        }
    }
}

/// What is known of the run, counted without the machine.
#[derive(Default)]
struct Witness {
    calls_given: usize,
    steps: u32,
    is_started: bool,
    continuations: u8,
    /// Tool calls of each item.
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
                    if matches!(deed, Deed::Prompt) {
                        self.witness.continuations = 0;
                    }
                }
                let text = "Build it".to_owned();
                let event = if matches!(deed, Deed::Prompt) { Event::Prompt { text } } else { Event::Resume };
                let effects = self.send(event);
                let is_idle = effects.contains(&Effect::End(Outcome::Emptied));
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
                self.send(Event::List { list, by: By::User });
                self.send(Event::List { list: Default::default(), by: By::User });
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
                _ => Draft { content: format!("{}.", fresh.content.to_lowercase()), ..fresh },
            };
            Draft { status: Status::from_word(STATUSES[*status]), ..draft }
        });
        let drafts = drafts.collect();
        let event = self.world.writes(drafts);
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
                match purpose {
                    Purpose::Work { .. } => witness.is_for_item = true,
                    Purpose::Plan(_) | Purpose::Answer | Purpose::Heed => witness.is_for_item = false,
                    _ => {}
                }
            }
            Effect::Call { id, call } => {
                witness.called = Some((*id, call.clone()));
                assert_ne!(call.tool, "deny", "G3");
                let is_alone = self.world.machine.list.in_progress().count() <= 1;
                assert!(is_alone || self.world.machine.run.item.is_none(), "K3");
                if !TODO_TOOLS.contains(&call.tool.as_str()) {
                    let doing = self.world.machine.doing();
                    assert!(doing.is_some() || !witness.is_for_item, "an item is in progress");
                    let calls = doing.map(|doing| witness.efforts.entry(doing).or_default());
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
            Effect::Tell(Notice::Continued { nth, .. }) => {
                witness.continuations += 1;
                assert_eq!(*nth, witness.continuations, "P2");
                assert!(*nth <= CONTINUATIONS, "P2");
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
        assert!(machine.kept.continuations <= CONTINUATIONS, "P2");
    }
}

impl Witness {
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

/// The keys by which a plan says more than words are those that the machine reads.
#[test]
fn steps_of_these_tables_say_what_they_mean() {
    let draft = step("G!@ask");
    assert_eq!((draft.content.as_str(), tool(&draft)), ("G", Some("ask")));
}
