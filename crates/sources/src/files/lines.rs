//! A file with one JSON record per line, which grows while it is read.

use serde_json::Value;
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// The most bytes of a line; a longer one is passed over.
const LINE_BYTES: usize = 16 * 1024 * 1024;
const CHUNK_BYTES: usize = 64 * 1024;
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
}

/// The identity of the file behind the path.
#[derive(Debug, PartialEq, Eq)]
struct FileIdentity(u64, u64);

impl FileIdentity {
    #[cfg(unix)]
    fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self(metadata.dev(), metadata.ino())
    }

    #[cfg(not(unix))]
    fn of(metadata: &Metadata) -> Self {
        let made = metadata.created().ok().and_then(|made| made.duration_since(std::time::UNIX_EPOCH).ok());
        Self(0, made.map_or(0, |made| u64::try_from(made.as_nanos()).unwrap_or_default()))
    }
}

/// A step of reading.
pub(super) enum Line<'a> {
    /// The file was replaced, or has begun anew.
    Begin,
    /// The next record.
    Record(&'a Value),
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
        }
    }

    /// The number of lines that were no records.
    pub(super) fn passed_over(&self) -> u64 {
        self.passed_over
    }

    /// Returns whether it has lines, and none of them could be read.
    pub(super) fn is_unreadable(&self) -> bool {
        self.read == 0 && self.passed_over > 0
    }

    /// Reads whole lines until there are no more or it is enough. A file that is not there has none.
    pub(super) fn read(&mut self, mut take: impl FnMut(Line<'_>) -> ControlFlow<()>) -> io::Result<()> {
        if !is_file(&self.path)? {
            return Ok(());
        }
        let mut file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        let metadata = file.metadata()?;
        let identity = FileIdentity::of(&metadata);
        if self.file.as_ref() != Some(&identity) || metadata.len() < self.offset || !self.goes_on(&mut file)? {
            *self = Self { file: Some(identity), ..Self::open(&self.path) };
            let _ = take(Line::Begin);
        }
        file.seek(SeekFrom::Start(self.offset))?;
        let mut chunk = vec![0; CHUNK_BYTES];
        loop {
            let count = match file.read(&mut chunk) {
                Ok(0) => return Ok(()),
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
                    return Ok(());
                }
            }
            self.keep(rest);
        }
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
        let record = serde_json::from_slice::<Value>(line).ok().filter(|record| record.is_object());
        match record {
            Some(_) => self.read += 1,
            None => self.passed_over += 1,
        }
        record
    }
}

/// Returns whether there is a file to read: a pipe or a device may have no end.
pub(super) fn is_file(path: &Path) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(metadata) => Ok(metadata.is_file()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}
