//! The licences and the sources of all dependencies, by the lists in `deny.toml`. `cargo deny` reads the same lists, but
//! has to be built first where it is not installed.

use cargo_metadata::{MetadataCommand, Package};
use serde::Deserialize;
use spdx::{Expression, Licensee, ParseMode};

#[derive(Deserialize)]
struct Lists {
    graph: Graph,
    licenses: Licences,
    sources: Sources,
}

#[derive(Deserialize)]
struct Graph {
    targets: Vec<String>,
}

#[derive(Deserialize)]
struct Licences {
    allow: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Sources {
    allow_registry: Vec<String>,
}

/// True if some choice that a package's expression leaves is of these licences.
fn is_allowed(expression: &str, allowed: &[Licensee]) -> bool {
    let expression = Expression::parse_mode(expression, ParseMode::LAX);
    expression.is_ok_and(|it| it.evaluate(|wanted| allowed.iter().any(|licence| licence.satisfies(wanted))))
}

fn allowed(lists: &Lists) -> Vec<Licensee> {
    lists.licenses.allow.iter().map(|name| Licensee::parse(name).expect("it is a licence")).collect()
}

fn lists() -> Lists {
    toml::from_str(include_str!("../../deny.toml")).expect("it is TOML")
}

#[test]
fn every_dependency_has_a_licence_that_is_allowed_and_comes_from_the_registry() {
    let lists = lists();
    let platforms = lists.graph.targets.iter().map(|target| format!("--filter-platform={target}"));
    let metadata = MetadataCommand::new()
        .manifest_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml"))
        .other_options(platforms.chain(["--locked".to_owned()]).collect::<Vec<_>>())
        .exec()
        .expect("cargo describes the workspace");
    let ours = |package: &Package| metadata.workspace_members.contains(&package.id);
    let theirs: Vec<_> = metadata.packages.iter().filter(|package| !ours(package)).collect();
    assert!(theirs.len() > 500, "there are more than {}", theirs.len());
    let allowed = allowed(&lists);
    for Package { name, license, source, .. } in theirs {
        let license = license.as_deref().unwrap_or_default();
        assert!(
            is_allowed(license, &allowed),
            "{name} has the licence {license:?}: another crate, or a line in deny.toml"
        );
        let source = source.as_ref().map(|source| source.repr.trim_start_matches("registry+").to_owned());
        let is_known = source.as_ref().is_some_and(|source| lists.sources.allow_registry.contains(source));
        assert!(is_known, "{name} comes from {source:?}");
    }
}

#[test]
fn a_licence_that_is_not_in_the_list_is_refused() {
    let allowed = allowed(&lists());
    for expression in ["MIT", "MIT/Apache-2.0", "GPL-3.0-only OR MIT", "Apache-2.0 WITH LLVM-exception"] {
        assert!(is_allowed(expression, &allowed), "{expression}");
    }
    for expression in ["", "GPL-3.0-only", "MIT AND GPL-3.0-only", "AGPL-3.0-or-later", "mine"] {
        assert!(!is_allowed(expression, &allowed), "{expression}");
    }
}
