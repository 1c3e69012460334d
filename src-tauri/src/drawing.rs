//! Drawing of the web view on machines without a graphics card.

use std::fs;

/// Lets WebKit draw with the processor on a machine without a graphics card, such as a virtual or a remote one. There
/// it would emulate a graphics card, which is slower. A variable that is set already is kept. Must be called before
/// anything else runs in this process.
pub(crate) fn choose() {
    if !has_graphics_card()
        && let Err(error) = webkit2gtk::glib::setenv("WEBKIT_SKIA_ENABLE_CPU_RENDERING", "1", false)
    {
        tracing::warn!(%error, "the web view draws as it does by itself");
    }
}

/// True if the kernel offers a device to draw with.
fn has_graphics_card() -> bool {
    let mut nodes = fs::read_dir("/dev/dri").into_iter().flatten().flatten();
    nodes.any(|node| node.file_name().to_string_lossy().starts_with("renderD"))
}
