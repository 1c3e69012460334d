//! Running an agent's program, for a limited time.

use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// The most bytes of an output that are read.
const OUTPUT: u64 = 64 * 1024;

/// The end of a program.
pub(crate) struct Ended {
    /// Its output, standard output before standard error.
    pub(crate) output: String,
    pub(crate) well: bool,
}

/// Runs a command without input. `None` when it takes longer than `limit`, and it is ended then, or cannot be started.
/// Programs that it started in turn may go on, but nothing waits for them.
pub(crate) fn run(command: &mut Command, limit: Duration) -> Option<Ended> {
    programs::without_window(command);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().ok()?;
    let (out, heard) = mpsc::channel();
    let pipes: [Box<dyn Read + Send>; 2] = [Box::new(child.stdout.take()?), Box::new(child.stderr.take()?)];
    for (number, pipe) in pipes.into_iter().enumerate() {
        let out = out.clone();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = pipe.take(OUTPUT).read_to_end(&mut bytes);
            let _ = out.send((number, bytes));
        });
    }
    drop(out);
    let until = Instant::now() + limit;
    let left = || until.saturating_duration_since(Instant::now());
    let parts: Option<Vec<_>> = (0..2).map(|_| heard.recv_timeout(left()).ok()).collect();
    if parts.is_none() {
        let _ = child.kill();
    }
    let (ended, end) = mpsc::channel();
    std::thread::spawn(move || ended.send(child.wait()));
    let mut parts = parts?;
    parts.sort_by_key(|(number, _)| *number);
    let output = parts.iter().map(|(_, bytes)| String::from_utf8_lossy(bytes)).collect();
    let well = end.recv_timeout(left()).ok()?.ok()?.success();
    Some(Ended { output, well })
}
