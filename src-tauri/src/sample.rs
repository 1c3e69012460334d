//! Sessions for tests.

use app::{Desk, Message};
use jiff::{SignedDuration, Timestamp};
use protocol::{
    AgentInfo, EventsSnapshot, ListState, Need, NeedKind, Progress, Session, SessionState, SessionTodos, Settings,
};
use todo::{Item, Status};

/// A time, in seconds after the beginning of the tests.
pub(crate) fn at(seconds: i64) -> Timestamp {
    let start: Timestamp = "2026-11-21T12:00:00Z".parse().expect("a time");
    start + SignedDuration::from_secs(seconds)
}

/// A run whose project is its id, with three of eight steps done.
pub(crate) fn session(id: &str, state: SessionState) -> SessionTodos {
    let session = Session {
        session_id: id.to_owned(),
        label: None,
        parent_session_id: None,
        own_tool: None,
        list_session_id: None,
        read_only: false,
        title: format!("About {id}"),
        agent: AgentInfo { name: "codex".to_owned(), version: None },
        folder: None,
        project: Some(id.to_owned()),
        branch: None,
        state,
        state_reason: None,
        state_reason_text: None,
        list_state: ListState::Active,
        progress: Progress { completed: 3, total: 8, fraction: 0.375 },
        revision: 1,
        created_at: at(0),
        last_activity_at: at(0),
        current: true,
        connected: true,
        calls_since_list: 0,
        last_call: None,
        usage: None,
        prompts: false,
        drifts: false,
        needs: Vec::new(),
        state_at: at(0),
        agents: Vec::new(),
        pinned: false,
        muted: false,
        shared: false,
        dismissed: false,
        tags: Vec::new(),
        host: None,
        sending: Vec::new(),
        opens: Vec::new(),
        deleted_at: None,
    };
    SessionTodos { session, list_id: String::new(), todos: Vec::new(), edits: Vec::new() }
}

/// The same with a complete list.
pub(crate) fn done(mut told: SessionTodos, state: SessionState) -> SessionTodos {
    told.session.progress = Progress { completed: 8, total: 8, fraction: 1.0 };
    told.session.state = state;
    told
}

/// The same with a need since a time.
pub(crate) fn needing(mut told: SessionTodos, kind: NeedKind, since: i64) -> SessionTodos {
    let id = format!("{kind:?}");
    let text = "Run the tests?".to_owned();
    let (uid, edit_id, permission_id, other_session_id) = (None, None, None, None);
    let since = at(since);
    told.session.needs.push(Need { id, kind, since, text, words: None, uid, edit_id, permission_id, other_session_id });
    told
}

/// A step.
pub(crate) fn item(content: &str, active: &str, status: Status, subtasks: Vec<Item>) -> Item {
    let fields = serde_json::json!({
        "uid": "019a0000-0000-7000-8000-000000000000",
        "id": content,
        "content": content,
        "activeForm": active,
        "status": status,
        "createdAt": at(0),
        "statusAt": at(0),
    });
    Item { subtasks, ..serde_json::from_value(fields).expect("an item") }
}

/// A desk that has these sessions.
pub(crate) fn desk(sessions: Vec<SessionTodos>, settings: Settings) -> Desk {
    let mut desk = Desk::default();
    let snapshot =
        EventsSnapshot { cursor: String::new(), sessions, left: 0, whole: true, deleted: Vec::new(), settings };
    desk.apply(Message::Snapshot(Box::new(snapshot)));
    desk
}
