//! Edits that come from elsewhere, each of which is made once.

use crate::error::{Failure, Result};
use crate::turn::Turn;
use jiff::SignedDuration;
use protocol::{Caller, Code, EditOnce, EditedOnce, Request, Sorted};

/// Time for which the key of an edit is remembered.
const REMEMBERED: SignedDuration = SignedDuration::from_hours(24 * 30);

/// Characters of a key.
const KEY_CHARS: usize = 100;

impl Turn<'_, '_> {
    /// Makes an edit that was made elsewhere, unless it was made already.
    pub(super) async fn edit_once(&mut self, ask: &EditOnce) -> Result<EditedOnce> {
        let invalid = |problem: String| Failure::refused(Code::InvalidMessage, problem);
        if ask.key.is_empty() || ask.key.chars().count() > KEY_CHARS {
            return Err(invalid(format!("\"key\" has 1 to {KEY_CHARS} characters")));
        }
        if let Some(answer) = self.transaction.edit_once(&ask.key).await? {
            return serde_json::from_str(&answer).map_err(|error| Failure::Store(error.into()));
        }
        let kind = ask.edit["type"].as_str().unwrap_or_default();
        let request = Request::read(kind, ask.edit.clone())?;
        if !matches!(request.sorted(), Sorted::Edit(_) | Sorted::ItemEdit(_)) {
            return Err(invalid(format!("{kind} is no edit of a list")));
        }
        if self.edited(&request).await.is_some_and(|live| live.row.who.host.is_some()) {
            return Err(Failure::refused(
                Code::ReadOnly,
                "this session is mirrored here; send its edit to its own host",
            ));
        }
        let client = ask.client.clone().unwrap_or_else(|| self.caller.client.clone());
        let caller = Caller { client, ..self.caller.clone() };
        let mut turn = Turn { core: self.core, transaction: self.transaction, staged: self.staged, caller: &caller };
        let edited = turn.edit(&request).await?;
        let answer = EditedOnce {
            session_id: edited.session_id,
            revision: edited.revision,
            edit_id: Some(edited.edit_id).filter(|id| !id.is_empty()),
            message: edited.message,
        };
        let (now, written) = (self.now(), serde_json::to_string(&answer));
        let written = written.map_err(|error| Failure::refused(Code::Internal, error.to_string()))?;
        let forget = now.saturating_sub(REMEMBERED).unwrap_or(now);
        self.transaction.save_edit_once(&ask.key, now, &written, forget).await?;
        Ok(answer)
    }
}
