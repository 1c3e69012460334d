//! What the shell knows of itself, and its own few commands for the page.
//!
//! | command | does |
//! |---|---|
//! | `shell_info` | says what this desktop can do and what is on: [`Info`] |
//! | `window_compact` | makes the window the strip (`on`), fits the strip (`on` with the `height` of its content), or makes it whole again (at `route`) |
//! | `window_do` | one [`Deed`]: what a menu would do, for the page's own shortcuts |
//!
//! | event | says |
//! |---|---|
//! | `shell://action` | the name of what a menu was asked for, for the page to do |
//! | `shell://changed` | [`Info`], when something of it changed |

use crate::kept::{Kept, Zoom};
use crate::{compact, window};
use protocol::{Code, Error, Result};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tauri::{AppHandle, Emitter, State};
use tokio::sync::Notify;

/// Says something of the shell changed.
const CHANGED: &str = "shell://changed";
/// Asks the page for something.
const ACTION: &str = "shell://action";

/// How something stands that the system can refuse.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase", tag = "state", content = "message")]
pub(crate) enum Wish {
    /// Not wanted.
    #[default]
    Off,
    /// As wanted.
    On,
    /// Wanted, and why it is not so.
    Refused(String),
}

/// What this desktop can do and what is on.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Info {
    /// `linux`, `macos` or `windows`.
    platform: &'static str,
    version: &'static str,
    /// Something shows our tray icon; without it, closing the window ends the app.
    tray: bool,
    /// Closing the window leaves the app in the tray.
    stays_in_tray: bool,
    /// The keys that show and hide the window from everywhere.
    shortcut: Wish,
    start_at_login: Wish,
    compact: bool,
    /// 1 is 100 %.
    zoom: f64,
    menu_bar: bool,
    /// The native menu has the shortcuts, so the page must not have them as well.
    native_keys: bool,
}

/// What the page can ask of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Deed {
    /// What the close button does.
    Close,
    Quit,
    Hide,
    /// The whole screen, and back.
    Fullscreen,
    ZoomIn,
    ZoomOut,
    ZoomReset,
}

#[derive(Default)]
struct Known {
    kept: Kept,
    /// While it is compact: where the page was before.
    before: Option<String>,
    /// The page is there, or where it shall begin.
    loaded: bool,
    wanted: Option<String>,
    tray: bool,
    keep_in_tray: bool,
    menu_bar: bool,
    shortcut: Wish,
    start_at_login: Wish,
}

/// What the shell knows of itself. Its lock is held for a moment only, never while anybody is asked.
pub(crate) struct Shell {
    known: Mutex<Known>,
    data_dir: PathBuf,
    touched: Notify,
}

impl Shell {
    pub(crate) fn new(data_dir: PathBuf, route: Option<String>) -> Self {
        let kept = Kept::load(&data_dir);
        let known = Known { kept, wanted: route, ..Known::default() };
        Self { known: Mutex::new(known), data_dir, touched: Notify::new() }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads or changes what is kept between starts.
    pub(crate) fn kept<T>(&self, look: impl FnOnce(&mut Kept) -> T) -> T {
        look(&mut self.known().kept)
    }

    pub(crate) fn save(&self) {
        let kept = self.known().kept.clone();
        if let Err(error) = kept.save(&self.data_dir) {
            tracing::warn!(%error, "the window's place could not be kept");
        }
    }

    pub(crate) fn is_compact(&self) -> bool {
        self.known().before.is_some()
    }

    /// Compact with the route from before, or not; gives what was there.
    pub(crate) fn set_compact(&self, before: Option<String>) -> Option<String> {
        std::mem::replace(&mut self.known().before, before)
    }

    /// Whether the page can be led to a route at once; else it begins there.
    pub(crate) fn is_loaded_or_wants(&self, route: &str) -> bool {
        let mut known = self.known();
        if !known.loaded {
            known.wanted = Some(route.to_owned());
        }
        known.loaded
    }

    /// The page is there; gives where it shall begin.
    pub(crate) fn page_is_there(&self) -> Option<String> {
        let mut known = self.known();
        known.loaded = true;
        known.wanted.take()
    }

    pub(crate) fn stays_in_tray(&self) -> bool {
        let known = self.known();
        known.keep_in_tray && known.tray
    }

    pub(crate) fn has_tray(&self) -> bool {
        self.known().tray
    }

    /// What the tray shows may have changed.
    pub(crate) fn touched(&self) {
        self.touched.notify_one();
    }

    /// Waits for [`Self::touched`].
    pub(crate) async fn touch(&self) {
        self.touched.notified().await;
    }

    fn change<T: PartialEq>(&self, app: &AppHandle, place: impl FnOnce(&mut Known) -> &mut T, value: T) {
        let mut known = self.known();
        let place = place(&mut known);
        let changes = *place != value;
        *place = value;
        drop(known);
        if changes {
            self.tell(app);
        }
    }

    pub(crate) fn has_menu_bar(&self) -> bool {
        self.known().menu_bar
    }

    pub(crate) fn set_tray(&self, app: &AppHandle, there: bool) {
        self.change(app, |known| &mut known.tray, there);
    }

    pub(crate) fn set_keep_in_tray(&self, app: &AppHandle, keep: bool) {
        self.change(app, |known| &mut known.keep_in_tray, keep);
    }

    pub(crate) fn set_menu_bar(&self, app: &AppHandle, shown: bool) {
        self.change(app, |known| &mut known.menu_bar, shown);
    }

    pub(crate) fn set_shortcut(&self, app: &AppHandle, shortcut: Wish) {
        self.change(app, |known| &mut known.shortcut, shortcut);
    }

    pub(crate) fn set_start_at_login(&self, app: &AppHandle, start: Wish) {
        self.change(app, |known| &mut known.start_at_login, start);
    }

    fn info(&self) -> Info {
        let known = self.known();
        Info {
            platform: std::env::consts::OS,
            version: env!("CARGO_PKG_VERSION"),
            tray: known.tray,
            stays_in_tray: known.keep_in_tray && known.tray,
            shortcut: known.shortcut.clone(),
            start_at_login: known.start_at_login.clone(),
            compact: known.before.is_some(),
            zoom: known.kept.zoom,
            menu_bar: known.menu_bar,
            native_keys: known.menu_bar,
        }
    }

    /// Tells the page how things are now.
    pub(crate) fn tell(&self, app: &AppHandle) {
        if let Err(error) = app.emit(CHANGED, self.info()) {
            tracing::warn!(%error, "the page could not be told of a change");
        }
        self.touched();
    }
}

/// Asks the page for something that it has a shortcut for, too.
pub(crate) fn ask_page(app: &AppHandle, action: &str) {
    if let Err(error) = app.emit(ACTION, action) {
        tracing::warn!(%error, action, "the page could not be asked");
    }
}

pub(crate) fn carry_out(app: &AppHandle, deed: Deed) {
    match deed {
        Deed::Close => window::with(app, "closed", tauri::WebviewWindow::close),
        Deed::Quit => app.exit(0),
        Deed::Hide => window::hide(app),
        Deed::Fullscreen => window::full_screen(app),
        Deed::ZoomIn => window::zoom(app, Zoom::In),
        Deed::ZoomOut => window::zoom(app, Zoom::Out),
        Deed::ZoomReset => window::zoom(app, Zoom::Reset),
    }
}

#[tauri::command]
pub(crate) async fn shell_info(shell: State<'_, Shell>) -> Result<Info> {
    Ok(shell.info())
}

#[tauri::command]
pub(crate) async fn window_compact(app: AppHandle, on: bool, height: Option<f64>, route: Option<String>) -> Result<()> {
    aside(move || match (on, height) {
        (true, Some(height)) => compact::fit_to(&app, height),
        (true, None) => compact::enter(&app),
        (false, _) => compact::leave(&app, route.filter(|route| route.starts_with("#/"))),
    })
    .await
}

#[tauri::command]
pub(crate) async fn window_do(app: AppHandle, action: Deed) -> Result<()> {
    aside(move || carry_out(&app, action)).await
}

/// Does what waits for the main thread on a thread of its own. On one of the runtime's it could hold up what the main
/// thread waits for itself when the app ends.
pub(crate) async fn aside<T: Send + 'static>(deed: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    let done = tauri::async_runtime::spawn_blocking(deed).await;
    done.map_err(|error| Error::new(Code::Internal, format!("the window could not be asked: {error}")))
}

#[cfg(test)]
mod tests {
    use super::{Deed, Shell, Wish};
    use serde_json::json;

    #[test]
    fn a_page_that_is_not_there_yet_begins_where_it_was_led_last() {
        let folder = tempfile::tempdir().expect("a folder");
        let shell = Shell::new(folder.path().to_owned(), Some("#/session/a".to_owned()));
        assert!(!shell.is_loaded_or_wants("#/session/b"));
        assert_eq!(shell.page_is_there().as_deref(), Some("#/session/b"));
        assert!(shell.is_loaded_or_wants("#/session/c"));
        assert_eq!(shell.page_is_there(), None, "a page that is loaded again stays where it is");
    }

    #[test]
    fn what_the_page_reads() {
        assert_eq!(json!(Wish::Off), json!({ "state": "off" }));
        assert_eq!(json!(Wish::Refused("taken".to_owned())), json!({ "state": "refused", "message": "taken" }));
        assert_eq!(serde_json::from_value::<Deed>(json!("zoom-in")).ok(), Some(Deed::ZoomIn));
        assert!(serde_json::from_value::<Deed>(json!("format-disk")).is_err());
    }
}
