//! Whether there is something to open a window on, and what stands in for it.

use crate::call::Call;
use std::env;
use std::path::Path;

/// The screen that tests and measurements get where no window shall disturb or can be shown.
const SCREEN: &str = "-screen 0 1280x900x24";

/// Whether a window can be opened here.
pub(crate) fn is_present() -> bool {
    !cfg!(target_os = "linux") || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

/// Whether the desktop's message bus is there, by which a second window finds the first.
pub(crate) fn has_session_bus() -> bool {
    if !cfg!(target_os = "linux") || is_set("DBUS_SESSION_BUS_ADDRESS") {
        return true;
    }
    env::var_os("XDG_RUNTIME_DIR").is_some_and(|folder| Path::new(&folder).join("bus").exists())
}

/// A call of whatever is added to it, on a virtual screen with a message bus of its own.
pub(crate) fn virtual_screen() -> Call {
    Call::new("dbus-run-session").args(["--", "xvfb-run", "-a", "-s", SCREEN])
}

fn is_set(name: &str) -> bool {
    env::var_os(name).is_some_and(|value| !value.is_empty())
}
