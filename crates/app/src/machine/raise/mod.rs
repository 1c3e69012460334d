//! Bringing the window, tab or pane to the front in which an agent runs: by its terminal's own remote control, and by the
//! window manager.
//!
//! All that is known of the terminal was said by an agent. Only ids that look like ids are used, each as an argument of
//! its own, and no shell reads any.

mod kitty;
#[cfg_attr(not(target_os = "macos"), allow(dead_code, reason = "only macOS runs its scripts"))]
mod mac;
mod outcome;
mod remote_control;
mod tmux;
mod wezterm;
mod window;
#[cfg(all(unix, not(target_os = "macos")))]
mod x11;

use hub::Hub;
use kitty::KittyWindow;
use outcome::{named, refused, with_window};
use protocol::{Raised, Result, SessionRaise, Terminal, say};
use tmux::TmuxPane;
use wezterm::WezTermPane;
use window::raise_window;

/// Raises where the agent of a session runs.
///
/// # Errors
/// When that is not known, or cannot be raised; each with the reason.
pub(super) async fn raise(hub: &Hub, ask: &SessionRaise) -> Result<Raised> {
    let Some(terminal) = hub.terminal_of_agent(&ask.session_id).await? else {
        let (session, _) = hub.session_of_agent(&ask.session_id).await?;
        return Err(refused(say::raise_unsaid(session.agent.name)));
    };
    let raised = raise_terminal(&terminal).await?;
    tracing::info!(session_id = ask.session_id, raised.raised, raised.note, "a terminal was raised");
    Ok(raised)
}

async fn raise_terminal(terminal: &Terminal) -> Result<Raised> {
    let Some(pane) = TmuxPane::of(terminal) else { return raise_outermost(terminal).await };
    let client = pane.select(terminal).await?;
    let around = sources::terminal_of_process(client);
    Ok(with_window(say::raised_tmux(pane), raise_outermost(&around).await))
}

/// Raises a window, with the tab in it where its terminal has tabs that can be named.
async fn raise_outermost(terminal: &Terminal) -> Result<Raised> {
    if let Some(window) = KittyWindow::of(terminal) {
        return window.raise(terminal).await;
    }
    if let Some(pane) = WezTermPane::of(terminal) {
        pane.activate().await?;
        return Ok(with_window(say::raised_wezterm(pane), raise_window(terminal).await.map(named)));
    }
    raise_window(terminal).await.map(named)
}

#[cfg(all(test, unix))]
mod tests;
