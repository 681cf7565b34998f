//! Answers to requests that are not served.

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::response::IntoResponse;
use serde_json::{Value, json};

/// Why a request is not served.
#[derive(Debug)]
pub(crate) struct Refusal {
    status: StatusCode,
    reason: String,
    /// The line of the body that is wrong, from 1.
    line: Option<usize>,
}

impl Refusal {
    pub fn new(status: StatusCode, reason: impl ToString) -> Self {
        Refusal { status, reason: reason.to_string(), line: None }
    }

    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// The request is wrong.
    pub fn bad(reason: impl ToString) -> Self {
        Self::new(StatusCode::BAD_REQUEST, reason)
    }

    /// A line of the body is wrong.
    pub fn line(line: usize, reason: impl ToString) -> Self {
        Refusal { line: Some(line), ..Self::bad(reason) }
    }

    /// What is named does not exist.
    pub fn absent(reason: impl ToString) -> Self {
        Self::new(StatusCode::NOT_FOUND, reason)
    }

    /// The server has too much to do; the client may try again.
    pub fn busy(reason: impl ToString) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, reason)
    }

    /// The server cannot do it now.
    pub fn unavailable(reason: impl ToString) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, reason)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response<Body> {
        let mut value = json!({ "error": self.reason });
        if let Some(line) = self.line {
            value["line"] = line.into();
        }
        let mut response = json_response(&value);
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        match self.status {
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            }
            StatusCode::UNAUTHORIZED => {
                headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            _ => {}
        }
        response
    }
}

/// An answer in JSON, with a line end.
pub(crate) fn json_response(value: &Value) -> Response<Body> {
    let mut response = Response::new(Body::from(format!("{value}\n")));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
