//! Notices when a gateway is no longer used.

use gateway::Activity;
use std::time::Duration;
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

/// The shortest pause between two checks.
const PAUSE: Duration = Duration::from_secs(1);

/// Starts a task that sets the value to `true` once the gateway had no client and no request for `after`. Dropping the
/// guard ends it.
pub(crate) fn watch(activity: Activity, after: Duration) -> (watch::Receiver<bool>, DropGuard) {
    let (idle, seen) = watch::channel(false);
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    tokio::spawn(async move {
        let mut checks = tokio::time::interval(PAUSE.max(after / 20));
        loop {
            tokio::select! {
                () = stopped.cancelled() => return,
                _ = checks.tick() => {}
            }
            if activity.quiet_for() >= after {
                let _ = idle.send_replace(true);
                return;
            }
        }
    });
    (seen, stop.drop_guard())
}
