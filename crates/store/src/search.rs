//! Search over what items say and what sessions are about, as it is typed.

use crate::archive::Filter;
use crate::rows::session;
use crate::{ALIVE, Error, Result, SessionRow, Store};
use sqlx::sqlite::SqliteRow;
use sqlx::{QueryBuilder, Row};
use std::collections::HashSet;
use uuid::Uuid;

/// Hits that one page looks at, where most of them do not pass the filter or are of the same sessions.
const LOOKED_AT: u32 = 1_000;

/// Stand around what was found in a snippet; taken out of it again.
const FROM: char = '\u{1}';
const TO: char = '\u{2}';

/// Words of a snippet.
const SNIPPET: &str = "24";

/// Where a page of hits ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// Among the sessions whose title or folder has the words.
    Session(i64),
    /// Among the items.
    Item(i64),
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Its session.
    pub session: SessionRow,
    /// The newest revision in which it was there.
    pub revision: u64,
    /// The item; none where it is the session's title or folder.
    pub uid: Option<Uuid>,
    /// The words around it, and whether each part is what was searched for.
    pub snippet: Vec<(String, bool)>,
}

/// A page of hits, one of each session, and where to go on.
#[derive(Debug, Clone, PartialEq)]
pub struct Hits {
    /// Sessions whose title or folder has the words, then those whose items have them, newest first.
    pub hits: Vec<Hit>,
    /// `None` at the end.
    pub next: Option<Found>,
}

impl Store {
    /// Searches. Words are found by their beginnings where `*` follows or where they are the last; words between double
    /// quotes as they stand there; accents and case do not matter. `AND`, `OR`, `NOT` and parentheses mean what they do
    /// in [FTS5](https://www.sqlite.org/fts5.html#full_text_query_syntax), and where that cannot be read they are words.
    ///
    /// # Errors
    /// Those of the database; none for whatever is typed.
    pub async fn search(&self, text: &str, filter: &Filter, after: Option<Found>, limit: u32) -> Result<Hits> {
        if has_operators(text) {
            match self.matching(text, filter, after, limit).await {
                Err(Error::Database(sqlx::Error::Database(error))) => {
                    tracing::debug!(%error, "searched for as it stands");
                }
                found => return found,
            }
        }
        match literal(text) {
            Some(query) => self.matching(&query, filter, after, limit).await,
            None => Ok(Hits { hits: Vec::new(), next: None }),
        }
    }

    async fn matching(&self, query: &str, filter: &Filter, after: Option<Found>, limit: u32) -> Result<Hits> {
        let asked = Asked { query, filter, limit };
        let mut hits = Hits { hits: Vec::new(), next: None };
        let mut seen = HashSet::new();
        if !matches!(after, Some(Found::Item(_))) {
            let from = match after {
                Some(Found::Session(pk)) => pk,
                _ => i64::MAX,
            };
            self.look(&TITLES, &asked, from, &mut seen, &mut hits).await?;
            if hits.next.is_some() {
                return Ok(hits);
            }
        }
        let from = match after {
            Some(Found::Item(pk)) => pk,
            _ => i64::MAX,
        };
        self.look(&TEXTS, &asked, from, &mut seen, &mut hits).await?;
        Ok(hits)
    }

    /// Walks one of the two indexes; where there is more of it, says where to go on.
    async fn look(
        &self,
        walk: &Walk,
        asked: &Asked<'_>,
        before: i64,
        seen: &mut HashSet<i64>,
        hits: &mut Hits,
    ) -> Result<()> {
        let mut before = before;
        let mut looked_at = 0;
        // As many as are wanted, and more where they did not fit or were of the same sessions.
        let mut some = asked.limit;
        loop {
            let rows = self.some_hits(walk, asked, before, some).await?;
            looked_at += some;
            for row in &rows {
                before = row.try_get("place")?;
                if row.try_get("fits")? && seen.insert(row.try_get("pk")?) {
                    hits.hits.push(hit(row)?);
                }
                if hits.hits.len() >= asked.limit as usize {
                    hits.next = Some((walk.place)(before));
                    return Ok(());
                }
            }
            if rows.len() < some as usize {
                return Ok(());
            }
            if looked_at >= LOOKED_AT {
                hits.next = Some((walk.place)(before));
                return Ok(());
            }
            some = (some * 2).min(LOOKED_AT);
        }
    }

    async fn some_hits(&self, walk: &Walk, asked: &Asked<'_>, before: i64, some: u32) -> Result<Vec<SqliteRow>> {
        let mut query = QueryBuilder::new("SELECT f.rowid AS place, snippet(");
        query.push(walk.index).push(", -1, '\u{1}', '\u{2}', '…', ").push(SNIPPET).push(") AS snippet, s.*");
        query.push(walk.columns).push(", ");
        asked.filter.push_passed(&mut query, 0);
        asked.filter.push_time(&mut query);
        query.push(" AS fits FROM ").push(walk.index).push(" AS f ").push(walk.join).push(" WHERE ").push(walk.index);
        query.push(" MATCH ").push_bind(asked.query.to_owned()).push(" AND f.rowid < ").push_bind(before);
        query.push(" ORDER BY f.rowid DESC LIMIT ").push_bind(some);
        Ok(query.build().fetch_all(&self.readers).await?)
    }
}

/// What is searched for.
struct Asked<'a> {
    query: &'a str,
    filter: &'a Filter,
    limit: u32,
}

/// One of the two indexes.
struct Walk {
    index: &'static str,
    join: &'static str,
    columns: &'static str,
    place: fn(i64) -> Found,
}

const TITLES: Walk = Walk {
    index: "session_search",
    join: "JOIN sessions AS s ON s.pk = f.rowid",
    // Its title may be what one of its items says.
    columns: ", (SELECT t.uid FROM texts AS t WHERE t.session_pk = s.pk AND t.content = s.title \
        ORDER BY t.from_rev DESC LIMIT 1) AS uid, (SELECT t.to_rev FROM texts AS t WHERE t.session_pk = s.pk \
        AND t.content = s.title ORDER BY t.from_rev DESC LIMIT 1) AS text_to_rev",
    place: Found::Session,
};

const TEXTS: Walk = Walk {
    index: "text_search",
    join: "JOIN texts AS t ON t.pk = f.rowid JOIN sessions AS s ON s.pk = t.session_pk",
    columns: ", t.uid AS uid, t.to_rev AS text_to_rev",
    place: Found::Item,
};

fn hit(row: &SqliteRow) -> Result<Hit> {
    let session = session(row)?;
    let snippet = parts(row.try_get("snippet")?);
    let words: String = snippet.iter().map(|(text, _)| text.as_str()).collect();
    let is_folder = session.folder.as_deref() == Some(words.as_str());
    let uid: Option<Vec<u8>> = row.try_get::<Option<_>, _>("uid")?.filter(|_| !is_folder);
    let uid = uid.map(|uid| Uuid::from_slice(&uid).map_err(|error| Error::Row(error.to_string()))).transpose()?;
    let ended: Option<i64> = row.try_get("text_to_rev")?;
    let revision = match ended.filter(|_| uid.is_some()) {
        Some(ended) if ended != ALIVE => (ended - 1).cast_unsigned(),
        _ => session.revision,
    };
    Ok(Hit { revision, uid, snippet, session })
}

/// A snippet in parts, each with whether it was searched for.
fn parts(snippet: &str) -> Vec<(String, bool)> {
    let mut parts: Vec<(String, bool)> = Vec::new();
    let mut is_found = false;
    for letter in snippet.chars() {
        match letter {
            FROM => is_found = true,
            TO => is_found = false,
            letter => match parts.last_mut() {
                Some((part, was)) if *was == is_found => part.push(letter),
                _ => parts.push((letter.to_string(), is_found)),
            },
        }
    }
    parts
}

/// It may be meant as a query, not as words.
fn has_operators(text: &str) -> bool {
    text.split(|letter: char| letter.is_whitespace() || "()".contains(letter))
        .any(|word| ["AND", "OR", "NOT"].contains(&word) || word.starts_with("NEAR"))
}

/// A query for the words of a text, whatever else is in it; `None` where it has no words.
fn literal(text: &str) -> Option<String> {
    let mut query = String::new();
    let mut is_quoted = false;
    for piece in text.split('"') {
        // Within quotes everything is one phrase.
        let words: Vec<&str> = if is_quoted { vec![piece] } else { piece.split_whitespace().collect() };
        for word in words {
            if !word.chars().any(char::is_alphanumeric) {
                continue;
            }
            if !query.is_empty() {
                query.push(' ');
            }
            query.push('"');
            query.push_str(word);
            query.push('"');
            if !is_quoted && word.ends_with('*') {
                query.push('*');
            }
        }
        is_quoted = !is_quoted;
    }
    // What is typed last may not be typed to its end; after a space or a quote it is.
    let goes_on = text.chars().last().is_some_and(char::is_alphanumeric);
    if goes_on && query.ends_with('"') {
        query.push('*');
    }
    (!query.is_empty()).then_some(query)
}

#[cfg(test)]
mod tests {
    use super::{has_operators, literal, parts};
    use rstest::rstest;

    #[rstest]
    #[case("", None)]
    #[case("  \t", None)]
    #[case("→ ... !", None)]
    #[case("\"\"", None)]
    #[case("pars", Some("\"pars\"*"))]
    #[case("fix pars", Some("\"fix\" \"pars\"*"))]
    #[case("parser ", Some("\"parser\""))]
    #[case("pars* fix ", Some("\"pars*\"* \"fix\""))]
    #[case("\"fix the parser\"", Some("\"fix the parser\""))]
    #[case("\"fix the par", Some("\"fix the par\"*"))]
    #[case("src/lexer.rs", Some("\"src/lexer.rs\"*"))]
    #[case("a:b ^c -d {e}", Some("\"a:b\" \"^c\" \"-d\" \"{e}\""))]
    #[case("Größe", Some("\"Größe\"*"))]
    fn whatever_is_typed_is_a_query(#[case] typed: &str, #[case] query: Option<&str>) {
        assert_eq!(literal(typed).as_deref(), query);
    }

    #[rstest]
    #[case("fix OR test", true)]
    #[case("(fix) NOT test", true)]
    #[case("NEAR(fix test)", true)]
    #[case("Fix the ORM", false)]
    #[case("or not", false)]
    fn operators_are_in_capitals(#[case] typed: &str, #[case] is_query: bool) {
        assert_eq!(has_operators(typed), is_query);
    }

    #[test]
    fn marks_are_not_in_what_is_shown() {
        let expected = [("Fix the ".to_owned(), false), ("parser".to_owned(), true), (" now".to_owned(), false)];
        assert_eq!(parts("Fix the \u{1}parser\u{2} now"), expected);
        assert_eq!(parts("\u{2}a\u{1}b\u{1}c"), [("a".to_owned(), false), ("bc".to_owned(), true)]);
    }
}
