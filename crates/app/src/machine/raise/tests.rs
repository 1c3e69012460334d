//! Ids that an agent may say, and those that lead nowhere.

use super::kitty::KittyWindow;
use super::tmux::TmuxPane;
use super::wezterm::WezTermPane;
use protocol::Terminal;

fn terminal(variables: &[(&str, &str)]) -> Terminal {
    let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Terminal { processes: Vec::new(), variables }
}

#[test]
fn only_what_looks_like_a_pane_is_one() {
    let of = |socket, pane| TmuxPane::of(&terminal(&[("TMUX", socket), ("TMUX_PANE", pane)])).is_some();
    assert!(of("/tmp/tmux-1000/default,4711,0", "%12"));
    assert!(of("/tmp/a,b/default,4711,0", "%0"), "a folder may have a comma");
    for (socket, pane) in [
        ("/tmp/tmux-1000/default,4711,0", "12"),
        ("/tmp/tmux-1000/default,4711,0", "%"),
        ("/tmp/tmux-1000/default,4711,0", "%1;kill-server"),
        ("/tmp/tmux-1000/default,4711,0", "-t"),
        ("/tmp/tmux-1000/default,4711,0", "%12345678901"),
        ("-f,4711,0", "%1"),
        ("relative/default,4711,0", "%1"),
        ("/tmp/tmux-1000/default", "%1"),
    ] {
        assert!(!of(socket, pane), "{socket} {pane}");
    }
    let of = |id| KittyWindow::of(&terminal(&[("KITTY_WINDOW_ID", id)])).is_some();
    assert!(of("3") && !of("--all") && !of("3 or state:focused") && !of("-1"));
    let of = |id| WezTermPane::of(&terminal(&[("WEZTERM_PANE", id)])).is_some();
    assert!(of("0") && !of("--help") && !of("0x1"));
}

#[cfg(not(target_os = "macos"))]
#[test]
fn only_displays_of_this_machine_are_asked() {
    use super::x11::is_local;
    assert!(is_local(":0") && is_local(":17.1"));
    for display in ["", ":", "0", "evil.example:0", "unix/x:0", ":0.", ":0.0.0", ":a", "/tmp/socket", "tcp/h:0"] {
        assert!(!is_local(display), "{display}");
    }
}
