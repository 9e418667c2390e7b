//! Pictures and prints of a tab.

use std::time::Duration;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    cdp::{CdpError, Session},
    world::PATIENCE,
};
use crate::Frame;

/// Time to paint.
const PAINT_TIME: Duration = Duration::from_secs(30);
/// No side of a picture is longer, in pixels of the picture: the limit of a texture.
const MAX_SIDE: f64 = 16_384.0;

#[derive(Deserialize)]
struct Encoded {
    data: String,
}

/// A PNG of the page, whose screen has `ratio` pixels to a CSS pixel. What is too tall for a picture
/// is scaled down.
///
/// # Errors
/// The renderer hangs or is gone.
pub(super) async fn take(tab: &Session, frame: Frame, ratio: f64) -> Result<Bytes, CdpError> {
    let mut how = json!({ "format": "png" });
    if frame == Frame::FullPage {
        let (width, height) = size(tab).await?;
        let scale = (MAX_SIDE / (height.max(width) * ratio)).min(1.0);
        how["captureBeyondViewport"] = Value::from(true);
        how["clip"] = json!({ "x": 0, "y": 0, "width": width, "height": height, "scale": scale });
    }
    let encoded = tab.call("Page.captureScreenshot", how, PAINT_TIME).await?;
    decode(encoded)
}

/// The page as PDF, as it would be printed, with its colours.
///
/// # Errors
/// The renderer hangs or is gone.
pub(super) async fn print(tab: &Session) -> Result<Bytes, CdpError> {
    let how = json!({ "printBackground": true, "preferCSSPageSize": true });
    decode(tab.call("Page.printToPDF", how, PAINT_TIME).await?)
}

/// Width and height of the whole page in CSS pixels, and at least one of each.
async fn size(tab: &Session) -> Result<(f64, f64), CdpError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Metrics {
        css_content_size: Size,
    }
    #[derive(Deserialize)]
    struct Size {
        width: f64,
        height: f64,
    }
    let metrics: Metrics = tab
        .call("Page.getLayoutMetrics", json!({}), PATIENCE)
        .await?;
    let Size { width, height } = metrics.css_content_size;
    Ok((width.max(1.0), height.max(1.0)))
}

fn decode(encoded: Encoded) -> Result<Bytes, CdpError> {
    let decoded = BASE64_STANDARD.decode(encoded.data);
    decoded
        .map(Bytes::from)
        .map_err(|error| CdpError::Refused(error.to_string()))
}
