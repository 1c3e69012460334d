//! Lists on their way between Sightline and ACP's plans, in both directions.

use crate::lines::Output;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use todo::list::flat;
use todo::{Item, Status};
use tokio::sync::watch;

/// Items, and characters of their texts, of an agent's list that are taken: what a list of ours may have.
const ITEMS: usize = 256;
const TEXT_CHARS: usize = 2_000;

/// Characters of other words in it.
const WORD_CHARS: usize = 100;

/// Sessions that are remembered.
const REMEMBERED: usize = 1024;

/// Our lists as plans for the editor, where the agent sends none of its own.
pub(crate) struct Plans {
    editor: Arc<Output>,
    /// Held from the choice of a line until it is written: the newest plan comes last.
    writing: tokio::sync::Mutex<()>,
    shown: Mutex<HashMap<String, Shown>>,
    /// The number of sessions of ours that are known.
    known: watch::Sender<usize>,
}

/// The plan of one session, by the agent's own id.
#[derive(Default)]
struct Shown {
    /// Our id of it.
    session_id: Option<String>,
    /// The agent sent a plan of its own in this turn.
    has_own: bool,
    /// The plan of ours that the editor has.
    line: Option<String>,
    /// The newest revision that is known of our list: an older one may come late.
    revision: u64,
}

impl Plans {
    pub(crate) fn new(editor: Arc<Output>) -> Self {
        Self { editor, writing: Default::default(), shown: Mutex::default(), known: watch::Sender::new(0) }
    }

    /// A turn begins: the agent has sent no plan in it.
    pub(crate) fn turn(&self, own_session: &str) {
        if let Some(shown) = self.shown().get_mut(own_session) {
            shown.has_own = false;
        }
    }

    /// The agent has sent a plan of its own, which the editor has now.
    pub(crate) fn own(&self, own_session: &str) {
        let mut all = self.shown();
        make_room(&mut all);
        let shown = all.entry(own_session.to_owned()).or_default();
        (shown.has_own, shown.line) = (true, None);
        drop(all);
    }

    /// An agent's session is this one of ours; whether that is new.
    pub(crate) fn known_as(&self, own_session: &str, session_id: &str) -> bool {
        let mut shown = self.shown();
        make_room(&mut shown);
        let entry = shown.entry(own_session.to_owned()).or_default();
        let is_new = entry.session_id.as_deref() != Some(session_id);
        if is_new {
            (entry.session_id, entry.revision) = (Some(session_id.to_owned()), 0);
        }
        let count = shown.values().filter(|shown| shown.session_id.is_some()).count();
        drop(shown);
        self.known.send_if_modified(|known| std::mem::replace(known, count) != count);
        is_new
    }

    /// The agent has sent a plan without steps, which took the place of ours: ours comes once more, unless the agent had one
    /// of its own.
    pub(crate) async fn emptied(&self, own_session: &str) {
        let _writing = self.writing.lock().await;
        let line = self.shown().get(own_session).filter(|shown| !shown.has_own).and_then(|shown| shown.line.clone());
        if let Some(line) = line {
            self.add(line).await;
        }
    }

    /// The session has gone.
    pub(crate) fn closed(&self, own_session: &str) {
        self.shown().remove(own_session);
    }

    /// Waits until a session of ours is known.
    pub(crate) async fn any(&self) {
        // It is open as long as this is.
        let _ = self.known.subscribe().wait_for(|known| *known > 0).await;
    }

    /// A list of ours, for the editor where it is to have it. It waits while the editor reads nothing.
    pub(crate) async fn list(&self, session_id: &str, revision: u64, items: &[Item]) {
        let _writing = self.writing.lock().await;
        for line in self.lines(session_id, revision, items) {
            self.add(line).await;
        }
    }

    async fn add(&self, line: String) {
        let editor = self.editor.clone();
        let written = tokio::task::spawn_blocking(move || editor.add(line.as_bytes())).await;
        if !matches!(written, Ok(Ok(()))) {
            tracing::debug!("the editor does not take a plan");
        }
    }

    fn lines(&self, session_id: &str, revision: u64, items: &[Item]) -> Vec<String> {
        let mut lines = Vec::new();
        for (own_session, shown) in self.shown().iter_mut() {
            if shown.session_id.as_deref() != Some(session_id) || revision < shown.revision {
                continue;
            }
            shown.revision = revision;
            if shown.has_own {
                continue;
            }
            // An editor that has no plan needs none without steps.
            if shown.line.is_none() && items.is_empty() {
                continue;
            }
            let line = plan(own_session, items);
            if shown.line.as_deref() != Some(&line) {
                shown.line = Some(line.clone());
                lines.push(line);
            }
        }
        lines
    }

    fn shown(&self) -> MutexGuard<'_, HashMap<String, Shown>> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn make_room(shown: &mut HashMap<String, Shown>) {
    if shown.len() >= REMEMBERED {
        shown.clear();
    }
}

/// The line that makes a list the editor's plan of a session.
fn plan(own_session: &str, items: &[Item]) -> String {
    let entries: Vec<Value> = flat(items).filter_map(|(item, _)| entry(item)).collect();
    let update = json!({ "sessionUpdate": "plan", "entries": entries });
    let params = json!({ "sessionId": own_session, "update": update });
    format!("{}\n", json!({ "jsonrpc": "2.0", "method": "session/update", "params": params }))
}

/// A step as an entry of a plan, which knows three statuses; `None` for one that was given up.
fn entry(item: &Item) -> Option<Value> {
    let status = match item.status {
        Status::Pending | Status::Blocked | Status::Unknown => "pending",
        Status::InProgress => "in_progress",
        Status::Completed | Status::Skipped => "completed",
        Status::Cancelled => return None,
    };
    let priority = item.priority.map_or("medium", todo::Priority::name);
    Some(json!({ "content": item.content, "priority": priority, "status": status }))
}

/// An agent's plan as a list, cut down to what a list may have: nobody can tell the agent to correct it.
pub(crate) fn todos(entries: &[Value]) -> Value {
    let text = |entry: &Value, name: &str, chars: usize| {
        entry.get(name).and_then(Value::as_str).map(|text| text.chars().take(chars).collect::<String>())
    };
    let step = |entry: &Value| {
        let content = text(entry, "content", TEXT_CHARS).filter(|content| !content.trim().is_empty())?;
        let words = ["status", "priority"].map(|name| text(entry, name, WORD_CHARS));
        Some(json!({ "content": content, "status": words[0], "priority": words[1] }))
    };
    entries.iter().filter_map(step).take(ITEMS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_client_protocol::v1::schema::{PlanEntryPriority, PlanEntryStatus, SessionNotification, SessionUpdate};
    use std::io::Write;
    use todo::{Change, Draft, List, Stamp};
    use uuid::Uuid;

    #[derive(Clone, Default)]
    struct Editor(Arc<Mutex<Vec<u8>>>);

    impl Write for Editor {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().expect("nobody panicked").extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    impl Editor {
        /// The contents of the plans since the last look, read in the protocol's own form.
        fn plans(&self) -> Vec<Vec<String>> {
            let bytes = std::mem::take(&mut *self.0.lock().expect("nobody panicked"));
            let lines = String::from_utf8(bytes).expect("text");
            lines.lines().map(|line| entries(line).into_iter().map(|(content, ..)| content).collect()).collect()
        }
    }

    fn entries(line: &str) -> Vec<(String, PlanEntryPriority, PlanEntryStatus)> {
        let message: Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(message["method"], "session/update");
        let told: SessionNotification = serde_json::from_value(message["params"].clone()).expect("its form");
        let SessionUpdate::Plan(plan) = told.update else { panic!("{line}") };
        plan.entries.into_iter().map(|entry| (entry.content, entry.priority, entry.status)).collect()
    }

    fn items(todos: &Value) -> Vec<Item> {
        let drafts = Draft::list(todos).expect("a list");
        let mut uid = Uuid::new_v4;
        let mut stamp = Stamp { now: jiff::Timestamp::UNIX_EPOCH, uid: &mut uid };
        let change = Change::Replace { caller: "agent".to_owned(), drafts };
        todo::apply(&List::default(), change, &mut stamp).expect("it is applied").list.items
    }

    #[test]
    fn a_list_is_a_plan_in_the_protocols_own_form() {
        let items = items(&json!([
            { "content": "Read", "status": "completed", "priority": "high" },
            { "content": "Fix", "status": "in_progress", "subtasks": [{ "content": "Test", "status": "blocked" }] },
            { "content": "Drop", "status": "cancelled" },
            { "content": "Leave", "status": "skipped", "priority": "low" },
            { "content": "Ask", "status": "someday" },
        ]));
        use PlanEntryPriority::{High, Low, Medium};
        use PlanEntryStatus::{Completed, InProgress, Pending};
        let expected = [
            ("Read", High, Completed),
            ("Fix", Medium, InProgress),
            ("Test", Medium, Pending),
            ("Leave", Low, Completed),
            ("Ask", Medium, Pending),
        ];
        let expected: Vec<_> = expected.map(|(text, priority, status)| (text.to_owned(), priority, status)).into();
        assert_eq!(entries(&plan("s", &items)), expected);
    }

    #[tokio::test]
    async fn the_editor_has_our_list_where_the_agent_sent_no_plan_in_this_turn() {
        let editor = Editor::default();
        let plans = Plans::new(Arc::new(Output::new(editor.clone())));
        let one = items(&json!([{ "content": "One" }]));
        let two = items(&json!([{ "content": "Two" }]));
        plans.list("ours", 1, &one).await;
        assert!(editor.plans().is_empty(), "nobody knows whose it is");
        assert!(plans.known_as("s", "ours") && !plans.known_as("s", "ours"));
        plans.any().await;
        plans.list("ours", 2, &[]).await;
        plans.list("other", 3, &one).await;
        assert!(editor.plans().is_empty());
        plans.list("ours", 4, &one).await;
        plans.list("ours", 5, &one).await;
        assert_eq!(editor.plans(), [["One"]], "once");
        plans.emptied("s").await;
        assert_eq!(editor.plans(), [["One"]], "once more");
        plans.own("s");
        plans.list("ours", 6, &two).await;
        plans.emptied("s").await;
        assert!(editor.plans().is_empty(), "the agent has its own plan in this turn");
        plans.turn("s");
        plans.list("ours", 7, &one).await;
        assert_eq!(editor.plans(), [["One"]], "which took the place of ours");
        plans.list("ours", 8, &[]).await;
        assert_eq!(editor.plans(), [Vec::<String>::new()], "it is taken away");
        plans.list("ours", 1, &two).await;
        assert!(editor.plans().is_empty(), "that was long ago");
        plans.closed("s");
        plans.list("ours", 9, &two).await;
        assert!(editor.plans().is_empty());
    }

    #[test]
    fn a_plan_is_a_list_that_ours_may_be() {
        let long = "x".repeat(3_000);
        let mut entries =
            vec![json!({ "content": long, "status": "completed", "priority": "high", "_meta": { "a": 1 } })];
        entries.extend([
            json!({ "content": " " }),
            json!({ "status": "pending" }),
            json!(7),
            json!({ "content": "Bare" }),
        ]);
        entries.extend((0..500).map(|at| json!({ "content": format!("Step {at}"), "status": "new word" })));
        let todos = todos(&entries);
        let items = items(&todos);
        assert_eq!(items.len(), 256);
        assert_eq!((items[0].content.chars().count(), items[0].status), (2_000, Status::Completed));
        assert_eq!((items[1].content.as_str(), items[1].status), ("Bare", Status::Pending));
    }
}
