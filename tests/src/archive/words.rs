//! Words for lists that look like those of coding agents.

use rand::Rng;
use rand::seq::IndexedRandom;

const DEEDS: [(&str, &str); 16] = [
    ("Fix", "Fixing"),
    ("Add", "Adding"),
    ("Refactor", "Refactoring"),
    ("Test", "Testing"),
    ("Document", "Documenting"),
    ("Review", "Reviewing"),
    ("Update", "Updating"),
    ("Investigate", "Investigating"),
    ("Rename", "Renaming"),
    ("Migrate", "Migrating"),
    ("Speed up", "Speeding up"),
    ("Remove", "Removing"),
    ("Validate", "Validating"),
    ("Replace", "Replacing"),
    ("Log", "Logging"),
    ("Simplify", "Simplifying"),
];

const THINGS: [&str; 32] = [
    "the token parser",
    "the retry of uploads",
    "the login form",
    "the rate limit",
    "the import of transcripts",
    "the settings page",
    "the résumé export",
    "the invoice totals",
    "the search index",
    "the session cookie",
    "the WebSocket reconnect",
    "the error messages",
    "the build cache",
    "the database pool",
    "the keyboard shortcuts",
    "the feature flags",
    "the date picker",
    "the command line help",
    "the locale fallback",
    "the webhook signatures",
    "the queue consumer",
    "the dark theme",
    "the image pipeline",
    "the CSV reader",
    "the OpenAPI schema",
    "the background jobs",
    "the file watcher",
    "the permission checks",
    "the release workflow",
    "the memory profile",
    "the onboarding texts",
    "the audit log",
];

const PLACES: [&str; 24] = [
    "in src/lexer.rs",
    "in the API",
    "for Windows paths",
    "for empty input",
    "after a restart",
    "behind a proxy",
    "with unit tests",
    "with a recorded fixture",
    "of the café service",
    "in packages/core",
    "for long names",
    "when the disk is full",
    "on slow networks",
    "without breaking callers",
    "as the issue asks",
    "in the mobile view",
    "under load",
    "for two accounts",
    "in the worker",
    "before the first paint",
    "in `parse_header`",
    "for right-to-left text",
    "with the new client",
    "across time zones",
];

const NOTES: [&str; 8] = [
    "The failing case is in tests/fixtures/17.json; it needs a trailing comma.",
    "Two callers depend on the old order, keep it for them.",
    "Measured 340 ms before, aim for 50.",
    "See the discussion in the pull request: the name stays public.",
    "Only on the staging environment so far.",
    "Blocked until the schema is agreed on.",
    "The user wants this in a separate commit.",
    "Documentation says otherwise, but the server answers 204.",
];

/// A step's text and its active form.
pub(super) fn step(random: &mut impl Rng) -> (String, String) {
    let (deed, active) = pick(random, &DEEDS);
    let thing = pick(random, &THINGS);
    let place = if random.random_bool(0.7) { format!(" {}", pick(random, &PLACES)) } else { String::new() };
    // Numbers make words that are rare in the archive.
    let number = if random.random_bool(0.2) { format!(" (#{})", random.random_range(1..5_000)) } else { String::new() };
    (format!("{deed} {thing}{place}{number}"), format!("{active} {thing}{place}{number}"))
}

pub(super) fn note(random: &mut impl Rng) -> &'static str {
    pick(random, &NOTES)
}

/// A user's prompt.
pub(super) fn prompt(random: &mut impl Rng) -> String {
    let (deed, _) = pick(random, &DEEDS);
    format!("{deed} {} {}", pick(random, &THINGS), pick(random, &PLACES))
}

pub(super) fn pick<T: Copy>(random: &mut impl Rng, words: &[T]) -> T {
    *words.choose(random).unwrap_or(&words[0])
}
