//! The rung against small servers on loopback.

mod fingerprint;
mod limits;
mod proxies;
mod redirects;
mod requests;
mod site;
mod tls;

use std::{io, net::IpAddr, sync::Arc, time::Duration};

use futures_util::future::BoxFuture;
use tokio::time::Instant;
use trawls_contract::Mode;
use url::Url;

use super::{AnyHop, HttpFetch};
use crate::{Door, FetchError, FetchPlan, Limits, Resolve, rung::Exchange};

/// Names that end in `.public.example` are at a public address, `.nowhere.example` at none, all
/// others on loopback.
struct Names;

impl Resolve for Names {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        let answer = if host.ends_with("public.example") {
            vec![IpAddr::from([93, 184, 216, 34])]
        } else if host.ends_with("nowhere.example") {
            Vec::new()
        } else {
            vec![IpAddr::from([127, 0, 0, 1])]
        };
        Box::pin(std::future::ready(Ok(answer)))
    }
}

/// A rung that may visit loopback.
fn open_rung() -> HttpFetch {
    HttpFetch::new(Arc::new(Door::new(Arc::new(Names), true)), &[]).unwrap()
}

/// A rung that may not, but for the operator's proxy.
fn closed_rung(proxies: &[Url]) -> HttpFetch {
    HttpFetch::new(Arc::new(Door::new(Arc::new(Names), false)), proxies).unwrap()
}

fn plan(url: &str) -> FetchPlan {
    let limits = Limits::within(Duration::from_secs(20), 1 << 20);
    FetchPlan {
        mode: Mode::Http,
        ..FetchPlan::to(Url::parse(url).unwrap(), limits)
    }
}

async fn run(rung: &HttpFetch, plan: &FetchPlan) -> Result<Exchange, FetchError> {
    rung.exchange(plan, &AnyHop, Instant::now() + plan.limits.total)
        .await
}

async fn get(url: &str) -> Result<Exchange, FetchError> {
    run(&open_rung(), &plan(url)).await
}

fn text(exchange: &Exchange) -> String {
    String::from_utf8_lossy(&exchange.body).into_owned()
}
