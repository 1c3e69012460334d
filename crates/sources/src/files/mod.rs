//! The reading of agents' transcripts: finding them, and reading on in files, folders and databases as they change.
//!
//! [`transcripts`] finds them, and a [`Reader`] reads one of them, live or from the start; what it tells is the same in
//! both. The agents' own parsers say what it means. Nothing is ever written. What is not understood is passed over:
//! nobody has promised these formats.

mod database;
mod find;
mod json_file;
mod json_folder;
mod lines;
mod reader;

#[cfg(test)]
mod tests;

pub use find::{transcripts, transcripts_in};
pub use reader::Reader;
