//! The native menu bar: always there on macOS, elsewhere by a setting.
//!
//! Actions of the page are sent to it by name; an entry has the same keys as in the page.
//! Outside of macOS no entry has a key that edits text, since a menu gets keys before the text field does.

use crate::catalogue::word;
use crate::shell::{Shell, WindowAction, ask_page, carry_out};
use crate::{texts, tray, window};
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

/// Shows the menu bar in another language, where there is one.
pub(crate) fn translate(app: &AppHandle) {
    if app.state::<Shell>().has_menu_bar()
        && let Err(error) = build(app).and_then(|menu| app.set_menu(menu))
    {
        tracing::warn!(%error, "the menu bar could not be translated");
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
        "cut" => carry_out(app, WindowAction::Cut),
        "copy" => carry_out(app, WindowAction::Copy),
        "paste" => carry_out(app, WindowAction::Paste),
        "select-all" => carry_out(app, WindowAction::SelectAll),
        action => ask_page(app, action),
    }
}

fn build(app: &AppHandle) -> tauri::Result<Menu<Wry>> {
    let menu = Menu::new(app)?;
    if ALWAYS {
        menu.append(&application(app)?)?;
    }
    menu.append_items(&[&file(app)?, &edit(app)?, &view(app)?, &session(app)?])?;
    if ALWAYS {
        menu.append(&windows(app)?)?;
    }
    menu.append(&help(app)?)?;
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
        &PredefinedMenuItem::about(app, Some(word("menu_about")), None)?,
        &line(app)?,
        &item(app, "settings", word("settings"), Some("Cmd+,"))?,
        &line(app)?,
        &PredefinedMenuItem::services(app, Some(word("menu_services")))?,
        &line(app)?,
        &PredefinedMenuItem::hide(app, Some(word("hide")))?,
        &PredefinedMenuItem::hide_others(app, Some(word("menu_hide_others")))?,
        &PredefinedMenuItem::show_all(app, Some(word("menu_show_all")))?,
        &line(app)?,
        &PredefinedMenuItem::quit(app, Some(word("quit")))?,
    ])?;
    Ok(menu)
}

/// The menu of windows on macOS, to which the system adds those that are open.
fn windows(app: &AppHandle) -> tauri::Result<Submenu<Wry>> {
    let menu = Submenu::new(app, word("menu_window"), true)?;
    menu.append_items(&[
        &PredefinedMenuItem::minimize(app, Some(word("menu_minimize")))?,
        &PredefinedMenuItem::maximize(app, Some(word("menu_zoom")))?,
        &line(app)?,
        &PredefinedMenuItem::bring_all_to_front(app, Some(word("menu_all_to_front")))?,
    ])?;
    #[cfg(target_os = "macos")]
    menu.set_as_windows_menu_for_nsapp()?;
    Ok(menu)
}

fn file(app: &AppHandle) -> tauri::Result<Submenu<Wry>> {
    let menu = Submenu::new(app, word("menu_file"), true)?;
    menu.append_items(&[
        &item(app, "new-task", word("menu_new_task"), None)?,
        &item(app, "new-step", word("menu_new_step"), Some("CmdOrCtrl+N"))?,
        &item(app, "copy-markdown", word("menu_copy_markdown"), Some("CmdOrCtrl+Shift+C"))?,
        &line(app)?,
    ])?;
    if !ALWAYS {
        menu.append_items(&[&item(app, "settings", word("settings"), Some("Ctrl+,"))?, &line(app)?])?;
    }
    menu.append(&item(app, "close", word("menu_close"), Some("CmdOrCtrl+W"))?)?;
    if !ALWAYS {
        menu.append(&item(app, "quit", word("quit"), Some("Ctrl+Q"))?)?;
    }
    Ok(menu)
}

fn edit(app: &AppHandle) -> tauri::Result<Submenu<Wry>> {
    let menu = Submenu::new(app, word("menu_edit"), true)?;
    menu.append_items(&[
        &item(app, "undo", word("menu_undo"), ALWAYS.then_some("Cmd+Z"))?,
        &item(app, "redo", word("menu_redo"), ALWAYS.then_some("Cmd+Shift+Z"))?,
        &line(app)?,
    ])?;
    if cfg!(target_os = "linux") {
        menu.append_items(&[
            &item(app, "cut", word("menu_cut"), None)?,
            &item(app, "copy", word("menu_copy"), None)?,
            &item(app, "paste", word("menu_paste"), None)?,
            &item(app, "select-all", word("menu_select_all"), None)?,
        ])?;
    } else {
        menu.append_items(&[
            &PredefinedMenuItem::cut(app, Some(word("menu_cut")))?,
            &PredefinedMenuItem::copy(app, Some(word("menu_copy")))?,
            &PredefinedMenuItem::paste(app, Some(word("menu_paste")))?,
            &PredefinedMenuItem::select_all(app, Some(word("menu_select_all")))?,
        ])?;
    }
    menu.append_items(&[
        &line(app)?,
        &item(app, "find", word("menu_find"), Some("CmdOrCtrl+F"))?,
        &item(app, "palette", word("menu_palette"), Some("CmdOrCtrl+K"))?,
    ])?;
    Ok(menu)
}

fn view(app: &AppHandle) -> tauri::Result<Submenu<Wry>> {
    let compact = app.state::<Shell>().is_compact();
    let theme = Submenu::new(app, word("menu_theme"), true)?;
    theme.append_items(&[
        &item(app, "theme-system", word("menu_theme_system"), None)?,
        &item(app, "theme-light", word("menu_theme_light"), None)?,
        &item(app, "theme-dark", word("menu_theme_dark"), None)?,
    ])?;
    let screen = if ALWAYS { "Ctrl+Cmd+F" } else { "F11" };
    let menu = Submenu::new(app, word("menu_view"), true)?;
    menu.append_items(&[
        &item(app, "now", word("menu_now"), Some("CmdOrCtrl+1"))?,
        &item(app, "needs", word("needs_you"), Some("CmdOrCtrl+2"))?,
        &item(app, "history", word("menu_history"), Some("CmdOrCtrl+3"))?,
        &item(app, "agents", word("menu_agents"), Some("CmdOrCtrl+4"))?,
        &line(app)?,
        &CheckMenuItem::with_id(app, "compact", word("compact"), true, compact, Some("CmdOrCtrl+Shift+M"))?,
        &theme,
        &line(app)?,
        &item(app, "zoom-in", word("menu_zoom_in"), Some("CmdOrCtrl+="))?,
        &item(app, "zoom-out", word("menu_zoom_out"), Some("CmdOrCtrl+-"))?,
        &item(app, "zoom-reset", word("menu_zoom_reset"), Some("CmdOrCtrl+0"))?,
        &line(app)?,
        &item(app, "fullscreen", word("menu_full_screen"), Some(screen))?,
    ])?;
    Ok(menu)
}

fn session(app: &AppHandle) -> tauri::Result<Submenu<Wry>> {
    let mark = Submenu::new(app, word("menu_mark"), true)?;
    for (action, name) in texts::marks() {
        mark.append(&item(app, action, name, None)?)?;
    }
    let menu = Submenu::new(app, word("menu_session"), true)?;
    menu.append_items(&[
        &item(app, "previous", word("menu_previous"), Some("CmdOrCtrl+["))?,
        &item(app, "next", word("menu_next"), Some("CmdOrCtrl+]"))?,
        &line(app)?,
        &mark as &dyn IsMenuItem<Wry>,
        &item(app, "tell", word("menu_tell"), None)?,
    ])?;
    Ok(menu)
}

fn help(app: &AppHandle) -> tauri::Result<Submenu<Wry>> {
    let menu = Submenu::new(app, word("menu_help"), true)?;
    menu.append_items(&[
        &item(app, "keys", word("menu_keys"), Some("CmdOrCtrl+/"))?,
        &item(app, "guide", word("menu_guide"), None)?,
    ])?;
    Ok(menu)
}
