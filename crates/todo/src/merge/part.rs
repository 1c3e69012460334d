//! A part of a list: the items in it are changed or added, everything else stays as it is.

use super::astray::Sent as SentAstray;
use super::level::{KnownItem, Merge};
use super::settle::{Sent, settle};
use super::{Base, finish};
use crate::change::Applied;
use crate::list::{Ids, Stamp};
use crate::others::Apart;
use crate::{CallerMemory, Draft, Error, Field, Item, List, short};
use smol_str::SmolStr;
use std::collections::{BTreeSet, HashMap};
use texts::Text;
use uuid::Uuid;

/// Takes over the items that `caller` sends, by our uid, by their id, or by their text; unknown ones are new.
///
/// # Errors
/// When an item that is not in the list has no content, or the items wait for each other in a circle.
pub(crate) fn part(
    mut list: List,
    caller: &str,
    drafts: Vec<Draft>,
    apart: &Apart,
    stamp: &mut Stamp<'_>,
) -> crate::Result<Applied> {
    let memory = list.callers.remove(caller).unwrap_or_default();
    let head = std::mem::take(&mut list.items);
    let base = Base::of(&list, &head, caller, &memory, apart);
    let ids = Ids::of(&head, list.ids_given);
    let mut part = Part { merge: Merge::new(&base, ids, stamp), kept: Vec::new() };
    let mut items = part.level(&head, None, "todos", drafts)?;
    let Part { mut merge, kept } = part;
    merge.bring_home(&mut items);
    let mut done = merge.done;
    list.ids_given = merge.ids.given;
    list.items = items;
    // A part has no positions of its own: positions are those of the list.
    done.places.clear();
    let mut remarks: Vec<String> = kept
        .iter()
        .map(|content| format!("\"{content}\" is the user's and stays until it is done or the user removes it."))
        .collect();
    let (more, refused) = finish(&mut list, &base, &head, &mut done, stamp);
    if let Some(refused) = refused.iter().find(|refused| done.sent.contains_key(&refused.item)) {
        let items = format!("\"{0}\" waits for \"{1}\" waits for \"{0}\"", refused.content, refused.on);
        return Err(Error::Circle { items });
    }
    remarks.extend(more);
    let sent = Sent { caller, base: &base, head: &head, merged: &done, complete: false };
    let edits = settle(&mut list, &sent, &mut remarks, stamp);
    // Items that it sent before stay beside those that it sends now.
    let mut last_sent = (*memory.last_sent).clone();
    let mut last_sent_order = memory.last_sent_order.clone();
    last_sent_order.extend(done.order.iter().filter(|uid| !memory.last_sent.contains_key(*uid)));
    let mut last_sent_parents = memory.last_sent_parents.clone();
    last_sent_parents.retain(|uid, _| !done.sent.contains_key(uid));
    last_sent_parents.extend(done.parents);
    last_sent.extend(done.sent);
    let (known_list, last_sent, withheld) = (memory.known_list.clone(), last_sent.into(), BTreeSet::new());
    let mut memory =
        CallerMemory { known_list, has_sent: true, last_sent, last_sent_order, last_sent_parents, withheld };
    memory.forget_missing_items(&list);
    list.callers.insert(caller.to_owned(), memory);
    let mut applied = Applied::of(list, Text::default());
    applied.edits = edits;
    applied.remarks = remarks.into_iter().map(Text::from).collect();
    Ok(applied)
}

/// A part of a list has no positions of its own.
const NO_PLACE: SmolStr = SmolStr::new_static("");

struct Part<'a, 'b> {
    merge: Merge<'a, 'b>,
    /// The user's items that the agent wanted to delete.
    kept: Vec<String>,
}

impl Part<'_, '_> {
    /// Merges one level; `path` names the drafts in errors.
    fn level(
        &mut self,
        head: &[Item],
        parent: Option<Uuid>,
        path: &str,
        drafts: Vec<Draft>,
    ) -> crate::Result<Vec<Item>> {
        let base = self.merge.base;
        let removed_items = base.removed.level(parent);
        let mut living = Names::of(&self.merge, &head.iter().map(KnownItem::Living).collect::<Vec<_>>());
        let mut removed =
            Names::of(&self.merge, &removed_items.iter().map(KnownItem::RemovedByUser).collect::<Vec<_>>());
        let others: Vec<KnownItem<'_>> = base.of_others(parent).map(KnownItem::OfAnother).collect();
        let mut hidden = Names::of(&self.merge, &others);
        let elsewhere = self.merge.astray_on(parent);
        let mut astray = Names::of(&self.merge, &elsewhere);
        let mut changed: HashMap<Uuid, Option<Item>> = HashMap::new();
        let mut new = Vec::new();
        for (at, draft) in drafts.into_iter().enumerate() {
            let here = living.take(&draft);
            let away = if here.is_none() { astray.take(&draft) } else { None };
            let known = here.map(|at| (&head[at], None)).or_else(|| match elsewhere.get(away?)? {
                KnownItem::Astray(item, home) => Some((*item, Some(*home))),
                _ => None,
            });
            if let Some((item, home)) = known {
                if draft.deleted && base.protected.contains(&item.uid) {
                    self.kept.push(short(&item.content));
                    continue;
                }
                let path = format!("{path}[{at}].subtasks");
                let next = if draft.deleted { None } else { Some(self.merge_known((item, parent), draft, &path)?) };
                match home {
                    Some(parent) => self.merge.astray.push(SentAstray { uid: item.uid, item: next, parent }),
                    None => drop(changed.insert(item.uid, next)),
                }
            } else if draft.deleted {
            } else if let Some(grave) = removed.take(&draft) {
                let whole = over(base.callers_version(&removed_items[grave].item), &draft);
                new.extend(self.merge.removed(&removed_items[grave], &NO_PLACE, &whole));
            } else if let Some(of_another) = hidden.take(&draft) {
                self.merge.of_another(others[of_another].item());
            } else if draft.content.is_empty() {
                let uid = draft.uid.map(|uid| uid.to_string());
                let named = short(draft.id.as_deref().or(uid.as_deref()).unwrap_or_default());
                let problem =
                    format!("{path}[{at}] names \"{named}\", which is not in the list; send a \"content\" to add it");
                return Err(Error::Item(problem.into()));
            } else {
                new.push(self.merge.new_item(parent, &NO_PLACE, &draft));
            }
        }
        let stay = head.iter().filter_map(|item| match changed.remove(&item.uid) {
            Some(next) => next,
            None => Some(item.clone()),
        });
        Ok(stay.chain(new).collect())
    }

    fn merge_known(&mut self, (head, parent): (&Item, Option<Uuid>), draft: Draft, path: &str) -> crate::Result<Item> {
        let base = self.merge.base;
        let (draft, subtasks) = draft.split();
        // The fields that were not sent are as the caller sent them before.
        let before = base.callers_version(head);
        let whole = over(before.clone(), &draft);
        let mut item = base.decide(head, &whole, draft.given.iter(), self.merge.stamp.now);
        if draft.given.contains(Field::Extra) && !before.same(Field::Extra, &whole) {
            item.extra = draft.extra_over(&head.extra);
        }
        self.merge.note(head.uid, whole);
        self.merge.done.parents.extend(parent.map(|parent| (head.uid, parent)));
        if !subtasks.is_empty() {
            item.subtasks = self.level(&head.subtasks, Some(head.uid), path, subtasks)?;
        }
        Ok(item)
    }
}

/// The given fields of a draft over an item as it was sent before.
fn over(mut whole: Draft, draft: &Draft) -> Draft {
    for field in draft.given.iter().filter(|field| *field != Field::Extra) {
        whole.copy(field, draft);
    }
    whole.extra = draft.extra_over(&whole.extra);
    whole.given = draft.given;
    whole.id = draft.id.clone().or(whole.id);
    whole
}

/// Items by everything that names them; each is taken once.
struct Names {
    uids: HashMap<Uuid, usize>,
    ids: HashMap<SmolStr, Vec<usize>>,
    texts: HashMap<String, Vec<usize>>,
    taken: Vec<bool>,
}

impl Names {
    fn of(merge: &Merge<'_, '_>, places: &[KnownItem<'_>]) -> Self {
        let mut names =
            Self { uids: HashMap::new(), ids: HashMap::new(), texts: HashMap::new(), taken: vec![false; places.len()] };
        for (at, place) in places.iter().enumerate() {
            let item = place.item();
            names.uids.insert(item.uid, at);
            names.ids.entry(item.id.clone()).or_default().push(at);
            for text in merge.candidate(place).texts.into_iter().flatten() {
                names.texts.entry(text.to_owned()).or_default().push(at);
            }
        }
        names
    }

    fn take(&mut self, draft: &Draft) -> Option<usize> {
        let free = |at: &usize| !self.taken[*at];
        let first = |places: Option<&Vec<usize>>| places.and_then(|places| places.iter().copied().find(free));
        let by_uid = draft.uid.and_then(|uid| self.uids.get(&uid).copied()).filter(free);
        let by_id = || first(draft.id.as_ref().and_then(|id| self.ids.get(id)));
        let found = by_uid.or_else(by_id).or_else(|| first(self.texts.get(&draft.content)))?;
        self.taken[found] = true;
        Some(found)
    }
}
