//! Who may ask.

use axum::http::{HeaderMap, StatusCode, header};
use subtle::ConstantTimeEq;

use crate::refusal::Refusal;

/// Lets a request in, or says why not.
///
/// With a token, the request must carry it. Without one, the server is reached from this machine only, and a page of the web that is open
/// in a browser on this machine must not use it: the name that the request was sent to must be `localhost` or an address, since any other
/// name could be made to mean this machine.
pub(crate) fn check(headers: &HeaderMap, token: Option<&str>) -> Result<(), Refusal> {
    match token {
        Some(token) => {
            let sent = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
            let sent = match sent.split_at_checked(7) {
                Some((scheme, sent)) if scheme.eq_ignore_ascii_case("bearer ") => sent.trim(),
                _ => "",
            };
            // Takes as long whatever the first wrong byte is.
            if bool::from(sent.as_bytes().ct_eq(token.as_bytes())) {
                return Ok(());
            }
            Err(Refusal::new(
                StatusCode::UNAUTHORIZED,
                "the request must carry `Authorization: Bearer` with the token of the server",
            ))
        }
        None => {
            let host = headers.get(header::HOST).map(|value| value.to_str().unwrap_or("?"));
            if host.is_none_or(is_this_machine) {
                return Ok(());
            }
            Err(Refusal::new(StatusCode::FORBIDDEN, "a server without a token is asked by address or as `localhost`"))
        }
    }
}

fn is_this_machine(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) && !name.ends_with(':') => name,
        _ => host,
    };
    let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    name.eq_ignore_ascii_case("localhost") || bare.parse::<std::net::IpAddr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(name: header::HeaderName, value: &str, token: Option<&str>) -> bool {
        check(&HeaderMap::from_iter([(name, value.parse().unwrap())]), token).is_ok()
    }

    #[test]
    fn tokens_are_compared_whole() {
        for (sent, good) in [
            ("Bearer secret", true),
            ("bearer secret", true),
            ("Bearer secre", false),
            ("Bearer secrets", false),
            ("Bearer ", false),
            ("Basic secret", false),
            ("secret", false),
        ] {
            assert_eq!(asked(header::AUTHORIZATION, sent, Some("secret")), good, "{sent}");
        }
        assert!(check(&HeaderMap::new(), Some("secret")).is_err());
    }

    #[test]
    fn without_a_token_other_names_are_refused() {
        for (host, good) in [
            ("localhost", true),
            ("localhost:80", true),
            ("127.0.0.1:8080", true),
            ("[::1]:8080", true),
            ("[::1]", true),
            ("example.org", false),
            ("localhost.example.org:80", false),
            ("", false),
        ] {
            assert_eq!(asked(header::HOST, host, None), good, "{host}");
        }
    }
}
