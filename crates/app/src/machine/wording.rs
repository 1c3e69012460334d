//! Causes of other crates, for people.

use careful::GaveUp;
use protocol::{Text, say};

/// The reason why a folder was given up.
pub(super) fn of_gave_up(why: &GaveUp) -> Text {
    let text = match why {
        GaveUp::Hangs => say::place_hangs(),
        GaveUp::TooMuchHangs => say::place_too_many(),
        GaveUp::Elsewhere => say::place_elsewhere(),
        GaveUp::Failed => say::place_failed(),
    };
    text.in_english(why.to_string())
}
