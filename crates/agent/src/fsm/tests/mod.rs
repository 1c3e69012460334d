//! The rules as tables (what happens, what the machine wants then), and laws that hold whatever happens.

mod abort;
mod approvals;
mod begin;
mod deeds;
mod edits;
mod ends;
mod items;
mod laws;
mod plan;
mod tame;
mod turns;
mod world;

use super::{Policy, Settings};
use world::{World, play};

/// Tools that need no approval, so that tables are short; `ask` and `deny` are as they are called.
fn settings() -> Settings {
    let tools = [("ask", Policy::Ask), ("deny", Policy::Deny)];
    let tools = tools.map(|(name, policy)| (name.to_owned(), policy)).into();
    Settings { other_tools: Policy::Auto, tools, ..Settings::default() }
}

fn world() -> World {
    World::of(settings())
}

/// In a turn about the first of these items.
fn working(items: &str) -> World {
    let mut world = world().with(items);
    world.machine.checkpoint.task = Some("Build it".to_owned());
    world.happens("resume");
    world
}
