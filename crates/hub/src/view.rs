//! What clients see of rows, lists and edits.

use crate::live::Live;
use crate::needs::needs;
use jiff::Timestamp;
use protocol::{
    Actor, ActorKind, AgentInfo, DRIFT_CALLS, EditKind, EditState, EditView, ListState, Progress, SELF_TEST_LABEL,
    Session, SessionState, SessionTodos, Transport,
};
use store::{ActorRow, SessionRow};
use todo::{Edit, EditAction};

/// How long a session that waits for the user stays current; its agent may have gone without a word.
const WAITING_SECONDS: i64 = 24 * 60 * 60;

/// What time it is, and how long an agent may be silent, in seconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    pub(crate) now: Timestamp,
    pub(crate) stale_after: i64,
}

impl Moment {
    pub(crate) fn is_long_ago(self, at: Timestamp) -> bool {
        self.now.as_second() - at.as_second() >= self.stale_after
    }

    /// The oldest that a session can have begun to wait, and be current.
    pub(crate) fn waiting_since(self) -> Timestamp {
        let span = jiff::SignedDuration::from_secs(WAITING_SECONDS);
        self.now.saturating_sub(span).unwrap_or(Timestamp::MIN)
    }
}

/// Whether an agent was heard of lately, or is known to wait.
fn is_there(row: &SessionRow, now: Moment) -> bool {
    let waits = row.state == "waiting" && row.last_activity_at > now.waiting_since();
    waits || !now.is_long_ago(row.last_activity_at)
}

pub(crate) fn is_current(row: &SessionRow, connected: bool, now: Moment) -> bool {
    let is_test = row.label.as_deref().is_some_and(|label| label.starts_with(SELF_TEST_LABEL));
    !is_test && (connected || is_there(row, now))
}

/// Whether a session is on the board without its agent being connected.
pub(crate) fn is_shown(row: &SessionRow, now: Moment) -> bool {
    row.pinned || is_there(row, now)
}

/// What a session's agent is doing, as far as it is known; silence alone makes it stale and nothing else.
pub(crate) fn state(row: &SessionRow, now: Moment) -> SessionState {
    match row.state.as_str() {
        "finished" => SessionState::Finished,
        "failed" => SessionState::Failed,
        "waiting" => SessionState::Waiting,
        _ if now.is_long_ago(row.last_activity_at) => SessionState::Stale,
        "resting" => SessionState::Idle,
        // Of one that has no list yet only hooks and files tell, and they said that it works.
        _ if row.unfinished == 0 && !is_silent(row) => SessionState::Idle,
        _ => SessionState::Running,
    }
}

/// Nothing was heard of its list, neither that there are items nor that there are none.
pub(crate) fn is_silent(row: &SessionRow) -> bool {
    row.revision == 0 && row.list_state != "known-empty"
}

/// Whether an agent goes on while its unfinished list stands still.
pub(crate) fn drifts(row: &SessionRow, now: Moment) -> bool {
    row.calls >= DRIFT_CALLS
        && (row.unfinished > 0 || is_silent(row))
        && matches!(state(row, now), SessionState::Running | SessionState::Waiting)
}

/// Whether the user took it off the board, and nothing was heard of it since.
pub(crate) fn is_dismissed(row: &SessionRow) -> bool {
    row.dismissed_at.is_some_and(|at| at >= row.last_activity_at)
}

/// A session without what only its list tells: its needs.
pub(crate) fn session(row: &SessionRow, connected: bool, now: Moment) -> Session {
    let state = state(row, now);
    Session {
        session_id: row.session_id.clone(),
        label: row.label.clone(),
        parent_session_id: row.parent_session_id.clone(),
        own_tool: row.own_tool.clone(),
        read_only: row.read_only,
        title: row.title.clone(),
        agent: AgentInfo { name: row.agent_name.clone(), version: row.agent_version.clone() },
        folder: row.folder.clone(),
        project: row.project.clone(),
        branch: row.branch.clone(),
        state,
        state_reason: row.state_reason.clone(),
        list_state: list_state(&row.list_state),
        progress: Progress { completed: row.completed, total: row.total, fraction: row.fraction },
        revision: row.revision,
        created_at: row.created_at,
        last_activity_at: row.last_activity_at,
        current: is_current(row, connected, now),
        connected,
        calls_since_list: row.calls,
        drifts: drifts(row, now),
        needs: Vec::new(),
        state_at: if state == SessionState::Stale { row.last_activity_at } else { row.state_at },
        pinned: row.pinned,
        muted: row.muted,
        dismissed: is_dismissed(row),
        deleted_at: row.deleted_at,
        session_key: format!("agent:{}:{}", row.agent_name, row.session_id),
        model: String::new(),
        message_count: row.revision,
    }
}

/// As it is stored.
pub(crate) fn list_state_name(state: ListState) -> &'static str {
    match state {
        ListState::Active => "active",
        ListState::KnownEmpty => "known-empty",
        ListState::NeverCalled => "never-called",
        ListState::ToolOff => "tool-off",
        ListState::Unknown => "unknown",
    }
}

pub(crate) fn list_state(word: &str) -> ListState {
    match word {
        "active" => ListState::Active,
        "known-empty" => ListState::KnownEmpty,
        "never-called" => ListState::NeverCalled,
        "tool-off" => ListState::ToolOff,
        _ => ListState::Unknown,
    }
}

/// A session with what it needs of the user.
pub(crate) fn with_needs(live: &Live, connected: bool, now: Moment) -> Session {
    let mut session = session(&live.row, connected, now);
    if session.current {
        session.needs = needs(live, now);
    }
    session
}

pub(crate) fn with_todos(live: &Live, connected: bool, now: Moment) -> SessionTodos {
    SessionTodos {
        session: with_needs(live, connected, now),
        list_id: live.row.list_id.clone(),
        todos: live.list.items.clone(),
        edits: edits(&live.list.edits),
    }
}

pub(crate) fn edits(edits: &[Edit]) -> Vec<EditView> {
    edits.iter().map(edit).collect()
}

pub(crate) fn edit(edit: &Edit) -> EditView {
    EditView {
        edit_id: edit.id.to_string(),
        kind: match edit.action {
            EditAction::Add { .. } => EditKind::Add,
            EditAction::Delete { .. } => EditKind::Delete,
            EditAction::Clear { .. } => EditKind::Clear,
            EditAction::Set { .. } => EditKind::Set,
            EditAction::Move { .. } => EditKind::Move,
            EditAction::Load { .. } => EditKind::Load,
            EditAction::Note { .. } => EditKind::Note,
        },
        uid: edit.uid().map(|uid| uid.to_string()),
        text: edit.text(),
        detail: edit.detail(),
        state: match edit.state {
            todo::EditState::Queued => EditState::Queued,
            todo::EditState::Delivered => EditState::Delivered,
            todo::EditState::Reflected => EditState::Reflected,
            todo::EditState::Overridden => EditState::Overridden,
            todo::EditState::Ignored => EditState::Ignored,
            todo::EditState::Superseded => EditState::Superseded,
        },
        at: edit.at,
        delivered_at: edit.delivered.as_ref().map(|(at, _)| *at),
        tool_call: edit.delivered.as_ref().and_then(|(_, call)| call.clone()),
        insisted: edit.insisted,
        client: edit.client.clone(),
    }
}

pub(crate) fn transport_name(transport: Transport) -> &'static str {
    match transport {
        Transport::Window => "window",
        Transport::Page => "page",
        Transport::Cli => "cli",
        Transport::Websocket => "websocket",
        Transport::Mcp => "mcp",
        Transport::Hook => "hook",
        Transport::File => "file",
        Transport::Builtin => "builtin",
    }
}

pub(crate) fn actor(row: &ActorRow) -> Actor {
    Actor {
        kind: match row.kind.as_str() {
            "agent" => ActorKind::Agent,
            "subagent" => ActorKind::Subagent,
            _ => ActorKind::User,
        },
        name: row.name.clone(),
        transport: match row.transport.as_str() {
            "window" => Transport::Window,
            "page" => Transport::Page,
            "cli" => Transport::Cli,
            "mcp" => Transport::Mcp,
            "hook" => Transport::Hook,
            "file" => Transport::File,
            "builtin" => Transport::Builtin,
            _ => Transport::Websocket,
        },
    }
}
