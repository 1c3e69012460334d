//! What the user decides about sessions beside their lists, and about Sightline itself.

use crate::report::Outcome;
use crate::resolve::OWN;
use crate::writer::Batch;
use crate::{Hub, storage};
use protocol::{Done, Event, NeedDismiss, Result, Session, SessionMark, Settings, SettingsEvent, SettingsUpdate};
use serde_json::{Map, Value};
use store::Transaction;

/// Dismissed needs that a session remembers; the oldest go.
const DISMISSED: usize = 200;

/// Bytes of a need's id; ours are shorter.
const NEED_BYTES: usize = 200;

impl Hub {
    /// Marks a session for the board, and its agent's own list with it, which is shown there too.
    pub(crate) async fn mark(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        ask: &SessionMark,
    ) -> Outcome<Done> {
        let live = self.named(&batch.pending, &ask.session_id).await?;
        let own = self.own_list(&batch.pending, &live.row.session_id).await?;
        for mut live in own.into_iter().chain([live]) {
            let row = &mut live.row;
            row.pinned = ask.pinned.unwrap_or(row.pinned);
            row.muted = ask.muted.unwrap_or(row.muted);
            if let Some(dismissed) = ask.dismissed {
                row.dismissed_at = dismissed.then(|| self.now());
            }
            row.cursor = transaction.advance();
            transaction.session(row).await?;
            batch.events.push(self.updated(&live));
            batch.pending.lives.insert(live.row.session_id.clone(), live);
        }
        Ok(Done {})
    }

    /// The user leaves a need as it is, or takes that back.
    pub(crate) async fn dismiss(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        ask: &NeedDismiss,
    ) -> Outcome<Done> {
        if ask.need_id.is_empty() || ask.need_id.len() > NEED_BYTES {
            let problem = "\"needId\" is the id of one of the session's needs";
            return Err(protocol::Error::new(protocol::Code::InvalidMessage, problem).into());
        }
        let mut live = self.named(&batch.pending, &ask.session_id).await?;
        let dismissed = &mut live.row.dismissed_needs;
        dismissed.retain(|id| *id != ask.need_id);
        if ask.dismissed.unwrap_or(true) {
            dismissed.push(ask.need_id.clone());
            let surplus = dismissed.len().saturating_sub(DISMISSED);
            dismissed.drain(..surplus);
        }
        live.row.cursor = transaction.advance();
        transaction.session(&mut live.row).await?;
        batch.events.push(self.updated(&live));
        batch.pending.lives.insert(live.row.session_id.clone(), live);
        Ok(Done {})
    }

    /// Takes settings over, each stored by itself.
    pub(crate) async fn set(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        ask: &SettingsUpdate,
    ) -> Outcome<Settings> {
        let before = batch.settings.clone().unwrap_or_else(|| self.inner.board.settings());
        let settings = before.with(ask)?;
        let cursor = transaction.advance();
        for (key, value) in fields(&settings) {
            if fields(&before).get(&key) != Some(&value) {
                transaction.setting(&key, &value.to_string(), cursor).await?;
            }
        }
        batch.settings = Some(settings.clone());
        let cursor = self.inner.board.cursor_text(cursor);
        batch.events.push(Event::SettingsUpdated(SettingsEvent { cursor, settings: settings.clone() }));
        Ok(settings)
    }

    /// What the user has set.
    #[must_use]
    pub fn settings(&self) -> Settings {
        self.inner.board.settings()
    }

    /// A session, and the ids that its agent has for it.
    ///
    /// # Errors
    /// When there is no such session, or the database cannot be read.
    pub async fn session_of_agent(&self, session_id: &str) -> Result<(Session, Vec<String>)> {
        let live = self.named(&crate::resolve::Pending::default(), session_id).await?;
        let connected = self.inner.board.connected(&live.row.session_id);
        let keys = self.inner.store.keys_of(live.row.pk, OWN).await.map_err(storage)?;
        let own = keys.iter().filter_map(|key| key.split_once('|')).map(|(_, own)| own.to_owned()).collect();
        Ok((crate::view::with_needs(&live, connected, self.moment()), own))
    }
}

/// The settings as they were stored; what is not of this build is left alone, and what cannot be read is as it is at first.
pub(crate) fn settings(stored: Vec<(String, String)>) -> Settings {
    let mut readable = Map::new();
    for (key, value) in stored {
        let Ok(value) = serde_json::from_str::<Value>(&value) else {
            tracing::warn!(key, "a setting cannot be read and is as it is at first");
            continue;
        };
        let one = Value::Object(Map::from_iter([(key.clone(), value.clone())]));
        match serde_json::from_value::<SettingsUpdate>(one) {
            Ok(_) => drop(readable.insert(key, value)),
            Err(error) => tracing::warn!(key, %error, "a setting cannot be read and is as it is at first"),
        }
    }
    let asked = |fields: Map<String, Value>| serde_json::from_value(Value::Object(fields)).unwrap_or_default();
    Settings::default().with(&asked(readable.clone())).unwrap_or_else(|error| {
        tracing::warn!(%error, "some settings cannot be as they were stored");
        // The others, one by one.
        readable
            .into_iter()
            .fold(Settings::default(), |settings, one| settings.with(&asked(Map::from_iter([one]))).unwrap_or(settings))
    })
}

fn fields(settings: &Settings) -> Map<String, Value> {
    match serde_json::to_value(settings) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}
