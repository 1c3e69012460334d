//! A turn: the model's answers, its tool calls one after the other, and its end (requirements T10, G3, P2).

use super::run::{Effort, State, Turn};
use super::{
    AgentMachine, Approval, CALLS, CALLS_AT_ONCE, Effect, IDLE_LISTINGS, LISTINGS, ModelReply, Notice, Policy, Purpose,
    RunEnd, TODO_TOOLS, ToolCall,
};
use todo::short;
use uuid::Uuid;

/// The result of calls beyond [`CALLS_AT_ONCE`], for the model.
const TOO_MANY: &str =
    "At most 50 calls in one answer; this one was not made. Make it in the next, where it is still needed.";

impl AgentMachine {
    pub(super) fn turned(&mut self, mut reply: ModelReply) {
        self.run.steps = self.run.steps.saturating_add(reply.more_steps);
        for call in reply.calls.drain(CALLS_AT_ONCE.min(reply.calls.len())..) {
            self.effects.push(Effect::Reject { call, reason: TOO_MANY.to_owned() });
        }
        let turn = &mut self.run.turn;
        turn.has_called = !reply.calls.is_empty();
        turn.is_listing = turn.has_called && reply.calls.iter().all(is_todo_tool);
        // Counted before the calls are made, since a change of the list by one of them resets the count.
        (turn.listings, turn.idle_listings) = match turn.is_listing {
            true => (turn.listings + 1, turn.idle_listings + 1),
            false => (0, 0),
        };
        turn.has_acted |= turn.has_called;
        turn.is_done |= reply.done;
        turn.calls = reply.calls.into();
        self.next_call();
    }

    /// Makes the next call, or comes to the end of the model's answer. Calls are made one at a time: each may exceed the
    /// limit, need an approval, or end the item that the others were for.
    pub(super) fn next_call(&mut self) {
        if self.run.item.is_some() && self.has_others_in_progress() {
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
                        return self.end(RunEnd::Failed(insisted(&tool)));
                    }
                }
            }
        }
        self.answered_whole();
    }

    /// Goes on with the turn after [`Self::put_back`], unless the user has begun another item meanwhile.
    pub(super) fn go_on(&mut self) {
        if !self.has_others_in_progress() {
            return self.next_call();
        }
        self.reject_calls("Another item is worked on now.");
        self.next();
    }

    /// The call counts for an item, also for one that the model has begun by itself.
    fn is_counted(&self, call: &ToolCall) -> bool {
        !is_todo_tool(call) && (self.run.item.is_some() || self.at_work().is_some())
    }

    /// Counts a call that was not allowed, in a turn without an item that could be skipped; true if there were too many.
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
            // The call is checked once more, since its item may be done by now.
            Approval::Once | Approval::Session => {
                if approval == Approval::Session {
                    self.checkpoint.approved.insert(call.tool.clone());
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
                    None if self.insists() => self.end(RunEnd::Failed(insisted(&tool))),
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

    /// Decides what follows after the last call of the model's answer.
    fn answered_whole(&mut self) {
        let turn = &self.run.turn;
        let Some(item) = self.run.item else {
            if turn.is_done {
                // A list that was there before does not belong to this task.
                let is_its_list = self.run.is_over_list || self.has_own_list();
                return if is_its_list { self.task_done(self.at_work()) } else { self.completed() };
            }
            // The prompt has an answer, whatever is open in the list.
            self.checkpoint.unanswered &= turn.has_called;
            return match (turn.has_called, turn.only_lists(), self.choose(None)) {
                (true, None, _) => self.ask(State::Turning, Purpose::GoOn),
                (_, _, Some(_)) if self.run.is_over_list => self.next(),
                (_, _, Some(open)) => self.continue_with(open),
                (true, Some(why), None) => self.end(RunEnd::Failed(why)),
                // The model is asked whether a list that was worked through completes the task.
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

    /// The model has written the list by itself.
    fn has_own_list(&self) -> bool {
        self.run.has_own_list && !self.list.items.is_empty()
    }

    /// Continues after a turn that ended with work left (P2).
    fn continue_with(&mut self, item: Uuid) {
        let of = self.settings.max_continuations;
        if self.checkpoint.continuations >= of {
            return self.end_heard(RunEnd::Continued);
        }
        self.checkpoint.continuations += 1;
        self.run.older.remove(&item);
        self.run.turn = Turn::default();
        let named = self.list.item(item).map(|item| short(&item.content)).unwrap_or_default();
        let nth = self.checkpoint.continuations;
        self.effects.push(Effect::Tell(Notice::Continued { item: named, nth, of }));
        self.ask(State::Turning, Purpose::Continue { item });
    }
}

impl Turn {
    /// The reason to stop a model that does nothing but change its list.
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
