//! Errors over HTTP: a status and the protocol's `{code, message}`.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use protocol::{Code, Error};

/// Refuses a request.
pub(crate) fn refuse(status: StatusCode, code: Code, message: impl Into<String>) -> Response {
    let mut response = (status, Json(Error::new(code, message))).into_response();
    if status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert("www-authenticate", axum::http::HeaderValue::from_static("Bearer"));
    }
    response
}
