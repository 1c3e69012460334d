//! A machine on a real list: events in words, effects in words.

use crate::fsm::{
    AgentMachine, Answer, Approval, Change, ChangedBy, Checkpoint, EditedStep, Effect, Event, ModelReply,
    NEEDS_VERIFICATION, Preflight, Purpose, RequestId, Settings, Snapshot, TOOL, ToolCall, Verdict,
};
use jiff::Timestamp;
use todo::{Draft, List, Origin, Position, Stamp, Status, Target, apply};
use uuid::Uuid;

/// The machine, and the hub and the driver that it has to do with.
pub(super) struct World {
    pub(super) machine: AgentMachine,
    pub(super) list: List,
    /// The request that is to be answered, and all that were.
    pub(super) open: Option<Effect>,
    pub(super) past: Vec<RequestId>,
    /// Changes of the list are answered by the word `changed` instead of at once.
    pub(super) is_slow: bool,
    seconds: i64,
    uids: u128,
}

/// Plays a table: what happens, and what the machine wants then.
#[track_caller]
pub(super) fn play(world: &mut World, rows: &[(&str, &str)]) {
    for (at, (event, effects)) in rows.iter().enumerate() {
        assert_eq!(world.happens(event), *effects, "row {}, after \"{event}\"", at + 1);
    }
}

impl World {
    pub(super) fn of(settings: Settings) -> Self {
        let machine = AgentMachine::new(settings, Checkpoint::default(), Snapshot::default());
        Self { machine, list: List::default(), open: None, past: Vec::new(), is_slow: false, seconds: 0, uids: 0 }
    }

    /// With a list before the first event: `A, B completed, C!`.
    pub(super) fn with(mut self, items: &str) -> Self {
        let drafts = items.split(", ").map(|item| {
            let (text, status) = item.split_once(' ').unwrap_or((item, "pending"));
            step(text).with_status(Status::from_word(status))
        });
        let drafts = drafts.collect();
        self.apply(todo::Change::Replace { caller: "agent".to_owned(), drafts });
        let snapshot = self.snapshot();
        self.machine = AgentMachine::new(self.machine.settings.clone(), self.machine.checkpoint.clone(), snapshot);
        self
    }

    /// Another process goes on from what was stored.
    pub(super) fn restart(&mut self) {
        let kept = serde_json::to_string(self.machine.checkpoint()).expect("what is kept is JSON");
        let kept = serde_json::from_str(&kept).expect("and is read back");
        self.machine = AgentMachine::new(self.machine.settings.clone(), kept, self.snapshot());
        self.open = None;
        self.past.clear();
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot { revision: self.list.revision, items: self.list.items.clone() }
    }

    /// `A completed, B skipped (why)`.
    pub(super) fn items(&self) -> String {
        let said = self.list.items.iter().map(|item| match &item.reason {
            Some(reason) => format!("{} {} ({reason})", item.content, item.status.name()),
            None => format!("{} {}", item.content, item.status.name()),
        });
        said.collect::<Vec<_>>().join(", ")
    }

    pub(super) fn named(&self, content: &str) -> Uuid {
        self.list.items.iter().find(|item| item.content == content).map(|item| item.uid).expect("there is such an item")
    }

    pub(super) fn apply(&mut self, change: todo::Change) {
        self.seconds += 1;
        let now = Timestamp::from_second(self.seconds).expect("a small number is a time");
        let uids = &mut self.uids;
        let mut uid = || {
            *uids += 1;
            Uuid::from_u128(*uids)
        };
        // A change that the list refuses has no effect.
        if let Ok(done) = apply(&self.list, change, &mut Stamp { now, uid: &mut uid }) {
            self.list = done.list;
        }
    }

    /// One event; the effects that come of it, until somebody else has to answer.
    pub(super) fn happens(&mut self, words: &str) -> String {
        let event = self.event(words);
        let effects = self.send(event);
        effects.iter().map(|effect| self.say(effect)).collect::<Vec<_>>().join("; ")
    }

    pub(super) fn send(&mut self, event: Event) -> Vec<Effect> {
        let mut effects = self.hand(event);
        while let (false, Some(Effect::Change { id, change })) = (self.is_slow, self.open.clone()) {
            self.change(change);
            effects.extend(self.hand(Event::Answer { id, answer: Answer::Changed(self.snapshot()) }));
        }
        effects
    }

    fn hand(&mut self, event: Event) -> Vec<Effect> {
        if let Event::Answer { id, .. } = event
            && self.open.as_ref().and_then(Effect::request) == Some(id)
        {
            self.open = None;
            self.past.push(id);
        }
        let effects = self.machine.handle(event);
        effects.iter().for_each(|effect| self.can_begin(effect));
        for effect in &effects {
            match effect {
                Effect::Cancel { id } => {
                    assert_eq!(
                        self.open.take().and_then(|open| open.request()),
                        Some(*id),
                        "only that can be cancelled"
                    );
                    self.past.push(*id);
                }
                other if other.request().is_some() => {
                    assert_eq!(self.open.replace(other.clone()), None, "one request at a time");
                }
                _ => {}
            }
        }
        effects
    }

    /// Makes the change of the list that the machine asked for, without answering it yet.
    pub(super) fn make(&mut self) {
        if let Some(Effect::Change { change, .. }) = self.open.clone() {
            self.change(change);
        }
    }

    /// The answer to that, or to what was not done.
    pub(super) fn unchanged(&self) -> Event {
        let id = self.open.as_ref().and_then(Effect::request).expect("somebody waits for an answer");
        Event::Answer { id, answer: Answer::Changed(self.snapshot()) }
    }

    pub(super) fn tells(&mut self) -> String {
        let event = self.unchanged();
        let effects = self.send(event);
        effects.iter().map(|effect| self.say(effect)).collect::<Vec<_>>().join("; ")
    }

    /// K3, T14: what the machine begins could start.
    fn can_begin(&self, effect: &Effect) {
        let Effect::Change { change: Change::Set(marks), .. } = effect else { return };
        for mark in marks.iter().filter(|mark| mark.status == Status::InProgress) {
            let item = self.machine.list().items.iter().find(|item| item.uid == mark.uid);
            let is_startable = item.is_some_and(|item| item.status == Status::Pending && !item.waiting);
            assert!(is_startable, "{item:?} was begun");
        }
    }

    /// Does what the machine wants of the list.
    fn change(&mut self, change: Change) {
        let by = || todo::By::Agent { caller: "agent".to_owned() };
        match change {
            Change::Archive => self.apply(todo::Change::Archive { by: by() }),
            Change::Add(drafts) => {
                self.apply(todo::Change::Add { position: Position::at(self.list.items.len()), drafts, by: by() });
            }
            Change::Set(marks) => {
                for mark in marks {
                    let patch = Draft::of_status(mark.status, mark.reason);
                    let target = Target::Uids(vec![mark.uid]);
                    self.apply(todo::Change::Set { target, patch: Box::new(patch), by: by() });
                }
            }
        }
    }

    /// The model writes its list by a todo tool or in its prose.
    pub(super) fn writes(&mut self, drafts: Vec<Draft>) -> Event {
        let mut change = todo::Change::Replace { caller: "agent".to_owned(), drafts };
        let claims = self.machine.tame(&self.list, &mut change);
        self.apply(change);
        Event::List { list: self.snapshot(), by: ChangedBy::Model { claims } }
    }

    /// The user changes the list.
    pub(super) fn edits(&mut self, change: todo::Change) -> Event {
        self.apply(change);
        Event::List { list: self.snapshot(), by: ChangedBy::User }
    }

    pub(super) fn event(&mut self, words: &str) -> Event {
        let (word, rest) = words.split_once(' ').unwrap_or((words, ""));
        match (word, rest) {
            ("prompt", text) => Event::Prompt { text: text.to_owned() },
            ("resume", _) => Event::Resume,
            ("abort", _) => Event::Abort,
            ("model", rest) => {
                let drafts = self.rewritten(rest);
                self.writes(drafts)
            }
            // The model calls a todo tool that changes nothing.
            ("looks", _) => Event::List { list: self.snapshot(), by: ChangedBy::Model { claims: None } },
            ("wild", rest) => {
                self.apply(todo::Change::Replace { caller: "agent".to_owned(), drafts: self.rewritten(rest) });
                Event::List { list: self.snapshot(), by: ChangedBy::Model { claims: None } }
            }
            ("user", rest) => {
                let change = self.edit(rest);
                self.edits(change)
            }
            _ => {
                let id = self.open.as_ref().and_then(Effect::request).expect("somebody waits for an answer");
                Event::Answer { id, answer: self.answer(word, rest) }
            }
        }
    }

    fn answer(&mut self, word: &str, rest: &str) -> Answer {
        let is_preflight = matches!(self.open, Some(Effect::Preflight { .. }));
        match word {
            "simple" => Answer::Classified { complex: false },
            "complex" => Answer::Classified { complex: true },
            "plan" => Answer::Planned(rest.split(", ").map(step).collect()),
            "nothing" => Answer::Planned(Vec::new()),
            "unreadable" => Answer::Unreadable,
            "failed" => Answer::Failed(rest.to_owned()),
            "says" => Answer::Turned(reply(rest)),
            "called" => Answer::Called { error: None },
            "error" => Answer::Called { error: Some(rest.to_owned()) },
            "yes" => Answer::Judged(Verdict { done: true, ..Verdict::default() }),
            "no" => {
                let (reason, more) = rest.split_once(": ").unwrap_or((rest, ""));
                let suggestions = more.split(", ").filter(|text| !text.is_empty()).map(str::to_owned).collect();
                Answer::Judged(Verdict { done: false, reason: reason.to_owned(), suggestions })
            }
            "once" => Answer::Approved(Approval::Once),
            "session" => Answer::Approved(Approval::Session),
            "refused" if is_preflight => Answer::Checked(Preflight::Refused),
            "refused" => Answer::Approved(Approval::Refused),
            "expired" if is_preflight => Answer::Checked(Preflight::Expired),
            "expired" => Answer::Approved(Approval::Expired),
            "approved" => Answer::Checked(Preflight::Approved),
            "edited" => Answer::Checked(Preflight::Edited(rest.split(", ").map(edited).collect())),
            "changed" => {
                self.make();
                Answer::Changed(self.snapshot())
            }
            other => panic!("\"{other}\" is no word of these tables"),
        }
    }

    /// The whole list with some of it otherwise: `A completed, +C`.
    fn rewritten(&self, words: &str) -> Vec<Draft> {
        let mut drafts: Vec<Draft> = self.list.items.iter().map(Draft::of).collect();
        for word in words.split(", ") {
            match (word.strip_prefix('+'), word.split_once(' ')) {
                (Some(new), _) => drafts.push(step(new)),
                (None, Some((content, status))) => {
                    let known = drafts.iter_mut().find(|draft| draft.content == content).expect("it is in the list");
                    known.status = Status::from_word(status);
                }
                (None, None) => panic!("\"{word}\" is no change"),
            }
        }
        drafts
    }

    fn edit(&self, words: &str) -> todo::Change {
        let client = || "window".to_owned();
        let target = |content: &str| Target::Uids(vec![self.named(content)]);
        match words.split_once(' ').unwrap_or((words, "")) {
            ("clears", _) => todo::Change::Clear { client: client() },
            ("notes", text) => todo::Change::Note { text: text.to_owned(), client: client() },
            ("deletes", item) => todo::Change::Delete { target: target(item), client: client() },
            ("undoes", _) => todo::Change::Undo { edit: None, client: client() },
            ("adds", text) => todo::Change::Add {
                position: Position::at(self.list.items.len()),
                drafts: vec![step(text)],
                by: todo::By::User { client: client() },
            },
            (item, status) => {
                let patch = Draft::patch(&serde_json::json!({ "status": status }), "status").expect("it is a status");
                let by = todo::By::User { client: client() };
                todo::Change::Set { target: target(item), patch: Box::new(patch), by }
            }
        }
    }

    fn name(&self, uid: Uuid) -> String {
        let known = self.list.items.iter().find(|item| item.uid == uid);
        known.map_or_else(|| "?".to_owned(), |item| item.content.clone())
    }

    fn say(&self, effect: &Effect) -> String {
        match effect {
            Effect::Start => "start".to_owned(),
            Effect::Ask { purpose, reminder, .. } => {
                format!("ask {}{}", self.purpose(purpose), if *reminder { " with the list" } else { "" })
            }
            Effect::Call { call, .. } => format!("call {}", call.tool),
            Effect::Reject { call, reason } => format!("reject {}: {reason}", call.tool),
            Effect::Approve { call, .. } => format!("approve {}", call.tool),
            Effect::Preflight { steps, .. } => {
                let said = steps.iter().map(|step| match &step.tool {
                    Some(tool) => format!("{}@{tool}", step.content),
                    None => step.content.clone(),
                });
                format!("preflight {}", said.collect::<Vec<_>>().join(", "))
            }
            Effect::Change { change, .. } => self.changes(change),
            Effect::Cancel { .. } => "cancel".to_owned(),
            Effect::Tell(notice) => format!("tell {notice}"),
            Effect::End(outcome) => format!("end {outcome:?}"),
        }
    }

    fn changes(&self, change: &Change) -> String {
        match change {
            Change::Archive => "archive".to_owned(),
            Change::Add(drafts) => {
                let said = drafts.iter().map(|draft| match draft.status {
                    Status::Pending => draft.content.clone(),
                    other => format!("{} {}", draft.content, other.name()),
                });
                format!("add {}", said.collect::<Vec<_>>().join(", "))
            }
            Change::Set(marks) => {
                let said = marks.iter().map(|mark| match &mark.reason {
                    Some(reason) => format!("{} {} ({reason})", self.name(mark.uid), mark.status.name()),
                    None => format!("{} {}", self.name(mark.uid), mark.status.name()),
                });
                format!("set {}", said.collect::<Vec<_>>().join(", "))
            }
        }
    }

    fn purpose(&self, purpose: &Purpose) -> String {
        match purpose {
            Purpose::Classify => "classify".to_owned(),
            Purpose::Plan(grounds) => {
                let mut said = "plan".to_owned();
                if let Some(reason) = &grounds.reason {
                    said += &format!(" since {reason}");
                }
                if !grounds.suggestions.is_empty() {
                    said += &format!(" ({})", grounds.suggestions.join(", "));
                }
                if let Some(steps) = grounds.too_long {
                    said += &format!(" shorter than {steps}");
                }
                said
            }
            Purpose::Answer => "answer".to_owned(),
            Purpose::Work { item } => format!("work {}", self.name(*item)),
            Purpose::GoOn => "go on".to_owned(),
            Purpose::Continue { item } => format!("continue {}", self.name(*item)),
            Purpose::Redo { item, reason } => format!("redo {} since {reason}", self.name(*item)),
            Purpose::Verify { item } => format!("verify {}", self.name(*item)),
            Purpose::Heed => "heed".to_owned(),
            Purpose::Validate => "validate".to_owned(),
        }
    }
}

/// `A`, `A!` (needs verification), `A@tool`, `A<B` (waits for B).
pub(super) fn step(words: &str) -> Draft {
    let (words, tool) = words.split_once('@').map_or((words, None), |(words, tool)| (words, Some(tool)));
    let (words, on) = words.split_once('<').map_or((words, None), |(words, on)| (words, Some(on)));
    let (content, needs) = words.strip_suffix('!').map_or((words, false), |content| (content, true));
    let mut draft = Draft::new(content);
    draft.depends_on.extend(on.map(str::to_owned));
    if needs {
        draft.extra.insert(NEEDS_VERIFICATION.to_owned(), true.into());
    }
    if let Some(tool) = tool {
        draft.extra.insert(TOOL.to_owned(), tool.into());
    }
    draft
}

/// The same step in other words.
pub(super) fn in_other_words(mut step: Draft) -> Draft {
    step.content = format!("{}.", step.content.to_lowercase());
    step
}

/// `A`, `-A` (left out), `A@tool`.
fn edited(words: &str) -> EditedStep {
    let (words, tool) = words.split_once('@').map_or((words, None), |(words, tool)| (words, Some(tool.to_owned())));
    let (content, skip) = words.strip_prefix('-').map_or((words, false), |content| (content, true));
    EditedStep { content: content.to_owned(), tool, skip }
}

/// `text`, `read write`, `read done`.
fn reply(words: &str) -> ModelReply {
    let tools = words.split(' ').filter(|word| !matches!(*word, "text" | "done"));
    let calls = tools.enumerate().map(|(at, tool)| ToolCall { id: at.to_string(), tool: tool.to_owned() }).collect();
    ModelReply { calls, done: words.split(' ').any(|word| word == "done"), more_steps: 0 }
}

/// The user's items, for those who ask.
pub(super) fn is_users(list: &List, content: &str) -> bool {
    list.items.iter().any(|item| item.content == content && item.origin == Origin::User)
}
