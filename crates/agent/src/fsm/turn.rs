//! A turn: the model's answers, its tool calls one after the other, and its end (REQUIREMENTS T10, G3, P2).

use super::run::{After, Effort, State, Turn};
use super::{
    Approval, CALLS, CALLS_AT_ONCE, CONTINUATIONS, Change, Effect, IDLE_LISTINGS, LISTINGS, Machine, Mark, Notice,
    Outcome, Policy, Purpose, Reply, TODO_TOOLS, ToolCall,
};
use todo::{Status, short};
use uuid::Uuid;

/// What the model reads of the calls beyond [`CALLS_AT_ONCE`].
const TOO_MANY: &str =
    "At most 50 calls in one answer; this one was not made. Make it in the next, where it is still needed.";

impl Machine {
    pub(super) fn turned(&mut self, mut reply: Reply) {
        self.run.steps = self.run.steps.saturating_add(reply.more_steps);
        for call in reply.calls.drain(CALLS_AT_ONCE.min(reply.calls.len())..) {
            self.effects.push(Effect::Reject { call, reason: TOO_MANY.to_owned() });
        }
        let turn = &mut self.run.turn;
        turn.has_called = !reply.calls.is_empty();
        turn.is_listing = turn.has_called && reply.calls.iter().all(is_todo_tool);
        // Before its calls are made: the change that one of them makes sets it back.
        (turn.listings, turn.idle_listings) = match turn.is_listing {
            true => (turn.listings + 1, turn.idle_listings + 1),
            false => (0, 0),
        };
        turn.has_acted |= turn.has_called;
        turn.is_done |= reply.done;
        turn.calls = reply.calls.into();
        self.next_call();
    }

    /// The next call, or the end of the model's answer. Calls are made one at a time: each can be the one too many,
    /// need an approval, or end the item that the others were for.
    pub(super) fn next_call(&mut self) {
        if self.run.item.is_some() && self.list.in_progress().nth(1).is_some() {
            return self.put_back();
        }
        while let Some(call) = self.run.turn.calls.pop_front() {
            if self.is_counted(&call) {
                let Some(item) = self.at_work() else {
                    self.run.turn.calls.push_front(call);
                    self.reject_calls("No item is in progress any more; the next one follows.");
                    return self.next();
                };
                if let Some(reason) = self.run.efforts.get(&item).and_then(used_up) {
                    self.run.turn.calls.push_front(call);
                    return self.skip(item, &reason);
                }
            }
            let is_approved = std::mem::take(&mut self.run.turn.is_approved);
            match self.policy(&call.tool) {
                Policy::Auto => return self.call(call),
                Policy::Ask if is_approved => return self.call(call),
                Policy::Ask => {
                    self.run.turn.current = Some(call.clone());
                    return self.request(State::Approving, |id| Effect::Approve { id, call });
                }
                Policy::Deny => {
                    let reason = format!("The user's settings deny {}; do without it.", call.tool);
                    if let Some(item) = self.at_work().filter(|_| self.is_counted(&call)) {
                        let effort = self.run.efforts.entry(item).or_default();
                        (effort.calls, effort.error) = (effort.calls + 1, Some(reason.clone()));
                    }
                    let tool = call.tool.clone();
                    self.effects.push(Effect::Reject { call, reason });
                    if self.insists() {
                        return self.end(Outcome::Failed(insisted(&tool)));
                    }
                }
            }
        }
        self.answered_whole();
    }

    /// The model has begun another item beside its own: that one is pending again (K3).
    fn put_back(&mut self) {
        let doing = self.doing();
        let others = self.list.in_progress().filter(|uid| Some(*uid) != doing);
        let marks = others.map(|uid| Mark::new(uid, Status::Pending)).collect();
        self.change(After::Turn, Change::Set(marks));
    }

    /// The list has one item in progress again; where it has not, the user has begun one meanwhile.
    pub(super) fn go_on(&mut self) {
        if self.list.in_progress().nth(1).is_none() {
            return self.next_call();
        }
        self.reject_calls("Another item is worked on now.");
        self.next();
    }

    /// It is one of an item's tool calls, also where the model has begun that item by itself.
    fn is_counted(&self, call: &ToolCall) -> bool {
        !is_todo_tool(call) && (self.run.item.is_some() || self.at_work().is_some())
    }

    /// A call was not allowed, in a turn that has no item to be skipped: one too many.
    fn insists(&mut self) -> bool {
        let not_allowed = &mut self.run.turn.not_allowed;
        *not_allowed = not_allowed.saturating_add(u8::from(self.run.item.is_none()));
        *not_allowed > CALLS
    }

    fn call(&mut self, call: ToolCall) {
        if let Some(item) = self.at_work().filter(|_| self.is_counted(&call)) {
            self.run.efforts.entry(item).or_default().calls += 1;
        }
        self.run.turn.current = Some(call.clone());
        self.request(State::Calling, |id| Effect::Call { id, call });
    }

    pub(super) fn approved(&mut self, approval: Approval) {
        let Some(call) = self.run.turn.current.take() else { return self.next_call() };
        match approval {
            // Looked at once more: its item may be done by now.
            Approval::Once | Approval::Session => {
                if approval == Approval::Session {
                    self.kept.approved.insert(call.tool.clone());
                }
                self.run.turn.calls.push_front(call);
                self.run.turn.is_approved = true;
                self.next_call();
            }
            Approval::Refused => {
                let tool = call.tool.clone();
                let reason = format!("The user refused to approve {tool}.");
                self.effects.push(Effect::Reject { call, reason: reason.clone() });
                match self.doing().filter(|_| self.run.item.is_some()) {
                    Some(item) => self.skip(item, &reason),
                    None if self.insists() => self.end(Outcome::Failed(insisted(&tool))),
                    None => self.next_call(),
                }
            }
            Approval::Expired => {
                self.run.turn.current = Some(call);
                self.unanswered();
            }
        }
    }

    pub(super) fn called(&mut self, error: Option<String>) {
        let call = self.run.turn.current.take();
        let is_counted = call.is_some_and(|call| self.is_counted(&call));
        if let Some(item) = self.at_work().filter(|_| is_counted) {
            self.run.efforts.entry(item).or_default().error = error;
        }
        self.next_call();
    }

    /// The model's answer is dealt with: what follows from it.
    fn answered_whole(&mut self) {
        let turn = &self.run.turn;
        let Some(item) = self.run.item else {
            if turn.is_done {
                // A list that was there before is none of this task's.
                let is_its_list = self.run.is_over_list || self.has_own_list();
                return if is_its_list { self.task_done(self.at_work()) } else { self.completed() };
            }
            // It has answered, whatever else is open in its list.
            self.kept.unanswered &= turn.has_called;
            return match (turn.has_called, turn.only_lists(), self.choose(None)) {
                (true, None, _) => self.ask(State::Turning, Purpose::GoOn),
                (_, _, Some(_)) if self.run.is_over_list => self.next(),
                (_, _, Some(open)) => self.continue_with(open),
                (true, Some(why), None) => self.end(Outcome::Failed(why)),
                // Whether a list that was worked through is enough is asked.
                (false, _, None) if self.run.is_over_list || self.has_own_list() => self.next(),
                (false, _, None) => self.completed(),
            };
        };
        if turn.claims == Some(item) && self.list.is_in_progress(item) {
            self.verify(item);
        } else if turn.is_done {
            self.task_done(Some(item));
        } else if !self.list.is_in_progress(item) {
            self.next();
        } else if let Some(why) = turn.only_lists() {
            self.skip(item, &why);
        } else if turn.has_called {
            self.ask(State::Turning, Purpose::GoOn);
        } else if turn.has_acted {
            self.verify(item);
        } else {
            self.continue_with(item);
        }
    }

    /// The list is one that the model has written by itself.
    fn has_own_list(&self) -> bool {
        self.run.has_own_list && !self.list.items.is_empty()
    }

    /// P2: the turn is over and there is work left.
    fn continue_with(&mut self, item: Uuid) {
        if self.kept.continuations >= CONTINUATIONS {
            return self.end_heard(Outcome::Continued);
        }
        self.kept.continuations += 1;
        self.run.older.remove(&item);
        self.run.turn = Turn::default();
        let named = self.list.item(item).map(|item| short(&item.content)).unwrap_or_default();
        let nth = self.kept.continuations;
        self.effects.push(Effect::Tell(Notice::Continued { item: named, nth, of: CONTINUATIONS }));
        self.ask(State::Turning, Purpose::Continue { item });
    }

    /// The model hears of every call that will not be made.
    pub(super) fn reject_calls(&mut self, reason: &str) {
        let turn = &mut self.run.turn;
        for call in turn.current.take().into_iter().chain(turn.calls.drain(..)) {
            self.effects.push(Effect::Reject { call, reason: reason.to_owned() });
        }
    }

    /// What has to happen before a tool is called now.
    pub(super) fn policy(&self, tool: &str) -> Policy {
        match self.settings.policy(tool) {
            Policy::Ask if self.kept.approved.contains(tool) || self.run.granted.contains(tool) => Policy::Auto,
            policy => policy,
        }
    }
}

impl Turn {
    /// The model does nothing but keep its list: why that is enough.
    fn only_lists(&self) -> Option<String> {
        let answers = match (self.listings, self.idle_listings) {
            (LISTINGS.., _) => LISTINGS,
            (_, IDLE_LISTINGS..) => IDLE_LISTINGS,
            _ => return None,
        };
        Some(format!("The model did nothing but keep its list, in {answers} answers one after the other."))
    }
}

fn is_todo_tool(call: &ToolCall) -> bool {
    TODO_TOOLS.contains(&call.tool.as_str())
}

fn insisted(tool: &str) -> String {
    format!("The model goes on calling tools that it may not call; the last one was {tool}.")
}

fn used_up(effort: &Effort) -> Option<String> {
    (effort.calls >= CALLS).then(|| match &effort.error {
        Some(error) => format!("It used up its {CALLS} tool calls; the last one failed: {}", short(error)),
        None => format!("It used up its {CALLS} tool calls."),
    })
}
