//! The things that a session needs of the user.

use crate::live::Live;
use crate::permissions::subject;
use crate::state::{self, Moment};
use crate::wording;
use jiff::Timestamp;
use protocol::{ListState, Need, NeedKind, SessionState};
use session::DismissedNeed;
use todo::list::flat;
use todo::{Edit, EditAction, EditState, Field, Item, List, Status};

/// Needs of one session that are told, the longest first.
const NEEDS: usize = 50;

/// Characters of a need's text.
const TEXT_CHARS: usize = 300;

/// The needs of a session that the user has not dismissed, longest first. The state of the agent is a need of its run; a
/// built-in list has only the needs of its items.
pub(crate) fn needs(live: &Live, now: Moment) -> Vec<Need> {
    let mut needs: Vec<Need> = of_agent(live, now).into_iter().flatten().collect();
    needs.extend(live.waiting.iter().map(|waiting| {
        let it = &*waiting.permission;
        let id = format!("permission:{}", it.permission_id);
        let need = need(id, NeedKind::Permission, it.asked_at, &subject(it));
        Need { permission_id: Some(it.permission_id.clone()), ..need }
    }));
    needs.extend(live.calls.needs(now));
    let here = |need: Need| Need { since: need.since.saturating_sub(live.ahead).unwrap_or(need.since), ..need };
    needs.extend(flat(&live.list.items).filter_map(|(item, _)| blocked(item, &live.list.edits)).map(here));
    needs.extend(live.list.edits.iter().filter_map(|edit| against(edit, &live.list.items)).map(here));
    let dismissed = |need: &Need| is_dismissed(live, &need.id, now);
    needs.retain(|need| !dismissed(need));
    needs.sort_by(|a, b| (a.since, &a.id).cmp(&(b.since, &b.id)));
    needs.truncate(NEEDS);
    needs
}

fn of_agent(live: &Live, now: Moment) -> [Option<Need>; 5] {
    let row = &live.row;
    let is_run = row.who.own_tool.is_none();
    let agent_state = state::state(row, now);
    // A permission that can be given here says it better.
    let waits = is_run && agent_state == SessionState::Waiting && live.waiting.is_empty();
    let waiting = || {
        let id = format!("waiting:{}", row.life.state_at.as_millisecond());
        need(id, NeedKind::Waiting, row.life.state_at, row.life.state_reason.as_deref().unwrap_or_default())
    };
    let of_end = |kind, word: &str, text: &str| {
        let id = format!("{word}:{}", row.life.state_at.as_millisecond());
        need(id, kind, row.life.state_at, text)
    };
    let failed = || of_end(NeedKind::Failed, "failed", row.life.state_reason.as_deref().unwrap_or_default());
    let left = (is_run && agent_state == SessionState::Finished).then(|| left_open(&live.list)).flatten();
    let unfinished = left.map(|item| Need {
        uid: Some(item.uid.to_string()),
        ..of_end(NeedKind::Unfinished, "unfinished", &item.content)
    });
    // A run that writes its agent's own list only drifts from that one.
    let drifts = state::drifts(row, now) && !(is_run && state::is_silent(row));
    let drift = || {
        let since = row.life.drift_at.unwrap_or(row.life.last_activity_at);
        // A message to the agent settles it, until the list stands still anew.
        (!has_asked(&live.list.edits, since)).then(|| need(drift_id(since), NeedKind::Drift, since, ""))
    };
    let is_off = row.list.state == ListState::ToolOff;
    let is_at_work = matches!(agent_state, SessionState::Running | SessionState::Waiting | SessionState::Idle);
    let tool_off = || need("tool-off".to_owned(), NeedKind::ToolOff, row.who.created_at, "");
    [
        waits.then(waiting),
        (is_run && agent_state == SessionState::Failed).then(failed),
        unfinished,
        drifts.then(drift).flatten(),
        (is_run && is_off && is_at_work && row.who.parent_session_id.is_none()).then(tool_off),
    ]
}

/// The user has said something to a run since a time, and has not taken it back.
pub(crate) fn has_asked(edits: &[Edit], since: Timestamp) -> bool {
    let asks = |edit: &Edit| matches!(edit.action, EditAction::Note { .. }) && edit.at >= since && !edit.undone;
    edits.iter().any(asks)
}

pub(crate) fn drift_id(since: Timestamp) -> String {
    format!("drift:{}", since.as_millisecond())
}

/// True if the user has dismissed a need, for good or until later.
fn is_dismissed(live: &Live, need: &str, now: Moment) -> bool {
    live.row.marks.dismissed_needs.iter().any(|known| known.id == need && known.is_at(now.now))
}

/// Needs that come back or go by the passing of time alone.
pub(crate) fn timed(live: &Live, now: Moment) -> (usize, usize) {
    let is_put_off = |known: &&DismissedNeed| known.until.is_some() && known.is_at(now.now);
    (live.row.marks.dismissed_needs.iter().filter(is_put_off).count(), live.calls.needs(now).count())
}

/// The first step that the user added and that is not done.
fn left_open(list: &List) -> Option<&Item> {
    let adds = |edit: &Edit, item: &Item| {
        matches!(edit.action, EditAction::Add { uid, .. } if uid == item.uid) && !edit.undone && !edit.inverse
    };
    let is_open = |item: &Item| matches!(item.status, Status::Pending | Status::InProgress | Status::Blocked);
    let mut items = flat(&list.items).map(|(item, _)| item);
    items.find(|item| is_open(item) && list.edits.iter().any(|edit| adds(edit, item)))
}

/// True if the user has blocked an item, or has taken back that it is not.
fn is_blocked_by_user(item: &Item, edits: &[Edit]) -> bool {
    let sets = |edit: &Edit| match &edit.action {
        EditAction::Set { items } => items
            .iter()
            .find(|touched| touched.uid == item.uid)
            .is_some_and(|touched| touched.fields.contains(&Field::Status) && touched.to.status == Status::Blocked),
        _ => false,
    };
    let last = edits.iter().rev().find(|edit| sets(edit));
    let stands = |edit: &&Edit| edit.inverse || !matches!(edit.state, EditState::Overridden | EditState::Superseded);
    last.is_some_and(|edit| !edit.undone && stands(&edit))
}

fn blocked(item: &Item, edits: &[Edit]) -> Option<Need> {
    if item.status != Status::Blocked || is_blocked_by_user(item, edits) {
        return None;
    }
    let id = format!("blocked:{}:{}", item.uid, item.status_at.as_millisecond());
    let need = need(id, NeedKind::Blocked, item.status_at, &item.content);
    Some(Need { uid: Some(item.uid.to_string()), ..need })
}

/// The agent went against an edit.
fn against(edit: &Edit, items: &[Item]) -> Option<Need> {
    let kind = match edit.state {
        EditState::Overridden => NeedKind::Overridden,
        EditState::Ignored => NeedKind::Ignored,
        _ => return None,
    };
    let uid = edit.uid();
    // Its item is gone by now, by whom ever: there is nothing to insist on. A removal is about what is to be gone.
    let is_removal = matches!(edit.action, EditAction::Delete { .. } | EditAction::Clear { .. });
    let is_there = |uid| flat(items).any(|(item, _)| item.uid == uid);
    if !is_removal && uid.is_some_and(|uid| !is_there(uid)) && !matches!(edit.action, EditAction::Add { .. }) {
        return None;
    }
    let text = match edit.detail() {
        Some(detail) => wording::changed(edit.text(), detail),
        None => edit.text().into(),
    };
    let id = format!("{}:{}", if kind == NeedKind::Ignored { "ignored" } else { "overridden" }, edit.id);
    let need = need(id, kind, edit.at, &text.english);
    let (uid, edit_id) = (uid.map(|uid| uid.to_string()), Some(edit.id.to_string()));
    Some(Need { words: text.named, uid, edit_id, ..need })
}

fn need(id: String, kind: NeedKind, since: Timestamp, text: &str) -> Need {
    Need {
        id,
        kind,
        since,
        text: text.chars().take(TEXT_CHARS).collect(),
        words: matches!(kind, NeedKind::Waiting | NeedKind::Failed).then(|| wording::reason(text)).flatten(),
        uid: None,
        edit_id: None,
        permission_id: None,
        other_session_id: None,
    }
}
