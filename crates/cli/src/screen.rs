//! The screen of `sightline watch`: one table that changes, at a terminal.

use crate::board::{self, Board};
use crate::words::{text, word};
use anyhow::Context;
use app::Message;
use crossterm::event::{Event, EventStream, KeyCode, KeyEventKind, KeyModifiers};
use futures_util::{Stream, StreamExt};
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Color, Modifier, Style};
use ratatui::widgets::{Paragraph, Widget};
use ratatui::{DefaultTerminal, Frame};
use std::time::Duration;
use tokio::time::MissedTickBehavior;

/// The time between two pictures at least.
const PICTURE: Duration = Duration::from_millis(100);

/// Pictures after which running times are drawn again.
const TICKS: u32 = 10;

/// The terminal while the screen is shown; as it was before when this is dropped.
struct Screen(DefaultTerminal);

impl Drop for Screen {
    fn drop(&mut self) {
        ratatui::restore();
    }
}

/// Shows the sessions until a key, a signal or the terminal ends it.
pub(crate) async fn show(
    mut messages: impl Stream<Item = Message> + Unpin,
    mut end: impl Future<Output = anyhow::Result<()>> + Unpin,
) -> anyhow::Result<()> {
    // It restores the terminal at a panic, too.
    let terminal = ratatui::try_init().context(word("terminal_no_screen"))?;
    let mut screen = Screen(terminal);
    let mut keys = EventStream::new();
    let mut pictures = tokio::time::interval(PICTURE);
    pictures.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut view = View::default();
    let mut waited = TICKS;
    loop {
        tokio::select! {
            signal = &mut end => return signal,
            message = messages.next() => match message {
                None => return Ok(()),
                Some(message) => {
                    view.board.apply(message);
                    view.has_changed = true;
                }
            },
            event = keys.next() => match event {
                None => return Ok(()),
                Some(event) => if view.take(&event?) == Next::End { return Ok(()) },
            },
            _ = pictures.tick() => {
                waited += 1;
                if view.has_changed || waited >= TICKS {
                    waited = 0;
                    view.has_changed = false;
                    screen.0.draw(|frame| view.draw(frame))?;
                }
            }
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Next {
    On,
    End,
}

#[derive(Default)]
struct View {
    board: Board,
    /// The first session that is shown.
    top: usize,
    /// The number of sessions in the last picture.
    page: usize,
    has_changed: bool,
}

impl View {
    fn take(&mut self, event: &Event) -> Next {
        self.has_changed = true;
        let Event::Key(key) = event else { return Next::On };
        if key.kind == KeyEventKind::Release {
            return Next::On;
        }
        let page = self.page.max(1);
        self.top = match key.code {
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => return Next::End,
            KeyCode::Char('q') | KeyCode::Esc => return Next::End,
            KeyCode::Down | KeyCode::Char('j') => self.top.saturating_add(1),
            KeyCode::Up | KeyCode::Char('k') => self.top.saturating_sub(1),
            KeyCode::PageDown | KeyCode::Char(' ') => self.top.saturating_add(page),
            KeyCode::PageUp => self.top.saturating_sub(page),
            KeyCode::Home => 0,
            KeyCode::End => usize::MAX,
            _ => self.top,
        };
        Next::On
    }

    fn draw(&mut self, frame: &mut Frame<'_>) {
        let lines = self.board.lines();
        let [heading, table, keys] =
            Layout::vertical([Constraint::Length(1), Constraint::Min(0), Constraint::Length(1)]).areas(frame.area());
        self.page = usize::from(table.height.saturating_sub(1));
        self.top = self.top.min(lines.len().saturating_sub(self.page));
        let shown = lines.get(self.top..).unwrap_or_default();
        let shown = shown.get(..self.page.min(shown.len())).unwrap_or_default();
        let bold = Style::new().add_modifier(Modifier::BOLD);
        let buffer = frame.buffer_mut();
        Paragraph::new(self.board.heading(&lines)).style(bold).render(heading, buffer);
        if !lines.is_empty() {
            board::table(shown, table.width, app::now()).render(table, buffer);
        }
        let range = match lines.len() > shown.len() {
            true => {
                let (first, last) = (self.top + 1, self.top + shown.len());
                let inputs: [(&str, &dyn std::fmt::Display); 3] =
                    [("first", &first), ("last", &last), ("total", &lines.len())];
                format!(" · {}", text("terminal_screen_range", &inputs))
            }
            false => String::new(),
        };
        let hint = format!("{}{range}", word("terminal_screen_keys"));
        Paragraph::new(hint).style(Style::new().fg(Color::DarkGray)).render(keys, buffer);
    }
}

#[cfg(test)]
mod tests;
