//! What a request of the machine's tells its session while it is performed.

use super::toolbox::Toolbox;
use crate::fsm::{Answer, Purpose, RequestId};
use crate::model::{Call, Usage};
use protocol::Error;
use todo::Draft;
use tokio::sync::mpsc;

/// Steps that wait for the session; a model that is faster waits.
pub(super) const WAITING: usize = 64;

/// Something that came of a request.
pub(super) enum Step {
    /// Prose of the answer.
    Text(String),
    /// What the model thinks.
    Reasoning(String),
    /// Something for people.
    Notice(String),
    /// The model is asked once more before anything came of it: why, and what people read of that.
    Retrying { why: String, message: String },
    /// The answer broke off, and is asked for anew from its beginning.
    Again { why: String, message: String },
    /// A `<todo>` block in it.
    Block(Vec<Draft>),
    /// The model has no tool calls.
    NoTools,
    /// The tools are there, so that the model can be asked for this, with a reminder or not.
    Connected(Box<(Toolbox, Purpose, bool)>),
    /// The machine's answer, and the model's.
    Answer(Box<(Answer, Option<Answered>)>),
    /// What was asked for failed for good.
    Failed(Error),
    /// A tool has answered, or not: the call's id, the text, and whether that is an error.
    Called(String, String, bool),
}

/// What a model answered.
#[derive(Debug, Default)]
pub(super) struct Answered {
    pub(super) text: String,
    pub(super) prose: String,
    pub(super) reasoning: String,
    pub(super) calls: Vec<Call>,
    pub(super) usage: Usage,
    /// For people, after it.
    pub(super) notice: Option<String>,
}

/// The way from a request to its session.
#[derive(Clone)]
pub(super) struct Steps {
    pub(super) id: RequestId,
    pub(super) session: mpsc::Sender<(RequestId, Step)>,
}

impl Steps {
    /// Whoever has cancelled it hears nothing more.
    pub(super) async fn send(&self, step: Step) {
        let _ = self.session.send((self.id, step)).await;
    }
}
