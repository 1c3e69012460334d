//! Commands as people type them, done and completed.

use super::question::Question;
use crate::error::{Failure, Result};
use crate::wording::who;
use protocol::command::{self, Command, Pages, SavedChoice};
use protocol::{
    ArchiveLists, Code, Commanded, Completions, Error, Lines, ListEntry, Reply, Request, Session, SessionAt,
    SessionGet, SessionLoad, SessionRevisions, Text, TodoCommand, TodoComplete, say,
};
use std::ops::Range;
use todo::text::{SavedList, ago, plain, saved_lists, show};
use todo::{Item, Position};

/// Lists that are asked for at once on the way to a number.
const AT_ONCE: u32 = 200;

/// Revisions that `history` prints.
const REVISIONS: u32 = 20;

/// A command line, understood.
pub(crate) enum CommandLine {
    /// A question, with its answer.
    Answered(Box<Commanded>),
    /// A change to be made; [`CommandLine::done`] words its reply.
    Change(Box<Request>),
}

impl CommandLine {
    /// The answer to a command whose change was made.
    ///
    /// # Errors
    /// `INTERNAL` for a reply that is not an edit's.
    pub(crate) fn done(reply: Reply) -> protocol::Result<Commanded> {
        let Some(edited) = reply.into_edited() else {
            return Err(Error::new(Code::Internal, "a command gave the answer to another request"));
        };
        let left = edited.remarks.iter().map(|left| say::left(left).english);
        let lines: Vec<String> = std::iter::once(edited.message.clone()).chain(left).map(|line| plain(&line)).collect();
        Ok(Commanded { output: lines.join("\n"), parts: Vec::new(), edited: Some(edited) })
    }
}

impl Question<'_> {
    pub(crate) async fn command(self, ask: &TodoCommand) -> Result<CommandLine> {
        let command = Command::parse(&ask.line)?;
        let session_id = match command {
            // They are about no session.
            Command::Help | Command::List(_) => String::new(),
            // It begins a list.
            Command::Change(ref request) if ask.session_id.is_empty() && matches!(**request, Request::TodoAdd(_)) => {
                String::new()
            }
            _ if ask.session_id.is_empty() => {
                return Err(Failure::refused(Code::SessionNotFound, say::no_session_named()));
            }
            _ => self.sessions().named(&ask.session_id).await?.row.session_id,
        };
        let output = match command {
            Command::Help => command::help(),
            Command::Show => show(&self.list(&session_id).await?.todos),
            Command::List(pages) => self.lists(pages).await?,
            Command::History(position) => self.history(&session_id, position.as_deref()).await?,
            Command::Load(number) => return self.load(session_id, number).await,
            Command::Assign(assignment) => {
                let agents = self.list(&session_id).await?.session.agents;
                return Ok(CommandLine::Change(Box::new(assignment.request(&agents)?.in_session(&session_id))));
            }
            Command::Change(request) => return Ok(CommandLine::Change(Box::new(request.in_session(&session_id)))),
        };
        let Lines { english: output, parts } = output;
        Ok(CommandLine::Answered(Box::new(Commanded { output, parts, edited: None })))
    }

    /// A page of the lists, or all of them, by their numbers.
    async fn lists(self, pages: Pages) -> Result<Lines> {
        let Range { start: skipped, end } = pages.range();
        let all = self.numbered(end.saturating_add(1)).await?;
        let total = all.len();
        pages.check(total)?;
        let page = all.get(skipped.min(total)..end.min(total)).unwrap_or_default();
        let now = self.core.now().as_second();
        let mut lists = Vec::with_capacity(page.len());
        for (at, entry) in page.iter().enumerate() {
            let (session, ended) = (&entry.session, entry.ended.as_ref());
            let time = ended.map_or(session.last_activity_at, |list| list.ended_at);
            lists.push(SavedList {
                number: skipped + at + 1,
                current: session.current && ended.is_none(),
                age: now - time.as_second(),
                whose: whose(session),
                items: self.items_of(entry).await?,
            });
        }
        let (first, last) = (skipped + 1, skipped + page.len());
        let mut shown = saved_lists(&lists);
        if total > end {
            let total = self.total().await?.max(total);
            let next = format!("/todo list {}", last / Pages::LISTS + 1);
            shown.put("\n");
            shown.say(say::lists_range(first, last, total));
            shown.put(" ");
            shown.say(say::lists_next(next, "/todo list --all"));
        } else if skipped > 0 {
            shown.put("\n");
            shown.say(say::lists_range(first, last, total));
        } else if total > Pages::LISTS {
            shown.put("\n");
            shown.say(say::lists_total(total));
        }
        Ok(shown)
    }

    async fn total(self) -> Result<usize> {
        Ok(usize::try_from(self.core.store.total_lists(false).await?).unwrap_or(usize::MAX))
    }

    async fn items_of(self, entry: &ListEntry) -> Result<Vec<Item>> {
        let revision = entry.ended.as_ref().map(|list| list.revision);
        let ask = SessionGet { session_id: entry.session.session_id.clone(), revision };
        match self.session_get(&ask).await {
            // It was deleted meanwhile.
            Err(Failure::Refused(_)) => Ok(Vec::new()),
            found => Ok(found?.todos),
        }
    }

    /// The lists up to a number, in the order of their numbers.
    async fn numbered(self, most: usize) -> Result<Vec<ListEntry>> {
        let (mut lists, mut cursor) = (Vec::new(), None);
        loop {
            let ask = ArchiveLists { cursor, limit: Some(AT_ONCE), ..ArchiveLists::default() };
            let page = self.archive_lists(&ask).await?;
            lists.extend(page.lists);
            cursor = page.next_cursor;
            if cursor.is_none() || lists.len() >= most {
                lists.truncate(most);
                return Ok(lists);
            }
        }
    }

    async fn load(self, session_id: String, number: usize) -> Result<CommandLine> {
        // A number that is far too large is not walked to.
        let mut lists = if number > self.total().await? { Vec::new() } else { self.numbered(number).await? };
        let Some(chosen) = lists.pop().filter(|_| lists.len() + 1 == number) else {
            return Err(Failure::refused(Code::SessionNotFound, say::no_saved_list(number)));
        };
        let revision = chosen.ended.map(|list| list.revision);
        let from = Some(chosen.session.session_id);
        Ok(CommandLine::Change(Box::new(SessionLoad { session_id, from, revision, ..SessionLoad::default() }.into())))
    }

    pub(crate) async fn complete(self, ask: &TodoComplete) -> Result<Completions> {
        let (items, agents) = match ask.session_id.as_str() {
            "" => (Vec::new(), Vec::new()),
            session_id => {
                let list = self.list(session_id).await?;
                (list.todos, list.session.agents)
            }
        };
        let loads =
            matches!(command::complete(&ask.line, &[], &[], &[]).usage, Some(usage) if usage.starts_with("/todo load"));
        let saved = if loads { self.numbered(Pages::LISTS).await? } else { Vec::new() };
        let choice = |list: &ListEntry| {
            let (progress, title) = match &list.ended {
                Some(ended) => (ended.progress, &ended.title),
                None => (list.session.progress, &list.session.title),
            };
            let (agent, title) = (plain(&list.session.agent.name), plain(&todo::short(title)));
            SavedChoice { detail: say::lists_choice(agent, progress.completed, progress.total, title) }
        };
        Ok(command::complete(&ask.line, &items, &saved.iter().map(choice).collect::<Vec<_>>(), &agents))
    }

    async fn list(self, session_id: &str) -> Result<SessionAt> {
        self.session_get(&SessionGet { session_id: session_id.to_owned(), revision: None }).await
    }

    /// The changes of the list, or of one item of it, newest first.
    async fn history(self, session_id: &str, position: Option<&str>) -> Result<Lines> {
        let uid = match position {
            None => None,
            Some(position) => {
                let items = self.list(session_id).await?.todos;
                let slot = Position::parse(position).and_then(|position| position.existing(&items));
                slot?.item(&items).map(|item| item.uid.to_string())
            }
        };
        let ask = SessionRevisions { session_id: session_id.to_owned(), uid, cursor: None, limit: Some(REVISIONS) };
        let revisions = self.session_revisions(&ask).await?.revisions;
        let now = self.core.now();
        let mut lines = Lines::default();
        if revisions.is_empty() {
            lines.say(say::history_none());
        }
        let between = |lines: &mut Lines| lines.put("\n");
        lines.join(&revisions, between, |lines, revision| {
            lines.put(&format!("r{}  ", revision.revision));
            lines.say(who(&revision.actor));
            lines.put("  ");
            lines.say(ago(now.as_second() - revision.at.as_second()));
            lines.put("  ");
            let count = |uids: &[String], words: fn(usize) -> Text| Some(uids.len()).filter(|len| *len > 0).map(words);
            let changes = [
                count(&revision.added, say::history_added),
                count(&revision.changed, say::history_changed),
                count(&revision.removed, say::history_removed),
            ];
            let mut changes: Vec<Text> = changes.into_iter().flatten().collect();
            if changes.is_empty() {
                changes.push(say::history_same());
            }
            lines.join(changes, |lines| lines.say(say::comma()), Lines::say);
        });
        Ok(lines)
    }
}

/// `codex · billing · label`
fn whose(session: &Session) -> String {
    let parts = [Some(&session.agent.name), session.project.as_ref(), session.label.as_ref()];
    parts.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" · ")
}
