//! The language that the variables of a terminal ask for, as gettext reads them.

use crate::LANGUAGES;

/// The tag of the language: `LANGUAGE` has several, best first, and counts only where `LC_ALL`, `LC_MESSAGES` or `LANG`
/// (the first that is set) is not `C` or `POSIX`. English where none of them is known.
pub fn of_environment(variable: impl Fn(&str) -> Option<String>) -> &'static str {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    let Some(locale) = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(set) else { return LANGUAGES[0].0 };
    if is_plain(&locale) {
        return LANGUAGES[0].0;
    }
    let listed = set("LANGUAGE").unwrap_or_default();
    let wanted = listed.split(':').filter(|tag| !tag.is_empty()).chain([locale.as_str()]);
    wanted.filter_map(known).next().unwrap_or(LANGUAGES[0].0)
}

/// `C`, `C.UTF-8`, `POSIX`
fn is_plain(locale: &str) -> bool {
    matches!(locale.split(['.', '@']).next(), Some("C" | "POSIX"))
}

/// The language of ours for a locale such as `de_AT.UTF-8@euro`. Chinese is ours where it is written in simplified letters.
fn known(locale: &str) -> Option<&'static str> {
    let locale = locale.split(['.', '@']).next().unwrap_or_default().replace('_', "-").to_lowercase();
    let mut parts = locale.split('-');
    let language = parts.next().unwrap_or_default();
    if language == "zh" {
        let is_traditional = parts.any(|part| matches!(part, "tw" | "hk" | "mo" | "hant"));
        return (!is_traditional).then_some("zh-Hans");
    }
    LANGUAGES.iter().map(|(tag, _)| *tag).find(|tag| *tag == language)
}

#[cfg(test)]
mod tests {
    use super::of_environment;
    use rstest::rstest;

    #[rstest]
    #[case(&[], "en")]
    #[case(&[("LANG", "de_DE.UTF-8")], "de")]
    #[case(&[("LANG", "de_AT@euro")], "de")]
    #[case(&[("LANG", "ja_JP.UTF-8"), ("LC_MESSAGES", "es_MX.UTF-8")], "es")]
    #[case(&[("LANG", "ja_JP.UTF-8"), ("LC_MESSAGES", "es_ES"), ("LC_ALL", "zh_CN.UTF-8")], "zh-Hans")]
    #[case(&[("LANG", "zh_TW.UTF-8")], "en")]
    #[case(&[("LANG", "zh_Hans_SG")], "zh-Hans")]
    #[case(&[("LANG", "fr_FR.UTF-8")], "en")]
    #[case(&[("LANG", "fr_FR.UTF-8"), ("LANGUAGE", "fr:it:es:de")], "es")]
    #[case(&[("LANG", "de_DE.UTF-8"), ("LANGUAGE", "en_GB:de")], "en")]
    #[case(&[("LANG", "C.UTF-8"), ("LANGUAGE", "de")], "en")]
    #[case(&[("LANG", "de_DE.UTF-8"), ("LC_ALL", "C")], "en")]
    #[case(&[("LANG", "de_DE.UTF-8"), ("LC_ALL", ""), ("LANGUAGE", "")], "de")]
    fn the_language_is_that_of_the_environment(#[case] set: &[(&str, &str)], #[case] tag: &str) {
        let variable = |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        assert_eq!(of_environment(variable), tag);
    }
}
