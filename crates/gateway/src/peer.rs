//! The process at the other end of a connection of the port, as far as the system tells: on Linux, where this process
//! may look at that one. It is not known on other systems, of another user's process, and out of a container.

use mcp::PeerProcess;
use protocol::BoxFuture;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio::sync::OnceCell;

/// The other end of a connection. Its process is looked for when somebody asks, and once.
#[derive(Clone)]
pub(crate) struct Peer(Arc<Connection>);

struct Connection {
    peer: SocketAddr,
    own: SocketAddr,
    process: OnceCell<Option<PeerProcess>>,
}

impl Peer {
    /// The other end of a stream; `None` when it has gone.
    pub(crate) fn of(stream: &TcpStream) -> Option<Self> {
        let (peer, own) = (stream.peer_addr().ok()?, stream.local_addr().ok()?);
        Some(Self(Arc::new(Connection { peer, own, process: OnceCell::new() })))
    }
}

impl fmt::Debug for Peer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.0.peer)
    }
}

impl mcp::Peer for Peer {
    fn process(&self) -> BoxFuture<Option<PeerProcess>> {
        let connection = self.0.clone();
        Box::pin(async move {
            let (peer, own) = (connection.peer, connection.own);
            let look = || async move {
                let found = tokio::task::spawn_blocking(move || system::process(peer, own)).await;
                found.unwrap_or_default()
            };
            connection.process.get_or_init(look).await.clone()
        })
    }
}

#[cfg(target_os = "linux")]
mod system {
    use mcp::PeerProcess;
    use std::fs;
    use std::net::{IpAddr, Ipv6Addr, SocketAddr};
    use std::path::{Path, PathBuf};

    /// The process whose socket is at `peer` and speaks to `own`.
    pub(super) fn process(peer: SocketAddr, own: SocketAddr) -> Option<PeerProcess> {
        let socket = PathBuf::from(format!("socket:[{}]", inode(peer, own)?));
        let holders: Vec<Stat> =
            processes().filter(|process| has_open(process, &socket)).filter_map(|process| stat(&process)).collect();
        // A process has the sockets of the one that started it until it closes them.
        let is_first = |one: &&Stat| holders.iter().all(|other| other.id != one.parent);
        let mut first = holders.iter().filter(is_first);
        let (Some(found), None) = (first.next(), first.next()) else { return None };
        // An id is used again, a time since the start of the computer is, too; together with that start they are not.
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        let folder = Path::new("/proc").join(&found.id);
        Some(PeerProcess {
            id: format!("{}:{}:{}", found.id, found.started, boot.trim()),
            program: program(&folder.join("cmdline"))?,
            folder: works_in(&found.id),
            launcher_folder: works_in(&found.parent),
        })
    }

    /// A process, the one that started it, and when it started: all as the system writes them.
    struct Stat {
        id: String,
        parent: String,
        started: String,
    }

    /// The number of the socket with these ends.
    fn inode(peer: SocketAddr, own: SocketAddr) -> Option<String> {
        // A program may use a socket of IPv6 for an address of IPv4.
        type Written = fn(SocketAddr) -> Option<String>;
        let tables = [("/proc/self/net/tcp", in_tcp as Written), ("/proc/self/net/tcp6", in_tcp6 as Written)];
        tables.into_iter().find_map(|(table, written)| {
            let (table, peer, own) = (fs::read_to_string(table).ok()?, written(peer)?, written(own)?);
            table.lines().find_map(|line| {
                let mut fields = line.split_ascii_whitespace().skip(1);
                let is_it = fields.next()? == peer && fields.next()? == own;
                // The state, queues, timer, retransmissions, user and timeout are in between.
                let inode = if is_it { fields.nth(6)? } else { return None };
                (inode != "0").then(|| inode.to_owned())
            })
        })
    }

    /// An address as it is written in the table of IPv4: in words of 32 bits, each as the processor reads it.
    fn in_tcp(address: SocketAddr) -> Option<String> {
        let IpAddr::V4(ip) = address.ip() else { return None };
        Some(format!("{:08X}:{:04X}", u32::from_ne_bytes(ip.octets()), address.port()))
    }

    /// The same in the table of IPv6.
    fn in_tcp6(address: SocketAddr) -> Option<String> {
        let ip: Ipv6Addr = match address.ip() {
            IpAddr::V4(ip) => ip.to_ipv6_mapped(),
            IpAddr::V6(ip) => ip,
        };
        let word = |bytes: &[u8]| Some(format!("{:08X}", u32::from_ne_bytes(bytes.try_into().ok()?)));
        let words: String = ip.octets().chunks(4).map(word).collect::<Option<_>>()?;
        Some(format!("{words}:{:04X}", address.port()))
    }

    /// The folders of all processes.
    fn processes() -> impl Iterator<Item = PathBuf> {
        let all = fs::read_dir("/proc").into_iter().flatten().flatten();
        all.filter(|entry| entry.file_name().as_encoded_bytes().iter().all(u8::is_ascii_digit))
            .map(|entry| entry.path())
    }

    fn has_open(process: &Path, socket: &Path) -> bool {
        let files = fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
        files.filter_map(|file| fs::read_link(file.path()).ok()).any(|target| target == socket)
    }

    fn stat(process: &Path) -> Option<Stat> {
        let text = fs::read_to_string(process.join("stat")).ok()?;
        // After the name, which is in brackets and may have any: the state, the parent, and so on.
        let mut fields = text.rsplit_once(") ")?.1.split(' ').skip(1).map(str::to_owned);
        let parent = fields.next()?;
        Some(Stat { id: process.file_name()?.to_str()?.to_owned(), parent, started: fields.nth(17)? })
    }

    /// The file name of the program in a command line.
    fn program(command_line: &Path) -> Option<String> {
        let line = fs::read(command_line).ok()?;
        let word = String::from_utf8_lossy(line.split(|byte| *byte == 0).next()?).into_owned();
        Some(Path::new(word.trim()).file_name()?.to_str()?.to_owned())
    }

    fn works_in(id: &str) -> Option<String> {
        let folder = fs::read_link(Path::new("/proc").join(id).join("cwd")).ok()?;
        // The mark of one that was deleted.
        folder.to_str().filter(|folder| !folder.ends_with(" (deleted)")).map(str::to_owned)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use mcp::PeerProcess;
    use std::net::SocketAddr;

    pub(super) const fn process(_peer: SocketAddr, _own: SocketAddr) -> Option<PeerProcess> {
        None
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::Peer;
    use mcp::{Peer as _, PeerProcess};
    use std::net::Ipv4Addr;
    use std::path::Path;
    use std::process::{Child, Command, Stdio};
    use tokio::net::{TcpListener, TcpStream};

    /// A shell that runs a script in a folder, with the port in `$PORT`, until it is dropped.
    struct Shell(Child);

    impl Shell {
        fn run(folder: &Path, port: u16, script: &str) -> Self {
            let mut command = Command::new("bash");
            command.args(["-c", script]).current_dir(folder).env("PORT", port.to_string()).stdin(Stdio::piped());
            Self(command.spawn().expect("there is a bash"))
        }
    }

    impl Drop for Shell {
        fn drop(&mut self) {
            // A program that it has started ends with its input.
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    async fn listening() -> (TcpListener, u16) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port is free");
        let port = listener.local_addr().expect("it has an address").port();
        (listener, port)
    }

    async fn next(listener: &TcpListener) -> (Option<PeerProcess>, TcpStream) {
        let (stream, _) = listener.accept().await.expect("somebody comes");
        let process = Peer::of(&stream).expect("it is connected").process().await;
        (process, stream)
    }

    #[tokio::test]
    async fn the_process_of_a_connection_is_the_same_for_each_of_its_connections() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let (listener, port) = listening().await;
        // Its children have its connections, too.
        let script = "exec 3<>/dev/tcp/127.0.0.1/$PORT; exec 4<>/dev/tcp/127.0.0.1/$PORT; cat; true";
        let one = Shell::run(folder.path(), port, script);
        let (first, _first) = next(&listener).await;
        let (second, _second) = next(&listener).await;
        let process = first.expect("it is known");
        assert_eq!(second.as_ref(), Some(&process));
        assert_eq!(process.program, "bash");
        assert!(process.id.starts_with(&format!("{}:", one.0.id())), "{process:?}");
        let _another = Shell::run(folder.path(), port, script);
        let (other, _other) = next(&listener).await;
        assert_ne!(other.expect("it is known").id, process.id);
    }

    #[tokio::test]
    async fn its_folder_and_its_launchers_are_known() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let (listener, port) = listening().await;
        let connect = "exec 3<>/dev/tcp/127.0.0.1/$PORT; cat";
        let path = folder.path().canonicalize().expect("it is there");
        for (script, is_launched_there) in [(format!("bash -c '{connect}'; true"), true), (connect.to_owned(), false)] {
            let _shell = Shell::run(folder.path(), port, &script);
            let (process, _stream) = next(&listener).await;
            let process = process.expect("it is known");
            assert_eq!(process.folder.as_deref().map(Path::new), Some(path.as_path()));
            assert_eq!(process.launcher_folder == process.folder, is_launched_there, "{process:?}");
        }
    }

    #[tokio::test]
    async fn a_socket_of_ipv6_is_found() {
        let (listener, port) = listening().await;
        let _client = TcpStream::connect(format!("[::ffff:127.0.0.1]:{port}")).await.expect("it listens");
        let (process, _stream) = next(&listener).await;
        assert!(process.expect("it is known").id.starts_with(&format!("{}:", std::process::id())));
    }

    #[tokio::test]
    async fn a_process_that_has_gone_is_unknown() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let (listener, port) = listening().await;
        let mut shell = Shell::run(folder.path(), port, "exec 3<>/dev/tcp/127.0.0.1/$PORT");
        shell.0.wait().expect("it ends");
        assert_eq!(next(&listener).await.0, None);
    }
}
