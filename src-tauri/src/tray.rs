//! The icon in the tray, with a menu of what needs the user and what is being done.

use crate::catalogue::{language, word};
use crate::overview::{Line, Overview};
use crate::ring::{Ring, SIDE};
use crate::{compact, shell, texts, window};
use std::time::Duration;
use tauri::image::Image;
use tauri::menu::{CheckMenuItem, IsMenuItem, Menu, MenuItem, PredefinedMenuItem};
use tauri::tray::{MouseButton, MouseButtonState, TrayIcon, TrayIconBuilder, TrayIconEvent};
use tauri::{AppHandle, Wry};

/// Prefix of the id of a menu entry about a session.
const SESSION: &str = "session:";

/// The shortest time between two changes of the tray.
pub(crate) const PACE: Duration = Duration::from_secs(1);

#[derive(Debug, Clone, PartialEq, Eq)]
struct MenuContent {
    needed: Vec<Line>,
    needed_more: usize,
    active: Vec<Line>,
    active_more: usize,
    words: String,
    shown: bool,
    compact: bool,
    language: &'static str,
}

/// The tray's icon, while there is one.
#[derive(Default)]
pub(crate) struct Tray {
    icon: Option<TrayIcon>,
    ring: Option<Ring>,
    words: Option<MenuContent>,
}

impl Tray {
    pub(crate) fn is_there(&self) -> bool {
        self.icon.is_some()
    }

    /// Removes the icon, when the desktop shows no tray icons.
    pub(crate) fn end(&mut self, app: &AppHandle) {
        if let Some(icon) = self.icon.take() {
            app.remove_tray_by_id(icon.id());
        }
        *self = Self::default();
    }

    /// Shows an overview, changing only what differs from the last one.
    pub(crate) fn update(&mut self, app: &AppHandle, overview: &Overview, shown: bool, compact: bool) {
        if let Err(error) = self.try_update(app, overview, shown, compact) {
            tracing::warn!(%error, "the tray could not be changed");
        }
    }

    fn try_update(&mut self, app: &AppHandle, overview: &Overview, shown: bool, compact: bool) -> tauri::Result<()> {
        let words = MenuContent {
            needed: overview.needed.clone(),
            needed_more: overview.needed_more,
            active: overview.active.clone(),
            active_more: overview.active_more,
            words: overview.words.clone(),
            shown,
            compact,
            language: language(),
        };
        let ring = overview.ring();
        let Some(icon) = &self.icon else {
            self.icon = Some(build(app, &words, ring)?);
            (self.ring, self.words) = (Some(ring), Some(words));
            return Ok(());
        };
        if self.ring != Some(ring) {
            icon.set_icon_with_as_template(Some(picture(ring)), cfg!(target_os = "macos"))?;
            self.ring = Some(ring);
        }
        if self.words.as_ref() != Some(&words) {
            icon.set_menu(Some(menu(app, &words)?))?;
            icon.set_tooltip(Some(&words.words))?;
            self.words = Some(words);
        }
        Ok(())
    }
}

fn build(app: &AppHandle, words: &MenuContent, ring: Ring) -> tauri::Result<TrayIcon> {
    let mut builder = TrayIconBuilder::with_id("sightline")
        .icon(picture(ring))
        .icon_as_template(cfg!(target_os = "macos"))
        .tooltip(&words.words)
        .menu(&menu(app, words)?)
        .show_menu_on_left_click(cfg!(target_os = "macos"))
        .on_tray_icon_event(|tray, event| {
            if let TrayIconEvent::Click { button: MouseButton::Left, button_state: MouseButtonState::Up, .. } = event
                && !cfg!(target_os = "macos")
            {
                window::toggle(tray.app_handle());
            }
        });
    // On macOS the title would be shown beside the icon.
    if !cfg!(target_os = "macos") {
        builder = builder.title(texts::APP);
    }
    builder.build(app)
}

fn picture(ring: Ring) -> Image<'static> {
    Image::new_owned(ring.draw(cfg!(target_os = "macos")), SIDE, SIDE)
}

fn menu(app: &AppHandle, words: &MenuContent) -> tauri::Result<Menu<Wry>> {
    let menu = Menu::new(app)?;
    let add = |item: &dyn IsMenuItem<Wry>| menu.append(item);
    let says = |text: &str| MenuItem::new(app, plain(text), false, None::<&str>);
    let does = |id: &str, text: &str| MenuItem::with_id(app, id, text, true, None::<&str>);
    let line = || PredefinedMenuItem::separator(app);

    add(&says(&words.words)?)?;
    add(&line()?)?;
    let sections =
        [(word("needs_you"), &words.needed, words.needed_more), (word("working"), &words.active, words.active_more)];
    for (title, lines, more) in sections {
        if lines.is_empty() {
            continue;
        }
        add(&says(title)?)?;
        for entry in lines {
            add(&does(&format!("{SESSION}{}", entry.session_id), &plain(&entry.words))?)?;
        }
        if more > 0 {
            add(&says(&texts::more(more))?)?;
        }
        add(&line()?)?;
    }
    add(&does("toggle", if words.shown { word("hide") } else { word("show") })?)?;
    add(&CheckMenuItem::with_id(app, "compact", word("compact"), true, words.compact, None::<&str>)?)?;
    add(&does("settings", word("settings"))?)?;
    add(&line()?)?;
    add(&does("quit", word("quit"))?)?;
    Ok(menu)
}

/// Escapes `&`, which would mark a key in a menu.
fn plain(words: &str) -> String {
    words.replace('&', "&&")
}

/// Carries out an entry of the tray's menu; false for the id of any other menu.
pub(crate) fn chosen(app: &AppHandle, id: &str) -> bool {
    match id {
        "toggle" if window::is_shown(app) => window::hide(app),
        "toggle" => window::show(app),
        "compact" => compact::toggle(app),
        "settings" => window::open(app, "#/settings"),
        "quit" => shell::carry_out(app, shell::WindowAction::Quit),
        _ => match id.strip_prefix(SESSION) {
            Some(session) => window::open(app, &window::session_route(session)),
            None => return false,
        },
    }
    true
}
