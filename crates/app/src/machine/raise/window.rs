//! The window of the desktop that a terminal is in.

use super::outcome::refused;
use protocol::{Result, Terminal, Text, say};

/// Raises the window of a terminal, and gives its name.
#[cfg(all(unix, not(target_os = "macos")))]
pub(super) async fn raise_window(terminal: &Terminal) -> Result<Text> {
    use super::x11;
    use std::sync::Arc;
    use std::time::Duration;

    /// The time within which the X server and the window manager answer.
    const PATIENCE: Duration = Duration::from_secs(5);

    /// Looks at the active window until it is the one that was asked for, and the time between them.
    const LOOKS: u32 = 40;
    const BETWEEN: Duration = Duration::from_millis(50);

    let is_wayland = super::outcome::variable(terminal, "WAYLAND_DISPLAY").is_some();
    // The gateway's own, where the agent names none.
    let own = || std::env::var("DISPLAY").ok().filter(|_| !is_wayland);
    let display = super::outcome::variable(terminal, "DISPLAY").map(str::to_owned).or_else(own);
    let display = display.filter(|display| x11::is_local(display));
    let wayland = || refused(say::raise_wayland());
    let Some(display) = display else {
        return Err(if is_wayland { wayland() } else { refused(say::raise_display()) });
    };
    let window = super::outcome::variable(terminal, "WINDOWID").and_then(|id| id.parse().ok());
    let processes = terminal.processes.clone();
    let raising = async {
        let (desktop, id) = aside(move || x11::activate(&display, window, &processes)).await?;
        let desktop = Arc::new(desktop);
        for _ in 0..LOOKS {
            let looked_at = desktop.clone();
            if aside(move || looked_at.is_active(id)).await? {
                return Ok(id);
            }
            tokio::time::sleep(BETWEEN).await;
        }
        Err(x11::Problem::Refused)
    };
    match tokio::time::timeout(PATIENCE, raising).await {
        Ok(Ok(id)) => Ok(say::raised_x11(format_args!("{id:#x}"))),
        Ok(Err(x11::Problem::NoWindow)) if is_wayland => Err(wayland()),
        Ok(Err(problem)) => Err(refused(problem.text())),
        Err(_) => Err(refused(say::raise_silent())),
    }
}

/// Does what waits for the X server on a thread of its own.
#[cfg(all(unix, not(target_os = "macos")))]
async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> std::result::Result<T, super::x11::Problem> + Send + 'static,
) -> std::result::Result<T, super::x11::Problem> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(super::x11::Problem::Failed(error.to_string())))
}

/// Raises the tab of a terminal that takes scripts, and gives its name.
#[cfg(target_os = "macos")]
pub(super) async fn raise_window(terminal: &Terminal) -> Result<Text> {
    use super::mac::{ScriptedTab, devices_of};
    use super::remote_control::RemoteControl;

    let tab = match (ScriptedTab::of_iterm(terminal), devices_of(terminal)) {
        (Some(session), _) => Some(session),
        (None, Some(devices)) => {
            // It fails where one of the processes has ended, and has said all the same where the others are.
            let answer = RemoteControl::of(&["ps"])?.run(devices).await.unwrap_or_default();
            ScriptedTab::of_terminal(&answer)
        }
        (None, None) => None,
    };
    let tab = tab.ok_or_else(|| not_here("macOS"))?;
    let said = RemoteControl::of(&["osascript"])?.asking_the_user().run(tab.arguments()).await?;
    if said.trim() == "raised" {
        return Ok(tab.name);
    }
    let problem = say::raise_tab_gone(&tab.name).with("tab", &tab.name);
    Err(refused(say::raise_failed("osascript", &problem).with("problem", &problem)))
}

/// Names the terminal, since no window of it is raised here yet.
#[cfg(windows)]
#[expect(clippy::unused_async, reason = "elsewhere it waits for the window manager")]
pub(super) async fn raise_window(terminal: &Terminal) -> Result<Text> {
    let is_known = terminal.variables.contains_key("WT_SESSION");
    Err(if is_known { refused(say::raise_system("Windows Terminal", "Windows")) } else { not_here("Windows") })
}

/// The refusal where windows of a terminal that is not known are not raised.
#[cfg(any(windows, target_os = "macos"))]
fn not_here(system: &str) -> protocol::Error {
    let program = say::raise_terminal();
    refused(say::raise_system(&program, system).with("program", &program))
}
