//! What is answered to which request.

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{MatchedPath, Path, Query, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::watch;
use tracing::Instrument;

use crate::apps::{Asked, Found};
use crate::arrow;
use crate::aside::aside;
use crate::auth;
use crate::body::{Encoding, Memory};
use crate::changes::{self, Events};
use crate::host::{Host, Neighbours, Walk};
use crate::metrics::Metrics;
use crate::parse::{Syntax, parse};
use crate::parts::keeping;
use crate::refusal::{Refusal, json_response};
use crate::runs::Runs;
use crate::standing::Standing;
use crate::table::Table;
use crate::writer::Writer;

/// What all requests share.
pub(crate) struct Shared {
    pub host: Arc<dyn Host>,
    pub writer: Writer,
    pub memory: Memory,
    pub events: Arc<Events>,
    pub metrics: Arc<Metrics>,
    pub runs: Arc<Runs>,
    pub standing: Arc<Standing>,
    pub newest: watch::Receiver<u64>,
    pub stop: watch::Receiver<bool>,
    pub token: Option<String>,
}

type Here = State<Arc<Shared>>;
type Answer = Result<Response, Refusal>;

/// All routes.
pub(crate) fn router(shared: Arc<Shared>) -> Router {
    let routes = Router::new()
        .route("/graph", get(graph))
        .route("/versions", get(versions))
        .route("/vertices/{id}", get(vertex))
        .route("/vertices/{id}/neighbours", get(neighbours))
        .route("/updates", post(updates))
        .route("/run/{app}", get(run))
        .route("/standing", get(standing))
        .route("/standing/{name}", get(get_standing).put(put_standing).delete(delete_standing))
        .route("/changes", get(changes))
        .route("/metrics", get(metrics))
        .route_layer(middleware::from_fn_with_state(shared.clone(), let_in))
        .route("/healthz", get(async || json_response(&json!({ "ok": true }))))
        .route("/", get(page))
        .fallback(async || Refusal::absent("there is nothing under this path"))
        .method_not_allowed_fallback(async || {
            Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "this path is not asked in this way")
        });
    routes.layer(middleware::from_fn_with_state(shared.clone(), measure)).with_state(shared)
}

async fn let_in(State(shared): Here, request: Request, next: Next) -> Response {
    match auth::check(request.headers(), shared.token.as_deref()) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    }
}

async fn measure(State(shared): Here, request: Request, next: Next) -> Response {
    let start = Instant::now();
    let route = request.extensions().get::<MatchedPath>().map_or("other", MatchedPath::as_str).to_owned();
    let method = request.method().clone();
    let span = tracing::debug_span!("request", %method, route);
    let response = next.run(request).instrument(span.clone()).await;
    let (status, time) = (response.status().as_u16(), start.elapsed());
    shared.metrics.answered(&route, status, time);
    span.in_scope(|| tracing::debug!(status, seconds = time.as_secs_f64(), "answered"));
    response
}

/// What is asked of a version.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct At {
    version: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Walked {
    version: Option<u64>,
    #[serde(default)]
    direction: Direction,
    #[serde(default)]
    offset: usize,
    limit: Option<usize>,
}

#[derive(Default, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Direction {
    #[default]
    Out,
    In,
}

fn given<T>(query: Result<Query<T>, QueryRejection>) -> Result<T, Refusal> {
    query.map(|Query(given)| given).map_err(|error| Refusal::bad(error.body_text()))
}

fn named(path: Result<Path<String>, PathRejection>) -> Result<String, Refusal> {
    path.map(|Path(name)| name).map_err(|error| Refusal::bad(error.body_text()))
}

async fn graph(State(shared): Here, at: Result<Query<At>, QueryRejection>) -> Answer {
    Ok(json_response(&shared.host.about(given(at)?.version)?))
}

async fn versions(State(shared): Here) -> Response {
    json_response(&shared.host.versions())
}

async fn vertex(
    State(shared): Here,
    id: Result<Path<String>, PathRejection>,
    at: Result<Query<At>, QueryRejection>,
) -> Answer {
    Ok(json_response(&shared.host.vertex(&named(id)?, given(at)?.version)?))
}

/// Most neighbours, with those before them, that are read and written at once rather than by another thread.
const SHORT: usize = 1000;

/// Most bytes of a list that is written at once: a few names may be long.
const SMALL: usize = 64 << 10;

async fn neighbours(
    State(shared): Here,
    id: Result<Path<String>, PathRejection>,
    walked: Result<Query<Walked>, QueryRejection>,
    headers: HeaderMap,
) -> Answer {
    let (id, Walked { version, direction, offset, limit }) = (named(id)?, given(walked)?);
    let (host, incoming, limit, arrow) =
        (shared.host.clone(), direction == Direction::In, limit.unwrap_or(100), takes_arrow(&headers));
    let read = move || host.neighbours(&Walk { id: &id, version, incoming, offset, limit });
    let write = move |Neighbours { mut facts, table }: Neighbours| {
        if arrow {
            return arrow_response(&table, &facts);
        }
        facts.insert("neighbours".into(), table.objects());
        Ok(json_response(&facts.into()))
    };
    // What is short takes less time than another thread takes to begin.
    if offset.saturating_add(limit) > SHORT {
        return aside(move || write(read()?)).await;
    }
    let found = read()?;
    if found.table.bytes() > SMALL { aside(move || write(found)).await } else { write(found) }
}

async fn updates(State(shared): Here, headers: HeaderMap, body: Body) -> Answer {
    let text = |name: HeaderName| headers.get(name).map_or(Ok(""), HeaderValue::to_str);
    let unreadable = |_| Refusal::bad("a header is not in ASCII");
    let content_type = text(header::CONTENT_TYPE).map_err(unreadable)?;
    let syntax = Syntax::read(content_type).ok_or_else(|| {
        let reason = "Content-Type says how updates are written: `application/x-ndjson`, `text/csv` or `application/vnd.apache.arrow.stream`";
        Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, reason)
    })?;
    let encoding = Encoding::read(text(header::CONTENT_ENCODING).map_err(unreadable)?)?;
    let declared = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    let body = shared.memory.read(body, declared).await?;
    let (memory, kind) = (shared.memory.clone(), shared.host.kind());
    let read = aside(move || {
        let mut body = memory.decompress(body, encoding)?;
        let updates = parse(std::mem::take(&mut body.bytes), syntax, kind)?;
        Ok((updates, body))
    });
    let (updates, body) = read.await?;
    let count = updates.len();
    let applied = shared.writer.apply(updates, body).await?;
    Ok(json_response(&json!({
        "version": applied.version,
        "updates": count,
        "new": applied.new,
        "changed": applied.changed,
        "unchanged": applied.unchanged,
        "removed": applied.removed,
        "absent": applied.absent,
        "merged": applied.merged,
        "vertices_removed": applied.vertices_removed,
    })))
}

async fn run(
    State(shared): Here,
    app: Result<Path<String>, PathRejection>,
    asked: Result<Query<Asked>, QueryRejection>,
    headers: HeaderMap,
) -> Answer {
    let (question, arrow) = (given(asked)?.of(&named(app)?)?, takes_arrow(&headers));
    let write = move |found: &Found| match found.table() {
        Some(table) if arrow => arrow_response(table, &found.figures),
        None if arrow => Err(Refusal::new(
            StatusCode::NOT_ACCEPTABLE,
            "this answer has no list of vertices, and Arrow holds nothing else: ask for JSON",
        )),
        _ => Ok(json_response(&found.json())),
    };
    let (answer, place) = shared.runs.ask(&shared.host, question, write).await?;
    // The answer holds its place until it is sent, so that there are no more long answers than places.
    Ok(keeping(answer, place))
}

async fn standing(State(shared): Here) -> Response {
    json_response(&shared.standing.list())
}

async fn get_standing(State(shared): Here, name: Result<Path<String>, PathRejection>) -> Answer {
    let (standing, name) = (shared.standing.clone(), named(name)?);
    aside(move || Ok(json_response(&standing.get(&name)?))).await
}

async fn delete_standing(State(shared): Here, name: Result<Path<String>, PathRejection>) -> Answer {
    Ok(json_response(&shared.standing.delete(&named(name)?)?))
}

/// What a standing result is to be.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    app: String,
    source: Option<String>,
    top: Option<usize>,
}

async fn put_standing(State(shared): Here, name: Result<Path<String>, PathRejection>, body: Body) -> Answer {
    let name = named(name)?;
    let body = shared.memory.read(body, None).await?;
    let read = aside(move || {
        let wanted = serde_json::from_slice(&body.bytes);
        wanted.map_err(|error| Refusal::bad(format!("the body is no {{\"app\": NAME}}: {error}")))
    });
    let Wanted { app, source, top } = read.await?;
    let question = Asked::standing(source, top).of(&app)?;
    Ok(json_response(&shared.standing.put(&name, app, question)?))
}

/// From which version on.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Since {
    since: Option<u64>,
}

async fn changes(State(shared): Here, headers: HeaderMap, since: Result<Query<Since>, QueryRejection>) -> Answer {
    let since = given(since)?.since;
    // A browser that was cut off says what it has come to, and is told by an event if that is not kept: another answer would end it.
    let last = headers.get("last-event-id").and_then(|last| last.to_str().ok()?.trim().parse().ok());
    if let Some(last) = last {
        return Ok(changes::stream(&shared, last));
    }
    let since = since.unwrap_or_else(|| *shared.newest.borrow());
    // Says at once that a version is not kept.
    shared.host.about(Some(since))?;
    Ok(changes::stream(&shared, since))
}

async fn metrics(State(shared): Here) -> Response {
    let text = shared.metrics.text(&shared.host.figures(), shared.writer.waiting(), shared.events.held());
    with_type(text, "text/plain; version=0.0.4")
}

async fn page() -> Response {
    let mut response = with_type(include_str!("page.html"), "text/html; charset=utf-8");
    // Nothing but what is in the page runs, and it talks to this server only.
    let policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'";
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    response
}

/// Whether a client asks for Arrow rather than JSON.
fn takes_arrow(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let types = accepted.flat_map(|value| value.split(','));
    types.filter_map(|each| each.split(';').next()).any(|each| each.trim().eq_ignore_ascii_case(arrow::MEDIA_TYPE))
}

fn arrow_response(table: &Table, facts: &Map<String, Value>) -> Answer {
    let failed =
        |error| Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, format!("the list cannot be written: {error}"));
    Ok(with_type(arrow::write(table, facts).map_err(failed)?, arrow::MEDIA_TYPE))
}

pub(crate) fn with_type(text: impl Into<Body>, content_type: &'static str) -> Response {
    let mut response = Response::new(text.into());
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}
