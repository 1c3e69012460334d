//! Merging one level of a list: the top, or the subtasks of one item.

use super::Base;
use super::astray::Sent;
use super::order::{Arranged, arrange};
use super::removed::RemovedItem;
use crate::identity::{Candidate, pair};
use crate::list::{Ids, Stamp};
use crate::{Draft, Field, Item, Origin};
use smol_str::{SmolStr, format_smolstr};
use std::collections::{BTreeMap, HashMap, HashSet};
use uuid::Uuid;

/// A caller's list after the merge.
#[derive(Default)]
pub(super) struct Merged {
    /// The items as they were sent, by the uid that each turned out to have.
    pub(super) sent: BTreeMap<Uuid, Draft>,
    /// Their order.
    pub(super) order: Vec<Uuid>,
    /// The item that each subtask was sent under.
    pub(super) parents: BTreeMap<Uuid, Uuid>,
    /// Items that it sent, among those of the list and those that the user removed.
    pub(super) mentioned: HashSet<Uuid>,
    /// Removed items that are back.
    pub(super) returned: HashSet<Uuid>,
    /// Steps of others that it sent.
    pub(super) of_others: Vec<Uuid>,
    /// Items that it moved.
    pub(super) moved: HashSet<Uuid>,
    /// The items that it means by positions such as `2` or `2.1`.
    pub(super) places: HashMap<SmolStr, Uuid>,
}

impl Merged {
    /// Makes room for so many items more.
    fn reserve(&mut self, items: usize) {
        self.order.reserve(items);
        self.mentioned.reserve(items);
        self.places.reserve(items);
    }
}

/// An item that a sent one may be.
pub(super) enum KnownItem<'a> {
    Living(&'a Item),
    /// With the item whose subtask it is in the list.
    Astray(&'a Item, Option<Uuid>),
    RemovedByUser(&'a RemovedItem),
    RemovedByAgent(&'a Item),
    OfAnother(&'a Item),
}

impl<'a> KnownItem<'a> {
    pub(super) fn item(&self) -> &'a Item {
        match self {
            Self::Living(item) | Self::Astray(item, _) | Self::RemovedByAgent(item) | Self::OfAnother(item) => item,
            Self::RemovedByUser(removed) => &removed.item,
        }
    }
}

pub(super) struct Merge<'a, 'b> {
    pub(super) base: &'a Base<'a>,
    pub(super) ids: Ids,
    pub(super) done: Merged,
    pub(super) stamp: &'a mut Stamp<'b>,
    /// The items that were sent on other levels than those of the list, until they are brought home.
    pub(super) astray: Vec<Sent>,
    /// The items that are known to be sent, wherever.
    claimed: HashSet<Uuid>,
    /// The place of each item in the list that the caller sent last, and in the list as it knows it.
    sent_places: HashMap<Uuid, usize>,
    known_places: HashMap<Uuid, usize>,
    /// The places in both combined: an item that the caller only knows stands after all that it knows before it.
    all_places: HashMap<Uuid, usize>,
}

impl<'a, 'b> Merge<'a, 'b> {
    pub(super) fn new(base: &'a Base<'a>, ids: Ids, stamp: &'a mut Stamp<'b>) -> Self {
        let places = |uids: &[Uuid]| uids.iter().enumerate().map(|(at, uid)| (*uid, at)).collect();
        let known_list = base.memory.known_list.as_deref().map_or(&[][..], Vec::as_slice);
        let known: Vec<Uuid> = crate::list::flat(known_list).map(|(item, _)| item.uid).collect();
        let sent_places: HashMap<Uuid, usize> = places(&base.memory.last_sent_order);
        let mut all: Vec<((usize, usize), Uuid)> =
            base.memory.last_sent_order.iter().enumerate().map(|(at, uid)| ((at + 1, 0), *uid)).collect();
        let mut after = 0;
        for (at, uid) in known.iter().enumerate() {
            match sent_places.get(uid) {
                Some(last) => after = after.max(last + 1),
                None => all.push(((after, at + 1), *uid)),
            }
        }
        all.sort_unstable();
        Self {
            base,
            ids,
            done: Merged::default(),
            stamp,
            known_places: places(&known),
            all_places: all.into_iter().enumerate().map(|(at, (_, uid))| (uid, at)).collect(),
            sent_places,
            astray: Vec::new(),
            claimed: HashSet::new(),
        }
    }

    /// `under` is the position of the item whose subtasks these are, with its dot: `2.`.
    pub(super) fn level(&mut self, head: &[Item], parent: Option<Uuid>, under: &str, drafts: Vec<Draft>) -> Vec<Item> {
        let base = self.base;
        // In one order, so that of several equal texts the removed one is at its former place.
        let living = head.iter().filter(|item| !self.claimed.contains(&item.uid)).map(KnownItem::Living);
        let astray = self.astray_on(parent);
        let removed = base.removed.level(parent).iter().map(KnownItem::RemovedByUser);
        // Where an item came back, its removed subtasks came back with it.
        let is_here = |gone: &Item| head.iter().any(|item| item.uid == gone.uid);
        let gone = base.removed_by_others(parent).filter(|item| !is_here(item)).map(KnownItem::RemovedByAgent);
        let hidden = base.of_others(parent).map(KnownItem::OfAnother);
        let places = self.in_order(living.chain(astray).chain(removed).chain(gone).chain(hidden).collect());
        let pairs = {
            let mut candidates: Vec<Candidate<'_>> = places.iter().map(|place| self.candidate(place)).collect();
            // An id that the caller gave to several items is derived from their texts and names none of them.
            let mut once = HashSet::with_capacity(places.len());
            let given = places.iter().filter_map(|place| self.base.last_sent(place.item().uid)?.id.as_deref());
            let shared: HashSet<&str> = given.filter(|id| !once.insert(*id)).collect();
            for candidate in candidates.iter_mut().filter(|candidate| shared.contains(candidate.id)) {
                candidate.id = "";
            }
            pair(&candidates, &drafts)
        };
        // One that is sent here is not looked for on the other level any more.
        self.done.reserve(drafts.len());
        self.claimed.extend(pairs.iter().flatten().map(|at| places[*at].item().uid));
        let mut sent = Vec::with_capacity(drafts.len());
        for (at, (draft, pair)) in drafts.into_iter().zip(pairs).enumerate() {
            let place = format_smolstr!("{under}{}", at + 1);
            let known = pair.map(|at| &places[at]);
            if let (Some(known), Some(parent)) = (known, parent) {
                self.done.parents.insert(known.item().uid, parent);
            }
            let merged = match known {
                Some(KnownItem::Living(item)) => Some(self.merge_known(item, &place, draft)),
                Some(KnownItem::Astray(item, home)) => {
                    let merged = Some(self.merge_known(item, &place, draft));
                    self.astray.push(Sent { uid: item.uid, item: merged, parent: *home });
                    None
                }
                // An item that another agent left out is the same one again.
                Some(KnownItem::RemovedByAgent(gone)) => {
                    let mut gone = (*gone).clone();
                    // Subtasks that are sent again are found among those removed from that level.
                    let named = !draft.subtasks.is_empty();
                    gone.subtasks
                        .retain(|sub| !named && !base.alive.contains(&sub.uid) && !base.removed.contains(sub.uid));
                    Some(self.merge_known(&gone, &place, draft))
                }
                Some(KnownItem::RemovedByUser(removed)) => {
                    if !removed.dropped {
                        self.rescue(removed.item.uid, &place, &draft);
                    }
                    self.removed(removed, &place, &draft)
                }
                Some(KnownItem::OfAnother(item)) => {
                    self.of_another(item);
                    None
                }
                None => Some(self.new_item(parent, &place, &draft)),
            };
            sent.extend(merged);
        }
        let is_kept = |item: &Item| self.claimed.contains(&item.uid) || self.keeps(item);
        let Arranged { items, moved } = match self.unknown_caller() {
            true => arrange(head, sent, is_kept, &[&self.unmoved_places(head)]),
            false => arrange(head, sent, is_kept, &[&self.all_places, &self.known_places]),
        };
        self.done.moved.extend(moved);
        items
    }

    /// The items that the caller has on this level, and the list has not.
    pub(super) fn astray_on(&self, level: Option<Uuid>) -> Vec<KnownItem<'a>> {
        let here = self.base.astray.level(level).iter();
        here.filter(|(item, _)| !self.claimed.contains(&item.uid))
            .map(|(item, home)| KnownItem::Astray(item, *home))
            .collect()
    }

    fn unknown_caller(&self) -> bool {
        !self.base.memory.has_sent && self.base.memory.known_list.is_none()
    }

    /// The places before the user moved anything.
    fn unmoved_places(&self, head: &[Item]) -> HashMap<Uuid, usize> {
        let rank = |item: &Item| self.base.ranks.get(&item.uid).unwrap_or(&item.rank).clone();
        let mut order: Vec<(SmolStr, Uuid)> = head.iter().map(|item| (rank(item), item.uid)).collect();
        order.sort();
        order.into_iter().enumerate().map(|(at, (_, uid))| (uid, at)).collect()
    }

    /// Sorts items as the caller sent them; one that it never sent comes after the item that it follows in the list.
    fn in_order<'c>(&self, mut places: Vec<KnownItem<'c>>) -> Vec<KnownItem<'c>> {
        places.sort_by(|a, b| a.item().rank.cmp(&b.item().rank));
        let mut follows = 0;
        let mut keyed: Vec<(usize, KnownItem<'c>)> = Vec::with_capacity(places.len());
        for place in places {
            let last = self.sent_places.get(&place.item().uid).map(|at| at + 1);
            follows = last.unwrap_or(follows);
            keyed.push((follows, place));
        }
        // The sort is stable: items that were never sent stay behind.
        keyed.sort_by_key(|(key, _)| *key);
        keyed.into_iter().map(|(_, place)| place).collect()
    }

    pub(super) fn candidate<'c>(&'c self, place: &KnownItem<'c>) -> Candidate<'c> {
        let item = place.item();
        let last_sent = self.base.last_sent(item.uid).map(|last| (last.id.as_deref(), last.content.as_str()));
        let before = self.base.before_edits.get(&(item.uid, Field::Content)).map(|from| from.content.as_str());
        let sent = last_sent.map(|(_, text)| text).filter(|text| *text != item.content);
        let before = before.filter(|text| *text != item.content && Some(*text) != sent);
        let texts = [Some(item.content.as_str()), sent, before];
        let in_known_list = self.base.known.as_ref().is_none_or(|known| known.contains_key(&item.uid));
        let is_known = in_known_list || last_sent.is_some();
        let firm = is_known && !matches!(place, KnownItem::RemovedByUser(_) | KnownItem::RemovedByAgent(_));
        let withheld = matches!(place, KnownItem::OfAnother(_)) || self.base.memory.withheld.contains(&item.uid);
        Candidate { uid: item.uid, id: &item.id, texts, last_sent, firm, withheld }
    }

    fn merge_known(&mut self, head: &Item, place: &SmolStr, draft: Draft) -> Item {
        self.done.places.insert(place.clone(), head.uid);
        let mut item = self.base.decide(head, &draft, Field::ALL.into_iter(), self.stamp.now);
        let subtasks = self.note(head.uid, draft);
        let silent = subtasks.is_empty() && head.subtasks.iter().all(|sub| self.base.last_sent(sub.uid).is_none());
        if !silent {
            item.subtasks = self.level(&head.subtasks, Some(head.uid), &format!("{place}."), subtasks);
        }
        item
    }

    /// An item that the user removed: it returns only when the agent had dropped it and now sends it again.
    pub(super) fn removed(&mut self, removed: &RemovedItem, place: &SmolStr, draft: &Draft) -> Option<Item> {
        let gone = &removed.item;
        self.done.places.insert(place.clone(), gone.uid);
        if !removed.dropped {
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

    /// A step of another agent's that the caller still sends: it decides nothing, also once the step is its own again.
    pub(super) fn of_another(&mut self, item: &Item) {
        self.done.order.push(item.uid);
        self.done.sent.insert(item.uid, self.base.callers_version(item));
        self.done.of_others.push(item.uid);
    }

    pub(super) fn new_item(&mut self, parent: Option<Uuid>, place: &SmolStr, draft: &Draft) -> Item {
        let item = self.ids.item(draft, Origin::Agent, self.stamp);
        self.done.parents.extend(parent.map(|parent| (item.uid, parent)));
        self.say(&item, place, draft);
        item
    }

    /// Notes an item and its subtasks as they were sent.
    fn say(&mut self, item: &Item, place: &SmolStr, draft: &Draft) {
        self.done.order.push(item.uid);
        self.done.sent.insert(item.uid, draft.alone());
        self.done.places.insert(place.clone(), item.uid);
        for (at, (sub, last)) in item.subtasks.iter().zip(&draft.subtasks).enumerate() {
            self.done.order.push(sub.uid);
            self.done.sent.insert(sub.uid, last.clone());
            self.done.parents.insert(sub.uid, item.uid);
            self.done.places.insert(format_smolstr!("{place}.{}", at + 1), sub.uid);
        }
    }

    /// Notes an item as it was sent; returns its subtasks, which have entries of their own.
    pub(super) fn note(&mut self, uid: Uuid, draft: Draft) -> Vec<Draft> {
        let (alone, subtasks) = draft.split();
        self.done.mentioned.insert(uid);
        self.done.order.push(uid);
        self.done.sent.insert(uid, alone);
        subtasks
    }

    fn keeps(&self, item: &Item) -> bool {
        // Leaving out an item that it never sent is repetition, unless this is its first list and it knew of the item, or
        // of nothing at all. A closed item goes, when no other agent still sends it.
        let unknown = self.base.known.as_ref().is_some_and(|known| !known.contains_key(&item.uid));
        let sent = self.base.last_sent(item.uid).is_some() && !self.base.memory.withheld.contains(&item.uid);
        let not_its = !sent && (self.base.memory.has_sent || unknown);
        let open = !item.status.is_terminal() || self.base.sent_by_others.contains(&item.uid);
        let stays = self.base.protected.contains(&item.uid) || (not_its && open);
        // An item stays with a subtask that the user gave it, and that is sent elsewhere.
        stays || item.subtasks.iter().any(|sub| self.claimed.contains(&sub.uid) || self.keeps(sub))
    }
}
