//! All sessions as rows of a table, for `sightline watch` and `sightline status`. Knows no terminal.

use crate::words::{sent, span, text as worded, word};
use app::{Desk, Message, Run};
use jiff::Timestamp;
use protocol::{Event, GatewayState, Need, Session, SessionState};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Constraint, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::widgets::{Row, Table, Widget};
use todo::text::plain;
use todo::{Item, short};

/// Columns below which the time is left out, and then the state.
const NARROW: [u16; 2] = [64, 44];

/// Columns of the name of a session.
const NAME: u16 = 32;

/// Levels of subagents that are indented.
const LEVELS: usize = 4;

/// Sessions as the gateway told them, and whether it answers.
#[derive(Default)]
pub(crate) struct Board {
    desk: Desk,
    is_connected: bool,
    /// Sessions beside the newest ones, of which the gateway told.
    left: usize,
}

/// One session in words.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    pub(crate) session_id: String,
    name: String,
    progress: String,
    state: &'static str,
    /// Time since which it is in that state.
    since: Timestamp,
    step: String,
    style: Style,
}

impl Board {
    pub(crate) fn apply(&mut self, message: Message) {
        match &message {
            Message::Snapshot(snapshot) => {
                self.is_connected = true;
                if snapshot.whole {
                    self.left = usize::try_from(snapshot.left).unwrap_or(usize::MAX);
                }
            }
            Message::Event(event) => {
                if let Event::GatewayState(state) = event.event() {
                    self.is_connected = state.state == GatewayState::Connected;
                }
            }
        }
        self.desk.apply(message);
    }

    /// The number of sessions that are too many to be told of.
    pub(crate) fn left(&self) -> usize {
        self.left
    }

    /// The sessions that are shown, as they want attention.
    pub(crate) fn lines(&self) -> Vec<Line> {
        let calls = self.desk.calls();
        let need = |run: &Run<'_>| calls.iter().find(|(session, _)| session.session_id == run.session.session_id);
        self.desk.in_order().iter().map(|(level, run)| line(*level, run, need(run).map(|(_, need)| *need))).collect()
    }

    /// The runs that are shown, in the same order.
    pub(crate) fn runs(&self) -> Vec<Run<'_>> {
        self.desk.in_order().into_iter().map(|(_, run)| run).collect()
    }

    /// The line above the sessions.
    pub(crate) fn heading(&self, lines: &[Line]) -> String {
        if !self.is_connected {
            return word("terminal_no_gateway").to_owned();
        }
        let count = |state: &str| lines.iter().filter(|line| line.state == state).count();
        let sessions = match lines.len() {
            0 => return word("terminal_no_session").to_owned(),
            many if self.left > 0 => {
                let total = many.saturating_add(self.left);
                worded("terminal_newest_of", &[("shown", &many), ("total", &total)])
            }
            many => worded("terminal_sessions", &[("count", &many)]),
        };
        let parts =
            [(count(needs_you()), "terminal_need_you"), (count(state(SessionState::Running)), "terminal_running")];
        let parts = parts.into_iter().filter(|(count, _)| *count > 0);
        std::iter::once(sessions)
            .chain(parts.map(|(count, words)| worded(words, &[("count", &count)])))
            .collect::<Vec<_>>()
            .join(" · ")
    }
}

impl Line {
    /// The line for an output that is no screen.
    pub(crate) fn text(&self) -> String {
        let parts = [self.name.as_str(), self.progress.as_str(), self.state, self.step.as_str()];
        parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ")
    }
}

/// The sessions as a table for so many columns.
pub(crate) fn table(lines: &[Line], width: u16, now: Timestamp) -> Table<'static> {
    let [no_time, no_state] = NARROW.map(|columns| width < columns);
    let kept = move |cells: [String; 5]| {
        let [name, progress, state, since, step] = cells;
        let parts = [(name, true), (progress, true), (state, !no_state), (since, !no_time), (step, true)];
        parts.into_iter().filter(|(_, is_kept)| *is_kept).map(|(part, _)| part).collect::<Vec<_>>()
    };
    let longest = lines.iter().map(|line| console::measure_text_width(&line.name)).max().unwrap_or_default();
    let name = u16::try_from(longest).unwrap_or(NAME).clamp(7, NAME.min((width / 3).max(7)));
    let widths = [(name, true), (8, true), (9, !no_state), (10, !no_time)];
    let widths = widths.into_iter().filter(|(_, is_kept)| *is_kept).map(|(columns, _)| Constraint::Length(columns));
    let widths: Vec<Constraint> = widths.chain([Constraint::Min(1)]).collect();
    let head = ["session", "progress", "state", "since", "step"];
    let head = kept(head.map(|column| word(&format!("terminal_column_{column}")).to_owned()));
    let rows = lines.iter().map(move |line| {
        let since = span(now.as_second() - line.since.as_second());
        let cells = [line.name.clone(), line.progress.clone(), line.state.to_owned(), since, line.step.clone()];
        Row::new(kept(cells)).style(line.style)
    });
    Table::new(rows, widths).header(Row::new(head).style(Style::new().add_modifier(Modifier::BOLD)))
}

/// The table as text, one line for each row, with its head.
pub(crate) fn text(lines: &[Line], width: u16, now: Timestamp) -> String {
    let height = u16::try_from(lines.len() + 1).unwrap_or(u16::MAX);
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    table(lines, width, now).render(buffer.area, &mut buffer);
    let rows = buffer.content.chunks(usize::from(width.max(1)));
    let row = |cells: &[Cell]| {
        let mut row = String::new();
        let mut hidden = 0;
        for cell in cells {
            if hidden == 0 {
                row.push_str(cell.symbol());
            }
            // A wide character hides the cells after it.
            hidden = hidden.max(console::measure_text_width(cell.symbol())).saturating_sub(1);
        }
        row.trim_end().to_owned()
    };
    rows.map(row).collect::<Vec<_>>().join("\n")
}

/// The state of a session that needs the user.
fn needs_you() -> &'static str {
    word("terminal_state_needs_you")
}

fn line(level: usize, run: &Run<'_>, need: Option<&Need>) -> Line {
    let Run { session, list, .. } = run;
    let progress = list.progress;
    let step = match (need, run.step()) {
        (Some(need), _) => needs(need),
        (None, Some(step)) => step.label().to_owned(),
        (None, None) => match &session.state_reason {
            Some(reason) => sent(reason, session.state_reason_text.as_ref()),
            None => session.title.clone(),
        },
    };
    Line {
        session_id: session.session_id.clone(),
        name: plain(&format!("{}{}", "  ".repeat(level.min(LEVELS)), name(run))),
        progress: if progress.total == 0 {
            String::new()
        } else {
            format!("{}/{}", progress.completed, progress.total)
        },
        state: if need.is_some() { needs_you() } else { state(session.state) },
        since: need.map_or(session.state_at, |need| need.since),
        step: plain(&short(&step)),
        style: style(session, need, run.items),
    }
}

fn name(run: &Run<'_>) -> String {
    let Run { session, list, .. } = run;
    let place = session.label.as_deref().or(session.project.as_deref()).unwrap_or(&session.title);
    let own = list.own_tool.as_deref().map(|tool| format!(" · {tool}")).unwrap_or_default();
    let host = session.host.as_deref().map(|host| format!(" · {host}")).unwrap_or_default();
    match place {
        "" => format!("{}{own}{host}", session.agent.name),
        place => format!("{} · {place}{own}{host}", session.agent.name),
    }
}

fn state(state: SessionState) -> &'static str {
    word(match state {
        SessionState::Running => "terminal_state_running",
        SessionState::Waiting => "terminal_state_waiting",
        SessionState::Idle => "terminal_state_idle",
        SessionState::Finished => "terminal_state_finished",
        SessionState::Failed => "terminal_state_failed",
        SessionState::Stale => "terminal_state_stale",
    })
}

fn needs(need: &Need) -> String {
    let kind = need.kind.word();
    let form = if need.text.is_empty() { "" } else { "_for" };
    worded(&format!("terminal_needs_{kind}{form}"), &[("text", &sent(&need.text, need.words.as_ref()))])
}

fn style(session: &Session, need: Option<&Need>, items: &[Item]) -> Style {
    let is_done = !items.is_empty() && items.iter().all(|item| item.status.is_terminal());
    match session.state {
        _ if need.is_some() => Style::new().fg(Color::Yellow),
        SessionState::Failed => Style::new().fg(Color::Red),
        _ if is_done => Style::new().fg(Color::Green),
        SessionState::Running => Style::new().fg(Color::Cyan),
        _ => Style::new().add_modifier(Modifier::DIM),
    }
}
