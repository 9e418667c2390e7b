//! Whom the browser plays: the Chromium that it is, on a desktop or a phone, with one story in user
//! agent, client hints, languages, time zone and screen. What a headless process cannot be made to
//! say by switches is said per tab.

use std::time::Duration;

use rand::RngExt;
use serde_json::{Value, json};
use trawls_contract::FetchMode;

use super::cdp::{CdpError, Session};
use crate::FetchPlan;

/// Time for a tab to take its identity on.
const PATIENCE: Duration = Duration::from_secs(10);
/// Processors of an ordinary computer; a server's would stand out.
const PROCESSORS: u32 = 8;
/// Chrome on Android, reduced.
const PHONE: (u32, u32, f64) = (412, 915, 2.625);

const STEALTH: &str = include_str!("scripts/stealth.js");

/// Version of the running browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Version {
    /// As in `156.0.8078.114`.
    pub(super) full: String,
    /// As in `156`.
    pub(super) major: u32,
}

impl Version {
    /// From `Chromium 156.0.8078.114 …` or `HeadlessChrome/156.0.8078.114`.
    pub(super) fn find(text: &str) -> Option<Self> {
        let is_part = |letter: char| letter.is_ascii_digit() || letter == '.';
        let full = text
            .split(|letter: char| !is_part(letter))
            .find(|word| word.matches('.').count() == 3)?;
        let major = full.split('.').next()?.parse().ok()?;
        Some(Self {
            full: full.to_owned(),
            major,
        })
    }
}

/// Who a context is to its sites.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Persona {
    pub(super) rung: FetchMode,
    pub(super) is_mobile: bool,
    /// BCP 47 tags, best first.
    pub(super) languages: Vec<String>,
    pub(super) timezone: Option<String>,
    /// The caller's own, which nothing of ours contradicts.
    pub(super) user_agent: Option<String>,
}

impl Persona {
    pub(super) fn of(plan: &FetchPlan, rung: FetchMode) -> Self {
        let identity = &plan.identity;
        let named = identity.headers.get(http::header::USER_AGENT);
        Self {
            rung,
            is_mobile: identity.mobile,
            languages: match identity.languages.is_empty() {
                true => vec!["en-US".into(), "en".into()],
                false => identity.languages.clone(),
            },
            timezone: identity.timezone.clone(),
            user_agent: named
                .and_then(|value| value.to_str().ok())
                .map(str::to_owned),
        }
    }

    /// Pixels of its screen to a CSS pixel.
    pub(super) fn ratio(&self) -> f64 {
        if self.is_mobile { PHONE.2 } else { 1.0 }
    }

    /// Makes a tab or a worker play this persona. Everything is told at once; a session obeys in
    /// order.
    pub(super) async fn put_on(
        &self,
        session: &Session,
        version: &Version,
        kind: Kind,
    ) -> Result<(), CdpError> {
        session
            .tell("Emulation.setUserAgentOverride", self.user_agent(version))
            .await?;
        session
            .tell(
                "Emulation.setHardwareConcurrencyOverride",
                json!({ "hardwareConcurrency": PROCESSORS }),
            )
            .await?;
        if kind == Kind::DedicatedWorker {
            return self.hide(session, kind).await;
        }
        if let Some(timezone) = &self.timezone {
            let zone = json!({ "timezoneId": timezone });
            session.tell("Emulation.setTimezoneOverride", zone).await?;
        }
        let locale = json!({ "locale": self.languages.first() });
        session.tell("Emulation.setLocaleOverride", locale).await?;
        if kind == Kind::Tab {
            let focus = json!({ "enabled": true });
            session
                .tell("Emulation.setFocusEmulationEnabled", focus)
                .await?;
            if self.is_mobile {
                hold_a_phone(session).await?;
            }
        }
        self.hide(session, kind).await
    }

    /// The stealth rung's script, before any of the page's.
    async fn hide(&self, session: &Session, kind: Kind) -> Result<(), CdpError> {
        if self.rung != FetchMode::Stealth {
            return Ok(());
        }
        let script = self.script();
        match kind {
            Kind::Tab => {
                session
                    .run(
                        "Page.addScriptToEvaluateOnNewDocument",
                        json!({ "source": script }),
                        PATIENCE,
                    )
                    .await
            }
            Kind::DedicatedWorker | Kind::SharedWorker => {
                session
                    .tell("Runtime.evaluate", json!({ "expression": script }))
                    .await
            }
        }
    }

    fn script(&self) -> String {
        let identity = json!({
            "webgl": {
                "vendor": "Google Inc. (Intel)",
                "renderer": "ANGLE (Intel, Mesa Intel(R) UHD Graphics 620 (KBL GT2), OpenGL ES 3.2)",
            },
            "deviceMemory": 8,
            "platform": self.is_mobile.then_some("Linux armv81"),
        });
        STEALTH
            .replace("__IDENTITY__", &identity.to_string())
            .replace("__MASK__", &mask())
    }

    fn user_agent(&self, version: &Version) -> Value {
        let mut answer = json!({ "acceptLanguage": self.languages.join(",") });
        if let Some(own) = &self.user_agent {
            answer["userAgent"] = json!(own);
            return answer;
        }
        answer["userAgent"] = json!(user_agent(version.major, self.is_mobile));
        answer["platform"] = json!(match self.is_mobile {
            true => "Linux armv81",
            false => "Linux x86_64",
        });
        answer["userAgentMetadata"] = hints(version, self.is_mobile);
        answer
    }
}

/// What a session is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Tab,
    DedicatedWorker,
    SharedWorker,
}

/// Of the whole process: shared workers and frames take them from here alone.
pub(super) fn switches(version: &Version) -> Vec<String> {
    vec![
        "--disable-blink-features=AutomationControlled".into(),
        format!("--user-agent={}", user_agent(version.major, false)),
        "--lang=en-US".into(),
        // A server has no mouse.
        "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,\
         availablePointerTypes=4"
            .into(),
        "--screen-info={1920x1080 workAreaBottom=40}".into(),
        "--window-size=1920,1040".into(),
        "--window-position=0,0".into(),
        "--use-fake-device-for-media-stream".into(),
    ]
}

fn user_agent(major: u32, is_mobile: bool) -> String {
    let (system, device) = match is_mobile {
        true => ("Linux; Android 10; K", " Mobile"),
        false => ("X11; Linux x86_64", ""),
    };
    format!(
        "Mozilla/5.0 ({system}) AppleWebKit/537.36 (KHTML, like Gecko) \
         Chrome/{major}.0.0.0{device} Safari/537.36"
    )
}

/// User-Agent Client Hints, as Google Chrome of this version gives them.
fn hints(version: &Version, is_mobile: bool) -> Value {
    let (platform, system, form) = match is_mobile {
        true => ("Android", "10.0.0", "Mobile"),
        false => ("Linux", "", "Desktop"),
    };
    json!({
        "brands": brands(version.major, |major, _| major.to_string()),
        "fullVersionList": brands(version.major, |major, is_grease| match is_grease {
            true => format!("{major}.0.0.0"),
            false => version.full.clone(),
        }),
        "platform": platform,
        "platformVersion": system,
        "architecture": if is_mobile { "" } else { "x86" },
        "bitness": if is_mobile { "" } else { "64" },
        "model": if is_mobile { "K" } else { "" },
        "mobile": is_mobile,
        "wow64": false,
        "formFactors": [form],
    })
}

/// Chromium's own algorithm (`GetGreasedUserAgentBrandVersion`): a name that no site may rely on,
/// in an order that changes with the version.
fn brands(major: u32, version: impl Fn(u32, bool) -> String) -> Value {
    const MARKS: [&str; 11] = [" ", "(", ":", "-", ".", "/", ")", ";", "=", "?", "_"];
    const GREASE: [u32; 3] = [8, 99, 24];
    const ORDERS: [[usize; 3]; 6] = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ];
    let seed = major as usize;
    let mark = |at: usize| MARKS[at % MARKS.len()];
    let grease = format!("Not{}A{}Brand", mark(seed), mark(seed + 1));
    let order = ORDERS[seed % ORDERS.len()];
    let mut list = [Value::Null, Value::Null, Value::Null];
    let brand = |name: &str, version: String| json!({ "brand": name, "version": version });
    list[order[0]] = brand(&grease, version(GREASE[seed % GREASE.len()], true));
    list[order[1]] = brand("Chromium", version(major, false));
    list[order[2]] = brand("Google Chrome", version(major, false));
    Value::from(list.to_vec())
}

async fn hold_a_phone(session: &Session) -> Result<(), CdpError> {
    let (width, height, ratio) = PHONE;
    session
        .tell(
            "Emulation.setDeviceMetricsOverride",
            json!({
                "width": width,
                "height": height,
                "screenWidth": width,
                "screenHeight": height,
                "deviceScaleFactor": ratio,
                "mobile": true,
            }),
        )
        .await?;
    session
        .tell(
            "Emulation.setTouchEmulationEnabled",
            json!({ "enabled": true, "maxTouchPoints": 5 }),
        )
        .await
}

/// A name that no page can know beforehand.
fn mask() -> String {
    let mut random = rand::rng();
    (0..12)
        .map(|_| char::from(random.random_range(b'a'..=b'z')))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_found_however_it_is_told() {
        for text in [
            "Chromium 156.0.8078.114 built on Debian",
            "HeadlessChrome/156.0.8078.114",
        ] {
            let version = Version::find(text).unwrap();
            assert_eq!((version.major, &*version.full), (156, "156.0.8078.114"));
        }
        assert_eq!(Version::find("no browser at all. 1.2"), None);
    }

    #[test]
    fn brands_are_chromes_own() {
        let list = brands(156, |major, _| major.to_string());
        let names: Vec<_> = list
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["brand"].as_str().unwrap())
            .collect();
        assert_eq!(names, ["Not:A-Brand", "Chromium", "Google Chrome"]);
        let list = brands(149, |major, _| major.to_string());
        assert!(list.to_string().contains("Not)A;Brand"));
    }

    #[test]
    fn a_callers_user_agent_is_not_contradicted_by_hints() {
        let persona = Persona {
            rung: FetchMode::Browser,
            is_mobile: false,
            languages: vec!["de-DE".into(), "de".into()],
            timezone: None,
            user_agent: Some("curl/8".into()),
        };
        let version = Version::find("x/1.2.3.4").unwrap();
        let told = persona.user_agent(&version);
        assert_eq!(told["userAgent"], "curl/8");
        assert!(told["userAgentMetadata"].is_null());
        assert_eq!(told["acceptLanguage"], "de-DE,de");
    }
}
