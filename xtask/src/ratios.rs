//! The time for a list of 256 items relative to one of 30, as measured by the benchmark of the list.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The highest ratio that passes: 256 items are 8.5 times as many as 30, and comparing all with all would cost 73
/// times.
const LIMIT: f64 = 15.0;

/// One measurement, in nanoseconds.
struct Row {
    name: String,
    small: f64,
    large: f64,
}

impl Row {
    fn ratio(&self) -> f64 {
        self.large / self.small
    }
}

/// Prints the table of the measurements in criterion's folder.
///
/// # Errors
/// When a ratio is at the limit or over it.
pub(crate) fn print(folder: &Path) -> Result<()> {
    let rows = rows(folder)?;
    println!("\n{}", table(&rows));
    let dear: Vec<&str> = rows.iter().filter(|row| row.ratio() >= LIMIT).map(|row| row.name.as_str()).collect();
    ensure!(
        dear.is_empty(),
        "256 items cost {LIMIT} times what 30 cost, or more: {}\n  What to do: close what else is busy and run it \
         again; if it stays so, look for what goes through the whole list for each item of it",
        dear.join(", ")
    );
    Ok(())
}

/// Reads the folders of the benchmarks, which have one folder for each size and stand in the folder of their group.
fn rows(folder: &Path) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for group in folders(folder)? {
        for name in folders(&folder.join(&group))? {
            let measured = folder.join(&group).join(&name);
            let time = |size: &str| median(&measured.join(size).join("new/estimates.json"));
            // The folders of criterion's reports have no sizes.
            if measured.join("30").is_dir() {
                let (small, large) = (time("30")?, time("256")?);
                rows.push(Row { name: format!("{group} {}", name.replace('_', " ")), small, large });
            }
        }
    }
    ensure!(!rows.is_empty(), "there is nothing measured in {}", folder.display());
    Ok(rows)
}

fn folders(folder: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry?;
        if entry.path().is_dir() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

fn median(file: &Path) -> Result<f64> {
    let text = fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?;
    let estimates: Value = serde_json::from_str(&text).with_context(|| format!("{} is no JSON", file.display()))?;
    let median = estimates["median"]["point_estimate"].as_f64();
    median.with_context(|| format!("{} names no median", file.display()))
}

/// The table in Markdown.
fn table(rows: &[Row]) -> String {
    let micros = |nanos: f64| format!("{:.1} µs", nanos / 1_000.0);
    let mut lines = vec!["| what | 30 items | 256 items | ratio |".to_owned(), "|---|---|---|---|".to_owned()];
    for row in rows {
        lines.push(format!("| {} | {} | {} | {:.1} |", row.name, micros(row.small), micros(row.large), row.ratio()));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::{LIMIT, Row, table};

    #[test]
    fn a_ratio_is_of_the_larger_list_to_the_smaller() {
        let row = Row { name: "parse xml".to_owned(), small: 2_000.0, large: 31_000.0 };
        assert!(row.ratio() > LIMIT);
        assert!(table(&[row]).ends_with("| parse xml | 2.0 µs | 31.0 µs | 15.5 |"));
    }
}
