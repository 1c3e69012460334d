//! The native menu bar: always there on macOS, elsewhere by a setting.
//!
//! Actions of the page are sent to it by name; an entry has the same keys as in the page.
//! Outside of macOS no entry has a key that edits text, since a menu gets keys before the text field does.

use crate::shell::{Shell, WindowAction, ask_page, carry_out};
use crate::texts::{self, menu as words};
use crate::{tray, window};
use tauri::menu::{CheckMenuItem, IsMenuItem, Menu, MenuItem, PredefinedMenuItem, Submenu};
use tauri::{AppHandle, Manager, Wry};

/// macOS always has a menu bar.
const ALWAYS: bool = cfg!(target_os = "macos");

/// Shows or removes the menu bar.
pub(crate) fn apply(app: &AppHandle, wanted: bool) {
    let shown = ALWAYS || wanted;
    if app.state::<Shell>().has_menu_bar() == shown {
        return;
    }
    let done =
        if shown { build(app).and_then(|menu| app.set_menu(menu)).map(drop) } else { app.remove_menu().map(drop) };
    match done {
        Ok(()) => app.state::<Shell>().set_menu_bar(app, shown),
        Err(error) => tracing::warn!(%error, "the menu bar could not be changed"),
    }
}

/// Carries out an entry of a menu.
pub(crate) fn chosen(app: &AppHandle, id: &str) {
    if tray::chosen(app, id) {
        return;
    }
    match id {
        "close" => carry_out(app, WindowAction::Close),
        "zoom-in" => carry_out(app, WindowAction::ZoomIn),
        "zoom-out" => carry_out(app, WindowAction::ZoomOut),
        "zoom-reset" => carry_out(app, WindowAction::ZoomReset),
        "fullscreen" => carry_out(app, WindowAction::Fullscreen),
        "new-task" => window::open(app, "#/chat"),
        "now" => window::open(app, "#/"),
        "needs" => window::open(app, "#/needs"),
        "history" => window::open(app, "#/history"),
        "agents" => window::open(app, "#/agents"),
        "cut" | "copy" | "paste" | "select-all" => edit_text(app, id),
        action => ask_page(app, action),
    }
}

fn build(app: &AppHandle) -> tauri::Result<Menu<Wry>> {
    let menu = Menu::new(app)?;
    if ALWAYS {
        menu.append(&application(app)?)?;
    }
    menu.append_items(&[&file(app)?, &edit(app)?, &view(app)?, &session(app)?, &help(app)?])?;
    Ok(menu)
}

fn item(app: &AppHandle, id: &str, text: &str, keys: Option<&str>) -> tauri::Result<MenuItem<Wry>> {
    MenuItem::with_id(app, id, text, true, keys)
}

fn line(app: &AppHandle) -> tauri::Result<PredefinedMenuItem<Wry>> {
    PredefinedMenuItem::separator(app)
}

/// The first menu on macOS, named after the app.
fn application(app: &AppHandle) -> tauri::Result<Submenu<Wry>> {
    let menu = Submenu::new(app, texts::APP, true)?;
    menu.append_items(&[
        &PredefinedMenuItem::about(app, None, None)?,
        &line(app)?,
        &item(app, "settings", texts::SETTINGS, Some("Cmd+,"))?,
        &line(app)?,
        &PredefinedMenuItem::services(app, None)?,
        &line(app)?,
        &PredefinedMenuItem::hide(app, None)?,
        &PredefinedMenuItem::hide_others(app, None)?,
        &PredefinedMenuItem::show_all(app, None)?,
        &line(app)?,
        &PredefinedMenuItem::quit(app, None)?,
    ])?;
    Ok(menu)
}

fn file(app: &AppHandle) -> tauri::Result<Submenu<Wry>> {
    let menu = Submenu::new(app, words::FILE, true)?;
    menu.append_items(&[
        &item(app, "new-task", words::NEW_TASK, None)?,
        &item(app, "new-step", words::NEW_STEP, Some("CmdOrCtrl+N"))?,
        &item(app, "copy-markdown", words::COPY_MARKDOWN, Some("CmdOrCtrl+Shift+C"))?,
        &line(app)?,
    ])?;
    if !ALWAYS {
        menu.append_items(&[&item(app, "settings", texts::SETTINGS, Some("Ctrl+,"))?, &line(app)?])?;
    }
    menu.append(&item(app, "close", words::CLOSE, Some("CmdOrCtrl+W"))?)?;
    if !ALWAYS {
        menu.append(&item(app, "quit", texts::QUIT, Some("Ctrl+Q"))?)?;
    }
    Ok(menu)
}

fn edit(app: &AppHandle) -> tauri::Result<Submenu<Wry>> {
    let menu = Submenu::new(app, words::EDIT, true)?;
    menu.append_items(&[&item(app, "undo", words::UNDO, ALWAYS.then_some("Cmd+Z"))?, &line(app)?])?;
    if cfg!(target_os = "linux") {
        menu.append_items(&[
            &item(app, "cut", words::CUT, None)?,
            &item(app, "copy", words::COPY, None)?,
            &item(app, "paste", words::PASTE, None)?,
            &item(app, "select-all", words::SELECT_ALL, None)?,
        ])?;
    } else {
        menu.append_items(&[
            &PredefinedMenuItem::cut(app, Some(words::CUT))?,
            &PredefinedMenuItem::copy(app, Some(words::COPY))?,
            &PredefinedMenuItem::paste(app, Some(words::PASTE))?,
            &PredefinedMenuItem::select_all(app, Some(words::SELECT_ALL))?,
        ])?;
    }
    menu.append_items(&[
        &line(app)?,
        &item(app, "find", words::FIND, Some("CmdOrCtrl+F"))?,
        &item(app, "palette", words::PALETTE, Some("CmdOrCtrl+K"))?,
    ])?;
    Ok(menu)
}

fn view(app: &AppHandle) -> tauri::Result<Submenu<Wry>> {
    let compact = app.state::<Shell>().is_compact();
    let theme = Submenu::new(app, words::THEME, true)?;
    theme.append_items(&[
        &item(app, "theme-system", words::THEME_SYSTEM, None)?,
        &item(app, "theme-light", words::THEME_LIGHT, None)?,
        &item(app, "theme-dark", words::THEME_DARK, None)?,
    ])?;
    let screen = if ALWAYS { "Ctrl+Cmd+F" } else { "F11" };
    let menu = Submenu::new(app, words::VIEW, true)?;
    menu.append_items(&[
        &item(app, "now", words::NOW, Some("CmdOrCtrl+1"))?,
        &item(app, "needs", texts::NEEDS_YOU, Some("CmdOrCtrl+2"))?,
        &item(app, "history", words::HISTORY, Some("CmdOrCtrl+3"))?,
        &item(app, "agents", words::AGENTS, Some("CmdOrCtrl+4"))?,
        &line(app)?,
        &CheckMenuItem::with_id(app, "compact", texts::COMPACT, true, compact, Some("CmdOrCtrl+Shift+M"))?,
        &theme,
        &line(app)?,
        &item(app, "zoom-in", words::ZOOM_IN, Some("CmdOrCtrl+="))?,
        &item(app, "zoom-out", words::ZOOM_OUT, Some("CmdOrCtrl+-"))?,
        &item(app, "zoom-reset", words::ZOOM_RESET, Some("CmdOrCtrl+0"))?,
        &line(app)?,
        &item(app, "fullscreen", words::FULL_SCREEN, Some(screen))?,
    ])?;
    Ok(menu)
}

fn session(app: &AppHandle) -> tauri::Result<Submenu<Wry>> {
    let mark = Submenu::new(app, words::MARK, true)?;
    for (action, name) in words::MARKS {
        mark.append(&item(app, action, name, None)?)?;
    }
    let menu = Submenu::new(app, words::SESSION, true)?;
    menu.append_items(&[
        &item(app, "previous", words::PREVIOUS, Some("CmdOrCtrl+["))?,
        &item(app, "next", words::NEXT, Some("CmdOrCtrl+]"))?,
        &line(app)?,
        &mark as &dyn IsMenuItem<Wry>,
        &item(app, "tell", words::TELL, None)?,
    ])?;
    Ok(menu)
}

fn help(app: &AppHandle) -> tauri::Result<Submenu<Wry>> {
    let menu = Submenu::new(app, words::HELP, true)?;
    menu.append_items(&[
        &item(app, "keys", words::KEYS, Some("CmdOrCtrl+/"))?,
        &item(app, "guide", words::GUIDE, None)?,
    ])?;
    Ok(menu)
}

/// Edits the focused text, as the web view's own keys do.
#[cfg(target_os = "linux")]
fn edit_text(app: &AppHandle, id: &str) {
    use webkit2gtk::WebViewExt;
    let command = match id {
        "cut" => "Cut",
        "copy" => "Copy",
        "paste" => "Paste",
        _ => "SelectAll",
    };
    window::with(app, "asked to edit text", |window| {
        window.with_webview(move |view| view.inner().execute_editing_command(command))
    });
}

/// On other systems the system's own entries edit text.
#[cfg(not(target_os = "linux"))]
fn edit_text(_: &AppHandle, _: &str) {}
