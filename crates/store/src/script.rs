//! Statements that go to the database together.
//!
//! Each call of the driver switches to its thread and back, which costs more than most statements do. So statements whose
//! result is not needed are gathered and sent several at a time; one that reads, or whose count of changed rows matters,
//! is sent by itself after those before it.

use crate::Result;
use sqlx::sqlite::SqliteArguments;
use sqlx::{Arguments, AssertSqlSafe, Connection, Encode, Sqlite, SqliteConnection, Type};
use std::sync::Arc;

/// The most statements in one call. The driver caches prepared statements by the whole text; longer texts vary more and
/// would be prepared anew more often.
const TOGETHER: usize = 16;

/// Statements that wait to be sent, in order, with their bound values.
#[derive(Debug, Default)]
pub(crate) struct Script {
    sql: String,
    arguments: SqliteArguments,
    statements: usize,
    problem: Option<sqlx::Error>,
}

impl Script {
    pub(crate) fn is_full(&self) -> bool {
        self.statements >= TOGETHER
    }

    /// Adds a statement. All of its parameters must be a plain `?`.
    pub(crate) fn add(&mut self, statement: &'static str) -> &mut Self {
        debug_assert!(!statement.contains("?1"), "a number would count from the first of all parameters: {statement}");
        if self.statements > 0 {
            self.sql.push_str("; ");
        }
        self.sql.push_str(statement);
        self.statements += 1;
        self
    }

    /// Appends to the statement that was added last.
    pub(crate) fn push(&mut self, sql: &'static str) -> &mut Self {
        self.sql.push_str(sql);
        self
    }

    /// Binds the next parameter of the statement that was added last.
    pub(crate) fn bind<'v, T: Encode<'v, Sqlite> + Type<Sqlite>>(&mut self, value: T) -> &mut Self {
        if let Err(error) = self.arguments.add(value) {
            self.problem.get_or_insert(sqlx::Error::Encode(error));
        }
        self
    }

    /// Binds a text. The driver takes one that is shared as it is, and copies any other twice.
    pub(crate) fn text(&mut self, value: &str) -> &mut Self {
        self.bind(Arc::<str>::from(value))
    }

    /// Carries out the waiting statements, up to the first that fails.
    pub(crate) async fn run(&mut self, connection: &mut SqliteConnection) -> Result<()> {
        let Self { sql, arguments, statements, problem } = std::mem::take(self);
        if let Some(error) = problem {
            return Err(error.into());
        }
        if statements > 0 {
            let cached = connection.cached_statements_size();
            // It consists of texts of the program only.
            sqlx::query_with(AssertSqlSafe(sql), arguments).execute(&mut *connection).await?;
            if connection.cached_statements_size() > cached {
                tracing::trace!(target: "store::prepared", statements);
            }
        }
        Ok(())
    }
}
