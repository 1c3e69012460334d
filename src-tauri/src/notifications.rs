//! Shows notifications with the system's own means, and carries out the button that is pressed.

use crate::asked::Asked;
use crate::catalogue::word;
use crate::ipc::Window;
use crate::notices::{Notice, NoticeChange, Tone};
use crate::shell::on_own_thread;
use crate::{texts, window};
#[cfg(target_os = "linux")]
use futures_util::StreamExt;
#[cfg(not(target_os = "linux"))]
use notify_rust::{Notification, NotificationResponse};
use protocol::{Code, Error, OpenWith, Result, SessionOpen};
use std::collections::HashMap;
use std::time::Duration;
use tauri::{AppHandle, Manager};
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

const OPEN: &str = "open";
const TERMINAL: &str = "terminal";
const ALLOW: &str = "allow";
const DENY: &str = "deny";
/// The route of the page of everything that needs the user.
const QUEUE: &str = "#/needs";

/// The longest time that the end of the app waits for its notifications to go.
const GONE_WITHIN: Duration = Duration::from_secs(1);
/// The longest time in which the system refuses a notification.
const REFUSED_WITHIN: Duration = Duration::from_secs(1);

/// The notifications that are on the screen, which go when the app ends: nobody would answer to their buttons.
#[derive(Default)]
pub(crate) struct OnScreen {
    ending: CancellationToken,
    shown: TaskTracker,
}

impl OnScreen {
    /// Removes them.
    pub(crate) async fn end(&self) {
        self.ending.cancel();
        self.shown.close();
        if tokio::time::timeout(GONE_WITHIN, self.shown.wait()).await.is_err() {
            tracing::info!("a notification is left on the screen");
        }
    }
}

/// The notifications on the screen.
pub(crate) struct Notifications {
    app: AppHandle,
    /// By tag, the guard whose drop removes the notification.
    guards: HashMap<String, DropGuard>,
}

impl Notifications {
    pub(crate) fn new(app: AppHandle) -> Self {
        Self { app, guards: HashMap::new() }
    }

    pub(crate) fn apply(&mut self, change: NoticeChange, has_sound: bool) {
        match change {
            NoticeChange::Remove(tag) => drop(self.guards.remove(&tag)),
            NoticeChange::Show(notice) => {
                let on_screen = self.app.state::<OnScreen>();
                let over = on_screen.ending.child_token();
                self.guards.insert(notice.tag.clone(), over.clone().drop_guard());
                let app = self.app.clone();
                tauri::async_runtime::spawn(on_screen.shown.track_future(async move {
                    if let Err(error) = Shown::of(&app, notice, has_sound).await.show(&app, over).await {
                        tracing::warn!(%error, "a notification could not be shown");
                    }
                }));
            }
        }
    }
}

/// Shows a notification of no session, so that the user sees and hears whether there are any.
#[tauri::command]
pub(crate) async fn notify_test(app: AppHandle, sound: bool) -> Result<()> {
    let notice = Notice {
        tag: "test".to_owned(),
        session_id: None,
        permission_id: None,
        tone: Tone::Needs,
        title: word("notify_test").to_owned(),
        body: word("notify_test_body").to_owned(),
    };
    let on_screen = app.state::<OnScreen>();
    let (over, shown) = (on_screen.ending.child_token(), Shown { notice, asked: None, has_sound: sound });
    let told = app.clone();
    let mut task =
        tauri::async_runtime::spawn(on_screen.shown.track_future(async move { shown.show(&told, over).await }));
    match tokio::time::timeout(REFUSED_WITHIN, &mut task).await {
        Ok(Ok(Err(error))) => Err(Error::new(Code::Unavailable, format!("{error:#}"))),
        _ => Ok(()),
    }
}

/// A notification with what it asks.
struct Shown {
    notice: Notice,
    asked: Option<Asked>,
    has_sound: bool,
}

impl Shown {
    async fn of(app: &AppHandle, notice: Notice, has_sound: bool) -> Self {
        let asked = match &notice.permission_id {
            Some(id) => Asked::read(&app.state::<Window>(), id).await,
            None => None,
        };
        Self { notice, asked, has_sound }
    }

    fn body(&self) -> &str {
        self.asked.as_ref().and_then(|asked| asked.whole.as_deref()).unwrap_or(&self.notice.body)
    }

    /// The buttons: an id and its words. What does not stand there whole can be refused, and looked at.
    fn buttons(&self) -> Vec<(&'static str, &'static str)> {
        let mut buttons = vec![(OPEN, word("open"))];
        match &self.asked {
            Some(Asked { whole: Some(_), .. }) => buttons.extend([(ALLOW, word("allow")), (DENY, word("deny"))]),
            Some(_) => buttons.push((DENY, word("deny"))),
            None if self.notice.tone == Tone::Waits => buttons.push((TERMINAL, word("open_terminal"))),
            None => {}
        }
        buttons
    }

    /// Shows a notification until the user acts on it or it is removed. Listens before it shows: notify-rust listens after,
    /// and loses what is pressed until then.
    #[cfg(target_os = "linux")]
    async fn show(&self, app: &AppHandle, over: CancellationToken) -> anyhow::Result<()> {
        use zbus::Variant;
        const SERVER: &str = "org.freedesktop.Notifications";
        let (urgency, category, sound) = match self.notice.tone {
            Tone::Waits => (2_u8, "x-sightline.needs-you", Some("message-new-instant")),
            Tone::Needs => (1, "x-sightline.needs-you", Some("message-new-instant")),
            Tone::Failed => (1, "x-sightline.failed", Some("dialog-error")),
            Tone::Finished => (0, "x-sightline.finished", None),
        };
        let mut hints = HashMap::from([
            ("urgency", Variant::from(urgency)),
            ("category", Variant::from(category)),
            ("desktop-entry", Variant::from(texts::APP)),
        ]);
        match sound.filter(|_| self.has_sound) {
            Some(name) => hints.insert("sound-name", Variant::from(name)),
            None => hints.insert("suppress-sound", Variant::from(true)),
        };
        // A press on the notification itself is an action here, too.
        let actions = std::iter::once(("default", word("open"))).chain(self.buttons());
        let actions: Vec<&str> = actions.flat_map(|(id, words)| [id, words]).collect();

        // One connection for everything: some servers report a pressed button only to the connection that showed it.
        let bus = zbus::Connection::session().await?;
        let server = zbus::Proxy::new(&bus, SERVER, "/org/freedesktop/Notifications", SERVER).await?;
        let mut signals = server.receive_all_signals().await?;
        let body = if reads_markup(&server).await { escaped(self.body()) } else { self.body().to_owned() };
        let icon = "sightline-desktop";
        let told = (texts::APP, 0_u32, icon, self.notice.title.as_str(), body.as_str(), actions, hints, -1_i32);
        let id: u32 = server.call("Notify", &told).await?;
        let pressed = tokio::select! {
            pressed = pressed(&mut signals, id) => pressed,
            () = over.cancelled() => {
                // It may be gone already.
                let _: Option<()> = server.call("CloseNotification", &(id,)).await.ok();
                None
            }
        };
        self.act(app, pressed).await;
        Ok(())
    }

    /// Shows a notification until the user acts on it. It cannot be removed before, since the library has no way to do
    /// that.
    #[cfg(not(target_os = "linux"))]
    async fn show(&self, app: &AppHandle, over: CancellationToken) -> anyhow::Result<()> {
        drop(over);
        let mut notification = Notification::new();
        // Without its id Windows shows them as those of PowerShell.
        #[cfg(windows)]
        if std::env::current_exe().is_ok_and(|program| crate::platform::is_installed(&program)) {
            notification.app_id(app::IDENTIFIER);
        }
        // They would be the Finder's. It is set once; of an app that is in no bundle macOS knows nothing.
        #[cfg(target_os = "macos")]
        let _ = notify_rust::set_application(app::IDENTIFIER);
        notification.appname(texts::APP).summary(&self.notice.title).body(self.body());
        for (id, words) in self.buttons() {
            notification.action(id, words);
        }
        if self.has_sound && self.notice.tone != Tone::Finished {
            notification.sound_name("Default");
        }
        let pressed = tauri::async_runtime::spawn_blocking(move || {
            let mut pressed = None;
            notification.show()?.wait_for_response(|response: &NotificationResponse| pressed = action(response))?;
            anyhow::Ok(pressed)
        });
        let pressed = pressed.await??;
        self.act(app, pressed).await;
        Ok(())
    }

    async fn act(&self, app: &AppHandle, pressed: Option<String>) {
        let window = app.state::<Window>();
        match (pressed.as_deref(), &self.notice.session_id, &self.asked) {
            (None, ..) => {}
            (Some(button @ (ALLOW | DENY)), Some(id), Some(asked)) if button == DENY || asked.whole.is_some() => {
                if let Err(error) = asked.answer(&window, button == ALLOW).await {
                    tracing::info!(%error, "a permission was not answered by its notification");
                    open(app, window::session_route(id)).await;
                }
            }
            (Some(TERMINAL), Some(id), _) => {
                let asked =
                    window.ask(SessionOpen { session_id: id.clone(), with: OpenWith::Terminal, file: None }).await;
                if let Err(error) = asked {
                    tracing::warn!(%error, "the terminal could not be opened");
                    open(app, window::session_route(id)).await;
                }
            }
            (Some(_), Some(id), _) => open(app, window::session_route(id)).await,
            (Some(_), None, _) => open(app, QUEUE.to_owned()).await,
        }
    }
}

/// The button that the user presses; none when the notification closes without one.
#[cfg(target_os = "linux")]
async fn pressed(signals: &mut zbus::proxy::SignalStream<'_>, id: u32) -> Option<String> {
    while let Some(signal) = signals.next().await {
        let body = signal.body();
        match signal.header().member().map(|name| name.as_str()) {
            Some("ActionInvoked") => match body.deserialize::<(u32, String)>() {
                Ok((of, action)) if of == id => return Some(action),
                _ => {}
            },
            Some("NotificationClosed") => match body.deserialize::<(u32, u32)>() {
                Ok((of, _)) if of == id => return None,
                _ => {}
            },
            _ => {}
        }
    }
    None
}

#[cfg(not(target_os = "linux"))]
fn action(response: &NotificationResponse) -> Option<String> {
    match response {
        NotificationResponse::Default => Some(OPEN.to_owned()),
        NotificationResponse::Action(action) => Some(action.clone()),
        _ => None,
    }
}

async fn open(app: &AppHandle, route: String) {
    let app = app.clone();
    if let Err(error) = on_own_thread(move || window::open(&app, &route)).await {
        tracing::warn!(%error, "the window could not be opened");
    }
}

/// True if the notification server reads `<` and `&` as markup; yes, where it does not say.
#[cfg(target_os = "linux")]
async fn reads_markup(server: &zbus::Proxy<'_>) -> bool {
    let can = server.call::<_, _, Vec<String>>("GetCapabilities", &()).await;
    can.map_or(true, |can| can.iter().any(|word| word == "body-markup"))
}

#[cfg(target_os = "linux")]
fn escaped(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
