//! Panes of tmux: selected by tmux itself, and the client that shows them.

use super::outcome::{refused, variable};
use super::remote_control::RemoteControl;
use protocol::{Result, Terminal, say};
use std::fmt::{Display, Formatter};
use std::path::{Path, PathBuf};

/// A pane of tmux, on the socket of its server.
pub(super) struct TmuxPane {
    socket: PathBuf,
    pane: String,
}

/// A terminal that shows a session of tmux.
struct Client {
    last_used: u64,
    pid: u32,
    session: String,
    name: String,
}

impl Display for TmuxPane {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.pane)
    }
}

impl TmuxPane {
    /// The pane of a terminal: `TMUX` is a socket, a process and a number, `TMUX_PANE` a `%` and a number.
    pub(super) fn of(terminal: &Terminal) -> Option<Self> {
        let pane = variable(terminal, "TMUX_PANE")?;
        let number = pane.strip_prefix('%')?;
        let socket = variable(terminal, "TMUX")?.rsplitn(3, ',').nth(2)?;
        let is_pane = !number.is_empty() && number.len() <= 10 && number.bytes().all(|byte| byte.is_ascii_digit());
        let socket = PathBuf::from(socket);
        (is_pane && socket.is_absolute()).then(|| Self { socket, pane: pane.to_owned() })
    }

    /// Makes it the active pane of its session, and shows the session in the client that was used last; gives the process
    /// of that client.
    pub(super) async fn select(&self, terminal: &Terminal) -> Result<u32> {
        let tmux = RemoteControl::of(&["tmux"])?;
        check_server(&self.socket, &tmux.program).await?;
        let pane = self.pane.as_str();
        let said = self.run(&tmux, &["display-message", "-p", "-t", pane, "#{pane_pid} #{session_id}"]).await?;
        let (process, session) = said.trim().split_once(' ').unwrap_or_default();
        // A server that was started anew counts its panes from 0 again.
        if !process.parse().is_ok_and(|process| terminal.processes.contains(&process)) {
            return Err(refused(say::raise_pane(pane)));
        }
        self.run(&tmux, &["select-window", "-t", pane, ";", "select-pane", "-t", pane]).await?;
        let format = "#{client_activity} #{client_pid} #{session_id} #{client_name}";
        let clients = self.run(&tmux, &["list-clients", "-F", format]).await?;
        let clients = clients.lines().filter_map(client);
        let Some(client) = clients.max_by_key(|client| (client.session == session, client.last_used)) else {
            let name = self.run(&tmux, &["display-message", "-p", "-t", pane, "#{session_name}"]).await?;
            return Err(refused(say::raise_unattached(todo::text::plain(name.trim()))));
        };
        if client.session != session {
            self.run(&tmux, &["switch-client", "-c", &client.name, "-t", session]).await?;
        }
        Ok(client.pid)
    }

    async fn run(&self, tmux: &RemoteControl, arguments: &[&str]) -> Result<String> {
        let socket = [std::ffi::OsStr::new("-S"), self.socket.as_os_str()];
        tmux.run(socket.into_iter().chain(arguments.iter().map(std::ffi::OsStr::new))).await
    }
}

fn client(line: &str) -> Option<Client> {
    let mut words = line.splitn(4, ' ');
    let last_used = words.next()?.parse().ok()?;
    let pid = words.next()?.parse().ok()?;
    Some(Client { last_used, pid, session: words.next()?.to_owned(), name: words.next()?.to_owned() })
}

/// A server of tmux can have its clients start programs, and the socket was named by an agent: the process behind it has
/// to be of this user, and of the program that is installed.
#[cfg(target_os = "linux")]
async fn check_server(socket: &Path, tmux: &Path) -> Result<()> {
    let gone = |error: std::io::Error| refused(say::raise_tmux(socket.display(), error));
    let other = || refused(say::raise_other_tmux(socket.display()));
    let connection = tokio::net::UnixStream::connect(socket).await.map_err(gone)?;
    let peer = connection.peer_cred().map_err(gone)?;
    let program = peer.pid().and_then(|pid| std::fs::read_link(format!("/proc/{pid}/exe")).ok()).ok_or_else(other)?;
    // It has been updated since.
    let program = program.to_string_lossy();
    let program = Path::new(program.strip_suffix(" (deleted)").unwrap_or(&program));
    let is_installed = tmux.canonicalize().is_ok_and(|tmux| tmux == program);
    (is_installed && peer.uid() == nix::unistd::getuid().as_raw()).then_some(()).ok_or_else(other)
}

#[cfg(not(target_os = "linux"))]
#[expect(clippy::unused_async, reason = "on Linux it waits for the server")]
async fn check_server(_socket: &Path, _tmux: &Path) -> Result<()> {
    Err(refused(say::raise_tmux_system()))
}
