//! Why something came to nothing: the fault of who asked, or of the database.

use protocol::{Code, Error};

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
    pub(crate) fn refused(code: Code, message: impl Into<String>) -> Self {
        Self::Refused(Error::new(code, message.into()))
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
    let message = if error.is_damage() {
        "a part of the database cannot be read: it is damaged. Start Sightline anew: what can be read is then taken over \
         into a new one"
            .to_owned()
    } else if matches!(error, store::Error::Replaced(_)) {
        format!("nothing was changed: {error}")
    } else {
        format!("nothing was changed: {error}. {}", error.advice())
    };
    Error::new(Code::Storage, message)
}
