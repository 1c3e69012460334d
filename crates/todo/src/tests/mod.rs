//! The rules of the list, as tables and as laws.

mod apart;
mod commands;
mod depends;
mod drafts;
mod growth;
mod identity;
mod insist;
mod laws;
mod level;
mod load;
mod manager;
mod merge;
mod others;
mod part;
mod place;
mod progress;
mod restore;
mod reviewed;
mod set;
mod undo;
mod worked;

use crate::change::find;
use crate::{
    Applied, By, Change, Draft, Edit, EditState, Item, List, Others, Position, Positions, Removed, SentDifference,
    Stamp, Target, apply,
};
use jiff::Timestamp;
use serde_json::{Value, json};
use uuid::Uuid;

/// A list with its own clock and uids, so that every run is the same.
pub(super) struct World {
    pub(super) list: List,
    /// The lists before, oldest first.
    pub(super) past: Vec<Vec<Item>>,
    /// The list that each caller's own last change made.
    made: std::collections::HashMap<String, Vec<Item>>,
    seconds: i64,
    uids: u128,
}

impl World {
    pub(super) fn new() -> Self {
        Self { list: List::default(), past: Vec::new(), made: std::collections::HashMap::new(), seconds: 0, uids: 0 }
    }

    pub(super) fn change(&mut self, change: Change) -> crate::Result<Applied> {
        self.seconds += 1;
        let now = Timestamp::from_second(self.seconds).expect("a small number is a time");
        let uids = &mut self.uids;
        let mut next = || {
            *uids += 1;
            Uuid::from_u128(*uids)
        };
        let agent = match &change {
            Change::Replace { caller, .. } | Change::Merge { caller, .. } => Some(caller.clone()),
            Change::Add { by: By::Agent { caller }, .. } | Change::Set { by: By::Agent { caller }, .. } => {
                Some(caller.clone())
            }
            _ => None,
        };
        let done = apply(&self.list, change, &mut Stamp { now, uid: &mut next })?;
        self.made.extend(agent.map(|agent| (agent, done.list.items.clone())));
        self.past.push(std::mem::replace(&mut self.list, done.list.clone()).items);
        Ok(done)
    }

    /// An agent sends its list, and hears what was made of it.
    #[expect(clippy::needless_pass_by_value, reason = "so that tables can be written in place")]
    pub(super) fn write(&mut self, caller: &str, todos: Value) -> Applied {
        let done = self.send(caller, &todos);
        self.hear(caller);
        done
    }

    /// An agent sends a list that may be refused.
    pub(super) fn try_write(&mut self, caller: &str, todos: &Value) -> crate::Result<Applied> {
        let drafts = Draft::list(todos)?;
        let done = self.change(Change::Replace { caller: caller.to_owned(), drafts })?;
        self.hear(caller);
        Ok(done)
    }

    /// An agent adds an item outright.
    pub(super) fn agent_add(&mut self, caller: &str, position: &str, content: &str) -> crate::Result<Applied> {
        let drafts = vec![Draft::new(content)];
        let by = By::Agent { caller: caller.to_owned() };
        let done = self.change(Change::Add { position: Position::parse(position)?, drafts, by })?;
        self.hear(caller);
        Ok(done)
    }

    /// An agent sets the status of items outright.
    pub(super) fn agent_set(&mut self, caller: &str, positions: &str, status: &str) -> crate::Result<Applied> {
        let target = Target::At(Positions::parse(positions)?);
        let patch = Box::new(Draft::patch(&json!({ "status": status }), "status")?);
        let done = self.change(Change::Set { target, patch, by: By::Agent { caller: caller.to_owned() } })?;
        self.hear(caller);
        Ok(done)
    }

    /// An agent sends its list, and the answer is lost.
    pub(super) fn send(&mut self, caller: &str, todos: &Value) -> Applied {
        let drafts = Draft::list(todos).expect("the list is well formed");
        self.change(Change::Replace { caller: caller.to_owned(), drafts }).expect("a list is always taken")
    }

    /// An answer with the list as it is now reaches an agent.
    pub(super) fn hear(&mut self, caller: &str) {
        let told = self.list.items.clone();
        let now = Timestamp::from_second(self.seconds).expect("a small number is a time");
        let others = self.list.others(caller);
        let hidden = self.list.hidden_by(&others);
        let queued = self.list.edits.iter().filter(|edit| edit.state == EditState::Queued);
        let queued: Vec<Uuid> =
            queued.filter(|edit| Others::part_of(edit, &hidden).is_some()).map(|edit| edit.id).collect();
        self.list.delivered(caller, Some(told), &queued, None, now);
    }

    /// Writes the state as the store keeps it, and reads it back: each caller's words beside the list that they made, and
    /// the edits as JSON. Of lists in between it is as the hub does it, by revisions.
    pub(super) fn restart(&mut self) {
        for (caller, memory) in &mut self.list.callers {
            let Some(made) = self.made.get(caller) else { continue };
            let packed = serde_json::to_string(&SentDifference::pack(memory, made)).expect("it is plain data");
            let read = serde_json::from_str::<SentDifference>(&packed).expect("it reads back");
            (memory.last_sent, memory.last_sent_order, memory.last_sent_parents) = read.unpack(made);
            memory.has_sent = true;
        }
        let edits = serde_json::to_string(&self.list.edits).expect("edits are plain data");
        self.list.edits = serde_json::from_str(&edits).expect("they read back");
    }

    pub(super) fn add(&mut self, position: &str, content: &str) -> crate::Result<Applied> {
        let draft = Draft::new(content);
        let position = Position::parse(position)?;
        self.change(Change::Add { position, drafts: vec![draft], by: me() })
    }

    pub(super) fn delete(&mut self, position: &str) -> crate::Result<Applied> {
        let target = Target::At(Positions::parse(position)?);
        self.change(Change::Delete { target, client: "me".to_owned() })
    }

    /// The user sets fields of items.
    #[expect(clippy::needless_pass_by_value, reason = "so that tables can be written in place")]
    pub(super) fn set(&mut self, positions: &str, fields: Value) -> crate::Result<Applied> {
        let target = Target::At(Positions::parse(positions)?);
        let patch = Box::new(Draft::patch(&fields, "todo.edit")?);
        self.change(Change::Set { target, patch, by: me() })
    }

    pub(super) fn move_to(&mut self, from: &str, to: &str) -> crate::Result<Applied> {
        let target = Target::At(Positions::parse(from)?);
        self.change(Change::Move { target, to: Position::parse(to)?, client: "me".to_owned() })
    }

    /// The user puts items on the other level.
    pub(super) fn level(&mut self, positions: &str, out: bool) -> crate::Result<Applied> {
        let target = Target::At(Positions::parse(positions)?);
        self.change(Change::Level { target, out, client: "me".to_owned() })
    }

    /// An agent sends a part of its list, and hears what was made of it.
    #[expect(clippy::needless_pass_by_value, reason = "so that tables can be written in place")]
    pub(super) fn part(&mut self, caller: &str, todos: Value) -> crate::Result<Applied> {
        let drafts = Draft::part(&todos)?;
        let done = self.change(Change::Merge { caller: caller.to_owned(), drafts })?;
        self.hear(caller);
        Ok(done)
    }

    /// The user puts another list in the place of this one.
    pub(super) fn load(&mut self, items: Vec<Item>) -> crate::Result<Applied> {
        self.change(Change::Load { items, client: "me".to_owned() })
    }

    /// Items that were and are gone, each as it was last, the newest first.
    pub(super) fn still_removed(&self) -> Vec<Removed> {
        let mut gone: Vec<Removed> = Vec::new();
        for items in self.past.iter().rev() {
            for (item, parent) in crate::list::flat(items) {
                if !self.has(item.uid) && gone.iter().all(|known| known.item.uid != item.uid) {
                    let rank = item.rank.clone();
                    gone.push(Removed {
                        item: item.clone(),
                        rank,
                        parent,
                        dropped_by: std::collections::BTreeSet::new(),
                        back: false,
                    });
                }
            }
        }
        gone
    }

    /// The user brings an item back.
    pub(super) fn restore(&mut self, gone: Removed) -> crate::Result<Applied> {
        self.change(Change::Restore { gone: Box::new(gone), client: "me".to_owned() })
    }

    pub(super) fn clear(&mut self) -> Applied {
        self.change(Change::Clear { client: "me".to_owned() }).expect("clearing always works")
    }

    pub(super) fn undo(&mut self) -> crate::Result<Applied> {
        self.change(Change::Undo { edit: None, client: "me".to_owned() })
    }

    pub(super) fn contents(&self) -> Vec<String> {
        contents(&self.list.items)
    }

    pub(super) fn item(&self, content: &str) -> &Item {
        crate::list::flat(&self.list.items)
            .map(|(item, _)| item)
            .find(|item| item.content == content)
            .unwrap_or_else(|| panic!("{content:?} is in {:?}", self.contents()))
    }

    pub(super) fn edit(&self, id: Option<Uuid>) -> &Edit {
        let id = id.expect("the change made an edit");
        self.list.edits.iter().find(|edit| edit.id == id).expect("the edit is kept")
    }

    pub(super) fn item_by(&self, uid: Uuid) -> &Item {
        find(&self.list.items, uid).expect("the item is in the list")
    }

    pub(super) fn has(&self, uid: Uuid) -> bool {
        find(&self.list.items, uid).is_some()
    }
}

fn me() -> By {
    By::User { client: "me".to_owned() }
}

pub(super) fn contents(items: &[Item]) -> Vec<String> {
    crate::list::flat(items).map(|(item, _)| item.content.clone()).collect()
}

/// A list of pending items.
pub(super) fn todos(contents: &[&str]) -> Value {
    contents.iter().map(|content| json!({ "content": content })).collect()
}
