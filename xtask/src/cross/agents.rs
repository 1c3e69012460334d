//! Each agent, connected and disconnected under Wine: what else is in its files stays byte for byte, with Windows' line ends.

use super::wine::Wine;
use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Files that are there before an agent is connected which has none of ours made: by the agent, with its place in the
/// user's folder.
const FIRST: [(&str, &str, &str); 3] = [
    ("continue", ".continue/config.yaml", "# mine, ü\r\nname: mine\r\nversion: 1.0.0\r\nschema: v1\r\n"),
    (
        "jetbrains",
        ".jetbrains/acp.json",
        "{\r\n  \"agent_servers\": {\r\n    \"ü\": { \"command\": \"opencode\", \"args\": [\"acp\"], \"env\": {} }\r\n  }\r\n}\r\n",
    ),
    (
        "zed",
        "AppData/Roaming/Zed/settings.json",
        "{\r\n  // mine, ü\r\n  \"agent_servers\": {\r\n    \"x\": { \"type\": \"custom\", \"command\": \"x\", \"args\": [\"acp\"] }\r\n  }\r\n}\r\n",
    ),
];

/// A file of somebody's in each language that agents have for their configuration.
const THEIRS: [(&str, &str); 3] = [
    ("json", "{\r\n  \"mine\": \"ü\"\r\n}\r\n"),
    ("toml", "# mine, ü\r\nmodel = \"x\"\r\n"),
    ("yaml", "# mine, ü\r\nname: mine\r\n"),
];

/// The files of the user, by their paths.
type Files = BTreeMap<PathBuf, Vec<u8>>;

/// `command` is ours, with its data folder.
pub(super) fn there_and_back(wine: &Wine<'_>, command: &[&str]) -> Result<()> {
    let run = |words: &[&str]| wine.run(&[command, words].concat());
    let listed: Vec<serde_json::Value> = serde_json::from_str(&run(&["--json", "agents"])?)?;
    let names: Vec<&str> = listed.iter().filter_map(|row| row["agent"].as_str()).collect();
    ensure!(names.len() > 10, "only {names:?} are known");
    let home = wine.drive().join("users").join("root");
    for name in names {
        one(&home, name, &run).with_context(|| format!("{name}, under Wine"))?;
        println!("  {name}");
    }
    Ok(())
}

fn one(home: &Path, name: &str, run: &dyn Fn(&[&str]) -> Result<String>) -> Result<()> {
    if let Some((_, path, text)) = FIRST.iter().find(|(agent, ..)| *agent == name) {
        put(&home.join(path), text)?;
        return beside_theirs(home, name, run);
    }
    let before = files(home)?;
    run(&["connect", name, "--yes", "--no-test"])?;
    let made: Vec<PathBuf> = files(home)?.into_keys().filter(|path| !before.contains_key(path)).collect();
    ensure!(!made.is_empty(), "nothing was written");
    run(&["disconnect", name, "--yes"])?;
    ensure!(files(home)? == before, "something of ours is left");

    for path in &made {
        let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        if let Some((_, text)) = THEIRS.iter().find(|(known, _)| *known == ending) {
            put(path, text)?;
        }
    }
    beside_theirs(home, name, run)?;
    for path in made {
        let _ = fs::remove_file(path);
    }
    Ok(())
}

/// With files that are there.
fn beside_theirs(home: &Path, name: &str, run: &dyn Fn(&[&str]) -> Result<String>) -> Result<()> {
    let theirs = files(home)?;
    run(&["connect", name, "--yes", "--no-test"])?;
    let with_ours = files(home)?;
    ensure!(with_ours != theirs, "nothing was written beside what is there");
    for (path, bytes) in &with_ours {
        // Agents and people take no path in Windows' longest form.
        ensure!(!bytes.windows(3).any(|part| part == br"\?\"), "{} has a path with `\\\\?\\`", path.display());
    }
    for (path, bytes) in with_ours.iter().filter(|(path, _)| theirs.contains_key(*path)) {
        let ends = bytes.iter().filter(|byte| **byte == b'\n').count();
        let lone = ends - bytes.windows(2).filter(|pair| *pair == b"\r\n").count();
        ensure!(lone == 0, "{} has {lone} line ends of another system", path.display());
    }
    run(&["disconnect", name, "--yes"])?;
    ensure!(files(home)? == theirs, "not all is as it was");
    Ok(())
}

fn put(path: &Path, text: &str) -> Result<()> {
    fs::create_dir_all(path.parent().context("it is in a folder")?)?;
    Ok(fs::write(path, text)?)
}

/// All files below a folder, without our backups.
fn files(folder: &Path) -> Result<Files> {
    let mut found = Files::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let metadata = fs::symlink_metadata(&path)?;
        if metadata.is_dir() {
            found.extend(files(&path)?);
        } else if metadata.is_file() && !path.to_string_lossy().contains("sightline-backup") {
            found.insert(path.clone(), fs::read(path)?);
        }
    }
    Ok(found)
}
