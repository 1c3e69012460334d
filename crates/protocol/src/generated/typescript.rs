//! `ui/src/protocol/types.ts`: the types of the UI, and the answer and the command of each request.

use crate::{Event, Reply, Request};
use std::any::TypeId;
use std::collections::{BTreeMap, HashSet};
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
    for row in super::rows() {
        text.push_str(&format!("  \"{}\": {};\n", row.kind, row.answer));
    }
    text.push_str("}\n\n/** The window's IPC command for each request. */\nexport const COMMANDS = {\n");
    for row in super::rows() {
        text.push_str(&format!("  \"{}\": \"{}\",\n", row.kind, row.command));
    }
    text.push_str("} as const;\n");
    text
}

#[test]
fn typescript_is_current() {
    super::is_current("ui/src/protocol/types.ts", &typescript());
}
