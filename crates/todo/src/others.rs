//! A list that several agents share, as one of them is given it.
//!
//! A step whose owner is an agent of the list is that agent's, with its subtasks, and the others are not given it. While
//! one of them changes the list, the steps of the others are out of it: they cannot be changed, and what is done with
//! those that are left does not depend on them.

use crate::list::flat;
use crate::{Change, Draft, Edit, EditAction, Item, List, Removed, change, rank};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use uuid::Uuid;

/// The agents whose steps a caller is not given, by their names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Others(BTreeSet<String>);

impl List {
    /// The other agents of the list, as this caller has them: a caller without a name has none, and is given every step.
    #[must_use]
    pub fn others(&self, caller: &str) -> Others {
        let Some(own) = self.agents.get(caller) else { return Others::default() };
        Others(self.agents.values().filter(|name| *name != own).cloned().collect())
    }

    /// The uids of everything in the list and in its edits that is hidden by these agents: their steps, also those that
    /// the user removed, with their subtasks.
    #[must_use]
    pub fn hidden_by(&self, others: &Others) -> HashSet<Uuid> {
        let mut hidden = others.hidden(&self.items);
        for gone in self.edits.iter().filter(|_| !others.is_empty()).flat_map(Edit::removed) {
            if others.hides(&gone.item) || gone.parent.is_some_and(|parent| hidden.contains(&parent)) {
                hidden.extend(uids(&gone.item));
            }
        }
        hidden
    }

    /// Every agent of the list: for an agent of which it is not known which of them it is.
    #[must_use]
    pub fn all_agents(&self) -> Others {
        Others(self.agents.values().cloned().collect())
    }
}

impl Others {
    /// True if there is none whose steps are hidden.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True for a step, not a subtask, that is another agent's.
    #[must_use]
    pub fn hides(&self, item: &Item) -> bool {
        item.owner.as_ref().is_some_and(|owner| self.0.contains(owner))
    }

    /// The items without the steps of others.
    #[must_use]
    pub fn visible(&self, items: &[Item]) -> Vec<Item> {
        items.iter().filter(|item| !self.hides(item)).cloned().collect()
    }

    /// The uids of the steps of others, with those of their subtasks.
    #[must_use]
    pub fn hidden(&self, items: &[Item]) -> HashSet<Uuid> {
        if self.is_empty() {
            return HashSet::new();
        }
        items.iter().filter(|item| self.hides(item)).flat_map(uids).collect()
    }

    /// An edit without what is `hidden` by others; `None` where nothing else is in it.
    #[must_use]
    pub fn part_of<'a>(edit: &'a Edit, hidden: &HashSet<Uuid>) -> Option<Cow<'a, Edit>> {
        if hidden.is_empty() {
            return Some(Cow::Borrowed(edit));
        }
        let mut edit = edit.clone();
        let is_seen = |uid: &Uuid| !hidden.contains(uid);
        let was_seen = |gone: &Removed| is_seen(&gone.item.uid);
        let concerns = match &mut edit.action {
            EditAction::Note { .. } => true,
            EditAction::Add { uid, .. } | EditAction::Move { uid, .. } => is_seen(uid),
            EditAction::Set { items } => {
                items.retain(|touched| is_seen(&touched.uid));
                !items.is_empty()
            }
            EditAction::Level { items } => {
                items.retain(|leveled| is_seen(&leveled.uid));
                !items.is_empty()
            }
            EditAction::Delete { removed, .. } | EditAction::Clear { removed } => {
                let is_of_none = removed.is_empty();
                removed.retain(was_seen);
                is_of_none || !removed.is_empty()
            }
            EditAction::Load { removed, added, changed, stayed, levels } => {
                removed.retain(was_seen);
                added.retain(is_seen);
                changed.retain(|touched| is_seen(&touched.uid));
                stayed.retain(|uid, _| is_seen(uid));
                levels.retain(|uid, _| is_seen(uid));
                true
            }
        };
        concerns.then_some(Cow::Owned(edit))
    }
}

fn uids(item: &Item) -> impl Iterator<Item = Uuid> {
    flat(std::slice::from_ref(item)).map(|(item, _)| item.uid)
}

/// The steps of others, out of the list while a caller changes it.
#[derive(Default)]
pub(crate) struct Apart {
    pub(crate) items: Vec<Item>,
    /// Theirs, and those of their subtasks.
    pub(crate) uids: HashSet<Uuid>,
    /// The same, with those that the user removed.
    hidden: HashSet<Uuid>,
    caller: Option<String>,
    /// The steps among them that the caller sent in a part of its list: it never reports that they are gone.
    sent: BTreeMap<Uuid, (Draft, Option<Uuid>)>,
    withheld: BTreeSet<Uuid>,
}

impl Apart {
    /// Takes the steps out that are not those of the change's author.
    pub(crate) fn take(list: &mut List, change: &Change) -> Self {
        let Some(caller) = change.agent() else { return Self::default() };
        let others = list.others(caller);
        let (uids, hidden) = (others.hidden(&list.items), list.hidden_by(&others));
        let items = list.items.extract_if(.., |item| others.hides(item)).collect();
        let memory = list.callers.get(caller);
        let stays = matches!(change, Change::Merge { .. } | Change::Add { .. } | Change::Set { .. });
        let sent = memory.filter(|_| stays).map(|memory| memory.sent_of(&uids)).unwrap_or_default();
        let withheld = memory.map(|memory| memory.withheld.clone()).unwrap_or_default();
        Self { items, uids, hidden, caller: Some(caller.to_owned()), sent, withheld }
    }

    /// Puts them back at their places, as they were.
    pub(crate) fn put_back(self, list: &mut List) {
        if !self.items.is_empty() {
            rank::assign(&mut list.items);
            list.items.extend(self.items);
            // Of two with one rank, the latter keeps it.
            list.items.sort_by(|one, other| one.rank.cmp(&other.rank));
        }
        let Some(memory) = self.caller.and_then(|caller| list.callers.get_mut(&caller)) else { return };
        for (uid, (draft, parent)) in self.sent {
            if Arc::make_mut(&mut memory.last_sent).insert(uid, draft).is_none() {
                memory.last_sent_order.push(uid);
            }
            memory.last_sent_parents.extend(parent.map(|parent| (uid, parent)));
        }
        memory.withheld = self.withheld;
        memory.withheld.extend(self.uids);
        memory.withheld.retain(|uid| memory.last_sent.contains_key(uid));
    }

    /// The step among them that a caller may still send: it sent it last, or it knows of it.
    pub(crate) fn item(&self, uid: Uuid) -> Option<&Item> {
        change::find(&self.items, uid)
    }

    /// True for a step of another's, also one that the user removed.
    pub(crate) fn hides(&self, uid: Uuid) -> bool {
        self.hidden.contains(&uid)
    }

    /// True if an edit is about something that the caller is given.
    pub(crate) fn concerns(&self, edit: &Edit) -> bool {
        Others::part_of(edit, &self.hidden).is_some()
    }

    /// The remark on a step of another agent's that the caller sent.
    pub(crate) fn remark(&self, uid: Uuid) -> Option<String> {
        let item = self.item(uid)?;
        // A subtask is of the agent whose step it belongs to.
        let step = self.items.iter().find(|step| step.uid == uid || step.subtasks.iter().any(|sub| sub.uid == uid));
        let owner = step.and_then(|step| step.owner.as_deref()).unwrap_or_default();
        Some(format!("\"{}\" is assigned to {owner} now; leave it out of your list.", crate::short(&item.content)))
    }
}

impl Change {
    /// The caller that makes it, where that is an agent.
    fn agent(&self) -> Option<&str> {
        match self {
            Self::Replace { caller, .. } | Self::Merge { caller, .. } => Some(caller),
            Self::Add { by, .. } | Self::Set { by, .. } | Self::Archive { by } => match by {
                change::By::Agent { caller } => Some(caller),
                change::By::User { .. } => None,
            },
            _ => None,
        }
    }
}
