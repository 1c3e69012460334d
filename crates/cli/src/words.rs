//! Words for people in the language of the terminal: texts of the catalogue, errors, times, spans and steps.

pub(crate) use catalogue::{text, word};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use protocol::{Commanded, Edited, Text, TextPart, TextRef};
use std::collections::BTreeMap;

/// Takes the language of the environment. What programs read, and what speaks for an agent, stays English.
pub(crate) fn choose(is_for_people: bool) {
    if is_for_people {
        let variable = |name: &str| std::env::var(name).ok();
        catalogue::choose(catalogue::of_environment(variable));
    }
}

/// A text that the gateway sent: by its name, or in English where this build does not know the name.
pub(crate) fn sent(english: &str, text: Option<&TextRef>) -> String {
    let known = text.filter(|_| !catalogue::is_english()).and_then(catalogue::sent);
    known.unwrap_or_else(|| english.to_owned())
}

/// Several of them, each with its text where all have one.
pub(crate) fn all_sent(english: &[String], texts: &[TextRef]) -> impl Iterator<Item = String> {
    english.iter().enumerate().map(|(at, words)| sent(words, texts.get(at)))
}

/// The words of an edit.
pub(crate) fn of_edit(edited: &Edited) -> String {
    sent(&edited.message, edited.text.as_ref())
}

/// The answer to a typed command; a command that it names is one of the terminal.
pub(crate) fn of_command(commanded: &Commanded) -> String {
    let part = |part: &TextPart| match part {
        TextPart::Words(words) => Some(words.clone()),
        TextPart::Text(text) if text.name == "lists_next" => {
            let here = |(name, typed): (&String, &String)| (name.clone(), typed.replacen("/todo", "sightline todo", 1));
            catalogue::sent(&TextRef { params: text.params.iter().map(here).collect(), ..text.clone() })
        }
        // P7 has the English words of statuses to the letter.
        TextPart::Text(text) if catalogue::is_english() && text.name == "lists_counted" => {
            Some(format!("{} {}", text.params.get("count")?, text.params.get("status")?))
        }
        TextPart::Text(text) => catalogue::sent(text),
    };
    let worded: Option<String> = commanded.parts.iter().map(part).collect();
    // An older gateway has no parts, and a newer one may have others.
    worded.filter(|worded| !worded.is_empty()).unwrap_or_else(|| commanded.output.clone())
}

/// An error with its causes.
pub(crate) fn of_error(error: &anyhow::Error) -> String {
    // One that was said besides its cause is found by the whole error only.
    let beside = error.downcast_ref::<Text>();
    let cause = |cause: &(dyn std::error::Error + 'static)| {
        if let Some(error) = cause.downcast_ref::<protocol::Error>() {
            return sent(&error.message, error.text.as_ref());
        }
        if let Some(text) = cause.downcast_ref::<Text>() {
            return sent(&text.english, text.named.as_ref());
        }
        match cause.downcast_ref::<setup::Error>() {
            Some(error) => {
                let text = error.text();
                sent(&text.english, text.named.as_ref())
            }
            None => {
                let english = cause.to_string();
                let text = beside.filter(|text| text.english == english);
                sent(&english, text.and_then(|text| text.named.as_ref()))
            }
        }
    };
    error.chain().map(cause).collect::<Vec<_>>().join(": ")
}

/// A word of the wire, such as a status, a right or a field.
pub(crate) fn of_wire(kind: &str, value: &str) -> String {
    let named = format!("gateway_{kind}_{value}");
    if catalogue::is_english() { value.to_owned() } else { catalogue::known(&named).unwrap_or(value).to_owned() }
}

/// A span as people say it: `4 min`.
pub(crate) fn span(seconds: i64) -> String {
    const HOUR: i64 = 3600;
    const DAY: i64 = 24 * HOUR;
    match seconds {
        s if s < 60 => text("terminal_seconds", &[("count", &s.max(0))]),
        s if s < HOUR => text("terminal_minutes", &[("count", &(s / 60))]),
        s if s < DAY => text("terminal_hours", &[("hours", &(s / HOUR)), ("minutes", &(s % HOUR / 60))]),
        s => text("terminal_days", &[("count", &(s / DAY))]),
    }
}

/// The age of a time: `4 min ago`.
pub(crate) fn ago(at: Timestamp, now: Timestamp) -> String {
    text("terminal_ago", &[("span", &span(now.as_second() - at.as_second()))])
}

/// The day of a time, here.
pub(crate) fn day(at: Timestamp) -> String {
    let day = at.to_zoned(TimeZone::system()).date();
    let (year, month, day) = (format!("{:04}", day.year()), format!("{:02}", day.month()), format!("{:02}", day.day()));
    text("terminal_date", &[("year", &year), ("month", &month), ("day", &day)])
}

/// A time to the second, here.
pub(crate) fn time(at: Timestamp) -> String {
    let here = at.to_zoned(TimeZone::system());
    let two = |number: i8| format!("{number:02}");
    let (hours, minutes, seconds) = (two(here.hour()), two(here.minute()), two(here.second()));
    let inputs: [(&str, &dyn std::fmt::Display); 4] =
        [("date", &day(at)), ("hours", &hours), ("minutes", &minutes), ("seconds", &seconds)];
    text("terminal_time", &inputs)
}

/// True if somebody typed one of the words of a text.
pub(crate) fn is_one_of(typed: &str, words: &str) -> bool {
    let typed = typed.trim().to_lowercase();
    !typed.is_empty() && word(words).split(' ').any(|word| word == typed)
}

/// The parameters of an error's text, where it has one of that name.
pub(crate) fn params<'a>(error: &'a protocol::Error, name: &str) -> Option<&'a BTreeMap<String, String>> {
    error.text.as_ref().filter(|text| text.name == name).map(|text| &text.params)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    /// The sources of the command, without this file's tests.
    fn sources() -> String {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
        let files = std::fs::read_dir(folder).expect("the sources are there").map(|file| file.expect("a file").path());
        files.filter(|file| file.is_file()).map(|file| std::fs::read_to_string(file).expect("it is text")).collect()
    }

    #[test]
    fn every_text_is_used_and_every_name_is_there() {
        let sources = sources();
        let used: BTreeSet<&str> =
            sources.split("\"terminal_").skip(1).filter_map(|rest| Some(rest.split_once('"')?.0)).collect();
        let known: BTreeSet<&str> =
            catalogue::keys("terminal").filter_map(|key| key.strip_prefix("terminal_")).collect();
        // Some names are put together from a beginning and a word.
        let begun =
            |name: &str| used.iter().filter_map(|used| used.split_once('{')).any(|(start, _)| name.starts_with(start));
        let unused: Vec<&&str> =
            known.iter().filter(|name| !used.contains(*name) && !begun(name) && **name != "number_group").collect();
        assert_eq!(unused, Vec::<&&str>::new(), "used nowhere");
        let unknown: Vec<&&str> =
            used.iter().filter(|name| !name.is_empty() && !name.contains('{') && !known.contains(*name)).collect();
        assert_eq!(unknown, Vec::<&&str>::new(), "not in the catalogue");
    }
}
