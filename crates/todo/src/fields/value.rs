//! The types that a field can have.

use super::Field;
use crate::draft::sent::Sent;
use crate::{Priority, Result, Status};
use serde_json::{Map, Value};

/// The value of a field.
pub(super) trait FieldValue: Default + PartialEq {
    /// Every item has it, so that it is written even where it is the default.
    const IN_ALL: bool = false;

    /// Reads the value from an item as an agent sends it. Content, status and unknown keys have rules of their own and
    /// are read before or after; here they are empty.
    fn sent(_: &mut Sent<'_>, _: Field) -> Result<Self> {
        Ok(Self::default())
    }
}

impl FieldValue for String {
    const IN_ALL: bool = true;
}

impl FieldValue for Status {
    const IN_ALL: bool = true;
}

impl FieldValue for Option<String> {
    fn sent(sent: &mut Sent<'_>, field: Field) -> Result<Self> {
        sent.filled(field)
    }
}

impl FieldValue for Option<Priority> {
    fn sent(sent: &mut Sent<'_>, _: Field) -> Result<Self> {
        Ok(sent.priority())
    }
}

impl FieldValue for Vec<String> {
    fn sent(sent: &mut Sent<'_>, field: Field) -> Result<Self> {
        sent.words(field)
    }
}

impl FieldValue for Map<String, Value> {}
