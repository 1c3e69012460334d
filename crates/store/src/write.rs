//! The one connection that writes, and its transactions.

use crate::place::Place;
use crate::rows::millis;
use crate::script::Script;
use crate::{CallerRow, Error, Result, SessionRow};
use jiff::Timestamp;
use sqlx::{Connection, SqliteConnection};
use todo::Edit;
use uuid::Uuid;

/// The connection that writes. Its owner decides what one transaction holds.
#[derive(Debug)]
pub struct Writer {
    pub(crate) connection: SqliteConnection,
    cursor: u64,
    place: Place,
    /// A transaction did not end as it should: SQLite may have ended it by itself, and what the driver knows of it is
    /// not so.
    is_doubtful: bool,
}

/// A transaction; dropped without [`Transaction::commit`], nothing of it happened.
#[derive(Debug)]
pub struct Transaction<'a> {
    connection: &'a mut SqliteConnection,
    script: Script,
    /// The database knows of it.
    has_begun: bool,
    committed: &'a mut u64,
    is_doubtful: &'a mut bool,
    cursor: u64,
    touches: u32,
}

impl Writer {
    pub(crate) fn new(connection: SqliteConnection, cursor: u64, place: Place) -> Self {
        Self { connection, cursor, place, is_doubtful: false }
    }

    /// The newest committed cursor.
    #[must_use]
    pub fn cursor(&self) -> u64 {
        self.cursor
    }

    /// A transaction, which begins with the first thing that is done in it; where the file was deleted meanwhile, it is
    /// put back first.
    ///
    /// # Errors
    /// When another file is in its place, or it cannot be put back.
    pub async fn begin(&mut self) -> Result<Transaction<'_>> {
        self.make_sure().await?;
        let cursor = self.cursor;
        let Self { connection, cursor: committed, is_doubtful, .. } = self;
        let script = Script::default();
        Ok(Transaction { connection, script, has_begun: false, committed, is_doubtful, cursor, touches: 0 })
    }

    /// The files are there, and no transaction is open.
    async fn make_sure(&mut self) -> Result<()> {
        if self.is_doubtful {
            // Most often there is none, which is an error.
            let _ = sqlx::query("ROLLBACK").execute(&mut self.connection).await;
            if self.place.is_whole()? {
                self.place.reopen(&mut self.connection).await?;
            }
        }
        self.place.keep(&mut self.connection).await?;
        self.is_doubtful = false;
        Ok(())
    }

    /// Moves everything from the write-ahead log into the database file and closes it.
    ///
    /// # Errors
    /// When the disk refuses.
    pub async fn close(mut self) -> Result<()> {
        let kept = self.make_sure().await;
        // Where another file has its place this goes into the one that is open, wherever that is now.
        sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(&mut self.connection).await?;
        if matches!(kept, Err(Error::Replaced(_))) {
            self.place.clear();
        }
        self.connection.close().await?;
        kept
    }
}

impl Transaction<'_> {
    /// The cursor of the next visible change. It counts with this transaction only.
    pub fn advance(&mut self) -> u64 {
        self.cursor += 1;
        self.touch();
        self.cursor
    }

    /// How often something was written in it; 0 where there is nothing to commit.
    #[must_use]
    pub fn touches(&self) -> u32 {
        self.touches
    }

    pub(crate) fn touch(&mut self) {
        self.touches = self.touches.saturating_add(1);
    }

    /// Adds a statement that nobody needs a result of; it is carried out with others.
    pub(crate) async fn put(&mut self, statement: &'static str) -> Result<&mut Script> {
        if self.script.is_full() {
            self.flush().await?;
        }
        self.begin();
        Ok(self.script.add(statement))
    }

    /// The connection, for what has a result: all that was put before it is carried out.
    pub(crate) async fn now(&mut self) -> Result<&mut SqliteConnection> {
        self.begin();
        self.flush().await?;
        Ok(self.connection)
    }

    fn begin(&mut self) {
        if !self.has_begun {
            self.has_begun = true;
            // Who waits for another program's lock waits here, and nothing is done by then.
            self.script.add("BEGIN IMMEDIATE");
        }
    }

    async fn flush(&mut self) -> Result<()> {
        *self.is_doubtful = true;
        self.script.run(self.connection).await
    }

    /// Ends it without a trace and without a write to the disk.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn abandon(mut self) -> Result<()> {
        if *self.is_doubtful {
            self.script = Script::default();
            self.script.add("ROLLBACK");
            self.script.run(self.connection).await?;
            *self.is_doubtful = false;
        }
        Ok(())
    }

    /// Stores a session: a new one gets its row's number, a known one (`pk` not 0) is replaced.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn session(&mut self, row: &mut SessionRow) -> Result<()> {
        self.touch();
        let sql = if row.pk == 0 { INSERT_SESSION } else { UPDATE_SESSION };
        let script = self
            .put(sql)
            .await?
            .bind(&row.session_id)
            .bind(&row.parent_session_id)
            .bind(&row.label)
            .bind(&row.title)
            .bind(&row.agent_name)
            .bind(&row.agent_version)
            .bind(&row.folder)
            .bind(&row.project)
            .bind(&row.branch)
            .bind(&row.state)
            .bind(&row.state_reason)
            .bind(&row.list_state)
            .bind(&row.list_id)
            .bind(row.revision.cast_signed())
            .bind(row.ids_given.cast_signed())
            .bind(row.completed)
            .bind(row.total)
            .bind(row.fraction)
            .bind(row.unfinished)
            .bind(millis(row.created_at))
            .bind(millis(row.last_activity_at))
            .bind(row.cursor.cast_signed())
            .bind(&row.own_tool)
            .bind(row.read_only)
            .bind(row.observed_at.map(millis))
            .bind(row.calls)
            .bind(row.pinned)
            .bind(row.muted)
            .bind(row.dismissed_at.map(millis))
            .bind(serde_json::to_string(&row.dismissed_needs)?)
            .bind(millis(row.state_at))
            .bind(row.drift_at.map(millis))
            .bind(row.first_revision.cast_signed())
            .bind(row.deleted_at.map(millis))
            .bind(&row.prompt);
        if row.pk == 0 {
            row.pk = sqlx::query_scalar("SELECT last_insert_rowid()").fetch_one(self.now().await?).await?;
            self.new_list(row, 1, row.created_at).await?;
        } else {
            script.bind(row.pk);
        }
        Ok(())
    }

    /// Archives the lists that a session had and begins the one that its row names, with the revision that makes it.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn new_list(&mut self, row: &SessionRow, from_rev: u64, at: Timestamp) -> Result<()> {
        self.put("UPDATE lists SET archived_at = ? WHERE session_pk = ? AND archived_at IS NULL")
            .await?
            .bind(millis(at))
            .bind(row.pk);
        self.put("INSERT INTO lists (list_id, session_pk, from_rev, created_at) VALUES (?, ?, ?, ?)")
            .await?
            .bind(&row.list_id)
            .bind(row.pk)
            .bind(from_rev.cast_signed())
            .bind(millis(at));
        Ok(())
    }

    /// Stores an edit, new or known.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn edit(&mut self, session: &SessionRow, edit: &Edit, cursor: u64) -> Result<()> {
        let state = serde_json::to_value(edit.state)?;
        self.put("INSERT INTO edits (edit_id, session_pk, revision, state, body, cursor) VALUES (?, ?, ?, ?, ?, ?) \
             ON CONFLICT (edit_id) DO UPDATE SET state = excluded.state, body = excluded.body, cursor = excluded.cursor").await?
        .bind(edit.id.to_string())
        .bind(session.pk)
        .bind(edit.revision.cast_signed())
        .bind(state.as_str().unwrap_or_default())
        .bind(serde_json::to_string(edit)?)
        .bind(cursor.cast_signed());
        Ok(())
    }

    /// Notes that an edit counts for nothing any more; it stays in the history.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn forget_edit(&mut self, edit: Uuid) -> Result<()> {
        self.put("UPDATE edits SET forgotten = 1 WHERE edit_id = ?").await?.bind(edit.to_string());
        Ok(())
    }

    /// Stores what a caller knows.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn caller(&mut self, session: &SessionRow, row: &CallerRow) -> Result<()> {
        self.put(
            "INSERT INTO callers (session_pk, caller, told_rev, said_rev, said) VALUES (?, ?, ?, ?, ?) \
             ON CONFLICT (session_pk, caller) DO UPDATE SET told_rev = excluded.told_rev, \
             said_rev = excluded.said_rev, said = excluded.said",
        )
        .await?
        .bind(session.pk)
        .bind(&row.caller)
        .bind(row.told_rev.map(u64::cast_signed))
        .bind(row.said_rev.map(u64::cast_signed))
        .bind(&row.said);
        Ok(())
    }

    /// Forgets what callers know but for the `keep` that were told or said something last.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn forget_callers(&mut self, session: &SessionRow, keep: usize) -> Result<()> {
        self.put("DELETE FROM callers WHERE session_pk = ? AND caller NOT IN (SELECT caller FROM callers WHERE session_pk = ? \
             ORDER BY max(coalesce(told_rev, 0), coalesce(said_rev, 0)) DESC LIMIT ?)").await?
        .bind(session.pk)
        .bind(session.pk)
        .bind(i64::try_from(keep).unwrap_or(i64::MAX));
        Ok(())
    }

    /// Notes which revision a caller was told.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn told(&mut self, session: &SessionRow, caller: &str, revision: u64) -> Result<()> {
        self.touch();
        self.put(
            "INSERT INTO callers (session_pk, caller, told_rev, said) VALUES (?, ?, ?, '{}') \
             ON CONFLICT (session_pk, caller) DO UPDATE SET told_rev = excluded.told_rev",
        )
        .await?
        .bind(session.pk)
        .bind(caller)
        .bind(revision.cast_signed());
        Ok(())
    }

    /// Keeps what the user has set, as JSON.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn setting(&mut self, key: &str, value: &str, cursor: u64) -> Result<()> {
        self.touch();
        self.put(
            "INSERT INTO settings (key, value, cursor) VALUES (?, ?, ?) \
             ON CONFLICT (key) DO UPDATE SET value = excluded.value, cursor = excluded.cursor",
        )
        .await?
        .bind(key)
        .bind(value)
        .bind(cursor.cast_signed());
        Ok(())
    }

    /// Notes that a piece of evidence means this session.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn bind(&mut self, session: &SessionRow, kind: &str, key: &str, at: Timestamp) -> Result<()> {
        self.touch();
        self.put(
            "INSERT INTO bindings (kind, key, session_pk, bound_at) VALUES (?, ?, ?, ?) \
             ON CONFLICT (kind, key) DO UPDATE SET session_pk = excluded.session_pk, bound_at = excluded.bound_at",
        )
        .await?
        .bind(kind)
        .bind(key)
        .bind(session.pk)
        .bind(millis(at));
        Ok(())
    }

    /// Makes every session under one be under another.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn adopt(&mut self, from: &SessionRow, to: &SessionRow) -> Result<()> {
        self.touch();
        self.put("UPDATE sessions SET parent_session_id = ? WHERE parent_session_id = ?")
            .await?
            .bind(&to.session_id)
            .bind(&from.session_id);
        Ok(())
    }

    /// Deletes a session with everything of it, and notes that it was there. Evidence that meant it means nothing then.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn delete_session(&mut self, row: &SessionRow, at: Timestamp) -> Result<()> {
        self.touch();
        self.put("DELETE FROM sessions WHERE pk = ?").await?.bind(row.pk);
        self.put("UPDATE sessions SET parent_session_id = NULL WHERE parent_session_id = ?")
            .await?
            .bind(&row.session_id);
        self.tombstone(row, at).await
    }

    /// Notes that a session was there.
    pub(crate) async fn tombstone(&mut self, row: &SessionRow, at: Timestamp) -> Result<()> {
        let cursor = self.cursor.cast_signed();
        self.put(
            "INSERT INTO deleted_sessions (session_id, cursor, at) VALUES (?, ?, ?) \
             ON CONFLICT (session_id) DO UPDATE SET cursor = excluded.cursor, at = excluded.at",
        )
        .await?
        .bind(&row.session_id)
        .bind(cursor)
        .bind(millis(at));
        Ok(())
    }

    /// Keeps how an MCP session was opened, and forgets those not seen since `forget_before`.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn mcp_session(
        &mut self,
        id: &str,
        initialize: &str,
        now: Timestamp,
        forget_before: Timestamp,
    ) -> Result<()> {
        self.touch();
        self.put(
            "INSERT INTO mcp_sessions (id, initialize, seen_at) VALUES (?, ?, ?) \
             ON CONFLICT (id) DO UPDATE SET initialize = excluded.initialize, seen_at = excluded.seen_at",
        )
        .await?
        .bind(id)
        .bind(initialize)
        .bind(millis(now));
        self.put("DELETE FROM mcp_sessions WHERE seen_at < ?").await?.bind(millis(forget_before));
        Ok(())
    }

    /// Makes all of it durable; gives the newest cursor.
    ///
    /// # Errors
    /// When the disk refuses: nothing of the transaction happened.
    pub async fn commit(mut self) -> Result<u64> {
        let cursor = self.cursor.cast_signed();
        self.put("UPDATE hub SET cursor = ? WHERE pk = 1").await?.bind(cursor);
        self.script.add("COMMIT");
        self.flush().await?;
        *self.committed = self.cursor;
        *self.is_doubtful = false;
        Ok(self.cursor)
    }
}

const INSERT_SESSION: &str = "INSERT INTO sessions (session_id, parent_session_id, label, title, agent_name, \
    agent_version, folder, project, branch, state, state_reason, list_state, list_id, revision, ids_given, completed, \
    total, fraction, unfinished, created_at, last_activity_at, cursor, own_tool, read_only, observed_at, calls, \
    pinned, muted, dismissed_at, dismissed_needs, state_at, drift_at, first_revision, deleted_at, prompt) \
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

const UPDATE_SESSION: &str = "UPDATE sessions SET session_id = ?, parent_session_id = ?, label = ?, title = ?, \
    agent_name = ?, agent_version = ?, folder = ?, project = ?, branch = ?, state = ?, state_reason = ?, \
    list_state = ?, list_id = ?, revision = ?, ids_given = ?, completed = ?, total = ?, fraction = ?, \
    unfinished = ?, created_at = ?, last_activity_at = ?, cursor = ?, own_tool = ?, read_only = ?, observed_at = ?, \
    calls = ?, pinned = ?, muted = ?, dismissed_at = ?, dismissed_needs = ?, state_at = ?, drift_at = ?, \
    first_revision = ?, deleted_at = ?, prompt = ? WHERE pk = ?";
