//! The protected merge: an agent's whole list against the list there is, without losing the user's word.
//!
//! The base is what the caller said last and what it was last told. A value that equals the caller's own last one
//! is repetition, since models rewrite lists from their context; only a changed value decides anything.
//! - An item that the user added stays until it is done or the user removes it, mentioned or not.
//! - An item that the user removed stays away while it is merely sent again. It returns when the agent, once told,
//!   dropped it and then sends it again.
//! - An item that this caller never sent (another's, say) is not removed by its silence until it is done.

use crate::change::Applied;
use crate::identity::{Candidate, pair};
use crate::list::{Memory, Stamp, flat};
use crate::{Draft, EditAction, EditState, Item, List, Origin, Status};
use std::collections::{BTreeMap, HashMap, HashSet};
use uuid::Uuid;

/// Takes over a list as `caller` sends it.
pub(crate) fn replace(mut list: List, caller: &str, drafts: Vec<Draft>, stamp: &mut Stamp<'_>) -> Applied {
    let memory = list.callers.remove(caller).unwrap_or_default();
    let head = std::mem::take(&mut list.items);
    let graves = Graves::of(&list, &head, caller);
    let mut merge = Merge {
        wrote: memory.wrote,
        told: memory.told.as_deref().map(|items| flat(items).map(|(item, _)| (item.uid, Draft::of(item))).collect()),
        said: &memory.said,
        said_order: memory.order.iter().enumerate().map(|(at, uid)| (*uid, at + 1)).collect(),
        now_order: Vec::new(),
        protected: protected(&list, &head),
        graves,
        now_said: BTreeMap::new(),
        mentioned: HashSet::new(),
        returned: HashSet::new(),
        stamp,
    };
    // Ids of ours are given against all items there were, so that none is used twice.
    list.items.clone_from(&head);
    let mut items = merge.level(&mut list, &head, None, drafts);
    unique_ids(&mut list, &mut items);
    let Merge { now_said, now_order, mentioned, returned, .. } = merge;
    list.items = items;
    let mut remarks = Vec::new();
    let sent = Sent { caller, before: &memory, said: &now_said, mentioned: &mentioned, returned: &returned };
    let edits = settle(&mut list, &sent, &mut remarks, stamp);
    let active = list.items.iter().filter(|item| item.status == Status::InProgress).count();
    if active > 1 {
        remarks.push(format!("{active} items are in progress; one at a time is the norm, mark the others pending."));
    }
    list.callers.insert(caller.to_owned(), Memory { told: memory.told, wrote: true, said: now_said, order: now_order });
    let mut done = Applied::of(list, String::new());
    done.edits = edits;
    done.remarks = remarks;
    done
}

/// What the user removed, by the item that it was a subtask of.
struct Graves {
    removed: HashMap<Option<Uuid>, Vec<(Item, bool)>>,
}

impl Graves {
    fn of(list: &List, head: &[Item], caller: &str) -> Self {
        let alive: HashSet<Uuid> = flat(head).map(|(item, _)| item.uid).collect();
        let mut removed: HashMap<Option<Uuid>, Vec<(Item, bool)>> = HashMap::new();
        for edit in list.edits.iter().rev().filter(|edit| edit.stands()) {
            for gone in edit.removed().iter().filter(|gone| !alive.contains(&gone.item.uid)) {
                let level = removed.entry(gone.parent).or_default();
                if level.iter().all(|(item, _)| item.uid != gone.item.uid) {
                    level.push((
                        Item { rank: gone.rank.clone(), ..gone.item.clone() },
                        gone.dropped_by.contains(caller),
                    ));
                }
            }
        }
        Self { removed }
    }

    fn level(&self, parent: Option<Uuid>) -> &[(Item, bool)] {
        self.removed.get(&parent).map_or(&[], Vec::as_slice)
    }
}

/// Items that silence does not remove: the user's, until they are done, and those that the user brought back.
fn protected(list: &List, head: &[Item]) -> HashSet<Uuid> {
    let brought: HashSet<Uuid> = list
        .edits
        .iter()
        .filter(|edit| edit.stands())
        .filter_map(|edit| match edit.action {
            EditAction::Add { uid, .. } => Some(uid),
            EditAction::Delete { .. } | EditAction::Clear { .. } => None,
        })
        .collect();
    flat(head)
        .map(|(item, _)| item)
        .filter(|item| !item.status.is_terminal())
        .filter(|item| item.origin == Origin::User || brought.contains(&item.uid))
        .map(|item| item.uid)
        .collect()
}

/// Something that a sent item may be.
enum Place<'a> {
    Living(&'a Item),
    Removed(&'a (Item, bool)),
}

impl<'a> Place<'a> {
    fn item(&self) -> &'a Item {
        match self {
            Self::Living(item) => item,
            Self::Removed((item, _)) => item,
        }
    }
}

struct Merge<'a, 'b> {
    /// The caller sent a list before.
    wrote: bool,
    told: Option<HashMap<Uuid, Draft>>,
    said: &'a BTreeMap<Uuid, Draft>,
    said_order: HashMap<Uuid, usize>,
    now_order: Vec<Uuid>,
    protected: HashSet<Uuid>,
    graves: Graves,
    now_said: BTreeMap<Uuid, Draft>,
    mentioned: HashSet<Uuid>,
    returned: HashSet<Uuid>,
    stamp: &'a mut Stamp<'b>,
}

impl Merge<'_, '_> {
    /// Merges one level: the top, or the subtasks of one item.
    fn level(&mut self, list: &mut List, head: &[Item], parent: Option<Uuid>, drafts: Vec<Draft>) -> Vec<Item> {
        let graves = self.graves.level(parent).to_vec();
        // In one order, so that of several equal texts the removed one is where it stood.
        let living = head.iter().map(Place::Living);
        let places = self.in_order(living.chain(graves.iter().map(Place::Removed)).collect());
        let pairs = {
            let candidates: Vec<Candidate<'_>> = places.iter().map(|place| self.candidate(place)).collect();
            pair(&candidates, &drafts)
        };
        let mut items = Vec::with_capacity(drafts.len());
        for (draft, pair) in drafts.into_iter().zip(pairs) {
            let merged = match pair.map(|at| &places[at]) {
                Some(Place::Living(item)) => Some(self.known(list, item, draft)),
                Some(Place::Removed(gone)) => self.removed(list, gone, draft),
                None => Some(self.new_item(list, draft)),
            };
            items.extend(merged);
        }
        self.keep_unmentioned(head, &mut items);
        items
    }

    /// In the order in which the caller said them; what it never said comes after what it follows in the list.
    fn in_order<'c>(&self, mut places: Vec<Place<'c>>) -> Vec<Place<'c>> {
        places.sort_by(|a, b| a.item().rank.cmp(&b.item().rank));
        let mut follows = 0;
        let mut keyed: Vec<(usize, Place<'c>)> = Vec::with_capacity(places.len());
        for place in places {
            let said = self.said_order.get(&place.item().uid).copied();
            follows = said.unwrap_or(follows);
            keyed.push((follows, place));
        }
        // Stable: what was never said stays behind.
        keyed.sort_by_key(|(key, _)| *key);
        keyed.into_iter().map(|(_, place)| place).collect()
    }

    fn candidate<'c>(&'c self, place: &Place<'c>) -> Candidate<'c> {
        let item = place.item();
        let mut texts = vec![item.content.as_str()];
        let said = self.said.get(&item.uid).map(|said| said.content.as_str());
        texts.extend(said.filter(|said| *said != item.content));
        let told = self.told.as_ref().is_none_or(|told| told.contains_key(&item.uid));
        let known = told || self.said.contains_key(&item.uid);
        Candidate { uid: item.uid, id: &item.id, texts, said, firm: known && matches!(place, Place::Living(_)) }
    }

    fn known(&mut self, list: &mut List, head: &Item, draft: Draft) -> Item {
        self.mentioned.insert(head.uid);
        self.now_order.push(head.uid);
        let said = self.said.get(&head.uid);
        let told = self.told.as_ref().and_then(|told| told.get(&head.uid));
        let mut item = fields(head, said, told, &draft);
        if item.status != head.status {
            item.status_at = self.stamp.now;
        }
        let silent = |said: Option<&Draft>| said.is_none_or(|said| said.subtasks.is_empty());
        item.subtasks = if draft.subtasks.is_empty() && silent(said) {
            head.subtasks.clone()
        } else {
            self.level(list, &head.subtasks, Some(head.uid), draft.subtasks.clone())
        };
        self.now_said.insert(head.uid, draft);
        item
    }

    /// An item that the user removed: it returns only when the agent had dropped it and now sends it again.
    fn removed(&mut self, list: &mut List, (gone, dropped): &(Item, bool), draft: Draft) -> Option<Item> {
        self.mentioned.insert(gone.uid);
        self.now_order.push(gone.uid);
        self.now_said.insert(gone.uid, draft.clone());
        if !dropped {
            return None;
        }
        self.returned.insert(gone.uid);
        let mut item = list.item(draft, Origin::Agent, self.stamp);
        item.uid = gone.uid;
        item.created_at = gone.created_at;
        Some(item)
    }

    fn new_item(&mut self, list: &mut List, draft: Draft) -> Item {
        let item = list.item(draft.clone(), Origin::Agent, self.stamp);
        // Given at once, so that the next new item gets another id.
        list.items.push(item.clone());
        self.now_order.push(item.uid);
        for (sub, said) in item.subtasks.iter().zip(&draft.subtasks) {
            self.now_order.push(sub.uid);
            self.now_said.insert(sub.uid, said.clone());
        }
        self.now_said.insert(item.uid, draft);
        item
    }

    /// Puts what the agent did not mention, and may not remove, after the item that it followed.
    fn keep_unmentioned(&self, head: &[Item], items: &mut Vec<Item>) {
        for (at, item) in head.iter().enumerate() {
            if self.mentioned.contains(&item.uid) || !self.keeps(item) {
                continue;
            }
            let place = head[..at]
                .iter()
                .rev()
                .find_map(|before| items.iter().position(|kept| kept.uid == before.uid))
                .map_or(0, |place| place + 1);
            items.insert(place, item.clone());
        }
    }

    fn keeps(&self, item: &Item) -> bool {
        let own = |uid: &Uuid| self.protected.contains(uid);
        // Silence about what it never said is repetition, unless this is its first list and it knew of the item.
        let unknown = self.told.as_ref().is_some_and(|told| !told.contains_key(&item.uid));
        let not_its = !self.said.contains_key(&item.uid) && (self.wrote || unknown);
        own(&item.uid) || item.subtasks.iter().any(|sub| own(&sub.uid)) || (not_its && !item.status.is_terminal())
    }
}

/// Decides every field of an item by itself.
fn fields(head: &Item, said: Option<&Draft>, told: Option<&Draft>, now: &Draft) -> Item {
    macro_rules! decide {
        ($field:ident, $empty:expr) => {{
            let repeated = match (said, told) {
                (Some(said), _) => said.$field == now.$field,
                // It was told the value and never said one: leaving it out is no decision.
                (None, Some(told)) => told.$field == now.$field || $empty(&now.$field),
                (None, None) => false,
            };
            if repeated { head.$field.clone() } else { now.$field.clone() }
        }};
    }
    let none = |value: &Option<String>| value.is_none();
    let status = decide!(status, |_: &Status| false);
    Item {
        uid: head.uid,
        id: now.id.clone().unwrap_or_else(|| head.id.clone()),
        content: decide!(content, |_: &String| false),
        active_form: decide!(active_form, none),
        status_raw: if status == Status::Unknown { decide!(status_raw, none) } else { None },
        status,
        priority: decide!(priority, Option::is_none),
        category: decide!(category, none),
        depends_on: decide!(depends_on, Vec::is_empty),
        estimate: decide!(estimate, none),
        description: decide!(description, none),
        notes: decide!(notes, none),
        owner: decide!(owner, none),
        reason: decide!(reason, none),
        subtasks: Vec::new(),
        origin: head.origin,
        created_at: head.created_at,
        status_at: head.status_at,
        extra: decide!(extra, serde_json::Map::is_empty),
        rank: head.rank.clone(),
    }
}

/// Two items with one id: the first keeps it, the others get one of ours.
fn unique_ids(list: &mut List, items: &mut [Item]) {
    let mut seen = HashSet::new();
    for item in items.iter_mut() {
        if !seen.insert(item.id.clone()) {
            item.id = list.fresh_id();
            seen.insert(item.id.clone());
        }
        let mut subs = HashSet::new();
        for sub in &mut item.subtasks {
            if !subs.insert(sub.id.clone()) {
                sub.id = list.fresh_id();
                subs.insert(sub.id.clone());
            }
        }
    }
}

/// What a caller's list turned out to be.
struct Sent<'a> {
    caller: &'a str,
    /// What it knew and said before.
    before: &'a Memory,
    said: &'a BTreeMap<Uuid, Draft>,
    /// Items of the list, and items that the user removed, that it sent.
    mentioned: &'a HashSet<Uuid>,
    /// Of the latter those that are back.
    returned: &'a HashSet<Uuid>,
}

/// Moves the user's edits on, by what the agent's list does with them.
fn settle(list: &mut List, sent: &Sent<'_>, remarks: &mut Vec<String>, stamp: &Stamp<'_>) -> Vec<Uuid> {
    let mut changed = Vec::new();
    for edit in list.edits.iter_mut().filter(|edit| edit.stands()) {
        let before = (edit.state, edit.repeats);
        let heard = matches!(edit.state, EditState::Delivered | EditState::Ignored);
        if let EditAction::Add { uid, .. } = edit.action {
            if !heard && edit.state != EditState::Queued {
                continue;
            }
            let given_up = |draft: &Draft| matches!(draft.status, Status::Skipped | Status::Cancelled);
            let was = sent.before.said.get(&uid).is_some_and(given_up);
            match sent.said.get(&uid) {
                Some(draft) if given_up(draft) && !was => edit.settle(EditState::Overridden, stamp.now),
                Some(_) => edit.settle(EditState::Reflected, stamp.now),
                None if heard => edit.repeats = edit.repeats.saturating_add(1),
                None => {}
            }
        } else {
            let told = edit.state != EditState::Queued;
            let mut repeated = Vec::new();
            let mut came_back = false;
            for gone in edit.removed_mut() {
                let uid = gone.item.uid;
                if sent.returned.contains(&uid) {
                    came_back = true;
                } else if sent.mentioned.contains(&uid) {
                    repeated.push(gone.item.content.clone());
                } else if told {
                    gone.dropped_by.insert(sent.caller.to_owned());
                }
            }
            let all_dropped = edit.removed().iter().all(|gone| gone.dropped_by.contains(sent.caller));
            if came_back && edit.state != EditState::Overridden {
                edit.settle(EditState::Overridden, stamp.now);
            } else if heard && repeated.is_empty() && all_dropped {
                edit.settle(EditState::Reflected, stamp.now);
            } else if heard && !repeated.is_empty() {
                edit.repeats = edit.repeats.saturating_add(1);
                remarks.extend(repeated.iter().map(|content| {
                    format!("The user removed \"{}\"; it stays removed, leave it out of your list.", short(content))
                }));
            }
        }
        if edit.state == EditState::Delivered && edit.repeats >= 2 {
            edit.settle(EditState::Ignored, stamp.now);
        }
        if before != (edit.state, edit.repeats) {
            changed.push(edit.id);
        }
    }
    changed
}

/// The beginning of a text, for sentences.
#[must_use]
pub fn short(text: &str) -> String {
    const CHARS: usize = 80;
    let line = text.lines().next().unwrap_or_default();
    if line.chars().count() <= CHARS && line.len() == text.len() {
        return line.to_owned();
    }
    format!("{}…", line.chars().take(CHARS).collect::<String>().trim_end())
}
