//! The tables `hosts`, `mirrored`, `sending` and `edits_once`: other gateways, their sessions here, and edits between the
//! two.

use super::{millis, time};
use crate::{Result, Store, Transaction};
use jiff::Timestamp;
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteExecutor};
use std::collections::HashMap;
use uuid::Uuid;

/// Another gateway.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HostRow {
    pub name: String,
    /// The words of the command that leads to it; none for one at an address.
    pub command: Vec<String>,
    pub address: Option<String>,
    /// Days for which its sessions are fetched at first; 0 for all.
    pub days: u32,
    /// It may be connected to.
    pub confirmed: bool,
    pub created_at: Timestamp,
    /// Its own cursor, up to which its changes are here; [`AT_FIRST`] stands before it until they all were once.
    pub cursor: Option<String>,
}

/// The newest revision that is here of a host. Its sessions are looked at from the newest, by their index; left to itself
/// SQLite would sort all of them.
pub(crate) const NEWEST: &str = "SELECT m.owner_id, r.revision, r.at FROM sessions AS s \
     CROSS JOIN mirrored AS m ON m.session_id = s.session_id AND +m.host = s.host \
     CROSS JOIN revisions AS r ON r.session_pk = s.pk AND r.revision = s.revision \
     WHERE s.host = ? ORDER BY s.cursor DESC LIMIT 1";

/// The beginning of a host's cursor before all of its changes were here once.
const AT_FIRST: char = '~';

impl HostRow {
    /// True until all of its changes were here once.
    #[must_use]
    pub fn is_first(&self) -> bool {
        self.cursor.as_ref().is_none_or(|cursor| cursor.starts_with(AT_FIRST))
    }

    /// Its own cursor as it gave it.
    #[must_use]
    pub fn own_cursor(&self) -> Option<&str> {
        self.cursor.as_deref().map(|cursor| cursor.trim_start_matches(AT_FIRST))
    }
}

/// A session of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MirroredRow {
    pub host: String,
    /// Its id there.
    pub owner_id: String,
    /// Its id here.
    pub session_id: String,
    /// The owner's cursor, up to which it is here.
    pub cursor: Option<String>,
    /// Changes the ids of its edits and lists where they are taken here; nil where they are not.
    pub salt: Uuid,
    /// The owner has deleted it.
    pub gone: bool,
    /// The name that it was given here.
    pub title: Option<String>,
}

/// An edit that a host has not got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendingRow {
    pub key: String,
    pub host: String,
    /// Its session's id here.
    pub session_id: String,
    /// The request as JSON, with the owner's id of the session.
    pub request: String,
    /// The client that made it.
    pub client: String,
    /// Its text, for people.
    pub text: String,
    pub at: Timestamp,
    /// The reason for which the host has refused it.
    pub problem: Option<String>,
    /// Its name and parameters as JSON, where the host has told them.
    pub problem_text: Option<String>,
}

impl Store {
    /// Returns the hosts by their names.
    pub async fn hosts(&self) -> Result<Vec<HostRow>> {
        let rows = sqlx::query("SELECT * FROM hosts ORDER BY name").fetch_all(&self.readers).await?;
        rows.iter().map(host).collect()
    }

    /// Returns the number of sessions of each host, but for those that were deleted.
    pub async fn sessions_of_hosts(&self) -> Result<HashMap<String, u32>> {
        let counts: Vec<(String, u32)> = sqlx::query_as(
            "SELECT host, count(*) FROM sessions WHERE host IS NOT NULL AND deleted_at IS NULL GROUP BY host",
        )
        .fetch_all(&self.readers)
        .await?;
        Ok(counts.into_iter().collect())
    }

    /// Returns the number of edits that each host has not got.
    pub async fn sending_to_hosts(&self) -> Result<HashMap<String, u32>> {
        let counts: Vec<(String, u32)> =
            sqlx::query_as("SELECT host, count(*) FROM sending GROUP BY host").fetch_all(&self.readers).await?;
        Ok(counts.into_iter().collect())
    }

    /// Returns the first edit that a host has not got and has not refused.
    pub async fn next_sending(&self, host: &str) -> Result<Option<SendingRow>> {
        let row = sqlx::query("SELECT * FROM sending WHERE host = ? AND problem IS NULL ORDER BY pk LIMIT 1")
            .bind(host)
            .fetch_optional(&self.readers)
            .await?;
        row.as_ref().map(sending).transpose()
    }

    /// Returns the edits of a session that its host has not got, in their order.
    pub async fn sending_of(&self, session_id: &str) -> Result<Vec<SendingRow>> {
        let rows = sqlx::query("SELECT * FROM sending WHERE session_id = ? ORDER BY pk")
            .bind(session_id)
            .fetch_all(&self.readers)
            .await?;
        rows.iter().map(sending).collect()
    }

    /// Returns a session of a host by its owner's id.
    pub async fn mirrored(&self, host: &str, owner_id: &str) -> Result<Option<MirroredRow>> {
        find_mirrored(&self.readers, host, owner_id).await
    }

    /// Returns the newest revision that is here of a host: the owner's id of its session, its number and its time.
    pub async fn newest_of_host(&self, host: &str) -> Result<Option<(String, u64, Timestamp)>> {
        let row: Option<(String, i64, i64)> = sqlx::query_as(NEWEST).bind(host).fetch_optional(&self.readers).await?;
        Ok(row.map(|(owner_id, revision, at)| (owner_id, revision.cast_unsigned(), time(at))))
    }
}

impl Transaction<'_> {
    /// As [`Store::hosts`], as this transaction has left them.
    pub async fn hosts(&mut self) -> Result<Vec<HostRow>> {
        let rows = sqlx::query("SELECT * FROM hosts ORDER BY name").fetch_all(self.now().await?).await?;
        rows.iter().map(host).collect()
    }

    /// Saves a host, new or known.
    pub async fn save_host(&mut self, row: &HostRow) -> Result<()> {
        self.touch();
        self.put(
            "INSERT INTO hosts (name, command, address, days, confirmed, created_at, cursor) VALUES (?, ?, ?, ?, ?, ?, ?) \
             ON CONFLICT (name) DO UPDATE SET command = excluded.command, address = excluded.address, \
             days = excluded.days, confirmed = excluded.confirmed, cursor = excluded.cursor",
        )
        .await?
        .bind(&row.name)
        .bind(serde_json::to_string(&row.command)?)
        .bind(&row.address)
        .bind(row.days)
        .bind(row.confirmed)
        .bind(millis(row.created_at))
        .bind(&row.cursor);
        Ok(())
    }

    /// Removes a host, with the edits that it has not got. Its sessions stay.
    pub async fn remove_host(&mut self, name: &str) -> Result<()> {
        self.touch();
        self.put("DELETE FROM hosts WHERE name = ?").await?.bind(name);
        self.put("DELETE FROM sending WHERE host = ?").await?.bind(name);
        Ok(())
    }

    /// Notes the cursor up to which a host's changes are here, and whether they are not all here for the first time yet.
    pub async fn save_host_cursor(&mut self, name: &str, cursor: Option<&str>, is_first: bool) -> Result<()> {
        self.touch();
        let cursor = cursor.map(|cursor| if is_first { format!("{AT_FIRST}{cursor}") } else { cursor.to_owned() });
        self.put("UPDATE hosts SET cursor = ? WHERE name = ?").await?.bind(cursor).bind(name);
        Ok(())
    }

    /// As [`Store::mirrored`], as this transaction has left it.
    pub async fn mirrored(&mut self, host: &str, owner_id: &str) -> Result<Option<MirroredRow>> {
        find_mirrored(self.now().await?, host, owner_id).await
    }

    /// Returns the host and the owner's id of a session, as this transaction has left them.
    pub async fn mirrored_as(&mut self, session_id: &str) -> Result<Option<MirroredRow>> {
        let row = sqlx::query("SELECT * FROM mirrored WHERE session_id = ?")
            .bind(session_id)
            .fetch_optional(self.now().await?)
            .await?;
        row.as_ref().map(mirrored).transpose()
    }

    /// Saves the entry of a host's session, new or known.
    pub async fn save_mirrored(&mut self, row: &MirroredRow) -> Result<()> {
        self.touch();
        self.put(
            "INSERT INTO mirrored (host, owner_id, session_id, cursor, salt, gone, title) VALUES (?, ?, ?, ?, ?, ?, ?) \
             ON CONFLICT (host, owner_id) DO UPDATE SET session_id = excluded.session_id, cursor = excluded.cursor, \
             salt = excluded.salt, gone = excluded.gone, title = excluded.title",
        )
        .await?
        .bind(&row.host)
        .bind(&row.owner_id)
        .bind(&row.session_id)
        .bind(&row.cursor)
        .bind(row.salt.to_string())
        .bind(row.gone)
        .bind(&row.title);
        Ok(())
    }

    /// Returns whether a session has this id, deleted or not, as this transaction has left it.
    pub async fn has_session(&mut self, session_id: &str) -> Result<bool> {
        let found: Option<i64> = sqlx::query_scalar("SELECT 1 FROM sessions WHERE session_id = ?")
            .bind(session_id)
            .fetch_optional(self.now().await?)
            .await?;
        Ok(found.is_some())
    }

    /// Adds an edit for a host.
    pub async fn add_sending(&mut self, row: &SendingRow) -> Result<()> {
        self.touch();
        self.put("INSERT INTO sending (key, host, session_id, request, client, text, at) VALUES (?, ?, ?, ?, ?, ?, ?)")
            .await?
            .bind(&row.key)
            .bind(&row.host)
            .bind(&row.session_id)
            .bind(&row.request)
            .bind(&row.client)
            .bind(&row.text)
            .bind(millis(row.at));
        Ok(())
    }

    /// Returns the session of an edit that its host has not got.
    pub async fn session_of_sending(&mut self, key: &str) -> Result<Option<String>> {
        Ok(sqlx::query_scalar("SELECT session_id FROM sending WHERE key = ?")
            .bind(key)
            .fetch_optional(self.now().await?)
            .await?)
    }

    /// Notes the reason for which a host has refused an edit.
    pub async fn refuse_sending(&mut self, key: &str, problem: &str, text: Option<&str>) -> Result<()> {
        self.touch();
        self.put("UPDATE sending SET problem = ?, problem_text = ? WHERE key = ?")
            .await?
            .bind(problem)
            .bind(text)
            .bind(key);
        Ok(())
    }

    /// Removes an edit that its host has got, or that is dropped.
    pub async fn remove_sending(&mut self, key: &str) -> Result<()> {
        self.touch();
        self.put("DELETE FROM sending WHERE key = ?").await?.bind(key);
        Ok(())
    }

    /// Returns the answer to an edit that was made once.
    pub async fn edit_once(&mut self, key: &str) -> Result<Option<String>> {
        Ok(sqlx::query_scalar("SELECT answer FROM edits_once WHERE key = ?")
            .bind(key)
            .fetch_optional(self.now().await?)
            .await?)
    }

    /// Remembers the answer to an edit that was made once, and forgets those from before a time.
    pub async fn save_edit_once(
        &mut self,
        key: &str,
        at: Timestamp,
        answer: &str,
        forget_before: Timestamp,
    ) -> Result<()> {
        self.touch();
        self.put("INSERT INTO edits_once (key, at, answer) VALUES (?, ?, ?)")
            .await?
            .bind(key)
            .bind(millis(at))
            .bind(answer);
        self.put("DELETE FROM edits_once WHERE at < ?").await?.bind(millis(forget_before));
        Ok(())
    }
}

async fn find_mirrored(reader: impl SqliteExecutor<'_>, host: &str, owner_id: &str) -> Result<Option<MirroredRow>> {
    let row = sqlx::query("SELECT * FROM mirrored WHERE host = ? AND owner_id = ?")
        .bind(host)
        .bind(owner_id)
        .fetch_optional(reader)
        .await?;
    row.as_ref().map(mirrored).transpose()
}

fn host(row: &SqliteRow) -> Result<HostRow> {
    Ok(HostRow {
        name: row.try_get("name")?,
        command: serde_json::from_str(row.try_get("command")?)?,
        address: row.try_get("address")?,
        days: row.try_get("days")?,
        confirmed: row.try_get("confirmed")?,
        created_at: time(row.try_get("created_at")?),
        cursor: row.try_get("cursor")?,
    })
}

fn mirrored(row: &SqliteRow) -> Result<MirroredRow> {
    Ok(MirroredRow {
        host: row.try_get("host")?,
        owner_id: row.try_get("owner_id")?,
        session_id: row.try_get("session_id")?,
        cursor: row.try_get("cursor")?,
        salt: Uuid::try_parse(row.try_get("salt")?).unwrap_or_default(),
        gone: row.try_get("gone")?,
        title: row.try_get("title")?,
    })
}

fn sending(row: &SqliteRow) -> Result<SendingRow> {
    Ok(SendingRow {
        key: row.try_get("key")?,
        host: row.try_get("host")?,
        session_id: row.try_get("session_id")?,
        request: row.try_get("request")?,
        client: row.try_get("client")?,
        text: row.try_get("text")?,
        at: time(row.try_get("at")?),
        problem: row.try_get("problem")?,
        problem_text: row.try_get("problem_text")?,
    })
}
