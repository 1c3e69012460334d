//! A connection to the hub, and the session that a command is about.

use crate::words::{text, word};
use app::Opened;
use protocol::{Ask, Backend, Caller, Code, Reply, Request, Session, SessionGet, SessionList, Transport};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

/// The client id of all terminals, so that `sightline todo undo` takes back the edit of the last command.
const TERMINALS: &str = "cli";

/// A connection to the hub for one command.
pub(crate) struct Hub {
    opened: Opened,
    backend: Arc<dyn Backend>,
    caller: Caller,
}

impl Hub {
    pub(crate) async fn open(data_dir: &Path) -> anyhow::Result<Self> {
        Self::open_for(data_dir, Transport::Cli).await
    }

    /// A connection for requests that are not a person's.
    pub(crate) async fn open_for(data_dir: &Path, transport: Transport) -> anyhow::Result<Self> {
        let client = app::client("sightline", transport, Some(TERMINALS.to_owned()));
        let opened = app::open(data_dir, client).await?;
        let backend = opened.backend();
        Ok(Self { opened, backend, caller: Caller::user(Transport::Cli, TERMINALS) })
    }

    pub(crate) fn backend(&self) -> &dyn Backend {
        &*self.backend
    }

    pub(crate) async fn ask<A: Ask>(&self, request: A) -> anyhow::Result<A::Answer> {
        A::answer(self.reply(request.into()).await?).ok_or_else(other_version)
    }

    pub(crate) async fn reply(&self, request: Request) -> anyhow::Result<Reply> {
        Ok(self.backend.call(self.caller.clone(), request).await?)
    }

    pub(crate) async fn close(self) {
        self.opened.stop().await;
    }

    /// The session that was named, or the one current session.
    pub(crate) async fn session(&self, named: Option<&str>) -> anyhow::Result<Session> {
        if let Some(name) = named {
            return Ok(self.ask(SessionGet { session_id: name.to_owned(), revision: None }).await?.session);
        }
        let mut current: Vec<Session> =
            self.ask(SessionList::default()).await?.sessions.into_iter().filter(|session| session.current).collect();
        // Where a run has a list of ours, that one counts, and not its agent's built-in list.
        let runs: HashSet<String> = current.iter().map(|session| session.session_id.clone()).collect();
        let is_beside = |session: &Session| session.parent_session_id.as_ref().is_some_and(|run| runs.contains(run));
        current.retain(|session| session.own_tool.is_none() || !is_beside(session));
        match (current.pop(), current.is_empty()) {
            (Some(session), true) => Ok(session),
            (Some(last), false) => {
                current.push(last);
                let names: Vec<String> = current.iter().map(describe).collect();
                anyhow::bail!("{}\n{}", text("terminal_several_current", &[("count", &names.len())]), names.join("\n"))
            }
            (None, _) => {
                anyhow::bail!(protocol::Error::new(Code::SessionNotFound, word("terminal_none_current")))
            }
        }
    }
}

pub(crate) fn other_version() -> anyhow::Error {
    anyhow::anyhow!(word("terminal_other_answer"))
}

/// A session as one line.
pub(crate) fn describe(session: &Session) -> String {
    let label = session.label.as_deref().map(|label| format!(" ({label})")).unwrap_or_default();
    let own = session
        .own_tool
        .as_deref()
        .map(|tool| format!(" {}", text("terminal_own_list_of", &[("tool", &tool)])))
        .unwrap_or_default();
    let project = session.project.as_deref().map(|project| format!(" · {project}")).unwrap_or_default();
    let host = session.host.as_deref().map(|host| format!(" · {host}")).unwrap_or_default();
    todo::text::plain(&format!(
        "  {}{label}  {}{own}{project}{host}  {}/{}  {}",
        session.session_id, session.agent.name, session.progress.completed, session.progress.total, session.title
    ))
}
