//! The fuzz targets, with the inputs of the committed corpus.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const FUZZ: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz");

/// The targets of all crates.
fn targets() -> impl Iterator<Item = (&'static str, fn(&[u8]))> {
    todo::fuzz::TARGETS
        .into_iter()
        .chain(protocol::fuzz::TARGETS)
        .chain(sources::fuzz::TARGETS)
        .chain(hub::fuzz::TARGETS)
}

fn files(folder: &str) -> BTreeSet<PathBuf> {
    let folder = Path::new(FUZZ).join(folder);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.map(|entry| entry.expect("the folder can be read").path()).collect()
}

#[test]
fn what_was_found_holds() {
    let mut broken = Vec::new();
    for (target, call) in targets() {
        let inputs = files(&format!("corpus/{target}"));
        assert!(!inputs.is_empty(), "fuzz/corpus/{target} is empty");
        for input in inputs {
            let bytes = fs::read(&input).expect("an input can be read");
            if std::panic::catch_unwind(|| call(&bytes)).is_err() {
                broken.push(format!("{target}/{}", input.file_name().unwrap_or_default().display()));
            }
        }
    }
    assert!(broken.is_empty(), "these do not hold, as said above: {}", broken.join(", "));
}

#[test]
fn every_target_has_a_program_and_a_corpus() {
    let names: BTreeSet<String> = targets().map(|(name, _)| name.to_owned()).collect();
    let stems = |folder: &str| -> BTreeSet<String> {
        files(folder).iter().filter_map(|file| Some(file.file_stem()?.to_string_lossy().into_owned())).collect()
    };
    assert_eq!(stems("fuzz_targets"), names);
    assert_eq!(stems("corpus"), names);
}
