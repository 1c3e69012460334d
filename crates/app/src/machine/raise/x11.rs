//! Windows of X11: found by their id or their process, raised by the window manager.

use protocol::{Text, say};
use x11rb::connection::Connection;
use x11rb::errors::{ConnectError, ReplyError};
use x11rb::protocol::xproto::{AtomEnum, ClientMessageEvent, ConnectionExt, EventMask, Window};
use x11rb::rust_connection::RustConnection;

/// Steps up from a window to the one that the window manager has.
const DEPTH: usize = 16;

/// Windows that a window manager lists.
const WINDOWS: u32 = 4_096;

/// Says that a person asks for it: a request of a program's own may be refused while another window has the focus.
const FROM_A_PERSON: u32 = 2;

/// A reason for which no window was raised.
#[derive(Debug)]
pub(super) enum Problem {
    NoServer(String, ConnectError),
    NoManager,
    NoWindow,
    Several(u32, usize),
    Refused,
    Failed(String),
}

impl Problem {
    /// The reason in words.
    pub(super) fn text(&self) -> Text {
        match self {
            Self::NoServer(display, error) => say::raise_no_server(display, error),
            Self::NoManager => say::raise_no_manager(),
            Self::NoWindow => say::raise_no_window(),
            Self::Several(process, windows) => say::raise_several(process, windows),
            Self::Refused => say::raise_not_done(),
            Self::Failed(problem) => say::raise_server_failed(problem),
        }
    }
}

impl From<ReplyError> for Problem {
    fn from(error: ReplyError) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<x11rb::errors::ConnectionError> for Problem {
    fn from(error: x11rb::errors::ConnectionError) -> Self {
        Self::Failed(error.to_string())
    }
}

/// True for a display of this machine: `:0`, `:1.0`.
pub(super) fn is_local(display: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.len() <= 5 && text.bytes().all(|byte| byte.is_ascii_digit());
    display.strip_prefix(':').is_some_and(|number| match number.split_once('.') {
        Some((display, screen)) => is_number(display) && is_number(screen),
        None => is_number(number),
    })
}

/// Asks the window manager for the window of this id, or where there is none for the one window of the nearest of these
/// processes; gives its id.
pub(super) fn activate(display: &str, window: Option<Window>, processes: &[u32]) -> Result<(Desktop, Window), Problem> {
    let desktop = Desktop::connect(display)?;
    let listed = desktop.numbers(desktop.root, "_NET_CLIENT_LIST", WINDOWS)?.ok_or(Problem::NoManager)?;
    let window = desktop.find(&listed, window, processes)?;
    desktop.activate(window)?;
    Ok((desktop, window))
}

/// A screen of an X server.
pub(super) struct Desktop {
    connection: RustConnection,
    root: Window,
}

impl Desktop {
    fn connect(display: &str) -> Result<Self, Problem> {
        let refused = |error| Problem::NoServer(display.to_owned(), error);
        let (connection, screen) = RustConnection::connect(Some(display)).map_err(refused)?;
        let root = connection.setup().roots.get(screen).ok_or(Problem::NoManager)?.root;
        Ok(Self { connection, root })
    }

    /// The window in the list that the id leads to, unless it is another process's by now; that of a process where there
    /// is no id. A window that is gone is not replaced by that from which it was opened.
    fn find(&self, listed: &[Window], named: Option<Window>, processes: &[u32]) -> Result<Window, Problem> {
        if let Some(named) = named {
            let window = self.listed_above(listed, named).ok_or(Problem::NoWindow)?;
            let is_its = self.process(window)?.is_none_or(|process| processes.contains(&process));
            return is_its.then_some(window).ok_or(Problem::NoWindow);
        }
        let mut windows = Vec::new();
        for window in listed {
            if let Some(process) = self.process(*window)? {
                windows.push((process, *window));
            }
        }
        for process in processes {
            let of_process: Vec<Window> =
                windows.iter().filter(|(of, _)| of == process).map(|(_, window)| *window).collect();
            match of_process[..] {
                [] => {}
                [window] => return Ok(window),
                _ => return Err(Problem::Several(*process, of_process.len())),
            }
        }
        Err(Problem::NoWindow)
    }

    /// The window, or one around it, that the window manager has.
    fn listed_above(&self, listed: &[Window], mut window: Window) -> Option<Window> {
        for _ in 0..DEPTH {
            if listed.contains(&window) {
                return Some(window);
            }
            // A window that is gone is none.
            window = self.connection.query_tree(window).ok()?.reply().ok()?.parent;
        }
        None
    }

    fn process(&self, window: Window) -> Result<Option<u32>, Problem> {
        Ok(self.numbers(window, "_NET_WM_PID", 1)?.and_then(|numbers| numbers.first().copied()))
    }

    /// The numbers in a property; nothing where the window or the property is not there.
    fn numbers(&self, window: Window, property: &str, most: u32) -> Result<Option<Vec<u32>>, Problem> {
        let property = self.connection.intern_atom(false, property.as_bytes())?.reply()?.atom;
        let asked = self.connection.get_property(false, window, property, AtomEnum::ANY, 0, most)?;
        let reply = match asked.reply() {
            Ok(reply) => reply,
            Err(ReplyError::X11Error(_)) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        Ok(reply.value32().map(Iterator::collect))
    }

    /// True once the window manager has done it.
    pub(super) fn is_active(&self, window: Window) -> Result<bool, Problem> {
        let active = self.numbers(self.root, "_NET_ACTIVE_WINDOW", 1)?;
        Ok(active.is_some_and(|active| active.first() == Some(&window)))
    }

    fn activate(&self, window: Window) -> Result<(), Problem> {
        let active = self.connection.intern_atom(false, b"_NET_ACTIVE_WINDOW")?.reply()?.atom;
        let message = ClientMessageEvent::new(32, window, active, [FROM_A_PERSON, 0, 0, 0, 0]);
        let mask = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
        self.connection.send_event(false, self.root, mask, message)?.check()?;
        Ok(self.connection.flush()?)
    }
}
