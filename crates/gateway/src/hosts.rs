//! The hosts by which the gateway is reached: this machine's own names, and those that the user has named for a proxy on
//! this machine. `Host` and `Origin` are compared with them, and with nothing else.

use hub::Hub;
use protocol::public_host;
use std::sync::Arc;

/// Names of this computer.
const LOOPBACK: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// The hosts by which a gateway is reached.
pub(crate) struct Hosts {
    port: u16,
    /// This machine.
    pub(crate) here: Place,
    /// Named where the gateway was started, each as [`public_host`] reads it.
    named: Vec<String>,
}

impl Hosts {
    pub(crate) fn new(port: u16, named: &[String]) -> Self {
        Self { port, here: Place::here(port), named: named.iter().filter_map(|name| public_host(name)).collect() }
    }

    /// The place that a `Host` names: the port on this machine, beyond it the origin. `None` where it is not this gateway's.
    pub(crate) fn place(&self, host: &str, hub: &Hub) -> Option<Place> {
        if is_here(host, self.port) {
            return Some(self.here.clone());
        }
        let host = public_host(host)?;
        let is_set = || hub.settings().public_hosts.iter().any(|name| public_host(name).as_ref() == Some(&host));
        (self.named.contains(&host) || is_set()).then(|| Place(format!("https://{host}").into()))
    }

    /// True for a web page of this gateway's own, by its origin. Beyond this machine, where other programs may have other ports
    /// of the same host, it is at the very place at which the request was made, and over TLS.
    pub(crate) fn is_own_page(&self, origin: &str, place: &Place) -> bool {
        if *place == self.here {
            return origin.strip_prefix("http://").is_some_and(|host| is_here(host, self.port));
        }
        origin.strip_prefix("https://").and_then(public_host).is_some_and(|host| *place.0 == format!("https://{host}"))
    }
}

/// The place at which a client asks, over which both sides prove what they know: the port on this machine, and beyond it
/// the origin, which no program on a port of this machine can have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place(pub(crate) Arc<str>);

impl Place {
    /// The place on this machine.
    pub(crate) fn here(port: u16) -> Self {
        Self(port.to_string().into())
    }
}

/// True if a host (with its port) names this gateway on this machine.
fn is_here(host: &str, port: u16) -> bool {
    let own = format!(":{port}");
    // Without a port it is that of http.
    let name = host.strip_suffix(&own).or_else(|| (port == 80).then_some(host));
    let Some(name) = name else { return false };
    LOOPBACK.iter().any(|loopback| name.eq_ignore_ascii_case(loopback))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_here() {
        for host in ["127.0.0.1:3271", "localhost:3271", "LOCALHOST:3271", "[::1]:3271"] {
            assert!(is_here(host, 3271), "{host}");
        }
        for host in ["127.0.0.1", "localhost", "[::1]", "localhost:80"] {
            assert!(is_here(host, 80) && !is_here(host, 3271), "{host}");
        }
        for host in
            ["example.com", "example.com:3271", "127.0.0.1:3272", "127.0.0.1.example.com:3271", "localhost.:3271", ""]
        {
            assert!(!is_here(host, 3271), "{host}");
        }
    }

    #[test]
    fn a_page_of_a_named_host_is_at_the_same_place_and_over_tls() {
        let hosts = Hosts::new(3271, &["box.example.net".to_owned()]);
        let (here, named) = (Place::here(3271), Place("https://box.example.net".into()));
        for (origin, place) in [
            ("http://localhost:3271", &here),
            ("https://box.example.net", &named),
            ("https://Box.example.net:443", &named),
        ] {
            assert!(hosts.is_own_page(origin, place), "{origin}");
        }
        for (origin, place) in [
            ("http://box.example.net", &named),
            ("https://box.example.net:8443", &named),
            ("https://other.example.net", &named),
            ("http://localhost:3271", &named),
            ("https://box.example.net", &here),
            ("https://localhost:3271", &here),
            ("null", &named),
        ] {
            assert!(!hosts.is_own_page(origin, place), "{origin} at {place:?}");
        }
    }
}
