//! All routes in one list, and the layers around them.

use std::{any::Any, sync::Arc};

use axum::{
    Router,
    extract::DefaultBodyLimit,
    middleware::{from_fn, from_fn_with_state},
    response::{IntoResponse, Response},
};
use tokio::sync::Semaphore;
use tower_http::catch_panic::CatchPanicLayer;
use trawls_engine::Engine;
use utoipa::OpenApi;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    App, ServerConfig, access, assets,
    body::MAX_BODY_BYTES,
    error::HttpError,
    gate, headers,
    openapi::Description,
    routes::{
        blobs, deliveries, events, export, health, jobs, map, pages, reprocess, scrape, start,
        system, tree,
    },
};

/// The routes of the API with their description; those of the first list need the key.
pub(crate) fn api() -> (OpenApiRouter<App>, OpenApiRouter<App>) {
    let keyed = OpenApiRouter::with_openapi(Description::openapi())
        .routes(routes!(scrape::scrape))
        .routes(routes!(pages::page))
        .routes(routes!(blobs::blob))
        .routes(routes!(map::map))
        .routes(routes!(start::crawl))
        .routes(routes!(start::batch))
        .routes(routes!(jobs::jobs))
        .routes(routes!(jobs::job, jobs::erase))
        .routes(routes!(jobs::pages))
        .routes(routes!(jobs::cancel))
        .routes(routes!(jobs::retry))
        .routes(routes!(reprocess::reprocess))
        .routes(routes!(events::events))
        .routes(routes!(tree::tree))
        .routes(routes!(export::export))
        .routes(routes!(deliveries::deliveries))
        .routes(routes!(deliveries::resend))
        .routes(routes!(system::system));
    let open = OpenApiRouter::new()
        .routes(routes!(health::healthz))
        .routes(routes!(health::readyz));
    (keyed, open)
}

/// The whole HTTP face as one service.
pub fn router(engine: Engine, config: ServerConfig) -> Router {
    let app = App {
        engine,
        slots: Arc::new(Semaphore::new(config.max_pages_running)),
        streams: Arc::new(Semaphore::new(events::MAX_STREAMS)),
        config: Arc::new(config),
    };
    let (keyed, open) = api();
    let keyed = keyed.route_layer(from_fn_with_state(app.clone(), gate::require_key));
    let guarded = Router::from(keyed).merge(assets::routes());
    walled(guarded, Router::from(open), app)
}

/// Puts the layers around routes; the gate stands before the first ones only.
fn walled(guarded: Router<App>, open: Router<App>, app: App) -> Router {
    guarded
        .fallback(async || HttpError::NoRoute)
        .layer(from_fn_with_state(app.clone(), gate::refuse_foreign_pages))
        .merge(open)
        .method_not_allowed_fallback(async || HttpError::NoMethod)
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .layer(CatchPanicLayer::custom(on_panic))
        .layer(from_fn_with_state(app.clone(), access::observe))
        .layer(from_fn(headers::secure))
        .with_state(app)
}

/// The panic's text goes to the log only.
fn on_panic(panic: Box<dyn Any + Send>) -> Response {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_default();
    tracing::error!(panic = text, "a handler panicked");
    HttpError::Internal.into_response()
}

#[cfg(test)]
mod tests;
