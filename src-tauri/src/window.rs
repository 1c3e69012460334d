//! The one window: shown, hidden, led to a place in the page, and put where it was.
//!
//! Nothing here holds a lock while it asks the window: the window's answers come from the main thread, which may be
//! waiting for that lock in [`heard`].

use crate::kept::{Place, Zoom};
use crate::shell::Shell;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use tauri::{AppHandle, Manager, PhysicalPosition, PhysicalSize, WebviewWindow, Window, WindowEvent};

/// Its name for Tauri.
pub(crate) const LABEL: &str = "main";

/// What an id may have in an address.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// The address of a session's page.
pub(crate) fn session_route(session_id: &str) -> String {
    format!("#/session/{}", utf8_percent_encode(session_id, PLAIN))
}

/// The session whose page an address is.
pub(crate) fn session_of(route: &str) -> Option<String> {
    let id = route.strip_prefix("#/session/").filter(|id| !id.contains('/'))?;
    Some(percent_decode_str(id).decode_utf8_lossy().into_owned())
}

pub(crate) fn main(app: &AppHandle) -> Option<WebviewWindow> {
    app.get_webview_window(LABEL)
}

/// Does something with the window, where there is one, and logs what failed.
pub(crate) fn with(app: &AppHandle, what: &str, deed: impl FnOnce(&WebviewWindow) -> tauri::Result<()>) {
    if let Some(window) = main(app)
        && let Err(error) = deed(&window)
    {
        tracing::warn!(%error, "the window could not be {what}");
    }
}

/// Brings it to the front.
pub(crate) fn show(app: &AppHandle) {
    with(app, "brought to the front", |window| {
        window.show()?;
        window.unminimize()?;
        window.set_focus()
    });
    app.state::<Shell>().touched();
}

pub(crate) fn hide(app: &AppHandle) {
    with(app, "hidden", WebviewWindow::hide);
    app.state::<Shell>().touched();
}

/// Whether somebody can see it.
pub(crate) fn is_shown(app: &AppHandle) -> bool {
    main(app)
        .is_some_and(|window| window.is_visible().unwrap_or_default() && !window.is_minimized().unwrap_or_default())
}

/// Shows it, or hides it where it is in front already.
pub(crate) fn toggle(app: &AppHandle) {
    let in_front = main(app).is_some_and(|window| window.is_focused().unwrap_or_default());
    if in_front && is_shown(app) {
        hide(app);
    } else {
        show(app);
    }
}

/// Opens a place of the page, now or when the page is there.
pub(crate) fn go(app: &AppHandle, route: &str) {
    if app.state::<Shell>().is_loaded_or_wants(route) {
        lead(app, route);
    }
}

/// Shows a place of the page to the user: the whole window, in front.
pub(crate) fn open(app: &AppHandle, route: &str) {
    if app.state::<Shell>().is_compact() {
        crate::compact::leave(app, Some(route.to_owned()));
    } else {
        go(app, route);
    }
    show(app);
}

fn lead(app: &AppHandle, route: &str) {
    // A string of JSON is one of JavaScript, too.
    let route = serde_json::Value::from(route);
    with(app, "led to its page", |window| window.eval(format!("location.hash = {route}")));
}

/// Where in the page it is.
pub(crate) fn route(app: &AppHandle) -> Option<String> {
    let address = main(app)?.url().ok()?;
    Some(format!("#{}", address.fragment().unwrap_or("/")))
}

/// The page is there: it has its zoom, and is led to where it should begin.
pub(crate) fn loaded(app: &AppHandle) {
    let shell = app.state::<Shell>();
    let zoom = shell.kept(|kept| kept.zoom);
    with(app, "zoomed", |window| window.set_zoom(zoom));
    if let Some(route) = shell.page_is_there() {
        lead(app, &route);
    }
}

pub(crate) fn zoom(app: &AppHandle, step: Zoom) {
    let shell = app.state::<Shell>();
    let zoom = shell.kept(|kept| kept.zoom(step));
    with(app, "zoomed", |window| window.set_zoom(zoom));
    shell.save();
    shell.tell(app);
}

pub(crate) fn full_screen(app: &AppHandle) {
    with(app, "made as large as the screen", |window| window.set_fullscreen(!window.is_fullscreen()?));
}

/// Puts it where it was, if there is a screen still.
pub(crate) fn put_back(app: &AppHandle) {
    put_at(app, app.state::<Shell>().kept(|kept| (kept.window, kept.maximized)));
}

/// Puts the window at a place, maximized or not.
pub(crate) fn put_at(app: &AppHandle, (place, maximized): (Option<Place>, bool)) {
    with(app, "put where it was", |window| {
        if let Some(place) = place {
            put(window, place)?;
        }
        if maximized { window.maximize() } else { Ok(()) }
    });
}

/// Gives it a size, and a position that can be reached.
pub(crate) fn put(window: &WebviewWindow, place: Place) -> tauri::Result<()> {
    let screens = window.available_monitors()?;
    if screens.iter().any(|screen| place.is_on(area(*screen.position(), *screen.size()))) {
        window.set_position(PhysicalPosition::new(place.x, place.y))?;
    }
    window.set_size(PhysicalSize::new(place.width, place.height))
}

pub(crate) fn area(at: PhysicalPosition<i32>, size: PhysicalSize<u32>) -> Place {
    Place { x: at.x, y: at.y, width: size.width, height: size.height }
}

/// What happened to the window, heard on the main thread.
pub(crate) fn heard(window: &Window, event: &WindowEvent) {
    let app = window.app_handle();
    let Some(shell) = app.try_state::<Shell>() else { return };
    match event {
        WindowEvent::Moved(_) | WindowEvent::Resized(_) => note_place(window, &shell),
        WindowEvent::CloseRequested { api, .. } => {
            shell.save();
            if shell.stays_in_tray() {
                api.prevent_close();
                hide(app);
            }
        }
        WindowEvent::Focused(_) => shell.touched(),
        _ => {}
    }
}

fn note_place(window: &Window, shell: &Shell) {
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
    shell.kept(|kept| {
        if compact {
            kept.strip = Some(place);
            return;
        }
        kept.maximized = maximized;
        if !maximized {
            kept.window = Some(place);
        }
    });
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
