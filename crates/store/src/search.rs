//! Search in the texts of items and in the titles, folders and tags of sessions, while the user types.

use crate::archive::Filter;
use crate::table::lists::{self, ListRow};
use crate::table::session_columns::session;
use crate::{ALIVE, Error, Result, SessionRow, Store};
use sqlx::sqlite::SqliteRow;
use sqlx::{QueryBuilder, Row};
use std::collections::HashSet;
use uuid::Uuid;

/// The most hits that one page looks at where many do not pass the filter or are of the same lists.
const LOOKED_AT: u32 = 1_000;

/// Marks around each match in a snippet; they are taken out again.
const MATCH_START: char = '\u{1}';
const MATCH_END: char = '\u{2}';

/// The most words of a snippet.
const SNIPPET: &str = "24";

/// The position at which a page of hits ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HitPosition {
    /// Among the sessions whose title, folder or tags have the words.
    Session(i64),
    /// Among the items.
    Item(i64),
}

/// A hit of a search.
#[derive(Debug, Clone)]
pub struct Hit {
    pub session: SessionRow,
    /// Its list, where that has ended; `None` for the present one.
    pub ended: Option<ListRow>,
    /// The newest revision that has the words.
    pub revision: u64,
    /// The item; none where the words are in the session's title, folder or tags.
    pub uid: Option<Uuid>,
    /// The text around the match in parts, each with whether it matches.
    pub snippet: Vec<(String, bool)>,
}

/// A page of hits, at most one of each list.
#[derive(Debug, Clone)]
pub struct Hits {
    /// Lists of sessions whose title, folder or tags have the words, then those whose items have them, newest first.
    pub hits: Vec<Hit>,
    /// The position at which the next page begins; `None` at the end.
    pub next: Option<HitPosition>,
}

impl Store {
    /// Searches for words. A word followed by `*`, and the last one, is found by its beginning; words in double quotes are a
    /// phrase; accents and case do not matter. `AND`, `OR`, `NOT` and parentheses mean what they do
    /// in [FTS5](https://www.sqlite.org/fts5.html#full_text_query_syntax), and if that is no valid query they are words too.
    /// No text is an error.
    pub async fn search(&self, text: &str, filter: &Filter, after: Option<HitPosition>, limit: u32) -> Result<Hits> {
        if has_operators(text) {
            match self.matching(text, filter, after, limit).await {
                Err(Error::Database(sqlx::Error::Database(error))) => {
                    tracing::debug!(%error, "no valid query; its words are searched for");
                }
                found => return found,
            }
        }
        match literal(text) {
            Some(query) => self.matching(&query, filter, after, limit).await,
            None => Ok(Hits { hits: Vec::new(), next: None }),
        }
    }

    async fn matching(&self, query: &str, filter: &Filter, after: Option<HitPosition>, limit: u32) -> Result<Hits> {
        let search = Search { query, filter, limit };
        let mut hits = Hits { hits: Vec::new(), next: None };
        let mut seen = HashSet::new();
        if !matches!(after, Some(HitPosition::Item(_))) {
            let from = match after {
                Some(HitPosition::Session(pk)) => pk,
                _ => i64::MAX,
            };
            self.add_hits(&TITLES, &search, from, &mut seen, &mut hits).await?;
            if hits.next.is_some() {
                return Ok(hits);
            }
        }
        let from = match after {
            Some(HitPosition::Item(pk)) => pk,
            _ => i64::MAX,
        };
        self.add_hits(&TEXTS, &search, from, &mut seen, &mut hits).await?;
        Ok(hits)
    }

    /// Adds the hits of one of the two indexes, and the next position if there are more.
    async fn add_hits(
        &self,
        index: &Index,
        search: &Search<'_>,
        before: i64,
        seen: &mut HashSet<(i64, Option<i64>)>,
        hits: &mut Hits,
    ) -> Result<()> {
        let mut before = before;
        let mut looked_at = 0;
        // Begins with as many as are wanted, and looks at more each time that too few fit or are of new lists.
        let mut batch = search.limit;
        loop {
            let rows = self.next_hits(index, search, before, batch).await?;
            looked_at += batch;
            for row in &rows {
                before = row.try_get("place")?;
                let list: Option<i64> = row.try_get("list_pk")?;
                if row.try_get("fits")? && seen.insert((row.try_get("pk")?, list)) {
                    hits.hits.push(hit(row)?);
                }
                if hits.hits.len() >= search.limit as usize {
                    hits.next = Some((index.position)(before));
                    return Ok(());
                }
            }
            if rows.len() < batch as usize {
                return Ok(());
            }
            if looked_at >= LOOKED_AT {
                hits.next = Some((index.position)(before));
                return Ok(());
            }
            batch = (batch * 2).min(LOOKED_AT);
        }
    }

    async fn next_hits(&self, index: &Index, search: &Search<'_>, before: i64, batch: u32) -> Result<Vec<SqliteRow>> {
        let mut query = QueryBuilder::new("SELECT f.rowid AS place, snippet(");
        query.push(index.table).push(", -1, '\u{1}', '\u{2}', '…', ").push(SNIPPET).push(") AS snippet, s.*");
        query.push(index.columns).push(", ").push(lists::COLUMNS).push(", (");
        search.filter.push_passed(&mut query, 0);
        query.push(" AND l.deleted_at IS NULL");
        if search.filter.deleted {
            query.push(" OR ");
            search.filter.push_ended(&mut query);
        }
        query.push(")");
        search.filter.push_time(&mut query);
        query
            .push(" AS fits FROM ")
            .push(index.table)
            .push(" AS f ")
            .push(index.join)
            .push(" WHERE ")
            .push(index.table);
        query.push(" MATCH ").push_bind(search.query.to_owned()).push(" AND f.rowid < ").push_bind(before);
        query.push(" ORDER BY f.rowid DESC LIMIT ").push_bind(batch);
        Ok(query.build().fetch_all(&self.readers).await?)
    }
}

struct Search<'a> {
    query: &'a str,
    filter: &'a Filter,
    limit: u32,
}

/// One of the two indexes.
struct Index {
    table: &'static str,
    join: &'static str,
    columns: &'static str,
    position: fn(i64) -> HitPosition,
}

const TITLES: Index = Index {
    table: "session_search",
    join: "JOIN sessions AS s ON s.pk = f.rowid LEFT JOIN texts AS t ON t.pk = (SELECT named.pk FROM texts AS named \
        WHERE named.session_pk = s.pk AND named.content = s.title ORDER BY named.from_rev DESC LIMIT 1) \
        LEFT JOIN lists AS l ON l.session_pk = s.pk AND l.from_rev < t.to_rev AND l.to_rev >= t.to_rev",
    // The title may be the text of one of its items.
    columns: ", t.uid AS uid, t.to_rev AS text_to_rev",
    position: HitPosition::Session,
};

const TEXTS: Index = Index {
    table: "text_search",
    join: "JOIN texts AS t ON t.pk = f.rowid JOIN sessions AS s ON s.pk = t.session_pk \
        LEFT JOIN lists AS l ON l.session_pk = s.pk AND l.from_rev < t.to_rev AND l.to_rev >= t.to_rev",
    columns: ", t.uid AS uid, t.to_rev AS text_to_rev",
    position: HitPosition::Item,
};

fn hit(row: &SqliteRow) -> Result<Hit> {
    let session = session(row)?;
    let snippet = parts(row.try_get("snippet")?);
    let words: String = snippet.iter().map(|(text, _)| text.as_str()).collect();
    let is_title = session.who.folder.as_deref() != Some(words.as_str()) && session.marks.tags.join(" ") != words;
    let uid: Option<Vec<u8>> = row.try_get::<Option<_>, _>("uid")?.filter(|_| is_title);
    let uid = uid.map(|uid| Uuid::from_slice(&uid).map_err(|error| Error::Row(error.to_string()))).transpose()?;
    let ended: Option<i64> = row.try_get("text_to_rev")?;
    let revision = match ended.filter(|_| uid.is_some()) {
        Some(ended) if ended != ALIVE => (ended - 1).cast_unsigned(),
        _ => session.list.revision,
    };
    Ok(Hit { revision, uid, snippet, ended: lists::list(row)?, session })
}

/// Splits a snippet into parts, each with whether it matches.
fn parts(snippet: &str) -> Vec<(String, bool)> {
    let mut parts: Vec<(String, bool)> = Vec::new();
    let mut is_match = false;
    for letter in snippet.chars() {
        match letter {
            MATCH_START => is_match = true,
            MATCH_END => is_match = false,
            letter => match parts.last_mut() {
                Some((part, was)) if *was == is_match => part.push(letter),
                _ => parts.push((letter.to_string(), is_match)),
            },
        }
    }
    parts
}

/// True if a text may be meant as a query rather than as words.
fn has_operators(text: &str) -> bool {
    text.split(|letter: char| letter.is_whitespace() || "()".contains(letter))
        .any(|word| ["AND", "OR", "NOT"].contains(&word) || word.starts_with("NEAR"))
}

/// Makes a query for the words of any text; `None` where it has no words.
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
    // The last word may still be being typed, unless a space or a quote follows it.
    let is_unfinished = text.chars().last().is_some_and(char::is_alphanumeric);
    if is_unfinished && query.ends_with('"') {
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
