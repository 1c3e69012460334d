//! Commands as people type them, done and completed.

use super::Question;
use crate::error::{Failure, Result};
use crate::wording::{ago, who};
use protocol::command::{self, Command, SavedChoice};
use protocol::{
    Code, Commanded, Completions, Error, Reply, Request, SessionAt, SessionGet, SessionList, SessionLoad,
    SessionRevisions, TodoCommand, TodoComplete,
};
use todo::Position;
use todo::text::{SavedList, plain, saved_lists, show};

/// Saved lists that are numbered.
const LISTS: u32 = 50;

/// Revisions that `history` prints.
const REVISIONS: u32 = 20;

/// A command line, understood.
pub(crate) enum CommandLine {
    /// A question, with its answer.
    Answered(Commanded),
    /// A change to be made; [`CommandLine::done`] words its reply.
    Change(Request),
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
        let left = edited.remarks.iter().map(|left| format!("Left: {left}"));
        let lines: Vec<String> = std::iter::once(edited.message.clone()).chain(left).map(|line| plain(&line)).collect();
        Ok(Commanded { output: lines.join("\n"), edited: Some(edited) })
    }
}

impl Question<'_> {
    pub(crate) async fn command(self, ask: &TodoCommand) -> Result<CommandLine> {
        let command = Command::parse(&ask.line)?;
        let session_id = match command {
            // They are about no session.
            Command::Help | Command::List => String::new(),
            _ => self.sessions().named(&ask.session_id).await?.row.session_id,
        };
        let output = match command {
            Command::Help => command::help(),
            Command::Show => show(&self.list(&session_id).await?.todos),
            Command::List => self.lists().await?,
            Command::History(position) => self.history(&session_id, position.as_deref()).await?,
            Command::Load(number) => return self.load(session_id, number).await,
            Command::Change(request) => return Ok(CommandLine::Change(request.in_session(&session_id))),
        };
        Ok(CommandLine::Answered(Commanded { output, edited: None }))
    }

    async fn lists(self) -> Result<String> {
        let lists = self.saved().await?;
        let now = self.core.now().as_second();
        let age = |list: &SessionAt| now - list.session.last_activity_at.as_second();
        let lists: Vec<SavedList<'_>> = lists
            .iter()
            .map(|list| {
                let session = &list.session;
                let label = session.label.as_deref().map(|label| format!(" · {}", todo::short(label)));
                let whose = format!("{}{}", session.agent.name, label.unwrap_or_default());
                SavedList { current: session.current, whose, age: age(list), items: &list.todos }
            })
            .collect();
        Ok(saved_lists(&lists))
    }

    async fn load(self, session_id: String, number: usize) -> Result<CommandLine> {
        let page = self.session_list(&SessionList { limit: Some(LISTS), ..SessionList::default() }).await?;
        let Some(chosen) = page.sessions.get(number - 1) else {
            let problem = format!("there is no saved list {number}; /todo list numbers those there are");
            return Err(Failure::refused(Code::SessionNotFound, problem));
        };
        let load = SessionLoad { session_id, from: Some(chosen.session_id.clone()), ..SessionLoad::default() };
        Ok(CommandLine::Change(load.into()))
    }

    pub(crate) async fn complete(self, ask: &TodoComplete) -> Result<Completions> {
        let items = self.list(&ask.session_id).await?.todos;
        let loads =
            matches!(command::complete(&ask.line, &[], &[]).usage, Some(usage) if usage.starts_with("/todo load"));
        let saved = if loads { self.saved().await? } else { Vec::new() };
        let choice = |list: &SessionAt| SavedChoice {
            detail: format!(
                "{}, {} of {}: {}",
                list.session.agent.name,
                list.session.progress.completed,
                list.session.progress.total,
                list.session.title
            ),
        };
        Ok(command::complete(&ask.line, &items, &saved.iter().map(choice).collect::<Vec<_>>()))
    }

    async fn list(self, session_id: &str) -> Result<SessionAt> {
        self.session_get(&SessionGet { session_id: session_id.to_owned(), revision: None }).await
    }

    /// The lists that can be loaded, in the order of their numbers.
    async fn saved(self) -> Result<Vec<SessionAt>> {
        let page = self.session_list(&SessionList { limit: Some(LISTS), ..SessionList::default() }).await?;
        let mut lists = Vec::with_capacity(page.sessions.len());
        for session in page.sessions {
            lists.push(self.list(&session.session_id).await?);
        }
        Ok(lists)
    }

    /// The changes of the list, or of one item of it, newest first.
    async fn history(self, session_id: &str, position: Option<&str>) -> Result<String> {
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
        let lines = revisions.iter().map(|revision| {
            let count = |uids: &[String], word: &str| match uids.len() {
                0 => None,
                count => Some(format!("{count} {word}")),
            };
            let changes = [
                count(&revision.added, "added"),
                count(&revision.changed, "changed"),
                count(&revision.removed, "removed"),
            ];
            let mut changes: Vec<String> = changes.into_iter().flatten().collect();
            if changes.is_empty() {
                changes.push("the list as before".to_owned());
            }
            let ago = ago(now.as_second() - revision.at.as_second());
            format!("r{}  {}  {ago}  {}", revision.revision, who(&revision.actor), changes.join(", "))
        });
        let lines: Vec<String> = lines.map(|line| plain(line.trim_end())).collect();
        Ok(if lines.is_empty() { "No revisions yet".to_owned() } else { lines.join("\n") })
    }
}
