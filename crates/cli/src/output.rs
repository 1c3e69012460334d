//! The output of a command: results on standard output, errors on standard error.

use crate::words::{of_error, word};
use protocol::Code;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

/// An error that is printed without `Error:` before it, such as a usage line.
#[derive(Debug)]
pub(crate) struct Verbatim(pub(crate) String);

impl std::fmt::Display for Verbatim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Verbatim {}

/// Prints one or more lines. Ends the process quietly when the reader, such as `head`, has gone.
pub(crate) fn line(text: &str) -> anyhow::Result<()> {
    put(format_args!("{text}\n"))
}

/// Prints a piece of an agent's answer, without control characters.
pub(crate) fn piece(text: &str) -> anyhow::Result<()> {
    let text = text.split('\n').map(todo::text::plain).collect::<Vec<_>>().join("\n");
    put(format_args!("{text}"))
}

fn put(text: std::fmt::Arguments<'_>) -> anyhow::Result<()> {
    let mut out = anstream::stdout().lock();
    match out.write_fmt(text).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
        other => Ok(other?),
    }
}

/// Prints a line, and goes on when the reader has gone or stopped after the first line.
pub(crate) fn announce(text: &str) {
    let mut out = anstream::stdout().lock();
    if let Err(error) = writeln!(out, "{text}").and_then(|()| out.flush()) {
        tracing::info!(%error, "nobody reads what is printed");
    }
}

/// Prints a line beside the result, on standard error.
pub(crate) fn note(text: &str) {
    anstream::eprintln!("{text}");
}

pub(crate) fn json<T: serde::Serialize>(value: &T) -> anyhow::Result<()> {
    line(&serde_json::to_string(value)?)
}

/// Prints an error and returns the exit code for it. Programs get the protocol's `{code, message, text}`.
pub(crate) fn failed(error: &anyhow::Error, json: bool) -> ExitCode {
    let text = if json {
        let (code, text) = match error.downcast_ref::<protocol::Error>() {
            Some(error) => (error.code, error.text.clone()),
            None if error.is::<Verbatim>() => (Code::Usage, None),
            None => (Code::InvalidMessage, None),
        };
        serde_json::to_string(&protocol::Error { code, message: format!("{error:#}"), text }).unwrap_or_default()
    } else {
        let text = match error.is::<Verbatim>() {
            true => error.to_string(),
            false => format!("{}: {}", word("terminal_error"), of_error(error)),
        };
        // The message may contain text that an agent wrote.
        text.lines().map(todo::text::plain).collect::<Vec<_>>().join("\n")
    };
    // Without a standard error the message is lost.
    let _ = writeln!(anstream::stderr(), "{text}");
    ExitCode::FAILURE
}
