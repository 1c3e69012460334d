//! Texts of the desktop in the language of the window: `ui/messages/LANGUAGE/desktop.json`.
//!
//! The page decides on the language and tells it; until it did, it is that of the last start, which a file keeps.

use std::fmt::Display;
use std::path::Path;

pub(crate) use ::catalogue::language;

/// The file of the data folder that keeps the language.
const KEPT: &str = "language";

/// Takes the language that was kept.
pub(crate) fn load(data_dir: &Path) {
    if let Ok(tag) = std::fs::read_to_string(data_dir.join(KEPT)) {
        ::catalogue::choose(tag.trim());
    }
}

/// Takes and keeps a language; true if it is another one than before.
pub(crate) fn take(tag: &str, data_dir: &Path) -> bool {
    let is_new = ::catalogue::choose(tag);
    if is_new && let Err(error) = std::fs::write(data_dir.join(KEPT), tag) {
        tracing::warn!(%error, "the language could not be kept");
    }
    is_new
}

/// A text without inputs.
pub(crate) fn word(name: &str) -> &'static str {
    ::catalogue::word(&format!("desktop_{name}"))
}

/// A text with its inputs filled in.
pub(crate) fn text(name: &str, inputs: &[(&str, &dyn Display)]) -> String {
    ::catalogue::text(&format!("desktop_{name}"), inputs)
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_text_is_used_and_every_name_is_there() {
        let sources = [include_str!("texts.rs"), include_str!("menus.rs"), include_str!("tray.rs")].concat()
            + include_str!("notifications.rs");
        for name in ::catalogue::keys("desktop") {
            let name = name.trim_start_matches("desktop_");
            assert!(sources.contains(&format!("\"{name}\"")), "{name} is used nowhere");
            let has_forms = ::catalogue::has_forms(&format!("desktop_{name}"));
            assert!(!has_forms || !sources.contains(&format!("word(\"{name}\")")), "{name} has inputs");
        }
        let used = sources.split("word(\"").chain(sources.split(" text(\"")).skip(1);
        for name in used.filter_map(|rest| rest.split_once('"')).map(|(name, _)| name) {
            let is_name = name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_');
            let is_known = ::catalogue::keys("desktop").any(|key| key == format!("desktop_{name}"));
            assert!(!is_name || is_known, "{name} is not in the catalogue");
        }
    }
}
