//! Everything that a path may lead to, and work that hangs.

mod aside;

use crate::{is_absent, open, read, text};
use rstest::rstest;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;

const MOST: u64 = 4096;

/// A pipe that nobody writes to: opened as usual, it never opens.
pub(crate) fn pipe(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.expect("mkfifo is there").success());
}

#[test]
fn an_ordinary_file_is_read_up_to_its_bound() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, link) = (folder.path().join("file"), folder.path().join("link"));
    symlink(&file, &link).expect("a link");
    for bytes in [0, 1, MOST - 1, MOST] {
        fs::write(&file, "x".repeat(usize::try_from(bytes).expect("few"))).expect("a file");
        assert_eq!(text(&link, MOST).expect("it is read").len() as u64, bytes);
    }
    fs::write(&file, [0xff]).expect("a file");
    assert_eq!(text(&file, MOST).expect_err("no text").kind(), ErrorKind::InvalidData);
    assert_eq!(read(&file, MOST).expect("bytes"), [0xff]);
}

#[test]
fn a_file_that_is_too_large_is_not_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("large");
    File::create(&path).and_then(|file| file.set_len(100 * 1024 * 1024)).expect("a file");
    assert_eq!(read(&path, MOST).expect_err("too large").kind(), ErrorKind::FileTooLarge);
    assert_eq!(read(&path, u64::MAX).expect("it is read").len(), 100 * 1024 * 1024);
}

/// Files of the system say that they are empty, whatever is in them.
#[test]
#[cfg(target_os = "linux")]
fn a_file_that_says_no_size_is_read_up_to_its_bound_too() {
    let path = Path::new("/proc/self/environ");
    assert_eq!(fs::metadata(path).expect("it is there").len(), 0);
    let whole = read(path, u64::MAX).expect("it is read").len() as u64;
    assert!(whole > 0, "the test has an environment");
    assert_eq!(read(path, whole - 1).expect_err("too large").kind(), ErrorKind::FileTooLarge);
}

#[rstest]
#[case::pipe(|path: &Path| pipe(path))]
#[case::link_to_a_device_without_an_end(|path: &Path| symlink("/dev/zero", path).expect("a link"))]
#[case::link_to_a_terminal(|path: &Path| symlink("/dev/ptmx", path).expect("a link"))]
#[case::folder(|path: &Path| fs::create_dir(path).expect("a folder"))]
#[case::socket(|path: &Path| drop(UnixListener::bind(path).expect("a socket")))]
#[case::link_to_nothing(|path: &Path| symlink("nothing", path).expect("a link"))]
#[case::nothing(|_: &Path| ())]
#[case::below_a_file(|path: &Path| drop(fs::remove_dir(path.parent().expect("a folder")).and_then(|()| fs::write(path.parent().expect("a folder"), ""))))]
fn what_is_no_ordinary_file_counts_as_absent(#[case] make: fn(&Path)) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("below").join("file");
    fs::create_dir(folder.path().join("below")).expect("a folder");
    make(&path);
    let error = open(&path).expect_err("it is no file");
    assert!(is_absent(&error), "{error:?}");
}

#[test]
fn a_loop_of_links_and_a_folder_that_vanishes_are_errors() {
    let folder = tempfile::tempdir().expect("a folder");
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    symlink(&one, &two).and_then(|()| symlink(&two, &one)).expect("links");
    assert!(read(&one, MOST).is_err());
    let gone = folder.path().join("gone");
    drop(folder);
    assert_eq!(read(&gone, MOST).expect_err("it is gone").kind(), ErrorKind::NotFound);
}

/// Between the look at the path and the opening it may come to lead elsewhere.
#[test]
fn a_path_that_changes_all_the_time_never_hangs() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, file, fifo) = (folder.path().join("path"), folder.path().join("file"), folder.path().join("fifo"));
    File::create(&file).and_then(|mut file| file.write_all(b"said")).expect("a file");
    pipe(&fifo);
    let until = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for at in 0.. {
                if until.load(std::sync::atomic::Ordering::Relaxed) {
                    return;
                }
                let next = folder.path().join("next");
                symlink(if at % 2 == 0 { &fifo } else { &file }, &next).expect("a link");
                fs::rename(&next, &path).expect("it is in its place");
            }
        });
        for _ in 0..2_000 {
            if let Ok(said) = text(&path, MOST) {
                assert_eq!(said, "said");
            }
        }
        until.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}
