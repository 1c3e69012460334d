//! Ends a gateway that nobody uses any more.

use gateway::Activity;
use std::time::Duration;
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

/// The shortest pause between two looks.
const LOOK: Duration = Duration::from_secs(1);

/// Becomes `true` once nobody was connected and nothing was asked for so long.
pub(crate) fn watch(activity: Activity, after: Duration) -> (watch::Receiver<bool>, DropGuard) {
    let (idle, seen) = watch::channel(false);
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    tokio::spawn(async move {
        let mut looks = tokio::time::interval(LOOK.max(after / 20));
        loop {
            tokio::select! {
                () = stopped.cancelled() => return,
                _ = looks.tick() => {}
            }
            if activity.quiet_for() >= after {
                let _ = idle.send_replace(true);
                return;
            }
        }
    });
    (seen, stop.drop_guard())
}
