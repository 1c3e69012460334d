//! Start at login, into the tray, as the user has set it.

use crate::Options;
use crate::shell::{SettingState, Shell};
use crate::texts;
use auto_launch::{AutoLaunch, AutoLaunchBuilder, MacOSLaunchMode, WindowsEnableMode};
use std::path::{Path, PathBuf};
use tauri::{AppHandle, Manager};

/// Adds or removes the entry that starts this app at login, with the same data folder.
pub(crate) fn apply(app: &AppHandle, start: bool, options: &Options) {
    let state = match change(app, start, options) {
        Ok(()) if start => SettingState::On,
        Ok(()) => SettingState::Off,
        Err(error) => {
            tracing::warn!(%error, "starting at login could not be changed");
            SettingState::Refused(texts::login_refused(&error.to_string()))
        }
    };
    app.state::<Shell>().set_start_at_login(app, state);
}

fn change(app: &AppHandle, start: bool, options: &Options) -> auto_launch::Result<()> {
    let entry = entry(&program(app)?, folder(options).as_deref())?;
    match (start, entry.is_enabled().unwrap_or_default()) {
        (true, _) => entry.enable(),
        (false, true) => entry.disable(),
        (false, false) => Ok(()),
    }
}

fn entry(program: &Path, folder: Option<&Path>) -> auto_launch::Result<AutoLaunch> {
    let mut name = texts::APP.to_owned();
    let mut words = vec!["--hidden".to_owned()];
    if let Some(folder) = folder {
        // An entry of its own, beside that for the user's own data.
        let folder = folder.to_string_lossy();
        name.push(' ');
        name.extend(folder.chars().map(|letter| if letter.is_alphanumeric() { letter } else { '-' }));
        words.extend(["--data-dir".to_owned(), word(&folder)]);
    }
    AutoLaunchBuilder::new()
        .set_app_name(&name)
        .set_app_path(&word(&program.to_string_lossy()))
        .set_args(&words)
        .set_macos_launch_mode(MacOSLaunchMode::LaunchAgent)
        // Never for everybody on the machine, whoever has started this.
        .set_windows_enable_mode(WindowsEnableMode::CurrentUser)
        .build()
}

/// The program that login starts: an AppImage's file rather than what it has mounted for now.
fn program(app: &AppHandle) -> std::io::Result<PathBuf> {
    #[cfg(target_os = "linux")]
    if let Some(file) = app.env().appimage {
        return Ok(file.into());
    }
    tauri::process::current_binary(&app.env())
}

/// The folder that the entry names, as an absolute path, since login starts in another folder.
fn folder(options: &Options) -> Option<PathBuf> {
    let folder = options.data_dir.as_ref()?;
    Some(std::path::absolute(folder).unwrap_or_else(|_| folder.clone()))
}

/// A path as one word of the entry.
fn word(path: &str) -> String {
    if cfg!(windows) {
        word_of_windows(path)
    } else if cfg!(target_os = "macos") {
        word_of_macos(path)
    } else {
        word_of_linux(path)
    }
}

/// <https://specifications.freedesktop.org/desktop-entry-spec/latest/exec-variables.html>.
fn word_of_linux(path: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in path.chars() {
        match letter {
            // The quotes take a `\\` away, and before them the file does, as from every text in it.
            '\\' => quoted.push_str("\\\\\\\\"),
            '"' | '`' | '$' => quoted.extend(["\\\\", letter.encode_utf8(&mut [0; 4])]),
            '%' => quoted.push_str("%%"),
            '\n' => quoted.push_str("\\n"),
            _ => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

/// The entry is a command line. No path has quotes there.
fn word_of_windows(path: &str) -> String {
    // A `\` before the last quote would take its meaning.
    let end = if path.ends_with('\\') { "\\" } else { "" };
    format!("\"{path}{end}\"")
}

/// The entry is a property list with a text for each word.
fn word_of_macos(path: &str) -> String {
    path.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::{entry, word, word_of_linux, word_of_macos, word_of_windows};
    use rstest::rstest;
    use std::path::Path;

    #[rstest]
    #[case::linux(word_of_linux, "/home/ada/.local/share/sightline-2", r#""/home/ada/.local/share/sightline-2""#)]
    #[case::linux(word_of_linux, "/home/zoë/my data", r#""/home/zoë/my data""#)]
    #[case::linux(word_of_linux, "/home/ada/50% $x `y`", r#""/home/ada/50%% \\$x \\`y\\`""#)]
    #[case::linux(word_of_linux, "/home/ada/\"x\\", r#""/home/ada/\\"x\\\\""#)]
    #[case::windows(word_of_windows, r"C:\Program Files\x.exe", r#""C:\Program Files\x.exe""#)]
    #[case::windows(word_of_windows, r"D:\", r#""D:\\""#)]
    #[case::macos(word_of_macos, "/Users/ada/R&D <x>", "/Users/ada/R&amp;D &lt;x&gt;")]
    fn a_path_is_one_word(#[case] of: fn(&str) -> String, #[case] path: &str, #[case] expected: &str) {
        assert_eq!(of(path), expected);
    }

    #[test]
    fn each_folder_has_an_entry_of_its_own() {
        let of = |folder: Option<&str>| entry(Path::new("/sightline"), folder.map(Path::new)).expect("it is supported");
        assert_eq!(of(None).get_args(), ["--hidden"]);
        assert_eq!(of(Some("/a b")).get_args(), ["--hidden", "--data-dir", &word("/a b")]);
        assert_ne!(of(None).get_app_name(), of(Some("/a b")).get_app_name());
    }
}
