//! Any sequence of changes, by two agents and a user with two windows.

use super::story::Story;
use super::whole;
use crate::list::flat;
use crate::manager::{ACTIONS, Action, manage};
use crate::text::{read_markdown, read_show, read_xml, show, write_markdown, write_tokens, write_xml};
use crate::{
    Applied, By, Change, Draft, EditState, Error, Item, List, Position, Positions, Removed, Result, Stamp, Target,
    apply, limits, progress,
};
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use std::collections::{BTreeSet, HashMap, HashSet};
use uuid::Uuid;

/// Changes in one story.
const CHANGES: usize = 40;

/// Changes as the bytes tell them; the list is whole after each.
pub fn changes(bytes: &[u8]) {
    let mut story = Story(bytes);
    let mut world = World::default();
    for _ in 0..CHANGES {
        let Some(what) = story.choice() else { break };
        // A refused change changes nothing, which the type of `apply` guarantees already.
        let _ = world.take(what, &mut story);
    }
    written(&world.list.items);
}

/// A list with its own clock and uids, so that every run is the same.
#[derive(Default)]
struct World {
    list: List,
    /// The lists before, oldest first.
    past: Vec<Vec<Item>>,
    /// The last list of each agent.
    sent: HashMap<&'static str, Value>,
    seconds: i64,
    uids: u128,
}

impl World {
    /// Does what a letter says.
    fn take(&mut self, what: usize, story: &mut Story<'_>) -> Result<()> {
        match what {
            // P: a part of a list.
            0 => {
                let caller = story.caller();
                let drafts = Draft::part(&story.todos(&self.list.items))?;
                self.change(Change::Merge { caller: caller.to_owned(), drafts })?;
                self.hear(caller);
            }
            // A: the user adds.
            1 => {
                let position = Position::parse(story.position())?;
                let todo = json!({ "content": story.content(), "status": story.status() });
                let by = By::User { client: story.client() };
                self.change(Change::Add { position, drafts: vec![Draft::one(&todo, "todo.add")?], by })?;
            }
            // R: an agent says its list again. W: it sends a list. K: it does, and the answer is lost.
            2 | 7 | 11 => {
                let caller = story.caller();
                if what != 2 {
                    let todos = story.todos(&self.list.items);
                    self.sent.insert(caller, todos);
                }
                let todos = self.sent.get(caller).cloned().unwrap_or_else(|| json!([]));
                let drafts = Draft::list(&todos)?;
                let change = Change::Replace { caller: caller.to_owned(), drafts };
                self.change(change.clone())?;
                if what != 11 {
                    self.hear(caller);
                    self.again(change);
                }
            }
            // S: the user sets fields. F: an agent does.
            3 | 6 => {
                let target = self.target(story)?;
                let patch = Box::new(Draft::patch(&story.patch(), "todo.edit")?);
                let by = match what {
                    3 => By::User { client: story.client() },
                    _ => By::Agent { caller: story.caller().to_owned() },
                };
                self.change(Change::Set { target, patch, by })?;
            }
            // D: the user deletes.
            4 => {
                let target = self.target(story)?;
                self.change(Change::Delete { target, client: story.client() })?;
            }
            // U: the user takes an edit back, the newest or one of them.
            5 => {
                let at = story.next();
                let edit = if at < 8 { None } else { self.list.edits.get(at - 8).map(|edit| edit.id) };
                self.change(Change::Undo { edit, client: story.client() })?;
            }
            // X: the user clears.
            8 => drop(self.change(Change::Clear { client: story.client() })?),
            // I: an agent is told.
            9 => self.hear(story.caller()),
            // J: the list goes to the history; or the user insists on what the agent did not follow, or leaves a note.
            10 => {
                let client = story.client();
                let open = |edit: &&crate::Edit| matches!(edit.state, EditState::Overridden | EditState::Ignored);
                let open = self.list.edits.iter().find(open).map(|edit| edit.id);
                let change = match open {
                    _ if client == "me" => Change::Archive { by: By::User { client } },
                    Some(edit) => Change::Insist { edit: Some(edit), client },
                    None => match self.still_removed() {
                        Some(gone) => Change::Restore { gone: Box::new(gone), client },
                        None => Change::Note { text: story.content().to_owned(), client },
                    },
                };
                self.change(change)?;
            }
            // L: the user loads the list as it was so many changes ago.
            12 => {
                let ago = story.next();
                let items = self.past.iter().rev().nth(ago).cloned().unwrap_or_default();
                self.change(Change::Load { items, client: story.client() })?;
            }
            // M: the user moves an item.
            13 => {
                let target = self.target(story)?;
                let to = Position::parse(story.position())?;
                let client = story.client();
                let elsewhere = |out: bool, target| Change::Level { target, out, client: client.clone() };
                // A position that cannot be moved to is no waste: it says a level.
                let move_to = Change::Move { target: target.clone(), to, client: client.clone() };
                if let Err(Error::MoveLevel { to, .. }) = self.change(move_to) {
                    self.change(elsewhere(!to.contains('.'), target))?;
                }
            }
            // N: an agent calls todo_manager.
            14 => self.manage(story)?,
            // O: an agent adds by itself.
            _ => {
                let by = By::Agent { caller: story.caller().to_owned() };
                let position = Position::parse(story.position())?;
                let drafts = Draft::list(&story.todos(&self.list.items))?;
                self.change(Change::Add { position, drafts, by })?;
            }
        }
        Ok(())
    }

    /// The item that went last.
    fn still_removed(&self) -> Option<Removed> {
        let before = self.past.iter().rev().flat_map(|items| flat(items));
        let alive: HashSet<Uuid> = flat(&self.list.items).map(|(item, _)| item.uid).collect();
        let (item, parent) = before.into_iter().find(|(item, _)| !alive.contains(&item.uid))?;
        Some(Removed { item: item.clone(), rank: item.rank.clone(), parent, dropped_by: BTreeSet::new(), back: false })
    }

    fn target(&self, story: &mut Story<'_>) -> Result<Target> {
        Ok(match story.positions() {
            Some(typed) => Target::At(Positions::parse(typed)?),
            None => Target::Uids(vec![story.item(&self.list.items).map_or(Uuid::nil(), |item| item.uid)]),
        })
    }

    fn manage(&mut self, story: &mut Story<'_>) -> Result<()> {
        let caller = story.caller();
        let action = ACTIONS[story.next() % ACTIONS.len()];
        let mut fields = Map::new();
        match action {
            "complete_multiple" => drop(fields.insert("ids".to_owned(), json!([story.next(), story.next() / 4]))),
            "skip" => {
                fields.insert("ids".to_owned(), json!(story.next()));
                fields.insert("reason".to_owned(), json!(story.content()));
            }
            "list" | "next" => {}
            _ => {
                fields.insert("position".to_owned(), json!(story.next()));
                fields.insert("todos".to_owned(), story.todos(&self.list.items));
            }
        }
        let action = Action::read(action, &fields)?;
        let managed = self.stamped(|list, stamp| manage(list, caller, action, stamp))?;
        if let Some(applied) = managed.applied {
            self.take_over(applied);
        }
        self.hear(caller);
        Ok(())
    }

    fn change(&mut self, change: Change) -> Result<()> {
        let applied = self.stamped(|list, stamp| apply(list, change, stamp))?;
        self.take_over(applied);
        Ok(())
    }

    /// Merging twice is merging once.
    fn again(&mut self, change: Change) {
        let again = self.stamped(|list, stamp| apply(list, change, stamp));
        let difference = again.expect("it was taken before").difference;
        assert!(difference.is_empty(), "the same list once more changes {difference:?} of {:?}", self.list.items);
    }

    fn stamped<T>(&mut self, act: impl FnOnce(&List, &mut Stamp<'_>) -> T) -> T {
        self.seconds += 1;
        let now = Timestamp::from_second(self.seconds).expect("a small number is a time");
        let uids = &mut self.uids;
        let mut uid = || {
            *uids += 1;
            Uuid::from_u128(*uids)
        };
        act(&self.list, &mut Stamp { now, uid: &mut uid })
    }

    fn take_over(&mut self, applied: Applied) {
        let Applied { list, difference, edit, .. } = applied;
        assert_eq!(list.revision, self.list.revision + 1, "one change is one revision");
        assert!(list.ids_given >= self.list.ids_given, "ids of ours are not given again");
        whole::check(&list.items);
        whole::difference(&self.list.items, &list.items, &difference);
        whole::memories(&list);
        let kept = |id: &Uuid| list.edits.iter().any(|edit| edit.id == *id);
        assert!(edit.as_ref().is_none_or(kept), "the edit that was made is kept");
        self.past.push(std::mem::replace(&mut self.list, list).items);
    }

    /// An answer with the list as it is now reaches an agent.
    fn hear(&mut self, caller: &str) {
        self.list.callers.entry(caller.to_owned()).or_default().known_list = Some(self.list.items.clone().into());
        let now = Timestamp::from_second(self.seconds).expect("a small number is a time");
        for edit in self.list.edits.iter_mut().filter(|edit| edit.state == EditState::Queued) {
            edit.state = EditState::Delivered;
            edit.at = now;
            edit.delivered = Some((now, None));
        }
    }
}

/// Every form of the list can be written, and read where it is not over a limit.
fn written(items: &[Item]) {
    let progress = progress(items);
    assert!(progress.completed <= progress.total && (0.0..=1.0).contains(&progress.fraction), "{progress:?}");
    assert!(!show(items).english.is_empty() && !write_tokens(items).is_empty());
    if items.len() > limits::ITEMS {
        return;
    }
    let forms = [read_xml(&write_xml(items)), read_markdown(&write_markdown(items)), read_show(&show(items).english)];
    for form in forms {
        let drafts = form.unwrap_or_else(|error| panic!("what was written is refused: {error}: {items:?}"));
        assert_eq!(drafts.len(), items.len(), "{drafts:?} is not {items:?}");
    }
}
