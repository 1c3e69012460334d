//! Programs of others: found by their names, and started as each system wants it.

mod find;
mod start;

pub use find::find;
pub use start::{together, without_window};

/// The words of a command line that a user wrote; `None` where its quotes have no end, and where it has no word.
#[must_use]
pub fn words(line: &str) -> Option<Vec<String>> {
    // A path of Windows is written with what quotes elsewhere.
    let line = if cfg!(windows) { line.replace('\\', "/") } else { line.to_owned() };
    shlex::split(&line).filter(|words| !words.is_empty())
}
