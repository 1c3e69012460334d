//! Decides which notifications to show, and when; [`crate::notifications`] shows them.
//!
//! A notification is about something new: not what was there at the start, not the same twice, nothing of a session
//! that is muted or that the user is looking at, nothing in quiet hours. What needs the user is told after the quiet
//! hours; what finished during them is not.

use crate::texts;
use app::{Desk, Run};
use jiff::{SignedDuration, Timestamp};
use protocol::{Need, NeedKind, Session, SessionState};
use std::collections::{HashMap, HashSet};
use std::time::Duration;

/// Time after a notification for which further news is gathered into one.
const GATHER: SignedDuration = SignedDuration::from_secs(10);
/// The most sessions that get a notification each; more of them share one.
const SINGLE: usize = 3;
/// Number of past needs that are remembered as told.
const KNOWN: usize = 4_096;
/// The tag of the notification about many sessions that need the user.
const SEVERAL: &str = "several need";
const SEVERAL_ENDED: &str = "several ended";

/// The urgency of a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// An agent waits for the user's answer.
    Waits,
    /// Something needs the user.
    Needs,
    /// Work has ended, complete or not.
    Finished,
    Failed,
}

/// A notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Notice {
    /// The identity of the notification: another one with this tag replaces it.
    pub(crate) tag: String,
    /// The session it is about; none where it is about several.
    pub(crate) session_id: Option<String>,
    /// The permission that it is about, where it is about nothing else.
    pub(crate) permission_id: Option<String>,
    pub(crate) tone: Tone,
    pub(crate) title: String,
    pub(crate) body: String,
}

/// A change to the notifications on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NoticeChange {
    Show(Notice),
    /// Remove the notification with this tag, whose needs are all settled.
    Remove(String),
}

/// The conditions of one look at the sessions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment<'a> {
    pub(crate) now: Timestamp,
    /// The local time of day, in minutes since midnight.
    pub(crate) minute: u32,
    /// The session that the user is looking at.
    pub(crate) seen: Option<&'a str>,
}

/// One need: its run, its id and its time, since the same id can come again.
type Key = (String, String, Timestamp);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Finished,
    /// Its agent ended with steps left.
    Left,
    Failed,
}

/// The news that has been told and the news that waits.
#[derive(Default)]
pub(crate) struct Notices {
    begun: bool,
    needs: HashSet<Key>,
    ends: HashMap<String, Option<End>>,
    /// Needs to tell, oldest first.
    held: Vec<Key>,
    held_ends: Vec<String>,
    /// Quiet hours held a need back.
    quiet: bool,
    needs_not_before: Option<Timestamp>,
    ends_not_before: Option<Timestamp>,
    /// The notifications on the screen, by tag, with their needs.
    there: HashMap<String, HashSet<Key>>,
}

impl Notices {
    /// Compares the sessions with those of the last call, and returns the changes to make.
    pub(crate) fn look(&mut self, desk: &Desk, moment: Moment<'_>) -> Vec<NoticeChange> {
        if !desk.has_snapshot {
            return Vec::new();
        }
        let needs: HashMap<Key, (&Session, &Need)> =
            desk.needs().into_iter().map(|(run, need)| (key(run, need), (run, need))).collect();
        let runs: HashMap<&str, Run<'_>> = desk
            .runs()
            .into_iter()
            .filter(|run| run.session.parent_session_id.is_none())
            .map(|run| (run.session.session_id.as_str(), run))
            .collect();
        self.hear_needs(&needs, desk);
        self.hear_ends(&runs, desk);
        self.begun = true;

        let mut changes = self.settled(&needs);
        if desk.settings.is_quiet(moment.minute) {
            self.quiet |= !self.held.is_empty();
            self.held_ends.clear();
            return changes;
        }
        let is_due = |not_before: Option<Timestamp>| not_before.is_none_or(|time| moment.now >= time);
        let gathered = moment.now.checked_add(GATHER).ok();
        // News of ended sessions does not delay news of sessions that wait for the user.
        if is_due(self.needs_not_before) {
            let before = changes.len();
            self.tell_needs(&needs, desk, moment, &mut changes);
            if changes.len() > before {
                (self.needs_not_before, self.ends_not_before) = (gathered, gathered);
            }
        }
        if is_due(self.ends_not_before) {
            let before = changes.len();
            self.tell_ends(&runs, desk, moment, &mut changes);
            if changes.len() > before {
                self.ends_not_before = gathered;
            }
        }
        changes
    }

    /// The time after which to look again although no event came; none while no news waits.
    pub(crate) fn again(&self) -> Option<Duration> {
        if self.held.is_empty() && self.held_ends.is_empty() {
            None
        } else if self.quiet {
            Some(Duration::from_secs(15))
        } else {
            Some(Duration::from_secs(1))
        }
    }

    fn hear_needs(&mut self, needs: &HashMap<Key, (&Session, &Need)>, desk: &Desk) {
        // A need that is gone can come back unchanged: its session was silent, or the gateway was restarted.
        if self.needs.len() > KNOWN {
            self.needs.retain(|key| needs.contains_key(key));
        }
        self.held.retain(|key| needs.contains_key(key));
        let mut new: Vec<(&Key, Timestamp)> = Vec::new();
        for (key, (_, need)) in needs {
            // A tool that is off is a matter of configuration, and no event. A run that failed is told by its end.
            let happened = !matches!(need.kind, NeedKind::ToolOff | NeedKind::Failed);
            if self.needs.insert(key.clone()) && self.begun && happened && desk.settings.notify_needs {
                new.push((key, need.since));
            }
        }
        new.sort_by(|(one, at), (other, later)| at.cmp(later).then_with(|| one.cmp(other)));
        self.held.extend(new.into_iter().map(|(key, _)| key.clone()));
    }

    fn hear_ends(&mut self, runs: &HashMap<&str, Run<'_>>, desk: &Desk) {
        self.ends.retain(|id, _| runs.contains_key(id.as_str()));
        for (id, run) in runs {
            let was = self.ends.get(*id).copied();
            let end = end_of(run);
            // An ended run counts as running again when it has work, not when its agent waits or is silent.
            if end.is_none() && !is_at_work(run) {
                self.ends.entry((*id).to_owned()).or_insert(None);
                continue;
            }
            self.ends.insert((*id).to_owned(), end);
            // Only a run that was seen at work is news: others ended long ago, or were told as failed.
            if desk.settings.notify_finished && end.is_some() && was == Some(None) {
                self.held_ends.push((*id).to_owned());
            }
        }
    }

    /// Removes notifications whose needs are all settled.
    fn settled(&mut self, needs: &HashMap<Key, (&Session, &Need)>) -> Vec<NoticeChange> {
        let mut changes = Vec::new();
        self.there.retain(|tag, told| {
            let stays = told.iter().any(|key| needs.contains_key(key));
            if !stays {
                changes.push(NoticeChange::Remove(tag.clone()));
            }
            stays
        });
        changes
    }

    fn tell_needs(
        &mut self,
        needs: &HashMap<Key, (&Session, &Need)>,
        desk: &Desk,
        moment: Moment<'_>,
        changes: &mut Vec<NoticeChange>,
    ) {
        let mut sessions: Vec<(&Session, Vec<&Need>)> = Vec::new();
        for key in std::mem::take(&mut self.held) {
            let Some((run, need)) = needs.get(&key) else { continue };
            if desk.is_muted(run) || moment.seen == Some(&run.session_id) || !desk.settings.notify_needs {
                continue;
            }
            match sessions.iter_mut().find(|(known, _)| known.session_id == run.session_id) {
                Some((_, asked)) => asked.push(need),
                None => sessions.push((run, vec![need])),
            }
        }
        let together = if std::mem::take(&mut self.quiet) { 1 } else { SINGLE };
        if sessions.len() > together {
            let names: Vec<String> = sessions.iter().map(|(run, _)| texts::name(run)).collect();
            let told = sessions.iter().flat_map(|(run, asked)| asked.iter().map(|need| key(run, need)));
            self.there.insert(SEVERAL.to_owned(), told.collect());
            changes.push(NoticeChange::Show(Notice {
                tag: SEVERAL.to_owned(),
                session_id: None,
                permission_id: None,
                tone: Tone::Needs,
                title: texts::several_title(sessions.len()),
                body: texts::several_body(&names),
            }));
            return;
        }
        for (run, mut asked) in sessions {
            let waits = |need: &Need| matches!(need.kind, NeedKind::Permission | NeedKind::Waiting);
            asked.sort_by_key(|need| !waits(need));
            let waits = asked.iter().any(|need| waits(need));
            let first = texts::need(asked[0].kind, &texts::subject(asked[0]));
            let tag = format!("needs {}", run.session_id);
            self.there.insert(tag.clone(), asked.iter().map(|need| key(run, need)).collect());
            changes.push(NoticeChange::Show(Notice {
                tag,
                session_id: Some(run.session_id.clone()),
                permission_id: asked[0].permission_id.clone().filter(|_| asked.len() == 1),
                tone: if waits { Tone::Waits } else { Tone::Needs },
                title: texts::needs_title(&texts::name(run)),
                body: texts::needs_body(&first, asked.len() - 1),
            }));
        }
    }

    fn tell_ends(
        &mut self,
        runs: &HashMap<&str, Run<'_>>,
        desk: &Desk,
        moment: Moment<'_>,
        changes: &mut Vec<NoticeChange>,
    ) {
        let mut ended: Vec<(&Run<'_>, End)> = Vec::new();
        let mut met = HashSet::new();
        for id in std::mem::take(&mut self.held_ends) {
            let Some(run) = runs.get(id.as_str()).filter(|_| met.insert(id.clone())) else { continue };
            let told = !run.session.muted && moment.seen != Some(id.as_str()) && desk.settings.notify_finished;
            if let Some(end) = end_of(run).filter(|_| told) {
                ended.push((run, end));
            }
        }
        if ended.len() > SINGLE {
            let failed = ended.iter().filter(|(_, end)| *end == End::Failed).count();
            let all_done = ended.iter().all(|(_, end)| *end != End::Left);
            let names: Vec<String> = ended.iter().map(|(run, _)| texts::name(run.session)).collect();
            changes.push(NoticeChange::Show(Notice {
                tag: SEVERAL_ENDED.to_owned(),
                session_id: None,
                permission_id: None,
                tone: if failed > 0 { Tone::Failed } else { Tone::Finished },
                title: texts::ended_several(ended.len() - failed, failed, all_done),
                body: texts::several_body(&names),
            }));
            return;
        }
        for (run, end) in ended {
            let Run { session, list, .. } = run;
            let failed = end == End::Failed;
            let reason = texts::reason(session).filter(|_| failed);
            changes.push(NoticeChange::Show(Notice {
                tag: format!("ended {}", session.session_id),
                session_id: Some(session.session_id.clone()),
                permission_id: None,
                tone: if failed { Tone::Failed } else { Tone::Finished },
                title: texts::ended_title(&texts::name(session), end),
                body: texts::ended_body(list.progress.completed, list.progress.total, reason.as_deref()),
            }));
        }
    }
}

fn key(run: &Session, need: &Need) -> Key {
    (run.session_id.clone(), need.id.clone(), need.since)
}

/// The end of a run: it failed, its list is complete, or its agent ended with steps left. None while it goes on.
fn end_of(run: &Run<'_>) -> Option<End> {
    let progress = run.list.progress;
    let is_done = progress.completed == progress.total;
    match run.session.state {
        SessionState::Failed => Some(End::Failed),
        SessionState::Finished | SessionState::Idle if progress.total > 0 && is_done => Some(End::Finished),
        SessionState::Finished if progress.total > 0 => Some(End::Left),
        _ => None,
    }
}

fn is_at_work(run: &Run<'_>) -> bool {
    let progress = run.list.progress;
    run.session.state == SessionState::Running && progress.completed < progress.total
}

#[cfg(test)]
#[path = "notices_tests.rs"]
mod tests;
