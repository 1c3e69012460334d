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
}

impl<'a, 'b> Merge<'a, 'b> {
    pub(super) fn new(base: &'a Base<'a>, ids: Ids, stamp: &'a mut Stamp<'b>) -> Self {
        let told = base.memory.told.as_deref().unwrap_or_default();
        Self {
            base,
            ids,
            done: Found::default(),
            stamp,
            said_places: base.memory.order.iter().enumerate().map(|(at, uid)| (*uid, at)).collect(),
            told_places: crate::list::flat(told).enumerate().map(|(at, (item, _))| (item.uid, at)).collect(),
        }
    }

    pub(super) fn level(&mut self, head: &[Item], parent: Option<Uuid>, drafts: Vec<Draft>) -> Vec<Item> {
        let base = self.base;
        // In one order, so that of several equal texts the removed one is where it stood.
        let living = head.iter().map(Place::Living);
        let removed = base.graves.level(parent).iter().map(Place::Removed);
        let places = self.in_order(living.chain(removed).chain(base.gone(parent).map(Place::Gone)).collect());
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
        for (draft, pair) in drafts.into_iter().zip(pairs) {
            let merged = match pair.map(|at| &places[at]) {
                Some(Place::Living(item)) => Some(self.known(item, draft)),
                // One that another agent left out is the same one again.
                Some(Place::Gone(gone)) => {
                    let mut gone = (*gone).clone();
                    gone.subtasks.retain(|sub| !base.alive.contains(&sub.uid) && !base.graves.hold(sub.uid));
                    Some(self.known(&gone, draft))
                }
                Some(Place::Removed(grave)) => self.removed(grave, &draft),
                None => Some(self.new_item(&draft)),
            };
            sent.extend(merged);
        }
        let unmentioned = head.iter().filter(|item| !self.done.mentioned.contains(&item.uid));
        let kept = unmentioned.filter(|item| self.keeps(item)).map(|item| item.uid).collect();
        let Arranged { items, moved } = match self.unknown_caller() {
            true => arrange(head, sent, &kept, &[&self.unmoved_places(head)]),
            false => arrange(head, sent, &kept, &[&self.said_places, &self.told_places]),
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

    fn known(&mut self, head: &Item, draft: Draft) -> Item {
        let mut item = self.base.decide(head, &draft, Field::ALL.into_iter(), self.stamp.now);
        let subtasks = self.note(head.uid, draft);
        let silent = subtasks.is_empty() && head.subtasks.iter().all(|sub| self.base.said(sub.uid).is_none());
        if !silent {
            item.subtasks = self.level(&head.subtasks, Some(head.uid), subtasks);
        }
        item
    }

    /// An item that the user removed: it returns only when the agent had dropped it and now sends it again.
    pub(super) fn removed(&mut self, grave: &Grave, draft: &Draft) -> Option<Item> {
        let gone = &grave.item;
        self.note(gone.uid, draft.clone());
        grave.dropped.then(|| {
            self.done.returned.insert(gone.uid);
            let mut item = self.ids.item(draft, Origin::Agent, self.stamp);
            item.uid = gone.uid;
            item.created_at = gone.created_at;
            item
        })
    }

    pub(super) fn new_item(&mut self, draft: &Draft) -> Item {
        let item = self.ids.item(draft, Origin::Agent, self.stamp);
        self.done.order.push(item.uid);
        self.done.said.insert(item.uid, draft.alone());
        for (sub, said) in item.subtasks.iter().zip(&draft.subtasks) {
            self.done.order.push(sub.uid);
            self.done.said.insert(sub.uid, said.clone());
        }
        item
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
        let own = |uid: &Uuid| self.base.protected.contains(uid);
        // Silence about what it never said is repetition, unless this is its first list and it knew of the item. What
        // is done goes, when no other agent still says it.
        let unknown = self.base.told.as_ref().is_some_and(|told| !told.contains_key(&item.uid));
        let not_its = self.base.said(item.uid).is_none() && (self.base.memory.wrote || unknown);
        let open = !item.status.is_terminal() || self.base.others.contains(&item.uid);
        own(&item.uid) || item.subtasks.iter().any(|sub| own(&sub.uid)) || (not_its && open)
    }
}
