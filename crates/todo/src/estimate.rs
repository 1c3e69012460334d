//! Estimates in minutes.

use jiff::{SpanRelativeTo, Unit};

/// Minutes in an estimate such as `30min`, `2hrs`, `1h 30m` or `90` (minutes), rounded up; `None` where it is none.
///
/// A day is 24 hours: an estimate is held against the time that passed. Years and months are no estimates of a step.
#[must_use]
pub fn minutes(text: &str) -> Option<u32> {
    let text = text.trim().trim_start_matches('~').trim_start();
    let minutes = match text.parse::<f64>() {
        Ok(minutes) => minutes,
        Err(_) => {
            let span: jiff::Span = jiff::fmt::friendly::SpanParser::new().parse_span(text).ok()?;
            span.total((Unit::Minute, SpanRelativeTo::days_are_24_hours())).ok()?
        }
    };
    // A list of this size at most; the cast then loses nothing.
    (0.0..=10_000_000.0).contains(&minutes).then(|| minutes.ceil() as u32)
}

#[cfg(test)]
mod tests {
    use super::minutes;
    use rstest::rstest;

    #[rstest]
    #[case("5min", Some(5))]
    #[case("30 min", Some(30))]
    #[case("30 minutes", Some(30))]
    #[case("2hrs", Some(120))]
    #[case("2 hours", Some(120))]
    #[case("1h 30m", Some(90))]
    #[case("1.5h", Some(90))]
    #[case("90", Some(90))]
    #[case("~15min", Some(15))]
    #[case("45s", Some(1))]
    #[case("1 day", Some(1440))]
    #[case("0", Some(0))]
    #[case("", None)]
    #[case("soon", None)]
    #[case("-5min", None)]
    #[case("NaN", None)]
    #[case("1e300", None)]
    #[case("3 years", None)]
    #[case("99999999999 hours", None)]
    fn read(#[case] text: &str, #[case] expected: Option<u32>) {
        assert_eq!(minutes(text), expected, "{text:?}");
    }
}
