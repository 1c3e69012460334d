//! Which item of a newly sent list is which item of the list there was.
//!
//! Evidence, best first: our uid; the same id with the same text; the same text (so that a renumbered list keeps
//! its items); the same id; the same text but for case, spaces, punctuation and numbering; the same place among
//! its neighbours with similar text. Equal texts are paired in order. What finds no partner is new.

use crate::Draft;
use std::collections::HashMap;
use unicode_normalization::UnicodeNormalization;
use uuid::Uuid;

/// How alike two texts must be to be taken for one, 0 to 1 (the share of pairs of letters that they have in common).
const SIMILAR: f64 = 0.6;

/// Characters of a text that are compared for likeness.
const COMPARED_CHARS: usize = 200;

/// Candidates that a sent item is compared with by likeness; a whole new plan must not cost a comparison of all with all.
const COMPARED_PLACES: usize = 8;

/// An item that a sent one may be.
#[derive(Debug)]
pub(crate) struct Candidate<'a> {
    pub(crate) uid: Uuid,
    pub(crate) id: &'a str,
    /// What it says now and, where that differs, what the sender last called it.
    pub(crate) texts: Vec<&'a str>,
    /// What the sender called it in its last list, if it was in there.
    pub(crate) said: Option<&'a str>,
    /// In the list, and the sender knows of it. Otherwise an id alone, or a place, does not make a sent item this one:
    /// agents use ids again for other steps, and nobody renames what he never heard of.
    pub(crate) firm: bool,
}

/// For each sent item the candidate that it is.
pub(crate) fn pair(candidates: &[Candidate<'_>], sent: &[Draft]) -> Vec<Option<usize>> {
    let mut pairs = Pairs { of_sent: vec![None; sent.len()], taken: vec![false; candidates.len()] };
    pairs.by_key(candidates.iter().map(|c| vec![c.uid]), sent.iter().map(|d| d.uid));
    pairs.by_key(
        candidates.iter().map(|c| c.texts.iter().map(|text| (c.id, *text)).collect()),
        sent.iter().map(|d| d.id.as_deref().map(|id| (id, d.content.as_str()))),
    );
    // First its own last list, so that one sent again is the same list again, also among equal texts.
    pairs
        .by_key(candidates.iter().map(|c| c.said.into_iter().collect()), sent.iter().map(|d| Some(d.content.as_str())));
    pairs.by_key(candidates.iter().map(|c| c.texts.clone()), sent.iter().map(|d| Some(d.content.as_str())));
    pairs.by_id(candidates, sent);
    pairs.by_key(
        candidates.iter().map(|c| c.texts.iter().map(|text| normalised(text)).collect()),
        sent.iter().map(|d| Some(normalised(&d.content)).filter(|text| !text.is_empty())),
    );
    pairs.by_place(candidates, sent);
    pairs.of_sent
}

struct Pairs {
    of_sent: Vec<Option<usize>>,
    taken: Vec<bool>,
}

impl Pairs {
    fn join(&mut self, sent: usize, candidate: usize) {
        self.of_sent[sent] = Some(candidate);
        self.taken[candidate] = true;
    }

    /// Pairs equal keys, in order; a candidate may have several.
    fn by_key<K: std::hash::Hash + Eq>(
        &mut self,
        candidates: impl Iterator<Item = Vec<K>>,
        sent: impl Iterator<Item = Option<K>>,
    ) {
        let mut places: HashMap<K, Vec<usize>> = HashMap::new();
        for (at, keys) in candidates.enumerate() {
            if !self.taken[at] {
                for key in keys {
                    places.entry(key).or_default().push(at);
                }
            }
        }
        for (at, key) in sent.enumerate() {
            if self.of_sent[at].is_some() {
                continue;
            }
            let free = key.and_then(|key| places.get(&key)?.iter().copied().find(|&place| !self.taken[place]));
            if let Some(place) = free {
                self.join(at, place);
            }
        }
    }

    fn by_id(&mut self, candidates: &[Candidate<'_>], sent: &[Draft]) {
        for (at, draft) in sent.iter().enumerate() {
            let Some(id) = draft.id.as_deref().filter(|_| self.of_sent[at].is_none()) else { continue };
            let found = candidates.iter().enumerate().position(|(place, candidate)| {
                !self.taken[place]
                    && candidate.id == id
                    && (candidate.firm || candidate.texts.iter().any(|text| alike(text, &draft.content)))
            });
            if let Some(place) = found {
                self.join(at, place);
            }
        }
    }

    /// Pairs what stands between the same two neighbours, where the texts are alike.
    fn by_place(&mut self, candidates: &[Candidate<'_>], sent: &[Draft]) {
        for (at, draft) in sent.iter().enumerate() {
            if self.of_sent[at].is_some() {
                continue;
            }
            let after = self.of_sent[..at].iter().rev().find_map(|pair| *pair).map_or(0, |place| place + 1);
            let before = self.of_sent[at..].iter().find_map(|pair| *pair).unwrap_or(candidates.len());
            let free = (after..before).filter(|&place| !self.taken[place] && candidates[place].firm);
            let found = free
                .take(COMPARED_PLACES)
                .find(|&place| candidates[place].texts.iter().any(|text| alike(text, &draft.content)));
            if let Some(place) = found {
                self.join(at, place);
            }
        }
    }
}

fn alike(one: &str, other: &str) -> bool {
    let cut = |text: &str| text.chars().take(COMPARED_CHARS).collect::<String>().to_lowercase();
    strsim::sorensen_dice(&cut(one), &cut(other)) >= SIMILAR
}

/// A text without what models change without meaning it: case, spaces, punctuation, Unicode form, numbering.
pub(crate) fn normalised(text: &str) -> String {
    let folded: String = text.nfkc().flat_map(char::to_lowercase).collect();
    let unnumbered = folded.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '*' | '•'));
    let digits = unnumbered.trim_start_matches(|c: char| c.is_ascii_digit());
    let body = match digits.strip_prefix(['.', ')', ':']) {
        Some(rest) if digits.len() < unnumbered.len() => rest,
        _ => unnumbered,
    };
    body.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
