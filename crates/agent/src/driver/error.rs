//! Errors of models as errors on the wire.

use crate::model::{ErrorKind, ModelError};
use protocol::{Code, Error};

impl From<ModelError> for Error {
    fn from(error: ModelError) -> Self {
        let code = match error.kind {
            ErrorKind::NoKey | ErrorKind::RefusedKey | ErrorKind::NoSuchModel => Code::ProviderNotConfigured,
            _ => Code::AgentError,
        };
        Self { code, message: error.text, text: error.named }
    }
}
