//! Logs: one file for each day in the data folder, kept for a week.

use anyhow::Context;
use std::path::Path;
use tracing::Level;
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Number of log files that are kept.
const DAYS: usize = 7;

/// Number of lines that can wait to be written. Their memory is allocated at the start, for which an agent has to wait.
const WAITING: usize = 1_000;

/// Libraries that log whole messages and headers, with keys in them, when everything is logged.
const TALKATIVE: [&str; 8] =
    ["genai", "h2", "hyper", "hyper_util", "reqwest", "rmcp", "tokio_tungstenite", "tungstenite"];

fn is_talkative(target: &str) -> bool {
    let library = target.split_once("::").map_or(target, |(library, _)| library);
    TALKATIVE.contains(&library)
}

/// Starts logging, until the guard is dropped. `SIGHTLINE_LOG` chooses what is logged, as in `info` or `hub=debug`;
/// no choice brings keys into the log.
///
/// # Errors
/// When the folder cannot be written.
pub fn logs(data_dir: &Path, also_to_stderr: bool) -> anyhow::Result<WorkerGuard> {
    let folder = data_dir.join("logs");
    crate::folder::make(&folder)?;
    let file = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("sightline")
        .filename_suffix("log")
        .max_log_files(DAYS)
        .build(&folder)
        .with_context(|| {
            format!(
                "{} cannot be written; see that the folder can be, or name another with --data-dir",
                folder.display()
            )
        })?;
    let (writer, guard) = NonBlockingBuilder::default().buffered_lines_limit(WAITING).finish(file);
    let filter = EnvFilter::try_from_env("SIGHTLINE_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let quiet = filter_fn(|metadata| !is_talkative(metadata.target()) || *metadata.level() <= Level::WARN);
    let stderr =
        also_to_stderr.then(|| tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_target(false));
    let registry = tracing_subscriber::registry()
        .with(filter)
        .with(quiet)
        .with(tracing_subscriber::fmt::layer().with_ansi(false).with_writer(writer))
        .with(stderr);
    registry.try_init()?;
    log_panics();
    Ok(guard)
}

/// Writes panics into the log, where they were and on which way. They are still printed, too.
fn log_panics() {
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let backtrace = std::backtrace::Backtrace::force_capture();
        tracing::error!(thread = std::thread::current().name(), "{panic}\n{backtrace}");
        print(panic);
    }));
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_panic_is_in_the_log_with_its_place_and_its_way() {
        let folder = tempfile::tempdir().expect("a folder");
        let logs = super::logs(folder.path(), false).expect("the log is begun");
        let panicked = std::thread::Builder::new().name("one".to_owned()).spawn(|| panic!("the test's own"));
        panicked.expect("a thread").join().expect_err("it panics");
        // All of it is written by then.
        drop(logs);
        let logs = std::fs::read_dir(folder.path().join("logs")).expect("a folder");
        let log: String =
            logs.map(|log| std::fs::read_to_string(log.expect("a log").path()).expect("a text")).collect();
        assert!(log.contains("ERROR") && log.contains("the test's own"), "{log}");
        assert!(log.contains("thread=\"one\""), "{log}");
        let here = concat!(module_path!(), "::a_panic_is_in_the_log_with_its_place_and_its_way");
        assert!(log.contains("logs.rs:") && log.contains(here), "{log}");
    }
}
