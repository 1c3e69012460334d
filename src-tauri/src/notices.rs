//! What is worth a notification, and when: decided here, shown by [`crate::bell`].
//!
//! Told is what is new: not what was there at the start, not the same twice, nothing of a session that is being looked
//! at or is muted, nothing in quiet hours. What needs the user waits for the end of those; what has finished does not.

use crate::desk::{Desk, Run};
use crate::texts;
use jiff::{SignedDuration, Timestamp};
use protocol::{Need, NeedKind, Session, SessionState};
use std::collections::{HashMap, HashSet};
use std::time::Duration;

/// After something was told, what follows within this time is gathered and told together.
const GATHER: SignedDuration = SignedDuration::from_secs(10);
/// More than so many sessions at once are one notification.
const SINGLE: usize = 3;
/// Needs that are remembered as told although they are not there.
const KNOWN: usize = 4_096;
/// The tag of the notification about many sessions that need the user.
const SEVERAL: &str = "several need";
const SEVERAL_ENDED: &str = "several ended";

/// How it is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// An agent stands still until the user answers.
    Waits,
    /// Something needs the user.
    Needs,
    /// Work has ended, well or with something left.
    Finished,
    Failed,
}

/// Something to tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Notice {
    /// Names it: another one with this tag takes its place.
    pub(crate) tag: String,
    /// Whom it is about; none where there are many.
    pub(crate) session_id: Option<String>,
    pub(crate) tone: Tone,
    pub(crate) title: String,
    pub(crate) body: String,
}

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Order {
    Tell(Notice),
    /// What the notification with this tag said is settled.
    TakeBack(String),
}

/// What it depends on besides the sessions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment<'a> {
    pub(crate) now: Timestamp,
    /// The local time of day, in minutes since midnight.
    pub(crate) minute: u32,
    /// The session that somebody looks at.
    pub(crate) seen: Option<&'a str>,
}

/// One need: its run, its id, and since when, as it may come again.
type Key = (String, String, Timestamp);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Finished,
    /// Its agent went away from what is left of its list.
    Left,
    Failed,
}

/// What has been told and what waits to be.
#[derive(Default)]
pub(crate) struct Notices {
    begun: bool,
    needs: HashSet<Key>,
    ends: HashMap<String, Option<End>>,
    /// Needs to tell of, in the order they came.
    held: Vec<Key>,
    held_ends: Vec<String>,
    /// Something was held back by quiet hours.
    quiet: bool,
    needs_not_before: Option<Timestamp>,
    ends_not_before: Option<Timestamp>,
    /// The notifications that are there, by tag, with what they have told.
    there: HashMap<String, HashSet<Key>>,
}

impl Notices {
    /// Looks at the sessions as they are now.
    pub(crate) fn look(&mut self, desk: &Desk, moment: Moment<'_>) -> Vec<Order> {
        if !desk.is_told {
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

        let mut orders = self.settled(&needs);
        if desk.settings.is_quiet(moment.minute) {
            self.quiet |= !self.held.is_empty();
            self.held_ends.clear();
            return orders;
        }
        let is_due = |not_before: Option<Timestamp>| not_before.is_none_or(|time| moment.now >= time);
        let gathered = moment.now.checked_add(GATHER).ok();
        // Who waits for the user is not held up by who has finished.
        if is_due(self.needs_not_before) {
            let before = orders.len();
            self.tell_needs(&needs, desk, moment, &mut orders);
            if orders.len() > before {
                (self.needs_not_before, self.ends_not_before) = (gathered, gathered);
            }
        }
        if is_due(self.ends_not_before) {
            let before = orders.len();
            self.tell_ends(&runs, desk, moment, &mut orders);
            if orders.len() > before {
                self.ends_not_before = gathered;
            }
        }
        orders
    }

    /// How soon to look again although nothing happens; never, where nothing waits.
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
        // One that is away may come back as it was: its session was silent, or the gateway began anew.
        if self.needs.len() > KNOWN {
            self.needs.retain(|key| needs.contains_key(key));
        }
        self.held.retain(|key| needs.contains_key(key));
        let mut new: Vec<(&Key, Timestamp)> = Vec::new();
        for (key, (_, need)) in needs {
            // That a tool is off is how an agent is set up, and nothing that just happened.
            let happened = need.kind != NeedKind::ToolOff;
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
            // An end is over when there is work again, not when its agent waits or is silent for a while.
            if end.is_none() && !is_at_work(run) {
                self.ends.entry((*id).to_owned()).or_insert(None);
                continue;
            }
            self.ends.insert((*id).to_owned(), end);
            // One that is met at its end is one of long ago, and one that failed has ended already.
            if desk.settings.notify_finished && end.is_some() && was == Some(None) {
                self.held_ends.push((*id).to_owned());
            }
        }
    }

    /// Notifications about what nobody needs any more.
    fn settled(&mut self, needs: &HashMap<Key, (&Session, &Need)>) -> Vec<Order> {
        let mut orders = Vec::new();
        self.there.retain(|tag, told| {
            let stays = told.iter().any(|key| needs.contains_key(key));
            if !stays {
                orders.push(Order::TakeBack(tag.clone()));
            }
            stays
        });
        orders
    }

    fn tell_needs(
        &mut self,
        needs: &HashMap<Key, (&Session, &Need)>,
        desk: &Desk,
        moment: Moment<'_>,
        orders: &mut Vec<Order>,
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
            orders.push(Order::Tell(Notice {
                tag: SEVERAL.to_owned(),
                session_id: None,
                tone: Tone::Needs,
                title: texts::several_title(sessions.len()),
                body: texts::several_body(&names),
            }));
            return;
        }
        for (run, mut asked) in sessions {
            asked.sort_by_key(|need| need.kind != NeedKind::Waiting);
            let waits = asked.iter().any(|need| need.kind == NeedKind::Waiting);
            let first = texts::need(asked[0].kind, &asked[0].text);
            let tag = format!("needs {}", run.session_id);
            self.there.insert(tag.clone(), asked.iter().map(|need| key(run, need)).collect());
            orders.push(Order::Tell(Notice {
                tag,
                session_id: Some(run.session_id.clone()),
                tone: if waits { Tone::Waits } else { Tone::Needs },
                title: texts::needs_title(&texts::name(run)),
                body: texts::needs_body(&first, asked.len() - 1),
            }));
        }
    }

    fn tell_ends(&mut self, runs: &HashMap<&str, Run<'_>>, desk: &Desk, moment: Moment<'_>, orders: &mut Vec<Order>) {
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
            orders.push(Order::Tell(Notice {
                tag: SEVERAL_ENDED.to_owned(),
                session_id: None,
                tone: if failed > 0 { Tone::Failed } else { Tone::Finished },
                title: texts::ended_several(ended.len() - failed, failed, all_done),
                body: texts::several_body(&names),
            }));
            return;
        }
        for (run, end) in ended {
            let Run { session, list, .. } = run;
            let failed = end == End::Failed;
            let reason = session.state_reason.as_deref().filter(|_| failed);
            orders.push(Order::Tell(Notice {
                tag: format!("ended {}", session.session_id),
                session_id: Some(session.session_id.clone()),
                tone: if failed { Tone::Failed } else { Tone::Finished },
                title: texts::ended_title(&texts::name(session), end),
                body: texts::ended_body(list.progress.completed, list.progress.total, reason),
            }));
        }
    }
}

fn key(run: &Session, need: &Need) -> Key {
    (run.session_id.clone(), need.id.clone(), need.since)
}

/// How a run has ended: it failed, or nothing of its list is left, or its agent went away from one.
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
