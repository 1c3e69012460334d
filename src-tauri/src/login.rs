//! Starting at login, into the tray, as the user has set it.

use crate::Options;
use crate::shell::{Shell, Wish};
use crate::texts;
use std::path::{Path, PathBuf};
use tauri::plugin::TauriPlugin;
use tauri::{AppHandle, Manager, Wry};
use tauri_plugin_autostart::ManagerExt;

/// What starts at login: this app with the data that it has now.
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

/// Makes it so. What the user has set on another machine's gateway is not about this machine.
pub(crate) fn apply(app: &AppHandle, start: bool, options: &Options) {
    // An entry is a line of words that nobody quotes.
    if let Some(folder) = folder(options).filter(|folder| start && !is_one_word(folder)) {
        let refused = Wish::Refused(texts::login_folder(&folder.to_string_lossy()));
        return app.state::<Shell>().set_start_at_login(app, refused);
    }
    let list = app.autolaunch();
    let is = list.is_enabled().unwrap_or_default();
    let done = match (start, is) {
        (true, _) => list.enable(),
        (false, true) => list.disable(),
        (false, false) => Ok(()),
    };
    let wish = match done {
        Ok(()) if start => Wish::On,
        Ok(()) => Wish::Off,
        Err(error) => {
            tracing::warn!(%error, "starting at login could not be changed");
            Wish::Refused(texts::login_refused(&error.to_string()))
        }
    };
    app.state::<Shell>().set_start_at_login(app, wish);
}

/// The folder that an entry names: the same whatever folder login begins in.
fn folder(options: &Options) -> Option<PathBuf> {
    let folder = options.data_dir.as_ref()?;
    Some(std::path::absolute(folder).unwrap_or_else(|_| folder.clone()))
}

/// It can stand in an entry as it is.
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
