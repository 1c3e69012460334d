//! The scenes.

use crate::cast;
use crate::script::Script;
use std::str::FromStr;

/// A scene of the demo.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scene {
    /// Nothing has happened yet.
    Empty,
    /// Six agents at work, one of which waits for the user.
    #[default]
    Typical,
    /// One agent alone.
    One,
    /// Thirty agents, one of them with as many steps as a list may have.
    Full,
    /// Long, foreign and hostile texts.
    Odd,
}

impl Scene {
    /// All scenes with their names.
    pub const ALL: [(&'static str, Self); 5] = [
        ("empty", Self::Empty),
        ("typical", Self::Typical),
        ("one", Self::One),
        ("full", Self::Full),
        ("odd", Self::Odd),
    ];

    pub(crate) fn script(self) -> anyhow::Result<Script> {
        match self {
            Self::Empty => Ok(Script::default()),
            Self::Typical => Script::read(include_str!("../scripts/typical.json")),
            Self::One => Script::read(include_str!("../scripts/one.json")),
            Self::Full => Ok(cast::full()),
            Self::Odd => Ok(cast::odd()),
        }
    }
}

impl FromStr for Scene {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.map(|(name, _)| name).join(", ");
        let scene = Self::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, scene)| scene);
        scene.ok_or_else(|| format!("there is no scene of that name; there are {known}"))
    }
}
