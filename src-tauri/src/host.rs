//! Watches whether this desktop shows tray icons. On Linux that depends on the desktop, and can change at any time.

use tokio::sync::watch;

/// The presence of a tray, now and after each change.
#[cfg(not(target_os = "linux"))]
pub(crate) fn watch() -> watch::Receiver<bool> {
    watch::channel(true).1
}

/// The presence of a tray, now and after each change.
#[cfg(target_os = "linux")]
pub(crate) fn watch() -> watch::Receiver<bool> {
    let (there, seen) = watch::channel(false);
    tauri::async_runtime::spawn(async move {
        if let Err(error) = look(&there).await {
            tracing::info!(%error, "there is no session bus to find a tray on");
            there.send_replace(false);
        }
    });
    seen
}

#[cfg(target_os = "linux")]
async fn look(there: &watch::Sender<bool>) -> zbus::Result<()> {
    use futures_util::StreamExt;
    const WATCHER: &str = "org.kde.StatusNotifierWatcher";

    let bus = zbus::Connection::session().await?;
    let mut owners =
        zbus::fdo::DBusProxy::new(&bus).await?.receive_name_owner_changed_with_args(&[(0, WATCHER)]).await?;
    let watcher = zbus::proxy::Builder::<zbus::Proxy<'_>>::new(&bus)
        .destination(WATCHER)
        .path("/StatusNotifierWatcher")
        .interface(WATCHER)
        .cache_properties(zbus::proxy::CacheProperties::No)
        .build()
        .await?;
    let mut signals = watcher.receive_all_signals().await?;
    while !there.is_closed() {
        let shows = watcher.get_property::<bool>("IsStatusNotifierHostRegistered").await.unwrap_or(false);
        there.send_if_modified(|known| std::mem::replace(known, shows) != shows);
        tokio::select! {
            changed = owners.next() => if changed.is_none() { break },
            heard = signals.next() => if heard.is_none() { break },
        }
    }
    Ok(())
}
