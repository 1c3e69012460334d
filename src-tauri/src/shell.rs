//! The state of the window and of what the desktop has been asked for, and the shell's own commands for the page.
//!
//! | command | does |
//! |---|---|
//! | `shell_info` | returns [`ShellInfo`] |
//! | `window_compact` | makes the window the strip (`on`), fits the strip (`on` with the `height` of its content), or makes it the whole window again (at `route`) |
//! | `window_language` | takes the page's language for what the desktop shows |
//! | `notify_test` | shows a notification of no session, with or without `sound` |
//! | `window_do` | does one [`WindowAction`] of the menus, for the page's own shortcuts and menus |
//!
//! | event | carries |
//! |---|---|
//! | `shell://action` | the name of a menu's entry that the page carries out |
//! | `shell://changed` | [`ShellInfo`], after a change |

use crate::window_file::{WindowFile, Zoom};
use crate::{catalogue, compact, menus, window};
use protocol::{Code, Error, Result};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tauri::{AppHandle, Emitter, Manager, State};
use tokio::sync::Notify;

/// The event with the new [`ShellInfo`].
const CHANGED: &str = "shell://changed";
/// The event that asks the page for an action.
const ACTION: &str = "shell://action";

/// The state of a setting that the system can refuse.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase", tag = "state", content = "message")]
pub(crate) enum SettingState {
    /// Not wanted.
    #[default]
    Off,
    /// In effect.
    On,
    /// Wanted but refused, with the reason.
    Refused(String),
}

/// The abilities of this desktop and the state of the window, for the page.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ShellInfo {
    /// `linux`, `macos` or `windows`.
    platform: &'static str,
    version: &'static str,
    /// The desktop shows our tray icon; without one, closing the window ends the app.
    tray: bool,
    /// Closing the window leaves the app in the tray.
    stays_in_tray: bool,
    /// The global shortcut that shows and hides the window.
    shortcut: SettingState,
    start_at_login: SettingState,
    compact: bool,
    /// The zoom as a factor: 1 is 100 %.
    zoom: f64,
    menu_bar: bool,
    /// The native menu handles the shortcuts, so the page must not handle them as well.
    native_keys: bool,
}

/// An action on the window, by a menu or by the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum WindowAction {
    /// The same as the close button.
    Close,
    Quit,
    Hide,
    /// To full screen, and back.
    Fullscreen,
    ZoomIn,
    ZoomOut,
    ZoomReset,
    /// On the focused text, as the web view's own keys do; only on Linux, elsewhere the system's own entries do that.
    Cut,
    Copy,
    Paste,
    SelectAll,
}

#[derive(Default)]
struct ShellState {
    file: WindowFile,
    /// The page's route before the window became compact; none while it is not compact.
    route_before: Option<String>,
    /// The page is loaded, and can be led to a route.
    loaded: bool,
    start_route: Option<String>,
    tray: bool,
    keep_in_tray: bool,
    menu_bar: bool,
    shortcut: SettingState,
    start_at_login: SettingState,
}

/// The shared state of the shell. Its lock is held only to read and write fields, never during a call into the window.
pub(crate) struct Shell {
    state: Mutex<ShellState>,
    data_dir: PathBuf,
    refresh: Notify,
}

impl Shell {
    pub(crate) fn new(data_dir: PathBuf, route: Option<String>) -> Self {
        let file = WindowFile::load(&data_dir);
        let state = ShellState { file, start_route: route, ..ShellState::default() };
        Self { state: Mutex::new(state), data_dir, refresh: Notify::new() }
    }

    fn state(&self) -> MutexGuard<'_, ShellState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads or changes what is stored of the window between starts.
    pub(crate) fn window_file<T>(&self, look: impl FnOnce(&mut WindowFile) -> T) -> T {
        look(&mut self.state().file)
    }

    pub(crate) fn save(&self) {
        let file = self.state().file.clone();
        if let Err(error) = file.save(&self.data_dir) {
            tracing::warn!(%error, "the window's place could not be kept");
        }
    }

    pub(crate) fn is_compact(&self) -> bool {
        self.state().route_before.is_some()
    }

    /// Sets the route from before the compact window, or none for the whole window; returns the former value.
    pub(crate) fn set_compact(&self, before: Option<String>) -> Option<String> {
        std::mem::replace(&mut self.state().route_before, before)
    }

    /// True if the page can be led to a route at once; if not, it starts at that route when it is loaded.
    pub(crate) fn is_loaded_or_starts_at(&self, route: &str) -> bool {
        let mut state = self.state();
        if !state.loaded {
            state.start_route = Some(route.to_owned());
        }
        state.loaded
    }

    /// Notes that the page is loaded; returns the route at which it is to start.
    pub(crate) fn page_loaded(&self) -> Option<String> {
        let mut state = self.state();
        state.loaded = true;
        state.start_route.take()
    }

    pub(crate) fn stays_in_tray(&self) -> bool {
        let state = self.state();
        state.keep_in_tray && state.tray
    }

    pub(crate) fn has_tray(&self) -> bool {
        self.state().tray
    }

    /// Asks for the tray, the taskbar and the notifications to be updated.
    pub(crate) fn request_refresh(&self) {
        self.refresh.notify_one();
    }

    /// Waits for [`Self::request_refresh`].
    pub(crate) async fn refresh_requested(&self) {
        self.refresh.notified().await;
    }

    fn change<T: PartialEq>(&self, app: &AppHandle, field: impl FnOnce(&mut ShellState) -> &mut T, value: T) {
        let mut state = self.state();
        let field = field(&mut state);
        let changes = *field != value;
        *field = value;
        drop(state);
        if changes {
            self.notify_page(app);
        }
    }

    pub(crate) fn has_menu_bar(&self) -> bool {
        self.state().menu_bar
    }

    pub(crate) fn set_tray(&self, app: &AppHandle, there: bool) {
        self.change(app, |state| &mut state.tray, there);
    }

    pub(crate) fn set_keep_in_tray(&self, app: &AppHandle, keep: bool) {
        self.change(app, |state| &mut state.keep_in_tray, keep);
    }

    pub(crate) fn set_menu_bar(&self, app: &AppHandle, shown: bool) {
        self.change(app, |state| &mut state.menu_bar, shown);
    }

    pub(crate) fn set_shortcut(&self, app: &AppHandle, shortcut: SettingState) {
        self.change(app, |state| &mut state.shortcut, shortcut);
    }

    pub(crate) fn set_start_at_login(&self, app: &AppHandle, start: SettingState) {
        self.change(app, |state| &mut state.start_at_login, start);
    }

    fn info(&self) -> ShellInfo {
        let state = self.state();
        ShellInfo {
            platform: std::env::consts::OS,
            version: env!("CARGO_PKG_VERSION"),
            tray: state.tray,
            stays_in_tray: state.keep_in_tray && state.tray,
            shortcut: state.shortcut.clone(),
            start_at_login: state.start_at_login.clone(),
            compact: state.route_before.is_some(),
            zoom: state.file.zoom,
            menu_bar: state.menu_bar,
            native_keys: state.menu_bar,
        }
    }

    /// Sends the page the current [`ShellInfo`].
    pub(crate) fn notify_page(&self, app: &AppHandle) {
        if let Err(error) = app.emit(CHANGED, self.info()) {
            tracing::warn!(%error, "the page could not be told of a change");
        }
        self.request_refresh();
    }
}

/// Asks the page to carry out an action.
pub(crate) fn ask_page(app: &AppHandle, action: &str) {
    if let Err(error) = app.emit(ACTION, action) {
        tracing::warn!(%error, action, "the page could not be asked");
    }
}

pub(crate) fn carry_out(app: &AppHandle, action: WindowAction) {
    match action {
        WindowAction::Close => window::with(app, "closed", tauri::WebviewWindow::close),
        WindowAction::Quit => app.exit(0),
        WindowAction::Hide => window::hide(app),
        WindowAction::Fullscreen => window::full_screen(app),
        WindowAction::ZoomIn => window::zoom(app, Zoom::In),
        WindowAction::ZoomOut => window::zoom(app, Zoom::Out),
        WindowAction::ZoomReset => window::zoom(app, Zoom::Reset),
        WindowAction::Cut => window::edit_text(app, "Cut"),
        WindowAction::Copy => window::edit_text(app, "Copy"),
        WindowAction::Paste => window::edit_text(app, "Paste"),
        WindowAction::SelectAll => window::edit_text(app, "SelectAll"),
    }
}

#[tauri::command]
pub(crate) async fn shell_info(shell: State<'_, Shell>) -> Result<ShellInfo> {
    Ok(shell.info())
}

#[tauri::command]
pub(crate) async fn window_compact(app: AppHandle, on: bool, height: Option<f64>, route: Option<String>) -> Result<()> {
    on_own_thread(move || match (on, height) {
        (true, Some(height)) => compact::fit_to(&app, height),
        (true, None) => compact::enter(&app),
        (false, _) => compact::leave(&app, route.filter(|route| route.starts_with("#/"))),
    })
    .await
}

/// Takes the language of the page for menus, tray and notifications.
#[tauri::command]
pub(crate) async fn window_language(app: AppHandle, language: String) -> Result<()> {
    on_own_thread(move || {
        let shell = app.state::<Shell>();
        if catalogue::take(&language, &shell.data_dir) {
            menus::translate(&app);
            shell.request_refresh();
        }
    })
    .await
}

#[tauri::command]
pub(crate) async fn window_do(app: AppHandle, action: WindowAction) -> Result<()> {
    on_own_thread(move || carry_out(&app, action)).await
}

/// Runs work that waits for the main thread on a thread of its own. On one of the runtime's threads it could block what
/// the main thread itself waits for when the app ends.
pub(crate) async fn on_own_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    let done = tauri::async_runtime::spawn_blocking(work).await;
    done.map_err(|error| Error::new(Code::Internal, format!("the window could not be asked: {error}")))
}

#[cfg(test)]
mod tests {
    use super::{SettingState, Shell, WindowAction};
    use serde_json::json;

    #[test]
    fn a_page_that_is_not_there_yet_begins_where_it_was_led_last() {
        let folder = tempfile::tempdir().expect("a folder");
        let shell = Shell::new(folder.path().to_owned(), Some("#/session/a".to_owned()));
        assert!(!shell.is_loaded_or_starts_at("#/session/b"));
        assert_eq!(shell.page_loaded().as_deref(), Some("#/session/b"));
        assert!(shell.is_loaded_or_starts_at("#/session/c"));
        assert_eq!(shell.page_loaded(), None, "a page that is loaded again stays where it is");
    }

    #[test]
    fn what_the_page_reads() {
        assert_eq!(json!(SettingState::Off), json!({ "state": "off" }));
        assert_eq!(json!(SettingState::Refused("taken".to_owned())), json!({ "state": "refused", "message": "taken" }));
        assert_eq!(serde_json::from_value::<WindowAction>(json!("zoom-in")).ok(), Some(WindowAction::ZoomIn));
        assert!(serde_json::from_value::<WindowAction>(json!("format-disk")).is_err());
    }
}
