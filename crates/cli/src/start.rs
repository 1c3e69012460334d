//! `sightline start`, which a terminal runs: it becomes the agent's program that a file of ours names.

use app::machine::StartFile;
use std::path::{Path, PathBuf};
use std::process::Command;

/// An agent's program, started for the window.
#[derive(clap::Args)]
pub(crate) struct Start {
    /// The id of the file
    id: String,
}

pub(crate) fn run(start: &Start, data_dir: &Path) -> anyhow::Result<()> {
    let failed = |error: anyhow::Error| {
        // The terminal's window would be gone before anybody could read why.
        let problem = crate::words::of_error(&error);
        crate::output::note(&crate::words::text("terminal_press_enter", &[("problem", &problem)]));
        let _ = std::io::stdin().read_line(&mut String::new());
        error
    };
    become_it(start, data_dir).map_err(failed)
}

fn become_it(start: &Start, data_dir: &Path) -> anyhow::Result<()> {
    let StartFile { program, arguments, folder } = StartFile::take(data_dir, &start.id)?;
    let mut command = Command::new(&program);
    command.args(arguments_for(&program, arguments)).current_dir(folder);
    // A program of Node's has its Node beside it.
    if let Some(own) = program.parent() {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders: Vec<_> = std::env::split_paths(&path).collect();
        if !folders.iter().any(|folder| folder == own) {
            command.env("PATH", std::env::join_paths(folders.iter().map(PathBuf::as_path).chain([own]))?);
        }
    }
    replaced_by(command)
}

/// The arguments as the program can have them: a batch file of Windows takes none with a line end, so lines are joined.
fn arguments_for(program: &Path, arguments: Vec<String>) -> Vec<String> {
    let is_batch =
        program.extension().is_some_and(|ending| ["cmd", "bat"].iter().any(|batch| ending.eq_ignore_ascii_case(batch)));
    if !is_batch {
        return arguments;
    }
    arguments.into_iter().map(|argument| argument.lines().collect::<Vec<_>>().join(" ")).collect()
}

#[cfg(unix)]
fn replaced_by(mut command: Command) -> anyhow::Result<()> {
    Err(std::os::unix::process::CommandExt::exec(&mut command).into())
}

#[cfg(not(unix))]
fn replaced_by(mut command: Command) -> anyhow::Result<()> {
    let status = command.status()?;
    anyhow::ensure!(status.success(), "the agent ended with {status}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::arguments_for;
    use std::path::Path;

    #[test]
    fn a_task_in_several_lines_is_one_for_a_batch_file() {
        let task = "first\r\nsecond\nthird";
        for (program, said) in
            [("npm/a.cmd", "first second third"), ("npm/a.BAT", "first second third"), ("bin/a", task)]
        {
            let arguments = vec!["--".to_owned(), task.to_owned()];
            assert_eq!(arguments_for(Path::new(program), arguments), ["--", said], "{program}");
        }
    }
}
