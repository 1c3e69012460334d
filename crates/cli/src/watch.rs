//! `sightline watch`: all current sessions, live.

use crate::{output, rows};
use app::Message;
use console::{Term, style};
use futures_util::StreamExt;
use protocol::{Event, GatewayState, SessionState, SessionTodos, Transport};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use todo::text::plain;
use todo::{Item, Status};

/// The time after which running times are drawn again.
const TICK: Duration = Duration::from_secs(1);

/// The sessions on the screen.
#[derive(Default)]
struct Board {
    sessions: BTreeMap<String, SessionTodos>,
    connected: bool,
}

pub(crate) async fn run(data_dir: &Path, json: bool) -> anyhow::Result<()> {
    let remote = app::remote(data_dir, app::client("sightline watch", Transport::Cli, None), true);
    let mut messages = Box::pin(app::follow(Arc::new(remote)));
    let term = Term::stdout();
    let live = term.is_term() && !json;
    let mut board = Board::default();
    let mut tick = tokio::time::interval(TICK);
    let mut drawn = 0;
    loop {
        tokio::select! {
            message = messages.next() => match message {
                None => return Ok(()),
                Some(message) => {
                    if json {
                        print(&message)?;
                    } else if !live {
                        narrate(&message)?;
                    }
                    board.apply(message);
                }
            },
            _ = tick.tick(), if live => {}
        }
        if live {
            let lines = board.lines(usize::from(term.size().1));
            term.clear_last_lines(drawn)?;
            drawn = lines.len();
            term.write_line(&lines.join("\n"))?;
        }
    }
}

fn print(message: &Message) -> anyhow::Result<()> {
    match message {
        Message::Snapshot(snapshot) => output::json(&protocol::Reply::EventsSubscribe((**snapshot).clone())),
        Message::Event(event) => output::line(&event.json()),
    }
}

/// Prints a line for each change, for an output that is no terminal.
fn narrate(message: &Message) -> anyhow::Result<()> {
    let line = |session: &SessionTodos, items: &[Item]| {
        let active = items.iter().find(|item| item.status == Status::InProgress).map(Item::label).unwrap_or("");
        let progress = session.session.progress;
        plain(&format!("{}  {}/{}  {active}", name(session), progress.completed, progress.total))
    };
    match message {
        Message::Snapshot(snapshot) => {
            snapshot.sessions.iter().try_for_each(|session| output::line(&line(session, &session.todos)))
        }
        Message::Event(event) => match event.event() {
            Event::TodoUpdate(update) => output::line(&line(&update.session, &update.todos)),
            _ => Ok(()),
        },
    }
}

fn name(session: &SessionTodos) -> String {
    let session = &session.session;
    let place = session.project.as_deref().or(session.label.as_deref()).unwrap_or(&session.title);
    let own = session.own_tool.as_deref().map(|tool| format!(" · its own list ({tool})")).unwrap_or_default();
    format!("{} · {place}{own}", session.agent.name)
}

impl Board {
    fn apply(&mut self, message: Message) {
        match message {
            Message::Snapshot(snapshot) => {
                self.connected = true;
                if snapshot.whole {
                    self.sessions.clear();
                }
                for id in &snapshot.deleted {
                    self.sessions.remove(id);
                }
                for session in snapshot.sessions {
                    self.sessions.insert(session.session.session_id.clone(), session);
                }
            }
            Message::Event(event) => match event.event() {
                Event::TodoUpdate(update) => {
                    let session = SessionTodos { todos: update.todos.clone(), ..(*update.session).clone() };
                    self.sessions.insert(update.session_id.clone(), session);
                }
                Event::SessionCreated(session) | Event::SessionUpdated(session) => {
                    self.sessions.insert(session.session.session.session_id.clone(), (*session.session).clone());
                }
                Event::SessionDeleted(deleted) => {
                    self.sessions.remove(&deleted.session_id);
                }
                Event::GatewayState(state) => self.connected = state.state == GatewayState::Connected,
                // Other events are not shown.
                _ => {}
            },
        }
    }

    fn lines(&self, width: usize) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.connected {
            lines.push(style("No gateway answers; trying again").yellow().to_string());
        }
        // A run whose built-in list stands for it is shown as that list.
        let is_shown_as_another = |session: &SessionTodos| {
            session.session.list_session_id.as_ref().is_some_and(|list| self.sessions.contains_key(list))
        };
        let current = self.sessions.values().filter(|session| session.session.current && !is_shown_as_another(session));
        for session in current {
            let progress = session.session.progress;
            let head = plain(&format!("{}  {}/{}", name(session), progress.completed, progress.total));
            lines.push(style(cut(&head, width)).bold().to_string());
            for (at, item) in session.todos.iter().enumerate() {
                lines.push(row(at + 1, item, session.session.state, width));
            }
        }
        if lines.is_empty() {
            lines.push("No session is current. An agent's first todo_write appears here.".to_owned());
        }
        lines
    }
}

fn row(position: usize, item: &Item, state: SessionState, width: usize) -> String {
    let since = if item.status == Status::InProgress && state == SessionState::Running {
        format!("  {}", ago(app::now().as_second() - item.status_at.as_second()))
    } else {
        String::new()
    };
    rows::row(position, item, &since, |text| cut(&text, width))
}

fn ago(seconds: i64) -> String {
    match seconds {
        s if s < 60 => format!("{} s", s.max(0)),
        s if s < 3600 => format!("{} min", s / 60),
        s => format!("{} h {} min", s / 3600, s % 3600 / 60),
    }
}

fn cut(text: &str, width: usize) -> String {
    console::truncate_str(text, width.max(20), "…").into_owned()
}
