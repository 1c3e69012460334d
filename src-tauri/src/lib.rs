//! The desktop shell: a window, its requests, its events, and what a desktop has beside a window. It hosts the hub of
//! its data folder or is a client of the process that hosts it; after the start the two are the same to it.
//!
//! | part | does |
//! |---|---|
//! | `backend`, `ipc`, `events` | the protocol for the page |
//! | `shell`, `window`, `compact`, `window_file` | the window itself, and the shell's own commands |
//! | `watch` | follows the gateway for everything outside of the page |
//! | `overview`, `notices`, `ring`, `texts`, `catalogue` | decide what is shown, without a desktop, and are tested so |
//! | `tray`, `host`, `taskbar`, `notifications`, `menus` | show it |
//! | `drawing` | chooses how the web view draws |
//! | `platform` | has what Windows and macOS want beside |
//! | `login`, `shortcut` | apply the user's settings to the system |

mod asked;
mod backend;
mod catalogue;
mod compact;
#[cfg(target_os = "linux")]
mod drawing;
mod events;
mod host;
mod ipc;
mod login;
mod menus;
mod notices;
mod notifications;
mod options;
mod overview;
mod platform;
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
mod window_file;

use clap::Parser;
use options::Options;
use shell::Shell;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Duration;
use tauri::webview::PageLoadEvent;
use tauri::{Manager, RunEvent};

/// Time after which an app that does not end is aborted. Closing connections takes up to four seconds of it.
const ENDS_WITHIN: Duration = Duration::from_secs(15);

/// The hub or connection, which is closed before the app ends.
struct OpenedBackend(Mutex<Option<app::Opened>>);

/// Runs the app until its window is closed.
#[must_use]
pub fn run() -> ExitCode {
    let options = match Options::read(std::env::args_os()) {
        Ok(options) => options,
        Err(error) => return print_failure(&format!("{error:#}")),
    };
    #[cfg(target_os = "linux")]
    drawing::choose();
    let data_dir = match options.folder() {
        Ok(data_dir) => data_dir,
        Err(error) => return print_failure(&format!("{error:#}")),
    };
    let logs = app::logs(&data_dir, cfg!(debug_assertions));
    catalogue::load(&data_dir);
    #[cfg(windows)]
    if let Err(error) = tauri::webview_version() {
        tracing::error!(%error, "there is no WebView2");
        return print_failure(texts::no_web_view());
    }
    let mut builder = tauri::Builder::default();
    if options.is_own() {
        // The user's own data has a single window; a folder or gateway that was named has a window of its own.
        builder = builder.plugin(tauri_plugin_single_instance::init(|app, words, _| started_again(app, &words)));
    }
    let built = builder
        .plugin(tauri_plugin_global_shortcut::Builder::new().build())
        .on_menu_event(|app, event| menus::chosen(app, event.id().as_ref()))
        .on_window_event(window::on_event)
        .on_page_load(|webview, load| {
            if load.event() == PageLoadEvent::Finished {
                window::loaded(webview.app_handle());
            }
        })
        .manage(notifications::OnScreen::default())
        .manage(Shell::new(data_dir.clone(), options.route()))
        .setup(move |app| {
            let handle = app.handle().clone();
            window::restore_position(&handle);
            menus::apply(&handle, false);
            if !options.hidden {
                begin(&handle, &options);
            }
            #[cfg(target_os = "macos")]
            platform::put_on_dock(&handle, !options.hidden);
            let name = format!("window:{}", app::new_uid());
            let opened = tauri::async_runtime::block_on(backend::open(options.clone(), data_dir, &name));
            app.manage(ipc::Window::new(backend::of(&opened), &name));
            match opened {
                Ok(opened) => drop(app.manage(OpenedBackend(Mutex::new(Some(opened))))),
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
                // A click on the Dock.
                #[cfg(target_os = "macos")]
                if matches!(event, RunEvent::Reopen { .. }) {
                    window::show(app);
                }
                if matches!(event, RunEvent::Exit) {
                    abort_in_time();
                    app.state::<Shell>().save();
                    stop(app);
                }
            });
            drop(logs);
            ExitCode::SUCCESS
        }
        Err(error) => {
            tracing::error!(%error, "the window cannot be opened");
            print_failure(&error.to_string())
        }
    }
}

/// Prints an error of the start, since there is neither a window nor a log yet.
#[expect(clippy::print_stderr, reason = "whoever started it from a terminal reads it there")]
fn print_failure(problem: &str) -> ExitCode {
    eprintln!("{problem}");
    #[cfg(windows)]
    platform::show_failure(problem);
    ExitCode::FAILURE
}

/// Shows the window as a start asks for it.
fn begin(app: &tauri::AppHandle, options: &Options) {
    if options.compact {
        compact::enter(app);
    }
    window::show(app);
}

/// Shows what a second start of the app asked for.
fn started_again(app: &tauri::AppHandle, words: &[String]) {
    let options = Options::try_parse_from(words).unwrap_or_default();
    let app = app.clone();
    // The second process waits for this call to return, so the window is called on another thread.
    tauri::async_runtime::spawn_blocking(move || match options.route() {
        Some(route) => window::open(&app, &route),
        // A start at login while the app runs.
        None if options.hidden => {}
        None => begin(&app, &options),
    });
}

/// Aborts the process if it does not end in time, as when its toolkit hangs: it would keep the lock of the data folder.
/// Nothing is lost, since every acknowledged change is on disk.
fn abort_in_time() {
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

/// Removes notifications, closes connections, writes changes to disk and releases the lock.
fn stop(app: &tauri::AppHandle) {
    tauri::async_runtime::block_on(app.state::<notifications::OnScreen>().end());
    let opened =
        app.try_state::<OpenedBackend>().and_then(|backend| backend.0.lock().ok().and_then(|mut opened| opened.take()));
    if let Some(opened) = opened {
        tauri::async_runtime::block_on(opened.stop());
    }
}

/// Lets SIGTERM, Ctrl+C and the end of the terminal end the app in good order; on Windows those that come nearest. An app
/// with a window is told of the end of the user's session by its window.
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
        abort_in_time();
        app.exit(0);
    });
    #[cfg(windows)]
    tauri::async_runtime::spawn(async move {
        use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close};
        let (Ok(mut interrupt), Ok(mut pause), Ok(mut close)) = (ctrl_c(), ctrl_break(), ctrl_close()) else { return };
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = pause.recv() => {}
            _ = close.recv() => {}
        }
        abort_in_time();
        app.exit(0);
    });
}
