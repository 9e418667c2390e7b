//! The whole escalation table: which rung follows what was seen. A pure function of plain values,
//! so that every row can be tested; nothing else in the crate decides where to climb.

use trawls_contract::{ErrorCode, FetchMode, Mode, Verdict};

use crate::FetchPlan;

/// The rungs that a plan may use, lowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reach {
    /// Where to start.
    pub(crate) from: FetchMode,
    /// Where to stop.
    pub(crate) to: FetchMode,
}

impl Reach {
    /// What the caller's mode allows. What is known of the host counts only where there is a
    /// browser; work that only a browser can do is never left to another rung.
    pub(crate) fn of(plan: &FetchPlan, has_browser: bool) -> Self {
        let only = |rung| Self {
            from: rung,
            to: rung,
        };
        let lowest = match plan.browser.needs_browser() {
            true => plan.lowest.max(FetchMode::Browser),
            false if has_browser => plan.lowest,
            false => FetchMode::Http,
        };
        match plan.mode {
            Mode::Auto => Self {
                from: lowest,
                to: FetchMode::Stealth,
            },
            Mode::Http => only(FetchMode::Http),
            Mode::Browser => only(FetchMode::Browser),
            Mode::Stealth => only(FetchMode::Stealth),
        }
    }
}

/// What the last try on a rung came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen {
    /// What the response is worth.
    pub(crate) verdict: Verdict,
    /// Its status, if there was one.
    pub(crate) status: Option<u16>,
    /// The error, if there was no response.
    pub(crate) error: Option<ErrorCode>,
}

/// What to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Take what there is.
    Stop,
    /// Try this rung.
    Climb(FetchMode),
}

/// The rung after `rung`, which has seen `seen`.
pub(crate) fn next(rung: FetchMode, seen: Seen, reach: Reach) -> Step {
    let better = match (rung, seen.verdict) {
        // A script may fill the page, or show what the reading lost.
        (FetchMode::Http, Verdict::Thin | Verdict::Lossy) => FetchMode::Browser,
        // A refusal that names no vendor is often meant for whoever is no browser.
        (FetchMode::Http, Verdict::RateLimited) => FetchMode::Browser,
        (FetchMode::Http, Verdict::ClientError) if seen.status == Some(403) => FetchMode::Browser,
        (FetchMode::Http, Verdict::ServerError) if seen.status == Some(503) => FetchMode::Browser,
        // Chromium's handshake and trust store are not ours.
        (FetchMode::Http, Verdict::Failed) if seen.error == Some(ErrorCode::TlsError) => {
            FetchMode::Browser
        }
        // Who recognised a robot recognises a plain browser too.
        (FetchMode::Http | FetchMode::Browser, Verdict::Blocked) => FetchMode::Stealth,
        _ => return Step::Stop,
    };
    if better <= reach.to {
        Step::Climb(better)
    } else {
        Step::Stop
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use url::Url;

    use super::*;
    use crate::Limits;
    use FetchMode::{Browser, Http, Stealth};

    const VERDICTS: [Verdict; 11] = [
        Verdict::Usable,
        Verdict::Thin,
        Verdict::Lossy,
        Verdict::Blocked,
        Verdict::RateLimited,
        Verdict::NotFound,
        Verdict::ClientError,
        Verdict::ServerError,
        Verdict::NotModified,
        Verdict::Failed,
        Verdict::Unavailable,
    ];
    const STATUSES: [Option<u16>; 9] = [
        None,
        Some(200),
        Some(304),
        Some(401),
        Some(403),
        Some(404),
        Some(429),
        Some(500),
        Some(503),
    ];

    /// The table as SPEC writes it: rung, verdict, status or error that it takes, next rung.
    const CLIMBS: [(FetchMode, Verdict, Condition, FetchMode); 8] = [
        (Http, Verdict::Thin, Condition::Always, Browser),
        (Http, Verdict::Lossy, Condition::Always, Browser),
        (Http, Verdict::RateLimited, Condition::Always, Browser),
        (Http, Verdict::ClientError, Condition::Status(403), Browser),
        (Http, Verdict::ServerError, Condition::Status(503), Browser),
        (
            Http,
            Verdict::Failed,
            Condition::Error(ErrorCode::TlsError),
            Browser,
        ),
        (Http, Verdict::Blocked, Condition::Always, Stealth),
        (Browser, Verdict::Blocked, Condition::Always, Stealth),
    ];

    enum Condition {
        Always,
        Status(u16),
        Error(ErrorCode),
    }

    impl Condition {
        fn holds(&self, seen: Seen) -> bool {
            match self {
                Self::Always => true,
                Self::Status(status) => seen.status == Some(*status),
                Self::Error(error) => seen.error == Some(*error),
            }
        }
    }

    fn reach(mode: Mode, lowest: FetchMode, has_browser: bool) -> Reach {
        let url = Url::parse("http://a.example/").unwrap();
        let plan = FetchPlan {
            mode,
            lowest,
            ..FetchPlan::to(url, Limits::within(Duration::from_secs(1), 1))
        };
        Reach::of(&plan, has_browser)
    }

    #[test]
    fn what_is_known_of_a_host_counts_only_where_there_is_a_browser() {
        assert_eq!(reach(Mode::Auto, Stealth, true).from, Stealth);
        assert_eq!(reach(Mode::Auto, Stealth, false).from, Http);
    }

    #[test]
    fn work_for_a_browser_is_left_to_no_other_rung() {
        let url = Url::parse("http://a.example/").unwrap();
        let mut plan = FetchPlan::to(url, Limits::within(Duration::from_secs(1), 1));
        plan.browser.pdf = true;
        for has_browser in [true, false] {
            assert_eq!(Reach::of(&plan, has_browser).from, Browser);
        }
    }

    #[test]
    fn every_combination_is_a_row_of_the_table_or_stops() {
        let errors = ErrorCode::ALL.iter().copied().map(Some).chain([None]);
        for error in errors {
            for rung in [Http, Browser, Stealth] {
                for verdict in VERDICTS {
                    for status in STATUSES {
                        for mode in [Mode::Auto, Mode::Http, Mode::Browser, Mode::Stealth] {
                            let seen = Seen {
                                verdict,
                                status,
                                error,
                            };
                            let row = CLIMBS.iter().find(|(from, of, when, _)| {
                                (*from, *of) == (rung, verdict) && when.holds(seen)
                            });
                            let reach = reach(mode, Http, false);
                            let expected = match row {
                                Some((.., to)) if mode == Mode::Auto || reach.to >= *to => {
                                    Step::Climb(*to)
                                }
                                _ => Step::Stop,
                            };
                            let got = next(rung, seen, reach);
                            assert_eq!(got, expected, "{rung:?} {seen:?} {mode:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_forced_mode_never_climbs() {
        for mode in [Mode::Http, Mode::Browser, Mode::Stealth] {
            let reach = reach(mode, Stealth, true);
            assert_eq!(reach.from, reach.to);
            for verdict in VERDICTS {
                let seen = Seen {
                    verdict,
                    status: Some(403),
                    error: None,
                };
                assert_eq!(
                    next(reach.from, seen, reach),
                    Step::Stop,
                    "{mode:?} {verdict:?}"
                );
            }
        }
    }

    #[test]
    fn a_climb_goes_up() {
        for (from, _, _, to) in CLIMBS {
            assert!(to > from);
        }
    }
}
