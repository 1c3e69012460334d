//! The same is told however a file comes to be.

use super::*;
use proptest::prelude::*;
use rstest::rstest;
use std::fs::OpenOptions;
use std::io::Write;
use std::task::Poll;

const KINDS: [&'static dyn Agent; 4] = [CLAUDE, CODEX, GEMINI, QWEN];

fn append(path: &Path, bytes: &[u8]) {
    let mut file = OpenOptions::new().append(true).open(path).expect("it is there");
    file.write_all(bytes).expect("it can be written");
}

/// Observations while these pieces are written one after the other.
async fn fed<'a>(kind: &'static dyn Agent, pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<Observation> {
    let (_folder, path) = placed(lines_of(kind).1, b"");
    let mut reader = Reader::open(kind, &path);
    let mut told = Vec::new();
    for piece in pieces {
        append(&path, piece);
        told.extend(rest(&mut reader).await);
    }
    assert_eq!(reader.passed_over(), 0);
    assert_eq!(reader.unreadable(), None);
    told
}

async fn at_once(kind: &'static dyn Agent) -> Vec<Observation> {
    let told = fed(kind, [recording(lines_of(kind).0).as_bytes()]).await;
    check(&told);
    assert!(lists(&told).len() >= 6, "{} tells lists", kind.name());
    told
}

#[rstest]
#[tokio::test]
async fn line_by_line(#[values(CLAUDE, CODEX, GEMINI, QWEN)] kind: &'static dyn Agent) {
    let text = recording(lines_of(kind).0);
    assert_eq!(fed(kind, text.split_inclusive('\n').map(str::as_bytes)).await, at_once(kind).await);
}

#[rstest]
#[tokio::test]
async fn with_other_ends_of_lines_and_empty_lines(#[values(CLAUDE, CODEX, GEMINI, QWEN)] kind: &'static dyn Agent) {
    let text = format!("\u{feff}{}", recording(lines_of(kind).0).replace('\n', "\r\n\r\n"));
    assert_eq!(fed(kind, [text.as_bytes()]).await, at_once(kind).await);
}

#[tokio::test]
async fn byte_by_byte() {
    // Letters of several bytes are cut as well.
    let text = recording("claude/agent-a1b2c3d.jsonl").replace("Count them", "Zähle 数える 🧮");
    let all = fed(CLAUDE, [text.as_bytes()]).await;
    assert_eq!(lists(&all)[0][1]["content"], "Zähle 数える 🧮");
    assert_eq!(fed(CLAUDE, text.as_bytes().chunks(1)).await, all);
}

#[rstest]
#[tokio::test]
async fn what_has_no_end_yet_waits(#[values(CLAUDE, CODEX, GEMINI, QWEN)] kind: &'static dyn Agent) {
    let text = recording(lines_of(kind).0);
    let lines = text.split_inclusive('\n').flat_map(|line| {
        let (torn, end) = line.as_bytes().split_at(line.len() - 1);
        [torn, b"".as_slice(), end]
    });
    assert_eq!(fed(kind, lines).await, at_once(kind).await);
}

#[rstest]
#[tokio::test]
async fn truncated_rotated_or_replaced_it_is_read_again_from_the_start(
    #[values(CLAUDE, CODEX, GEMINI, QWEN)] kind: &'static dyn Agent,
    #[values("truncated", "rotated", "replaced", "written over")] how: &str,
    #[values(0, 7, 1_000_000)] kept: usize,
) {
    let text = recording(lines_of(kind).0);
    let (folder, path) = placed(lines_of(kind).1, text.as_bytes());
    let mut reader = Reader::open(kind, &path);
    let all = rest(&mut reader).await;
    let kept = text.split_inclusive('\n').take(kept).collect::<String>();
    let is_other = kept.len() != text.len() || how == "rotated" || how == "replaced";
    match how {
        "truncated" => OpenOptions::new()
            .write(true)
            .open(&path)
            .and_then(|file| file.set_len(kept.len() as u64))
            .expect("it is cut"),
        "rotated" => {
            fs::rename(&path, folder.path().join("old")).expect("it is moved");
            assert_eq!(rest(&mut reader).await, [], "nothing is there");
            write(&path, kept.as_bytes());
        }
        "replaced" => {
            write(&folder.path().join("new"), kept.as_bytes());
            fs::rename(folder.path().join("new"), &path).expect("it is replaced");
        }
        // Longer than before, so that only what stands in it tells.
        _ => fs::write(&path, format!("{}\n{text}", r#"{"type":"first"}"#)).expect("it is written"),
    }
    let again = rest(&mut reader).await;
    match (how, is_other) {
        ("written over", _) => assert_eq!(again, all),
        (_, false) => assert_eq!(again, []),
        _ => assert_eq!(again[..], all[..again.len()], "the same times as before"),
    }
    append(&path, &text.as_bytes()[kept.len().min(text.len())..]);
    let then = rest(&mut reader).await;
    if is_other && how != "written over" {
        assert_eq!([again, then].concat(), all);
    }
}

#[tokio::test]
async fn a_look_that_was_given_up_is_made_again() {
    let (name, place) = lines_of(CODEX);
    let (_folder, path) = placed(place, recording(name).as_bytes());
    let mut reader = Reader::open(CODEX, &path);
    let first = match futures_util::poll!(Box::pin(reader.look())) {
        Poll::Ready(told) => told.expect("it can be read"),
        Poll::Pending => Vec::new(),
    };
    assert_eq!([first, rest(&mut reader).await].concat(), at_once(CODEX).await);
}

#[test]
fn looking_can_be_done_by_any_thread() {
    fn sent<T: Send>(_: T) {}
    sent(Reader::open(CODEX, Path::new("x")).look());
}

#[tokio::test]
async fn a_file_that_is_not_there_tells_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    for kind in KNOWN.iter() {
        for name in ["x.jsonl", "x.json", "opencode.db", "tasks/x"] {
            let mut reader = Reader::open(kind, &folder.path().join(name));
            assert_eq!(reader.look().await.expect("that is no error"), []);
            assert_eq!(reader.unreadable(), None);
        }
    }
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0, "nothing was made");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn cut_anywhere(kind in prop::sample::select(&KINDS[..]), mut cuts in prop::collection::vec(0.0..1.0f64, 0..40)) {
        let text = recording(lines_of(kind).0);
        cuts.sort_by(f64::total_cmp);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "some place in it")]
        let mut ends = cuts.iter().map(|cut| (cut * text.len() as f64) as usize).collect::<Vec<_>>();
        ends.push(text.len());
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let pieces = starts.zip(&ends).map(|(start, end)| &text.as_bytes()[start..*end]).collect::<Vec<_>>();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let (cut, whole) = runtime.block_on(async { (fed(kind, pieces).await, at_once(kind).await) });
        prop_assert_eq!(cut, whole);
    }
}
