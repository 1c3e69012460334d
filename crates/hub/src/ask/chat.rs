//! Conversations with the built-in agent.

use crate::conversation::{ChatEntry, StoredChat};
use crate::core::Core;
use crate::error::Result;
use crate::sessions::Sessions;

/// A conversation with its newest messages before a number, oldest first; none where there is none.
pub(crate) async fn chat(core: &Core, session_id: &str, before: u64, limit: u32) -> Result<Option<StoredChat>> {
    let live = Sessions::committed(core).named(session_id).await?;
    let Some((state, running)) = core.store.chat(live.row.pk).await? else { return Ok(None) };
    let rows = core.store.chat_messages(live.row.pk, before, limit).await?;
    let messages = rows.into_iter().rev().map(ChatEntry::from);
    Ok(Some(StoredChat { state, running, messages: messages.collect() }))
}
