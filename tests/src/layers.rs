//! The imports between crates that are allowed (ARCHITECTURE.md, "The crates"), held against cargo's own metadata.

use crate::circles::Crate;
use cargo_metadata::{DependencyKind, MetadataCommand, Package};
use std::collections::{BTreeMap, BTreeSet};

/// Every crate of ours, with those of ours that it may name.
const MAY_NAME: [(&str, &[&str]); 25] = [
    ("texts", &[]),
    ("secrets", &[]),
    ("catalogue", &["texts"]),
    ("todo", &["texts"]),
    ("session", &[]),
    ("protocol", &["session", "texts", "todo"]),
    ("careful", &[]),
    ("programs", &[]),
    ("agents", &["careful", "programs", "protocol"]),
    ("store", &["session", "todo"]),
    ("hub", &["protocol", "session", "store", "todo"]),
    ("agent", &["agents", "careful", "hub", "mcp", "programs", "protocol", "secrets", "todo"]),
    ("demo", &["hub", "protocol"]),
    ("mcp", &["agents", "protocol", "todo"]),
    ("sources", &["agents", "careful", "mcp", "protocol"]),
    ("acp", &["agents", "mcp", "programs", "protocol", "sources", "todo"]),
    ("setup", &["agents", "careful", "programs", "texts"]),
    ("gateway", &["agents", "hub", "mcp", "programs", "protocol", "sources", "todo"]),
    ("remote", &["programs", "protocol"]),
    ("tek", &["agents", "hub", "protocol"]),
    ("mirror", &["hub", "programs", "protocol", "remote", "tek", "todo"]),
    (
        "app",
        &[
            "agent", "agents", "careful", "demo", "gateway", "hub", "mcp", "mirror", "programs", "protocol", "remote",
            "secrets", "setup", "sources", "todo",
        ],
    ),
    ("cli", &["acp", "agents", "app", "catalogue", "mcp", "programs", "protocol", "setup", "sources", "todo"]),
    ("desktop", &["agents", "app", "catalogue", "protocol", "todo"]),
    ("xtask", &[]),
];

/// Libraries that only one crate names.
const OWNED: [(&str, &[&str]); 5] = [
    ("sqlx", &["store", "sources", "scenarios"]),
    ("axum", &["gateway"]),
    ("tauri", &["desktop"]),
    ("rmcp", &["agent", "mcp", "gateway", "app", "cli", "scenarios"]),
    ("tokio-tungstenite", &["remote", "tek", "scenarios"]),
];

/// Folders of crates in which no files may depend on each other in a circle (`circles.rs` says what that is); `""` is a
/// whole crate.
const WITHOUT_CIRCLES: [(&str, &str); 5] = [("agent", ""), ("app", ""), ("hub", ""), ("mcp", ""), ("mirror", "")];

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
    for name in ["texts", "todo", "session", "protocol"] {
        let named = named(&packages[name]);
        for runtime in ["tokio", "tokio-util", "axum", "sqlx", "rmcp", "reqwest", "tauri"] {
            assert!(!named.contains(runtime), "{name} names {runtime}");
        }
    }
}

#[test]
fn no_files_depend_on_each_other_in_a_circle() {
    for (name, folder) in WITHOUT_CIRCLES {
        let source = format!("{}/../crates/{name}/src", env!("CARGO_MANIFEST_DIR"));
        let read = |file: &str| std::fs::read_to_string(format!("{source}/{file}")).ok();
        let circle = Crate::read(&read).circle(folder);
        assert_eq!(circle, None, "in {name}/{folder}:\n{}", circle.as_deref().unwrap_or_default());
    }
}
