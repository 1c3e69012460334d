//! Programs of others: found by their names, started as each system wants it, and the users they belong to.

mod find;
#[cfg(windows)]
mod peer;
mod start;

pub use find::{file, find};
#[cfg(windows)]
pub use peer::is_of_this_user;
pub use start::{Together, together, without_window};

/// The words of a command line that a user wrote; `None` where its quotes have no end, and where it has no word.
#[must_use]
pub fn words(line: &str) -> Option<Vec<String>> {
    // A path of Windows is written with what quotes elsewhere.
    let line = if cfg!(windows) { line.replace('\\', "/") } else { line.to_owned() };
    shlex::split(&line).filter(|words| !words.is_empty())
}
