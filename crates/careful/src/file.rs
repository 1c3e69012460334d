//! Opening an ordinary file, and reading it up to a bound.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// Opens an ordinary file for reading. Links are followed.
///
/// # Errors
/// Those of the system, and [`ErrorKind::InvalidInput`] for what is no ordinary file.
pub fn open(path: &Path) -> Result<File> {
    // Some devices do something when they are opened. By the time of the opening the path may lead elsewhere, so the
    // handle is looked at, too.
    check(&fs::metadata(path)?)?;
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        // A pipe without a writer is opened at once, and a terminal does not become the process's own.
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits().cast_signed());
    }
    let file = options.open(path)?;
    check(&file.metadata()?)?;
    Ok(file)
}

fn check(metadata: &Metadata) -> Result<()> {
    match metadata {
        file if file.is_file() => Ok(()),
        folder if folder.is_dir() => Err(Error::new(ErrorKind::InvalidInput, "it is a folder")),
        _ => Err(Error::new(ErrorKind::InvalidInput, "it is no ordinary file")),
    }
}

/// The bytes of an ordinary file.
///
/// # Errors
/// Those of [`open`], and [`ErrorKind::FileTooLarge`] for one with more bytes than `most`.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    let file = open(path)?;
    let too_large = |bytes: u64| {
        Error::new(ErrorKind::FileTooLarge, format!("it has {bytes} bytes or more, and {most} is the limit"))
    };
    let bytes = file.metadata()?.len();
    if bytes > most {
        return Err(too_large(bytes));
    }
    let mut read = Vec::new();
    // It may grow, or say that it has none, as those of the system do.
    file.take(most.saturating_add(1)).read_to_end(&mut read)?;
    if read.len() as u64 > most {
        return Err(too_large(read.len() as u64));
    }
    Ok(read)
}

/// The text of an ordinary file.
///
/// # Errors
/// Those of [`read`], and [`ErrorKind::InvalidData`] for what is not UTF-8.
pub fn text(path: &Path, most: u64) -> Result<String> {
    String::from_utf8(read(path, most)?).map_err(|error| Error::new(ErrorKind::InvalidData, error))
}

/// Returns whether an error says that there is no such file: nothing, or something else than an ordinary file.
#[must_use]
pub fn is_absent(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidInput)
}
