//! Shows notifications by the system's own means, and does what somebody presses in them.

use crate::ipc::Window;
use crate::notices::{Notice, Order, Tone};
use crate::shell::aside;
use crate::{texts, window};
use notify_rust::{Notification, NotificationResponse};
use protocol::{OpenWith, SessionOpen};
use std::collections::HashMap;
use tauri::{AppHandle, Manager};
use tokio_util::sync::{CancellationToken, DropGuard};

const OPEN: &str = "open";
const TERMINAL: &str = "terminal";
/// The page of everything that needs the user.
const QUEUE: &str = "#/needs";

/// The notifications that are there.
pub(crate) struct Bell {
    app: AppHandle,
    /// What takes each back, by tag.
    there: HashMap<String, DropGuard>,
}

impl Bell {
    pub(crate) fn new(app: AppHandle) -> Self {
        Self { app, there: HashMap::new() }
    }

    pub(crate) fn carry_out(&mut self, order: Order) {
        match order {
            Order::TakeBack(tag) => drop(self.there.remove(&tag)),
            Order::Tell(notice) => {
                let over = CancellationToken::new();
                self.there.insert(notice.tag.clone(), over.clone().drop_guard());
                let app = self.app.clone();
                tauri::async_runtime::spawn(async move {
                    if let Err(error) = show(&app, &notice, over).await {
                        tracing::warn!(%error, "a notification could not be shown");
                    }
                });
            }
        }
    }
}

fn notification(notice: &Notice) -> Notification {
    let mut notification = Notification::new();
    notification.appname(texts::APP).summary(&notice.title).body(&notice.body);
    notification.action("default", texts::OPEN).action(OPEN, texts::OPEN);
    if notice.tone == Tone::Waits {
        notification.action(TERMINAL, texts::OPEN_TERMINAL);
    }
    notification
}

/// Shows it until somebody acts on it, or it is over.
#[cfg(target_os = "linux")]
async fn show(app: &AppHandle, notice: &Notice, over: CancellationToken) -> anyhow::Result<()> {
    use notify_rust::{Hint, Urgency};
    let mut notification = notification(notice);
    let (urgency, category, sound) = match notice.tone {
        Tone::Waits => (Urgency::Critical, "x-sightline.needs-you", Some("message-new-instant")),
        Tone::Needs => (Urgency::Normal, "x-sightline.needs-you", Some("message-new-instant")),
        Tone::Failed => (Urgency::Normal, "x-sightline.failed", Some("dialog-error")),
        Tone::Finished => (Urgency::Low, "x-sightline.finished", None),
    };
    notification.urgency(urgency).icon("sightline-desktop");
    notification.hint(Hint::Category(category.to_owned())).hint(Hint::DesktopEntry(texts::APP.to_owned()));
    notification.hint(sound.map_or(Hint::SuppressSound(true), |name| Hint::SoundName(name.to_owned())));
    if tauri::async_runtime::spawn_blocking(reads_markup).await? {
        notification.body(&escaped(&notice.body));
    }
    let handle = notification.show_async().await?;
    let mut pressed = None;
    let acted = handle.wait_for_action_async(|response| pressed = action(response));
    tokio::select! {
        () = acted => {}
        () = over.cancelled() => handle.close_async().await,
    }
    act(app, notice, pressed).await;
    Ok(())
}

/// Shows it until somebody acts on it; what is over stays there, since nothing takes it back here.
#[cfg(not(target_os = "linux"))]
async fn show(app: &AppHandle, notice: &Notice, over: CancellationToken) -> anyhow::Result<()> {
    drop(over);
    let mut notification = notification(notice);
    if notice.tone != Tone::Finished {
        notification.sound_name("Default");
    }
    let pressed = tauri::async_runtime::spawn_blocking(move || {
        let mut pressed = None;
        notification.show()?.wait_for_response(|response: &NotificationResponse| pressed = action(response))?;
        anyhow::Ok(pressed)
    });
    let pressed = pressed.await??;
    act(app, notice, pressed).await;
    Ok(())
}

fn action(response: &NotificationResponse) -> Option<String> {
    match response {
        NotificationResponse::Default => Some(OPEN.to_owned()),
        NotificationResponse::Action(action) => Some(action.clone()),
        _ => None,
    }
}

async fn act(app: &AppHandle, notice: &Notice, pressed: Option<String>) {
    match (pressed.as_deref(), &notice.session_id) {
        (None, _) => {}
        (Some(TERMINAL), Some(id)) => {
            let asked =
                app.state::<Window>().ask(SessionOpen { session_id: id.clone(), with: OpenWith::Terminal }).await;
            if let Err(error) = asked {
                tracing::warn!(%error, "the terminal could not be opened");
                open(app, window::session_route(id)).await;
            }
        }
        (Some(_), Some(id)) => open(app, window::session_route(id)).await,
        (Some(_), None) => open(app, QUEUE.to_owned()).await,
    }
}

async fn open(app: &AppHandle, route: String) {
    let app = app.clone();
    if let Err(error) = aside(move || window::open(&app, &route)).await {
        tracing::warn!(%error, "the window could not be opened");
    }
}

/// Whether what shows notifications reads `<` and `&` as markup; one that does not say so might.
#[cfg(target_os = "linux")]
fn reads_markup() -> bool {
    notify_rust::get_capabilities().map_or(true, |can| can.iter().any(|word| word == "body-markup"))
}

#[cfg(target_os = "linux")]
fn escaped(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
