//! The OpenAPI document: what all routes share. The routes describe themselves.

use std::collections::BTreeMap;

use utoipa::{
    Modify, OpenApi,
    openapi::{
        Content, ContentBuilder, OpenApi as Document, Ref, RefOr, ResponseBuilder, Schema,
        security::{
            ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme,
        },
    },
};

use crate::router;

/// Title, tags, security and the shape of errors.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Trawls",
        description = "Turns any web page into clean Markdown and typed JSON.\n\n\
                       A page that fails is data: the answer is 200 with `status: failed` and a typed `error`. \
                       Every other answer than 2xx has the body `{\"error\": {code, message, retryable, details}}`.",
        license(name = "Apache-2.0", identifier = "Apache-2.0")
    ),
    tags(
        (name = "pages", description = "Scrape pages and read them again."),
        (name = "jobs", description = "Crawl sites and scrape lists; follow, read, stop, retry."),
        (name = "server", description = "State of the server."),
    ),
    components(schemas(trawls_contract::ApiError, trawls_contract::WebhookEvent)),
    modifiers(&Shared)
)]
pub(crate) struct Description;

struct Shared;

impl Modify for Shared {
    fn modify(&self, document: &mut Document) {
        let components = document.components.get_or_insert_default();
        components.add_security_scheme(
            "bearer",
            SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build()),
        );
        components.add_security_scheme(
            "api_key",
            SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::new("X-API-Key"))),
        );
        let empty: [&str; 0] = [];
        document.security = Some(vec![
            SecurityRequirement::default(),
            SecurityRequirement::new("bearer", empty),
            SecurityRequirement::new("api_key", empty),
        ]);
    }
}

/// The whole document, pretty-printed.
pub fn openapi_json() -> String {
    let (keyed, open) = router::api();
    let mut document = keyed.merge(open).into_openapi();
    for item in document.paths.paths.values_mut() {
        let operations = [&mut item.get, &mut item.post, &mut item.delete];
        for operation in operations.into_iter().flatten() {
            operation
                .responses
                .responses
                .insert("default".into(), RefOr::T(error_response()));
        }
    }
    if let Some(components) = &mut document.components {
        unfold_body(&mut components.schemas);
    }
    let mut json = document.to_pretty_json().unwrap_or_default();
    json.push('\n');
    json
}

/// Writes `ScrapeBody` as one object. As an `allOf` nothing would be valid: the options refuse every
/// unknown field, and `url` is one to them.
fn unfold_body(schemas: &mut BTreeMap<String, RefOr<Schema>>) {
    let Some(RefOr::T(Schema::Object(options))) = schemas.get("ScrapeOptions") else {
        return;
    };
    let mut options = options.clone();
    let Some(RefOr::T(Schema::AllOf(body))) = schemas.get_mut("ScrapeBody") else {
        return;
    };
    let own = body.items.iter_mut().find_map(|item| match item {
        RefOr::T(Schema::Object(own)) => Some(own),
        _ => None,
    });
    let Some(own) = own else { return };
    let mut whole = own.clone();
    whole.description = body.description.take();
    whole.properties.append(&mut options.properties);
    whole.additional_properties = options.additional_properties;
    schemas.insert("ScrapeBody".into(), RefOr::T(Schema::Object(whole)));
}

fn error_response() -> utoipa::openapi::Response {
    let content: Content = ContentBuilder::new()
        .schema(Some(Ref::from_schema_name("ApiError")))
        .build();
    ResponseBuilder::new()
        .description("The call failed; `error.code` says why.")
        .content("application/json", content)
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `UPDATE_OPENAPI=1 cargo test -p trawls-server openapi` rewrites the snapshot.
    #[test]
    fn the_openapi_document_is_the_one_that_was_reviewed() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/openapi.json");
        let document = openapi_json();
        if std::env::var_os("UPDATE_OPENAPI").is_some() {
            std::fs::write(path, document).unwrap();
            return;
        }
        let reviewed = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            document == reviewed,
            "the API changed: run `make openapi` and read the diff"
        );
    }

    #[test]
    fn the_body_is_one_object_that_holds_the_url_and_the_options() {
        let document: serde_json::Value = serde_json::from_str(&openapi_json()).unwrap();
        let body = &document["components"]["schemas"]["ScrapeBody"];
        assert_eq!(body["required"], serde_json::json!(["url"]));
        assert_eq!(body["additionalProperties"], false);
        assert!(body["properties"]["url"].is_object() && body["properties"]["formats"].is_object());
    }

    #[test]
    fn every_answer_of_every_route_has_a_declared_type() {
        let document: serde_json::Value = serde_json::from_str(&openapi_json()).unwrap();
        assert_eq!(document["openapi"], "3.1.0");
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                for (status, answer) in operation["responses"].as_object().unwrap() {
                    let schema = &answer["content"]["application/json"]["schema"]["$ref"];
                    let is = |media_type| answer["content"][media_type].is_object();
                    let is_declared = schema.is_string()
                        || is("text/event-stream")
                        || is("application/zip")
                        || is("image/png");
                    assert!(is_declared, "{method} {path} {status}: {answer}");
                }
                assert!(
                    operation["responses"]["default"].is_object(),
                    "{method} {path}"
                );
            }
        }
    }
}
