//! Rows, lists and edits as clients see them.

use crate::live::Live;
use crate::needs::needs;
use crate::state::{self, Moment, drifts, is_current, is_dismissed};
use crate::wording;
use protocol::{AgentInfo, EditKind, EditState, EditView, EndedList, Session, SessionTodos};
use store::{ListRow, SessionRow};
use todo::{Edit, EditAction, short};

/// A session without what only its list tells: its needs.
pub(crate) fn session(row: &SessionRow, connected: bool, now: Moment) -> Session {
    let state = state::state(row, now);
    Session {
        session_id: row.session_id.clone(),
        label: row.who.label.clone(),
        parent_session_id: row.who.parent_session_id.clone(),
        own_tool: row.who.own_tool.clone(),
        list_session_id: None,
        read_only: row.who.read_only,
        title: row.who.title.clone(),
        agent: AgentInfo { name: row.who.agent_name.clone(), version: row.who.agent_version.clone() },
        folder: row.who.folder.clone(),
        project: row.who.project.clone(),
        branch: row.who.branch.clone(),
        state,
        state_reason: row.life.state_reason.clone(),
        state_reason_text: row.life.state_reason.as_deref().and_then(wording::reason),
        list_state: row.list.state,
        progress: row.list.progress,
        revision: row.list.revision,
        created_at: row.who.created_at,
        last_activity_at: row.life.last_activity_at,
        current: is_current(row, connected, now),
        connected,
        calls_since_list: row.life.calls,
        last_call: None,
        usage: (!row.usage.is_empty()).then(|| (*row.usage).clone()),
        drifts: drifts(row, now),
        needs: Vec::new(),
        state_at: state::state_at(row, state),
        agents: Vec::new(),
        pinned: row.marks.pinned,
        muted: row.marks.muted,
        shared: row.marks.shared,
        dismissed: is_dismissed(row),
        prompts: false,
        tags: row.marks.tags.clone(),
        host: row.who.host.clone(),
        sending: Vec::new(),
        opens: Vec::new(),
        deleted_at: row.marks.deleted_at,
    }
}

/// A session with what it needs of the user.
pub(crate) fn with_needs(live: &Live, connected: bool, now: Moment) -> Session {
    let mut session = session(&live.row, connected, now);
    session.list_session_id = live.standing_list().map(str::to_owned);
    session.agents = live.agents();
    session.sending.clone_from(&live.sending);
    session.opens.clone_from(&live.opens);
    session.prompts = live.prompts && connected;
    session.last_call.clone_from(&live.calls.last);
    if session.current {
        session.needs = needs(live, now);
    }
    session
}

pub(crate) fn with_todos(live: &Live, connected: bool, now: Moment) -> SessionTodos {
    SessionTodos {
        session: with_needs(live, connected, now),
        list_id: live.row.list.id.clone(),
        todos: live.todos(),
        edits: edits(&live.list.edits),
    }
}

/// A list that has ended; `None` for the present one.
pub(crate) fn ended(list: ListRow) -> Option<EndedList> {
    let end = list.end?;
    Some(EndedList {
        list_id: list.list_id,
        title: short(&end.title),
        progress: end.progress,
        first_revision: list.from_rev,
        revision: end.to_rev.saturating_sub(1),
        created_at: list.created_at,
        ended_at: end.at,
        deleted_at: list.deleted_at,
    })
}

pub(crate) fn edits(edits: &[Edit]) -> Vec<EditView> {
    edits.iter().map(edit).collect()
}

pub(crate) fn edit(edit: &Edit) -> EditView {
    let detail = edit.detail();
    EditView {
        edit_id: edit.id.to_string(),
        kind: match edit.action {
            EditAction::Add { .. } => EditKind::Add,
            EditAction::Delete { .. } => EditKind::Delete,
            EditAction::Clear { .. } => EditKind::Clear,
            EditAction::Set { .. } => EditKind::Set,
            EditAction::Move { .. } | EditAction::Level { .. } => EditKind::Move,
            EditAction::Load { .. } => EditKind::Load,
            EditAction::Note { .. } => EditKind::Note,
        },
        uid: edit.uid().map(|uid| uid.to_string()),
        text: edit.text(),
        detail_text: detail.as_deref().and_then(wording::change),
        detail,
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
