//! A mount that does not answer is played by a pipe that is opened as usual.

use super::pipe;
use crate::GaveUp;
use crate::aside::Workshop;
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::Duration;

const SHORT: Duration = Duration::from_millis(20);
/// Longer than any test takes.
const LONG: Duration = Duration::from_secs(600);

struct Mount(tempfile::TempDir);

impl Mount {
    fn new(pipes: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for name in pipes {
            pipe(&folder.path().join(name));
        }
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Reads as nobody should: it hangs until [`Mount::answer`].
    fn read(&self, name: &str) -> impl FnOnce() -> String + Send + 'static {
        let path = self.path(name);
        move || fs::read_to_string(path).expect("it is read")
    }

    fn answer(&self, name: &str) {
        drop(OpenOptions::new().write(true).open(self.path(name)).expect("somebody reads"));
    }
}

/// Waits until the work at a place has ended.
async fn ended(workshop: &Workshop, place: &Path) {
    while workshop.run(place, LONG, || ()).await == Err(GaveUp::Hangs) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn what_hangs_holds_up_nobody_else() {
    let (mount, workshop) = (Mount::new(&["one"]), Workshop::new(1, 8));
    let one = mount.path("one");
    assert_eq!(workshop.run(&one, SHORT, mount.read("one")).await, Err(GaveUp::Hangs));
    // The only turn is free again, and the same place is not tried again: the work would panic.
    assert_eq!(workshop.run(&mount.path("two"), LONG, || 7).await, Ok(7));
    assert_eq!(workshop.run(&one, LONG, || panic!("it is not begun")).await, Err::<(), _>(GaveUp::Hangs));
    mount.answer("one");
    ended(&workshop, &one).await;
    assert_eq!(workshop.run(&one, LONG, || 8).await, Ok(8));
}

#[tokio::test]
async fn only_so_much_hangs() {
    let names = ["one", "two", "three"];
    let (mount, workshop) = (Mount::new(&names), Workshop::new(2, 3));
    for name in names {
        assert_eq!(workshop.run(&mount.path(name), SHORT, mount.read(name)).await, Err(GaveUp::Hangs));
    }
    let elsewhere = mount.path("four");
    assert_eq!(workshop.run(&elsewhere, LONG, || ()).await, Err(GaveUp::TooMuchHangs));
    mount.answer("two");
    ended(&workshop, &mount.path("two")).await;
    assert_eq!(workshop.run(&elsewhere, LONG, || 7).await, Ok(7));
    mount.answer("one");
    mount.answer("three");
}

#[tokio::test]
async fn a_caller_that_goes_leaves_no_turn_taken() {
    let (mount, workshop) = (Mount::new(&["one"]), Workshop::new(1, 8));
    let one = mount.path("one");
    let waits = tokio::time::timeout(SHORT, workshop.run(&one, LONG, mount.read("one"))).await;
    assert!(waits.is_err(), "it hangs");
    assert_eq!(workshop.run(&one, LONG, || 7).await, Ok(7), "nobody knows that it hangs");
    mount.answer("one");
}

#[tokio::test]
async fn a_panic_is_no_result_and_takes_no_turn() {
    let workshop = Workshop::new(1, 8);
    for _ in 0..3 {
        let failed = workshop.run(Path::new("/one"), LONG, || panic!("it does")).await;
        assert_eq!(failed, Err::<(), _>(GaveUp::Failed));
    }
    assert_eq!(workshop.run(Path::new("/one"), LONG, || 7).await, Ok(7));
}

/// The runtime's own threads for blocking work would be waited for.
#[test]
fn what_hangs_does_not_keep_a_runtime_from_ending() {
    let mount = Mount::new(&["one"]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let hangs = runtime.block_on(crate::aside(&mount.path("one"), SHORT, mount.read("one")));
    assert_eq!(hangs, Err(GaveUp::Hangs));
    drop(runtime);
    mount.answer("one");
}
