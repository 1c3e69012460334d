//! Every scene, played on a real hub.

use crate::{Clock, Player, Scene};
use hub::{Config, Running};
use jiff::{SignedDuration, Timestamp};
use protocol::{Backend, Caller, EventsSnapshot, EventsSubscribe, NeedKind, Reply, SessionState, Transport};
use rstest::rstest;
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

struct World {
    running: Running,
    clock: Clock,
    _folder: tempfile::TempDir,
}

async fn begun(scene: Scene) -> (World, Player) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // The machine's clock leaps ahead, so that the rest of a script is played without waiting.
    let real = Mutex::new(Timestamp::from_second(1_700_000_000).expect("a time"));
    let leap = move || {
        let mut real = real.lock().expect("nobody panicked");
        *real += SignedDuration::from_secs(20);
        *real
    };
    let clock = Clock::new(Arc::new(leap), Timestamp::from_second(1_700_000_000).expect("a time"));
    let now = clock.clone();
    let config = Config {
        database: folder.path().join("sightline.db"),
        now: Arc::new(move || now.now()),
        elapsed: Arc::new(std::time::Duration::default),
        uid: Arc::new(Uuid::new_v4),
        secret: Arc::new(String::new),
        version: "1.2.3".to_owned(),
    };
    let running = hub::start(config).await.expect("the hub starts");
    let player = Player::begin(running.hub.clone(), clock.clone(), scene).await.expect("the scene begins");
    (World { running, clock, _folder: folder }, player)
}

async fn snapshot(world: &World) -> EventsSnapshot {
    let user = Caller::user(Transport::Window, "test");
    match world.running.hub.call(user, EventsSubscribe::default().into()).await {
        Ok(Reply::EventsSubscribe(snapshot)) => snapshot,
        other => panic!("no snapshot: {other:?}"),
    }
}

#[rstest]
#[case(Scene::Empty, 0)]
#[case(Scene::One, 1)]
#[case(Scene::Full, 30)]
#[case(Scene::Odd, 3)]
#[tokio::test]
async fn a_scene_shows_its_sessions_and_time_stands_still(#[case] scene: Scene, #[case] sessions: usize) {
    let (world, player) = begun(scene).await;
    let begins = world.clock.now();
    assert_eq!(begins.as_second(), 1_700_000_000);
    let shown = snapshot(&world).await.sessions;
    assert_eq!(shown.len(), sessions);
    assert!(shown.iter().all(|known| known.session.last_activity_at <= begins));
    assert_eq!(world.clock.now(), begins);
    drop(player);
    world.running.stop().await;
}

#[tokio::test]
async fn the_typical_scene_has_something_of_everything() {
    let (world, player) = begun(Scene::Typical).await;
    let shown = snapshot(&world).await.sessions;
    let mut needs: Vec<NeedKind> = Vec::new();
    let mut states: Vec<SessionState> = Vec::new();
    for known in &shown {
        needs.extend(known.session.needs.iter().map(|need| need.kind));
        states.push(known.session.state);
    }
    for kind in [NeedKind::Waiting, NeedKind::Blocked, NeedKind::Overridden, NeedKind::Drift] {
        assert!(needs.contains(&kind), "nothing is {kind:?}: {needs:?}");
    }
    for state in [SessionState::Running, SessionState::Waiting, SessionState::Finished, SessionState::Failed] {
        assert!(states.contains(&state), "nothing is {state:?}: {states:?}");
    }
    assert!(shown.iter().any(|known| known.session.own_tool.is_some()), "no list is an agent's own");
    assert!(shown.iter().any(|known| known.todos.iter().any(|item| item.reopened > 0)), "nothing was reopened");
    drop(player);
    world.running.stop().await;
}

#[rstest]
#[case(Scene::Typical)]
#[case(Scene::One)]
#[tokio::test]
async fn a_scene_goes_on_to_its_end(#[case] scene: Scene) {
    let (world, player) = begun(scene).await;
    let before = snapshot(&world).await;
    let stop = CancellationToken::new();
    let playing = tokio::spawn(player.go_on(stop.clone()));
    let until = tokio::time::Instant::now() + std::time::Duration::from_secs(60);
    let parser = |snapshot: &EventsSnapshot| {
        let parser = snapshot.sessions.iter().find(|known| known.session.project.as_deref() == Some("sightline"));
        parser.map(|known| known.session.progress.completed)
    };
    loop {
        let after = snapshot(&world).await;
        if parser(&after) > parser(&before).map(|done| done + 1) {
            break;
        }
        assert!(tokio::time::Instant::now() < until, "the scene stands still: {after:?}");
        tokio::task::yield_now().await;
    }
    stop.cancel();
    playing.await.expect("it ends");
    world.running.stop().await;
}
