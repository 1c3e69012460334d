//! `sightline search`, `sightline export` and `sightline import --file`: the archive in a terminal.

use crate::output;
use crate::session::Hub;
use crate::words::{self, day, text, word};
use anyhow::Context;
use clap::{Args, ValueEnum};
use protocol::{
    ExportFormat, Exported, IMPORT_BYTES, IMPORT_PARENTS, SearchHit, SessionExport, SessionFilter, SessionImport,
    SessionList, SessionSearch,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use todo::short;
use todo::text::plain;

/// Number of letters of a session's id that are shown; commands accept them where they are unique.
const ID: usize = 13;

/// Number of sessions on one page of a listing.
const PAGE: u32 = 200;

/// Bytes of a message beside the text that it sends.
const ENVELOPE: usize = 1_024;

/// A filter of sessions.
#[derive(Args)]
pub(crate) struct Which {
    /// Only of this agent: codex, claude-code, …
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Only in this project, by its folder's name
    #[arg(long, value_name = "NAME")]
    project: Option<String>,
    /// Only those with this tag
    #[arg(long, value_name = "TAG")]
    tag: Option<String>,
    /// Only those with steps that are left
    #[arg(long)]
    unfinished: bool,
    /// Only those heard of at this time or later: 2026-11-21T00:00:00Z
    #[arg(long, value_name = "TIME")]
    since: Option<jiff::Timestamp>,
    /// Only those heard of before this time
    #[arg(long, value_name = "TIME")]
    until: Option<jiff::Timestamp>,
}

impl Which {
    fn filter(self) -> SessionFilter {
        let Self { agent, project, tag, unfinished, since, until } = self;
        SessionFilter { agent, project, tag, unfinished, since, until, ..SessionFilter::default() }
    }
}

#[derive(Args)]
pub(crate) struct Search {
    /// Words to look for, of the last one perhaps only the beginning; or a "phrase"
    #[arg(required = true)]
    words: Vec<String>,
    #[command(flatten)]
    which: Which,
    /// Number of results, at most 200
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=200))]
    limit: u32,
}

pub(crate) async fn search(options: Search, data_dir: &Path, as_json: bool) -> anyhow::Result<()> {
    let hub = Hub::open(data_dir).await?;
    let (query, filter, limit) = (options.words.join(" "), options.which.filter(), options.limit as usize);
    let mut results: Vec<SearchHit> = Vec::new();
    let mut cursor = None;
    // A page may be short although more follow.
    while results.len() < limit {
        let ask = SessionSearch { query: query.clone(), cursor, limit: Some(options.limit), filter: filter.clone() };
        let page = hub.ask(ask).await?;
        for hit in page.results {
            if !results.iter().any(|known| known.list_id == hit.list_id && known.session_id == hit.session_id) {
                results.push(hit);
            }
        }
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    hub.close().await;
    results.truncate(limit);
    if as_json {
        return output::json(&json!({ "results": results }));
    }
    if results.is_empty() {
        return output::line(word("terminal_nothing_found"));
    }
    for hit in results {
        output::line(&shown(&hit))?;
    }
    Ok(())
}

/// `2026-11-21  codex · api  Fix the parser  (01a1ff8d-5772 r12)`, with the match in bold.
fn shown(hit: &SearchHit) -> String {
    let day = day(hit.session.last_activity_at);
    let whose = match &hit.session.project {
        Some(project) => format!("{} · {}", plain(&hit.session.agent.name), plain(project)),
        None => plain(&hit.session.agent.name),
    };
    let bold = |text: &str| format!("\u{1b}[1m{text}\u{1b}[0m");
    let parts = hit.parts.iter().map(|part| if part.hit { bold(&plain(&part.text)) } else { plain(&part.text) });
    let id: String = hit.session_id.chars().take(ID).collect();
    format!("{day}  {whose}  {}  ({id} r{})", parts.collect::<String>(), hit.revision)
}

/// The form of an export.
#[derive(Clone, Copy, ValueEnum)]
enum Form {
    /// Everything, for `sightline import --file`
    Json,
    /// A heading and a checklist for each
    Markdown,
    /// Training examples, JSON Lines
    Training,
}

#[derive(Args)]
pub(crate) struct Export {
    /// The sessions: ids, the first letters of them, or labels [default: all that the options below leave]
    sessions: Vec<String>,
    /// In which form
    #[arg(long, value_enum, default_value_t = Form::Json)]
    format: Form,
    /// The list of one session as it was at this revision, with --format markdown
    #[arg(long, value_name = "NUMBER", requires = "sessions")]
    revision: Option<u64>,
    /// Where to write it [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    which: Which,
}

pub(crate) async fn export(options: Export, data_dir: &Path, as_json: bool) -> anyhow::Result<()> {
    if options.revision.is_some() && (!matches!(options.format, Form::Markdown) || options.sessions.len() != 1) {
        anyhow::bail!(word("terminal_revision_alone"));
    }
    let hub = Hub::open(data_dir).await?;
    let sessions = match options.sessions {
        sessions if sessions.is_empty() => all(&hub, options.which.filter()).await?,
        sessions => sessions,
    };
    let mut text = String::new();
    let mut whole = Vec::new();
    for session_id in &sessions {
        let format = match options.format {
            Form::Json => ExportFormat::Json,
            Form::Markdown => ExportFormat::Markdown,
            Form::Training => ExportFormat::Training,
        };
        let (session_id, revision) = (session_id.clone(), options.revision);
        let ask = SessionExport { session_id, format, revision, ..SessionExport::default() };
        let Exported { text: exported, left_out, left_out_texts } = hub.ask(ask).await?;
        for lacks in words::all_sent(&left_out, &left_out_texts) {
            // Without a standard error it is lost, and the examples are not.
            let _ = writeln!(anstream::stderr(), "{}", words::text("terminal_left_out", &[("what", &plain(&lacks))]));
        }
        if format == ExportFormat::Json {
            whole.extend(serde_json::from_str::<ExportedFile>(&exported)?.sessions);
        } else if !exported.is_empty() {
            text.push_str(exported.trim_end());
            text.push_str(if format == ExportFormat::Markdown { "\n\n" } else { "\n" });
        }
    }
    hub.close().await;
    if matches!(options.format, Form::Json) {
        text = serde_json::to_string(&ExportedFile { sightline: json!(1), sessions: whole })?;
        text.push('\n');
    }
    let Some(file) = options.output else {
        if text.is_empty() {
            return Ok(());
        }
        return output::line(text.trim_end());
    };
    // Written to a temporary file first, so that an existing file is kept when this fails.
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let cannot = || words::text("terminal_cannot_write", &[("path", &file.display())]);
    let mut new = tempfile::NamedTempFile::new_in(folder).with_context(cannot)?;
    new.write_all(text.as_bytes()).with_context(cannot)?;
    new.persist(&file).with_context(cannot)?;
    if as_json {
        return output::json(&json!({ "sessions": sessions.len(), "file": file }));
    }
    output::line(&words::text("terminal_exported", &[("count", &sessions.len()), ("path", &file.display())]))
}

async fn all(hub: &Hub, filter: SessionFilter) -> anyhow::Result<Vec<String>> {
    let mut ids: Vec<String> = Vec::new();
    let mut cursor = None;
    loop {
        let page = hub.ask(SessionList { cursor, limit: Some(PAGE), filter: filter.clone() }).await?;
        for session in page.sessions {
            if !ids.contains(&session.session_id) {
                ids.push(session.session_id);
            }
        }
        cursor = page.next_cursor;
        if cursor.is_none() {
            return Ok(ids);
        }
    }
}

/// The parts of an exported file that are read here. A session stays as it was written, since the hub judges it.
#[derive(Serialize, Deserialize)]
struct ExportedFile {
    sightline: Value,
    sessions: Vec<Box<RawValue>>,
}

/// Imports a file that `sightline export` wrote: all of it, or nothing where a session of it is refused.
pub(crate) async fn import(file: &Path, data_dir: &Path, as_json: bool) -> anyhow::Result<()> {
    let text = if file == Path::new("-") {
        std::io::read_to_string(std::io::stdin())?
    } else {
        std::fs::read_to_string(file)
            .with_context(|| words::text("terminal_cannot_read", &[("path", &file.display())]))?
    };
    let exported: ExportedFile =
        serde_json::from_str(&text).with_context(|| words::text("terminal_no_export", &[("path", &file.display())]))?;
    let parts = parts(exported, text)?;
    let hub = Hub::open(data_dir).await?;
    let (mut new, mut known) = (Vec::new(), 0);
    // A file sent in parts is checked first, so that nothing is imported where one of them is refused.
    for check in [true, false].into_iter().filter(|check| !check || parts.len() > 1) {
        for part in &parts {
            let imported = hub.ask(SessionImport { check, ..part.clone() }).await?;
            if !check {
                new.extend(imported.sessions);
                known += imported.known;
            }
        }
    }
    hub.close().await;
    if as_json {
        return output::json(&json!({ "sessions": new, "known": known }));
    }
    output::line(&words::text("terminal_imported", &[("count", &new.len()), ("known", &known)]))
}

/// The imports that are sent for a file: of itself, or of each session where it is too long for one message.
fn parts(exported: ExportedFile, text: String) -> anyhow::Result<Vec<SessionImport>> {
    if serde_json::to_string(&text)?.len() + ENVELOPE <= IMPORT_BYTES {
        return Ok(vec![SessionImport { text, ..SessionImport::default() }]);
    }
    let ExportedFile { sightline, sessions } = exported;
    let parents = once(&sessions)?;
    let part = |session: Box<RawValue>| {
        let parents = above(&session, &parents);
        let text = serde_json::to_string(&ExportedFile { sightline: sightline.clone(), sessions: vec![session] })?;
        Ok(SessionImport { text, parents, ..SessionImport::default() })
    };
    sessions.into_iter().map(part).collect()
}

/// The sessions of the file that one is under, for the hub, which sees one part at a time.
fn above(session: &RawValue, parents: &HashMap<String, Option<String>>) -> BTreeMap<String, Option<String>> {
    let mut above = BTreeMap::new();
    let mut next = serde_json::from_str(session.get()).ok().and_then(|ids: Ids| ids.parent_session_id);
    while let Some((id, parent)) = next.and_then(|id| parents.get_key_value(&id)) {
        if above.len() > IMPORT_PARENTS || above.insert(id.clone(), parent.clone()).is_some() {
            break;
        }
        next = parent.clone();
    }
    above
}

/// The ids in an exported session. What is wrong with the rest of it, the hub says.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Ids {
    session_id: String,
    parent_session_id: Option<String>,
    lists: Vec<IdOfList>,
    edits: Vec<IdOfEdit>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct IdOfList {
    list_id: String,
}

#[derive(Deserialize)]
struct IdOfEdit {
    edit: NamedEdit,
}

#[derive(Deserialize)]
struct NamedEdit {
    id: String,
}

/// Returns the session that each is under. Refuses sessions that share an id: sent one by one, the hub would find that
/// only when the first is imported.
fn once(sessions: &[Box<RawValue>]) -> anyhow::Result<HashMap<String, Option<String>>> {
    let mut parents = HashMap::new();
    let mut known: HashMap<String, &str> = HashMap::new();
    let mut seen = HashSet::new();
    for raw in sessions.iter().map(|raw| raw.get()) {
        let Ok(ids) = serde_json::from_str::<Ids>(raw) else { continue };
        let Ids { session_id, parent_session_id, lists, edits } = ids;
        match known.insert(session_id.clone(), raw) {
            None => {}
            // It may be exported twice.
            Some(same) if same == raw => continue,
            Some(_) => {
                anyhow::bail!(text("terminal_twice", &[("session", &plain(&session_id))]))
            }
        }
        parents.insert(session_id.clone(), parent_session_id);
        let lists = lists.into_iter().map(|list| list.list_id);
        for id in lists.chain(edits.into_iter().map(|edit| edit.edit.id)) {
            if !seen.insert(id.clone()) {
                let (session, id) = (plain(&short(&session_id)), plain(&short(&id)));
                anyhow::bail!(text("terminal_two_things", &[("session", &session), ("id", &id)]));
            }
        }
    }
    Ok(parents)
}

#[cfg(test)]
mod tests {
    use super::{ExportedFile, parts};
    use protocol::IMPORT_BYTES;
    use serde_json::{Value, json};

    fn session(id: &str, list: &str, edit: &str, more: usize) -> Value {
        json!({ "sessionId": id, "lists": [{ "listId": list }], "edits": [{ "edit": { "id": edit } }],
            "title": "x".repeat(more) })
    }

    fn refusal(sessions: &[Value]) -> Option<String> {
        let text = json!({ "sightline": 1, "sessions": sessions }).to_string();
        let file: ExportedFile = serde_json::from_str(&text).expect("it is a file");
        parts(file, text).err().map(|error| error.to_string())
    }

    #[test]
    fn an_id_that_stands_in_two_parts_of_a_long_file_is_found_before_the_first_is_sent() {
        let long = IMPORT_BYTES / 2;
        let first = session("a", "list", "edit", long);
        assert_eq!(refusal(&[first.clone(), session("b", "other", "another", long)]), None);
        assert_eq!(refusal(&[first.clone(), first.clone()]), None, "exported twice, it is one");
        for (second, named) in [
            (session("b", "list", "another", long), "session b has list, which stands for two things"),
            (session("b", "other", "edit", long), "session b has edit, which stands for two things"),
            (session("b", "other", "list", long), "session b has list, which stands for two things"),
            (session("a", "other", "another", long), "session a is there twice, and differs"),
        ] {
            let refused = refusal(&[first.clone(), second]).expect("it is refused");
            assert!(refused.starts_with(named) && refused.ends_with("Nothing was imported"), "{refused}");
        }
        // One that cannot be read is refused by the hub, with the reason.
        assert_eq!(refusal(&[first, json!({ "sessionId": 7, "title": "x".repeat(long) }), json!("\u{1b}")]), None);
    }
}
