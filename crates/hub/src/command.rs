//! Commands as people type them, done and completed.

use crate::Hub;
use crate::resolve::Pending;
use protocol::command::{self, Command, SavedChoice};
use protocol::{
    Actor, ActorKind, Backend, Caller, Code, Commanded, Completions, Error, Reply, Result, SessionAt, SessionGet,
    SessionList, SessionLoad, SessionRevisions, TodoCommand, TodoComplete, Transport,
};
use todo::text::{SavedList, plain, saved_lists, show};
use todo::{Position, short};

/// How many saved lists are numbered.
const LISTS: u32 = 50;

/// How many revisions `history` prints.
const REVISIONS: u32 = 20;

impl Hub {
    pub(crate) async fn command(&self, caller: &Caller, ask: TodoCommand) -> Result<Commanded> {
        let command = Command::parse(&ask.line)?;
        let session_id = match command {
            // They are about no session.
            Command::Help | Command::List => String::new(),
            _ => self.named(&Pending::default(), &ask.session_id).await?.row.session_id,
        };
        let output = |output| Commanded { output, edited: None };
        match command {
            Command::Help => Ok(output(command::help())),
            Command::Show => Ok(output(show(&self.list(caller, &session_id).await?.todos))),
            Command::List => {
                let lists = self.saved(caller).await?;
                let now = self.now().as_second();
                let saved = |list: &SessionAt| now - list.session.last_activity_at.as_second();
                let lists: Vec<SavedList<'_>> = lists
                    .iter()
                    .map(|list| SavedList { current: list.session.current, age: saved(list), items: &list.todos })
                    .collect();
                Ok(output(saved_lists(&lists)))
            }
            Command::History(position) => self.history(caller, &session_id, position.as_deref()).await.map(output),
            Command::Load(number) => {
                let page = self.session_list(SessionList { limit: Some(LISTS), ..SessionList::default() }).await?;
                let Some(chosen) = page.sessions.get(number - 1) else {
                    let problem = format!("there is no saved list {number}; /todo list numbers those there are");
                    return Err(Error::new(Code::SessionNotFound, problem));
                };
                let load = SessionLoad { session_id, from: Some(chosen.session_id.clone()), ..SessionLoad::default() };
                self.call(caller.clone(), load.into()).await.and_then(commanded)
            }
            Command::Change(request) => {
                self.call(caller.clone(), request.in_session(&session_id)).await.and_then(commanded)
            }
        }
    }

    pub(crate) async fn complete(&self, caller: &Caller, ask: TodoComplete) -> Result<Completions> {
        let items = self.list(caller, &ask.session_id).await?.todos;
        let loads =
            matches!(command::complete(&ask.line, &[], &[]).usage, Some(usage) if usage.starts_with("/todo load"));
        let saved = if loads { self.saved(caller).await? } else { Vec::new() };
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

    async fn list(&self, caller: &Caller, session_id: &str) -> Result<SessionAt> {
        self.session_get(caller, SessionGet { session_id: session_id.to_owned(), revision: None }).await
    }

    /// The lists that can be loaded, in the order of their numbers.
    async fn saved(&self, caller: &Caller) -> Result<Vec<SessionAt>> {
        let page = self.session_list(SessionList { limit: Some(LISTS), ..SessionList::default() }).await?;
        let mut lists = Vec::with_capacity(page.sessions.len());
        for session in page.sessions {
            lists.push(self.list(caller, &session.session_id).await?);
        }
        Ok(lists)
    }

    /// Who changed the list, or one item of it, newest first.
    async fn history(&self, caller: &Caller, session_id: &str, position: Option<&str>) -> Result<String> {
        let uid = match position {
            None => None,
            Some(position) => {
                let items = self.list(caller, session_id).await?.todos;
                let slot = Position::parse(position).and_then(|position| position.existing(&items));
                slot.map_err(Error::from)?.item(&items).map(|item| item.uid.to_string())
            }
        };
        let ask = SessionRevisions { session_id: session_id.to_owned(), uid, cursor: None, limit: Some(REVISIONS) };
        let revisions = self.session_revisions(ask).await?.revisions;
        let now = self.now();
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

/// What an edit answers, whichever it was.
fn commanded(reply: Reply) -> Result<Commanded> {
    let Some(edited) = reply.into_edited() else {
        return Err(Error::new(Code::Internal, "a command gave the answer to another request"));
    };
    let left = edited.remarks.iter().map(|left| format!("Left: {left}"));
    let lines: Vec<String> = std::iter::once(edited.message.clone()).chain(left).map(|line| plain(&line)).collect();
    Ok(Commanded { output: lines.join("\n"), edited: Some(edited) })
}

/// An actor and his way in: `codex over MCP`, `you in the window`.
pub(crate) fn who(actor: &Actor) -> String {
    let way = match actor.transport {
        Transport::Window => "in the window",
        Transport::Page => "in the browser",
        Transport::Cli => "in a terminal",
        Transport::Websocket => "over the WebSocket",
        Transport::Mcp => "over MCP",
        Transport::Hook => "by a hook",
        Transport::File => "from a file of its",
        Transport::Builtin => "here",
    };
    let name = match actor.kind {
        ActorKind::Subagent => format!("{} (subagent)", short(&actor.name)),
        ActorKind::Agent | ActorKind::User => short(&actor.name),
    };
    format!("{name} {way}")
}

/// `just now`, `4 minutes ago`
pub(crate) fn ago(seconds: i64) -> String {
    let said = |number: i64, noun: &str| format!("{number} {noun}{} ago", if number == 1 { "" } else { "s" });
    match seconds {
        s if s < 60 => "just now".to_owned(),
        s if s < 3600 => said(s / 60, "minute"),
        s if s < 24 * 3600 => said(s / 3600, "hour"),
        s => said(s / (24 * 3600), "day"),
    }
}
