//! Figures and their table.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::Duration;

/// Times of one measurement, in microseconds.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Times {
    pub(crate) p50: f64,
    pub(crate) p95: f64,
    pub(crate) p99: f64,
    pub(crate) samples: usize,
}

impl Times {
    pub(crate) fn of(mut samples: Vec<Duration>) -> Self {
        samples.sort();
        let at = |share: f64| {
            let index = ((samples.len() as f64 - 1.0) * share).round() as usize;
            samples.get(index).map_or(0.0, |time| time.as_secs_f64() * 1e6)
        };
        Self { p50: at(0.5), p95: at(0.95), p99: at(0.99), samples: samples.len() }
    }
}

/// One line of the table.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Row {
    what: String,
    measured: String,
    /// The figure as a number; of times, the median.
    value: f64,
    floor: String,
    ratio: Option<f64>,
    note: String,
}

fn time(micros: f64) -> String {
    if micros < 1_000.0 { format!("{micros:.0} µs") } else { format!("{:.2} ms", micros / 1_000.0) }
}

impl Row {
    pub(crate) fn floor(what: &str, times: &Times) -> Self {
        let measured = format!("p50 {}, p99 {}", time(times.p50), time(times.p99));
        Self {
            what: what.to_owned(),
            measured,
            value: times.p50,
            floor: "is one".to_owned(),
            ratio: None,
            note: format!("{} samples", times.samples),
        }
    }

    pub(crate) fn latency(what: &str, times: &Times, floor: f64) -> Self {
        Self {
            what: what.to_owned(),
            measured: format!("p50 {}, p95 {}, p99 {}", time(times.p50), time(times.p95), time(times.p99)),
            value: times.p50,
            floor: time(floor),
            ratio: Some(times.p50 / floor),
            note: format!("{} samples", times.samples),
        }
    }

    pub(crate) fn rate(what: &str, measured: f64, floor: f64, note: &str) -> Self {
        Self {
            what: what.to_owned(),
            measured: format!("{measured:.0}"),
            value: measured,
            floor: format!("{floor:.0}"),
            ratio: Some(measured / floor),
            note: note.to_owned(),
        }
    }

    /// A figure without a floor.
    pub(crate) fn count(what: &str, measured: f64, note: &str) -> Self {
        Self {
            what: what.to_owned(),
            measured: format!("{measured:.1}"),
            value: measured,
            floor: String::new(),
            ratio: None,
            note: note.to_owned(),
        }
    }

    pub(crate) fn millis(what: &str, p50: f64, p99: f64, floor: f64, note: &str) -> Self {
        Self {
            what: what.to_owned(),
            measured: format!("p50 {p50:.1} ms, p99 {p99:.1} ms"),
            value: p50,
            floor: format!("{floor:.1} ms"),
            ratio: Some(p50 / floor),
            note: note.to_owned(),
        }
    }
}

/// All figures.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Report {
    rows: Vec<Row>,
}

impl Report {
    pub(crate) fn push(&mut self, row: Row) {
        self.rows.push(row);
    }

    pub(crate) fn json(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self)?)
    }

    /// As Markdown.
    pub(crate) fn table(&self) -> String {
        let mut lines = vec!["| what | measured | floor | ratio | |".to_owned(), "|---|---|---|---|---|".to_owned()];
        for row in &self.rows {
            let ratio = row.ratio.map(|ratio| format!("{ratio:.2}")).unwrap_or_default();
            lines.push(format!("| {} | {} | {} | {ratio} | {} |", row.what, row.measured, row.floor, row.note));
        }
        lines.join("\n")
    }

    /// Reads a file that was written from [`Report::json`].
    pub(crate) fn read(file: &Path) -> Result<Self> {
        let json = std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?;
        serde_json::from_str(&json).with_context(|| format!("{} is not what a bench has written", file.display()))
    }

    /// The figures that both reports have, as Markdown. A figure with a floor is shown relative to it, as machines
    /// differ.
    pub(crate) fn beside(&self, other: &Self) -> String {
        let mut lines = vec!["| what | then | now | change |".to_owned(), "|---|---|---|---|".to_owned()];
        for row in &self.rows {
            let Some(then) = other.rows.iter().find(|then| then.what == row.what) else { continue };
            let (was, is) = then.ratio.zip(row.ratio).unwrap_or((then.value, row.value));
            let change = (is / was - 1.0) * 100.0;
            let floor = if row.ratio.is_some() { " × its floor" } else { "" };
            lines.push(format!("| {} | {was:.2}{floor} | {is:.2}{floor} | {change:+.0} % |", row.what));
        }
        lines.join("\n")
    }
}
