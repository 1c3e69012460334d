//! The value of a column, to be compared with another one and bound.

use crate::script::Script;
use std::borrow::Cow;

/// The value of a column, borrowed from its row where it can be.
#[derive(Debug, PartialEq)]
pub(super) enum Value<'a> {
    Null,
    Integer(i64),
    Real(f64),
    Text(Cow<'a, str>),
}

impl Value<'_> {
    pub(super) fn bind(self, script: &mut Script) {
        match self {
            Self::Null => script.bind(None::<i64>),
            Self::Integer(number) => script.bind(number),
            Self::Real(number) => script.bind(number),
            Self::Text(text) => script.text(&text),
        };
    }
}

impl From<bool> for Value<'_> {
    fn from(value: bool) -> Self {
        Self::Integer(value.into())
    }
}

impl From<u32> for Value<'_> {
    fn from(value: u32) -> Self {
        Self::Integer(value.into())
    }
}

impl From<i64> for Value<'_> {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<u64> for Value<'_> {
    fn from(value: u64) -> Self {
        Self::Integer(value.cast_signed())
    }
}

impl From<f64> for Value<'_> {
    fn from(value: f64) -> Self {
        Self::Real(value)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(value: &'a str) -> Self {
        Self::Text(value.into())
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(value: &'a String) -> Self {
        Self::Text(value.as_str().into())
    }
}

impl From<String> for Value<'_> {
    fn from(value: String) -> Self {
        Self::Text(value.into())
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}
