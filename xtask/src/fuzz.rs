//! `cargo xtask fuzz`: generates inputs for the parsers and for the changes of a list, and keeps those that break them.

use crate::steps::Steps;
use crate::tools;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::Path;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// A target of `fuzz/fuzz_targets`; all of them when left out
    target: Option<String>,
    /// Time for each target, in seconds
    #[arg(long, default_value_t = 60)]
    seconds: u32,
}

pub(crate) fn fuzz(steps: &mut Steps, workspace: &Workspace, options: &Options) -> Result<()> {
    let folder = workspace.root.join("fuzz");
    let all = targets(&folder)?;
    let chosen = match &options.target {
        None => all,
        Some(name) if all.contains(name) => vec![name.clone()],
        Some(name) => bail!("there is no target {name}\n  What to do: name one of {}", all.join(", ")),
    };
    if cfg!(windows) {
        bail!("libFuzzer is not built here on Windows\n  What to do: run this on Linux or macOS");
    }
    tools::cargo_fuzz(steps, workspace)?;
    steps.step("Building the fuzz targets", || {
        let advice = "mend what the compiler names above; libFuzzer itself needs a C++ compiler";
        cargo_fuzz(workspace, "build").advice(advice).run()
    })?;
    let mut broken = Vec::new();
    for name in &chosen {
        // All targets run, also after one has found something.
        if steps
            .step(&format!("Fuzzing {name}, {} s", options.seconds), || run(workspace, &folder, name, options))
            .is_err()
        {
            broken.push(name.as_str());
        }
    }
    ensure!(
        broken.is_empty(),
        "an input was found that breaks {}; it is in fuzz/artifacts\n  What to do: make it small with `cargo fuzz tmin \
         --sanitizer none TARGET FILE`, put it into fuzz/corpus/TARGET under a name that says what it is, see `cargo \
         test --package scenarios fuzz` fail, and mend that",
        broken.join(", ")
    );
    Ok(())
}

/// Runs one target. Useful new inputs are kept in `fuzz/grown`; the committed ones are only read.
fn run(workspace: &Workspace, folder: &Path, name: &str, options: &Options) -> Result<()> {
    let grown = folder.join("grown").join(name);
    fs::create_dir_all(&grown).with_context(|| format!("{} cannot be made", grown.display()))?;
    cargo_fuzz(workspace, "run")
        .arg(name)
        .arg(grown)
        .arg(folder.join("corpus").join(name))
        .args(["--", &format!("-max_total_time={}", options.seconds), "-timeout=10", "-print_final_stats=1"])
        .run()
}

/// A call of cargo-fuzz without a sanitizer, as there is no unsafe code; so the stable toolchain is enough.
fn cargo_fuzz(workspace: &Workspace, command: &str) -> crate::call::Call {
    workspace.cargo().args(["fuzz", command, "--sanitizer", "none"])
}

fn targets(folder: &Path) -> Result<Vec<String>> {
    let programs = folder.join("fuzz_targets");
    let entries = fs::read_dir(&programs).with_context(|| format!("{} cannot be read", programs.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        names.extend(entry?.path().file_stem().map(|name| name.to_string_lossy().into_owned()));
    }
    names.sort();
    Ok(names)
}
