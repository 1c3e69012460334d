//! The keys of hosts, as a link asks for them; another crate stores them.

/// The keys of hosts at addresses. They may block.
pub trait Keys: Send + Sync {
    /// The key of a host, if one was stored for that address.
    fn key(&self, host: &str, address: &str) -> Option<String>;
    /// Forgets the keys of all other hosts; which there are is asked while no key can come.
    fn keep(&self, hosts: &dyn Fn() -> Vec<String>);
}
