//! The laws of a link, against a host and a hub that are only numbers: whatever breaks, and whenever.

use super::{Effect, Input, Link, Timing};
use hub::{Forwarded, HostPosition};
use proptest::prelude::*;
use protocol::{
    Code, EditOnce, EditedOnce, Error, FEED, FeedDeleted, FeedPage, FeedRows, FeedSession, GatewayInfo, HelloResult,
    Reply, Request, Text,
};
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

/// Sessions since then are fetched at first.
const SINCE: jiff::Timestamp = jiff::Timestamp::UNIX_EPOCH;

/// A page of the host, and revisions in one answer.
const PAGE: usize = 2;
const PART: u64 = 2;

/// The host: its sessions by their ids, each with its newest revision and its cursor.
#[derive(Default)]
struct Host {
    cursor: u64,
    sessions: BTreeMap<String, (u64, u64)>,
    deleted: Vec<(u64, String)>,
    /// Edits by their keys, in the order of their first arrival.
    edits: Vec<String>,
    is_old: bool,
    /// A session that is of a later version than ours.
    odd: Option<String>,
    /// Of each page that was asked for, whether it was for the last days only.
    asked_since: Vec<bool>,
}

impl Host {
    fn change(&mut self, session: u8) {
        if self.deleted.iter().any(|(_, id)| *id == format!("s{session}")) {
            return;
        }
        self.cursor += 1;
        let entry = self.sessions.entry(format!("s{session}")).or_default();
        *entry = (entry.0 + 1, self.cursor);
    }

    fn delete(&mut self, session: u8) {
        let id = format!("s{session}");
        if self.sessions.remove(&id).is_some() {
            self.cursor += 1;
            self.deleted.push((self.cursor, id));
        }
    }

    fn answer(&mut self, request: &Request) -> Result<Reply, Error> {
        Ok(match request {
            Request::Hello(_) => Reply::Hello(HelloResult {
                protocol: 1,
                version: "1".to_owned(),
                cursor: String::new(),
                rights: None,
                key: None,
                features: if self.is_old { Vec::new() } else { vec![FEED.to_owned()] },
                time: None,
            }),
            Request::FeedChanges(ask) => {
                let asked: u64 = ask.cursor.as_deref().map_or(0, |cursor| cursor.parse().expect("a number"));
                self.asked_since.push(ask.since.is_some());
                // It was put back from a backup.
                let (after, anew) = if asked > self.cursor { (0, true) } else { (asked, asked == 0) };
                let mut changed: Vec<(u64, &String)> = self
                    .sessions
                    .iter()
                    .filter(|(_, (_, cursor))| *cursor > after)
                    .map(|(id, (_, cursor))| (*cursor, id))
                    .collect();
                changed.sort();
                let more = changed.len() > PAGE;
                changed.truncate(PAGE);
                let until = if more { changed[PAGE - 1].0 } else { self.cursor };
                let deleted = self.deleted.iter().filter(|(cursor, _)| (after + 1..=until).contains(cursor));
                Reply::FeedChanges(FeedPage {
                    cursor: until.to_string(),
                    sessions: changed.into_iter().map(|(_, id)| id.clone()).collect(),
                    deleted: deleted
                        .map(|(_, id)| FeedDeleted { session_id: id.clone(), ..FeedDeleted::default() })
                        .collect(),
                    more,
                    anew,
                })
            }
            Request::FeedSession(ask) => {
                let Some((newest, _)) = self.sessions.get(&ask.session_id) else {
                    return Err(Error::new(Code::SessionNotFound, "it is gone"));
                };
                if self.odd.as_ref() == Some(&ask.session_id) {
                    return Err(Error::new(Code::InvalidMessage, "it is not understood"));
                }
                let revision = (ask.revision + PART).min(*newest);
                Reply::FeedSession(FeedRows { revision, more: revision < *newest, ..FeedRows::default() })
            }
            Request::EditOnce(ask) => {
                if !self.edits.contains(&ask.key) {
                    self.edits.push(ask.key.clone());
                    self.change(9);
                }
                Reply::EditOnce(EditedOnce::default())
            }
            Request::GatewayStatus(_) => Reply::GatewayStatus(serde_of_status()),
            _ => Reply::EventsSubscribe(protocol::EventsSnapshot {
                cursor: String::new(),
                sessions: Vec::new(),
                left: 0,
                whole: false,
                deleted: Vec::new(),
                settings: protocol::Settings::default(),
            }),
        })
    }
}

fn serde_of_status() -> GatewayInfo {
    GatewayInfo {
        uptime: 0,
        port: 0,
        pid: 0,
        connections: 0,
        sessions: 0,
        version: String::new(),
        commits: 0,
        data_dir: String::new(),
        address: None,
        public_hosts: Vec::new(),
        first_list_command: None,
        mcp_command: None,
        started_at: jiff::Timestamp::UNIX_EPOCH,
        notice: None,
        notice_text: None,
    }
}

/// The hub: what it has of the host, and the edits that wait.
#[derive(Default)]
struct Here {
    cursor: Option<String>,
    /// Not everything was here once.
    is_first: bool,
    /// Each revision that was stored, in order.
    revisions: BTreeMap<String, Vec<u64>>,
    waiting: VecDeque<String>,
}

struct World {
    link: Link,
    now: Duration,
    host: Host,
    here: Here,
    /// Requests that the host has not read, answers that we have not, and what the hub does. Each is in order; a connection
    /// that breaks drops the first two.
    out: VecDeque<(u64, Request)>,
    back: VecDeque<Input>,
    hub: Vec<Effect>,
    is_open: bool,
    opened: usize,
    made: u64,
    /// Of sessions that were left out.
    problems: Vec<Text>,
}

impl World {
    fn new() -> Self {
        let mut world = Self {
            link: Link::new(Timing::default(), Some(SINCE)),
            now: Duration::ZERO,
            host: Host::default(),
            here: Here { is_first: true, ..Here::default() },
            out: VecDeque::new(),
            back: VecDeque::new(),
            hub: Vec::new(),
            is_open: false,
            opened: 0,
            made: 0,
            problems: Vec::new(),
        };
        world.tell(Input::Tick);
        world
    }

    fn tell(&mut self, input: Input) {
        for effect in self.link.step(self.now, input) {
            match effect {
                Effect::Open => {
                    assert!(!self.is_open, "one connection at a time");
                    self.is_open = true;
                    self.opened += 1;
                    self.back.push_back(Input::Opened);
                }
                Effect::Close => {
                    self.is_open = false;
                    self.out.clear();
                    self.back.clear();
                    // The hub finishes what it has begun; nobody hears of it.
                    let begun = std::mem::take(&mut self.hub);
                    for effect in begun {
                        self.perform(effect);
                    }
                }
                Effect::Send(id, request) => {
                    assert!(self.is_open, "nothing is sent without a connection");
                    self.out.push_back((id, *request));
                }
                Effect::Up { .. } | Effect::Down(_) | Effect::Delay(_) => {}
                Effect::Unread(problem) => self.problems.push(problem),
                effect => self.hub.push(effect),
            }
        }
    }

    /// The hub does what it was asked; the result is what the link is told.
    fn perform(&mut self, effect: Effect) -> Input {
        match effect {
            Effect::ReadPosition => Input::Position(HostPosition {
                cursor: self.here.cursor.clone(),
                is_first: self.here.is_first,
                ..HostPosition::default()
            }),
            Effect::Prepare(session_id) => {
                let revision = self.here.revisions.get(&session_id).and_then(|all| all.last().copied()).unwrap_or(0);
                Input::Prepared(FeedSession { session_id, revision, ..FeedSession::default() })
            }
            Effect::Take(ask, rows) => {
                let all = self.here.revisions.entry(ask.session_id.clone()).or_default();
                if all.last().copied().unwrap_or(0) == ask.revision {
                    all.extend(ask.revision + 1..=rows.revision);
                }
                Input::Taken(ask.session_id, Ok(rows.more))
            }
            Effect::TakePage(cursor, deleted, more) => {
                self.here.is_first = cursor.is_none() || self.here.is_first && more;
                for gone in deleted {
                    self.here.revisions.remove(&gone.session_id);
                }
                self.here.cursor = cursor;
                Input::PageTaken(Ok(()))
            }
            Effect::ReadEdit => Input::NextEdit(self.here.waiting.front().map(|key| {
                let edit = EditOnce { key: key.clone(), ..EditOnce::default() };
                Box::new(Forwarded { session_id: String::new(), edit })
            })),
            Effect::Settle(edit, _) => {
                self.here.waiting.retain(|key| *key != edit.edit.key);
                Input::Settled(Ok(()))
            }
            other => panic!("{other:?} is not for the hub"),
        }
    }

    /// Something happens, if it can.
    fn happen(&mut self, what: u8, which: u8) {
        match what {
            0..3 => {
                self.host.change(which % 5);
                self.notice();
            }
            3 => {
                self.host.delete(which % 5);
                self.notice();
            }
            4..8 => {
                self.hear();
            }
            8..12 => {
                if let Some(input) = self.back.pop_front() {
                    self.tell(input);
                }
            }
            12..16 => {
                if !self.hub.is_empty() {
                    let effect = self.hub.remove(usize::from(which) % self.hub.len());
                    let told = self.perform(effect);
                    self.tell(told);
                }
            }
            16 => self.tell(Input::Lost("it broke".into())),
            17 => {
                self.made += 1;
                self.here.waiting.push_back(self.made.to_string());
                self.tell(Input::Woken);
            }
            _ => {
                self.now = self.link.next_tick().max(self.now);
                self.tell(Input::Tick);
            }
        }
    }

    /// The host tells that it has changed, to whoever has subscribed by now.
    fn notice(&mut self) {
        if self.is_open {
            self.back.push_back(Input::Changed);
        }
    }

    /// The host reads the next request.
    fn hear(&mut self) -> bool {
        let Some((id, request)) = self.out.pop_front() else { return false };
        let before = self.host.cursor;
        let answer = self.host.answer(&request);
        if self.host.cursor != before {
            self.notice();
        }
        self.back.push_back(Input::Answer(id, Box::new(answer)));
        true
    }

    /// Goes on without a fault until there is nothing left to do.
    fn settle(&mut self) {
        for round in 0.. {
            assert!(round < 10_000, "it does not come to rest: {:?}", self.link);
            if self.hear() {
                continue;
            }
            if let Some(input) = self.back.pop_front() {
                self.tell(input);
            } else if !self.hub.is_empty() {
                let effect = self.hub.remove(0);
                let told = self.perform(effect);
                self.tell(told);
            } else if self.is_open {
                return;
            } else {
                self.now = self.link.next_tick().max(self.now);
                self.tell(Input::Tick);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    // H1, H7
    #[test]
    fn whatever_breaks_everything_is_here_once_in_the_end(events in prop::collection::vec((0_u8..20, any::<u8>()), 0..200)) {
        let mut world = World::new();
        for (what, which) in events {
            world.happen(what, which);
            for all in world.here.revisions.values() {
                prop_assert!(all.iter().copied().eq(1..=all.len() as u64), "in order, without a gap: {all:?}");
            }
        }
        world.settle();
        // A session that is deleted while it is away comes with the next page.
        let there: BTreeMap<String, u64> =
            world.host.sessions.iter().map(|(id, (revision, _))| (id.clone(), *revision)).collect();
        let here: BTreeMap<String, u64> =
            world.here.revisions.iter().map(|(id, all)| (id.clone(), all.len() as u64)).collect();
        for (id, revision) in &there {
            prop_assert!(here.get(id).is_some_and(|here| here >= revision), "{id}: {here:?} of {there:?}");
        }
        prop_assert!(world.here.waiting.is_empty(), "no edit waits");
        let made: Vec<String> = (1..=world.made).map(|key| key.to_string()).collect();
        prop_assert_eq!(&world.host.edits, &made, "each once, in order");
    }
}

/// The link to a host that answers everything it was asked.
fn followed() -> World {
    let mut world = World::new();
    world.host.change(0);
    world.settle();
    assert_eq!(world.here.revisions["s0"], [1]);
    world
}

// H5
#[test]
fn only_what_is_fetched_at_first_is_of_the_last_days() {
    let mut world = followed();
    world.host.change(1);
    world.notice();
    world.settle();
    assert_eq!(world.host.asked_since, [true, false], "what changes later counts whatever its age");
    // The host is put back to a time before.
    world.tell(Input::Lost("it broke".into()));
    world.host.cursor = 1;
    world.host.sessions.remove("s1");
    world.settle();
    assert_eq!(world.host.asked_since, [true, false, false, true], "it is begun from the first change again");
    assert_eq!(world.here.cursor.as_deref(), Some("1"));
}

// H11
#[test]
fn a_pipe_that_is_frozen_is_given_up() {
    let mut world = followed();
    world.now = world.link.next_tick();
    world.tell(Input::Tick);
    assert_eq!(world.out.len(), 1, "it is asked whether it is there");
    let asked = world.now;
    world.now = world.link.next_tick();
    assert!(world.now <= asked + Timing::default().frozen);
    world.tell(Input::Tick);
    assert!(!world.is_open, "and does not answer");
}

// H11
#[test]
fn a_command_that_leads_nowhere_is_ended_and_tried_less_and_less() {
    let mut world = World::new();
    let mut attempts = Vec::new();
    for attempt in 1..=10 {
        assert_eq!(world.opened, attempt);
        world.back.clear();
        world.now = world.link.next_tick();
        world.tell(Input::Tick);
        assert!(!world.is_open, "it had its time");
        let ended = world.now;
        world.now = world.link.next_tick();
        attempts.push((world.now - ended).as_secs());
        world.tell(Input::Tick);
    }
    assert_eq!(attempts, [1, 2, 4, 8, 16, 32, 60, 60, 60, 60]);
    // Whoever waits for it does not wait for that.
    world.tell(Input::Lost("it broke".into()));
    world.tell(Input::Woken);
    assert_eq!(world.opened, 12);
}

// H11
#[test]
fn a_host_with_an_older_gateway_is_told_apart() {
    let mut world = World::new();
    world.host.is_old = true;
    world.happen(8, 0);
    world.happen(4, 0);
    let Some(input) = world.back.pop_front() else { panic!("it answers") };
    let effects = world.link.step(world.now, input);
    assert_eq!(effects[0], Effect::Close);
    assert!(matches!(&effects[1], Effect::Down(problem) if problem.english.contains("update it there")), "{effects:?}");
}

// S33
#[test]
fn what_the_host_refuses_keeps_its_name_and_its_parameters() {
    let refusal = |text: Text| Box::new(Err(Error::new(Code::Unauthorized, text)));
    let mut world = World::new();
    world.happen(8, 0);
    let (id, _) = world.out.pop_front().expect("it is asked who it is");
    let ended = Input::Answer(id, refusal(protocol::say::door_key_ended()));
    let effects = world.link.step(world.now, ended);
    assert_eq!(effects, [Effect::Close, Effect::Down(protocol::say::door_key_ended())]);

    let mut world = followed();
    let edit = Forwarded { session_id: String::new(), edit: EditOnce::default() };
    let sent = world.link.step(world.now, Input::NextEdit(Some(Box::new(edit.clone()))));
    let [Effect::Send(id, _)] = &sent[..] else { panic!("{sent:?}") };
    let full = protocol::say::list_full(257, 256);
    let effects = world.link.step(world.now, Input::Answer(*id, refusal(full.clone())));
    assert_eq!(effects, [Effect::Settle(Box::new(edit), Some(full))]);
}

// H11
#[test]
fn a_session_that_is_not_understood_holds_nothing_else_up() {
    let mut world = followed();
    world.host.odd = Some("s1".to_owned());
    for session in [1, 2, 3] {
        world.happen(0, session);
    }
    world.settle();
    assert_eq!(world.here.revisions.keys().collect::<Vec<_>>(), ["s0", "s2", "s3"]);
    assert!(world.problems[0].english.contains("its session s1 cannot be taken over: it is not understood"));
    assert_eq!(world.problems[0].named.as_ref().map(|text| text.name.as_str()), Some("link_session"));
    assert_eq!(world.opened, 1, "over the same connection");
    // It is asked for again when it changes.
    world.host.odd = None;
    world.happen(0, 1);
    world.settle();
    assert_eq!(world.here.revisions["s1"], [1, 2]);
}
