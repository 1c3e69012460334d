//! The TypeScript types are what this crate says, and messages have the fields that others rely on.

use crate::{Event, Reply, Request};
use std::any::TypeId;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use ts_rs::{Config, TS, TypeVisitor};

/// Collects the declaration of a type and of all that it names.
#[derive(Default)]
struct Declarations {
    seen: HashSet<TypeId>,
    text: BTreeMap<String, String>,
}

impl TypeVisitor for Declarations {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        let config = Config::default().with_large_int("number");
        // Only types of ours have a file of their own; the rest (`string`, arrays) are not declared.
        if T::output_path().is_none() || !self.seen.insert(TypeId::of::<T>()) {
            return;
        }
        self.text.insert(T::ident(&config), format!("export {}", T::decl(&config)));
        T::visit_dependencies(self);
    }
}

fn typescript() -> String {
    let mut found = Declarations::default();
    found.visit::<Request>();
    found.visit::<Reply>();
    found.visit::<Event>();
    let mut text = String::from("// Made from crates/protocol by `cargo xtask types`; do not edit.\n");
    for declaration in found.text.values() {
        text.push('\n');
        text.push_str(declaration);
        text.push('\n');
    }
    text.push_str("\n/** The answer to each request, by the request's `type`. */\nexport interface Answers {\n");
    macro_rules! answers {
        ($($name:ident -> $answer:ident, $kind:literal => $reply:literal, $command:ident;)*) => {
            $(text.push_str(&format!("  \"{}\": {};\n", $kind, stringify!($answer)));)*
            text.push_str("}\n\n/** The window's IPC command for each request. */\nexport const COMMANDS = {\n");
            $(text.push_str(&format!("  \"{}\": \"{}\",\n", $kind, stringify!($command)));)*
            text.push_str("} as const;\n");
        };
    }
    crate::with_requests!(answers);
    text
}

#[test]
fn typescript_is_current() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/src/protocol/types.ts");
    let wanted = typescript();
    if std::env::var_os("SIGHTLINE_WRITE_TYPES").is_some() {
        std::fs::create_dir_all(file.parent().expect("it has a folder")).expect("the folder can be made");
        std::fs::write(&file, &wanted).expect("the file can be written");
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(committed == wanted, "ui/src/protocol/types.ts is stale: run `cargo xtask types` and commit it");
}
