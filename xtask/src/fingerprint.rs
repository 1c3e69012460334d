//! Fingerprints of files, and stamp files with the fingerprint for which a step was taken last.

use anyhow::{Context, Result};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// A fingerprint of one file's contents.
pub(crate) fn of_file(file: &Path) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    read(file)?.hash(&mut hasher);
    Ok(format!("{:016x}", hasher.finish()))
}

/// A fingerprint of the names and contents of all files below a folder, without folders named in `except`.
pub(crate) fn of_folder(folder: &Path, except: &[&str]) -> Result<String> {
    let mut files = Vec::new();
    collect(folder, except, &mut files)?;
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in &files {
        file.strip_prefix(folder).unwrap_or(file).hash(&mut hasher);
        read(file)?.hash(&mut hasher);
    }
    Ok(format!("{:016x}", hasher.finish()))
}

/// True if the stamp has this fingerprint.
pub(crate) fn is_stamped(stamp: &Path, fingerprint: &str) -> bool {
    fs::read_to_string(stamp).is_ok_and(|found| found == fingerprint)
}

pub(crate) fn write_stamp(stamp: &Path, fingerprint: &str) -> Result<()> {
    fs::write(stamp, fingerprint).with_context(|| format!("{} cannot be written", stamp.display()))
}

fn read(file: &Path) -> Result<Vec<u8>> {
    fs::read(file).with_context(|| format!("{} cannot be read", file.display()))
}

fn collect(folder: &Path, except: &[&str], files: &mut Vec<PathBuf>) -> Result<()> {
    let unreadable = || format!("{} cannot be read", folder.display());
    for entry in fs::read_dir(folder).with_context(unreadable)? {
        let entry = entry.with_context(unreadable)?;
        let kind = entry.file_type().with_context(unreadable)?;
        if kind.is_dir() {
            if !except.iter().any(|name| entry.file_name() == *name) {
                collect(&entry.path(), except, files)?;
            }
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::of_folder;
    use std::fs;
    use std::path::Path;

    #[test]
    fn names_and_contents_count_and_excepted_folders_do_not() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let all = of_folder(&folder, &[]).expect("the sources can be read");
        assert_eq!(all, of_folder(&folder, &["node_modules"]).expect("the sources can be read"));
        assert_ne!(all, of_folder(&folder, &["setup"]).expect("the sources can be read"));
        assert!(fs::exists(folder.join("setup")).is_ok_and(|found| found), "the excepted folder is there");
    }
}
