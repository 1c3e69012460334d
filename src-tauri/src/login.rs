//! Start at login, into the tray, as the user has set it.

use crate::Options;
use crate::shell::{SettingState, Shell};
use crate::texts;
use std::path::{Path, PathBuf};
use tauri::plugin::TauriPlugin;
use tauri::{AppHandle, Manager, Wry};
use tauri_plugin_autostart::ManagerExt;

/// The plugin whose entry starts this app at login, with the same data folder.
pub(crate) fn plugin(options: &Options) -> TauriPlugin<Wry> {
    let builder = tauri_plugin_autostart::Builder::new().arg("--hidden");
    match folder(options) {
        None => builder.app_name(texts::APP).build(),
        // An entry of its own, beside that for the user's own data.
        Some(folder) => {
            let folder = folder.to_string_lossy();
            let name: String =
                folder.chars().map(|letter| if letter.is_alphanumeric() { letter } else { '-' }).collect();
            builder.args(["--data-dir", &folder]).app_name(format!("{} {name}", texts::APP)).build()
        }
    }
}

/// Adds or removes the entry.
pub(crate) fn apply(app: &AppHandle, start: bool, options: &Options) {
    // The entry is a command line without quoting.
    if let Some(folder) = folder(options).filter(|folder| start && !is_one_word(folder)) {
        let refused = SettingState::Refused(texts::login_folder(&folder.to_string_lossy()));
        return app.state::<Shell>().set_start_at_login(app, refused);
    }
    let list = app.autolaunch();
    let is = list.is_enabled().unwrap_or_default();
    let done = match (start, is) {
        (true, _) => list.enable(),
        (false, true) => list.disable(),
        (false, false) => Ok(()),
    };
    let state = match done {
        Ok(()) if start => SettingState::On,
        Ok(()) => SettingState::Off,
        Err(error) => {
            tracing::warn!(%error, "starting at login could not be changed");
            SettingState::Refused(texts::login_refused(&error.to_string()))
        }
    };
    app.state::<Shell>().set_start_at_login(app, state);
}

/// The folder that the entry names, as an absolute path, since login starts in another folder.
fn folder(options: &Options) -> Option<PathBuf> {
    let folder = options.data_dir.as_ref()?;
    Some(std::path::absolute(folder).unwrap_or_else(|_| folder.clone()))
}

/// True if the folder needs no quoting in the entry.
fn is_one_word(folder: &Path) -> bool {
    let is_plain = |letter: char| letter.is_alphanumeric() || "/\\:._-+@~".contains(letter);
    folder.to_str().is_some_and(|path| path.chars().all(is_plain))
}

#[cfg(all(test, unix))]
mod tests {
    use super::is_one_word;
    use rstest::rstest;
    use std::path::Path;

    #[rstest]
    #[case("/home/ada/.local/share/sightline-2", true)]
    #[case("/home/zoë/data", true)]
    #[case("/home/ada/my data", false)]
    #[case("/home/ada/50%", false)]
    #[case("/home/ada/\"x\"", false)]
    fn a_folder_that_an_entry_would_break_is_refused(#[case] folder: &str, #[case] fits: bool) {
        assert_eq!(is_one_word(Path::new(folder)), fits);
    }
}
