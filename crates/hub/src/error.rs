//! Why something came to nothing: the fault of who asked, or of the database.

use protocol::{Code, Error, Text, say};

/// Why something came to nothing.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The answer is an error; whatever else is in the batch goes on.
    Refused(Error),
    /// The database failed; a transaction in which it happened is lost.
    Store(store::Error),
}

pub(crate) type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    /// A refusal.
    pub(crate) fn refused(code: Code, text: impl Into<Text>) -> Self {
        Self::Refused(Error::new(code, text))
    }

    /// True if a name meant no session.
    pub(crate) fn is_unknown_session(&self) -> bool {
        matches!(self, Self::Refused(error) if error.code == Code::SessionNotFound)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

impl From<todo::Error> for Failure {
    fn from(error: todo::Error) -> Self {
        Self::Refused(error.into())
    }
}

impl From<store::Error> for Failure {
    fn from(error: store::Error) -> Self {
        Self::Store(error)
    }
}

/// The error that a client gets for one of the database's.
pub(crate) fn of_database(error: &store::Error) -> Error {
    let text = if error.is_damage() {
        say::database_damaged()
    } else if matches!(error, store::Error::Replaced(_)) {
        say::database_failed(error)
    } else {
        say::database_failed(format!("{error}. {}", error.advice()))
    };
    Error::new(Code::Storage, text)
}
