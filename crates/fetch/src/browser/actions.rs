//! The caller's actions, one by one, as a visitor would do them: with the mouse and the keyboard of
//! the browser, not by scripts of the page.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use trawls_contract::{Action, WaitFor};

use super::{
    cdp::CdpError,
    document, keys,
    story::Story,
    world::{self, PATIENCE},
};
use crate::{ActionDone, FetchError, Frame, Yield};

/// Time for an element to appear before it is used.
const ELEMENT_TIME: Duration = Duration::from_secs(5);
/// Time for a caller's script.
const SCRIPT_TIME: Duration = Duration::from_secs(30);
/// When a page went elsewhere while an element was waited for, the next one is looked at after this.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// True as soon as something matches, false when the time is up.
const APPEARS: &str = "new Promise((resolve) => {
    const matches = () => document.querySelector(__SELECTOR__) !== null;
    if (matches()) return resolve(true);
    const observer = new MutationObserver(() => matches() && end(true));
    const timer = setTimeout(() => end(false), __LIMIT_MS__);
    const end = (appeared) => {
        observer.disconnect();
        clearTimeout(timer);
        resolve(appeared);
    };
    observer.observe(document, { subtree: true, childList: true, attributes: true });
})";
/// Longer texts are put in at once, as from the clipboard.
const MAX_TYPED: usize = 500;

/// Where an element is, or why it cannot be used.
#[derive(Deserialize)]
struct Spot {
    x: f64,
    y: f64,
}

impl Story<'_> {
    /// Does all actions in order.
    ///
    /// # Errors
    /// `ActionFailed` names the first one that could not be done.
    pub(super) async fn act(&self, actions: &[Action]) -> Result<Vec<ActionDone>, FetchError> {
        let mut done = Vec::with_capacity(actions.len());
        for (number, action) in actions.iter().enumerate() {
            let begun = Instant::now();
            let yielded =
                self.act_once(action)
                    .await
                    .map_err(|why| match self.context.tab.is_gone() {
                        true => FetchError::BrowserCrashed(why),
                        false => FetchError::ActionFailed(number, why),
                    })?;
            done.push(ActionDone {
                elapsed: begun.elapsed(),
                yielded,
            });
        }
        Ok(done)
    }

    async fn act_once(&self, action: &Action) -> Result<Yield, String> {
        match action {
            Action::Click { selector } => {
                let spot = self.find(selector).await?;
                self.click(spot).await.map_err(in_words)?;
                self.settle_again().await;
            }
            Action::Type { selector, text } => {
                let spot = self.find(selector).await?;
                self.click(spot).await.map_err(in_words)?;
                self.type_text(text).await.map_err(in_words)?;
            }
            Action::Press { key } => {
                let events = keys::press(key).ok_or_else(|| format!("there is no key {key:?}"))?;
                for event in events {
                    self.key(event).await.map_err(in_words)?;
                }
                self.settle_again().await;
            }
            Action::Scroll { pixels } => {
                let by = pixels.map_or("innerHeight".into(), |pixels| pixels.to_string());
                let script = format!("scrollBy({{ top: {by}, behavior: 'instant' }})");
                let scrolled = self.evaluate::<Value>(&script, PATIENCE).await;
                scrolled.map_err(in_words)?;
                self.settle_again().await;
            }
            Action::Wait { wait_for } => self.wait(wait_for).await?,
            Action::Evaluate { script } => {
                let tab = &self.context.tab;
                let left = self.last_call().saturating_duration_since(Instant::now());
                let value = world::evaluate_callers(tab, script, SCRIPT_TIME.min(left)).await;
                let value = value.map_err(in_words)?;
                self.settle_again().await;
                return Ok(Yield::Value(value));
            }
            Action::Screenshot { full_page } => {
                let frame = match full_page {
                    true => Frame::FullPage,
                    false => Frame::Viewport,
                };
                let picture = self.picture(frame).await;
                return picture.map(Yield::Screenshot).map_err(in_words);
            }
            Action::Scrape {} => {
                let written = document::write_down(&self.context.tab, &self.context.frame).await;
                return written
                    .map(|document| Yield::Html(document.html))
                    .map_err(in_words);
            }
        }
        Ok(Yield::Nothing)
    }

    async fn wait(&self, wait_for: &WaitFor) -> Result<(), String> {
        match wait_for {
            WaitFor::Milliseconds(time) => sleep(Duration::from_millis(*time)).await,
            WaitFor::Selector(selector) => {
                if !self.appears(selector, self.last_call()).await {
                    return Err(format!("nothing matches {selector}"));
                }
            }
        }
        Ok(())
    }

    /// Waits until something matches; false when nothing did in time.
    pub(super) async fn appears(&self, selector: &str, deadline: Instant) -> bool {
        while let Some(left) = deadline.checked_duration_since(Instant::now()) {
            let script = APPEARS
                .replace("__SELECTOR__", &Value::from(selector).to_string())
                .replace("__LIMIT_MS__", &left.as_millis().to_string());
            match self.evaluate(&script, left + PATIENCE).await {
                Ok(appeared) => return appeared,
                // The page went elsewhere, and its world with it.
                Err(_) => sleep(LOOK_AGAIN).await,
            }
        }
        false
    }

    /// The middle of the first match, scrolled into view.
    async fn find(&self, selector: &str) -> Result<Spot, String> {
        let deadline = self.last_call().min(Instant::now() + ELEMENT_TIME);
        if !self.appears(selector, deadline).await {
            return Err(format!("nothing matches {selector}"));
        }
        let script = format!(
            "(() => {{
                const element = document.querySelector({});
                element.scrollIntoView({{ block: 'center', inline: 'center', behavior: 'instant' }});
                const box = element.getBoundingClientRect();
                if (box.width === 0 || box.height === 0) return null;
                return {{ x: box.left + box.width / 2, y: box.top + box.height / 2 }};
            }})()",
            Value::from(selector)
        );
        let spot: Option<Spot> = self.evaluate(&script, PATIENCE).await.map_err(in_words)?;
        spot.ok_or_else(|| format!("what matches {selector} is not visible"))
    }

    async fn click(&self, at: Spot) -> Result<(), CdpError> {
        let tab = &self.context.tab;
        let mouse = |kind: &str, clicks: u32| {
            json!({
                "type": kind,
                "x": at.x,
                "y": at.y,
                "button": if clicks == 0 { "none" } else { "left" },
                "clickCount": clicks,
            })
        };
        for event in [
            mouse("mouseMoved", 0),
            mouse("mousePressed", 1),
            mouse("mouseReleased", 1),
        ] {
            tab.run("Input.dispatchMouseEvent", event, PATIENCE).await?;
        }
        Ok(())
    }

    async fn type_text(&self, text: &str) -> Result<(), CdpError> {
        if text.len() > MAX_TYPED {
            let what = json!({ "text": text });
            return self
                .context
                .tab
                .run("Input.insertText", what, PATIENCE)
                .await;
        }
        for letter in text.chars() {
            for event in keys::letter(letter) {
                self.key(event).await?;
            }
        }
        Ok(())
    }

    async fn key(&self, event: Value) -> Result<(), CdpError> {
        let tab = &self.context.tab;
        tab.run("Input.dispatchKeyEvent", event, PATIENCE).await
    }
}

fn in_words(error: CdpError) -> String {
    error.to_string()
}
