//! The keys that show and hide the window from everywhere, as the user has set them.

use crate::shell::{Shell, Wish};
use crate::{texts, window};
use tauri::{AppHandle, Manager};
use tauri_plugin_global_shortcut::{GlobalShortcutExt, ShortcutState};

/// Takes these keys instead of those from before; none where `keys` is empty.
pub(crate) fn apply(app: &AppHandle, keys: &str) {
    if let Err(error) = app.global_shortcut().unregister_all() {
        tracing::warn!(%error, "the shortcut from before could not be given back");
    }
    app.state::<Shell>().set_shortcut(app, wish(app, keys));
}

fn wish(app: &AppHandle, keys: &str) -> Wish {
    if keys.is_empty() {
        return Wish::Off;
    }
    if is_wayland() {
        tracing::info!(keys, "no app can take keys for everywhere under Wayland");
        return Wish::Refused(texts::SHORTCUT_WAYLAND.to_owned());
    }
    let taken = app.global_shortcut().on_shortcut(keys, |app, _, event| {
        if event.state == ShortcutState::Pressed {
            window::toggle(app);
        }
    });
    match taken {
        Ok(()) => Wish::On,
        Err(error) => {
            tracing::warn!(%error, keys, "the keys for everywhere could not be taken");
            Wish::Refused(texts::shortcut_refused(keys, &error.to_string()))
        }
    }
}

/// Keys are taken from X11, which a Wayland session only has for old apps.
fn is_wayland() -> bool {
    cfg!(target_os = "linux") && std::env::var_os("WAYLAND_DISPLAY").is_some()
}
