//! `cargo xtask run`: from a fresh clone to the open window, or to the served page where there is no display.

use crate::build::Profile;
use crate::call::Call;
use crate::display;
use crate::setup::{self, Purpose};
use crate::steps::Steps;
use crate::workspace::Workspace;
use anyhow::Result;
use std::ffi::OsString;

/// The names of the command and of the window.
pub(crate) const PROGRAMS: [&str; 2] = ["sightline", "sightline-desktop"];

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Optimise: takes about twice as long to build
    #[arg(long)]
    release: bool,
    /// Play a recorded run of several agents in a throw-away data folder
    #[arg(long)]
    demo: bool,
    /// Arguments after `--` go to the window, or to `sightline serve`
    #[arg(last = true)]
    rest: Vec<OsString>,
}

pub(crate) fn run(steps: &mut Steps, workspace: &Workspace, options: Options) -> Result<()> {
    let window = display::is_present();
    if !window {
        println!("There is no display here (DISPLAY and WAYLAND_DISPLAY are not set).");
        println!("So the page is built and served instead of the window; its address follows below.");
    }
    setup::with_ui(steps, workspace, window.then_some(Purpose::Window))?;
    // Debug is the default: it builds in half the time, and the speed of the window hardly depends on the Rust.
    let profile = if options.release { Profile::Release } else { Profile::Debug };
    let (name, programs) =
        if window { ("Building the window", &PROGRAMS[..]) } else { ("Building the server", &PROGRAMS[..1]) };
    steps.step(name, || {
        let advice = "mend what the compiler names above; the oldest Rust that will do is in Cargo.toml";
        workspace.build_programs(profile, programs).advice(advice).run()
    })?;

    let call = if window {
        println!("▸ Opening the window");
        let program = workspace.program(profile, "sightline-desktop");
        if display::has_session_bus() {
            Call::new(program)
        } else {
            Call::new("dbus-run-session").arg("--").arg(program)
        }
    } else {
        println!("▸ Serving the page; Ctrl-C ends it");
        Call::new(workspace.program(profile, "sightline")).arg("serve")
    };
    let call = if options.demo { call.arg("--demo") } else { call };
    call.args(options.rest).take_over()
}
