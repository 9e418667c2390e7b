//! Serves the trap site for trying things out: `trap-site [ADDRESS]`, 127.0.0.1:8181 by default.
#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use trawls_testkit::{BROWSER_TRAPS, TRAPS, TrapSite};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let address = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "127.0.0.1:8181".to_owned());
    let site = TrapSite::start_on(address.parse()?).await?;
    for trap in TRAPS.iter().chain(BROWSER_TRAPS) {
        println!("{:<44} {}", site.url(trap.path), trap.about);
    }
    tokio::signal::ctrl_c().await?;
    Ok(())
}
