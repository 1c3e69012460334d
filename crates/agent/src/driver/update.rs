//! Reports to the session from the work for one of the machine's requests.

use super::toolbox::Toolbox;
use crate::fsm::{Answer, Purpose, RequestId};
use crate::model::{Call, Usage};
use protocol::{Error, Text};
use todo::Draft;
use tokio::sync::mpsc;

/// Updates that wait for the session; a model that is faster waits.
pub(super) const WAITING: usize = 64;

/// News of a request that is being performed.
pub(super) enum Update {
    /// Prose of the answer.
    Text(String),
    Reasoning(String),
    /// A line for people.
    Notice(Text),
    /// The model is asked once more before anything of its answer came. `message` is for people.
    Retrying {
        why: String,
        text: Text,
    },
    /// The answer broke off, and is asked for again from its beginning. `message` is for people.
    Restarted {
        why: String,
        text: Text,
    },
    /// A `<todo>` block in the answer.
    Block(Vec<Draft>),
    /// A `<todo>` block that cannot be read, with the problem.
    Broken(String),
    /// The model has no tool calls.
    NoTools,
    /// The tools are connected, so that the model can be asked for this purpose, with a reminder of the list or not.
    Connected(Box<(Toolbox, Purpose, bool)>),
    /// The answer for the machine, and the model's answer that it comes from.
    Answer(Box<(Answer, Option<ModelAnswer>)>),
    /// The request failed for good.
    Failed(Error),
    /// The result of a tool call: the call's id, the text, and whether it is an error.
    Called(String, String, bool),
}

/// The complete answer of a model.
#[derive(Debug, Default)]
pub(super) struct ModelAnswer {
    pub(super) text: String,
    /// The text with each computation before its result, where there is one.
    pub(super) source: Option<String>,
    /// The text without its blocks.
    pub(super) prose: String,
    pub(super) reasoning: String,
    pub(super) calls: Vec<Call>,
    pub(super) usage: Usage,
    /// A line for people, to follow the answer.
    pub(super) notice: Option<Text>,
}

/// Sends updates of one request to its session.
#[derive(Clone)]
pub(super) struct UpdateSender {
    pub(super) id: RequestId,
    pub(super) session: mpsc::Sender<(RequestId, Update)>,
}

impl UpdateSender {
    /// Sends an update. It is dropped if the request was cancelled.
    pub(super) async fn send(&self, update: Update) {
        let _ = self.session.send((self.id, update)).await;
    }
}
