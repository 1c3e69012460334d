//! The terminal that a process runs in: from its environment, from those of the processes above it, and by their ids.
//!
//! Variables are inherited: a window of xterm that was started in a pane of tmux has the variables of both. Those count
//! that came last on the way down, since the process above the one that has them first is the terminal.

use protocol::Terminal;
use std::collections::BTreeMap;
use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System, UpdateKind};

/// Variables that name a terminal or a display, with their values.
type Variables = BTreeMap<String, String>;

/// A process on the way up.
struct Ancestor {
    pid: u32,
    /// Nothing where the system does not tell: it is another user's, or of a program that belongs to a group of its own,
    /// as xterm does.
    variables: Option<Variables>,
}

/// The terminal that this process runs in, whose own environment is given.
#[must_use]
pub fn terminal(own: impl Iterator<Item = (String, String)>) -> Option<Box<Terminal>> {
    let own = own.filter(|(name, value)| Terminal::counts(name, value)).collect();
    let mut ancestors = ancestors(sysinfo::get_current_pid().ok()?);
    ancestors.first_mut()?.variables = Some(own);
    let mut terminal = found(&ancestors);
    // This process may be over soon.
    terminal.processes.remove(0);
    Some(Box::new(terminal))
}

/// The terminal that a process runs in, with the process.
#[must_use]
pub fn terminal_of_process(pid: u32) -> Terminal {
    found(&ancestors(Pid::from_u32(pid)))
}

/// A process and those above it, the nearest first.
fn ancestors(from: Pid) -> Vec<Ancestor> {
    let mut system = System::new();
    let mut ancestors = Vec::new();
    let mut next = Some(from);
    while let Some(pid) = next.filter(|_| ancestors.len() <= Terminal::PROCESSES) {
        let environment = ProcessRefreshKind::nothing().with_environ(UpdateKind::Always);
        system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), false, environment);
        let Some(process) = system.process(pid) else { break };
        let variables = process.environ().iter().filter_map(|line| {
            let (name, value) = line.to_str()?.split_once('=')?;
            Terminal::counts(name, value).then(|| (name.to_owned(), value.to_owned()))
        });
        let variables = (!process.environ().is_empty()).then(|| variables.collect());
        ancestors.push(Ancestor { pid: pid.as_u32(), variables });
        // Everything ends in the first process, which is nobody's terminal.
        next = process.parent().filter(|parent| *parent != Pid::from_u32(1));
    }
    ancestors
}

fn found(ancestors: &[Ancestor]) -> Terminal {
    let of_terminals = |variables: &Variables| -> Variables {
        let is_one = |(name, _): &(&String, &String)| Terminal::OF_TERMINALS.contains(&name.as_str());
        variables.iter().filter(is_one).map(|(name, value)| (name.clone(), value.clone())).collect()
    };
    let known = || ancestors.iter().filter_map(|ancestor| ancestor.variables.as_ref());
    // An agent may keep its own environment from what it starts.
    let mut above = known().map(of_terminals).skip_while(Variables::is_empty);
    let mut last = above.next().unwrap_or_default();
    for variables in above {
        let same = |name: &String, value: &String| variables.get(name) == Some(value);
        if !last.iter().all(|(name, value)| same(name, value)) {
            last.retain(|name, value| !same(name, value));
            break;
        }
    }
    let displays = Terminal::OF_DISPLAYS.into_iter().filter_map(|name| {
        let value = known().find_map(|variables| variables.get(name))?;
        Some((name.to_owned(), value.clone()))
    });
    last.extend(displays);
    Terminal { processes: ancestors.iter().map(|ancestor| ancestor.pid).collect(), variables: last }
}

#[cfg(test)]
mod tests {
    use super::{Ancestor, found, terminal};

    type Said = Option<&'static [(&'static str, &'static str)]>;

    /// The variables that count for a process, given those of it and of the processes above it.
    fn variables(environments: &[Said]) -> Vec<String> {
        let ancestors = (10..).zip(environments).map(|(pid, said)| {
            let owned = |said: &[(&str, &str)]| {
                said.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
            };
            Ancestor { pid, variables: said.map(owned) }
        });
        found(&ancestors.collect::<Vec<_>>()).variables.iter().map(|(name, value)| format!("{name}={value}")).collect()
    }

    #[test]
    fn the_innermost_terminal_counts() {
        let xterm: Said = Some(&[("WINDOWID", "7"), ("DISPLAY", ":1")]);
        let desktop: Said = Some(&[("DISPLAY", ":1")]);
        assert_eq!(variables(&[xterm, xterm, None, desktop]), ["DISPLAY=:1", "WINDOWID=7"]);
        let tmux: Said = Some(&[("WINDOWID", "7"), ("TMUX", "/s,1,0"), ("TMUX_PANE", "%1"), ("DISPLAY", ":1")]);
        assert_eq!(variables(&[tmux, tmux, xterm]), ["DISPLAY=:1", "TMUX=/s,1,0", "TMUX_PANE=%1"]);
        let xterm_in_tmux: Said = Some(&[("WINDOWID", "9"), ("TMUX", "/s,1,0"), ("TMUX_PANE", "%1")]);
        assert_eq!(variables(&[xterm_in_tmux, None, tmux, xterm]), ["DISPLAY=:1", "WINDOWID=9"]);
        let editor_in_kitty: Said =
            Some(&[("KITTY_WINDOW_ID", "2"), ("KITTY_LISTEN_ON", "unix:/k"), ("TERM_PROGRAM", "vscode")]);
        let kitty: Said = Some(&[("KITTY_WINDOW_ID", "2"), ("KITTY_LISTEN_ON", "unix:/k")]);
        assert_eq!(variables(&[editor_in_kitty, kitty, kitty]), ["TERM_PROGRAM=vscode"]);
    }

    #[test]
    fn an_environment_that_was_kept_from_it_is_that_of_the_process_above() {
        let agent: Said = Some(&[("TMUX", "/s,1,0"), ("TMUX_PANE", "%3")]);
        assert_eq!(variables(&[Some(&[]), agent, Some(&[])]), ["TMUX=/s,1,0", "TMUX_PANE=%3"]);
        assert!(variables(&[Some(&[]), None, Some(&[])]).is_empty());
    }

    #[test]
    fn only_what_names_a_terminal_is_taken() {
        let own = [("TMUX_PANE", "%1"), ("ANTHROPIC_API_KEY", "secret"), ("KITTY_LISTEN_ON", "a\nb")];
        let own = own.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let found = terminal(own.into_iter()).expect("this process is there");
        assert_eq!(found.variables.get("TMUX_PANE").map(String::as_str), Some("%1"));
        assert!(!found.variables.contains_key("ANTHROPIC_API_KEY") && !found.variables.contains_key("KITTY_LISTEN_ON"));
        assert!(!found.processes.contains(&std::process::id()));
    }
}
