//! The steps of a command, each with its name, its time and its result.

use anyhow::{Context, Result};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

enum Ending {
    Done,
    Failed,
    LeftOut(&'static str),
}

struct Row {
    name: String,
    took: Duration,
    ending: Ending,
}

/// The steps that a command has taken so far, in order.
#[derive(Default)]
pub(crate) struct Steps {
    rows: Vec<Row>,
}

impl Steps {
    /// Does `work`, and prints its name, time and result. An error of it begins with the name.
    pub(crate) fn step<T>(&mut self, name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
        println!("{}", bold(&format!("▸ {name} …")));
        let begun = Instant::now();
        let outcome = work();
        let took = begun.elapsed();
        let ending = if outcome.is_ok() {
            println!("✓ {name} ({} s)", seconds(took));
            Ending::Done
        } else {
            println!("✗ {name} ({} s)", seconds(took));
            Ending::Failed
        };
        self.rows.push(Row { name: name.to_owned(), took, ending });
        outcome.with_context(|| format!("{name}: failed"))
    }

    /// Notes a step that is not taken here, with the reason.
    pub(crate) fn left_out(&mut self, name: &str, reason: &'static str) {
        println!("– {name}: left out, {reason}");
        self.rows.push(Row { name: name.to_owned(), took: Duration::ZERO, ending: Ending::LeftOut(reason) });
    }

    /// All steps with their seconds and results.
    pub(crate) fn table(&self) -> String {
        let width = self.rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).max("total".len());
        let line = |name: &str, seconds: &str, result: &str| format!("{name:<width$}  {seconds:>8}  {result}");
        let mut lines = vec![line("step", "seconds", "result")];
        for row in &self.rows {
            let result = match row.ending {
                Ending::Done => "done".to_owned(),
                Ending::Failed => "FAILED".to_owned(),
                Ending::LeftOut(reason) => format!("left out: {reason}"),
            };
            lines.push(line(&row.name, &seconds(row.took), &result));
        }
        let total: Duration = self.rows.iter().map(|row| row.took).sum();
        lines.push(line("total", &seconds(total), ""));
        lines.join("\n")
    }
}

fn seconds(took: Duration) -> String {
    format!("{:.1}", took.as_secs_f64())
}

fn bold(text: &str) -> String {
    let plain = !std::io::stdout().is_terminal() || std::env::var_os("NO_COLOR").is_some();
    if plain { text.to_owned() } else { format!("\u{1b}[1m{text}\u{1b}[0m") }
}

#[cfg(test)]
mod tests {
    use super::Steps;
    use anyhow::bail;

    #[test]
    fn a_failure_carries_the_name_of_its_step_and_stands_in_the_table() {
        let mut steps = Steps::default();
        steps.step("First", || Ok(())).expect("it succeeds");
        steps.left_out("Second", "not on this system");
        let error = steps.step("Third", || -> anyhow::Result<()> { bail!("no bread") }).expect_err("it fails");
        assert_eq!(format!("{error:#}"), "Third: failed: no bread");
        let table = steps.table();
        let ends: Vec<&str> = table.lines().map(|line| line.rsplit("  ").next().unwrap_or_default()).collect();
        assert_eq!(ends[..4], ["result", "done", "left out: not on this system", "FAILED"]);
    }
}
