use crate::{LANGUAGES, TEXTS, sent, text_in, worded};
use rstest::rstest;
use std::collections::BTreeMap;

fn in_language(tag: &str) -> usize {
    LANGUAGES.iter().position(|(known, _)| *known == tag).expect("a language")
}

#[rstest]
#[case("en", "1 session needs you", "3 sessions need you", "a {name} failed")]
#[case("de", "1 Sitzung mit Handlungsbedarf", "3 Sitzungen mit Handlungsbedarf", "a {name} ist fehlgeschlagen")]
#[case("es", "1 sesión requiere atención", "3 sesiones requieren atención", "a {name} falló")]
#[case("ja", "1 件のセッションが要対応", "3 件のセッションが要対応", "a {name} が失敗しました")]
#[case("zh-Hans", "1 个会话待处理", "3 个会话待处理", "a {name} 失败")]
fn a_text_has_the_form_that_its_language_asks_for(
    #[case] tag: &str,
    #[case] one: &str,
    #[case] three: &str,
    #[case] failed: &str,
) {
    let language = in_language(tag);
    let needs = |count: &str| text_in(language, "desktop_several_need", &[("count", count.to_owned())]);
    assert_eq!((needs("1").as_str(), needs("3").as_str()), (one, three));
    let inputs = [("end", "failed".to_owned()), ("name", "a {name}".to_owned())];
    assert_eq!(text_in(language, "desktop_ended", &inputs), failed);
}

#[test]
fn every_language_has_every_text() {
    let names = |language: usize| TEXTS[language].keys().collect::<Vec<_>>();
    assert!(names(0).len() > 200);
    for (language, (tag, _)) in LANGUAGES.iter().enumerate() {
        assert_eq!(names(language), names(0), "{tag}");
    }
}

#[test]
fn what_a_gateway_sent_is_worded_and_what_is_not_known_is_not() {
    let params = BTreeMap::from([("name".to_owned(), "a {b}".to_owned())]);
    assert!(sent("session_unknown", &params).is_some_and(|text| text.contains("\"a {b}\"")));
    assert_eq!(sent("of_a_later_version", &params), None);
    let german = in_language("de");
    assert_eq!(worded(german, "status", "in_progress"), "in Arbeit");
    assert_eq!(worded(german, "status", "of_a_later_version"), "of_a_later_version");
    assert_eq!(worded(german, "name", "in_progress"), "in_progress");
}
