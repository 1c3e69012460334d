//! The icon in the tray, with a menu of what needs the user and what is being done.

use crate::overview::{Line, Overview};
use crate::ring::{Ring, SIDE};
use crate::{compact, shell, texts, window};
use std::time::Duration;
use tauri::image::Image;
use tauri::menu::{CheckMenuItem, IsMenuItem, Menu, MenuItem, PredefinedMenuItem};
use tauri::tray::{MouseButton, MouseButtonState, TrayIcon, TrayIconBuilder, TrayIconEvent};
use tauri::{AppHandle, Wry};

/// The id of a menu's item about a session begins so.
const SESSION: &str = "session:";

/// How often what the tray says may change.
pub(crate) const PACE: Duration = Duration::from_secs(1);

/// Everything that the menu says.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Words {
    needed: Vec<Line>,
    needed_more: usize,
    active: Vec<Line>,
    active_more: usize,
    words: String,
    shown: bool,
    compact: bool,
}

/// The tray's icon, while there is one.
#[derive(Default)]
pub(crate) struct Tray {
    icon: Option<TrayIcon>,
    ring: Option<Ring>,
    words: Option<Words>,
}

impl Tray {
    pub(crate) fn is_there(&self) -> bool {
        self.icon.is_some()
    }

    /// Takes the icon away: nobody would show it.
    pub(crate) fn end(&mut self, app: &AppHandle) {
        if let Some(icon) = self.icon.take() {
            app.remove_tray_by_id(icon.id());
        }
        *self = Self::default();
    }

    /// Says how things are, changing only what is said otherwise.
    pub(crate) fn say(&mut self, app: &AppHandle, overview: &Overview, shown: bool, compact: bool) {
        if let Err(error) = self.try_say(app, overview, shown, compact) {
            tracing::warn!(%error, "the tray could not be changed");
        }
    }

    fn try_say(&mut self, app: &AppHandle, overview: &Overview, shown: bool, compact: bool) -> tauri::Result<()> {
        let words = Words {
            needed: overview.needed.clone(),
            needed_more: overview.needed_more,
            active: overview.active.clone(),
            active_more: overview.active_more,
            words: overview.words.clone(),
            shown,
            compact,
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

fn build(app: &AppHandle, words: &Words, ring: Ring) -> tauri::Result<TrayIcon> {
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
    // On macOS the title stands beside the icon, where words are in the way.
    if !cfg!(target_os = "macos") {
        builder = builder.title(texts::APP);
    }
    builder.build(app)
}

fn picture(ring: Ring) -> Image<'static> {
    Image::new_owned(ring.draw(cfg!(target_os = "macos")), SIDE, SIDE)
}

fn menu(app: &AppHandle, words: &Words) -> tauri::Result<Menu<Wry>> {
    let menu = Menu::new(app)?;
    let add = |item: &dyn IsMenuItem<Wry>| menu.append(item);
    let says = |text: &str| MenuItem::new(app, plain(text), false, None::<&str>);
    let does = |id: &str, text: &str| MenuItem::with_id(app, id, text, true, None::<&str>);
    let line = || PredefinedMenuItem::separator(app);

    add(&says(&words.words)?)?;
    add(&line()?)?;
    let sections =
        [(texts::NEEDS_YOU, &words.needed, words.needed_more), (texts::WORKING, &words.active, words.active_more)];
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
    add(&does("toggle", if words.shown { texts::HIDE } else { texts::SHOW })?)?;
    add(&CheckMenuItem::with_id(app, "compact", texts::COMPACT, true, words.compact, None::<&str>)?)?;
    add(&does("settings", texts::SETTINGS)?)?;
    add(&line()?)?;
    add(&does("quit", texts::QUIT)?)?;
    Ok(menu)
}

/// Words in which `&` is no sign for a key.
fn plain(words: &str) -> String {
    words.replace('&', "&&")
}

/// Does what was chosen in the tray's menu; whether it was of that menu.
pub(crate) fn chosen(app: &AppHandle, id: &str) -> bool {
    match id {
        "toggle" if window::is_shown(app) => window::hide(app),
        "toggle" => window::show(app),
        "compact" => compact::toggle(app),
        "settings" => window::open(app, "#/settings"),
        "quit" => shell::carry_out(app, shell::Deed::Quit),
        _ => match id.strip_prefix(SESSION) {
            Some(session) => window::open(app, &window::session_route(session)),
            None => return false,
        },
    }
    true
}
