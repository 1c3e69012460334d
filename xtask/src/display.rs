//! The display that a window opens on, or a virtual one instead.

use crate::call::Call;
use std::env;
use std::path::Path;

/// The virtual screen for tests and measurements.
const SCREEN: &str = "-screen 0 1280x900x24";

/// True if there is a display.
pub(crate) fn is_present() -> bool {
    !cfg!(target_os = "linux") || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

/// True if the desktop's message bus is there, through which a second window finds the first.
pub(crate) fn has_session_bus() -> bool {
    if !cfg!(target_os = "linux") || is_set("DBUS_SESSION_BUS_ADDRESS") {
        return true;
    }
    env::var_os("XDG_RUNTIME_DIR").is_some_and(|folder| Path::new(&folder).join("bus").exists())
}

/// A call that runs the program in its arguments on a virtual screen with a message bus of its own.
pub(crate) fn virtual_screen() -> Call {
    Call::new("dbus-run-session").args(["--", "xvfb-run", "-a", "-s", SCREEN])
}

fn is_set(name: &str) -> bool {
    env::var_os(name).is_some_and(|value| !value.is_empty())
}
