//! The document as it is now, in one piece: frames and open shadow roots in place.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    cdp::{CdpError, Session},
    world::{self, PATIENCE},
};

const FLATTEN: &str = include_str!("scripts/flatten.js");
/// Time to write a document down.
const FLATTEN_TIME: Duration = Duration::from_secs(15);
/// Frames of other sites that are read; pages with more of them show advertisements.
const MAX_FRAMES: usize = 20;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tree {
    frame_tree: Node,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Node {
    frame: Frame,
    #[serde(default)]
    child_frames: Vec<Node>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Frame {
    id: String,
    url: String,
    #[serde(default)]
    url_fragment: String,
    security_origin: String,
}

/// A frame of another site than its parent.
struct Foreign {
    id: String,
    parent: String,
}

/// The document of a tab, and the URL that its address bar shows.
pub(super) struct Document {
    pub(super) url: String,
    pub(super) html: String,
}

/// Writes the document down.
///
/// # Errors
/// The page went elsewhere meanwhile, or its renderer hangs.
pub(super) async fn write_down(tab: &Session, frame: &str) -> Result<Document, CdpError> {
    let tree: Tree = tab.call("Page.getFrameTree", json!({}), PATIENCE).await?;
    let mut foreign = Vec::new();
    gather(&tree.frame_tree, &mut foreign);
    foreign.truncate(MAX_FRAMES);
    // The innermost first, so that each is whole when its parent is written.
    for frame in foreign.iter().rev() {
        // A frame that went away meanwhile is not missed.
        let _ = lend(tab, frame).await;
    }
    let html = world::evaluate(tab, frame, FLATTEN, FLATTEN_TIME).await?;
    let shown = tree.frame_tree.frame;
    Ok(Document {
        url: shown.url + &shown.url_fragment,
        html,
    })
}

/// Parents before their children.
fn gather(node: &Node, foreign: &mut Vec<Foreign>) {
    for child in &node.child_frames {
        let is_page = child.frame.url.starts_with("http");
        if is_page && child.frame.security_origin != node.frame.security_origin {
            foreign.push(Foreign {
                id: child.frame.id.clone(),
                parent: node.frame.id.clone(),
            });
        }
        gather(child, foreign);
    }
}

/// Gives a frame's document to its parent, in the isolated world alone.
async fn lend(tab: &Session, frame: &Foreign) -> Result<(), CdpError> {
    let html: String = world::evaluate(tab, &frame.id, FLATTEN, FLATTEN_TIME).await?;
    let which = json!({ "frameId": frame.id });
    let owner: Value = tab.call("DOM.getFrameOwner", which, PATIENCE).await?;
    let element = json!({
        "backendNodeId": owner["backendNodeId"],
        "executionContextId": world::of_frame(tab, &frame.parent, PATIENCE).await?,
    });
    let element: Value = tab.call("DOM.resolveNode", element, PATIENCE).await?;
    let what = json!({
        "objectId": element["object"]["objectId"],
        "functionDeclaration": "function (html) { this.__trawls = html; }",
        "arguments": [{ "value": html }],
    });
    tab.run("Runtime.callFunctionOn", what, PATIENCE).await
}
