//! Starting a program so that nothing of it flashes up or stays behind.

use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop};
use std::ops::{Deref, DerefMut};

/// Windows' `CREATE_NO_WINDOW`: a program of a terminal has a console there, and this one shows none.
const NO_WINDOW: u32 = 0x0800_0000;

/// Lets a program have no window for its console on Windows, which would flash up.
pub fn without_window(command: &mut std::process::Command) {
    #[cfg(windows)]
    std::os::windows::process::CommandExt::creation_flags(command, NO_WINDOW);
    #[cfg(not(windows))]
    let _ = (command, NO_WINDOW);
}

/// A running program that is killed with all that it has started: a process group, on Windows a job. It is killed when
/// this is dropped, unless somebody waited for its end.
#[derive(Debug)]
pub struct Together(Box<dyn ChildWrapper>);

impl Deref for Together {
    type Target = dyn ChildWrapper;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl DerefMut for Together {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut *self.0
    }
}

impl Drop for Together {
    fn drop(&mut self) {
        // After somebody waited for it, its number may be another's.
        if self.0.id().is_some() {
            let _ = self.0.start_kill();
        }
    }
}

/// Starts a program that is killed together with all that it starts in turn. No window is shown for its console.
///
/// # Errors
/// When it cannot be started.
pub fn together(command: tokio::process::Command) -> std::io::Result<Together> {
    let mut command = CommandWrap::from(command);
    command.wrap(KillOnDrop);
    #[cfg(unix)]
    command.wrap(process_wrap::tokio::ProcessGroup::leader());
    #[cfg(windows)]
    {
        use process_wrap::tokio::{CreationFlags, JobObject};
        let flags = windows::Win32::System::Threading::PROCESS_CREATION_FLAGS(NO_WINDOW);
        command.wrap(CreationFlags(flags)).wrap(JobObject);
    }
    command.spawn().map(Together)
}

#[cfg(test)]
mod tests {
    use super::{together, without_window};
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::process::Stdio;
    use std::time::Duration;
    use tokio::io::AsyncReadExt;
    use tokio::net::{TcpListener, TcpStream as Stream};
    use tokio::process::Command;
    use tokio::time::timeout;

    /// The address that a program of the tests reports to.
    const PORT: &str = "SIGHTLINE_TEST_PORT";
    /// It starts a second one first.
    const STARTS: &str = "SIGHTLINE_TEST_STARTS";

    const LONG: Duration = Duration::from_secs(30);

    /// This program as one that plays `a_program_of_the_tests`.
    fn player(port: u16, starts: bool) -> std::process::Command {
        let mut command = std::process::Command::new(std::env::current_exe().expect("it has a name"));
        command
            .args(["--exact", "start::tests::a_program_of_the_tests", "--ignored"])
            .env(PORT, port.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if starts {
            command.env(STARTS, "1")
        } else {
            command.env_remove(STARTS)
        };
        command
    }

    /// Says that it is there, and stays until the other end of its connection goes.
    #[test]
    #[ignore = "another test starts it"]
    fn a_program_of_the_tests() {
        let Some(port) = std::env::var(PORT).ok().and_then(|port| port.parse::<u16>().ok()) else { return };
        let _second = std::env::var_os(STARTS).map(|_| player(port, false).spawn().expect("it starts"));
        let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("somebody listens");
        stream.write_all(b"!").expect("somebody reads");
        let _ = stream.read(&mut [0]);
    }

    async fn is_there(listener: &TcpListener) -> Stream {
        let (mut stream, _) = timeout(LONG, listener.accept()).await.expect("it comes").expect("a connection");
        timeout(LONG, stream.read_exact(&mut [0])).await.expect("it reports").expect("a byte");
        stream
    }

    #[tokio::test]
    async fn what_a_program_started_ends_with_it() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let port = listener.local_addr().expect("it is bound").port();
        let child = together(Command::from(player(port, true))).expect("it starts");
        let (mut one, mut other) = (is_there(&listener).await, is_there(&listener).await);

        drop(child);
        for stream in [&mut one, &mut other] {
            let end = timeout(LONG, stream.read(&mut [0])).await.expect("it has ended");
            assert!(matches!(end, Ok(0) | Err(_)), "it said more: {end:?}");
        }
    }

    #[tokio::test]
    async fn a_program_without_a_window_has_its_pipes() {
        let mut command = player(0, false);
        command.env_remove(PORT).stdout(Stdio::piped());
        without_window(&mut command);
        let output = command.output().expect("it starts");
        assert!(output.status.success() && !output.stdout.is_empty(), "{output:?}");
    }

    #[cfg(windows)]
    #[test]
    fn the_flag_is_that_of_the_system() {
        assert_eq!(super::NO_WINDOW, windows::Win32::System::Threading::CREATE_NO_WINDOW.0);
    }
}
