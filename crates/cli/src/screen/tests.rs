//! The screen in a terminal that is made of cells.

use super::{Next, View};
use crate::board;
use app::Message;
use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use protocol::{EventsSnapshot, SessionTodos, Settings};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use serde_json::{Value, json};

/// A run with one of three steps done, which began at that second, with these fields set otherwise.
fn session(id: &str, began: u32, others: &Value) -> SessionTodos {
    let at = format!("2026-11-21T12:{:02}:{:02}Z", began / 60, began % 60);
    let step = |content: &str, status: &str| {
        json!({
            "uid": "019a0000-0000-7000-8000-000000000000", "id": content, "content": content, "status": status,
            "createdAt": at, "statusAt": at,
        })
    };
    let mut session = json!({
        "sessionId": id, "label": id, "title": "About it", "agent": { "name": "codex" }, "state": "running",
        "listState": "active", "progress": { "completed": 1, "total": 3, "fraction": 0.3 }, "revision": 1,
        "createdAt": at, "lastActivityAt": at, "stateAt": at, "current": true, "connected": true,
        "listId": "", "edits": [],
        "todos": [step("Read", "completed"), step(&format!("Fix {id}"), "in_progress"), step("Ship", "pending")],
    });
    for (key, value) in others.as_object().into_iter().flatten() {
        session[key] = value.clone();
    }
    serde_json::from_value(session).expect("a session")
}

fn need(since: &str) -> Value {
    json!({ "needs": [{ "id": since, "kind": "waiting", "since": since, "text": "Run the tests?" }] })
}

fn view(sessions: Vec<SessionTodos>) -> View {
    let mut view = View::default();
    let snapshot = EventsSnapshot {
        cursor: String::new(),
        left: u32::from(sessions.len() == 300) * 12,
        sessions,
        whole: true,
        deleted: Vec::new(),
        settings: Settings::default(),
    };
    view.board.apply(Message::Snapshot(Box::new(snapshot)));
    view
}

/// The picture in a terminal of this size, by lines.
fn drawn(view: &mut View, (columns, rows): (u16, u16)) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).expect("a terminal");
    terminal.draw(|frame| view.draw(frame)).expect("a picture");
    let buffer = terminal.backend().buffer();
    let line = |row: &[ratatui::buffer::Cell]| row.iter().map(|cell| cell.symbol()).collect::<String>();
    buffer.content.chunks(usize::from(columns)).map(|row| line(row).trim_end().to_owned()).collect()
}

fn press(view: &mut View, code: KeyCode) -> Next {
    view.take(&Event::Key(KeyEvent::new(code, KeyModifiers::NONE)))
}

#[test]
fn a_row_says_who_how_far_since_when_and_the_step() {
    let picture = drawn(&mut view(vec![session("api", 0, &json!({}))]), (80, 5));
    assert_eq!(picture[0], "1 session · 1 running");
    let words: Vec<&str> = picture[1].split_whitespace().collect();
    assert_eq!(words, ["SESSION", "PROGRESS", "STATE", "SINCE", "STEP"]);
    assert!(picture[2].starts_with("codex · api ") && picture[2].contains(" 1/3 "), "{picture:?}");
    assert!(picture[2].contains(" Running ") && picture[2].ends_with(" Fix api"), "{picture:?}");
    assert_eq!(picture[4], "q quit · ↑↓ scroll");
}

#[test]
fn those_that_need_the_user_come_first_then_the_youngest_and_subagents_below() {
    let mut view = view(vec![
        session("old", 0, &json!({})),
        session("young", 60, &json!({})),
        session("asks", 10, &need("2026-11-21T12:30:00Z")),
        session("asked-before", 20, &need("2026-11-21T12:20:00Z")),
        session("helper", 70, &json!({ "parentSessionId": "old" })),
        session("gone", 80, &json!({ "current": false })),
        session("one", 1, &json!({ "parentSessionId": "other" })),
        session("other", 2, &json!({ "parentSessionId": "one" })),
    ]);
    let picture = drawn(&mut view, (100, 20));
    let names: Vec<&str> = picture[2..9].iter().map(|line| line[..line.find(" 1/3").unwrap_or(0)].trim_end()).collect();
    let expected = [
        "codex · asked-before",
        "codex · asks",
        "codex · young",
        "codex · old",
        "  codex · helper",
        "codex · other",
        "codex · one",
    ];
    assert_eq!(names, expected);
    assert!(picture[2].contains("Needs you") && picture[2].contains("Waiting for you: Run the tests?"), "{picture:?}");
    assert_eq!(picture[0], "7 sessions · 2 need you · 5 running");
}

#[test]
fn rows_stay_where_they_are_while_sessions_change() {
    let told = |activity: &str| {
        (0..9)
            .map(|at| {
                session(
                    &format!("s{at}"),
                    at,
                    &json!({ "lastActivityAt": if at == 3 { activity } else { "2026-11-21T12:00:00Z" } }),
                )
            })
            .collect()
    };
    let names = |view: &mut View| -> Vec<String> {
        drawn(view, (80, 20)).iter().map(|line| line.chars().take(12).collect()).collect()
    };
    let before = names(&mut view(told("2026-11-21T12:00:00Z")));
    assert_eq!(names(&mut view(told("2026-11-21T13:00:00Z"))), before);
}

#[test]
fn three_hundred_sessions_are_scrolled_through() {
    let mut view = view((0..300).map(|at| session(&format!("s{at}"), at, &json!({}))).collect());
    let picture = drawn(&mut view, (80, 24));
    assert_eq!(
        (picture[0].as_str(), picture[23].as_str()),
        ("the newest 300 of 312 sessions · 300 running", "q quit · ↑↓ scroll · 1-21 of 300")
    );
    for (code, shown) in [
        (KeyCode::PageDown, "22-42"),
        (KeyCode::Down, "23-43"),
        (KeyCode::Up, "22-42"),
        (KeyCode::PageUp, "1-21"),
        (KeyCode::Up, "1-21"),
        (KeyCode::End, "280-300"),
        (KeyCode::Down, "280-300"),
        (KeyCode::Home, "1-21"),
    ] {
        assert_eq!(press(&mut view, code), Next::On);
        assert_eq!(drawn(&mut view, (80, 24))[23], format!("q quit · ↑↓ scroll · {shown} of 300"), "{code:?}");
    }
    press(&mut view, KeyCode::End);
    assert!(!drawn(&mut view, (80, 400))[0].is_empty(), "a terminal that grew shows them all");
    assert_eq!(view.top, 0);
}

#[test]
fn what_ends_it() {
    let mut view = view(Vec::new());
    assert!(drawn(&mut view, (80, 24))[0].starts_with("No session is running."));
    assert_eq!(press(&mut view, KeyCode::Char('q')), Next::End);
    assert_eq!(press(&mut view, KeyCode::Esc), Next::End);
    assert_eq!(press(&mut view, KeyCode::Char('c')), Next::On);
    let interrupt = Event::Key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL));
    assert_eq!(view.take(&interrupt), Next::End);
}

#[test]
fn any_size_and_any_text_is_drawn() {
    let nasty = "\u{1b}[2J\u{202e}日本語\u{200d}😀\u{7}\r\n\u{9b}31m";
    let others = json!({ "label": nasty, "agent": { "name": nasty }, "title": nasty, "todos": [] });
    let mut view = view((0..40).map(|at| session(&format!("s{at}"), at, &others)).collect());
    for columns in (1..70).chain([200]) {
        for rows in [1, 2, 3, 4, 24] {
            let picture = drawn(&mut view, (columns, rows)).concat();
            assert!(!picture.contains(char::is_control), "{columns} by {rows}: {picture:?}");
        }
    }
    assert!(drawn(&mut view, (30, 6))[2].contains("1/3"), "{:?}", drawn(&mut view, (30, 6)));
    let text = board::text(&view.board.lines(), 60, app::now());
    assert!(
        text.lines().count() == 41 && text.contains("日本語") && !text.replace('\n', "").contains(char::is_control)
    );
}
