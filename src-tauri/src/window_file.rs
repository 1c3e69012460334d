//! `window.json` in the data folder: the position, size and zoom of the window between starts.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The zoom levels, as factors.
const ZOOMS: [f64; 11] = [0.5, 0.67, 0.75, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0];

/// Pixels of a strip that the whole window's least width applies to, on a screen with twice the pixels.
const STRIP_WIDTH: u32 = 720;

/// The position and size of a window or a screen, in physical pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Rectangle {
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl Rectangle {
    /// True if enough of a window is on a screen to drag it there.
    pub(crate) fn is_on(self, screen: Self) -> bool {
        let shared = |at: i32, size: u32, from: i32, room: u32| {
            let end = i64::from(at) + i64::from(size);
            end.min(i64::from(from) + i64::from(room)) - i64::from(at.max(from))
        };
        shared(self.x, self.width, screen.x, screen.width) >= 80
            && shared(self.y, self.height, screen.y, screen.height) >= 40
    }
}

/// One step of the zoom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Zoom {
    In,
    Out,
    Reset,
}

/// The content of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct WindowFile {
    /// The whole window, when it is not maximized.
    pub(crate) window: Option<Rectangle>,
    pub(crate) maximized: bool,
    /// The compact strip.
    pub(crate) strip: Option<Rectangle>,
    pub(crate) zoom: f64,
}

impl Default for WindowFile {
    fn default() -> Self {
        Self { window: None, maximized: false, strip: None, zoom: 1.0 }
    }
}

impl WindowFile {
    /// Reads the file of a data folder; the default where it cannot be read.
    pub(crate) fn load(data_dir: &Path) -> Self {
        let text = std::fs::read_to_string(file(data_dir)).unwrap_or_default();
        let mut file: Self = serde_json::from_str(&text).unwrap_or_default();
        if !file.zoom.is_finite() {
            file.zoom = 1.0;
        }
        file.zoom = file.zoom.clamp(ZOOMS[0], ZOOMS[ZOOMS.len() - 1]);
        file
    }

    /// Takes the place that an event of the window told. Events come late: after a change between the whole window and
    /// the strip the first ones still have the size of the other, which is none of this one's.
    pub(crate) fn remember(&mut self, place: Rectangle, compact: bool, maximized: bool) {
        let other = if compact { self.window } else { self.strip };
        // The whole window's least size makes a strip wider, and no higher.
        let is_late =
            other.is_some_and(|other| other.height == place.height && (!compact || other.width == place.width));
        if is_late && (compact || place.width <= STRIP_WIDTH) {
            return;
        }
        if compact {
            self.strip = Some(place);
            return;
        }
        self.maximized = maximized;
        if !maximized {
            self.window = Some(place);
        }
    }

    pub(crate) fn save(&self, data_dir: &Path) -> std::io::Result<()> {
        std::fs::write(file(data_dir), serde_json::to_vec_pretty(self)?)
    }

    pub(crate) fn zoom(&mut self, step: Zoom) -> f64 {
        // The margin is larger than the rounding error of a fraction in JSON, and smaller than a step.
        let next = match step {
            Zoom::In => ZOOMS.into_iter().find(|zoom| *zoom > self.zoom + 0.01),
            Zoom::Out => ZOOMS.into_iter().rev().find(|zoom| *zoom < self.zoom - 0.01),
            Zoom::Reset => Some(1.0),
        };
        self.zoom = next.unwrap_or(self.zoom);
        self.zoom
    }
}

fn file(data_dir: &Path) -> PathBuf {
    data_dir.join("window.json")
}

#[cfg(test)]
mod tests {
    use super::{Rectangle, WindowFile, Zoom};
    use rstest::rstest;

    #[test]
    fn the_zoom_has_two_ends_and_a_middle() {
        let mut file = WindowFile::default();
        for _ in 0..20 {
            file.zoom(Zoom::In);
        }
        assert_eq!(file.zoom, 2.0);
        for _ in 0..20 {
            file.zoom(Zoom::Out);
        }
        assert_eq!(file.zoom, 0.5);
        assert_eq!(file.zoom(Zoom::Reset), 1.0);
        assert_eq!(file.zoom(Zoom::Out), 0.9);
        assert_eq!(file.zoom(Zoom::In), 1.0);
    }

    #[rstest]
    #[case(100, 100, true)]
    #[case(-200, 0, true)]
    #[case(1200, 880, true)]
    #[case(1250, 100, false)]
    #[case(100, 890, false)]
    #[case(-2000, 100, false)]
    fn a_place_counts_while_it_can_be_reached(#[case] x: i32, #[case] y: i32, #[case] reached: bool) {
        let screen = Rectangle { x: 0, y: 0, width: 1280, height: 924 };
        assert_eq!(Rectangle { x, y, width: 320, height: 200 }.is_on(screen), reached);
    }

    #[rstest]
    #[case("", 1.0)]
    #[case("{\"zoom\": 9}", 2.0)]
    #[case("{\"zoom\": 1.5, \"later\": true}", 1.5)]
    #[case("not JSON", 1.0)]
    fn whatever_is_in_the_file_there_is_a_window(#[case] text: &str, #[case] zoom: f64) {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("window.json"), text).expect("the file");
        assert_eq!(WindowFile::load(folder.path()).zoom, zoom);
    }

    #[test]
    fn what_is_told_late_of_the_other_size_is_not_remembered() {
        let place = |width, height| Rectangle { x: 10, y: 20, width, height };
        let mut file = WindowFile::default();
        let steps = [
            (place(1180, 820), false, (Some(place(1180, 820)), None)),
            // It became the strip, and the first event is still of the whole window.
            (place(1180, 820), true, (Some(place(1180, 820)), None)),
            (place(320, 586), true, (Some(place(1180, 820)), Some(place(320, 586)))),
            // It is the whole window again, which is at least 360 wide.
            (place(320, 586), false, (Some(place(1180, 820)), Some(place(320, 586)))),
            (place(360, 586), false, (Some(place(1180, 820)), Some(place(320, 586)))),
            (place(900, 586), false, (Some(place(900, 586)), Some(place(320, 586)))),
        ];
        for (told, compact, expected) in steps {
            file.remember(told, compact, false);
            assert_eq!((file.window, file.strip), expected, "{told:?}");
        }
    }

    #[test]
    fn what_is_kept_comes_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = Rectangle { x: -5, y: 7, width: 900, height: 600 };
        let file = WindowFile { window: Some(place), maximized: true, strip: None, zoom: 1.25 };
        file.save(folder.path()).expect("saved");
        assert_eq!(WindowFile::load(folder.path()), file);
    }
}
