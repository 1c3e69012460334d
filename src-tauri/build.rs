//! Makes an empty `ui/dist` where there is none, since the window's assets are compiled in, then does Tauri's part.

fn main() -> std::io::Result<()> {
    std::fs::create_dir_all("ui/dist")?;
    tauri_build::build();
    Ok(())
}
