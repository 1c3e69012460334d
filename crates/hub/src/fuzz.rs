//! The properties of every import, whatever is in it; `fuzz/` calls them with libFuzzer's inputs.

use crate::exchange::{self, ExportedSession, check};
use jiff::Timestamp;

/// A fuzz target: its name and its function.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: [Target; 1] = [("import", import)];

/// Reads an import: of a session that passes every check the list can be made, and it is exported as it came.
pub fn import(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(sessions) = exchange::read(text) else { return };
    for session in sessions {
        if check::session(&session, Timestamp::MAX).is_err() {
            continue;
        }
        let id = session.session_id.clone();
        let (row, history) = session.rows();
        if todo::check::list(&history.list()).is_err() {
            continue;
        }
        let (revisions, states) = (history.revisions.len(), history.states.len());
        let written = exchange::write(vec![ExportedSession::of(row, history, None)]);
        let written = written.unwrap_or_else(|error| panic!("{error:?}"));
        let mut again = exchange::read(&written).unwrap_or_else(|error| panic!("{error:?} in {written}"));
        assert_eq!(again.len(), 1);
        let again = again.remove(0);
        assert_eq!(check::session(&again, Timestamp::MAX), Ok(()), "{written}");
        let (row, history) = again.rows();
        assert_eq!((row.session_id, history.revisions.len(), history.states.len()), (id, revisions, states));
    }
}
