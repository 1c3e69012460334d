//! The window: shows it, hides it, leads its page to a route, and restores its position.
//!
//! Nothing here holds a lock while it asks the window: the window's answers come from the main thread, which may be
//! waiting for that lock in [`on_event`].

use crate::shell::Shell;
use crate::window_file::{Rectangle, Zoom};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use tauri::{AppHandle, Manager, PhysicalPosition, PhysicalSize, WebviewWindow, Window, WindowEvent};

/// The window's label in Tauri.
pub(crate) const LABEL: &str = "main";

/// The characters of an id that need no encoding in a route.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// The route of a session's page.
pub(crate) fn session_route(session_id: &str) -> String {
    format!("#/session/{}", utf8_percent_encode(session_id, PLAIN))
}

/// The session of a route; none where it is another page.
pub(crate) fn session_of(route: &str) -> Option<String> {
    let id = route.strip_prefix("#/session/").filter(|id| !id.contains('/'))?;
    Some(percent_decode_str(id).decode_utf8_lossy().into_owned())
}

pub(crate) fn main(app: &AppHandle) -> Option<WebviewWindow> {
    app.get_webview_window(LABEL)
}

/// Calls the window, if there is one, and logs a failure as `the window could not be {what}`.
pub(crate) fn with(app: &AppHandle, what: &str, call: impl FnOnce(&WebviewWindow) -> tauri::Result<()>) {
    if let Some(window) = main(app)
        && let Err(error) = call(&window)
    {
        tracing::warn!(%error, "the window could not be {what}");
    }
}

/// Brings the window to the front.
pub(crate) fn show(app: &AppHandle) {
    #[cfg(target_os = "macos")]
    crate::platform::put_on_dock(app, true);
    with(app, "brought to the front", |window| {
        window.show()?;
        window.unminimize()?;
        window.set_focus()
    });
    app.state::<Shell>().request_refresh();
}

pub(crate) fn hide(app: &AppHandle) {
    with(app, "hidden", WebviewWindow::hide);
    #[cfg(target_os = "macos")]
    crate::platform::put_on_dock(app, false);
    app.state::<Shell>().request_refresh();
}

/// True if the window is visible and not minimized.
pub(crate) fn is_shown(app: &AppHandle) -> bool {
    main(app)
        .is_some_and(|window| window.is_visible().unwrap_or_default() && !window.is_minimized().unwrap_or_default())
}

/// Shows the window, or hides it if it is in front.
pub(crate) fn toggle(app: &AppHandle) {
    let in_front = main(app).is_some_and(|window| window.is_focused().unwrap_or_default());
    if in_front && is_shown(app) {
        hide(app);
    } else {
        show(app);
    }
}

/// Leads the page to a route, now or when it is loaded.
pub(crate) fn go(app: &AppHandle, route: &str) {
    if app.state::<Shell>().is_loaded_or_starts_at(route) {
        lead(app, route);
    }
}

/// Shows a route to the user, in the whole window and in front.
pub(crate) fn open(app: &AppHandle, route: &str) {
    if app.state::<Shell>().is_compact() {
        crate::compact::leave(app, Some(route.to_owned()));
    } else {
        go(app, route);
    }
    show(app);
}

fn lead(app: &AppHandle, route: &str) {
    // A JSON string is a JavaScript string.
    let route = serde_json::Value::from(route);
    with(app, "led to its page", |window| window.eval(format!("location.hash = {route}")));
}

/// The page's current route.
pub(crate) fn route(app: &AppHandle) -> Option<String> {
    let address = main(app)?.url().ok()?;
    Some(format!("#{}", address.fragment().unwrap_or("/")))
}

/// Sets the zoom of a page that was just loaded, and leads it to the route at which it is to start.
pub(crate) fn loaded(app: &AppHandle) {
    let shell = app.state::<Shell>();
    let zoom = shell.window_file(|file| file.zoom);
    with(app, "zoomed", |window| window.set_zoom(zoom));
    if let Some(route) = shell.page_loaded() {
        lead(app, &route);
    }
}

pub(crate) fn zoom(app: &AppHandle, step: Zoom) {
    let shell = app.state::<Shell>();
    let zoom = shell.window_file(|file| file.zoom(step));
    with(app, "zoomed", |window| window.set_zoom(zoom));
    shell.save();
    shell.notify_page(app);
}

pub(crate) fn full_screen(app: &AppHandle) {
    with(app, "made as large as the screen", |window| window.set_fullscreen(!window.is_fullscreen()?));
}

/// Edits the focused text, as the web view's own keys do. On other systems the system's own entries do that.
#[cfg(target_os = "linux")]
pub(crate) fn edit_text(app: &AppHandle, command: &'static str) {
    use webkit2gtk::WebViewExt;
    with(app, "asked to edit text", |window| {
        window.with_webview(move |view| view.inner().execute_editing_command(command))
    });
}

#[cfg(not(target_os = "linux"))]
pub(crate) const fn edit_text(_: &AppHandle, _: &str) {}

/// Restores the position of the last start, if its screen is still there.
pub(crate) fn restore_position(app: &AppHandle) {
    put_at(app, app.state::<Shell>().window_file(|file| (file.window, file.maximized)));
}

/// Moves the window, and maximizes it where that is asked.
pub(crate) fn put_at(app: &AppHandle, (place, maximized): (Option<Rectangle>, bool)) {
    with(app, "put where it was", |window| {
        if let Some(place) = place {
            put(window, place)?;
        }
        if maximized { window.maximize() } else { Ok(()) }
    });
}

/// Sets size and position; the position only if it is on a screen.
pub(crate) fn put(window: &WebviewWindow, place: Rectangle) -> tauri::Result<()> {
    let screens = window.available_monitors()?;
    if screens.iter().any(|screen| place.is_on(area(*screen.position(), *screen.size()))) {
        window.set_position(PhysicalPosition::new(place.x, place.y))?;
    }
    window.set_size(PhysicalSize::new(place.width, place.height))
}

pub(crate) fn area(at: PhysicalPosition<i32>, size: PhysicalSize<u32>) -> Rectangle {
    Rectangle { x: at.x, y: at.y, width: size.width, height: size.height }
}

/// Handles an event of the window, on the main thread.
pub(crate) fn on_event(window: &Window, event: &WindowEvent) {
    let app = window.app_handle();
    let Some(shell) = app.try_state::<Shell>() else { return };
    match event {
        WindowEvent::Moved(_) | WindowEvent::Resized(_) => remember_position(window, &shell),
        WindowEvent::CloseRequested { api, .. } => {
            shell.save();
            if shell.stays_in_tray() {
                api.prevent_close();
                hide(app);
            }
        }
        WindowEvent::Focused(_) => shell.request_refresh(),
        _ => {}
    }
}

fn remember_position(window: &Window, shell: &Shell) {
    let is = |asked: tauri::Result<bool>| asked.unwrap_or_default();
    if is(window.is_minimized()) || is(window.is_fullscreen()) || !is(window.is_visible()) {
        return;
    }
    let maximized = is(window.is_maximized());
    let place = match (window.outer_position(), window.inner_size()) {
        (Ok(at), Ok(size)) => area(at, size),
        _ => return,
    };
    if place.width == 0 || place.height == 0 {
        return;
    }
    let compact = shell.is_compact();
    shell.window_file(|file| file.remember(place, compact, maximized));
}

#[cfg(test)]
mod tests {
    use super::{session_of, session_route};
    use rstest::rstest;

    #[rstest]
    #[case("0199a-b_c", "#/session/0199a-b_c")]
    #[case("a/b \"ü", "#/session/a%2Fb%20%22%C3%BC")]
    fn a_session_has_an_address(#[case] id: &str, #[case] route: &str) {
        assert_eq!(session_route(id), route);
        assert_eq!(session_of(route).as_deref(), Some(id));
    }

    #[test]
    fn other_pages_are_of_no_session() {
        assert_eq!(session_of("#/"), None);
        assert_eq!(session_of("#/session/a/b"), None);
    }
}
