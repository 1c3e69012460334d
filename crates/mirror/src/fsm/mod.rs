//! The state machine of a link: what it is told makes it want things done, in order. It does nothing itself, and has the
//! time only from what it is told.
//!
//! Of what is asked of the hub and of the host, results come back as inputs with the number of the connection that they are
//! of; those of an earlier one mean nothing any more.

mod event;
mod following;
#[cfg(test)]
mod tests;

pub(crate) use event::{Effect, Input};
use following::Following;
use protocol::{Error, EventsSubscribe, FEED, Hello, Reply, Request, Text, say};
use std::time::Duration;

/// Times of a link.
#[derive(Debug, Clone, Copy)]
pub struct Timing {
    /// For the command to lead to a gateway that has answered.
    pub opening: Duration,
    /// Between two questions whether it is there, where nothing else is asked.
    pub probe: Duration,
    /// Without a word of it although something was asked, after which the pipe counts as frozen.
    pub frozen: Duration,
    /// Before the first new attempt; each further one waits twice as long.
    pub first_pause: Duration,
    /// Between two attempts at most.
    pub longest_pause: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            opening: Duration::from_secs(30),
            probe: Duration::from_secs(10),
            frozen: Duration::from_secs(15),
            first_pause: Duration::from_secs(1),
            longest_pause: Duration::from_secs(60),
        }
    }
}

impl Timing {
    /// The same for a link to a Tek gateway.
    pub(crate) fn of_tek(self) -> tek::Timing {
        let Self { opening, probe, frozen, first_pause, longest_pause } = self;
        tek::Timing { opening, probe, frozen, first_pause, longest_pause }
    }
}

#[derive(Debug)]
enum Phase {
    /// Not connected until that time.
    Resting { until: Duration },
    /// The command is started, and has until that time to lead to a gateway.
    Opening { until: Duration },
    /// The gateway is asked who it is.
    Greeting { until: Duration, sent: Duration },
    /// It answers.
    Following(Box<Following>),
}

/// A link to a host.
#[derive(Debug)]
pub(crate) struct Link {
    timing: Timing,
    /// Sessions of the last days are fetched at first, from this time on in the host's own; `None` for all.
    since: Option<jiff::Timestamp>,
    phase: Phase,
    failures: u32,
    /// The number of the last request.
    sent: u64,
    /// The time at which the host was last heard.
    heard: Duration,
}

impl Link {
    pub(crate) fn new(timing: Timing, since: Option<jiff::Timestamp>) -> Self {
        let phase = Phase::Resting { until: Duration::ZERO };
        Self { timing, since, phase, failures: 0, sent: 0, heard: Duration::ZERO }
    }

    /// Takes an input at a time, and returns what is to be done for it.
    pub(crate) fn step(&mut self, now: Duration, input: Input) -> Vec<Effect> {
        let mut effects = Vec::new();
        match input {
            Input::Lost(problem) => self.lose(now, problem, &mut effects),
            Input::Tick => self.tick(now, &mut effects),
            Input::Woken if matches!(self.phase, Phase::Resting { .. }) => self.open(now, &mut effects),
            Input::Opened => {
                if let Phase::Opening { until } = self.phase {
                    self.heard = now;
                    self.phase = Phase::Greeting { until, sent: now };
                    let hello = Hello { protocol: Some(protocol::PROTOCOL), client: None, agent: None };
                    self.send(hello.into(), &mut effects);
                }
            }
            input => {
                if matches!(input, Input::Answer(..) | Input::Changed) {
                    self.heard = now;
                }
                self.go_on(now, input, &mut effects);
            }
        }
        effects
    }

    /// The time at which it wants to be told that time has passed.
    pub(crate) fn next_tick(&self) -> Duration {
        match &self.phase {
            Phase::Resting { until } | Phase::Opening { until } | Phase::Greeting { until, .. } => *until,
            Phase::Following(following) => {
                let probe = self.heard.max(following.probed()) + self.timing.probe;
                if following.asks() { probe.min(self.heard + self.timing.frozen) } else { probe }
            }
        }
    }

    fn open(&mut self, now: Duration, effects: &mut Vec<Effect>) {
        self.phase = Phase::Opening { until: now + self.timing.opening };
        effects.push(Effect::Open);
    }

    fn send(&mut self, request: Request, effects: &mut Vec<Effect>) -> u64 {
        self.sent += 1;
        effects.push(Effect::Send(self.sent, Box::new(request)));
        self.sent
    }

    fn lose(&mut self, now: Duration, problem: Text, effects: &mut Vec<Effect>) {
        if matches!(self.phase, Phase::Resting { .. }) {
            return;
        }
        if let Phase::Following(following) = &self.phase
            && following.has_caught_up()
        {
            self.failures = 0;
        }
        let pause = self.timing.first_pause.saturating_mul(2_u32.saturating_pow(self.failures.min(16)));
        self.failures += 1;
        self.phase = Phase::Resting { until: now + pause.min(self.timing.longest_pause) };
        effects.push(Effect::Close);
        effects.push(Effect::Down(problem));
    }

    fn tick(&mut self, now: Duration, effects: &mut Vec<Effect>) {
        match &mut self.phase {
            Phase::Resting { until } if *until <= now => self.open(now, effects),
            Phase::Opening { until } if *until <= now => {
                self.lose(now, say::link_no_answer(), effects);
            }
            Phase::Greeting { until, .. } if *until <= now => {
                self.lose(now, say::link_greeting_late(), effects);
            }
            Phase::Following(following) => {
                if following.asks() && now >= self.heard + self.timing.frozen {
                    self.lose(now, say::link_frozen(), effects);
                } else if now >= self.heard.max(following.probed()) + self.timing.probe {
                    let id = self.sent + 1;
                    following.probe(id, now);
                    self.send(protocol::GatewayStatus {}.into(), effects);
                }
            }
            _ => {}
        }
    }

    fn go_on(&mut self, now: Duration, input: Input, effects: &mut Vec<Effect>) {
        match &mut self.phase {
            Phase::Greeting { sent, .. } => {
                let delay = now.saturating_sub(*sent);
                if let Input::Answer(_, answer) = input {
                    self.greeted(now, delay, *answer, effects);
                }
            }
            Phase::Following(following) => {
                let sent = &mut self.sent;
                let mut send = |request: Request, effects: &mut Vec<Effect>| {
                    *sent += 1;
                    effects.push(Effect::Send(*sent, Box::new(request)));
                    *sent
                };
                if let Err(problem) = following.step(now, input, &mut send, effects) {
                    self.lose(now, problem, effects);
                }
            }
            Phase::Resting { .. } | Phase::Opening { .. } => {}
        }
    }

    fn greeted(&mut self, now: Duration, delay: Duration, answer: Result<Reply, Error>, effects: &mut Vec<Effect>) {
        let hello = match answer {
            Ok(Reply::Hello(hello)) => hello,
            Ok(_) => return self.lose(now, say::link_other_answer(), effects),
            Err(error) => return self.lose(now, error.into_text(), effects),
        };
        let version = hello.version;
        if !hello.features.iter().any(|feature| feature == FEED) {
            return self.lose(now, say::link_version(&version), effects);
        }
        effects.push(Effect::Up { version, delay });
        let id = self.send(EventsSubscribe { since: Some(hello.cursor) }.into(), effects);
        self.phase = Phase::Following(Box::new(Following::new(id, self.since)));
        effects.push(Effect::ReadEdit);
    }
}
