//! The fields of an item that an agent or the user decides: each is listed once, with its type and its names.

mod json;
mod set;
mod value;

pub(crate) use json::has_fields;
pub use json::{Names, read_with_fields};
pub use set::FieldSet;

use crate::draft::sent::Sent;
use crate::{Priority, Result, Status, short};
use schemars::JsonSchema;
use serde::de::{Error, MapAccess};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use ts_rs::TS;
use value::FieldValue;

/// Makes [`Field`] and [`Fields`] of a table. A row has
/// - the variant of [`Field`], its name in sentences, and the keys under which agents send it, best first;
/// - the member that holds its value, with its key on the wire and in the rows of the store; no key there means a
///   column of its own. A second member may follow that goes with the first.
macro_rules! fields {
    ($(
        $field:ident $sentence:literal $keys:tt {
            $(#[$meta:meta])* $member:ident: $type:ty = $wire:literal $row:literal;
            $($(#[$more_meta:meta])* $more:ident: $more_type:ty = $more_wire:literal $more_row:literal;)?
        }
    )+) => {
        /// Names a field of an item that an agent or the user decides.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub enum Field {
            $(#[doc = concat!("The ", $sentence, ".")] $field,)+
        }

        impl Field {
            /// Every field.
            pub const ALL: [Self; [$($sentence),+].len()] = [$(Self::$field),+];

            /// The name in sentences: `priority`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$field => $sentence,)+ }
            }

            /// The keys under which agents send it, best first.
            pub(crate) fn keys(self) -> &'static [&'static str] {
                match self { $(Self::$field => &$keys,)+ }
            }
        }

        /// The values of all fields: the part of an item that an agent or the user decides.
        #[derive(Debug, Clone, PartialEq, Default, TS, JsonSchema)]
        #[ts(rename_all = "camelCase", optional_fields)]
        #[schemars(rename_all = "camelCase")]
        pub struct Fields {
            $($(#[$meta])* pub $member: $type, $($(#[$more_meta])* pub $more: $more_type,)?)+
        }

        impl Fields {
            /// True if both have the same value in a field.
            #[must_use]
            pub fn same(&self, field: Field, other: &Self) -> bool {
                match field {
                    $(Field::$field => self.$member == other.$member $(&& self.$more == other.$more)?,)+
                }
            }

            /// Takes the value of a field over.
            pub fn copy(&mut self, field: Field, from: &Self) {
                match field {
                    $(Field::$field => {
                        self.$member.clone_from(&from.$member);
                        $(self.$more.clone_from(&from.$more);)?
                    })+
                }
            }

            /// The value of a field as JSON; null where there is none.
            pub(crate) fn value(&self, field: Field) -> Value {
                match field { $(Field::$field => serde_json::to_value(&self.$member).unwrap_or_default(),)+ }
            }

            /// Reads the fields that are sent each under a key of its own and with a meaning of its own.
            pub(crate) fn sent(sent: &mut Sent<'_>) -> Result<Self> {
                Ok(Self { $($member: FieldValue::sent(sent, Field::$field)?, $($more: Default::default(),)?)+ })
            }

            fn write<M: SerializeMap>(&self, names: Names, map: &mut M) -> std::result::Result<(), M::Error> {
                $(
                    json::write_entry(map, names.key($wire, stringify!($member), $row), &self.$member)?;
                    $(json::write_entry(map, names.key($more_wire, stringify!($more), $more_row), &self.$more)?;)?
                )+
                Ok(())
            }
        }

        /// A member of [`Fields`].
        #[derive(Clone, Copy)]
        #[allow(non_camel_case_types, reason = "they are the names of the members")]
        enum Member {
            $($member, $($more,)?)+
        }

        impl Member {
            fn key(self) -> &'static str {
                match self { $(Self::$member => $wire, $(Self::$more => $more_wire,)?)+ }
            }

            fn with_key(names: Names, key: &str) -> Option<Self> {
                match names {
                    Names::Wire => {
                        $(if key == $wire { return Some(Self::$member); }
                        $(if key == $more_wire { return Some(Self::$more); })?)+
                    }
                    Names::Stored => {
                        $(if key == stringify!($member) { return Some(Self::$member); }
                        $(if key == stringify!($more) { return Some(Self::$more); })?)+
                    }
                    Names::Row => {
                        $(if key == $row { return Some(Self::$member); }
                        $(if key == $more_row { return Some(Self::$more); })?)+
                    }
                }
                None
            }
        }

        /// The fields that were read so far.
        #[derive(Default)]
        struct FieldsRead {
            fields: Fields,
            /// A bit for each member that was read.
            seen: u32,
        }

        impl FieldsRead {
            /// Reads the value of a member.
            fn take<'de, A: MapAccess<'de>>(
                &mut self,
                member: Member,
                map: &mut A,
            ) -> std::result::Result<(), A::Error> {
                if self.has(member) {
                    return Err(A::Error::duplicate_field(member.key()));
                }
                self.seen |= 1 << member as u32;
                match member {
                    $(Member::$member => self.fields.$member = map.next_value()?,
                    $(Member::$more => self.fields.$more = map.next_value()?,)?)+
                }
                Ok(())
            }

            fn has(&self, member: Member) -> bool {
                self.seen & (1 << member as u32) != 0
            }

            /// The fields, when those that every item has on the wire were read.
            fn complete<E: Error>(self, names: Names) -> std::result::Result<Fields, E> {
                $(if names == Names::Wire && <$type>::IN_ALL && !self.has(Member::$member) {
                    return Err(E::missing_field($wire));
                })+
                Ok(self.fields)
            }
        }
    };
}

fields! {
    Content "text" ["content"] {
        /// 1 to 2,000 characters.
        content: String = "content" "";
    }
    ActiveForm "activeForm" ["activeForm", "active_form"] {
        /// Shown instead of the content while the item is in progress: "Fixing the parser".
        active_form: Option<String> = "activeForm" "";
    }
    Status "status" ["status"] {
        /// Its state: pending, in progress, completed …
        status: Status = "status" "";
        /// The agent's own word, where it is not one of our statuses.
        status_raw: Option<String> = "statusRaw" "s";
    }
    Priority "priority" ["priority"] {
        /// Its urgency.
        priority: Option<Priority> = "priority" "p";
    }
    Category "category" ["category"] {
        /// A free word, such as `testing`.
        category: Option<String> = "category" "c";
    }
    DependsOn "dependsOn" ["dependsOn", "depends_on", "blockedBy", "dependencies"] {
        /// Items that have to be finished first, as the agent names them.
        #[ts(as = "Option<Vec<String>>")]
        #[schemars(with = "Option<Vec<String>>")]
        depends_on: Vec<String> = "dependsOn" "d";
    }
    Estimate "estimate" ["estimate", "estimatedTime", "estimated_time"] {
        /// The time it should take, in the agent's words: `30min`.
        estimate: Option<String> = "estimate" "e";
    }
    Description "description" ["description"] {
        /// A longer text about it.
        description: Option<String> = "description" "";
    }
    Notes "notes" ["notes"] {
        /// Remarks made on the way.
        notes: Option<String> = "notes" "";
    }
    Owner "owner" ["owner"] {
        /// The agent that has taken it.
        owner: Option<String> = "owner" "w";
    }
    Reason "reason" ["reason"] {
        /// The reason why it was skipped or is blocked.
        reason: Option<String> = "reason" "r";
    }
    Extra "other fields" [] {
        /// Every key that we do not know, as it was sent.
        #[ts(type = "Record<string, unknown>", optional)]
        #[schemars(with = "Option<Map<String, Value>>")]
        extra: Map<String, Value> = "extra" "x";
    }
}

impl Fields {
    /// True if a field has the value that it has when nobody sent it.
    #[must_use]
    pub fn is_unset(&self, field: Field) -> bool {
        !matches!(field, Field::Content | Field::Status) && self.same(field, &Self::default())
    }

    /// The values of some fields in words: `status completed, notes "half way"`.
    #[must_use]
    pub fn in_words(&self, fields: &BTreeSet<Field>) -> String {
        let value = |field: &Field| match self.value(*field) {
            Value::Null => "none".to_owned(),
            Value::String(word) if matches!(field, Field::Status | Field::Priority) => word,
            Value::String(text) => format!("\"{}\"", short(&text)),
            Value::Array(_) if self.depends_on.is_empty() => "none".to_owned(),
            Value::Array(_) => short(&self.depends_on.join(", ")),
            other => short(&other.to_string()),
        };
        fields.iter().map(|field| format!("{} {}", field.name(), value(field))).collect::<Vec<_>>().join(", ")
    }

    /// The values of some fields; the others are empty.
    #[must_use]
    pub fn only(&self, fields: &BTreeSet<Field>) -> Self {
        let mut only = Self::default();
        for field in fields {
            only.copy(*field, self);
        }
        only
    }

    /// Its unknown keys over others; null removes one.
    pub(crate) fn extra_over(&self, old: &Map<String, Value>) -> Map<String, Value> {
        let mut extra = old.clone();
        for (key, value) in &self.extra {
            if value.is_null() {
                extra.remove(key);
            } else {
                extra.insert(key.clone(), value.clone());
            }
        }
        extra
    }
}
