//! `sightline host install`: this program copied to a machine, through the words of its command that lead there.
//!
//! `ssh` has a shell read those words there, `docker exec` has none, and the command does not tell. So each thing that is
//! done is one program with plain words, and the copy goes through its standard input.

use crate::agents::asked;
use crate::output;
use crate::session::Hub;
use crate::words::{text, word};
use protocol::{Code, Error, Host, HostsAdd, HostsList, say};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use todo::text::{exact, plain};

/// The place of the program below the home folder there.
const FOLDER: &str = ".local/bin";
const PROGRAM: &str = "sightline";

/// Variables of ours that are not for a command that leads elsewhere.
const OURS: [&str; 3] = ["SIGHTLINE_DATA_DIR", "SIGHTLINE_KEY", "SIGHTLINE_GATEWAY"];

/// Copies this program to a host where it is missing, and has the host's command start it. `None` where somebody said no.
pub(crate) async fn install(hub: &Hub, name: &str, yes: bool, json: bool) -> anyhow::Result<Option<Host>> {
    let hosts = hub.ask(HostsList {}).await?.hosts;
    let unknown = || Error::new(Code::HostNotFound, say::host_unknown(plain(name)));
    let host = hosts.into_iter().find(|host| host.name == name).ok_or_else(unknown)?;
    let Some((way, program)) = way_and_program(&host.command) else {
        anyhow::bail!(text("terminal_host_install_form", &[("name", &plain(name))]));
    };
    let way = Way(way.to_vec());
    let (asks, known) = (way.clone(), program.to_owned());
    let Some(home) = blocking(move || asks.look(&known)).await? else {
        say_that(json, &text("terminal_host_install_there", &[("name", &plain(name)), ("version", &app::VERSION)]))?;
        return Ok(Some(host));
    };
    let own = std::env::current_exe()?;
    let target = format!("{home}/{FOLDER}/{PROGRAM}");
    let size = own.metadata()?.len().div_ceil(1_000_000);
    let words = exact(&way.0.join(" "));
    let question = text(
        "terminal_host_install_ask",
        &[("name", &plain(name)), ("path", &target), ("size", &size), ("command", &words)],
    );
    if !yes && !asked(&question, json)? {
        output::note(word("terminal_host_install_yes"));
        return Ok(None);
    }
    let folder = format!("{home}/{FOLDER}");
    let (copies, path) = (way.clone(), target.clone());
    blocking(move || copies.copy(&own, &folder, &path)).await?;
    say_that(json, &text("terminal_host_installed", &[("name", &plain(name)), ("path", &target)]))?;
    let command = way.0.into_iter().chain([target, "dial-stdio".to_owned()]).collect();
    Ok(Some(hub.ask(HostsAdd { name: host.name, command, replaces: true, ..HostsAdd::default() }).await?))
}

fn say_that(json: bool, line: &str) -> anyhow::Result<()> {
    if json { Ok(()) } else { output::line(line) }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> anyhow::Result<T> + Send + 'static) -> anyhow::Result<T> {
    tokio::task::spawn_blocking(work).await?
}

/// The words that lead to a machine, and the program there that bridges to its gateway.
fn way_and_program(command: &[String]) -> Option<(&[String], &str)> {
    match command {
        [way @ .., program, last] if last == "dial-stdio" && !way.is_empty() && !program.starts_with('-') => {
            Some((way, program))
        }
        _ => None,
    }
}

/// The words that lead to a machine: a program and its arguments after them run there.
#[derive(Clone)]
struct Way(Vec<String>);

impl Way {
    /// The home folder there; `None` where this version is there already.
    fn look(&self, program: &str) -> anyhow::Result<Option<String>> {
        let platform = self.run(&["uname", "-sm"], None)?;
        anyhow::ensure!(
            is_same(&platform),
            text("terminal_host_install_platform", &[("theirs", &plain(platform.trim())), ("ours", &ours().join(" "))])
        );
        let ours = format!("sightline {}", app::VERSION);
        if self.run(&[program, "--version"], None).is_ok_and(|version| version.trim() == ours) {
            return Ok(None);
        }
        let home = self.run(&["printenv", "HOME"], None)?;
        let home = home.trim().trim_end_matches('/');
        // A shell may read it there.
        let is_plain = home.chars().all(|c| c.is_ascii_alphanumeric() || "/._-+".contains(c));
        anyhow::ensure!(
            home.starts_with('/') && is_plain,
            text("terminal_host_install_home", &[("path", &plain(home))])
        );
        Ok(Some(home.to_owned()))
    }

    /// Copies a program there. It stands under its name only once it is whole, and has said its version there.
    fn copy(&self, own: &Path, folder: &str, target: &str) -> anyhow::Result<()> {
        let new = format!("{target}.new");
        self.run(&["mkdir", "-p", folder], None)?;
        let copied = self.copy_as(own, &new).and_then(|()| self.run(&["mv", "-f", &new, target], None));
        if copied.is_err() {
            let _ = self.run(&["rm", "-f", &new], None);
        }
        copied.map(|_| ())
    }

    fn copy_as(&self, own: &Path, new: &str) -> anyhow::Result<()> {
        let mut digest = Sha256::new();
        let (mut file, mut part) = (File::open(own)?, vec![0; 1 << 20]);
        while let read @ 1.. = file.read(&mut part)? {
            digest.update(&part[..read]);
        }
        let digest: String = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        self.run(&["dd", &format!("of={new}"), "bs=64k"], Some(own))?;
        self.run(&["chmod", "755", new], None)?;
        let theirs = self.run(&["sha256sum", new], None).or_else(|_| self.run(&["shasum", "-a", "256", new], None))?;
        anyhow::ensure!(theirs.trim_start_matches('\\').starts_with(&digest), word("terminal_host_install_digest"));
        let version = self.run(&[new, "--version"], None)?;
        anyhow::ensure!(
            version.trim() == format!("sightline {}", app::VERSION),
            text("terminal_host_install_version", &[("version", &plain(version.trim()))])
        );
        Ok(())
    }

    /// The output of a program there, with a file on its standard input.
    fn run(&self, program: &[&str], input: Option<&Path>) -> anyhow::Result<String> {
        let mut command = Command::new(programs::file(&self.0[0], |name| std::env::var(name).ok()));
        command.args(&self.0[1..]).args(program).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.stdin(match input {
            Some(file) => File::open(file)?.into(),
            None => Stdio::null(),
        });
        for name in OURS {
            command.env_remove(name);
        }
        let failed = |problem: &str| {
            text(
                "terminal_host_install_failed",
                &[("program", &plain(&program.join(" "))), ("problem", &plain(problem))],
            )
        };
        let done = command.output().map_err(|error| anyhow::anyhow!(failed(&format!("{}: {error}", self.0[0]))))?;
        if !done.status.success() {
            let said = String::from_utf8_lossy(&done.stderr);
            let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
            let ended = done.status.to_string();
            anyhow::bail!(failed(lines.last().copied().unwrap_or(&ended)));
        }
        Ok(String::from_utf8_lossy(&done.stdout).into_owned())
    }
}

/// This machine as `uname -sm` says it.
fn ours() -> [&'static str; 2] {
    let system = match std::env::consts::OS {
        "linux" => "Linux",
        "macos" => "Darwin",
        other => other,
    };
    [system, std::env::consts::ARCH]
}

/// True if `uname -sm` of another machine says the platform of this one.
fn is_same(platform: &str) -> bool {
    let kind = |name: &str| match name {
        "arm64" => "aarch64".to_owned(),
        "amd64" => "x86_64".to_owned(),
        other => other.to_owned(),
    };
    let words: Vec<String> = platform.split_whitespace().map(kind).collect();
    words == ours()
}

#[cfg(test)]
mod tests {
    use super::{is_same, ours, way_and_program};

    #[test]
    fn the_words_before_the_program_lead_there() {
        let command = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let ssh = command("ssh -p 22 box sightline dial-stdio");
        assert_eq!(way_and_program(&ssh), Some((&ssh[..4], "sightline")));
        for other in ["sightline dial-stdio", "ssh box sightline", "ssh box --x dial-stdio", "dial-stdio"] {
            assert_eq!(way_and_program(&command(other)), None, "{other}");
        }
    }

    #[test]
    fn a_platform_is_the_same_by_all_its_names() {
        let [system, machine] = ours();
        assert!(is_same(&format!("{system} {machine}\n")) && !is_same("Plan9 mips") && !is_same(""));
        if machine == "x86_64" {
            assert!(is_same(&format!("{system} amd64")));
        }
    }
}
