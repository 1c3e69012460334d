//! JSON of everything that has fields: they stand among its other keys.
//!
//! Reading by `serde(flatten)` would first hold every key and value in memory. Here each key is looked at once: it is
//! one of a field, or goes on to the struct.

use super::value::FieldValue;
use super::{Fields, FieldsRead, Member};
use serde::de::value::StrDeserializer;
use serde::de::{DeserializeSeed, Error, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer, forward_to_deserialize_any};
use std::fmt;

/// The keys that the fields have in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// On the wire: `dependsOn`.
    Wire,
    /// In stored edits and drafts: `depends_on`.
    Stored,
    /// In the rows of items, short since every revision of an item repeats them: `d`. Fields that have columns of their
    /// own are left out.
    Row,
}

impl Names {
    pub(super) fn key(self, wire: &'static str, stored: &'static str, row: &'static str) -> &'static str {
        match self {
            Self::Wire => wire,
            Self::Stored => stored,
            Self::Row => row,
        }
    }
}

pub(super) fn write_entry<M: SerializeMap, T: FieldValue + Serialize>(
    map: &mut M,
    key: &'static str,
    value: &T,
) -> Result<(), M::Error> {
    let is_written = !key.is_empty() && (T::IN_ALL || *value != T::default());
    if is_written { map.serialize_entry(key, value) } else { Ok(()) }
}

impl Fields {
    /// Writes the fields that are set under these names.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize_as<S: Serializer>(&self, names: Names, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.write(names, &mut map)?;
        map.end()
    }

    pub(crate) fn wire<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.serialize_as(Names::Wire, serializer)
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.serialize_as(Names::Stored, serializer)
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct NothingElse {}
        let (NothingElse {}, fields) =
            read_with_fields(Names::Stored, deserializer, |rest| NothingElse::deserialize(rest))?;
        Ok(fields)
    }
}

/// Reads a struct whose fields stand among its other keys; `read_others` reads the struct from those.
///
/// # Errors
/// Those of the deserializer; a key that comes twice; on the wire, an item without content or status.
pub fn read_with_fields<'de, D: Deserializer<'de>, T>(
    names: Names,
    deserializer: D,
    read_others: impl FnOnce(Others<'_, D>) -> Result<T, D::Error>,
) -> Result<(T, Fields), D::Error> {
    let mut fields = FieldsRead::default();
    let others = read_others(Others { inner: deserializer, names, fields: &mut fields })?;
    Ok((others, fields.complete(names)?))
}

/// Makes the fields of a struct reachable as its own, and its JSON one with them: that of the struct itself comes from
/// `derive` with `remote = "Self"`.
macro_rules! has_fields {
    ($type:ty, $names:expr) => {
        impl std::ops::Deref for $type {
            type Target = $crate::Fields;

            fn deref(&self) -> &$crate::Fields {
                &self.fields
            }
        }

        impl std::ops::DerefMut for $type {
            fn deref_mut(&mut self) -> &mut $crate::Fields {
                std::sync::Arc::make_mut(&mut self.fields)
            }
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
                Self::serialize(self, serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
                let read = $crate::read_with_fields($names, deserializer, |others| Self::deserialize(others));
                read.map(|(others, fields)| Self { fields: fields.into(), ..others })
            }
        }
    };
}
pub(crate) use has_fields;

/// A map without the keys of fields, whose values go into `fields`.
pub struct Others<'f, T> {
    inner: T,
    names: Names,
    fields: &'f mut FieldsRead,
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Others<'_, D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_map(Others { inner: visitor, names: self.names, fields: self.fields })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Others<'_, V> {
    type Value = V::Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(formatter)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(Others { inner: map, names: self.names, fields: self.fields })
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Others<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        let mut seed = seed;
        loop {
            match self.inner.next_key_seed(Key { names: self.names, of_others: seed })? {
                None => return Ok(None),
                Some(Either::Other(key)) => return Ok(Some(key)),
                Some(Either::Field(member, of_others)) => {
                    self.fields.take(member, &mut self.inner)?;
                    seed = of_others;
                }
            }
        }
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, A::Error> {
        self.inner.next_value_seed(seed)
    }
}

/// Reads a key, which is the key of a field or one of the others.
struct Key<K> {
    names: Names,
    of_others: K,
}

enum Either<K, T> {
    Field(Member, K),
    Other(T),
}

impl<'de, K: DeserializeSeed<'de>> DeserializeSeed<'de> for Key<K> {
    type Value = Either<K, K::Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl<'de, K: DeserializeSeed<'de>> Visitor<'de> for Key<K> {
    type Value = Either<K, K::Value>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Self::Value, E> {
        match Member::with_key(self.names, key) {
            Some(member) => Ok(Either::Field(member, self.of_others)),
            None => self.of_others.deserialize(StrDeserializer::new(key)).map(Either::Other),
        }
    }
}
