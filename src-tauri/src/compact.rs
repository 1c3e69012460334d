//! Switches between the whole window and a small strip that stays on top.

use crate::shell::Shell;
use crate::window;
use crate::window_file::Rectangle;
use tauri::{AppHandle, LogicalSize, Manager, PhysicalSize, WebviewWindow};

/// Width of the strip, in the page's pixels.
const WIDTH: f64 = 320.0;
/// Height of the strip until the page asks for another one.
const HEIGHT: f64 = 200.0;
/// The least and the greatest height of the strip.
const HEIGHTS: (f64, f64) = (48.0, 900.0);
/// The least size of the whole window, as in tauri.conf.json.
const LEAST: LogicalSize<f64> = LogicalSize::new(360.0, 420.0);
/// Distance of the strip from the corner of the screen at first, in physical pixels.
const MARGIN: i32 = 16;
/// The route of the strip.
const ROUTE: &str = "#/compact";

/// Fits the strip to a height. Does nothing to the whole window, since the page's request may come after the strip has
/// gone.
pub(crate) fn fit_to(app: &AppHandle, height: f64) {
    let handle = app.clone();
    // Checked and done in one step on the main thread, so that the strip cannot go in between.
    let asked = app.run_on_main_thread(move || {
        let shell = handle.state::<Shell>();
        if shell.is_compact() {
            let size = strip_size(Some(height), shell.window_file(|file| file.zoom));
            window::with(&handle, "fitted to its content", |window| fit(window, size));
        }
    });
    if let Err(error) = asked {
        tracing::warn!(%error, "the window could not be fitted to its content");
    }
}

/// Makes the window the strip.
pub(crate) fn enter(app: &AppHandle) {
    let shell = app.state::<Shell>();
    if shell.is_compact() {
        return;
    }
    let (strip, zoom) = shell.window_file(|file| (file.strip, file.zoom));
    let size = strip_size(None, zoom);
    let route = window::route(app).filter(|route| route != ROUTE);
    // From here on, events of the window count for the strip.
    shell.set_compact(Some(route.unwrap_or_else(|| "#/".to_owned())));
    window::with(app, "made compact", |window| {
        if window.is_fullscreen()? {
            window.set_fullscreen(false)?;
        }
        if window.is_maximized()? {
            window.unmaximize()?;
        }
        window.set_decorations(false)?;
        window.set_always_on_top(true)?;
        fit(window, size)?;
        // The window may still have its old size, and be told of the new one later.
        let size = size.to_physical::<u32>(window.scale_factor()?);
        let place = match strip {
            Some(Rectangle { x, y, .. }) => Some(Rectangle { x, y, width: size.width, height: size.height }),
            None => corner(window, size)?,
        };
        place.map_or(Ok(()), |place| put(window, place))
    });
    window::go(app, ROUTE);
    shell.notify_page(app);
}

/// Makes the strip the whole window again, at `route` or where it was before.
pub(crate) fn leave(app: &AppHandle, route: Option<String>) {
    let shell = app.state::<Shell>();
    // Read before, since the events on the way are remembered as the whole window's.
    let place = shell.window_file(|file| (file.window, file.maximized));
    let Some(before) = shell.set_compact(None) else {
        if let Some(route) = route {
            window::go(app, &route);
        }
        return;
    };
    window::with(app, "made whole again", |window| {
        window.set_always_on_top(false)?;
        window.set_decorations(true)?;
        window.set_min_size(Some(LEAST))?;
        window.set_size(LogicalSize::new(1180.0, 820.0))
    });
    window::put_at(app, place);
    window::go(app, &route.unwrap_or(before));
    shell.save();
    shell.notify_page(app);
}

pub(crate) fn toggle(app: &AppHandle) {
    if app.state::<Shell>().is_compact() {
        leave(app, None);
    } else {
        enter(app);
    }
    window::show(app);
}

fn strip_size(height: Option<f64>, zoom: f64) -> LogicalSize<f64> {
    let height = height.filter(|height| height.is_finite()).unwrap_or(HEIGHT).clamp(HEIGHTS.0, HEIGHTS.1);
    LogicalSize::new(WIDTH * zoom, height * zoom)
}

fn fit(window: &WebviewWindow, size: LogicalSize<f64>) -> tauri::Result<()> {
    window.set_min_size(Some(LogicalSize::new(size.width, HEIGHTS.0)))?;
    window.set_size(size)
}

fn put(window: &WebviewWindow, place: Rectangle) -> tauri::Result<()> {
    let screens = window.available_monitors()?;
    let reached = screens.iter().any(|screen| place.is_on(window::area(*screen.position(), *screen.size())));
    if reached { window.set_position(tauri::PhysicalPosition::new(place.x, place.y)) } else { Ok(()) }
}

/// The upper right corner of the screen, beside what the system keeps for itself.
fn corner(window: &WebviewWindow, size: PhysicalSize<u32>) -> tauri::Result<Option<Rectangle>> {
    Ok(window.current_monitor()?.map(|screen| {
        let area = screen.work_area();
        let right = area.position.x + i32::try_from(area.size.width.saturating_sub(size.width)).unwrap_or_default();
        Rectangle { x: right - MARGIN, y: area.position.y + MARGIN, width: size.width, height: size.height }
    }))
}

#[cfg(test)]
mod tests {
    use super::strip_size;
    use rstest::rstest;

    #[rstest]
    #[case(None, 1.0, 320.0, 200.0)]
    #[case(Some(96.0), 1.0, 320.0, 96.0)]
    #[case(Some(96.0), 2.0, 640.0, 192.0)]
    #[case(Some(1.0), 1.0, 320.0, 48.0)]
    #[case(Some(99_999.0), 1.0, 320.0, 900.0)]
    #[case(Some(f64::NAN), 1.0, 320.0, 200.0)]
    fn the_strip_fits_its_content(
        #[case] asked: Option<f64>,
        #[case] zoom: f64,
        #[case] width: f64,
        #[case] height: f64,
    ) {
        let size = strip_size(asked, zoom);
        assert_eq!((size.width, size.height), (width, height));
    }
}
