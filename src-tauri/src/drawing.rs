//! How the web view draws where there is no graphics card.

use std::fs;

/// On a machine without one, such as a virtual one or one that is worked on from afar, WebKit lets its processor play a
/// graphics card, which is slower than drawing with it. Whoever has set the variable is not overruled. Nothing else may
/// run in this process yet.
pub(crate) fn choose() {
    if !has_graphics_card()
        && let Err(error) = webkit2gtk::glib::setenv("WEBKIT_SKIA_ENABLE_CPU_RENDERING", "1", false)
    {
        tracing::warn!(%error, "the web view draws as it does by itself");
    }
}

/// The kernel has a node to draw with.
fn has_graphics_card() -> bool {
    let mut nodes = fs::read_dir("/dev/dri").into_iter().flatten().flatten();
    nodes.any(|node| node.file_name().to_string_lossy().starts_with("renderD"))
}
