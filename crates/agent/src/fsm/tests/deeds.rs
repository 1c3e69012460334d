//! Things that happen in the laws, made up by chance.

use super::settings;
use super::world::step;
use crate::fsm::{
    Answer, Approval, Archiving, EditedStep, Effect, ModelReply, Preflight, Purpose, Settings, ToolCall, Verdict,
};
use proptest::prelude::*;
use todo::Draft;

/// Something that happens.
#[derive(Debug, Clone)]
pub(super) enum Deed {
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
pub(super) struct Mind {
    pub(super) complex: bool,
    pub(super) steps: Vec<usize>,
    pub(super) calls: Vec<usize>,
    pub(super) done: bool,
    pub(super) verdict: bool,
    pub(super) approval: usize,
    /// Changes of a checklist: so many of every four steps are left out, and so many are added.
    pub(super) edits: (usize, usize),
    /// Unreadable, or a failure.
    pub(super) trouble: usize,
    /// The change is made.
    pub(super) honest: bool,
}

pub(super) const STATUSES: [&str; 6] = ["pending", "in_progress", "completed", "blocked", "skipped", "cancelled"];
pub(super) const STEPS: [&str; 7] = ["A", "B!", "C@ask", "D<1", "E@deny", "F<B", "G!@ask"];
const TOOLS: [&str; 6] = ["read", "ask", "deny", "todo_write", "todo_manager", "todo_read"];

pub(super) fn mind() -> impl Strategy<Value = Mind> {
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

pub(super) fn deed() -> impl Strategy<Value = Deed> {
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

pub(super) fn some_settings() -> impl Strategy<Value = Settings> {
    let archiving = prop_oneof![Just(Archiving::WhenCompleted), Just(Archiving::Always), Just(Archiving::Never)];
    (0_u32..60, 0_u8..5, archiving).prop_map(|(max_steps, max_continuations, archiving)| Settings {
        max_steps,
        max_continuations,
        archiving,
        ..settings()
    })
}

impl Mind {
    /// The answer to what is asked.
    pub(super) fn fitting(&self, open: &Effect, calls: &mut usize) -> Answer {
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

    pub(super) fn answer(&self, kind: usize, open: &Effect, calls: &mut usize) -> Answer {
        match kind {
            0 => Answer::Classified { complex: self.complex },
            1 => Answer::Planned(self.plan()),
            2 => {
                let most = if let Effect::Ask { more, .. } = open { *more } else { 0 };
                let more_steps = u32::try_from(self.approval).unwrap_or_default().min(most);
                Answer::Turned(ModelReply { calls: self.calls(calls), done: self.done, more_steps })
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
