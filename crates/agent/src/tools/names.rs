//! Names of tools: accepted by all providers, unique over all servers, and independent of the other servers, since the
//! user's approvals go by them.

use crate::fsm::TODO_TOOLS;
use crate::prompt::DONE_TOOL;

/// Characters of a name that every provider accepts.
const LENGTH: usize = 64;

/// The model's name for a tool of a server.
pub(super) fn name(server: &str, tool: &str) -> String {
    let plain = format!("{server}__{tool}");
    // Otherwise the first `__` would not say where the server's name ends.
    let ambiguous = server.contains("__") || server.ends_with('_') || tool.starts_with('_') || server.is_empty();
    if !ambiguous && plain.len() <= LENGTH && plain.chars().all(is_fine) {
        return plain;
    }
    let mark = format!("-{:016x}", fnv(server.bytes().chain([0]).chain(tool.bytes())));
    let fine = plain.chars().map(|c| if is_fine(c) { c } else { '_' });
    fine.take(LENGTH - mark.len()).chain(mark.chars()).collect()
}

/// The name of a tool of the agent itself.
pub(super) fn is_reserved(name: &str) -> bool {
    name == DONE_TOOL || TODO_TOOLS.contains(&name)
}

fn is_fine(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// FNV-1a: the same in every build, unlike the standard library's.
fn fnv(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
