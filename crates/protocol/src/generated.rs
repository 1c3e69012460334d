//! Files that are made from this crate and committed. Each has a test that fails when it is stale; `cargo xtask types`
//! runs the same tests to write them.

mod page;
mod schema;
mod typescript;

use std::path::Path;

/// A row of the one list of requests.
struct Row {
    name: &'static str,
    kind: &'static str,
    reply: &'static str,
    answer: &'static str,
    asker: &'static str,
    repeat: &'static str,
    command: &'static str,
}

/// A class of requests: its name, its docstring, and its rows.
type Class = (&'static str, &'static [&'static str], &'static [Row]);

macro_rules! classes {
    ($($(#[doc = $about:literal])+ $class:ident {
        $($name:ident -> $answer:ident, $kind:literal => $reply:literal, $command:ident, $asker:ident, $repeat:ident;)*
    })*) => {
        const CLASSES: &[Class] = &[$((stringify!($class), &[$($about),+], &[$(Row {
            name: stringify!($name),
            kind: $kind,
            reply: $reply,
            answer: stringify!($answer),
            asker: stringify!($asker),
            repeat: stringify!($repeat),
            command: stringify!($command),
        }),*])),*];
    };
}

crate::with_requests!(classes);

fn rows() -> impl Iterator<Item = &'static Row> {
    CLASSES.iter().flat_map(|(_, _, rows)| *rows)
}

/// Compares a file of the repository with what it has to hold; writes it first where `cargo xtask types` asks for it.
fn is_current(file: &str, wanted: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
    if std::env::var_os("SIGHTLINE_WRITE_TYPES").is_some() {
        std::fs::create_dir_all(path.parent().expect("it has a folder")).expect("the folder can be made");
        std::fs::write(&path, wanted).expect("the file can be written");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == wanted, "{file} is stale: run `cargo xtask types` and commit it");
}
