//! The global shortcut that shows and hides the window, as the user has set it.

use crate::shell::{SettingState, Shell};
use crate::{texts, window};
use tauri::{AppHandle, Manager};
use tauri_plugin_global_shortcut::{GlobalShortcutExt, Modifiers, Shortcut, ShortcutState};

/// Replaces the shortcut; empty `keys` remove it.
pub(crate) fn apply(app: &AppHandle, keys: &str) {
    if let Err(error) = app.global_shortcut().unregister_all() {
        tracing::warn!(%error, "the shortcut from before could not be given back");
    }
    app.state::<Shell>().set_shortcut(app, take(app, keys));
}

fn take(app: &AppHandle, keys: &str) -> SettingState {
    if keys.is_empty() {
        return SettingState::Off;
    }
    if is_wayland() {
        tracing::info!(keys, "no app can take keys for everywhere under Wayland");
        return SettingState::Refused(texts::shortcut_wayland().to_owned());
    }
    if is_typed(keys) {
        return SettingState::Refused(texts::shortcut_typed(keys));
    }
    let taken = app.global_shortcut().on_shortcut(keys, |app, _, event| {
        if event.state == ShortcutState::Pressed {
            window::toggle(app);
        }
    });
    match taken {
        Ok(()) => SettingState::On,
        Err(error) => {
            tracing::warn!(%error, keys, "the keys for everywhere could not be taken");
            SettingState::Refused(texts::shortcut_refused(keys))
        }
    }
}

/// The library takes keys from X11, which a Wayland session has only for old apps.
fn is_wayland() -> bool {
    cfg!(target_os = "linux") && std::env::var_os("WAYLAND_DISPLAY").is_some()
}

/// True if keys are typed in ordinary use: neither a function or media key, nor one with Ctrl, Alt or Super.
fn is_typed(keys: &str) -> bool {
    let Ok(shortcut) = keys.parse::<Shortcut>() else { return false };
    let name = shortcut.key.to_string();
    let is_function = name.strip_prefix('F').is_some_and(|number| number.parse::<u8>().is_ok());
    let is_special = is_function || name.starts_with("Media") || name.starts_with("AudioVolume") || name == "Pause";
    !is_special && !shortcut.mods.intersects(Modifiers::CONTROL | Modifiers::ALT | Modifiers::SUPER)
}

#[cfg(test)]
mod tests {
    use super::is_typed;
    use rstest::rstest;

    #[rstest]
    #[case("A", true)]
    #[case("Shift+A", true)]
    #[case("Space", true)]
    #[case("Tab", true)]
    #[case("F9", false)]
    #[case("Shift+F1", false)]
    #[case("MediaPlayPause", false)]
    #[case("CommandOrControl+Shift+KeyL", false)]
    #[case("Alt+Space", false)]
    // Refused by the system, in its own words.
    #[case("Nonsense", false)]
    fn keys_that_everybody_types_are_left_to_them(#[case] keys: &str, #[case] typed: bool) {
        assert_eq!(is_typed(keys), typed);
    }
}
