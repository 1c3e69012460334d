//! Ids that an agent may say, and those that lead nowhere.

use super::kitty::KittyWindow;
use super::outcome::{named, refused, with_window};
use super::tmux::TmuxPane;
use super::wezterm::WezTermPane;
use protocol::{Terminal, say};

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

// S33
#[test]
fn what_was_raised_and_what_was_not_have_names() {
    let window = Ok(named(say::raised_x11("0x1200007")));
    let whole = with_window(say::raised_tmux("%2"), window);
    assert_eq!(whole.raised, "tmux pane %2, X11 window 0x1200007");
    let text = whole.raised_text.expect("it has a name");
    assert_eq!((text.name.as_str(), text.texts["part"].name.as_str()), ("raised_within", "raised_tmux"));
    assert_eq!(text.texts["window"].params["window"], "0x1200007");
    assert_eq!((whole.note, whole.note_text), (None, None));

    let partly = with_window(say::raised_tmux("%2"), Err(refused(say::raise_wayland())));
    assert_eq!((partly.raised.as_str(), partly.note_text), ("tmux pane %2", say::raise_wayland().named));
    assert_eq!(partly.note, Some(say::raise_wayland().english));
}
