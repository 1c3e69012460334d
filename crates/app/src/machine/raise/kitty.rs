//! Windows of kitty, which are tabs and splits in a window of the desktop.

use super::outcome::{named, partly, refused, variable};
use super::remote_control::RemoteControl;
use super::window::raise_window;
use protocol::{Raised, Result, Terminal, say};

/// A window of kitty, and the socket of its remote control, where it is enabled.
pub(super) struct KittyWindow {
    id: u32,
    socket: Option<String>,
}

impl KittyWindow {
    pub(super) fn of(terminal: &Terminal) -> Option<Self> {
        let id = variable(terminal, "KITTY_WINDOW_ID")?.parse().ok()?;
        // Of an address in a network nobody knows who answers there.
        let socket = variable(terminal, "KITTY_LISTEN_ON").filter(|socket| socket.starts_with("unix:"));
        Some(Self { id, socket: socket.map(str::to_owned) })
    }

    /// Raises it; or the desktop's window alone, where kitty takes no commands.
    pub(super) async fn raise(self, terminal: &Terminal) -> Result<Raised> {
        match self.focus().await {
            Ok(()) => Ok(named(say::raised_kitty(self.id))),
            Err(error) => Ok(partly(raise_window(terminal).await?, error)),
        }
    }

    async fn focus(&self) -> Result<()> {
        let Some(socket) = &self.socket else {
            return Err(refused(say::raise_kitty()));
        };
        let kitten = RemoteControl::of(&["kitten", "kitty"])?;
        let window = format!("id:{}", self.id);
        kitten.run(["@", "--to", socket, "focus-window", "--match", &window]).await.map(drop)
    }
}
