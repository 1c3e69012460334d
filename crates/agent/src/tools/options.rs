//! Time limits of tool servers, and the environment that they are given.

use crate::model::keys::Environment;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Clone)]
pub struct Options {
    /// Looks up `${NAME}`. Servers get a few usual variables of it, and those that they name.
    pub environment: Environment,
    /// Our data folder, which no confined server sees.
    pub data_folder: PathBuf,
    /// Time limit until a server is ready.
    pub start: Duration,
    /// The same for a server that was not ready in time before, and for a server that names its tools again after a change.
    pub again: Duration,
    /// Time limit for a call.
    pub call: Duration,
}

impl Options {
    /// 30 seconds to start, since the first start may install the server; 15 if that was too little; ten minutes a call.
    #[must_use]
    pub fn new(environment: Environment, data_folder: &Path) -> Self {
        let (start, again) = (Duration::from_secs(30), Duration::from_secs(15));
        Self { environment, data_folder: data_folder.to_owned(), start, again, call: Duration::from_secs(600) }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("start", &self.start)
            .field("again", &self.again)
            .field("call", &self.call)
            .finish_non_exhaustive()
    }
}
