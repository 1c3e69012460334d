//! Tool servers that see a part of this machine only: bubblewrap gives them a file system of their own, in which they
//! write to their folder and to a temporary one, and in which neither our data nor the user's secrets are.

use super::Options;
use protocol::Text;
#[cfg(target_os = "linux")]
use protocol::say;
use std::path::Path;
use tokio::process::Command;

/// Starts a program where it is confined.
///
/// # Errors
/// When this system cannot confine it, or not in this folder. It is not started then.
#[cfg(target_os = "linux")]
pub(super) async fn command(
    program: &str,
    args: &[String],
    folder: Option<&Path>,
    options: &Options,
) -> Result<Command, Text> {
    let (folder, all) = (folder.map(Path::to_owned), options.clone());
    let place = folder.clone().unwrap_or_default();
    let walls = careful::aside(&place, careful::PATIENCE, move || linux::walls(folder.as_deref(), &all)).await;
    let walls = walls.map_err(|why| {
        let problem = Text::recognised(why.to_string(), "place_");
        say::confined_silent(place.display(), &problem).with("problem", &problem)
    })??;
    linux::probe(&walls, options).await?;
    let mut command = Command::new(linux::PROGRAM);
    command.args(walls).arg("--").arg(program).args(args);
    Ok(command)
}

#[cfg(not(target_os = "linux"))]
#[allow(clippy::unused_async)]
pub(super) async fn command(_: &str, _: &[String], _: Option<&Path>, _: &Options) -> Result<Command, Text> {
    Err(protocol::say::confined_system())
}

#[cfg(target_os = "linux")]
mod linux {
    use super::Options;
    use protocol::{Text, say};
    use std::ffi::OsString;
    use std::path::{Path, PathBuf};
    use std::process::Stdio;
    use tokio::process::Command;

    pub(super) const PROGRAM: &str = "bwrap";

    /// Folders that are empty for a server, which may write to them: nothing of it stays.
    const TEMPORARY: [&str; 2] = ["/tmp", "/var/tmp"];

    /// Sockets by which a server could have others work for it.
    const SOCKETS: [&str; 4] = ["/run/user", "/run/docker.sock", "/run/containerd", "/run/podman"];

    /// Secrets in the user's home folder.
    const SECRETS: [&str; 12] = [
        ".aws",
        ".azure",
        ".config/gcloud",
        ".config/gh",
        ".docker",
        ".git-credentials",
        ".gnupg",
        ".kube",
        ".local/share/keyrings",
        ".netrc",
        ".password-store",
        ".ssh",
    ];

    /// The arguments that hide and protect the machine from a server in this folder, whose path has no links. It looks at
    /// files.
    ///
    /// # Errors
    /// When the folder is a part of what is hidden, or has the user's home in it.
    pub(super) fn walls(folder: Option<&Path>, options: &Options) -> Result<Vec<OsString>, Text> {
        let mut walls: Vec<OsString> =
            ["--die-with-parent", "--new-session", "--unshare-pid", "--unshare-ipc", "--ro-bind", "/", "/"]
                .into_iter()
                .chain(["--dev", "/dev", "--proc", "/proc"])
                .map(OsString::from)
                .collect();
        for place in TEMPORARY.map(PathBuf::from).into_iter().filter(|place| place.is_dir()) {
            walls.extend(["--tmpfs".into(), place.into()]);
        }
        let hidden = hidden(options);
        if let Some(folder) = folder {
            if folder.parent().is_none() {
                return Err(say::confined_root());
            }
            // There it could write what the user's other programs run: settings of shells, things that start at login.
            if home(options).is_some_and(|home| home.starts_with(folder)) {
                return Err(say::confined_home(folder.display()));
            }
            if let Some(place) = hidden.iter().find(|place| folder.starts_with(place)) {
                return Err(say::confined_hidden(place.display(), folder.display()));
            }
            walls.extend(["--bind".into(), folder.into(), folder.into()]);
        }
        for place in hidden {
            if place.is_dir() {
                walls.extend(["--tmpfs".into(), place.clone().into(), "--remount-ro".into(), place.into()]);
            } else {
                walls.extend(["--ro-bind".into(), "/dev/null".into(), place.into()]);
            }
        }
        for variable in ["TMPDIR", "TMP", "TEMP"] {
            walls.extend(["--setenv".into(), variable.into(), TEMPORARY[0].into()]);
        }
        walls.extend(["--chdir".into(), folder.unwrap_or_else(|| Path::new("/")).into()]);
        Ok(walls)
    }

    fn variable(options: &Options, name: &str) -> Option<PathBuf> {
        (options.environment)(name).map(PathBuf::from).filter(|path| path.is_absolute())
    }

    fn home(options: &Options) -> Option<PathBuf> {
        variable(options, "HOME")?.canonicalize().ok()
    }

    /// The places that a server does not see, as far as they are there.
    fn hidden(options: &Options) -> Vec<PathBuf> {
        let home = home(options);
        let secrets = home.iter().flat_map(|home| SECRETS.map(|secret| home.join(secret)));
        let sockets = SOCKETS.map(PathBuf::from).into_iter().chain(variable(options, "XDG_RUNTIME_DIR"));
        let all = secrets.chain(sockets).chain([options.data_folder.clone()]);
        let mut there: Vec<PathBuf> = all.filter_map(|place| place.canonicalize().ok()).collect();
        // Sorted, a folder comes right before those inside of it, which it hides.
        there.sort();
        there.dedup_by(|place, around| place.starts_with(around));
        there
    }

    /// Tries the walls with a program that does nothing.
    ///
    /// # Errors
    /// When they cannot be had here, in a sentence.
    pub(super) async fn probe(walls: &[OsString], options: &Options) -> Result<(), Text> {
        let mut command = Command::new(PROGRAM);
        command.args(walls).args(["--", "true"]).env_clear().stdin(Stdio::null()).kill_on_drop(true);
        command.envs((options.environment)("PATH").map(|path| ("PATH", path)));
        let tried = command.output().await;
        let why = match tried {
            Ok(tried) if tried.status.success() => return Ok(()),
            Ok(tried) => todo::short(&todo::text::plain(String::from_utf8_lossy(&tried.stderr).trim())).into(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => say::confined_no_bubblewrap(),
            Err(error) => error.to_string().into(),
        };
        Err(say::confined_impossible(&why).with("problem", &why))
    }
}
