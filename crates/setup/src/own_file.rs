//! A file that is ours as a whole: an extension, or a program that an agent runs as its hook.

use crate::server::Ours;
use crate::status::Registration;
use agents::OurCommand;

/// The text of such a file.
pub(crate) type Text = fn(&OurCommand<'_>) -> String;

/// The state of a file with this text; empty where there is none.
pub(crate) fn look(text: &str, ours: &Ours, own: Text) -> Registration {
    match () {
        () if text.is_empty() => Registration::Absent,
        () if text == ours.file(own) => Registration::Ours,
        () if is_ours(text, ours) => Registration::Outdated("another version of the file".to_owned()),
        () => Registration::Other("a file that is not ours".to_owned()),
    }
}

/// Our text, unless the file is somebody else's and stays.
pub(crate) fn connect(text: &str, ours: &Ours, own: Text, replace: bool) -> String {
    if text.is_empty() || replace || is_ours(text, ours) { ours.file(own) } else { text.to_owned() }
}

/// Nothing, unless the file is somebody else's and stays.
pub(crate) fn disconnect(text: &str, ours: &Ours) -> String {
    if is_ours(text, ours) { String::new() } else { text.to_owned() }
}

/// Returns whether a text is ours at any version: it names our command for this agent.
fn is_ours(text: &str, ours: &Ours) -> bool {
    let named = |word| text.contains(&format!("{word} {}", ours.agent_name()));
    text.to_lowercase().contains(agents::SERVER) && (named("hook") || named("connect"))
}
