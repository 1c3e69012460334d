//! A summary of all sessions for the tray and the taskbar: total progress, current steps, and what needs the user.
//! Decides what is shown and in which order, without a tray.

use crate::ring::Ring;
use crate::texts;
use app::{Desk, Run};
use protocol::SessionState;
use std::collections::HashSet;
use todo::Item;

/// The most lines of each kind in a menu.
const LINES: usize = 8;

/// A menu entry that opens a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) session_id: String,
    pub(crate) words: String,
}

/// A summary of all sessions.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Overview {
    /// The progress of all running sessions together, 0 to 1; none while no session runs.
    pub(crate) fraction: Option<f64>,
    /// The number of needs.
    pub(crate) needs: usize,
    /// The summary in words.
    pub(crate) words: String,
    /// Sessions that need the user, the oldest need first.
    pub(crate) needed: Vec<Line>,
    /// The number of those that are not shown.
    pub(crate) needed_more: usize,
    /// Sessions at work, the latest activity first.
    pub(crate) active: Vec<Line>,
    /// The number of those that are not shown.
    pub(crate) active_more: usize,
}

impl Overview {
    pub(crate) fn of(desk: &Desk) -> Self {
        let mut runs = desk.runs();
        runs.sort_by(|Run { session: one, .. }, Run { session: other, .. }| {
            other.last_activity_at.cmp(&one.last_activity_at).then_with(|| one.session_id.cmp(&other.session_id))
        });
        let (mut done, mut all) = (0.0, 0.0);
        let (mut working, mut current) = (0, 0);
        let mut active = Vec::new();
        for run in runs {
            let Run { session, list, .. } = run;
            let is_working = session.state == SessionState::Running;
            if session.parent_session_id.is_none() {
                current += 1;
                working += usize::from(is_working);
            }
            if is_working || session.state == SessionState::Waiting {
                let steps = f64::from(list.progress.total);
                done += list.progress.fraction * steps;
                all += steps;
            }
            if is_working {
                active.push(Line { session_id: session.session_id.clone(), words: doing(&run) });
            }
        }

        let needed = desk.calls();
        let waiting: HashSet<&str> = needed.iter().map(|(session, _)| session.session_id.as_str()).collect();
        let lines = needed.iter().take(LINES).map(|(session, need)| Line {
            session_id: session.session_id.clone(),
            words: texts::needed(session, need.kind, &texts::subject(need)),
        });
        Self {
            fraction: (all > 0.0).then(|| done / all),
            needs: needed.len(),
            words: texts::overview(working, current, waiting.len()),
            needed: lines.collect(),
            needed_more: needed.len().saturating_sub(LINES),
            active_more: active.len().saturating_sub(LINES),
            active: active.into_iter().take(LINES).collect(),
        }
    }

    pub(crate) fn ring(&self) -> Ring {
        Ring::new(self.fraction, self.needs > 0)
    }
}

/// `project · 3/8 · current step`.
fn doing(run: &Run<'_>) -> String {
    let Run { session, list, .. } = run;
    let name = texts::name(session);
    let place = session.project.as_deref().unwrap_or(&name);
    let done = (list.progress.total > 0).then_some((list.progress.completed, list.progress.total));
    texts::active(place, done, &run.step().map_or_else(|| session.title.clone(), said))
}

fn said(item: &Item) -> String {
    item.active_form.clone().filter(|form| !form.trim().is_empty()).unwrap_or_else(|| item.content.clone())
}

#[cfg(test)]
mod tests {
    use super::Overview;
    use crate::sample::{at, desk, item, needing, session};
    use protocol::{NeedKind, Progress, SessionState, SessionTodos, Settings};
    use todo::Status;

    fn overview(sessions: Vec<SessionTodos>) -> Overview {
        Overview::of(&desk(sessions, Settings::default()))
    }

    fn words(lines: &[super::Line]) -> Vec<&str> {
        lines.iter().map(|line| line.words.as_str()).collect()
    }

    #[test]
    fn nothing_runs() {
        let overview = overview(vec![]);
        assert_eq!((overview.fraction, overview.needs, overview.words.as_str()), (None, 0, "Nothing is running"));
    }

    #[test]
    fn the_whole_is_what_runs_by_its_steps() {
        let mut short = session("short", SessionState::Running);
        short.session.progress = Progress { completed: 2, total: 2, fraction: 1.0 };
        let idle = session("idle", SessionState::Idle);
        let waits = needing(session("waits", SessionState::Waiting), NeedKind::Waiting, 5);
        let overview = overview(vec![short, idle, waits]);
        assert_eq!(overview.fraction, Some(5.0 / 10.0), "3 of 8 and 2 of 2");
        assert_eq!(overview.words, "1 of 3 working, 1 needs you");
        assert_eq!(words(&overview.needed), ["Codex · waits: Run the tests?"]);
    }

    #[test]
    fn a_line_says_the_innermost_step_as_the_agent_says_it() {
        let mut run = session("api", SessionState::Running);
        run.todos = vec![
            item("Read", "Reading", Status::Completed, vec![]),
            item("Fix", "Fixing", Status::InProgress, vec![item("Parse", "Parsing", Status::InProgress, vec![])]),
        ];
        let mut later = session("docs", SessionState::Running);
        later.session.last_activity_at = at(60);
        later.todos = vec![item("Write", " ", Status::InProgress, vec![])];
        assert_eq!(words(&overview(vec![run, later]).active), ["docs · 3/8 · Write", "api · 3/8 · Parsing"]);
    }

    #[test]
    fn a_run_without_a_list_of_ours_goes_by_its_agents_own() {
        let mut run = session("api", SessionState::Running);
        run.session.progress = Progress::default();
        run.session.list_session_id = Some("api-own".to_owned());
        let mut own = needing(session("api-own", SessionState::Running), NeedKind::Blocked, 5);
        own.session.parent_session_id = Some("api".to_owned());
        own.session.own_tool = Some("update_plan".to_owned());
        own.todos = vec![item("Fix", "Fixing", Status::InProgress, vec![])];
        let overview = overview(vec![run, own]);
        assert_eq!(words(&overview.active), ["api · 3/8 · Fixing"]);
        assert_eq!(overview.needed[0].session_id, "api", "the run is what is opened");
        assert_eq!(overview.words, "1 of 1 working, 1 needs you");
    }

    #[test]
    fn a_list_of_ours_that_was_cleared_still_stands_for_its_run() {
        let mut run = session("api", SessionState::Idle);
        run.session.progress = Progress::default();
        let mut own = session("api-own", SessionState::Running);
        own.session.parent_session_id = Some("api".to_owned());
        own.session.own_tool = Some("update_plan".to_owned());
        own.todos = vec![item("Fix", "Fixing", Status::InProgress, vec![])];
        let overview = overview(vec![run, own]);
        assert_eq!((words(&overview.active), overview.words.as_str()), (vec![], "0 of 1 working"));
    }

    #[test]
    fn what_was_muted_or_dismissed_is_left_out() {
        let mut muted = needing(session("muted", SessionState::Waiting), NeedKind::Waiting, 5);
        muted.session.muted = true;
        let mut dismissed = session("dismissed", SessionState::Running);
        dismissed.session.dismissed = true;
        let overview = overview(vec![muted, dismissed]);
        assert_eq!((overview.needs, overview.words.as_str()), (0, "0 of 1 working"));
    }

    #[test]
    fn a_menu_has_an_end() {
        let many = (0..30)
            .map(|number| needing(session(&format!("p{number}"), SessionState::Running), NeedKind::Blocked, number))
            .collect();
        let overview = overview(many);
        assert_eq!((overview.needed.len(), overview.needed_more), (8, 22));
        assert_eq!((overview.active.len(), overview.active_more), (8, 22));
        assert_eq!(overview.needed[0].words, "Codex · p0: Blocked: Run the tests?", "longest first");
    }
}
