//! Tags that the user gives to sessions.
//!
//! A tag is one word in lower case, so that it stands for the same in every session however it was typed.

use protocol::{Code, Error, Result, say};
use todo::text::plain;

/// Tags that a session may have.
const MOST: usize = 12;

/// Characters of a tag.
const CHARS: usize = 32;

/// Characters that separate tags where they are typed, or that mean something else there.
const RESERVED: &str = "#,;\"'`<>&|\\";

/// A tag as it is stored, of how it was typed.
///
/// # Errors
/// `INVALID_MESSAGE` where it cannot be one.
pub(crate) fn tag(typed: &str) -> Result<String> {
    let typed = typed.trim();
    let tag = typed.strip_prefix('#').unwrap_or(typed).to_lowercase();
    let problem = if tag.is_empty() {
        "empty".to_owned()
    } else if tag.chars().count() > CHARS {
        format!("{} characters long", tag.chars().count())
    } else if tag.chars().any(char::is_whitespace) {
        "several words".to_owned()
    } else if let Some(reserved) = tag.chars().find(|c| RESERVED.contains(*c)) {
        format!("with {reserved} in it")
    } else if plain(&tag) != tag {
        "with characters that cannot be seen".to_owned()
    } else {
        return Ok(tag);
    };
    let message = format!("a tag is one word of 1 to {CHARS} characters without {RESERVED}, this one is {problem}");
    Err(Error::new(Code::InvalidMessage, say::tag_form(CHARS, RESERVED).in_english(message)))
}

/// Takes tags from a session and gives it others.
///
/// # Errors
/// `INVALID_MESSAGE` for what cannot be a tag, or where there would be too many.
pub(crate) fn change(tags: &mut Vec<String>, added: &[String], removed: &[String]) -> Result<()> {
    for typed in removed {
        let gone = tag(typed)?;
        tags.retain(|known| *known != gone);
    }
    for typed in added {
        let new = tag(typed)?;
        if !tags.contains(&new) {
            tags.push(new);
        }
    }
    if tags.len() > MOST {
        return Err(Error::new(Code::InvalidMessage, say::tags_full(MOST, tags.len())));
    }
    Ok(())
}

/// Gives a session the tags of another as far as there is room.
pub(crate) fn unite(tags: &mut Vec<String>, others: &[String]) {
    for other in others {
        if tags.len() < MOST && !tags.contains(other) {
            tags.push(other.clone());
        }
    }
}

/// Returns whether a session that is imported could have got its tags here.
pub(crate) fn are_tags(tags: &[String]) -> bool {
    let mut known = Vec::new();
    change(&mut known, tags, &[]).is_ok() && known == tags
}

#[cfg(test)]
mod tests {
    use super::{CHARS, MOST, are_tags, change, tag};
    use rstest::rstest;

    #[rstest]
    #[case("billing", Some("billing"))]
    #[case(" #Billing ", Some("billing"))]
    #[case("RELEASE-2.0", Some("release-2.0"))]
    #[case("größe", Some("größe"))]
    #[case("緊急", Some("緊急"))]
    #[case("प्रयोग", Some("प्रयोग"))]
    #[case("🔥", Some("🔥"))]
    #[case("team/infra:q4", Some("team/infra:q4"))]
    #[case("", None)]
    #[case("#", None)]
    #[case("two words", None)]
    #[case("a,b", None)]
    #[case("<b>bold</b>", None)]
    #[case("a&amp;b", None)]
    #[case("a\u{202e}b", None)]
    #[case("a\u{200b}b", None)]
    #[case("a\nb", None)]
    #[case("a\u{1b}b", None)]
    fn a_tag_is_one_visible_word_in_lower_case(#[case] typed: &str, #[case] stored: Option<&str>) {
        assert_eq!(tag(typed).ok().as_deref(), stored);
    }

    #[test]
    fn a_session_has_each_tag_once_and_not_too_many() {
        assert!(tag(&"x".repeat(CHARS)).is_ok());
        assert!(tag(&"x".repeat(CHARS + 1)).is_err());
        let mut tags = vec!["a".to_owned()];
        change(&mut tags, &["A".to_owned(), "#b".to_owned()], &[]).expect("both are tags");
        assert_eq!(tags, ["a", "b"]);
        change(&mut tags, &["c".to_owned()], &["B".to_owned(), "never".to_owned()]).expect("it is taken away");
        assert_eq!(tags, ["a", "c"]);
        let many: Vec<String> = (0..=MOST).map(|at| format!("t{at}")).collect();
        assert!(change(&mut Vec::new(), &many[..MOST], &[]).is_ok());
        assert!(change(&mut Vec::new(), &many, &[]).is_err());
        assert!(!are_tags(&many));
        assert!(!are_tags(&["A".to_owned()]), "as it is stored");
        assert!(!are_tags(&["a".to_owned(), "a".to_owned()]));
        assert!(are_tags(&["a".to_owned(), "b".to_owned()]));
    }
}
