//! The built-in agent's own changes of a session, beside the requests that everybody makes: decisions on the list as it
//! is at that moment, and its conversation.

use super::writes::written;
use crate::conversation::{EntryKind, StoredChat};
use crate::error::Result;
use crate::evidence::connection;
use crate::turn::{Cause, News, Turn};
use crate::writer::Work;
use protocol::{Caller, TodoWritten, Usage};
use serde::Deserialize;
use std::sync::Arc;
use todo::{Applied, List, Stamp};

/// The built-in agent's decision on a list.
#[derive(Debug, Default)]
pub struct Decided {
    /// The changes, each applied to what the one before it left.
    pub applied: Vec<Applied>,
}

/// Decides on a list as it is when nobody else can change it. It may be asked more than once.
pub type Decide = Arc<dyn Fn(&List, &mut Stamp<'_>) -> todo::Result<Decided> + Send + Sync>;

/// A decision of the built-in agent's, made in the order of all changes.
pub(crate) struct Decision {
    pub(crate) caller: Caller,
    pub(crate) session_id: String,
    pub(crate) request_id: String,
    pub(crate) decide: Decide,
}

impl Work for Decision {
    type Answer = TodoWritten;

    fn caller(&self) -> &Caller {
        &self.caller
    }

    async fn perform(&self, turn: &mut Turn<'_, '_>) -> Result<TodoWritten> {
        let mut live = turn.find(&self.session_id).await?;
        let now = turn.now();
        let decided = turn.stamped(now.max(live.written_at), |stamp| (self.decide)(&live.list, stamp))?;
        let mut remarks = Vec::new();
        for applied in decided.applied {
            remarks.extend(applied.remarks.iter().map(|remark| remark.english.clone()));
            let cause = Cause { kind: "chat", request_id: Some(&self.request_id), at: now };
            live = turn.revise_by_agent(live, applied, cause).await?;
        }
        if let Some(connection) = connection(&self.caller) {
            turn.staged.used.push((connection, live.row.session_id.clone()));
        }
        Ok(written(&live, &self.caller, remarks))
    }
}

/// The beginning of a message that ends a run, as it is stored.
const END: &str = r#"{"kind":"end""#;

/// The part of a conversation's state that says its model.
#[derive(Deserialize)]
struct State {
    model: String,
}

/// A conversation to be kept.
pub(crate) struct SaveChat {
    pub(crate) session_id: String,
    pub(crate) chat: StoredChat,
}

impl Work for SaveChat {
    type Answer = ();

    async fn perform(&self, turn: &mut Turn<'_, '_>) -> Result<()> {
        let mut live = turn.find(&self.session_id).await?;
        turn.transaction.save_chat(&live.row, &self.chat.state, self.chat.running).await?;
        for message in &self.chat.messages {
            turn.transaction.save_chat_message(&live.row, &message.clone().into()).await?;
        }
        if self.chat.messages.iter().any(|message| message.json.starts_with(END)) {
            let ends = turn.transaction.chat_messages_beginning(&live.row, END).await?;
            let now = turn.now();
            if live.row.usage.update(&used(&self.chat.state, &ends), now) {
                turn.save(&mut live, News::Updated).await?;
            }
        }
        Ok(())
    }
}

/// The model of a conversation, and the tokens and the cost of its runs that have ended. A cost that some run does not tell
/// is not known.
fn used(state: &str, ends: &[String]) -> Usage {
    let model = serde_json::from_str::<State>(state).ok().map(|state| state.model);
    let (mut input, mut output, mut dollars) = (0_u64, 0_u64, Some(0.0));
    for end in ends.iter().filter_map(|end| serde_json::from_str(end).ok()) {
        if let EntryKind::End { usage: Some(usage), cost, .. } = end {
            input = input.saturating_add(usage.input_tokens);
            output = output.saturating_add(usage.output_tokens);
            dollars = dollars.zip(cost).map(|(sum, cost)| sum + cost.total_cost);
        }
    }
    let is_told = input.saturating_add(output) > 0;
    let micro_dollars = dollars.filter(|_| is_told).and_then(Usage::micro_dollars);
    let told = |tokens: u64| is_told.then_some(tokens);
    Usage { model, input_tokens: told(input), output_tokens: told(output), micro_dollars, ..Usage::default() }
}
