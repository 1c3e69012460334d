//! Answers about the archive: pages of sessions, search, how much there is, and what it sums up to.

use crate::answer::bad_cursor;
use crate::live::Live;
use crate::view::Moment;
use crate::{Hub, storage, view};
use jiff::Timestamp;
use protocol::{
    ArchiveInfo, ArchiveInsight, ArchiveStatus, Found, FoundIn, HourOfWork, Insight, Result, SessionFilter,
    SessionList, SessionSearch, SessionState, Sessions, SnippetPart,
};
use std::collections::HashSet;
use std::sync::Arc;
use store::{Filter, Hit, Place};

/// Characters of what was typed that are searched for.
const QUERY: usize = 1_000;

/// Hours that are told at once.
const HOURS: u32 = 20_000;

impl Hub {
    pub(crate) async fn session_list(&self, ask: SessionList) -> Result<Sessions> {
        let now = self.moment();
        let limit = limit(ask.limit);
        let after = ask.cursor.as_deref().map(place).transpose()?;
        let current = self.inner.board.current(now);
        let known: HashSet<&str> = current.iter().map(|live| live.row.session_id.as_str()).collect();
        let is_filtered = !ask.filter.is_all();
        let mut sessions = Vec::new();
        if after.is_none() && !is_filtered {
            let view = |live: &Arc<Live>| view::with_needs(live, self.inner.board.connected(&live.row.session_id), now);
            let own = |live: &Arc<Live>| live.row.parent_session_id.clone().filter(|_| live.row.own_tool.is_some());
            let shown_as: HashSet<String> = current.iter().filter_map(own).collect();
            let has_a_list = |live: &&Arc<Live>| live.row.revision > 0 || !shown_as.contains(&live.row.session_id);
            sessions.extend(current.iter().filter(has_a_list).map(view));
        }
        let page = self.inner.store.sessions(&stored(&ask.filter), after, limit).await.map_err(storage)?;
        let told = page.sessions.iter().filter(|row| is_filtered || !known.contains(row.session_id.as_str()));
        sessions.extend(told.map(|row| view::session(row, self.inner.board.connected(&row.session_id), now)));
        sessions.retain(|session| is_in(session.state, ask.filter.state));
        let next_cursor = page.next.map(|(at, pk)| format!("{}.{pk}", at.as_millisecond()));
        Ok(Sessions { sessions, next_cursor })
    }

    pub(crate) async fn session_search(&self, ask: SessionSearch) -> Result<Found> {
        let now = self.moment();
        let after = ask.cursor.as_deref().map(found).transpose()?;
        let query: String = ask.query.chars().take(QUERY).collect();
        let hits = self.inner.store.search(&query, &stored(&ask.filter), after, limit(ask.limit)).await;
        let hits = hits.map_err(storage)?;
        let next_cursor = hits.next.map(|next| match next {
            store::Found::Session(pk) => format!("s{pk}"),
            store::Found::Item(pk) => format!("i{pk}"),
        });
        let results = hits.hits.into_iter().map(|hit| self.found_in(hit, now));
        let results = results.filter(|hit| is_in(hit.session.state, ask.filter.state)).collect();
        Ok(Found { results, next_cursor })
    }

    fn found_in(&self, hit: Hit, now: Moment) -> FoundIn {
        let connected = self.inner.board.connected(&hit.session.session_id);
        FoundIn {
            session_id: hit.session.session_id.clone(),
            revision: hit.revision,
            title: hit.session.title.clone(),
            snippet: hit.snippet.iter().map(|(text, _)| text.as_str()).collect(),
            parts: hit.snippet.into_iter().map(|(text, hit)| SnippetPart { text, hit }).collect(),
            uid: hit.uid.map(|uid| uid.to_string()),
            session: view::session(&hit.session, connected, now),
        }
    }

    pub(crate) async fn archive_status(&self, ask: ArchiveStatus) -> Result<ArchiveInfo> {
        let store = &self.inner.store;
        let size = store.size().await.map_err(storage)?;
        let (agents, projects) = store.names().await.map_err(storage)?;
        let kept = ask.with.unwrap_or_else(|| self.settings().retention());
        let mut due = 0;
        for filter in self.too_old(&kept) {
            due += store.count(&filter).await.map_err(storage)?;
        }
        Ok(ArchiveInfo {
            bytes: size.bytes,
            free_bytes: size.free,
            sessions: store.total(false).await.map_err(storage)?,
            deleted: store.total(true).await.map_err(storage)?,
            due,
            agents,
            projects,
        })
    }

    pub(crate) async fn archive_insight(&self, ask: ArchiveInsight) -> Result<Insight> {
        let rows = self.inner.store.hours(ask.since, ask.until, HOURS).await.map_err(storage)?;
        let hours = rows.into_iter().map(|(at, agent, done)| HourOfWork {
            at,
            agent,
            lists: done.lists,
            finished: done.finished,
            skipped: done.skipped,
            reopened: done.reopened,
            worked_ms: done.worked_ms,
            estimated: done.estimated,
            estimated_ms: done.estimated_ms,
            actual_ms: done.actual_ms,
        });
        Ok(Insight { hours: hours.collect() })
    }
}

fn limit(asked: Option<u32>) -> u32 {
    asked.unwrap_or(50).clamp(1, 200)
}

/// What the store can filter by itself. Whether a session is stale is said by the time and not by its row.
fn stored(filter: &SessionFilter) -> Filter {
    let state = match filter.state {
        Some(SessionState::Finished) => Some("finished"),
        Some(SessionState::Failed) => Some("failed"),
        Some(SessionState::Waiting) => Some("waiting"),
        Some(SessionState::Running | SessionState::Idle | SessionState::Stale) | None => None,
    };
    Filter {
        agent: filter.agent.clone(),
        project: filter.project.clone(),
        state: state.map(str::to_owned),
        unfinished: filter.unfinished,
        since: filter.since,
        until: filter.until,
        deleted: filter.deleted,
        ..Filter::default()
    }
}

fn is_in(state: SessionState, asked: Option<SessionState>) -> bool {
    asked.is_none_or(|asked| asked == state)
}

fn place(cursor: &str) -> Result<Place> {
    let (at, pk) = cursor.split_once('.').ok_or_else(bad_cursor)?;
    let at = at.parse().ok().and_then(|at| Timestamp::from_millisecond(at).ok()).ok_or_else(bad_cursor)?;
    Ok((at, pk.parse().map_err(|_| bad_cursor())?))
}

fn found(cursor: &str) -> Result<store::Found> {
    let number = |pk: &str| pk.parse().map_err(|_| bad_cursor());
    match (cursor.strip_prefix('s'), cursor.strip_prefix('i')) {
        (Some(pk), _) => number(pk).map(store::Found::Session),
        (_, Some(pk)) => number(pk).map(store::Found::Item),
        _ => Err(bad_cursor()),
    }
}
