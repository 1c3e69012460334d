//! The user of the program at the other end of a named pipe of Windows.

use interprocess::os::windows::named_pipe::{DuplexPipeStream, pipe_mode::Bytes};
use std::io::{Error, Result};
use std::os::windows::io::BorrowedHandle;
use winsafe::{EqualSid, HPROCESS, TokenInfo, co};

/// True if the program at the other end belongs to the user of this process.
///
/// # Errors
/// When the other end has gone.
pub fn is_of_this_user(pipe: BorrowedHandle<'_>) -> Result<bool> {
    let pipe = DuplexPipeStream::<Bytes>::try_from(pipe.try_clone_to_owned()?);
    let pipe = pipe.map_err(|error| Error::other(error.to_string()))?;
    let peer = pipe.peer_process_id();
    // Its end would wait until the other one has read everything.
    pipe.evade_limbo();
    Ok(is_ours(peer?))
}

fn is_ours(process: u32) -> bool {
    // The system tells about a process to its own user and to administrators.
    let Ok(process) = HPROCESS::OpenProcess(co::PROCESS::QUERY_LIMITED_INFORMATION, false, process) else {
        return false;
    };
    // This user's processes with an administrator's rights keep their tokens from those without.
    let Ok(theirs) = process.OpenProcessToken(co::TOKEN::QUERY) else { return true };
    let Ok(own) = HPROCESS::GetCurrentProcess().OpenProcessToken(co::TOKEN::QUERY) else { return false };
    let user = co::TOKEN_INFORMATION_CLASS::User;
    let (Ok(TokenInfo::User(theirs)), Ok(TokenInfo::User(own))) =
        (theirs.GetTokenInformation(user), own.GetTokenInformation(user))
    else {
        return false;
    };
    let users = theirs.User.Sid().zip(own.User.Sid());
    users.is_some_and(|(theirs, own)| EqualSid(theirs, own).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::{is_of_this_user, is_ours};
    use std::os::windows::io::AsHandle;
    use tokio::net::windows::named_pipe::{ClientOptions, ServerOptions};

    #[tokio::test]
    async fn a_process_of_this_user_is_at_either_end() {
        let path = format!(r"\\.\pipe\sightline-peer-{}", std::process::id());
        let server = ServerOptions::new().create(&path).expect("a pipe");
        let client = ClientOptions::new().open(&path).expect("it is there");
        server.connect().await.expect("it came");
        assert!(is_of_this_user(server.as_handle()).expect("it is there"));
        assert!(is_of_this_user(client.as_handle()).expect("it is there"));
        drop(client);
        drop(server);
        let file = tempfile::tempfile().expect("a file");
        assert!(is_of_this_user(file.as_handle()).is_err(), "it is no pipe");
    }

    #[test]
    fn a_process_that_nobody_tells_about_is_not_ours() {
        assert!(is_ours(std::process::id()));
        assert!(!is_ours(0), "it is the system's");
        assert!(!is_ours(u32::MAX - 3), "there is none");
    }
}
