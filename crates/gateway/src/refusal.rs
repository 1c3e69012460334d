//! Errors over HTTP: a status and the protocol's `{code, message}`.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use protocol::{Code, Error};

/// Refuses a body that is not taken, or that cannot be read.
pub(crate) fn refuse_input(error: Error) -> Response {
    let status = match error.code {
        Code::InvalidMessage => StatusCode::BAD_REQUEST,
        Code::MessageTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    refuse(status, error.code, error.message)
}

/// Refuses a request.
pub(crate) fn refuse(status: StatusCode, code: Code, message: impl Into<String>) -> Response {
    let mut response = (status, Json(Error::new(code, message))).into_response();
    if status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert("www-authenticate", axum::http::HeaderValue::from_static("Bearer"));
    }
    response
}
