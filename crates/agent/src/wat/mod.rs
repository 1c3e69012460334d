//! `<wat_model>` blocks: small WebAssembly programs that a model writes into its prose to have something computed
//! (REQUIREMENTS K5).
//!
//! ```text
//! <wat_model call="add" args="8.5 5">(module (func (export "add") (param f64 f64) (result f64) …))</wat_model>
//! ```
//!
//! becomes `<computed>13.5</computed>`, or `<computed error="true">The function stopped: integer divide by
//! zero.</computed>`; the text in it is escaped as XML. `call` and `args` may be missing: then the one function that
//! the module exports is called, without arguments.

mod numbers;
mod run;
mod scan;

#[cfg(test)]
mod tests;

pub use scan::Scan;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A computation as a model writes it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Block {
    /// The exported function that is called; the only one where there is none.
    pub call: Option<String>,
    /// Its arguments, with whitespace between them.
    pub args: String,
    /// The module, as WebAssembly text.
    pub module: String,
}

/// What came of a computation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Computed {
    /// The function's results, with spaces between them; empty where it has none.
    Value(String),
    /// Why there is none, as a sentence.
    Error(String),
}

impl fmt::Display for Computed {
    /// As the model reads it: `<computed>…</computed>`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(value) => write!(f, "<computed>{}</computed>", todo::text::escaped(value)),
            Self::Error(why) => write!(f, "<computed error=\"true\">{}</computed>", todo::text::escaped(why)),
        }
    }
}

/// What a computation may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Steps of the interpreter, about one an instruction.
    pub fuel: u64,
    /// How long it may take.
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

/// Computes a block. Dropping the future stops the computation within a few milliseconds.
pub async fn compute(block: &Block, limits: Limits) -> Computed {
    let stop = Stop(Arc::new(AtomicBool::new(false)));
    let (block, stopped) = (block.clone(), stop.0.clone());
    let computing = tokio::task::spawn_blocking(move || run::run(&block, limits, &stopped));
    match tokio::time::timeout(limits.time, computing).await {
        Ok(Ok(Ok(value))) => Computed::Value(value),
        Ok(Ok(Err(why))) => Computed::Error(why),
        Ok(Err(_)) => Computed::Error("The interpreter has failed.".to_owned()),
        Err(_) => Computed::Error(format!(
            "The computation took longer than {} seconds and was stopped.",
            limits.time.as_secs_f64()
        )),
    }
}

/// Stops the computation when nobody waits for it any more.
struct Stop(Arc<AtomicBool>);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}
