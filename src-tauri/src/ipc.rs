//! The window's IPC commands: one for each request of the protocol, generated from its list.

use protocol::{Ask, Backend, Caller, Code, Error, Result, Rights, Transport};
use std::sync::{Arc, Mutex, PoisonError};
use tauri::State;
use tokio_util::sync::{CancellationToken, DropGuard};

/// The state of the commands: the backend and the caller.
pub(crate) struct Window {
    backend: Arc<dyn Backend>,
    caller: Caller,
    /// The guard whose drop ends the events of the current page.
    events: Mutex<Option<DropGuard>>,
}

impl Window {
    pub(crate) fn new(backend: Arc<dyn Backend>, name: &str) -> Self {
        let caller = Caller::user(Transport::Window, name).with(Rights::Administer);
        Self { backend, caller, events: Mutex::new(None) }
    }

    pub(crate) fn backend(&self) -> Arc<dyn Backend> {
        self.backend.clone()
    }

    /// Ends the events of the former page; returns the token that ends those of the new one.
    pub(crate) fn take_over(&self) -> CancellationToken {
        let stop = CancellationToken::new();
        *self.events.lock().unwrap_or_else(PoisonError::into_inner) = Some(stop.clone().drop_guard());
        stop
    }

    /// Sends a request as this window.
    pub(crate) async fn ask<A: Ask>(&self, request: A) -> Result<A::Answer> {
        let reply = self.backend.call(self.caller.clone(), request.into()).await?;
        A::answer(reply).ok_or_else(|| Error::new(Code::Internal, "the gateway gave the answer to another request"))
    }
}

macro_rules! commands {
    ($($(#[$about:meta])* $class:ident {
        $($name:ident -> $answer:ident, $kind:literal => $reply:literal, $command:ident, $asker:ident, $repeat:ident;)*
    })*) => {
        $($(
            #[tauri::command]
            async fn $command(window: State<'_, Window>, request: protocol::$name) -> Result<protocol::$answer> {
                window.ask(request).await
            }
        )*)*

        /// Every command of the window.
        pub(crate) fn handler() -> impl Fn(tauri::ipc::Invoke) -> bool + Send + Sync + 'static {
            tauri::generate_handler![
                $($($command,)*)*
                crate::events::events_open,
                crate::shell::shell_info,
                crate::shell::window_compact,
                crate::shell::window_language,
                crate::shell::window_do,
                crate::notifications::notify_test
            ]
        }
    };
}

protocol::with_requests!(commands);
