//! Follows the gateway for everything that is shown outside of the page, since a hidden page may not run.

use crate::ipc::Window;
use crate::notices::{Moment, Notices};
use crate::notifications::Notifications;
use crate::overview::Overview;
use crate::shell::{Shell, on_own_thread};
use crate::taskbar::Taskbar;
use crate::tray::{PACE, Tray};
use crate::{Options, host, login, menus, shortcut, window};
use app::Desk;
use futures_util::StreamExt;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use protocol::Settings;
use std::time::Duration;
use tauri::{AppHandle, Manager};
use tokio::time::{Instant, sleep_until};

/// Time for which events are gathered before the views are updated.
const TOGETHER: Duration = Duration::from_millis(150);
/// Time that a start into the tray waits for a tray to appear.
const TRAY_COMES: Duration = Duration::from_secs(10);

/// Everything that is shown outside of the page, with the sessions it is made from.
struct DesktopParts {
    app: AppHandle,
    desk: Desk,
    notices: Notices,
    notifications: Notifications,
    tray: Tray,
    taskbar: Taskbar,
    applied: Option<Settings>,
    options: Options,
}

/// Follows the gateway until the app ends.
pub(crate) async fn follow(app: AppHandle, options: Options) {
    let shell = app.state::<Shell>();
    let mut messages = Box::pin(app::follow(app.state::<Window>().backend()));
    let mut host = host::watch();
    let start = Instant::now();
    let mut hidden = options.hidden;
    let mut desktop = Box::new(DesktopParts {
        desk: Desk::default(),
        notices: Notices::default(),
        notifications: Notifications::new(app.clone()),
        tray: Tray::default(),
        taskbar: Taskbar::default(),
        applied: None,
        options,
        app: app.clone(),
    });
    let mut looked = start;
    let mut due = Some(start);
    loop {
        let soon = |looked: Instant| Some((looked + PACE).max(Instant::now() + TOGETHER));
        tokio::select! {
            message = messages.next() => match message {
                Some(message) => if desktop.desk.apply(message) && due.is_none() { due = soon(looked) },
                None => return,
            },
            () = shell.refresh_requested() => due = due.or_else(|| soon(looked)),
            changed = host.changed(), if host.has_changed().is_ok() => if changed.is_ok() { due = Some(Instant::now()) },
            () = sleep_until(due.unwrap_or(start)), if due.is_some() => {
                looked = Instant::now();
                let has_tray = *host.borrow_and_update();
                let updated = on_own_thread(move || {
                    desktop.update(has_tray);
                    desktop
                });
                desktop = match updated.await {
                    Ok(desktop) => desktop,
                    Err(error) => return tracing::error!(%error, "the tray and the notifications have ended"),
                };
                due = desktop.notices.again().map(|after| looked + after);
                if hidden && !has_tray {
                    due = Some(due.unwrap_or(start + TRAY_COMES).min(start + TRAY_COMES));
                }
            }
        }
        if hidden && !shell.has_tray() && start.elapsed() >= TRAY_COMES {
            // Without a tray nobody could bring a hidden window back.
            hidden = false;
            window::with(&app, "minimized", |window| window.minimize().and_then(|()| window.show()));
        }
    }
}

impl DesktopParts {
    fn update(&mut self, has_tray: bool) {
        let app = self.app.clone();
        self.apply_settings();
        let overview = Overview::of(&self.desk);
        let shell = app.state::<Shell>();
        if has_tray {
            self.tray.update(&app, &overview, window::is_shown(&app), shell.is_compact());
        } else if self.tray.is_there() {
            self.tray.end(&app);
        }
        shell.set_tray(&app, self.tray.is_there());
        self.taskbar.update(&app, &overview);

        let seen = seen(&app);
        let now = app::now();
        let moment = Moment { now, minute: minute_of(now, TimeZone::system()), seen: seen.as_deref() };
        for change in self.notices.look(&self.desk, moment) {
            self.notifications.apply(change, self.desk.settings.notify_sound);
        }
    }

    /// Applies changed settings. Those of another machine's gateway or of a demo change nothing of this system.
    fn apply_settings(&mut self) {
        let settings = &self.desk.settings;
        if !self.desk.has_snapshot || self.applied.as_ref() == Some(settings) {
            return;
        }
        let before = self.applied.replace(settings.clone());
        let app = &self.app;
        app.state::<Shell>().set_keep_in_tray(app, settings.keep_in_tray);
        if before.as_ref().is_none_or(|before| before.menu_bar != settings.menu_bar) {
            menus::apply(app, settings.menu_bar);
        }
        let keys_differ = before.as_ref().is_none_or(|before| before.shortcut != settings.shortcut);
        if keys_differ && self.options.gateway.is_none() {
            shortcut::apply(app, &settings.shortcut);
        }
        let is_of_user = self.options.gateway.is_none() && self.options.demo.is_none();
        if is_of_user && before.is_none_or(|before| before.start_at_login != settings.start_at_login) {
            login::apply(app, settings.start_at_login, &self.options);
        }
    }
}

/// The session that the user is looking at: its page is open in the focused window.
fn seen(app: &AppHandle) -> Option<String> {
    let window = window::main(app)?;
    if !window.is_focused().unwrap_or_default() || !window::is_shown(app) {
        return None;
    }
    let route = window::route(app)?;
    window::session_of(&route)
}

/// The time of day, in minutes since midnight.
fn minute_of(now: Timestamp, zone: TimeZone) -> u32 {
    let local = now.to_zoned(zone);
    u32::try_from(i32::from(local.hour()) * 60 + i32::from(local.minute())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::minute_of;
    use jiff::tz::{Offset, TimeZone};

    #[test]
    fn the_time_of_day_is_the_users() {
        let now = "2026-11-21T23:30:00Z".parse().expect("a time");
        assert_eq!(minute_of(now, TimeZone::UTC), 23 * 60 + 30);
        assert_eq!(minute_of(now, Offset::constant(2).to_time_zone()), 60 + 30);
    }
}
