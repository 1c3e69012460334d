//! Merging one level of a list: the top, or the subtasks of one item.

use super::Base;
use super::graves::Grave;
use super::order::{Arranged, arrange};
use crate::identity::{Candidate, pair};
use crate::list::{Ids, Stamp};
use crate::{Draft, Field, Item, Origin};
use std::collections::{BTreeMap, HashMap, HashSet};
use uuid::Uuid;

/// What a caller's list turned out to be.
#[derive(Default)]
pub(super) struct Found {
    /// What it said of each item.
    pub(super) said: BTreeMap<Uuid, Draft>,
    /// In which order.
    pub(super) order: Vec<Uuid>,
    /// Items of the list, and items that the user removed, that it sent.
    pub(super) mentioned: HashSet<Uuid>,
    /// Of the removed ones those that are back.
    pub(super) returned: HashSet<Uuid>,
    /// Items that it put somewhere else.
    pub(super) moved: HashSet<Uuid>,
    /// Its positions: what it means by `2` or `2.1`.
    pub(super) places: HashMap<String, Uuid>,
}

/// Something that a sent item may be.
pub(super) enum Place<'a> {
    Living(&'a Item),
    Removed(&'a Grave),
    Gone(&'a Item),
}

impl<'a> Place<'a> {
    pub(super) fn item(&self) -> &'a Item {
        match self {
            Self::Living(item) | Self::Gone(item) => item,
            Self::Removed(grave) => &grave.item,
        }
    }
}

pub(super) struct Merge<'a, 'b> {
    pub(super) base: &'a Base<'a>,
    pub(super) ids: Ids,
    pub(super) done: Found,
    pub(super) stamp: &'a mut Stamp<'b>,
    /// The place of each item in the list that the caller said last, and in the one that it was told.
    said_places: HashMap<Uuid, usize>,
    told_places: HashMap<Uuid, usize>,
    /// The same for both: what it was only told stands after all that it was told before.
    known_places: HashMap<Uuid, usize>,
}

impl<'a, 'b> Merge<'a, 'b> {
    pub(super) fn new(base: &'a Base<'a>, ids: Ids, stamp: &'a mut Stamp<'b>) -> Self {
        let told = base.memory.told.as_deref().unwrap_or_default();
        let places = |uids: &[Uuid]| uids.iter().enumerate().map(|(at, uid)| (*uid, at)).collect();
        let told: Vec<Uuid> = crate::list::flat(told).map(|(item, _)| item.uid).collect();
        let said_places: HashMap<Uuid, usize> = places(&base.memory.order);
        let mut known: Vec<((usize, usize), Uuid)> =
            base.memory.order.iter().enumerate().map(|(at, uid)| ((at + 1, 0), *uid)).collect();
        let mut after = 0;
        for (at, uid) in told.iter().enumerate() {
            match said_places.get(uid) {
                Some(said) => after = after.max(said + 1),
                None => known.push(((after, at + 1), *uid)),
            }
        }
        known.sort_unstable();
        let known: Vec<Uuid> = known.into_iter().map(|(_, uid)| uid).collect();
        Self {
            base,
            ids,
            done: Found::default(),
            stamp,
            told_places: places(&told),
            known_places: places(&known),
            said_places,
        }
    }

    /// `under` is the position of the item whose subtasks these are, with its dot: `2.`.
    pub(super) fn level(&mut self, head: &[Item], parent: Option<Uuid>, under: &str, drafts: Vec<Draft>) -> Vec<Item> {
        let base = self.base;
        // In one order, so that of several equal texts the removed one is where it stood.
        let living = head.iter().map(Place::Living);
        let removed = base.graves.level(parent).iter().map(Place::Removed);
        // Where the whole item came back, what is no more came back with it.
        let here: HashSet<Uuid> = head.iter().map(|item| item.uid).collect();
        let gone = base.gone(parent).filter(|item| !here.contains(&item.uid)).map(Place::Gone);
        let places = self.in_order(living.chain(removed).chain(gone).collect());
        let pairs = {
            let mut candidates: Vec<Candidate<'_>> = places.iter().map(|place| self.candidate(place)).collect();
            // An id that the caller gave to several items is derived from their texts and names none of them.
            let mut once = HashSet::new();
            let given = places.iter().filter_map(|place| self.base.said(place.item().uid)?.id.as_deref());
            let shared: HashSet<&str> = given.filter(|id| !once.insert(*id)).collect();
            for candidate in candidates.iter_mut().filter(|candidate| shared.contains(candidate.id)) {
                candidate.id = "";
            }
            pair(&candidates, &drafts)
        };
        let mut sent = Vec::with_capacity(drafts.len());
        for (at, (draft, pair)) in drafts.into_iter().zip(pairs).enumerate() {
            let place = format!("{under}{}", at + 1);
            let merged = match pair.map(|at| &places[at]) {
                Some(Place::Living(item)) => Some(self.known(item, &place, draft)),
                // One that another agent left out is the same one again.
                Some(Place::Gone(gone)) => {
                    let mut gone = (*gone).clone();
                    // Those that it names again are among what is gone of its own level.
                    let named = !draft.subtasks.is_empty();
                    gone.subtasks.retain(|sub| !named && !base.alive.contains(&sub.uid) && !base.graves.hold(sub.uid));
                    Some(self.known(&gone, &place, draft))
                }
                Some(Place::Removed(grave)) => self.removed(grave, &place, &draft),
                None => Some(self.new_item(&place, &draft)),
            };
            sent.extend(merged);
        }
        let unmentioned = head.iter().filter(|item| !self.done.mentioned.contains(&item.uid));
        let kept = unmentioned.filter(|item| self.keeps(item)).map(|item| item.uid).collect();
        let Arranged { items, moved } = match self.unknown_caller() {
            true => arrange(head, sent, &kept, &[&self.unmoved_places(head)]),
            false => arrange(head, sent, &kept, &[&self.known_places, &self.told_places]),
        };
        self.done.moved.extend(moved);
        items
    }

    fn unknown_caller(&self) -> bool {
        !self.base.memory.wrote && self.base.memory.told.is_none()
    }

    /// The order as it was before the user moved anything.
    fn unmoved_places(&self, head: &[Item]) -> HashMap<Uuid, usize> {
        let rank = |item: &Item| self.base.ranks.get(&item.uid).unwrap_or(&item.rank).clone();
        let mut order: Vec<(String, Uuid)> = head.iter().map(|item| (rank(item), item.uid)).collect();
        order.sort();
        order.into_iter().enumerate().map(|(at, (_, uid))| (uid, at)).collect()
    }

    /// In the order in which the caller said them; what it never said comes after what it follows in the list.
    fn in_order<'c>(&self, mut places: Vec<Place<'c>>) -> Vec<Place<'c>> {
        places.sort_by(|a, b| a.item().rank.cmp(&b.item().rank));
        let mut follows = 0;
        let mut keyed: Vec<(usize, Place<'c>)> = Vec::with_capacity(places.len());
        for place in places {
            let said = self.said_places.get(&place.item().uid).map(|at| at + 1);
            follows = said.unwrap_or(follows);
            keyed.push((follows, place));
        }
        // Stable: what was never said stays behind.
        keyed.sort_by_key(|(key, _)| *key);
        keyed.into_iter().map(|(_, place)| place).collect()
    }

    pub(super) fn candidate<'c>(&'c self, place: &Place<'c>) -> Candidate<'c> {
        let item = place.item();
        let mut texts = vec![item.content.as_str()];
        let said = self.base.said(item.uid).map(|said| (said.id.as_deref(), said.content.as_str()));
        texts.extend(said.map(|(_, text)| text).filter(|text| *text != item.content));
        if let Some(from) = self.base.set.get(&(item.uid, Field::Content)) {
            texts.extend(Some(from.content.as_str()).filter(|from| !texts.contains(from)));
        }
        let told = self.base.told.as_ref().is_none_or(|told| told.contains_key(&item.uid));
        let known = told || said.is_some();
        Candidate { uid: item.uid, id: &item.id, texts, said, firm: known && matches!(place, Place::Living(_)) }
    }

    fn known(&mut self, head: &Item, place: &str, draft: Draft) -> Item {
        self.done.places.insert(place.to_owned(), head.uid);
        let mut item = self.base.decide(head, &draft, Field::ALL.into_iter(), self.stamp.now);
        let subtasks = self.note(head.uid, draft);
        let silent = subtasks.is_empty() && head.subtasks.iter().all(|sub| self.base.said(sub.uid).is_none());
        if !silent {
            item.subtasks = self.level(&head.subtasks, Some(head.uid), &format!("{place}."), subtasks);
        }
        item
    }

    /// An item that the user removed: it returns only when the agent had dropped it and now sends it again.
    pub(super) fn removed(&mut self, grave: &Grave, place: &str, draft: &Draft) -> Option<Item> {
        let gone = &grave.item;
        self.done.places.insert(place.to_owned(), gone.uid);
        if !grave.dropped {
            self.note(gone.uid, draft.clone());
            return None;
        }
        self.done.returned.insert(gone.uid);
        self.done.mentioned.insert(gone.uid);
        let mut item = self.ids.item(draft, Origin::Agent, self.stamp);
        item.uid = gone.uid;
        item.created_at = gone.created_at;
        // Its subtasks are those that it had, where they say the same.
        let mut had: Vec<&Item> = gone.subtasks.iter().filter(|sub| !self.base.alive.contains(&sub.uid)).collect();
        for sub in &mut item.subtasks {
            if let Some(at) = had.iter().position(|was| was.content == sub.content) {
                sub.uid = had.remove(at).uid;
            }
        }
        self.say(&item, place, draft);
        Some(item)
    }

    pub(super) fn new_item(&mut self, place: &str, draft: &Draft) -> Item {
        let item = self.ids.item(draft, Origin::Agent, self.stamp);
        self.say(&item, place, draft);
        item
    }

    /// Notes what was said of an item and its subtasks, all of them as they were sent.
    fn say(&mut self, item: &Item, place: &str, draft: &Draft) {
        self.done.order.push(item.uid);
        self.done.said.insert(item.uid, draft.alone());
        self.done.places.insert(place.to_owned(), item.uid);
        for (at, (sub, said)) in item.subtasks.iter().zip(&draft.subtasks).enumerate() {
            self.done.order.push(sub.uid);
            self.done.said.insert(sub.uid, said.clone());
            self.done.places.insert(format!("{place}.{}", at + 1), sub.uid);
        }
    }

    /// Notes what was said of an item; gives what was said of its subtasks, which stand by themselves.
    pub(super) fn note(&mut self, uid: Uuid, draft: Draft) -> Vec<Draft> {
        let (alone, subtasks) = draft.split();
        self.done.mentioned.insert(uid);
        self.done.order.push(uid);
        self.done.said.insert(uid, alone);
        subtasks
    }

    fn keeps(&self, item: &Item) -> bool {
        // Silence about what it never said is repetition, unless this is its first list and it knew of the item, or
        // knew of nothing at all. What is closed goes, when no other agent still says it.
        let unknown = self.base.told.as_ref().is_some_and(|told| !told.contains_key(&item.uid));
        let not_its = self.base.said(item.uid).is_none() && (self.base.memory.wrote || unknown);
        let open = !item.status.is_terminal() || self.base.others.contains(&item.uid);
        let stays = self.base.protected.contains(&item.uid) || (not_its && open);
        stays || item.subtasks.iter().any(|sub| self.keeps(sub))
    }
}
