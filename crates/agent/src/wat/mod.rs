//! `<wat_model>` blocks: small WebAssembly programs that a model without tool calls writes into its prose to have something
//! computed (requirement K5).
//!
//! ```text
//! <wat_model call="add" args="8.5 5">(module (func (export "add") (param f64 f64) (result f64) …))</wat_model>
//! ```
//!
//! becomes `<computed>13.5</computed>`, or `<computed error="true">The function stopped: integer divide by
//! zero.</computed>`; the text in it is escaped as XML. `call` and `args` may be missing: then the one function that
//! the module exports is called, without arguments.

mod block;
mod compute;
mod numbers;
mod reader;
mod run;
mod scan;

#[cfg(test)]
mod tests;

pub use block::{Block, Limits};
pub use compute::{Computed, compute};
pub use reader::{Reader, join};
pub use scan::{Piece, Scan};
