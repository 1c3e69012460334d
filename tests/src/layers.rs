//! Who may import whom (ARCHITECTURE.md, "The crates"): read from cargo itself.

use cargo_metadata::{DependencyKind, MetadataCommand, Package};
use std::collections::{BTreeMap, BTreeSet};

/// Every crate of ours, with those of ours that it may name.
const MAY_NAME: [(&str, &[&str]); 15] = [
    ("todo", &[]),
    ("protocol", &["todo"]),
    ("store", &["todo"]),
    ("hub", &["protocol", "store", "todo"]),
    ("agent", &["todo"]),
    ("demo", &["hub", "protocol"]),
    ("mcp", &["protocol", "todo"]),
    ("sources", &["mcp", "protocol"]),
    ("setup", &[]),
    ("gateway", &["hub", "mcp", "protocol", "sources", "todo"]),
    ("remote", &["protocol"]),
    ("app", &["demo", "gateway", "hub", "protocol", "remote", "setup", "sources", "todo"]),
    ("cli", &["app", "mcp", "protocol", "setup", "sources", "todo"]),
    ("desktop", &["app", "protocol", "todo"]),
    ("xtask", &[]),
];

/// Libraries that only one crate names.
const OWNED: [(&str, &[&str]); 5] = [
    ("sqlx", &["store", "sources", "scenarios"]),
    ("axum", &["gateway"]),
    ("tauri", &["desktop"]),
    ("rmcp", &["mcp", "gateway", "agent", "app", "cli", "scenarios"]),
    ("tokio-tungstenite", &["remote", "scenarios"]),
];

fn packages() -> BTreeMap<String, Package> {
    let metadata = MetadataCommand::new()
        .manifest_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml"))
        .no_deps()
        .exec()
        .expect("cargo describes the workspace");
    metadata
        .packages
        .into_iter()
        .map(|package| (package.name.trim_start_matches("sightline-").to_owned(), package))
        .collect()
}

/// The names of what a package is built with, tests left out.
fn named(package: &Package) -> BTreeSet<String> {
    package
        .dependencies
        .iter()
        .filter(|dependency| dependency.kind != DependencyKind::Development)
        .map(|dependency| dependency.name.clone())
        .collect()
}

#[test]
fn dependencies_point_one_way() {
    let packages = packages();
    let listed: BTreeSet<&str> = MAY_NAME.iter().map(|(name, _)| *name).chain(["scenarios"]).collect();
    let found: BTreeSet<&str> = packages.keys().map(String::as_str).collect();
    assert_eq!(found, listed, "every crate has its place in this test");
    for (name, may) in MAY_NAME {
        let ours: BTreeSet<String> = named(&packages[name])
            .into_iter()
            .filter_map(|dependency| dependency.strip_prefix("sightline-").map(str::to_owned))
            .collect();
        let allowed: BTreeSet<String> = may.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(ours, allowed, "what {name} names of ours");
    }
}

#[test]
fn each_large_library_has_its_crate() {
    for (name, package) in packages() {
        let named = named(&package);
        for (library, owners) in OWNED {
            assert!(!named.contains(library) || owners.contains(&name.as_str()), "{name} names {library}");
        }
    }
}

#[test]
fn the_list_and_the_protocol_have_no_runtime() {
    let packages = packages();
    for name in ["todo", "protocol"] {
        let named = named(&packages[name]);
        for runtime in ["tokio", "tokio-util", "axum", "sqlx", "rmcp", "reqwest", "tauri"] {
            assert!(!named.contains(runtime), "{name} names {runtime}");
        }
    }
}
