//! A file with one JSON record per line, which grows while it is read.

use agents::Budget;
use serde_json::Value;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// The most bytes of a line; a longer one is passed over.
const LINE_BYTES: usize = 16 * 1024 * 1024;
/// The most of a line that is held: many times what agents write.
const RECORD: Budget = Budget { values: 200_000, bytes: LINE_BYTES };
const CHUNK_BYTES: usize = 64 * 1024;
/// The bytes that one look reads: a file without an end is read in pieces, each within the time for one.
const LOOK_BYTES: u64 = 64 * 1024 * 1024;
/// The most bytes of a file.
const FILE_BYTES: u64 = 4 * 1024 * 1024 * 1024;
/// The bytes before the offset that are compared, to notice that the file was replaced.
const MARK_BYTES: usize = 64;

/// A reader that goes on where it stopped.
#[derive(Debug)]
pub(super) struct Lines {
    path: PathBuf,
    file: Option<FileIdentity>,
    /// The position up to which all bytes were taken.
    offset: u64,
    /// The bytes before the offset.
    mark: Vec<u8>,
    /// The beginning of a line whose end is not written yet.
    partial: Vec<u8>,
    /// True if that line is too long, so that all of it is passed over.
    is_long: bool,
    /// The numbers of lines that were read, and of those that were not.
    read: u64,
    passed_over: u64,
    is_too_large: bool,
}

/// The identity of the file behind the path.
#[derive(Debug, PartialEq, Eq)]
struct FileIdentity(u64, u64);

impl FileIdentity {
    #[cfg(unix)]
    fn of(file: &File) -> io::Result<Self> {
        use std::os::unix::fs::MetadataExt;
        let metadata = file.metadata()?;
        Ok(Self(metadata.dev(), metadata.ino()))
    }

    #[cfg(windows)]
    fn of(file: &File) -> io::Result<Self> {
        let known = winapi_util::file::information(file)?;
        Ok(Self(known.volume_serial_number(), known.file_index()))
    }
}

/// A step of reading.
pub(super) enum Line<'a> {
    /// The file was replaced, or has begun anew.
    Begin,
    /// The next record.
    Record(&'a Value),
}

/// The extent of a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// There may be more to read.
    Piece,
    /// Everything that is there was read.
    End,
}

impl Lines {
    pub(super) fn open(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            file: None,
            offset: 0,
            mark: Vec::new(),
            partial: Vec::new(),
            is_long: false,
            read: 0,
            passed_over: 0,
            is_too_large: false,
        }
    }

    /// The number of lines that were no records.
    pub(super) fn passed_over(&self) -> u64 {
        self.passed_over
    }

    /// The reason why nothing of it could be read.
    pub(super) fn unreadable(&self) -> Option<&'static str> {
        let is_unread = self.read == 0 && self.passed_over > 0;
        let large = self.is_too_large.then_some("it is too large to be a transcript");
        large.or(is_unread.then_some("none of its lines is a JSON object"))
    }

    /// Reads whole lines until it is enough for one look; [`Look::End`] where there are no more. A file that is not there
    /// has none.
    pub(super) fn read(&mut self, mut take: impl FnMut(Line<'_>) -> ControlFlow<()>) -> io::Result<Look> {
        let mut file = match careful::open(&self.path) {
            Ok(file) => file,
            Err(error) if careful::is_absent(&error) => return Ok(Look::End),
            Err(error) => return Err(error),
        };
        let metadata = file.metadata()?;
        self.is_too_large = metadata.len() > FILE_BYTES;
        if self.is_too_large {
            return Ok(Look::End);
        }
        let identity = FileIdentity::of(&file)?;
        if self.file.as_ref() != Some(&identity) || metadata.len() < self.offset || !self.goes_on(&mut file)? {
            *self = Self { file: Some(identity), ..Self::open(&self.path) };
            let _ = take(Line::Begin);
        }
        file.seek(SeekFrom::Start(self.offset))?;
        let mut chunk = vec![0; CHUNK_BYTES];
        let end = self.offset.saturating_add(LOOK_BYTES);
        while self.offset < end {
            let count = match file.read(&mut chunk) {
                Ok(0) => return Ok(Look::End),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let mut rest = &chunk[..count];
            while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
                let (line, after) = rest.split_at(end + 1);
                rest = after;
                self.keep(line);
                if let Some(record) = self.line()
                    && take(Line::Record(&record)).is_break()
                {
                    return Ok(Look::Piece);
                }
            }
            self.keep(rest);
        }
        Ok(Look::Piece)
    }

    /// Returns whether the bytes before the offset are those that were read.
    fn goes_on(&self, file: &mut File) -> io::Result<bool> {
        let start = self.offset - self.mark.len() as u64;
        let mut there = vec![0; self.mark.len()];
        file.seek(SeekFrom::Start(start))?;
        match file.read_exact(&mut there) {
            Ok(()) => Ok(there == self.mark),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.offset += bytes.len() as u64;
        self.mark.extend_from_slice(&bytes[bytes.len().saturating_sub(MARK_BYTES)..]);
        self.mark.drain(..self.mark.len().saturating_sub(MARK_BYTES));
        if self.is_long || self.partial.len() + bytes.len() > LINE_BYTES {
            self.is_long = true;
            self.partial = Vec::new();
        } else {
            self.partial.extend_from_slice(bytes);
        }
    }

    /// The record of the line that has just ended.
    fn line(&mut self) -> Option<Value> {
        let line = std::mem::take(&mut self.partial);
        let is_long = std::mem::take(&mut self.is_long);
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line).trim_ascii();
        if line.is_empty() && !is_long {
            return None;
        }
        let record = agents::lean_value(line, RECORD).ok().filter(Value::is_object);
        match record {
            Some(_) => self.read += 1,
            None => self.passed_over += 1,
        }
        record
    }
}
