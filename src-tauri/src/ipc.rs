//! The window's IPC commands: one for each request of the protocol, made from its one list.

use protocol::{Ask, Backend, Caller, Code, Error, Result, Transport};
use std::sync::{Arc, Mutex, PoisonError};
use tauri::State;
use tokio_util::sync::{CancellationToken, DropGuard};

/// What the commands work with.
pub(crate) struct Window {
    backend: Arc<dyn Backend>,
    caller: Caller,
    /// Ends the events of the page that was there before.
    events: Mutex<Option<DropGuard>>,
}

impl Window {
    pub(crate) fn new(backend: Arc<dyn Backend>, name: &str) -> Self {
        let caller = Caller::user(Transport::Window, name);
        Self { backend, caller, events: Mutex::new(None) }
    }

    pub(crate) fn backend(&self) -> Arc<dyn Backend> {
        self.backend.clone()
    }

    /// A new page takes the events over; those of the one before end.
    pub(crate) fn take_over(&self) -> CancellationToken {
        let stop = CancellationToken::new();
        *self.events.lock().unwrap_or_else(PoisonError::into_inner) = Some(stop.clone().drop_guard());
        stop
    }

    /// Asks the gateway, in the window's name.
    pub(crate) async fn ask<A: Ask>(&self, request: A) -> Result<A::Answer> {
        let reply = self.backend.call(self.caller.clone(), request.into()).await?;
        A::answer(reply).ok_or_else(|| Error::new(Code::Internal, "the gateway gave the answer to another request"))
    }
}

macro_rules! commands {
    ($($name:ident -> $answer:ident, $kind:literal => $reply:literal, $command:ident;)*) => {
        $(
            #[tauri::command]
            async fn $command(window: State<'_, Window>, request: protocol::$name) -> Result<protocol::$answer> {
                window.ask(request).await
            }
        )*

        /// Every command of the window.
        pub(crate) fn handler() -> impl Fn(tauri::ipc::Invoke) -> bool + Send + Sync + 'static {
            tauri::generate_handler![
                $($command,)*
                crate::events::events_open,
                crate::shell::shell_info,
                crate::shell::window_compact,
                crate::shell::window_do
            ]
        }
    };
}

protocol::with_requests!(commands);
