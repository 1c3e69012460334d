//! Answers about the archive: pages of sessions, search, how much there is, and what it sums up to.

use super::question::Question;
use super::sessions::bad_cursor;
use crate::error::Result;
use crate::live::Live;
use crate::retention::too_old;
use crate::state::Moment;
use crate::tags::tag;
use crate::view;
use jiff::Timestamp;
use protocol::{
    ArchiveInfo, ArchiveInsight, ArchiveLists, ArchiveStatus, HourOfWork, Insight, ListEntry, Lists, SearchHit,
    SearchHits, SessionFilter, SessionList, SessionSearch, SessionState, Sessions, SnippetPart,
};
use session::ReportedState;
use std::collections::HashSet;
use std::sync::Arc;
use store::{Entry, EntryPosition, Filter, Hit, PagePosition};

/// Characters of what was typed that are searched for.
const QUERY: usize = 1_000;

/// Hours that are told at once.
const HOURS: u32 = 20_000;

impl Question<'_> {
    pub(crate) async fn session_list(self, ask: &SessionList) -> Result<Sessions> {
        let now = self.core.moment();
        let limit = limit(ask.limit);
        let after = ask.cursor.as_deref().map(place).transpose()?;
        let current = self.core.board.current(now);
        let known: HashSet<&str> = current.iter().map(|live| live.row.session_id.as_str()).collect();
        let is_filtered = !ask.filter.is_all();
        let mut sessions = Vec::new();
        if after.is_none() && !is_filtered {
            let view = |live: &Arc<Live>| view::with_needs(live, self.core.board.connected(&live.row.session_id), now);
            let has_a_list = |live: &&Arc<Live>| live.standing_list().is_none_or(|list| !known.contains(list));
            sessions.extend(current.iter().filter(has_a_list).map(view));
        }
        let page = self.core.store.sessions(&stored(&ask.filter), after, limit).await?;
        let told = page.sessions.iter().filter(|row| is_filtered || !known.contains(row.session_id.as_str()));
        sessions.extend(told.map(|row| view::session(row, self.core.board.connected(&row.session_id), now)));
        sessions.retain(|session| is_in(session.state, ask.filter.state));
        let next_cursor = page.next.map(|(at, pk)| format!("{}.{pk}", at.as_millisecond()));
        Ok(Sessions { sessions, next_cursor })
    }

    /// A page of lists, which all views go by.
    pub(crate) async fn archive_lists(self, ask: &ArchiveLists) -> Result<Lists> {
        let now = self.core.moment();
        let after = ask.cursor.as_deref().map(list_place).transpose()?;
        let current = self.core.board.current(now);
        let known: HashSet<&str> = current.iter().map(|live| live.row.session_id.as_str()).collect();
        let is_filtered = !ask.filter.is_all();
        let mut lists = Vec::new();
        if after.is_none() && !is_filtered {
            for live in current.iter().filter(|live| live.standing_list().is_none_or(|list| !known.contains(list))) {
                if live.list.items.is_empty() && self.core.store.has_ended_lists(live.row.pk).await? {
                    continue;
                }
                let session = view::with_needs(live, self.core.board.connected(&live.row.session_id), now);
                lists.push(ListEntry { list_id: live.row.list.id.clone(), session, ended: None });
            }
        }
        let page = self.core.store.entries(&stored(&ask.filter), after, limit(ask.limit)).await?;
        let is_told = |entry: &Entry| entry.ended.is_none() && known.contains(entry.session.session_id.as_str());
        let told = page.entries.into_iter().filter(|entry| is_filtered || !is_told(entry));
        lists.extend(told.map(|Entry { session, ended }| {
            let connected = self.core.board.connected(&session.session_id);
            let list_id = ended.as_ref().map_or(&session.list.id, |list| &list.list_id).clone();
            ListEntry { list_id, session: view::session(&session, connected, now), ended: ended.and_then(view::ended) }
        }));
        lists.retain(|list| is_in(list.session.state, ask.filter.state));
        let next_cursor = page.next.map(|(at, list, pk)| format!("{}.{list}.{pk}", at.as_millisecond()));
        Ok(Lists { lists, next_cursor })
    }

    pub(crate) async fn session_search(self, ask: &SessionSearch) -> Result<SearchHits> {
        let now = self.core.moment();
        let after = ask.cursor.as_deref().map(found).transpose()?;
        let query: String = ask.query.chars().take(QUERY).collect();
        let hits = self.core.store.search(&query, &stored(&ask.filter), after, limit(ask.limit)).await?;
        let next_cursor = hits.next.map(|next| match next {
            store::HitPosition::Session(pk) => format!("s{pk}"),
            store::HitPosition::Item(pk) => format!("i{pk}"),
        });
        let results = hits.hits.into_iter().map(|hit| self.search_hit(hit, now));
        let results = results.filter(|hit| is_in(hit.session.state, ask.filter.state)).collect();
        Ok(SearchHits { results, next_cursor })
    }

    fn search_hit(self, hit: Hit, now: Moment) -> SearchHit {
        let connected = self.core.board.connected(&hit.session.session_id);
        SearchHit {
            session_id: hit.session.session_id.clone(),
            revision: hit.revision,
            title: hit.session.who.title.clone(),
            snippet: hit.snippet.iter().map(|(text, _)| text.as_str()).collect(),
            parts: hit.snippet.into_iter().map(|(text, hit)| SnippetPart { text, hit }).collect(),
            uid: hit.uid.map(|uid| uid.to_string()),
            session: view::session(&hit.session, connected, now),
            list_id: hit.ended.as_ref().map_or_else(|| hit.session.list.id.clone(), |list| list.list_id.clone()),
            ended: hit.ended.and_then(view::ended),
        }
    }

    pub(crate) async fn archive_status(self, ask: &ArchiveStatus) -> Result<ArchiveInfo> {
        let store = &self.core.store;
        let size = store.size().await?;
        let (agents, projects) = store.names().await?;
        let kept = ask.with.clone().unwrap_or_else(|| self.core.board.settings().retention());
        let mut due = 0;
        for filter in too_old(&kept, self.core.now()) {
            due += store.count(&filter).await?;
        }
        Ok(ArchiveInfo {
            bytes: size.bytes,
            free_bytes: size.free,
            sessions: store.total(false).await?,
            deleted: store.total(true).await?,
            lists: store.total_lists(false).await?,
            deleted_lists: store.total_lists(true).await?,
            due,
            agents,
            projects,
            tags: store.tags().await?,
        })
    }

    pub(crate) async fn archive_insight(self, ask: &ArchiveInsight) -> Result<Insight> {
        let rows = self.core.store.hours(ask.since, ask.until, HOURS).await?;
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

/// The part of a filter that the store can apply. A session becomes stale by time alone, without a change of its row.
fn stored(filter: &SessionFilter) -> Filter {
    let state = match filter.state {
        Some(SessionState::Finished) => Some(ReportedState::Finished),
        Some(SessionState::Failed) => Some(ReportedState::Failed),
        Some(SessionState::Waiting) => Some(ReportedState::Waiting),
        Some(SessionState::Running | SessionState::Idle | SessionState::Stale) | None => None,
    };
    Filter {
        agent: filter.agent.clone(),
        project: filter.project.clone(),
        // One that cannot be a tag is of no session.
        tag: filter.tag.as_ref().map(|typed| tag(typed).unwrap_or_else(|_| typed.clone())),
        state,
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

fn place(cursor: &str) -> Result<PagePosition> {
    let (at, pk) = cursor.split_once('.').ok_or_else(bad_cursor)?;
    let at = at.parse().ok().and_then(|at| Timestamp::from_millisecond(at).ok()).ok_or_else(bad_cursor)?;
    Ok((at, pk.parse().map_err(|_| bad_cursor())?))
}

fn list_place(cursor: &str) -> Result<EntryPosition> {
    let (at, rows) = cursor.split_once('.').ok_or_else(bad_cursor)?;
    let (list, pk) = rows.split_once('.').ok_or_else(bad_cursor)?;
    let at = at.parse().ok().and_then(|at| Timestamp::from_millisecond(at).ok()).ok_or_else(bad_cursor)?;
    let number = |row: &str| row.parse().map_err(|_| bad_cursor());
    Ok((at, number(list)?, number(pk)?))
}

fn found(cursor: &str) -> Result<store::HitPosition> {
    let number = |pk: &str| pk.parse().map_err(|_| bad_cursor());
    match (cursor.strip_prefix('s'), cursor.strip_prefix('i')) {
        (Some(pk), _) => number(pk).map(store::HitPosition::Session),
        (_, Some(pk)) => number(pk).map(store::HitPosition::Item),
        _ => Err(bad_cursor()),
    }
}
