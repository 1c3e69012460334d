//! An agent is heard of, and nothing else is new: nothing is committed for it, and nothing is lost by that but seconds.

use super::{World, agent, todos};
use futures_util::{FutureExt, StreamExt};
use protocol::{Backend, Event, TodoRead};
use std::time::Duration;

impl World {
    fn committed(&self) -> u64 {
        self.hub().core.status().commits
    }

    /// The agent reads its list a minute later, and hears the answer.
    async fn read_later(&self) {
        self.pass(1);
        let read = self.ask(&agent("one"), TodoRead::default()).await.expect("it is read");
        self.delivered(&agent("one"), &read).await;
    }
}

#[tokio::test]
async fn a_read_commits_nothing_and_is_told_at_once() {
    let world = World::new().await;
    let id = world.write(&agent("one"), todos(&["A"])).await.session_id;
    world.read_later().await;
    let mut there = world.hub().subscribe(None).await.expect("a subscription");
    let commits = world.committed();
    world.read_later().await;
    assert_eq!(world.committed(), commits, "nothing was committed");
    let told = there.events.next().now_or_never().flatten().expect("it is told");
    let Event::SessionUpdated(updated) = told.event() else { panic!("{told:?}") };
    let now = world.hub().core.now();
    assert_eq!(updated.session.session.last_activity_at, now);
    assert_eq!(updated.cursor, there.snapshot.cursor, "the newest that is committed");
    let missed = world.hub().subscribe(Some(there.snapshot.cursor)).await.expect("a subscription").snapshot;
    let sessions: Vec<_> =
        missed.sessions.iter().map(|it| (&it.session.session_id, it.session.last_activity_at)).collect();
    assert_eq!((missed.whole, &sessions[..]), (false, &[(&id, now)][..]), "who was away catches up with it");
    world.running.stop().await;
}

#[tokio::test]
async fn that_an_agent_was_heard_of_is_stored_with_the_next_change_a_little_later_and_at_the_end() {
    let world = World::new().await;
    let id = world.write(&agent("one"), todos(&["A"])).await.session_id;
    let stored = async |world: &World| {
        world.hub().core.store.session(&id).await.expect("it is read").expect("it is there").life.last_activity_at
    };
    world.read_later().await;
    let now = world.hub().core.now();
    assert!(stored(&world).await < now, "not at once");
    world.write(&agent("one"), todos(&["A", "B"])).await;
    assert_eq!(stored(&world).await, now, "with the next change");
    world.read_later().await;
    let now = world.hub().core.now();
    while stored(&world).await < now {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    world.read_later().await;
    let now = world.hub().core.now();
    let world = world.restart().await;
    assert_eq!((stored(&world).await, world.session(&id).await.last_activity_at), (now, now), "at the end");
    world.running.stop().await;
}
