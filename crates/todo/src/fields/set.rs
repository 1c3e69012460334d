//! Fields that were given, as a set that is copied.

use super::Field;

/// A set of fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FieldSet(u16);

const _: () = assert!(Field::ALL.len() <= u16::BITS as usize, "there is a bit for each field");

impl FieldSet {
    /// Adds a field.
    pub fn insert(&mut self, field: Field) {
        self.0 |= 1 << field as u16;
    }

    /// True if a field is in it.
    #[must_use]
    pub fn contains(self, field: Field) -> bool {
        self.0 & (1 << field as u16) != 0
    }

    /// True if no field is in it.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The fields in it, in their order.
    pub fn iter(self) -> impl Iterator<Item = Field> {
        Field::ALL.into_iter().filter(move |field| self.contains(*field))
    }
}

impl FromIterator<Field> for FieldSet {
    fn from_iter<I: IntoIterator<Item = Field>>(fields: I) -> Self {
        let mut set = Self::default();
        fields.into_iter().for_each(|field| set.insert(field));
        set
    }
}
