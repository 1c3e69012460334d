//! The processes above this one: an agent's tool server and its hooks have the agent's process above them.

use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

/// The most processes above that are looked at: an agent's launcher and a shell or two may be in between.
const ABOVE: usize = 4;

/// The processes above this one, the nearest first, each as `ID:START` (seconds since 1970), so that an id that is used
/// again is another process. Empty where the system does not tell.
#[must_use]
pub fn above() -> Vec<String> {
    let mut system = System::new();
    let mut found = Vec::new();
    let mut next = sysinfo::get_current_pid().ok();
    for _ in 0..=ABOVE {
        let Some(pid) = next else { break };
        let only = ProcessesToUpdate::Some(&[pid]);
        system.refresh_processes_specifics(only, false, ProcessRefreshKind::nothing());
        let Some(process) = system.process(pid) else { break };
        found.push(format!("{pid}:{}", process.start_time()));
        // Everything ends in the first process, which is nobody's agent.
        next = process.parent().filter(|parent| *parent != Pid::from_u32(1));
    }
    found.drain(1.min(found.len())..).collect()
}

#[cfg(test)]
mod tests {
    use super::above;

    #[test]
    fn the_process_that_runs_this_is_above_it() {
        let found = above();
        let parent = std::fs::read_to_string("/proc/self/stat").ok();
        // After the name, which is in brackets: the state, then the parent.
        let parent = parent.as_deref().and_then(|stat| stat.rsplit_once(") ")?.1.split(' ').nth(1)).map(str::to_owned);
        match (parent.as_deref(), found.first()) {
            (Some("1") | None, _) => {}
            (Some(parent), found) => assert!(found.is_some_and(|first| first.starts_with(&format!("{parent}:")))),
        }
        assert!(found.len() <= super::ABOVE);
        assert_eq!(above(), found, "the same each time");
    }
}
