//! The OpenAPI document: what all routes share. The routes describe themselves.

use utoipa::{
    Modify, OpenApi,
    openapi::{
        Content, ContentBuilder, OpenApi as Document, Ref, RefOr, ResponseBuilder,
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
        (name = "server", description = "State of the server."),
    ),
    components(schemas(trawls_contract::ApiError)),
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
    let mut json = document.to_pretty_json().unwrap_or_default();
    json.push('\n');
    json
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
    fn every_answer_of_every_route_has_a_declared_type() {
        let document: serde_json::Value = serde_json::from_str(&openapi_json()).unwrap();
        assert_eq!(document["openapi"], "3.1.0");
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                for (status, answer) in operation["responses"].as_object().unwrap() {
                    let schema = &answer["content"]["application/json"]["schema"]["$ref"];
                    assert!(schema.is_string(), "{method} {path} {status}: {answer}");
                }
                assert!(
                    operation["responses"]["default"].is_object(),
                    "{method} {path}"
                );
            }
        }
    }
}
