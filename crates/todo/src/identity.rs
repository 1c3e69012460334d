//! Pairing the items of a newly sent list with those of the list before.
//!
//! Evidence, best first: our uid; the sender's own last list; the same id with the same text; the same text (so that a
//! renumbered list keeps its items); the same id; the same text but for case, spaces, punctuation and numbering; the
//! same place among its neighbours with similar text. Equal texts are paired in order. An item without a partner is new.

use crate::Draft;
use std::collections::HashMap;
use unicode_normalization::UnicodeNormalization;
use uuid::Uuid;

/// The least likeness of two texts at which an id that is used again means the same item; see [`likeness`].
const SIMILAR: f64 = 0.6;

/// The same for two texts between the same neighbours.
const SIMILAR_IN_PLACE: f64 = 0.45;

/// The likeness of a text and its continuation.
const CONTINUED: f64 = 0.95;

/// Characters of a text that can be continued.
const SHORTEST_BEGINNING: usize = 6;

/// Characters at either end of a text that are compared for likeness.
const COMPARED_CHARS: usize = 200;

/// Candidates that a sent item is compared with by likeness; a whole new plan must not cost a comparison of all with all.
const COMPARED_PLACES: usize = 8;

/// An item that a sent one may be.
#[derive(Debug)]
pub(crate) struct Candidate<'a> {
    pub(crate) uid: Uuid,
    /// Empty where its sender uses one id for several.
    pub(crate) id: &'a str,
    /// Its content and, where they differ, the content that the sender sent last and that before the user's edits.
    pub(crate) texts: [Option<&'a str>; 3],
    /// Its id and text in the sender's last list, if it was in there.
    pub(crate) last_sent: Option<(Option<&'a str>, &'a str)>,
    /// In the list, and known to the sender. Otherwise an id alone, or a place, does not make a sent item this one:
    /// agents use ids again for other steps, and nobody renames an item that he does not know.
    pub(crate) firm: bool,
    /// Another agent's, or hidden from the sender since it sent it: a sent item is rather one of the others.
    pub(crate) withheld: bool,
}

/// Returns for each sent item the candidate that it is.
pub(crate) fn pair(candidates: &[Candidate<'_>], sent: &[Draft]) -> Vec<Option<usize>> {
    let mut pairs = Pairs { of_sent: vec![None; sent.len()], taken: vec![false; candidates.len()] };
    pairs.by_key(candidates, sent, |c| vec![c.uid], |d| d.uid);
    // First its own last list, so that one sent again is the same list again, also among equal texts.
    pairs.by_own_list(candidates, sent);
    if pairs.of_sent.iter().all(Option::is_some) {
        return pairs.of_sent;
    }
    let is_withheld = |at: &usize| candidates[*at].withheld && !pairs.taken[*at];
    let withheld: Vec<usize> = (0..candidates.len()).filter(is_withheld).collect();
    if !withheld.is_empty() {
        withheld.iter().for_each(|at| pairs.taken[*at] = true);
        pairs.by_own_list(candidates, sent);
        pairs.by_likeness(candidates, sent);
        withheld.iter().for_each(|at| pairs.taken[*at] = false);
    }
    pairs.by_likeness(candidates, sent);
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

    fn by_likeness(&mut self, candidates: &[Candidate<'_>], sent: &[Draft]) {
        self.by_key(
            candidates,
            sent,
            |c| c.texts.iter().flatten().map(|text| (c.id, *text)).collect(),
            |d| d.id.as_deref().map(|id| (id, d.content.as_str())),
        );
        self.by_key(
            candidates,
            sent,
            |c| c.last_sent.iter().map(|(_, text)| *text).collect(),
            |d| Some(d.content.as_str()),
        );
        self.by_key(candidates, sent, |c| c.texts.iter().flatten().copied().collect(), |d| Some(d.content.as_str()));
        self.by_id(candidates, sent);
        self.by_key(
            candidates,
            sent,
            |c| c.texts.iter().flatten().map(|text| normalised(text)).collect(),
            |d| Some(normalised(&d.content)).filter(|text| !text.is_empty()),
        );
        self.by_place(candidates, sent);
    }

    /// Pairs items that are as in the sender's last list. Where that had an item more often, or less, it is not known
    /// which of them was removed.
    fn by_own_list<'a>(&mut self, candidates: &[Candidate<'a>], sent: &'a [Draft]) {
        type Key<'a> = (Option<&'a str>, &'a str);
        let key = |draft: &'a Draft| -> Key<'a> { (draft.id.as_deref(), draft.content.as_str()) };
        // The first free candidate of each key, and how many more there are than were sent; the next one of the same key.
        let mut places: HashMap<Key<'a>, (Option<usize>, isize)> = HashMap::with_capacity(candidates.len());
        let mut next = vec![None; candidates.len()];
        for (at, candidate) in candidates.iter().enumerate().rev().filter(|(at, _)| !self.taken[*at]) {
            let Some(key) = candidate.last_sent else { continue };
            let (first, surplus) = places.entry(key).or_default();
            next[at] = first.replace(at);
            *surplus += 1;
        }
        for (draft, _) in sent.iter().zip(&self.of_sent).filter(|(_, pair)| pair.is_none()) {
            if let Some((_, surplus)) = places.get_mut(&key(draft)) {
                *surplus -= 1;
            }
        }
        for (at, draft) in sent.iter().enumerate() {
            if self.of_sent[at].is_none()
                && let Some((first, 0)) = places.get_mut(&key(draft))
                && let Some(place) = *first
            {
                *first = next[place];
                self.join(at, place);
            }
        }
    }

    /// Pairs equal keys, in order; a candidate may have several. Paired items are skipped.
    fn by_key<'a, K: std::hash::Hash + Eq>(
        &mut self,
        candidates: &'a [Candidate<'a>],
        sent: &'a [Draft],
        keys: impl Fn(&'a Candidate<'a>) -> Vec<K>,
        key: impl Fn(&'a Draft) -> Option<K>,
    ) {
        if sent.iter().zip(&self.of_sent).all(|(draft, pair)| pair.is_some() || key(draft).is_none()) {
            return;
        }
        let mut places: HashMap<K, Vec<usize>> = HashMap::new();
        for (at, candidate) in candidates.iter().enumerate().filter(|(at, _)| !self.taken[*at]) {
            for key in keys(candidate) {
                places.entry(key).or_default().push(at);
            }
        }
        for (at, draft) in sent.iter().enumerate() {
            if self.of_sent[at].is_some() {
                continue;
            }
            let free = key(draft).and_then(|key| places.get(&key)?.iter().copied().find(|&place| !self.taken[place]));
            if let Some(place) = free {
                self.join(at, place);
            }
        }
    }

    fn by_id(&mut self, candidates: &[Candidate<'_>], sent: &[Draft]) {
        let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, candidate) in candidates.iter().enumerate().filter(|(at, _)| !self.taken[*at]) {
            places.entry(candidate.id).or_default().push(at);
        }
        places.remove("");
        for (at, draft) in sent.iter().enumerate() {
            let Some(id) = draft.id.as_deref().filter(|_| self.of_sent[at].is_none()) else { continue };
            let mut free = places.get(id).into_iter().flatten().copied().filter(|place| !self.taken[*place]);
            let found = free.find(|place| {
                let candidate = &candidates[*place];
                candidate.firm || candidate.texts.iter().flatten().any(|text| likeness(text, &draft.content) >= SIMILAR)
            });
            if let Some(place) = found {
                self.join(at, place);
            }
        }
    }

    /// Pairs items between the same two neighbours, the most alike first.
    fn by_place(&mut self, candidates: &[Candidate<'_>], sent: &[Draft]) {
        let mut alike = Vec::new();
        let mut before = vec![candidates.len(); sent.len()];
        let mut next = candidates.len();
        for at in (0..sent.len()).rev() {
            next = self.of_sent[at].unwrap_or(next);
            before[at] = next;
        }
        let mut after = 0;
        for (at, draft) in sent.iter().enumerate() {
            if let Some(place) = self.of_sent[at] {
                after = place + 1;
                continue;
            }
            let free = (after..before[at]).filter(|&place| !self.taken[place] && candidates[place].firm);
            for place in free.take(COMPARED_PLACES) {
                let texts = candidates[place].texts.iter().flatten();
                let best = texts.map(|text| likeness(text, &draft.content)).fold(0.0, f64::max);
                if best >= SIMILAR_IN_PLACE {
                    alike.push((best, at, place));
                }
            }
        }
        // Of equals the first, so that an order is kept.
        alike.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        for (_, at, place) in alike {
            if self.of_sent[at].is_none() && !self.taken[place] {
                self.join(at, place);
            }
        }
    }
}

/// The likeness of two texts, 0 to 1: the share of pairs of letters that they have in common (Sørensen and Dice). A
/// text that goes on where the other one ends is the same with a remark.
///
/// Counted here since `strsim` divides by bytes, which makes anything but ASCII less alike than it is.
fn likeness(one: &str, other: &str) -> f64 {
    let (one, other) = (compared(one), compared(other));
    let goes_on = |short: &[char], long: &[char]| {
        let ends_a_word = long.get(short.len()).is_some_and(|next| !next.is_alphanumeric());
        short.len() >= SHORTEST_BEGINNING && long.starts_with(short) && ends_a_word
    };
    if goes_on(&one, &other) || goes_on(&other, &one) {
        return CONTINUED;
    }
    let pairs = |text: &[char]| {
        let mut counts: HashMap<(char, char), usize> = HashMap::new();
        for pair in text.windows(2) {
            *counts.entry((pair[0], pair[1])).or_default() += 1;
        }
        counts
    };
    let (one, other) = (pairs(&one), pairs(&other));
    let total = one.values().sum::<usize>() + other.values().sum::<usize>();
    let common: usize = one.iter().map(|(pair, count)| *count.min(other.get(pair).unwrap_or(&0))).sum();
    if total == 0 { 0.0 } else { 2.0 * common as f64 / total as f64 }
}

/// The part of a text that is compared, in small letters: all of a short one, the beginning and the end of a long one.
fn compared(text: &str) -> Vec<char> {
    let all: Vec<char> = text.nfkc().flat_map(char::to_lowercase).collect();
    match all.len() {
        length if length <= 2 * COMPARED_CHARS => all,
        length => [&all[..COMPARED_CHARS], &all[length - COMPARED_CHARS..]].concat(),
    }
}

/// A text without the differences that models make by accident: case, spaces, punctuation, Unicode form, numbering.
/// Only numbers stay apart from each other.
pub(crate) fn normalised(text: &str) -> String {
    let folded: String = text.nfkc().flat_map(char::to_lowercase).collect();
    let unnumbered = folded.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '*' | '•'));
    let digits = unnumbered.trim_start_matches(|c: char| c.is_ascii_digit());
    let body = match digits.strip_prefix(['.', ')', ':']) {
        Some(rest) if digits.len() < unnumbered.len() => rest,
        _ => unnumbered,
    };
    let mut words = String::new();
    for word in body.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if words.ends_with(char::is_numeric) && word.starts_with(char::is_numeric) {
            words.push(' ');
        }
        words.push_str(word);
    }
    words
}
