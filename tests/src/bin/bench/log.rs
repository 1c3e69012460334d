//! The write-ahead log of a database as a file: the pages in it, and the commits.

use anyhow::{Result, ensure};
use std::path::Path;

/// Bytes before the first frame, and of the head of a frame (sqlite.org/fileformat2.html, section 4.1).
const HEAD: usize = 32;
const FRAME_HEAD: usize = 24;

/// The content of a log.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Log {
    /// Another one with each new beginning of the log.
    salt: [u8; 8],
    pub(crate) pages: u64,
    pub(crate) commits: u64,
}

impl Log {
    pub(crate) fn read(file: &Path) -> Result<Self> {
        let bytes = std::fs::read(file)?;
        ensure!(bytes.len() >= HEAD, "{} has no head", file.display());
        let number = |at: usize| u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let mut salt = [0; 8];
        salt.copy_from_slice(&bytes[16..24]);
        let size = FRAME_HEAD + number(8) as usize;
        let mut log = Self { salt, pages: 0, commits: 0 };
        let mut at = HEAD;
        // Frames of another salt are from before the log was begun anew.
        while at + size <= bytes.len() && bytes[at + 8..at + 16] == salt {
            log.pages += 1;
            // The last frame of a commit says the size of the database.
            log.commits += u64::from(number(at + 4) > 0);
            at += size;
        }
        Ok(log)
    }

    /// True if that log goes on from this one.
    pub(crate) fn is_of(&self, later: &Self) -> bool {
        self.salt == later.salt
    }
}
