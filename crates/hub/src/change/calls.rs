//! A call of another tool that has ended.

use crate::error::Result;
use crate::live::Live;
use crate::paths;
use crate::turn::{News, Turn};
use jiff::Timestamp;
use protocol::{DoneCall, LastCall};
use std::sync::Arc;

/// Characters of a tool's name, and of a call's subject.
const TOOL_CHARS: usize = 200;
const TEXT_CHARS: usize = 300;

impl Turn<'_, '_> {
    /// A call of another tool has ended. Returns the file that it has changed.
    pub(super) async fn note_call(
        &mut self,
        live: &mut Live,
        done: &DoneCall,
        at: Timestamp,
    ) -> Result<Option<String>> {
        let calls = Arc::make_mut(&mut live.calls);
        let tool = done.tool.chars().take(TOOL_CHARS).collect();
        let text = done.text.as_ref().map(|text| text.chars().take(TEXT_CHARS).collect());
        calls.last = Some(LastCall { tool, text, at });
        let folder = live.row.who.folder.as_deref();
        let Some(file) = done.file.as_deref().and_then(|file| paths::file(file, folder)) else { return Ok(None) };
        calls.change(&file, at);
        let is_together = |other: &Live| !is_related(live, other) && other.calls.has_changed(&file, at);
        for mut other in self.sessions().select(is_together) {
            Arc::make_mut(&mut live.calls).overlap(&file, &other.row.session_id, at);
            if Arc::make_mut(&mut other.calls).overlap(&file, &live.row.session_id, at) {
                self.save(&mut other, News::Updated).await?;
            } else {
                self.stage(&other);
            }
        }
        Ok(Some(file))
    }
}

/// The same run, or one that works for the other.
fn is_related(one: &Live, other: &Live) -> bool {
    let run = |live: &Live| live.row.who.parent_session_id.clone().unwrap_or_else(|| live.row.session_id.clone());
    run(one) == run(other)
}
