//! The HTTP clients of models and tool servers.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Clients that stay, with their open connections: one for this machine, one for everywhere else.
#[derive(Debug, Default)]
pub(crate) struct Clients(Mutex<HashMap<bool, reqwest::Client>>);

impl Clients {
    /// The client for this address; see [`client`].
    ///
    /// # Errors
    /// Those of [`client`]; the next call tries again.
    pub(crate) fn of(&self, address: &str) -> reqwest::Result<reqwest::Client> {
        let is_here = is_here(address);
        let known = self.kept().get(&is_here).cloned();
        known.map_or_else(|| Ok(self.kept().entry(is_here).or_insert(client(address)?).clone()), Ok)
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<bool, reqwest::Client>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Time limit for making a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// A client for this address. It follows no redirect, so that no key goes where the user did not send it, and takes no
/// proxy to this very machine.
///
/// # Errors
/// When the system's certificates cannot be read.
pub(crate) fn client(address: &str) -> reqwest::Result<reqwest::Client> {
    // An error means that one is installed already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder()
        .connect_timeout(CONNECT)
        .redirect(reqwest::redirect::Policy::none())
        .tcp_nodelay(true);
    if is_here(address) { client.no_proxy().build() } else { client.build() }
}

/// This very machine.
pub(crate) fn is_here(address: &str) -> bool {
    let Ok(url) = reqwest::Url::parse(address) else { return false };
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}
