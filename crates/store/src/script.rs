//! Statements that go to the database together.
//!
//! Each call of the driver is a change to its thread and one back, which costs more than what most statements do. So
//! what nobody needs a result of is gathered, and the driver is given several statements at a time; what reads, or wants
//! to know what it changed, waits for those before it.

use crate::Result;
use sqlx::sqlite::SqliteArguments;
use sqlx::{Arguments, AssertSqlSafe, Encode, Sqlite, SqliteConnection, Type};

/// Statements in one call at most. The driver keeps what it prepared by the whole text, so that longer ones, of which
/// there are more kinds, would be prepared anew more often.
const TOGETHER: usize = 8;

/// Statements that wait, with what is bound to them, in their order.
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

    /// Adds a statement, whose parameters are all a plain `?`.
    pub(crate) fn add(&mut self, statement: &'static str) -> &mut Self {
        debug_assert!(!statement.contains("?1"), "a number would count from the first of all parameters: {statement}");
        if self.statements > 0 {
            self.sql.push_str("; ");
        }
        self.sql.push_str(statement);
        self.statements += 1;
        self
    }

    /// Binds the next parameter of the statement that was added last.
    pub(crate) fn bind<'v, T: Encode<'v, Sqlite> + Type<Sqlite>>(&mut self, value: T) -> &mut Self {
        if let Err(error) = self.arguments.add(value) {
            self.problem.get_or_insert(sqlx::Error::Encode(error));
        }
        self
    }

    /// Carries out what waits.
    ///
    /// # Errors
    /// Those of the database, from the first statement that fails; those after it are not carried out.
    pub(crate) async fn run(&mut self, connection: &mut SqliteConnection) -> Result<()> {
        let Self { sql, arguments, statements, problem } = std::mem::take(self);
        if let Some(error) = problem {
            return Err(error.into());
        }
        if statements > 0 {
            // It is made of texts of the program alone.
            sqlx::query_with(AssertSqlSafe(sql), arguments).execute(connection).await?;
        }
        Ok(())
    }
}
