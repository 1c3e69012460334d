//! Starting at login, into the tray, as the user has set it.

use crate::Options;
use crate::shell::{Shell, Wish};
use crate::texts;
use tauri::plugin::TauriPlugin;
use tauri::{AppHandle, Manager, Wry};
use tauri_plugin_autostart::ManagerExt;

/// What starts at login: this app with the data that it has now.
pub(crate) fn plugin(options: &Options) -> TauriPlugin<Wry> {
    let builder = tauri_plugin_autostart::Builder::new().arg("--hidden");
    match &options.data_dir {
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
pub(crate) fn apply(app: &AppHandle, start: bool) {
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
