//! The libraries and programs of the system that are needed, with the names of their packages.

use crate::call::Call;
use crate::python;
use crate::workspace::find_program;
use std::env;
use std::path::{Path, PathBuf};

/// A check for the thing itself, so that it counts however it was installed.
pub(super) enum Probe {
    /// A library with its headers, by its pkg-config name.
    Library(&'static str),
    Program(&'static str),
    Chromium,
    Python,
    /// One of these files.
    File(&'static [&'static str]),
    /// The system's Python runs this.
    SystemPython(&'static str),
}

/// A library or program, and its package on each system.
pub(super) struct Need {
    pub(super) probe: Probe,
    pub(super) debian: &'static str,
    pub(super) fedora: &'static str,
    pub(super) arch: &'static str,
}

impl Need {
    const fn new(probe: Probe, debian: &'static str, fedora: &'static str, arch: &'static str) -> Self {
        Self { probe, debian, fedora, arch }
    }

    pub(super) fn is_met(&self) -> bool {
        match self.probe {
            Probe::Library(name) => Call::new("pkg-config").args(["--exists", name]).succeeds(),
            Probe::Program(name) => find_program(name).is_some(),
            Probe::Chromium => chromium().is_some(),
            Probe::Python => python::interpreter().is_some(),
            Probe::File(paths) => paths.iter().any(|path| Path::new(path).is_file()),
            Probe::SystemPython(code) => Call::new("/usr/bin/python3").args(["-c", code]).succeeds(),
        }
    }
}

/// Needs of the desktop crate. A C compiler and linker are left out: without them this program would not run.
pub(super) static WINDOW: [Need; 4] = [
    Need::new(Probe::Program("pkg-config"), "pkg-config", "pkgconf-pkg-config", "pkgconf"),
    Need::new(Probe::Library("webkit2gtk-4.1"), "libwebkit2gtk-4.1-dev", "webkit2gtk4.1-devel", "webkit2gtk-4.1"),
    Need::new(
        Probe::Library("ayatana-appindicator3-0.1"),
        "libayatana-appindicator3-dev",
        "libayatana-appindicator-gtk3-devel",
        "libayatana-appindicator",
    ),
    Need::new(Probe::Library("librsvg-2.0"), "librsvg2-dev", "librsvg2-devel", "librsvg"),
];

/// Starts a message bus where the desktop has none.
pub(super) const SESSION_BUS: Need = Need::new(Probe::Program("dbus-run-session"), "dbus-x11", "dbus-daemon", "dbus");

/// The server of a mirrored machine. Only where CI runs: Debian's package starts it for the whole network, which nobody asks
/// of their own machine by running tests. Without it those tests are left out.
pub(super) const SSH_SERVER: Need = Need::new(Probe::File(&SSHD), "openssh-server", "openssh-server", "openssh");

/// It is not on the search path of everybody.
const SSHD: [&str; 2] = ["/usr/sbin/sshd", "/usr/bin/sshd"];

/// Chromium without what only a screen shows, which takes a third less of the processor. Only where CI runs on Debian: a
/// Chromium that is there does as well, and Ubuntu has none such.
pub(super) const HEADLESS_SHELL: Need = Need::new(Probe::Program(SHELL), SHELL, "chromium-headless", "chromium");

/// The program, and its package in Debian.
pub(super) const SHELL: &str = "chromium-headless-shell";

/// The fonts of the pictures in Chinese and Japanese.
const CJK_FONTS: [&str; 3] = [
    "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/google-noto-sans-cjk-fonts/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/noto-cjk/NotoSansCJK-Regular.ttc",
];

/// Lets programs be read by screen readers.
const ACCESSIBILITY_BUS: [&str; 2] = ["/usr/libexec/at-spi-bus-launcher", "/usr/lib/at-spi-bus-launcher"];

/// Needs of the tests from outside.
pub(super) static TESTS: [Need; 17] = [
    Need::new(
        Probe::Program("WebKitWebDriver"),
        "webkit2gtk-driver",
        // dnf installs the package that contains a file.
        "/usr/bin/WebKitWebDriver",
        "webkitgtk-6.0",
    ),
    Need::new(Probe::Program("xvfb-run"), "xvfb", "xorg-x11-server-Xvfb", "xorg-server-xvfb"),
    Need::new(Probe::Program("xauth"), "xauth", "xauth", "xorg-xauth"),
    SESSION_BUS,
    Need::new(Probe::Chromium, SHELL, "chromium", "chromium"),
    Need::new(Probe::Python, "python3-venv", "python3", "python"),
    Need::new(Probe::Program("faketime"), "faketime", "libfaketime", "libfaketime"),
    Need::new(Probe::Program("gnome-keyring-daemon"), "gnome-keyring", "gnome-keyring", "gnome-keyring"),
    Need::new(Probe::Program("bwrap"), "bubblewrap", "bubblewrap", "bubblewrap"),
    Need::new(Probe::Program("tmux"), "tmux", "tmux", "tmux"),
    Need::new(Probe::Program("xterm"), "xterm", "xterm", "xterm"),
    Need::new(Probe::Program("openbox"), "openbox", "openbox", "openbox"),
    Need::new(Probe::Program("xdotool"), "xdotool", "xdotool", "xdotool"),
    Need::new(Probe::File(&CJK_FONTS), "fonts-noto-cjk", "google-noto-sans-cjk-fonts", "noto-fonts-cjk"),
    Need::new(Probe::File(&ACCESSIBILITY_BUS), "at-spi2-core", "at-spi2-core", "at-spi2-core"),
    Need::new(Probe::SystemPython("import gi"), "python3-gi", "python3-gobject-base", "python-gobject"),
    Need::new(
        Probe::SystemPython("import gi; gi.require_version('Atspi', '2.0')"),
        "gir1.2-atspi-2.0",
        "at-spi2-core",
        "at-spi2-core",
    ),
];

/// The browser for the tests: the one in `CHROMIUM`, else one of the machine's.
pub(crate) fn chromium() -> Option<PathBuf> {
    if let Some(named) = env::var_os("CHROMIUM") {
        return Some(PathBuf::from(named)).filter(|program| program.is_file());
    }
    let names = [SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
    let places = [
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        r"C:\Program Files\Google\Chrome\Application\chrome.exe",
        r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
    ];
    let installed = places.into_iter().map(PathBuf::from).find(|program| program.is_file());
    names.into_iter().find_map(find_program).or(installed)
}
