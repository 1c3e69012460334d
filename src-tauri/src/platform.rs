//! The duties of an app on Windows and macOS beside its window.

#[cfg(any(windows, test))]
use std::path::Path;
#[cfg(target_os = "macos")]
use tauri::AppHandle;

/// True if this build was installed, so that the system knows the app's id by a shortcut in the Start menu. Windows shows
/// no notification in the name of an app that it does not know.
#[cfg(any(windows, test))]
pub(crate) fn is_installed(program: &Path) -> bool {
    // Cargo has this folder beside what it builds.
    program.parent().is_some_and(|folder| !folder.join("deps").is_dir())
}

/// Says in a box why the app does not start: Windows gives its window no terminal to say it in.
#[cfg(windows)]
pub(crate) fn show_failure(problem: &str) {
    use std::os::windows::io::AsRawHandle;
    use winsafe::prelude::Handle;
    if std::io::stderr().as_raw_handle().is_null() {
        let shown = winsafe::HWND::NULL.MessageBox(problem, crate::texts::APP, winsafe::co::MB::ICONERROR);
        if let Err(error) = shown {
            tracing::error!(%error, "the message cannot be shown");
        }
    }
}

/// Puts the app on the Dock while its window is shown. Without one it is in the menu bar alone.
#[cfg(target_os = "macos")]
pub(crate) fn put_on_dock(app: &AppHandle, is_shown: bool) {
    let policy = if is_shown { tauri::ActivationPolicy::Regular } else { tauri::ActivationPolicy::Accessory };
    if let Err(error) = app.set_activation_policy(policy) {
        tracing::warn!(%error, "the Dock could not be told");
    }
}

#[cfg(test)]
mod tests {
    use super::is_installed;

    #[test]
    fn what_cargo_has_built_is_not_installed() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let program = folder.path().join("sightline-desktop.exe");
        assert!(is_installed(&program));
        std::fs::create_dir(folder.path().join("deps")).expect("it is made");
        assert!(!is_installed(&program));
    }

    /// The packages for macOS and Windows as their packager reads them. No package was ever made from it here.
    #[test]
    fn the_packages_say_what_they_ask_for_and_bring_the_web_view() {
        let configuration: serde_json::Value =
            serde_json::from_str(include_str!("../release.conf.json")).expect("it is JSON");
        let bundle = &configuration["bundle"];
        assert_eq!(bundle["windows"]["webviewInstallMode"]["type"], "embedBootstrapper");
        assert_eq!(bundle["macOS"]["infoPlist"], "src-tauri/Info.plist");
        assert_eq!(bundle["macOS"]["entitlements"], "src-tauri/Entitlements.plist");
        let info = include_str!("../Info.plist");
        assert!(info.contains("<key>NSAppleEventsUsageDescription</key>"), "macOS ends apps that ask without a reason");
        for language in ["en", "de", "es", "ja", "zh-Hans"] {
            assert!(info.contains(&format!("<string>{language}</string>")), "{language} is left out");
        }
        // The same reason in the other languages, one line each.
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        for language in ["de", "es", "ja", "zh-Hans"] {
            let file = &bundle["macOS"]["files"][format!("Resources/{language}.lproj/InfoPlist.strings")];
            let file = root.join(file.as_str().expect("it is in the package"));
            let text = std::fs::read_to_string(file).expect("it is there");
            let reason = text.strip_prefix("\"NSAppleEventsUsageDescription\" = \"").expect("it is of that name");
            let end = reason.find('"').expect("it ends");
            assert!(end > 0 && &reason[end..] == "\";\n", "{language}: {text}");
        }
        assert!(include_str!("../Entitlements.plist").contains("com.apple.security.automation.apple-events"));
        for list in [info, include_str!("../Entitlements.plist")] {
            for word in ["dict", "array", "plist", "key", "string"] {
                let opened = list.matches(&format!("<{word}>")).count() + list.matches(&format!("<{word} ")).count();
                assert_eq!(opened, list.matches(&format!("</{word}>")).count(), "{word}");
            }
        }
    }
}
