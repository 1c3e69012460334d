//! Kilo Code, seen in its command line's 7.7.9. It is made of opencode.

use crate::Facts;
use crate::opencode::Opencode;

/// Kilo Code.
pub const KILO: Opencode = Opencode::fork(&FACTS, &NAMES, ".kilo", "KILO_PERMISSION");

const FACTS: Facts = Facts { proven: Some("7.7.9"), mcp_clients: &["kilo"], ..Opencode::facts_of("kilo", "Kilo Code") };

/// It also reads opencode's names.
const NAMES: [&str; 4] = ["kilo.json", "kilo.jsonc", "opencode.json", "opencode.jsonc"];
