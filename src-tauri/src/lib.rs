//! The desktop shell: a window, its requests, its events, and what a desktop has beside a window. It hosts the hub of
//! its data folder, or is a client of whoever hosts it, and cannot tell the two apart beyond the start.
//!
//! | part | does |
//! |---|---|
//! | `backend`, `ipc`, `events` | the protocol for the page |
//! | `shell`, `window`, `compact`, `kept` | the window itself, and the shell's own commands |
//! | `watch` | follows the gateway for all that is outside of the page |
//! | `desk`, `overview`, `notices`, `ring`, `texts` | what is to be shown: decided without a desktop, and tested so |
//! | `tray`, `host`, `taskbar`, `bell`, `menus` | show it |
//! | `drawing` | how the web view draws |
//! | `login`, `shortcut` | what the user has set of the system |

mod backend;
mod bell;
mod compact;
mod desk;
#[cfg(target_os = "linux")]
mod drawing;
mod events;
mod host;
mod ipc;
mod kept;
mod login;
mod menus;
mod notices;
mod options;
mod overview;
mod ring;
#[cfg(test)]
mod sample;
mod shell;
mod shortcut;
mod taskbar;
mod texts;
mod tray;
mod watch;
mod window;

use clap::Parser;
use options::Options;
use shell::Shell;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Duration;
use tauri::webview::PageLoadEvent;
use tauri::{Manager, RunEvent};

/// How long the app's end may take; connections are given four seconds of it.
const ENDS_WITHIN: Duration = Duration::from_secs(15);

/// What has to end in good order with the app.
struct Ending(Mutex<Option<app::Opened>>);

/// Runs the app until its window is closed.
#[must_use]
pub fn run() -> ExitCode {
    let options = Options::parse();
    #[cfg(target_os = "linux")]
    drawing::choose();
    let data_dir = match options.folder() {
        Ok(data_dir) => data_dir,
        Err(error) => return refused(&error),
    };
    let logs = app::logs(&data_dir, cfg!(debug_assertions));
    let mut builder = tauri::Builder::default();
    if options.is_own() {
        // One window for one's own data; a folder or gateway that was named gets a window of its own.
        builder = builder.plugin(tauri_plugin_single_instance::init(|app, words, _| again(app, &words)));
    }
    let built = builder
        .plugin(login::plugin(&options))
        .plugin(tauri_plugin_global_shortcut::Builder::new().build())
        .on_menu_event(|app, event| menus::chosen(app, event.id().as_ref()))
        .on_window_event(window::heard)
        .on_page_load(|webview, load| {
            if load.event() == PageLoadEvent::Finished {
                window::loaded(webview.app_handle());
            }
        })
        .manage(Shell::new(data_dir.clone(), options.route()))
        .setup(move |app| {
            let handle = app.handle().clone();
            window::put_back(&handle);
            menus::apply(&handle, false);
            if !options.hidden {
                begin(&handle, &options);
            }
            let name = format!("window:{}", app::new_uid());
            let opened = tauri::async_runtime::block_on(backend::open(options.clone(), data_dir, &name));
            app.manage(ipc::Window::new(backend::of(&opened), &name));
            match opened {
                Ok(opened) => drop(app.manage(Ending(Mutex::new(Some(opened))))),
                Err(error) => tracing::error!("{error:#}"),
            }
            tauri::async_runtime::spawn(watch::follow(handle.clone(), options));
            end_on_signal(handle);
            Ok(())
        })
        .invoke_handler(ipc::handler())
        .build(tauri::generate_context!());
    match built {
        Ok(app) => {
            app.run(|app, event| {
                if matches!(event, RunEvent::Exit) {
                    end_for_certain();
                    app.state::<Shell>().save();
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

/// There is no window to say it in, and no log without a folder.
#[expect(clippy::print_stderr, reason = "whoever started it from a terminal reads it there")]
fn refused(error: &anyhow::Error) -> ExitCode {
    eprintln!("{error:#}");
    ExitCode::FAILURE
}

/// Shows what a start asks for.
fn begin(app: &tauri::AppHandle, options: &Options) {
    if options.compact {
        compact::enter(app);
    }
    window::show(app);
}

/// The app was started once more: this one shows what that one was to show.
fn again(app: &tauri::AppHandle, words: &[String]) {
    let options = Options::try_parse_from(words).unwrap_or_default();
    let app = app.clone();
    // That one waits until this is answered, so the window is asked on another thread.
    tauri::async_runtime::spawn_blocking(move || match options.route() {
        Some(route) => window::open(&app, &route),
        // The start at login, while it runs.
        None if options.hidden => {}
        None => begin(&app, &options),
    });
}

/// Ends the process also where its toolkit hangs in its own end: it would keep the data folder's lock, and whoever waits
/// for it. What was acknowledged is on disk at any time.
fn end_for_certain() {
    #[expect(
        clippy::disallowed_methods,
        reason = "a thread of its own, which needs no runtime that may be over by then"
    )]
    std::thread::spawn(|| {
        std::thread::sleep(ENDS_WITHIN);
        tracing::error!("the app did not end by itself");
        std::process::abort();
    });
}

/// Connections are closed, changes are on disk, the lock is free.
fn stop(app: &tauri::AppHandle) {
    let opened = app.try_state::<Ending>().and_then(|ending| ending.0.lock().ok().and_then(|mut opened| opened.take()));
    if let Some(opened) = opened {
        tauri::async_runtime::block_on(opened.stop());
    }
}

/// SIGTERM, Ctrl+C and the end of its terminal end the app as its close button does.
fn end_on_signal(app: tauri::AppHandle) {
    #[cfg(unix)]
    tauri::async_runtime::spawn(async move {
        use tokio::signal::unix::{SignalKind, signal};
        let wanted = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()), signal(SignalKind::hangup()));
        let (Ok(mut term), Ok(mut interrupt), Ok(mut hangup)) = wanted else { return };
        tokio::select! {
            _ = term.recv() => {}
            _ = interrupt.recv() => {}
            _ = hangup.recv() => {}
        }
        end_for_certain();
        app.exit(0);
    });
    #[cfg(not(unix))]
    drop(app);
}
