//! The desktop shell: a window, its requests, its events. It hosts the hub of its data folder, or is a client of
//! whoever hosts it, and cannot tell the two apart beyond the start.

mod backend;
mod events;
mod ipc;

use clap::Parser;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use tauri::{Manager, RunEvent};

/// See what every agent on this machine is doing, and change it.
#[derive(Parser, Clone)]
#[command(name = "sightline-desktop", version)]
struct Options {
    /// Where the data is [default: the user's own data folder]
    #[arg(long, env = "SIGHTLINE_DATA_DIR", value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Show another gateway: the address of its page, http://127.0.0.1:PORT/#token=…
    #[arg(long, env = "SIGHTLINE_GATEWAY", value_name = "URL")]
    gateway: Option<String>,
}

/// What has to end in good order with the app.
struct Ending(Mutex<Option<app::Opened>>);

/// Runs the app until its window is closed.
#[must_use]
pub fn run() -> ExitCode {
    let options = Options::parse();
    let Ok(data_dir) = app::data_dir(options.data_dir.clone()) else {
        return ExitCode::FAILURE;
    };
    let logs = app::logs(&data_dir, cfg!(debug_assertions));
    let mut builder = tauri::Builder::default();
    if options.data_dir.is_none() && options.gateway.is_none() {
        // One window for one's own data; a folder or gateway that was named gets a window of its own.
        builder = builder.plugin(tauri_plugin_single_instance::init(|app, _, _| show(app)));
    }
    let built = builder
        .plugin(tauri_plugin_window_state::Builder::default().build())
        .setup(move |app| {
            let name = format!("window:{}", app::new_uid());
            let opened = tauri::async_runtime::block_on(backend::open(options, data_dir, &name));
            app.manage(ipc::Window::new(backend::of(&opened), &name));
            match opened {
                Ok(opened) => drop(app.manage(Ending(Mutex::new(Some(opened))))),
                Err(error) => tracing::error!("{error:#}"),
            }
            end_on_signal(app.handle().clone());
            Ok(())
        })
        .invoke_handler(ipc::handler())
        .build(tauri::generate_context!());
    match built {
        Ok(app) => {
            app.run(|app, event| {
                if matches!(event, RunEvent::Exit) {
                    stop(app);
                }
            });
            drop(logs);
            ExitCode::SUCCESS
        }
        Err(error) => {
            tracing::error!(%error, "the window cannot be opened");
            ExitCode::FAILURE
        }
    }
}

fn show(app: &tauri::AppHandle) {
    if let Some(window) = app.get_webview_window("main") {
        let shown = window.show().and_then(|()| window.unminimize()).and_then(|()| window.set_focus());
        if let Err(error) = shown {
            tracing::warn!(%error, "the window could not be brought to the front");
        }
    }
}

/// Connections are closed, changes are on disk, the lock is free.
fn stop(app: &tauri::AppHandle) {
    let opened = app.try_state::<Ending>().and_then(|ending| ending.0.lock().ok().and_then(|mut opened| opened.take()));
    if let Some(opened) = opened {
        tauri::async_runtime::block_on(opened.stop());
    }
}

/// SIGTERM closes the window as its button does.
fn end_on_signal(app: tauri::AppHandle) {
    #[cfg(unix)]
    tauri::async_runtime::spawn(async move {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut term) = signal(SignalKind::terminate())
            && term.recv().await.is_some()
        {
            app.exit(0);
        }
    });
    #[cfg(not(unix))]
    drop(app);
}
