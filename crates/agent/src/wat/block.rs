//! A computation before it is made, and its limits.

use std::time::Duration;

/// A `<wat_model>` block.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Block {
    /// The exported function to call; if there is none, the only one.
    pub call: Option<String>,
    /// Its arguments, separated by whitespace.
    pub args: String,
    /// The module, as WebAssembly text.
    pub module: String,
}

/// Limits of a computation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Steps of the interpreter, about one for each instruction.
    pub fuel: u64,
    pub time: Duration,
    /// Bytes of its memory.
    pub memory: usize,
    /// Bytes of a module's text.
    pub module: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { fuel: 500_000_000, time: Duration::from_secs(5), memory: 16 * 1024 * 1024, module: 256 * 1024 }
    }
}
