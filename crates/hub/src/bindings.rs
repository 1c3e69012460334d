//! The sessions that evidence means, looked up by its two parts as they are.

use crate::evidence::Evidence;
use std::collections::{BTreeMap, HashMap};

/// Something for each piece of evidence, by its kind and its key.
#[derive(Debug)]
pub(crate) struct ByEvidence<T>(BTreeMap<&'static str, HashMap<String, T>>);

impl<T> Default for ByEvidence<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T> ByEvidence<T> {
    pub(crate) fn get(&self, kind: &str, key: &str) -> Option<&T> {
        self.0.get(kind)?.get(key)
    }

    pub(crate) fn insert(&mut self, (kind, key): Evidence, meant: T) {
        self.0.entry(kind).or_default().insert(key, meant);
    }

    pub(crate) fn of_kind(&self, kind: &str) -> impl Iterator<Item = (&String, &T)> {
        self.0.get(kind).into_iter().flatten()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.values().map(HashMap::len).sum()
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn retain(&mut self, keeps: impl Fn(&T) -> bool) {
        self.0.values_mut().for_each(|of_kind| of_kind.retain(|_, meant| keeps(meant)));
    }

    pub(crate) fn into_all(self) -> impl Iterator<Item = (Evidence, T)> {
        self.0.into_iter().flat_map(|(kind, of_kind)| of_kind.into_iter().map(move |(key, meant)| ((kind, key), meant)))
    }
}
