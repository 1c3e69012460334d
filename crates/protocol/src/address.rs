//! Addresses of gateways on other machines, and the named hosts that a gateway answers to.

use crate::{Text, say};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The beginning of a Tek gateway's address.
const TEK: &str = "tek://";

/// The most characters of a name (RFC 1035), and of a path.
const NAME: usize = 253;

/// Reads a named host as it stands in an origin: in small letters, with a port where that is not 443. `None` for what is no
/// name of one host.
#[must_use]
pub fn public_host(text: &str) -> Option<String> {
    match host_and_port(text)? {
        (name, None | Some(443)) => Some(name),
        (name, Some(port)) => Some(format!("{name}:{port}")),
    }
}

/// Reads the address of a gateway, such as `https://box.example.net`, as that of its WebSocket: `wss://box.example.net/gateway`.
///
/// # Errors
/// Where it is none, or where it leads to another machine and others could read what is sent. The text does not repeat the
/// address, which may have a key in it.
pub fn gateway_address(text: &str) -> Result<String, Text> {
    let (scheme, rest) = text.trim().split_once("://").ok_or_else(say::address_odd)?;
    let scheme = match scheme.to_ascii_lowercase().as_str() {
        "wss" | "https" => "wss",
        "ws" | "http" => "ws",
        _ => return Err(say::address_odd()),
    };
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let (name, port) = host_and_port(authority).ok_or_else(say::address_odd)?;
    if scheme == "ws" && !is_loopback(&name) {
        return Err(say::address_open());
    }
    let path = path.trim_end_matches('/');
    let prefix = match path.strip_suffix("gateway") {
        Some(before) if before.is_empty() || before.ends_with('/') => before.trim_end_matches('/'),
        _ => path,
    };
    let is_of_path = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    if prefix.len() > NAME || !prefix.bytes().all(is_of_path) || prefix.split('/').any(|part| part == "..") {
        return Err(say::address_odd());
    }
    let port = port.map(|port| format!(":{port}")).unwrap_or_default();
    let prefix = if prefix.is_empty() { String::new() } else { format!("/{prefix}") };
    Ok(format!("{scheme}://{name}{port}{prefix}/gateway"))
}

/// Reads the address of a host: that of a gateway of ours, as [`gateway_address`] does, or `tek://127.0.0.1:3271`, a Tek
/// gateway on this machine.
///
/// # Errors
/// As [`gateway_address`]; a Tek gateway asks nobody for a key, and speaks without TLS.
pub fn host_address(text: &str) -> Result<String, Text> {
    let Some(authority) = tek(text) else { return gateway_address(text) };
    let (name, port) = host_and_port(authority.trim_end_matches('/')).ok_or_else(say::address_odd)?;
    if !is_loopback(&name) {
        return Err(say::address_tek());
    }
    Ok(format!("{TEK}{name}:{}", port.unwrap_or(crate::DEFAULT_PORT)))
}

/// The host and port of a Tek gateway, in the address of one.
#[must_use]
pub fn tek(address: &str) -> Option<&str> {
    address.trim().strip_prefix(TEK)
}

/// True if a host, as it stands in an address, is this machine.
#[must_use]
pub fn is_loopback(name: &str) -> bool {
    let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    name.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.to_canonical().is_loopback())
}

fn host_and_port(text: &str) -> Option<(String, Option<u16>)> {
    let text = text.to_ascii_lowercase();
    let (name, port) = match text.rsplit_once(':') {
        Some((name, digits)) if !digits.contains(']') => {
            let is_port = digits.bytes().all(|byte| byte.is_ascii_digit());
            (name, Some(digits.parse::<u16>().ok().filter(|port| is_port && *port > 0)?))
        }
        _ => (text.as_str(), None),
    };
    let v6 = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let is_host = match v6 {
        Some(v6) => v6.parse::<Ipv6Addr>().is_ok(),
        None => is_name(name) || name.parse::<Ipv4Addr>().is_ok(),
    };
    is_host.then(|| (name.to_owned(), port))
}

fn is_name(name: &str) -> bool {
    let is_part = |part: &str| {
        let is_of_it = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        !part.is_empty() && part.bytes().all(is_of_it) && !part.starts_with('-') && !part.ends_with('-')
    };
    // The last part of an address has digits only, of a name it never has.
    let is_of_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    name.len() <= NAME && name.split('.').all(is_part) && !name.rsplit('.').next().is_some_and(is_of_digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_host_is_the_name_of_one_host() {
        for (text, read) in [
            ("box.example.net", "box.example.net"),
            ("Box.Example.net:443", "box.example.net"),
            ("box:8443", "box:8443"),
            ("100.64.0.7", "100.64.0.7"),
            ("[fd7a::1]", "[fd7a::1]"),
            ("[fd7a::1]:8443", "[fd7a::1]:8443"),
        ] {
            assert_eq!(public_host(text).as_deref(), Some(read), "{text}");
        }
        for text in [
            "",
            "*",
            "*.example.net",
            ".net",
            "net.",
            "a b",
            "https://box.net",
            "box.net/x",
            "user@box.net",
            "box.net:",
            "box.net:0",
            "box.net:65536",
            "box.net:+1",
            ":443",
            "::1",
            "fd7a::1",
            "[box]",
            "[::1",
            "1.2.3",
            "büro.de",
        ] {
            assert_eq!(public_host(text), None, "{text}");
        }
    }

    #[test]
    fn a_tek_gateway_is_on_this_machine() {
        for (text, read) in [
            ("tek://127.0.0.1:41271", "tek://127.0.0.1:41271"),
            ("tek://localhost/", "tek://localhost:3271"),
            ("tek://[::1]:3272", "tek://[::1]:3272"),
            ("wss://box", "wss://box/gateway"),
        ] {
            assert_eq!(host_address(text).as_deref(), Ok(read), "{text}");
        }
        for text in ["tek://192.168.0.7:3271", "tek://box.example.net", "tek://0.0.0.0"] {
            assert_eq!(host_address(text), Err(say::address_tek()), "{text}");
        }
        for text in ["tek://", "tek://127.0.0.1/gateway", "tek://127.0.0.1:0", "tek://a@127.0.0.1"] {
            assert_eq!(host_address(text), Err(say::address_odd()), "{text}");
        }
    }

    #[test]
    fn an_address_leads_to_another_machine_by_tls_only() {
        for (text, read) in [
            ("wss://box.example.net", "wss://box.example.net/gateway"),
            (" https://Box.example.net:443/gateway/ ", "wss://box.example.net:443/gateway"),
            ("wss://box.example.net:8443/tools/sightline", "wss://box.example.net:8443/tools/sightline/gateway"),
            ("wss://box.example.net/my-gateway", "wss://box.example.net/my-gateway/gateway"),
            ("ws://127.0.0.1:3271", "ws://127.0.0.1:3271/gateway"),
            ("http://localhost:3271/", "ws://localhost:3271/gateway"),
            ("ws://[::1]:3271/gateway", "ws://[::1]:3271/gateway"),
            ("wss://192.168.0.7/gateway", "wss://192.168.0.7/gateway"),
        ] {
            assert_eq!(gateway_address(text).as_deref(), Ok(read), "{text}");
        }
        for text in
            ["ws://box.example.net", "http://192.168.0.7:3271", "ws://127.0.0.1.example.net", "ws://0.0.0.0:3271"]
        {
            assert_eq!(gateway_address(text), Err(say::address_open()), "{text}");
        }
        for text in [
            "",
            "box.example.net",
            "ftp://box",
            "wss://",
            "wss:///gateway",
            "wss://user:secret@box",
            "wss://box?token=secret",
            "wss://box/#token=secret",
            "wss://box/../gateway",
            "wss://box/a b",
            "wss://box/\r\nX: 1",
            "wss://bo\u{7f}x",
        ] {
            let problem = gateway_address(text).expect_err(text);
            assert!(problem == say::address_odd() && !problem.english.contains("secret"), "{text}");
        }
    }
}
