//! Every combination of what the three rungs bring: which are tried, and what the fetch comes to.

use super::*;
use FetchMode::{Browser, Http, Stealth};

/// What a rung brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Brings {
    Page,
    Shell,
    Challenge,
    Forbidden,
    Missing,
    Broken,
    NoTls,
    Nothing,
}

use Brings::{Broken, Challenge, Forbidden, Missing, NoTls, Nothing, Page, Shell};

const ALL: [Brings; 8] = [
    Page, Shell, Challenge, Forbidden, Missing, Broken, NoTls, Nothing,
];

impl Brings {
    fn reply(self) -> Reply {
        match self {
            Page => status(200),
            Shell => html("<div id=root></div><script></script>"),
            Challenge => response(503, &[("cf-mitigated", "challenge")], "wait"),
            Forbidden => status(403),
            Missing => status(404),
            Broken => status(500),
            NoTls => Err(FetchError::Tls("handshake".into())),
            Nothing => refused(),
        }
    }

    fn is_response(self) -> bool {
        !matches!(self, NoTls | Nothing)
    }
}

/// One answer a rung, whatever the page.
struct Each {
    rungs: [Brings; 3],
}

impl Each {
    fn on(&self, rung: FetchMode) -> Brings {
        match rung {
            Http => self.rungs[0],
            Browser => self.rungs[1],
            Stealth => self.rungs[2],
        }
    }

    /// As SPEC has it.
    fn tried(&self) -> Vec<FetchMode> {
        let above = match self.on(Browser) {
            Challenge => vec![Browser, Stealth],
            _ => vec![Browser],
        };
        let climbed = match self.on(Http) {
            Shell | Forbidden | NoTls => above,
            Challenge => vec![Stealth],
            Page | Missing | Broken | Nothing => Vec::new(),
        };
        [vec![Http], climbed].concat()
    }
}

impl Rungs for Each {
    fn has(&self, _: FetchMode) -> bool {
        true
    }

    async fn exchange(&self, rung: FetchMode, _: &FetchPlan, _: &impl Hops, _: Instant) -> Reply {
        self.on(rung).reply()
    }

    async fn prefix(&self, _: &FetchPlan, _: Instant) -> Reply {
        status(404)
    }
}

#[tokio::test(start_paused = true)]
async fn every_combination_of_rungs_comes_to_the_best_that_there_was() {
    for http in ALL {
        for browser in ALL {
            for stealth in ALL {
                check([http, browser, stealth]).await;
            }
        }
    }
}

async fn check(rungs: [Brings; 3]) {
    let each = Each { rungs };
    let tried = each.tried();
    let brought: Vec<Brings> = tried.iter().map(|rung| each.on(*rung)).collect();
    let report = Climb::new(each, &config()).fetch(&plan(Mode::Auto)).await;
    let mut trace: Vec<FetchMode> = report.attempts.iter().map(|row| row.mode).collect();
    // A failure is tried again on its rung.
    trace.dedup();
    assert_eq!(trace, tried, "{rungs:?}");
    match report.result {
        Ok(fetched) => {
            assert!(
                brought.iter().any(|brings| brings.is_response()),
                "{rungs:?}"
            );
            let is_usable = fetched.verdict == Verdict::Usable;
            assert_eq!(is_usable, brought.contains(&Page), "{rungs:?}");
            // What is given is what that rung brought.
            let place = tried.iter().position(|rung| *rung == fetched.mode);
            let given = brought[place.unwrap()].reply().unwrap();
            assert_eq!(
                (given.status, given.body),
                (fetched.status, fetched.body),
                "{rungs:?}"
            );
            let others = brought.iter().filter(|brings| brings.is_response());
            if others.count() == 1 && brought[0] == Shell {
                assert_eq!((fetched.mode, fetched.verdict), (Http, Verdict::Thin));
            }
        }
        Err(_) => assert!(
            !brought.iter().any(|brings| brings.is_response()),
            "{rungs:?}"
        ),
    }
}
