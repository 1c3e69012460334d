//! Paths that lead to another machine by their names alone: Windows introduces its user there to look at one.

use std::path::Path;

/// True if a look at this path would ask another machine, or a device. [`aside`](crate::aside) looks at none; a path that
/// is read in a file has to be asked about.
#[must_use]
pub fn is_elsewhere(path: &Path) -> bool {
    cfg!(windows) && path.to_str().is_none_or(is_elsewhere_on_windows)
}

/// The shares of Windows for the Linux that it runs itself.
const WSL: [&str; 2] = ["wsl.localhost", "wsl$"];

fn is_elsewhere_on_windows(path: &str) -> bool {
    let path = path.replace('/', r"\");
    // `\\?\C:\folder` is a longer name for a folder of this machine.
    if let Some(rest) = path.strip_prefix(r"\\?\").or_else(|| path.strip_prefix(r"\??\")) {
        let mut letters = rest.chars();
        return !(letters.next().is_some_and(|letter| letter.is_ascii_alphabetic()) && letters.next() == Some(':'));
    }
    let Some(share) = path.strip_prefix(r"\\") else { return false };
    let machine = share.split('\\').next().unwrap_or_default();
    !WSL.iter().any(|own| own.eq_ignore_ascii_case(machine))
}

#[cfg(test)]
mod tests {
    use super::is_elsewhere_on_windows;

    #[test]
    fn shares_of_other_machines_are_not_looked_at() {
        for path in [
            r"\\server\share\x",
            "//server/share",
            r"\/server\share",
            r"\\?\UNC\server\share",
            r"//?/unc/server/share",
            r"\\.\pipe\name",
            r"\\?\GLOBALROOT\Device\Mup\server",
            r"\\wsl.localhost.example\x",
            r"\\",
        ] {
            assert!(is_elsewhere_on_windows(path), "{path}");
        }
        for path in [
            r"C:\Users\me",
            "c:/users/me",
            r"\\?\C:\Users\me",
            r"\\wsl.localhost\Debian\home\me",
            r"\\WSL$\Debian",
            r"relative\folder",
            r"\folder",
            "",
        ] {
            assert!(!is_elsewhere_on_windows(path), "{path}");
        }
    }
}
