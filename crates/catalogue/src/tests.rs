use crate::{LANGUAGES, TEXTS, sent, sent_in, text_in, worded};
use rstest::rstest;
use texts::{Text, TextRef, all as say};

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
    let named = |text: Text| text.named.expect("it is in the table");
    assert!(sent(&named(say::session_unknown("a {b}"))).is_some_and(|text| text.contains("\"a {b}\"")));
    let later = TextRef { name: "of_a_later_version".to_owned(), ..named(say::list_empty()) };
    assert_eq!(sent(&later), None);
    let german = in_language("de");
    assert_eq!(worded(german, "status", "in_progress"), "in Arbeit");
    assert_eq!(worded(german, "status", "of_a_later_version"), "of_a_later_version");
    assert_eq!(worded(german, "name", "in_progress"), "in_progress");
}

#[test]
fn a_text_within_a_text_is_in_the_same_language() {
    let german = in_language("de");
    let why = say::place_hangs();
    let text = say::folder_silent("/srv/{x}", &why).with("problem", &why);
    let named = text.named.expect("it is in the table");
    let shown = "/srv/{x} lässt sich nicht lesen: er antwortet nicht. Später erneut versuchen";
    assert_eq!(sent_in(german, &named, 1).as_deref(), Some(shown));
    let later = TextRef { name: "of_a_later_version".to_owned(), ..why.named.expect("it is in the table") };
    let unknown = TextRef { texts: [("problem".to_owned(), later)].into(), ..named };
    assert!(sent_in(german, &unknown, 1).is_some_and(|text| text.contains(": it does not answer.")));
}

#[test]
fn texts_within_each_other_have_an_end() {
    let mut text = say::and_besides("the innermost", "x");
    // Each level doubles it: 1,024 of the innermost.
    for _ in 0..10 {
        text = say::and_besides("deeper", "deeper").with("problem", &text).with("more", &text);
    }
    let shown = sent(&text.named.expect("it is in the table")).expect("it is known");
    assert!(shown.len() < 1_000, "{}", shown.len());
}
