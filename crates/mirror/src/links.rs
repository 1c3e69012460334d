//! The links to all hosts that are confirmed: begun when one comes, ended when it goes.

use crate::driver::Driver;
use crate::fsm::Timing;
use crate::keys::Keys;
use hub::{Hub, KnownHost};
use std::collections::HashMap;
use std::sync::Arc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The parts that links need.
pub struct Config {
    /// The hub that is followed into.
    pub hub: Hub,
    /// The keys of hosts at addresses.
    pub keys: Arc<dyn Keys>,
    /// Times of each link.
    pub timing: Timing,
}

/// The links of a gateway.
pub struct Running {
    task: JoinHandle<()>,
    stop: CancellationToken,
}

impl Running {
    /// Ends all links, and the commands that they have started.
    pub async fn stop(self) {
        self.stop.cancel();
        if let Err(error) = self.task.await {
            tracing::error!(%error, "the links to other machines failed");
        }
    }
}

/// Begins a link to each host, also to those that come later.
#[must_use]
pub fn start(config: Config) -> Running {
    let stop = CancellationToken::new();
    let task = tokio::spawn(keep(config, stop.clone()));
    Running { task, stop }
}

/// A link that runs.
struct Started {
    host: KnownHost,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

async fn keep(Config { hub, keys, timing }: Config, stop: CancellationToken) {
    let mut known = hub.known_hosts();
    let mut links: HashMap<String, Started> = HashMap::new();
    loop {
        let hosts = known.borrow_and_update().clone();
        let (of, keeper) = (hub.clone(), keys.clone());
        // Nothing waits for it.
        drop(tokio::task::spawn_blocking(move || keeper.keep(&|| of.host_names())));
        let gone: Vec<String> =
            links.values().filter(|link| !hosts.contains(&link.host)).map(|link| link.host.name.clone()).collect();
        for name in gone {
            if let Some(link) = links.remove(&name) {
                link.end().await;
                hub.host_left(&name).await;
            }
        }
        for host in hosts.iter().filter(|host| !links.contains_key(&host.name)).cloned().collect::<Vec<_>>() {
            let ended = stop.child_token();
            let task = match host.address.clone().filter(|address| protocol::tek(address).is_some()) {
                Some(address) => {
                    let (hub, name, timing) = (hub.clone(), host.name.clone(), timing.of_tek());
                    tokio::spawn(tek::run(tek::Config { hub, name, address, timing }, ended.clone()))
                }
                None => {
                    let driver = Driver::new(hub.clone(), host.clone(), keys.clone(), timing);
                    tokio::spawn(driver.run(ended.clone()))
                }
            };
            links.insert(host.name.clone(), Started { host, stop: ended, task });
        }
        tokio::select! {
            () = stop.cancelled() => break,
            changed = known.changed() => if changed.is_err() { break },
        }
    }
    for (_, link) in links {
        link.end().await;
    }
}

impl Started {
    async fn end(self) {
        self.stop.cancel();
        if let Err(error) = self.task.await {
            tracing::error!(%error, host = self.host.name, "the link to a host failed");
        }
    }
}
