//! JSON that others wrote, read without holding more of it than is needed.
//!
//! A megabyte of small values takes forty as [`Value`]s. Here a text is taken apart where it stands, and what is made of
//! a part of it is bounded in its number of values and in bytes: the rest is left out.

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};
use std::borrow::Cow;
use std::fmt;

/// The most levels of arrays and objects.
const DEPTH: usize = 64;

/// The longest name of a member that is kept, in bytes.
const NAME_BYTES: usize = 1024;

/// The most that is made of a text.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// Values, each member of an array or object one.
    pub values: usize,
    /// Bytes of texts and names.
    pub bytes: usize,
}

/// Reads a text as far as the budget goes. Longer texts in it are cut, further members are left out.
///
/// # Errors
/// Where it is not JSON.
pub fn value(json: &[u8], budget: Budget) -> serde_json::Result<Value> {
    let mut left = budget;
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    let value = BoundedValue { left: &mut left, depth: DEPTH }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// The members of these names in an object, as they stand in its text; of one that is there twice the last. `None` where
/// the text is something else.
///
/// # Errors
/// Where it is not JSON.
pub(crate) fn members<'a, const N: usize>(
    json: &'a [u8],
    names: [&str; N],
) -> serde_json::Result<Option<[Option<&'a RawValue>; N]>> {
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    let members = match deserializer.deserialize_map(Members(names)) {
        Ok(members) => members,
        // The text is JSON all the same, or is not.
        Err(error) if error.is_data() => return serde_json::from_slice::<IgnoredAny>(json).map(|_| None),
        Err(error) => return Err(error),
    };
    deserializer.end()?;
    Ok(Some(members))
}

/// The text of a value that is one.
pub(crate) fn text(value: &RawValue) -> Option<Cow<'_, str>> {
    // Borrowed where nothing in it is escaped.
    #[derive(Deserialize)]
    struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
    serde_json::from_str::<Text<'_>>(value.get()).ok().map(|Text(text)| text)
}

struct Members<'n, const N: usize>([&'n str; N]);

impl<'de, const N: usize> Visitor<'de> for Members<'_, N> {
    type Value = [Option<&'de RawValue>; N];

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = [None; N];
        while let Some(at) = map.next_key_seed(Name(&self.0))? {
            match at {
                Some(at) => found[at] = Some(map.next_value()?),
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(found)
    }
}

/// The place of a member's name among those that are looked for.
struct Name<'n>(&'n [&'n str]);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = Option<usize>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|known| *known == name))
    }
}

/// A value within a budget.
struct BoundedValue<'b> {
    left: &'b mut Budget,
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for BoundedValue<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        if self.left.values == 0 || self.depth == 0 {
            return IgnoredAny::deserialize(deserializer).map(|_| Value::Null);
        }
        self.left.values -= 1;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for BoundedValue<'_> {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Value, E> {
        let text = &text[..text.floor_char_boundary(self.left.bytes)];
        self.left.bytes -= text.len();
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while self.left.values > 0 {
            let seed = BoundedValue { left: &mut *self.left, depth: self.depth - 1 };
            match seq.next_element_seed(seed)? {
                Some(value) => values.push(value),
                None => return Ok(Value::Array(values)),
            }
        }
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(name) = map.next_key_seed(ShortName)? {
            let name = name.filter(|name| self.left.values > 0 && name.len() <= self.left.bytes);
            match name {
                Some(name) => {
                    self.left.bytes -= name.len();
                    members.insert(
                        name,
                        map.next_value_seed(BoundedValue { left: &mut *self.left, depth: self.depth - 1 })?,
                    );
                }
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(Value::Object(members))
    }
}

/// The name of a member; `None` for one that nobody looks for.
struct ShortName;

impl<'de> DeserializeSeed<'de> for ShortName {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for ShortName {
    type Value = Option<String>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok((name.len() <= NAME_BYTES).then(|| name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    const MUCH: Budget = Budget { values: 1_000, bytes: 10_000 };

    #[rstest]
    #[case(json!(null))]
    #[case(json!([1, -2, 2.5, true, "a\n\u{1b}ä", [], {}, {"a": {"b": [null]}}]))]
    #[case(json!({"b": 1, "a": [{"c": u64::MAX, "d": i64::MIN}]}))]
    fn what_is_within_its_budget_is_whole(#[case] said: Value) {
        let text = said.to_string();
        assert_eq!(value(text.as_bytes(), MUCH).expect("it is JSON"), said);
    }

    #[test]
    fn what_exceeds_its_budget_is_left_out() {
        let read = |said: Value, values, bytes| value(said.to_string().as_bytes(), Budget { values, bytes });
        assert_eq!(read(json!([1, 2, 3]), 3, 9).expect("JSON"), json!([1, 2]), "the array is a value, too");
        assert_eq!(read(json!({"a": 1, "b": 2, "c": 3}), 3, 9).expect("JSON"), json!({"a": 1, "b": 2}));
        assert_eq!(read(json!([["ä".repeat(9), "b"], "c"]), 9, 5).expect("JSON"), json!([["ää", "b"], ""]));
        assert_eq!(read(json!({"a".repeat(2_000): 1, "b": 2}), 9, 9_000).expect("JSON"), json!({"b": 2}));
    }

    #[rstest]
    #[case("[".repeat(1_000_000) + &"]".repeat(1_000_000), true)]
    #[case("[".repeat(1_000_000), false)]
    #[case("[1,2".to_owned(), false)]
    #[case("[] []".to_owned(), false)]
    #[case(String::new(), false)]
    fn what_is_json_is_known_at_any_depth(#[case] text: String, #[case] is_json: bool) {
        assert_eq!(value(text.as_bytes(), MUCH).is_ok(), is_json);
        assert_eq!(members(text.as_bytes(), ["a"]).is_ok_and(|members| members.is_none()), is_json);
    }

    #[test]
    fn members_are_as_they_stand_and_the_last_counts() {
        let json = br#"{"a": 1, "c": {"a": 5}, "b": [1, 2], "\u0061": "x\ny"}"#;
        let [a, b, d] = members(json, ["a", "b", "d"]).expect("JSON").expect("an object");
        assert_eq!(a.map(RawValue::get), Some(r#""x\ny""#));
        assert_eq!(a.and_then(text).as_deref(), Some("x\ny"));
        assert_eq!(b.map(RawValue::get), Some("[1, 2]"));
        assert_eq!((b.and_then(text), d.map(RawValue::get)), (None, None));
    }
}
