//! `sightline watch` and `sightline status`: all current sessions, live or as they are.

use crate::board::{self, Board};
use crate::output;
use crate::screen;
use crate::serve::end_signals;
use crate::session::Hub;
use crate::words::text;
use app::Message;
use console::Term;
use futures_util::StreamExt;
use protocol::Transport;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Columns of an output that is no terminal.
const COLUMNS: u16 = 120;

pub(crate) async fn watch(data_dir: &Path, json: bool) -> anyhow::Result<()> {
    let remote = app::remote(data_dir, app::client("sightline watch", Transport::Cli, None), true);
    let mut messages = Box::pin(app::follow(Arc::new(remote)));
    let mut end = Box::pin(end_signals()?);
    if Term::stdout().is_term() && !json {
        return screen::show(messages, end).await;
    }
    let mut told = PrintedLines::default();
    loop {
        tokio::select! {
            signal = &mut end => return signal,
            message = messages.next() => match message {
                None => return Ok(()),
                Some(message) if json => print(&message)?,
                Some(message) => told.tell(message)?,
            },
        }
    }
}

fn print(message: &Message) -> anyhow::Result<()> {
    match message {
        Message::Snapshot(snapshot) => output::json(&protocol::Reply::EventsSubscribe((**snapshot).clone())),
        Message::Event(event) => output::line(&event.json()),
    }
}

/// The sessions as they were printed last, for an output that is no terminal: a line for each that changes.
#[derive(Default)]
struct PrintedLines {
    board: Board,
    lines: HashMap<String, String>,
}

impl PrintedLines {
    fn tell(&mut self, message: Message) -> anyhow::Result<()> {
        self.board.apply(message);
        let mut lines = HashMap::new();
        for line in self.board.lines() {
            let text = line.text();
            if self.lines.get(&line.session_id) != Some(&text) {
                output::line(&text)?;
            }
            lines.insert(line.session_id, text);
        }
        self.lines = lines;
        Ok(())
    }
}

/// Prints all current sessions once, no more lines than fit into the terminal.
pub(crate) async fn status(data_dir: &Path, json: bool) -> anyhow::Result<()> {
    let hub = Hub::open(data_dir).await?;
    let subscribed = hub.backend().subscribe(None).await;
    hub.close().await;
    let snapshot = subscribed?.snapshot;
    let mut board = Board::default();
    board.apply(Message::Snapshot(Box::new(snapshot)));
    if json {
        let sessions: Vec<_> = board
            .runs()
            .iter()
            .map(|run| serde_json::json!({ "session": run.session, "list": run.list.session_id, "todos": run.items }))
            .collect();
        return output::json(&serde_json::json!({ "sessions": sessions }));
    }
    let term = Term::stdout();
    let mut lines = board.lines();
    let heading = board.heading(&lines);
    let (mut width, mut left, count) = (COLUMNS, board.left(), lines.len());
    if term.is_term() {
        let (rows, columns) = term.size();
        width = columns;
        // The heading, the head of the table, a line for those that are left, and the prompt after it.
        let shown = usize::from(rows.saturating_sub(4)).max(1);
        left += lines.len().saturating_sub(shown);
        lines.truncate(shown);
    }
    output::line(&heading)?;
    if !lines.is_empty() {
        output::line(&board::text(&lines, width, app::now()))?;
    }
    if left > 0 {
        output::line(&match board.left() {
            0 => text("terminal_and_more_all", &[("left", &left)]),
            _ => text("terminal_and_more_newest", &[("left", &left), ("shown", &count)]),
        })?;
    }
    Ok(())
}
