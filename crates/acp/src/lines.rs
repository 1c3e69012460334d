//! Bytes on their way from one side to the other, passed on line by line as they came.

use memchr::{memchr, memchr_iter, memrchr};
use std::io::{BufRead, BufReader, ErrorKind, Read, Result, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Bytes read at once.
const CHUNK: usize = 64 * 1024;

/// The longest line that is held back until it is whole, and looked at. Of a longer one the bytes are passed on as they
/// come, and nobody looks.
pub(crate) const HELD: usize = 1024 * 1024;

/// One side's input. What goes there are the bytes of the other side, and between two lines of theirs a line of ours.
pub(crate) struct Output(Mutex<State>);

struct State {
    to: Box<dyn Write + Send>,
    /// Part of a line was written, and the rest of it is to come.
    is_amid_line: bool,
    /// Lines of ours that wait for its end.
    waiting: Vec<u8>,
}

impl Output {
    pub(crate) fn new(to: impl Write + Send + 'static) -> Self {
        Self(Mutex::new(State { to: Box::new(to), is_amid_line: false, waiting: Vec::new() }))
    }

    /// Passes bytes on.
    fn pass(&self, bytes: &[u8]) -> Result<()> {
        self.state().pass(bytes)
    }

    /// Adds a line of ours, at the end of the line that is under way.
    pub(crate) fn add(&self, line: &[u8]) -> Result<()> {
        let mut state = self.state();
        if state.is_amid_line {
            state.waiting.extend_from_slice(line);
            return Ok(());
        }
        state.to.write_all(line)?;
        state.to.flush()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn pass(&mut self, bytes: &[u8]) -> Result<()> {
        let Some(last) = bytes.last() else { return Ok(()) };
        let mut rest = bytes;
        if !self.waiting.is_empty()
            && let Some(end) = memchr(b'\n', bytes)
        {
            let waiting = std::mem::take(&mut self.waiting);
            self.to.write_all(&bytes[..=end])?;
            self.to.write_all(&waiting)?;
            rest = &bytes[end + 1..];
        }
        self.to.write_all(rest)?;
        self.is_amid_line = *last != b'\n';
        self.to.flush()
    }
}

/// Looks at the lines on their way. What it does wrong, a panic included, changes nothing of what is passed on.
pub(crate) trait Watcher {
    /// Another line in the place of one; nothing for one that is not passed on.
    fn instead(&mut self, line: &[u8]) -> Option<Vec<u8>>;

    /// Lines as they came, before they are passed on: an answer to them comes later, and so does a line of ours. It must not
    /// wait for the other side's input, which nothing is added to meanwhile.
    fn look(&mut self, lines: &[u8]);
}

/// Passes everything on until there is no more, or nobody takes it.
///
/// # Errors
/// When it cannot be read, or cannot be passed on.
pub(crate) fn pass(from: impl Read, to: &Output, watcher: &mut dyn Watcher) -> Result<()> {
    let mut from = BufReader::with_capacity(CHUNK, from);
    // The beginning of a line that is not whole yet.
    let mut part: Vec<u8> = Vec::new();
    let mut is_too_long = false;
    loop {
        let bytes = match from.fill_buf() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => {
                to.pass(&part)?;
                return Err(error);
            }
        };
        let count = bytes.len();
        if count == 0 {
            return to.pass(&part);
        }
        let (mut lines, rest) = bytes.split_at(memrchr(b'\n', bytes).map_or(0, |at| at + 1));
        if let Some(end) = memchr(b'\n', lines)
            && (is_too_long || !part.is_empty())
        {
            let (first, others) = lines.split_at(end + 1);
            part.extend_from_slice(first);
            if is_too_long {
                to.pass(&part)?
            } else {
                whole(&part, to, watcher)?
            }
            part.clear();
            (lines, is_too_long) = (others, false);
        }
        whole(lines, to, watcher)?;
        part.extend_from_slice(rest);
        if is_too_long || part.len() > HELD {
            to.pass(&part)?;
            part.clear();
            is_too_long = true;
        }
        from.consume(count);
    }
}

/// Passes whole lines on, in as few writes as may be.
fn whole(lines: &[u8], to: &Output, watcher: &mut dyn Watcher) -> Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    let mut changed = Vec::new();
    let mut begin = 0;
    for end in memchr_iter(b'\n', lines).map(|at| at + 1) {
        let instead = catch_unwind(AssertUnwindSafe(|| watcher.instead(&lines[begin..end])));
        if let Ok(Some(other)) = instead {
            changed.push((begin..end, other));
        }
        begin = end;
    }
    // Whoever adds a line because of these waits until they are passed on.
    let mut to = to.state();
    // A panic was said by its own message.
    let _ = catch_unwind(AssertUnwindSafe(|| watcher.look(lines)));
    let mut from = 0;
    for (place, other) in changed {
        to.pass(&lines[from..place.start])?;
        to.pass(&other)?;
        from = place.end;
    }
    to.pass(&lines[from..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// A reader's bytes, a few at a time.
    struct Pieces(Vec<Vec<u8>>);

    impl Read for Pieces {
        fn read(&mut self, into: &mut [u8]) -> Result<usize> {
            if self.0.is_empty() {
                return Ok(0);
            }
            let piece = self.0.remove(0);
            into[..piece.len()].copy_from_slice(&piece);
            Ok(piece.len())
        }
    }

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> Result<usize> {
            self.0.lock().expect("nobody panicked").extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> Result<()> {
            Ok(())
        }
    }

    /// Keeps what it sees, turns `change` into `changed`, and panics at `panic`.
    #[derive(Default)]
    struct Seen(Vec<u8>);

    impl Watcher for Seen {
        fn instead(&mut self, line: &[u8]) -> Option<Vec<u8>> {
            assert_ne!(line, b"panic\n");
            (line == b"change\n").then(|| b"changed\n".to_vec())
        }

        fn look(&mut self, lines: &[u8]) {
            assert!(!lines.starts_with(b"panic"));
            self.0.extend_from_slice(lines);
        }
    }

    fn passed(pieces: Vec<Vec<u8>>) -> (Vec<u8>, Vec<u8>) {
        let (written, mut seen) = (Written::default(), Seen::default());
        pass(Pieces(pieces), &Output::new(written.clone()), &mut seen).expect("it can be read and written");
        let out = written.0.lock().expect("nobody panicked").clone();
        (out, seen.0)
    }

    proptest! {
        #[test]
        fn every_byte_is_passed_on(pieces in prop::collection::vec(
            prop::collection::vec(prop_oneof![4 => any::<u8>(), 1 => Just(b'\n')], 1..40), 0..20)) {
            let all: Vec<u8> = pieces.concat();
            let whole_lines = all.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            let (out, seen) = passed(pieces);
            prop_assert_eq!(&out, &all);
            prop_assert_eq!(seen, &all[..whole_lines], "each whole line is seen, once and in order");
        }
    }

    #[test]
    fn a_line_in_the_place_of_another() {
        let (out, seen) = passed(vec![b"one\ncha".to_vec(), b"nge\ntwo\nchange\nthree".to_vec()]);
        assert_eq!(out, b"one\nchanged\ntwo\nchanged\nthree");
        assert_eq!(seen, b"one\nchange\ntwo\nchange\n", "the lines as they came");
    }

    #[test]
    fn after_a_panic_the_bytes_go_on() {
        let (out, seen) = passed(vec![b"panic\n".to_vec(), b"one\n".to_vec()]);
        assert_eq!((out, seen), (b"panic\none\n".to_vec(), b"one\n".to_vec()));
    }

    #[test]
    fn a_line_that_is_too_long_is_not_held_back() {
        let long = vec![b'x'; HELD + 1];
        let mut pieces: Vec<Vec<u8>> = long.chunks(CHUNK).map(<[u8]>::to_vec).collect();
        pieces.extend([b"yy".to_vec(), b"z\nnext\nchange\n".to_vec()]);
        let (out, seen) = passed(pieces);
        assert_eq!(out, [long, b"yyz\nnext\nchanged\n".to_vec()].concat());
        assert_eq!(seen, b"next\nchange\n");
    }

    /// Somebody who adds a line of ours as soon as lines are looked at.
    struct Answered {
        is_looked_at: Arc<AtomicBool>,
        is_added: Arc<AtomicBool>,
    }

    impl Watcher for Answered {
        fn instead(&mut self, _: &[u8]) -> Option<Vec<u8>> {
            None
        }

        fn look(&mut self, _: &[u8]) {
            self.is_looked_at.store(true, Ordering::SeqCst);
            // Time enough for a line to get in before, if it could.
            for _ in 0..10_000 {
                if self.is_added.load(Ordering::SeqCst) {
                    return;
                }
                std::thread::yield_now();
            }
        }
    }

    #[test]
    fn a_line_of_ours_comes_after_those_that_it_is_an_answer_to() {
        let written = Written::default();
        let output = Arc::new(Output::new(written.clone()));
        let (is_looked_at, is_added) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let mut answered = Answered { is_looked_at: is_looked_at.clone(), is_added: is_added.clone() };
        let adds = std::thread::spawn({
            let output = output.clone();
            move || {
                while !is_looked_at.load(Ordering::SeqCst) {
                    std::thread::yield_now();
                }
                output.add(b"ours\n").expect("it is written");
                is_added.store(true, Ordering::SeqCst);
            }
        });
        pass(Pieces(vec![b"theirs\n".to_vec()]), &output, &mut answered).expect("it can be read and written");
        adds.join().expect("it is added");
        assert_eq!(*written.0.lock().expect("nobody panicked"), b"theirs\nours\n");
    }

    #[test]
    fn a_line_of_ours_comes_between_two_of_theirs() {
        let written = Written::default();
        let output = Output::new(written.clone());
        for (bytes, is_ours) in [("one\ntw", false), ("ours\n", true), ("o", false), ("\nthr", false), ("ee\n", false)]
        {
            if is_ours { output.add(bytes.as_bytes()) } else { output.pass(bytes.as_bytes()) }.expect("it is written");
        }
        output.add(b"last\n").expect("it is written");
        assert_eq!(*written.0.lock().expect("nobody panicked"), b"one\ntwo\nours\nthree\nlast\n");
    }
}
