//! Errors over HTTP: a status and the protocol's `{code, message}`.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use protocol::{Code, Error, Text};

/// Refuses a body that is not taken, or that cannot be read.
pub(crate) fn refuse_input(error: Error) -> Response {
    let status = match error.code {
        Code::InvalidMessage => StatusCode::BAD_REQUEST,
        Code::MessageTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    refuse_with(status, error)
}

/// Refuses a request.
pub(crate) fn refuse(status: StatusCode, code: Code, text: impl Into<Text>) -> Response {
    refuse_with(status, Error::new(code, text))
}

/// Refuses a request with an error.
pub(crate) fn refuse_with(status: StatusCode, error: Error) -> Response {
    let mut response = (status, Json(error)).into_response();
    if status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert("www-authenticate", axum::http::HeaderValue::from_static("Bearer"));
    }
    response
}
