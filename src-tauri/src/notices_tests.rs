use super::{Moment, Notice, NoticeChange, Notices, SEVERAL, Tone};
use crate::sample::{at, desk, done, needing, session};
use protocol::{NeedKind, SessionState, SessionTodos, Settings};
use rstest::rstest;

const NOON: u32 = 12 * 60;

/// The notices of a test, with the settings and the time at which sessions are looked at.
struct Watch {
    notices: Notices,
    settings: Settings,
    minute: u32,
    seen: Option<&'static str>,
}

impl Watch {
    /// A watch that has seen these sessions before.
    fn over(sessions: Vec<SessionTodos>) -> Self {
        let mut watch = Self { notices: Notices::default(), settings: Settings::default(), minute: NOON, seen: None };
        assert_eq!(watch.look(0, sessions), [], "what was there is not told");
        watch
    }

    fn look(&mut self, seconds: i64, sessions: Vec<SessionTodos>) -> Vec<NoticeChange> {
        let desk = desk(sessions, self.settings.clone());
        self.notices.look(&desk, Moment { now: at(seconds), minute: self.minute, seen: self.seen })
    }

    fn quiet(&mut self, from: &str, to: &str) {
        (self.settings.quiet_from, self.settings.quiet_to) = (from.to_owned(), to.to_owned());
    }
}

fn running(id: &str) -> SessionTodos {
    session(id, SessionState::Running)
}

fn waiting(id: &str, since: i64) -> SessionTodos {
    needing(session(id, SessionState::Waiting), NeedKind::Waiting, since)
}

fn told(changes: Vec<NoticeChange>) -> Vec<Notice> {
    let notice = |change| match change {
        NoticeChange::Show(notice) => Some(notice),
        NoticeChange::Remove(_) => None,
    };
    changes.into_iter().filter_map(notice).collect()
}

fn titles(changes: Vec<NoticeChange>) -> Vec<String> {
    told(changes).into_iter().map(|notice| notice.title).collect()
}

#[test]
fn what_needs_the_user_is_told_once_in_its_words() {
    let mut watch = Watch::over(vec![running("api")]);
    let notices = told(watch.look(1, vec![waiting("api", 1)]));
    let expected = Notice {
        tag: "needs api".to_owned(),
        session_id: Some("api".to_owned()),
        permission_id: None,
        tone: Tone::Waits,
        title: "Codex · api needs you".to_owned(),
        body: "Run the tests?".to_owned(),
    };
    assert_eq!(notices, [expected]);
    assert_eq!(watch.look(60, vec![waiting("api", 1)]), []);
    assert_eq!(titles(watch.look(120, vec![waiting("api", 100)])).len(), 1, "a later one is another one");
}

#[test]
fn what_was_there_at_the_start_is_not_told() {
    let mut watch = Watch::over(vec![waiting("api", 0), done(running("docs"), SessionState::Finished)]);
    assert_eq!(watch.look(60, vec![waiting("api", 0), done(running("docs"), SessionState::Finished)]), []);
}

#[test]
fn what_is_settled_is_taken_back() {
    let mut watch = Watch::over(vec![running("api")]);
    watch.look(1, vec![waiting("api", 1)]);
    assert_eq!(watch.look(2, vec![running("api")]), [NoticeChange::Remove("needs api".to_owned())]);
    assert_eq!(watch.look(3, vec![running("api")]), []);
}

#[test]
fn a_permission_is_urgent() {
    let mut watch = Watch::over(vec![running("api")]);
    let notices = told(watch.look(1, vec![needing(session("api", SessionState::Waiting), NeedKind::Permission, 1)]));
    assert_eq!((notices[0].tone, notices[0].body.as_str()), (Tone::Waits, "Asks for permission: Run the tests?"));
}

#[test]
fn only_a_permission_alone_is_answered_by_a_button() {
    let asks = |mut told: SessionTodos, id: &str, since| {
        told = needing(told, NeedKind::Permission, since);
        let need = told.session.needs.last_mut().expect("a need");
        (need.id, need.permission_id) = (id.to_owned(), Some(id.to_owned()));
        told
    };
    let mut watch = Watch::over(vec![running("api"), running("docs")]);
    let one = asks(running("api"), "p-1", 1);
    let two = asks(asks(running("docs"), "p-2", 1), "p-3", 1);
    let ids: Vec<_> = told(watch.look(1, vec![one, two])).into_iter().map(|it| it.permission_id).collect();
    assert!(ids.contains(&Some("p-1".to_owned())) && ids.contains(&None) && ids.len() == 2, "{ids:?}");
}

#[test]
fn what_is_needed_besides_does_not_keep_it() {
    let besides = || needing(running("api"), NeedKind::Drift, 0);
    let mut watch = Watch::over(vec![besides()]);
    watch.look(1, vec![needing(besides(), NeedKind::Waiting, 1)]);
    assert_eq!(watch.look(2, vec![besides()]), [NoticeChange::Remove("needs api".to_owned())]);
}

#[rstest]
#[case(NeedKind::Blocked, "Blocked: Run the tests?")]
#[case(NeedKind::Overridden, "Overrode your edit: Run the tests?")]
#[case(NeedKind::Drift, "List may be out of date: Run the tests?")]
#[case(NeedKind::Overlap, "Another session changes the same file: Run the tests?")]
#[case(NeedKind::Unfinished, "Finished without your step: Run the tests?")]
fn only_an_agent_that_stands_still_is_urgent(#[case] kind: NeedKind, #[case] body: &str) {
    let mut watch = Watch::over(vec![running("api")]);
    let notices = told(watch.look(1, vec![needing(running("api"), kind, 1)]));
    assert_eq!((notices[0].tone, notices[0].body.as_str()), (Tone::Needs, body));
}

#[test]
fn an_agent_that_stands_still_is_told_first() {
    let mut watch = Watch::over(vec![running("api")]);
    let both = needing(needing(session("api", SessionState::Waiting), NeedKind::Blocked, 1), NeedKind::Waiting, 2);
    let notices = told(watch.look(3, vec![both]));
    assert_eq!((notices[0].tone, notices[0].body.as_str()), (Tone::Waits, "Run the tests?\nand 1 more"));
}

#[test]
fn a_tool_that_is_off_is_no_news() {
    let mut watch = Watch::over(vec![]);
    assert_eq!(watch.look(1, vec![needing(running("api"), NeedKind::ToolOff, 1)]), []);
}

#[test]
fn nothing_is_told_of_a_session_that_is_looked_at_or_muted() {
    let mut watch = Watch::over(vec![running("api"), running("docs")]);
    watch.seen = Some("api");
    let mut muted = waiting("docs", 1);
    muted.session.muted = true;
    assert_eq!(watch.look(1, vec![waiting("api", 1), muted.clone()]), []);
    watch.seen = None;
    assert_eq!(watch.look(60, vec![waiting("api", 1), muted]), [], "it was seen");
}

#[test]
fn nothing_is_told_that_the_user_does_not_want() {
    let mut watch = Watch::over(vec![running("api"), running("docs")]);
    (watch.settings.notify_needs, watch.settings.notify_finished) = (false, false);
    let now = vec![waiting("api", 1), done(running("docs"), SessionState::Finished)];
    assert_eq!(watch.look(1, now.clone()), []);
    (watch.settings.notify_needs, watch.settings.notify_finished) = (true, true);
    assert_eq!(watch.look(60, now), []);
}

#[test]
fn thirty_sessions_are_one_notification() {
    let ids: Vec<String> = (1..=30).map(|number| format!("project-{number:02}")).collect();
    let mut watch = Watch::over(ids.iter().map(|id| running(id)).collect());
    let all: Vec<SessionTodos> = ids.iter().map(|id| waiting(id, 1)).collect();
    let notices = told(watch.look(1, all.clone()));
    assert_eq!(notices.len(), 1);
    assert_eq!((notices[0].title.as_str(), notices[0].session_id.as_deref()), ("30 sessions need you", None));
    assert!(notices[0].body.ends_with("and 26 more"), "{}", notices[0].body);
    assert_eq!(watch.look(60, all[..1].to_vec()), [], "one of them still needs the user");
    assert_eq!(watch.look(61, vec![running("project-01")]), [NoticeChange::Remove(SEVERAL.to_owned())]);
}

#[test]
fn what_follows_at_once_is_gathered() {
    let mut watch = Watch::over(["a", "b", "c", "d", "e"].map(running).to_vec());
    let mut sessions = vec![waiting("a", 1)];
    assert_eq!(titles(watch.look(1, sessions.clone())), ["Codex · a needs you"]);
    assert_eq!(watch.notices.again(), None);
    for (second, id) in [(2, "b"), (3, "c"), (4, "d"), (5, "e")] {
        sessions.push(waiting(id, second));
        assert_eq!(watch.look(second, sessions.clone()), []);
        assert!(watch.notices.again().is_some(), "it is looked at again though nothing happens");
    }
    assert_eq!(titles(watch.look(11, sessions.clone())), ["4 sessions need you"]);
}

#[test]
fn what_is_settled_while_it_is_gathered_is_not_told() {
    let mut watch = Watch::over(["a", "b"].map(running).to_vec());
    watch.look(1, vec![waiting("a", 1), running("b")]);
    watch.look(2, vec![waiting("a", 1), waiting("b", 2)]);
    assert_eq!(titles(watch.look(20, vec![waiting("a", 1), running("b")])), [""; 0]);
}

// Over midnight, too.
#[rstest]
#[case("22:00", "08:00", 23 * 60, 8 * 60)]
#[case("22:00", "08:00", 0, 8 * 60)]
#[case("12:00", "13:00", 12 * 60, 13 * 60)]
fn quiet_hours_end_with_one_notification(
    #[case] from: &str,
    #[case] to: &str,
    #[case] within: u32,
    #[case] after: u32,
) {
    let mut watch = Watch::over(["a", "b", "c"].map(running).to_vec());
    watch.quiet(from, to);
    watch.minute = within;
    let now = vec![waiting("a", 1), waiting("b", 2), done(running("c"), SessionState::Finished)];
    assert_eq!(watch.look(3, now.clone()), []);
    assert!(watch.notices.again().is_some());
    watch.minute = after;
    assert_eq!(titles(watch.look(60, now.clone())), ["2 sessions need you"]);
    assert_eq!(watch.look(120, now), [], "what has finished meanwhile is no news");
}

#[test]
fn one_need_of_a_quiet_night_is_told_as_itself() {
    let mut watch = Watch::over(vec![running("a")]);
    watch.quiet("22:00", "08:00");
    watch.minute = 60;
    assert_eq!(watch.look(1, vec![waiting("a", 1)]), []);
    watch.minute = 480;
    assert_eq!(titles(watch.look(2, vec![waiting("a", 1)])), ["Codex · a needs you"]);
}

#[rstest]
#[case(SessionState::Idle, Tone::Finished, "Codex · a finished", "8 of 8")]
#[case(SessionState::Finished, Tone::Finished, "Codex · a finished", "8 of 8")]
#[case(SessionState::Failed, Tone::Failed, "Codex · a failed", "8 of 8 · out of quota")]
fn an_end_is_told_as_what_it_is(
    #[case] state: SessionState,
    #[case] tone: Tone,
    #[case] title: &str,
    #[case] body: &str,
) {
    let mut watch = Watch::over(vec![running("a")]);
    let mut ended = done(running("a"), state);
    ended.session.state_reason = Some("out of quota".to_owned());
    let notices = told(watch.look(1, vec![ended.clone()]));
    assert_eq!((notices[0].tone, notices[0].title.as_str(), notices[0].body.as_str()), (tone, title, body));
    assert_eq!(watch.look(60, vec![ended]), []);
}

#[test]
fn a_turn_that_is_over_with_work_left_is_no_end() {
    let mut watch = Watch::over(vec![running("a")]);
    assert_eq!(watch.look(1, vec![session("a", SessionState::Idle)]), []);
    assert_eq!(watch.look(2, vec![done(running("a"), SessionState::Idle)]).len(), 1);
    assert_eq!(watch.look(30, vec![done(running("a"), SessionState::Finished)]), [], "it is the same end");
}

#[test]
fn an_agent_that_goes_away_from_its_list_has_ended_and_not_finished() {
    let mut watch = Watch::over(vec![running("a")]);
    let notices = told(watch.look(1, vec![session("a", SessionState::Finished)]));
    assert_eq!((notices[0].title.as_str(), notices[0].body.as_str()), ("Codex · a ended", "3 of 8"));
}

#[test]
fn who_waits_is_not_held_up_by_who_has_finished() {
    let mut watch = Watch::over(vec![running("a"), running("b"), running("c")]);
    let ended = |id| done(running(id), SessionState::Finished);
    assert_eq!(titles(watch.look(1, vec![ended("a"), running("b"), running("c")])), ["Codex · a finished"]);
    let both = vec![ended("a"), waiting("b", 2), ended("c")];
    assert_eq!(titles(watch.look(2, both.clone())), ["Codex · b needs you"]);
    assert_eq!(titles(watch.look(12, both)), ["Codex · c finished"]);
}

#[test]
fn subagents_end_without_a_word() {
    let mut under = running("a");
    under.session.parent_session_id = Some("run".to_owned());
    let mut watch = Watch::over(vec![under.clone(), running("run")]);
    assert_eq!(watch.look(1, vec![done(under, SessionState::Finished), running("run")]), []);
}

#[test]
fn many_ends_are_one_notification() {
    let mut watch = Watch::over(["a", "b", "c", "d", "e"].map(running).to_vec());
    let mut all: Vec<SessionTodos> =
        ["a", "b", "c", "d", "e"].iter().map(|id| done(running(id), SessionState::Finished)).collect();
    all[0].session.state = SessionState::Failed;
    assert_eq!(titles(watch.look(1, all.clone())), ["4 sessions finished, 1 failed"]);
    all[1] = session("b", SessionState::Finished);
    let mut watch = Watch::over(["a", "b", "c", "d", "e"].map(running).to_vec());
    assert_eq!(titles(watch.look(1, all)), ["4 sessions ended, 1 failed"]);
}

#[test]
fn an_end_is_told_once_until_there_is_work_again() {
    let mut watch = Watch::over(vec![running("api")]);
    let complete = |state| done(running("api"), state);
    assert_eq!(titles(watch.look(1, vec![complete(SessionState::Idle)])).len(), 1);
    for (seconds, state) in [(20, SessionState::Waiting), (40, SessionState::Idle), (60, SessionState::Stale)] {
        assert_eq!(titles(watch.look(seconds, vec![complete(state)])), Vec::<String>::new());
    }
    assert_eq!(titles(watch.look(80, vec![complete(SessionState::Finished)])), Vec::<String>::new());
    assert_eq!(titles(watch.look(100, vec![running("api")])), Vec::<String>::new());
    assert_eq!(titles(watch.look(120, vec![complete(SessionState::Idle)])).len(), 1, "it had work again");
}

#[test]
fn a_need_that_comes_back_as_it_was_is_not_told_again() {
    let mut watch = Watch::over(vec![running("api")]);
    assert_eq!(titles(watch.look(1, vec![waiting("api", 1)])).len(), 1);
    assert_eq!(titles(watch.look(30, vec![running("api")])), Vec::<String>::new());
    assert_eq!(titles(watch.look(60, vec![waiting("api", 1)])), Vec::<String>::new(), "it is the same");
    assert_eq!(titles(watch.look(90, vec![running("api")])), Vec::<String>::new());
    assert_eq!(titles(watch.look(120, vec![waiting("api", 110)])).len(), 1);
}
