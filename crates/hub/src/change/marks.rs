//! The user's decisions about sessions beside their lists, and about Sightline itself.

use crate::error::{Failure, Result};
use crate::evidence::SHARED;
use crate::tags;
use crate::turn::{News, Turn};
use protocol::{AuditDeed, Code, Done, Event, NeedDismiss, SessionMark, Settings, SettingsEvent, SettingsUpdate, say};
use serde_json::{Map, Value};
use session::DismissedNeed;
use store::MirroredRow;

/// Dismissed needs that a session remembers; the oldest go.
const DISMISSED: usize = 200;

/// Characters of a session's name.
const TITLE_CHARS: usize = 200;

/// Bytes of a need's id; ours are shorter.
const NEED_BYTES: usize = 200;

impl Turn<'_, '_> {
    /// Marks a session for the board, and its built-in list with it, which is shown there too.
    pub(super) async fn mark(&mut self, ask: &SessionMark) -> Result<Done> {
        let mut live = self.find(&ask.session_id).await?;
        if let Some(shared) = ask.shared {
            let Some(label) = live.row.who.label.clone() else {
                return Err(Failure::refused(Code::InvalidMessage, say::label_to_share()));
            };
            live.row.marks.shared = shared;
            self.bind(&live, SHARED, &label).await?;
        }
        tags::change(&mut live.row.marks.tags, &ask.add_tags, &ask.remove_tags)?;
        let tags = live.row.marks.tags.clone();
        let title = ask.title.as_deref().map(title).transpose()?;
        let built_in = self.sessions().built_in_list(&live).await?;
        for mut live in built_in.into_iter().chain([live]) {
            let row = &mut live.row;
            row.marks.pinned = ask.pinned.unwrap_or(row.marks.pinned);
            row.marks.muted = ask.muted.unwrap_or(row.marks.muted);
            row.marks.tags.clone_from(&tags);
            if let Some(title) = title {
                title.clone_into(&mut row.who.title);
                if row.who.host.is_some()
                    && let Some(entry) = self.transaction.mirrored_as(&row.session_id).await?
                {
                    // Its owner goes on calling it as before.
                    let entry = MirroredRow { title: Some(title.to_owned()), ..entry };
                    self.transaction.save_mirrored(&entry).await?;
                }
            }
            if let Some(dismissed) = ask.dismissed {
                row.marks.dismissed_at = dismissed.then(|| self.now());
            }
            self.save(&mut live, News::Updated).await?;
        }
        Ok(Done {})
    }

    /// Dismisses a need, or takes that back.
    pub(super) async fn dismiss(&mut self, ask: &NeedDismiss) -> Result<Done> {
        if ask.need_id.is_empty() || ask.need_id.len() > NEED_BYTES {
            let problem = "\"needId\" is the id of one of the session's needs";
            return Err(Failure::refused(Code::InvalidMessage, problem));
        }
        let mut live = self.find(&ask.session_id).await?;
        let dismissed = &mut live.row.marks.dismissed_needs;
        dismissed.retain(|known| known.id != ask.need_id);
        if ask.dismissed.unwrap_or(true) {
            dismissed.push(DismissedNeed { id: ask.need_id.clone(), until: ask.until });
            let surplus = dismissed.len().saturating_sub(DISMISSED);
            dismissed.drain(..surplus);
        }
        self.save(&mut live, News::Updated).await?;
        Ok(Done {})
    }

    /// Takes settings over, each stored by itself.
    pub(super) async fn set(&mut self, ask: &SettingsUpdate) -> Result<Settings> {
        let before = self.staged.settings.clone().unwrap_or_else(|| self.core.board.settings());
        let settings = before.with(ask)?;
        let cursor = self.transaction.advance();
        let stored = fields(&before);
        let mut changed = Vec::new();
        for (key, value) in fields(&settings) {
            if stored.get(&key) != Some(&value) {
                self.transaction.save_setting(&key, &value.to_string(), cursor).await?;
                changed.push(key);
            }
        }
        if !changed.is_empty() {
            self.audit(AuditDeed::Settings, &changed.join(", ")).await?;
        }
        self.staged.settings = Some(settings.clone());
        let cursor = self.core.board.cursor_text(cursor);
        self.staged.events.push(Event::SettingsUpdated(SettingsEvent { cursor, settings: settings.clone() }));
        Ok(settings)
    }
}

/// A name that the user gives a session.
fn title(typed: &str) -> Result<&str> {
    let title = typed.trim();
    if title.is_empty() || title.chars().count() > TITLE_CHARS || title.chars().any(char::is_control) {
        return Err(Failure::refused(Code::InvalidMessage, say::title_line(TITLE_CHARS)));
    }
    Ok(title)
}

fn fields(settings: &Settings) -> Map<String, Value> {
    match serde_json::to_value(settings) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}
