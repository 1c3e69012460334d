//! The HTTP clients of models and tool servers.

use std::time::Duration;

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(10);

/// A client for this address. It follows no redirect, so that no key goes where the user did not send it, and takes no
/// proxy to this very machine.
///
/// # Errors
/// When the system's certificates cannot be read.
pub(crate) fn client(address: &str) -> reqwest::Result<reqwest::Client> {
    // Whoever comes second finds one installed, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder()
        .connect_timeout(CONNECT)
        .redirect(reqwest::redirect::Policy::none())
        .tcp_nodelay(true);
    if is_here(address) { client.no_proxy().build() } else { client.build() }
}

fn is_here(address: &str) -> bool {
    let Ok(url) = reqwest::Url::parse(address) else { return false };
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}
