//! Progress and a count on the dock or the taskbar, on systems that support it.

use crate::overview::Overview;
use crate::window;
use tauri::AppHandle;
use tauri::window::{ProgressBarState, ProgressBarStatus};

/// The values that are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shown {
    /// In per cent; none while no session runs.
    progress: Option<u64>,
    needs: usize,
}

/// The entry on the dock or the taskbar.
#[derive(Default)]
pub(crate) struct Taskbar(Option<Shown>);

impl Taskbar {
    pub(crate) fn update(&mut self, app: &AppHandle, overview: &Overview) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is 0 to 100")]
        let progress = overview.fraction.map(|fraction| (fraction.clamp(0.0, 1.0) * 100.0).round() as u64);
        let shown = Shown { progress, needs: overview.needs };
        if self.0 == Some(shown) {
            return;
        }
        let status = match (progress, shown.needs) {
            (None, _) => ProgressBarStatus::None,
            (Some(_), 0) => ProgressBarStatus::Normal,
            (Some(_), _) => ProgressBarStatus::Paused,
        };
        window::with(app, "given progress", |window| {
            window.set_progress_bar(ProgressBarState { status: Some(status), progress })?;
            if cfg!(windows) {
                return Ok(());
            }
            window.set_badge_count(i64::try_from(shown.needs).ok().filter(|needs| *needs > 0))
        });
        self.0 = Some(shown);
    }
}
