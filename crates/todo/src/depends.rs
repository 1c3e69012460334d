//! Dependencies: looking up the item that each means, refusing circles, and deriving which items wait.
//!
//! An agent names a dependency by an id, a position, the text of an item or a part of it (requirement K3). The item
//! is looked up once, when the dependency is sent, and kept by uid, since positions and texts change. A dependency that
//! means no item is kept as it was sent and blocks nothing.

use crate::list::flat;
use crate::position::Position;
use crate::{Draft, Error, Item, Result, Status, estimate, short};
use jiff::Timestamp;
use smol_str::SmolStr;
use std::collections::{HashMap, HashSet};
use texts::{Text, all as say};
use uuid::Uuid;

/// A dependency that was left out because it would have closed a circle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refused {
    /// The item that would have waited.
    pub(crate) item: Uuid,
    /// The content of that item.
    pub(crate) content: String,
    /// The content of the item that it would have waited for.
    pub(crate) on: String,
}

impl Refused {
    /// The remark about it.
    pub(crate) fn sentence(&self) -> Text {
        say::dependency_left_out(&self.content, &self.on)
    }
}

/// True if an item depends on another.
fn depends(items: &[Item]) -> bool {
    flat(items).any(|(item, _)| !item.depends_on_uids.is_empty())
}

/// Fills in the derived values of a list: which items wait, and estimates in minutes.
pub fn derive(items: &mut [Item]) {
    let open: HashSet<Uuid> = match depends(items) {
        true => flat(items).filter(|(item, _)| !item.status.is_terminal()).map(|(item, _)| item.uid).collect(),
        false => HashSet::new(),
    };
    each(items, &mut |item| {
        let unmet = item.depends_on_uids.iter().flatten().any(|uid| open.contains(uid));
        item.waiting = item.status == Status::Pending && unmet;
        item.estimate_minutes = item.estimate.as_deref().and_then(estimate::minutes);
    });
}

/// A sentence for each item in progress that waits for an open one, but for the items of `users` (requirement K3).
pub(crate) fn begun_too_early(items: &[Item], users: &HashSet<Uuid>) -> Vec<String> {
    if !depends(items) {
        return Vec::new();
    }
    let open: HashMap<Uuid, &Item> =
        flat(items).filter(|(item, _)| !item.status.is_terminal()).map(|(item, _)| (item.uid, item)).collect();
    let begun = flat(items).map(|(item, _)| item);
    let begun = begun.filter(|item| item.status == Status::InProgress && !users.contains(&item.uid));
    let sentence = |item: &Item| {
        let on = item.depends_on_uids.iter().flatten().find_map(|uid| open.get(uid))?;
        Some(format!(
            "\"{}\" is in progress, though it waits for \"{}\"; do that first, or mark it pending.",
            short(&item.content),
            short(&on.content)
        ))
    };
    begun.filter_map(sentence).collect()
}

/// Refuses a list as it was sent, when its items wait for each other in a circle.
///
/// # Errors
/// [`Error::Circle`], with the items in it.
pub(crate) fn check(drafts: &[Draft]) -> Result<()> {
    let has_some = |draft: &Draft| !draft.depends_on.is_empty();
    if !drafts.iter().any(|draft| has_some(draft) || draft.subtasks.iter().any(has_some)) {
        return Ok(());
    }
    let mut given = 0;
    let mut items: Vec<Item> = drafts.iter().map(|draft| placeholder(draft, &mut given)).collect();
    find_all(&mut items, &|_| true, &HashMap::new());
    circle_in_words(&items).map_or(Ok(()), |items| Err(Error::Circle { items }))
}

/// A circle of items that wait for each other: `"A" waits for "B" waits for "A"`.
pub(crate) fn circle_in_words(items: &[Item]) -> Option<String> {
    let circle = circle(items)?;
    let named = circle.iter().filter_map(|uid| content(items, *uid)).map(|text| format!("\"{}\"", short(text)));
    Some(named.collect::<Vec<_>>().join(" waits for "))
}

/// Looks up the dependencies of a list: those that were never looked up, and where `anew` returns true those that
/// meant nothing (`None`) or an item that is gone. Those that would close a circle mean nothing.
///
/// Positions are those of `items`, but for the ones in `places`: an agent means the list that it sent.
pub(crate) fn resolve(
    items: &mut [Item],
    anew: &dyn Fn(Option<Uuid>) -> bool,
    places: &HashMap<SmolStr, Uuid>,
) -> Vec<Refused> {
    if !are_any(items) {
        return Vec::new();
    }
    let found = find_all(items, anew, places);
    let mut refused = Vec::new();
    while let Some(circle) = circle(items) {
        let edges: Vec<(Uuid, Uuid)> = circle.windows(2).map(|pair| (pair[0], pair[1])).collect();
        // Dependencies from before stay; of several old ones that came together again, any is left out.
        let Some((item, on)) = edges.iter().find(|edge| found.contains(edge)).or(edges.last()).copied() else { break };
        let text = |uid| content(items, uid).map(short).unwrap_or_default();
        refused.push(Refused { item, content: text(item), on: text(on) });
        each(items, &mut |candidate| {
            if candidate.uid == item {
                let of_circle = candidate.depends_on_uids.iter_mut().filter(|uid| **uid == Some(on));
                of_circle.for_each(|uid| *uid = None);
            }
        });
    }
    refused
}

/// True if any item waits for others.
pub(crate) fn are_any(items: &[Item]) -> bool {
    flat(items).any(|(item, _)| !item.depends_on.is_empty())
}

/// Does something to every item, on both levels.
pub(crate) fn each(items: &mut [Item], act: &mut dyn FnMut(&mut Item)) {
    for item in items {
        act(item);
        for sub in &mut item.subtasks {
            act(sub);
        }
    }
}

fn content(items: &[Item], uid: Uuid) -> Option<&str> {
    flat(items).find(|(item, _)| item.uid == uid).map(|(item, _)| item.content.as_str())
}

/// Looks up open dependencies; returns the pairs that were found.
fn find_all(
    items: &mut [Item],
    anew: &dyn Fn(Option<Uuid>) -> bool,
    places: &HashMap<SmolStr, Uuid>,
) -> HashSet<(Uuid, Uuid)> {
    let mut index = Index::of(items);
    index.places.extend(places.iter().map(|(place, uid)| (place.to_string(), *uid)));
    let mut found = HashSet::new();
    each(items, &mut |item| {
        let known = std::mem::take(&mut item.depends_on_uids);
        for (at, name) in item.fields.depends_on.iter().enumerate() {
            let looked_up = known.get(at).copied();
            let was = looked_up.flatten();
            let stands = was.is_some_and(|uid| index.uids.contains(&uid));
            let keep = stands || (looked_up.is_some() && !anew(was));
            let now = if keep { was } else { index.find(name, item.uid).or(was) };
            if let Some(on) = now.filter(|_| !keep) {
                found.insert((item.uid, on));
            }
            item.depends_on_uids.push(now);
        }
    });
    found
}

/// A list to look dependencies up in.
struct Index {
    uids: HashSet<Uuid>,
    ids: HashMap<SmolStr, Uuid>,
    places: HashMap<String, Uuid>,
    contents: HashMap<String, Uuid>,
    /// In small letters.
    texts: Vec<(String, Uuid)>,
}

impl Index {
    fn of(items: &[Item]) -> Self {
        let mut index = Self {
            uids: HashSet::new(),
            ids: HashMap::new(),
            places: HashMap::new(),
            contents: HashMap::new(),
            texts: Vec::new(),
        };
        // Top-level items first: where two have one name, it is theirs.
        for (at, item) in items.iter().enumerate() {
            index.take(item, (at + 1).to_string());
        }
        for (at, item) in items.iter().enumerate() {
            for (sub, subtask) in item.subtasks.iter().enumerate() {
                index.take(subtask, format!("{}.{}", at + 1, sub + 1));
            }
        }
        index
    }

    fn take(&mut self, item: &Item, place: String) {
        self.uids.insert(item.uid);
        self.ids.entry(item.id.clone()).or_insert(item.uid);
        self.places.insert(place, item.uid);
        self.contents.entry(item.content.clone()).or_insert(item.uid);
        self.texts.push((item.content.to_lowercase(), item.uid));
    }

    fn find(&self, name: &str, by: Uuid) -> Option<Uuid> {
        let name = name.trim();
        let named = self.ids.get(name).copied();
        let named = named.or_else(|| Uuid::try_parse(name).ok().filter(|uid| self.uids.contains(uid)));
        // A number that is no id and the item's own place is a slip, not a circle.
        let placed =
            || Position::parse(name).ok().and_then(|_| self.places.get(name).copied()).filter(|uid| *uid != by);
        named.or_else(placed).or_else(|| self.contents.get(name).copied()).or_else(|| self.only_one_with(name, by))
    }

    fn only_one_with(&self, name: &str, by: Uuid) -> Option<Uuid> {
        let name = name.to_lowercase();
        let mut with = self.texts.iter().filter(|(text, uid)| *uid != by && text.contains(&name)).map(|(_, uid)| *uid);
        with.next().filter(|_| !name.is_empty() && with.next().is_none())
    }
}

/// The uids along a circle, the first again at the end; `None` where there is none.
fn circle(items: &[Item]) -> Option<Vec<Uuid>> {
    let on: HashMap<Uuid, Vec<Uuid>> =
        flat(items).map(|(item, _)| (item.uid, item.depends_on_uids.iter().flatten().copied().collect())).collect();
    let mut done: HashSet<Uuid> = HashSet::new();
    for (start, _) in flat(items) {
        // Depth first without recursion: the path, and how many edges of each were tried.
        let mut path: Vec<(Uuid, usize)> = vec![(start.uid, 0)];
        let mut on_path: HashSet<Uuid> = HashSet::from([start.uid]);
        while let Some((uid, tried)) = path.last_mut() {
            let next = if done.contains(uid) { None } else { on.get(uid).and_then(|targets| targets.get(*tried)) };
            *tried += 1;
            match next {
                Some(next) if on_path.contains(next) => {
                    let from = path.iter().position(|(uid, _)| uid == next).unwrap_or_default();
                    return Some(path[from..].iter().map(|(uid, _)| *uid).chain([*next]).collect());
                }
                Some(next) if on.contains_key(next) && !done.contains(next) => {
                    on_path.insert(*next);
                    path.push((*next, 0));
                }
                Some(_) => {}
                None => {
                    done.insert(*uid);
                    on_path.remove(uid);
                    path.pop();
                }
            }
        }
    }
    None
}

/// A draft as an item, to look dependencies up among the items that were sent.
fn placeholder(draft: &Draft, given: &mut u128) -> Item {
    *given += 1;
    let uid = draft.uid.unwrap_or_else(|| Uuid::from_u128(*given));
    let item = Item::new(uid, draft.id.clone().unwrap_or_default(), draft.fields.clone(), Timestamp::UNIX_EPOCH);
    Item { subtasks: draft.subtasks.iter().map(|sub| placeholder(sub, given)).collect(), ..item }
}
