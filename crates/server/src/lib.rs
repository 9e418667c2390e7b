//! The HTTP face: routes, auth, limits, OpenAPI, UI.
