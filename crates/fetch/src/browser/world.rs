//! Scripts in the tab. Ours run in an isolated world, which sees the page's document but none of
//! the page's own scripts, and is not seen by them; the caller's run in the page's own world.

use std::time::Duration;

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::cdp::{CdpError, Session};

/// The name that the world has for DevTools; pages never learn it.
const NAME: &str = "isolated";
/// Time for answers that need no script to run.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);
/// Largest value of a caller's script, as JSON.
const MAX_VALUE_BYTES: usize = 1 << 20;

/// What a script came to.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Evaluated {
    result: Remote,
    exception_details: Option<Exception>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Remote {
    #[serde(default)]
    value: Value,
    object_id: Option<String>,
}

#[derive(Deserialize)]
struct Exception {
    text: String,
    exception: Option<Thrown>,
}

#[derive(Deserialize)]
struct Thrown {
    description: Option<String>,
    value: Option<Value>,
}

impl Exception {
    /// In one line, as the page would see it.
    fn describe(self) -> String {
        let thrown = self.exception.and_then(|thrown| {
            let value = thrown.value.map(|value| value.to_string());
            thrown.description.or(value)
        });
        let text = thrown.unwrap_or(self.text);
        text.lines()
            .next()
            .unwrap_or_default()
            .chars()
            .take(300)
            .collect()
    }
}

/// The isolated world of a frame's present document.
///
/// # Errors
/// The frame is gone, or its renderer hangs.
pub(super) async fn of_frame(
    tab: &Session,
    frame: &str,
    patience: Duration,
) -> Result<i64, CdpError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct World {
        execution_context_id: i64,
    }
    let which = json!({ "frameId": frame, "worldName": NAME });
    let world: World = tab
        .call("Page.createIsolatedWorld", which, patience.min(PATIENCE))
        .await?;
    Ok(world.execution_context_id)
}

/// Runs an expression in a frame's isolated world; a promise is waited for.
///
/// # Errors
/// As above, or the script failed, which none of ours should.
pub(super) async fn evaluate<T: DeserializeOwned>(
    tab: &Session,
    frame: &str,
    script: &str,
    patience: Duration,
) -> Result<T, CdpError> {
    let world = of_frame(tab, frame, patience).await?;
    let what = json!({
        "expression": script,
        "contextId": world,
        "returnByValue": true,
        "awaitPromise": true,
    });
    let evaluated: Evaluated = tab.call("Runtime.evaluate", what, patience).await?;
    if let Some(exception) = evaluated.exception_details {
        return Err(CdpError::Refused(exception.describe()));
    }
    serde_json::from_value(evaluated.result.value)
        .map_err(|error| CdpError::Refused(error.to_string()))
}

/// Runs a caller's script in the page's own world: an expression, or the body of a function. The
/// value comes back as JSON, `null` when it has none.
///
/// # Errors
/// What the script threw, or that its value is too large.
pub(super) async fn evaluate_callers(
    tab: &Session,
    script: &str,
    patience: Duration,
) -> Result<Value, CdpError> {
    // In an object, because a bare string would come back whole, however long it is.
    let expression = format!("(async () => ({{ value: await ({script}\n) }}))()");
    let first = run_callers(tab, &expression, patience).await?;
    let (evaluated, exception) = match first {
        // A statement such as `return` is no expression.
        (_, Some(exception)) if exception.is_syntax() => {
            let body =
                format!("(async () => ({{ value: await (async () => {{ {script}\n}})() }}))()");
            run_callers(tab, &body, patience).await?
        }
        ran => ran,
    };
    if let Some(exception) = exception {
        return Err(CdpError::Refused(exception.describe()));
    }
    match evaluated.object_id {
        Some(object) => as_json(tab, &object, patience).await,
        None => Ok(Value::Null),
    }
}

async fn run_callers(
    tab: &Session,
    script: &str,
    patience: Duration,
) -> Result<(Remote, Option<Exception>), CdpError> {
    let what = json!({
        "expression": script,
        "awaitPromise": true,
        "userGesture": true,
    });
    let evaluated: Evaluated = tab.call("Runtime.evaluate", what, patience).await?;
    Ok((evaluated.result, evaluated.exception_details))
}

impl Exception {
    fn is_syntax(&self) -> bool {
        let description = self
            .exception
            .as_ref()
            .and_then(|thrown| thrown.description.as_deref());
        description.is_some_and(|text| text.starts_with("SyntaxError"))
    }
}

/// An object of the page as JSON, measured before it leaves the page.
async fn as_json(tab: &Session, object: &str, patience: Duration) -> Result<Value, CdpError> {
    let function = "function (most) { const text = JSON.stringify(this.value); \
                    return text === undefined ? '' : text.length > most ? null : text; }";
    let what = json!({
        "objectId": object,
        "functionDeclaration": function,
        "arguments": [{ "value": MAX_VALUE_BYTES }],
        "returnByValue": true,
    });
    let answer: Evaluated = tab.call("Runtime.callFunctionOn", what, patience).await?;
    if let Some(exception) = answer.exception_details {
        return Err(CdpError::Refused(exception.describe()));
    }
    match answer.result.value {
        Value::String(text) if text.is_empty() => Ok(Value::Null),
        Value::String(text) => {
            serde_json::from_str(&text).map_err(|error| CdpError::Refused(error.to_string()))
        }
        _ => Err(too_large()),
    }
}

fn too_large() -> CdpError {
    CdpError::Refused(format!("its value is larger than {MAX_VALUE_BYTES} bytes"))
}
