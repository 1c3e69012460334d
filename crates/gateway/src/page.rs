//! The page: the same UI as in the window, compiled in. It is public and holds no data.

use axum::body::Body;
use axum::http::{HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use protocol::Code;
use rust_embed::RustEmbed;
use std::borrow::Cow;

use crate::refusal::refuse;

#[derive(RustEmbed)]
#[folder = "../../ui/dist"]
struct Assets;

/// Allows our own files only, and connections to the origin of the page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    font-src 'self'; manifest-src 'self'; worker-src 'self'; connect-src 'self' ws://127.0.0.1:* ws://localhost:*; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

pub(crate) async fn serve(method: Method, uri: Uri) -> Response {
    if method != Method::GET && method != Method::HEAD {
        return refuse(
            StatusCode::METHOD_NOT_ALLOWED,
            Code::InvalidMessage,
            "there is nothing here but the page; GET it",
        );
    }
    let path = uri.path().trim_start_matches('/');
    let path = if path.is_empty() { "index.html" } else { path };
    let Some(asset) = Assets::get(path) else {
        return refuse(
            StatusCode::NOT_FOUND,
            Code::InvalidMessage,
            "there is nothing here; the page is at /, the WebSocket at /gateway, MCP at /mcp",
        );
    };
    let kind = mime_guess::from_path(path).first_or_octet_stream();
    let cache = if path.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    // Copied for no reader, however many there are and however slowly they read.
    let body = match asset.data {
        Cow::Borrowed(data) => Body::from(data),
        Cow::Owned(data) => Body::from(data),
    };
    let mut response = body.into_response();
    let headers = response.headers_mut();
    if let Ok(kind) = HeaderValue::from_str(kind.as_ref()) {
        headers.insert(header::CONTENT_TYPE, kind);
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    // Pages of other origins neither load a file of it nor hold on to its window.
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
    response
}
