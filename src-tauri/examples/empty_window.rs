//! The least that a window can be, for `cargo xtask bench`: what Sightline's first paint is measured beside.

use std::process::ExitCode;
use tauri::http::Response;
use tauri::{WebviewUrl, WebviewWindowBuilder};

/// A square where Sightline has its own sign, in a blue like that one's.
const PAGE: &str = "<!doctype html><title>Empty</title><style>html{background:#fff}i{position:fixed;inset:0 auto auto 0;\
    width:60px;height:60px;background:#2a5bd0}</style><i></i>";

fn main() -> ExitCode {
    let mut context = tauri::generate_context!();
    context.config_mut().app.windows.clear();
    let built = tauri::Builder::default()
        .register_uri_scheme_protocol("empty", |_, _| {
            let page = Response::builder().header("Content-Type", "text/html").body(PAGE.as_bytes().to_vec());
            page.unwrap_or_default()
        })
        .setup(|app| {
            let address = WebviewUrl::CustomProtocol("empty://localhost/".parse()?);
            WebviewWindowBuilder::new(app, "empty", address).inner_size(1180.0, 820.0).build()?;
            Ok(())
        })
        .run(context);
    if built.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
