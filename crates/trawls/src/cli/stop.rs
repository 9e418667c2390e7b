//! How a long-running command is told to stop.

use tokio::signal::unix::{SignalKind, signal};

/// Exit code of a process that a second signal ended.
const KILLED: i32 = 130;

/// Ready at the first SIGINT or SIGTERM; the second ends the process at once.
pub(super) fn stop_signal() -> std::io::Result<impl Future<Output = ()>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {} }
        tokio::spawn(async move {
            tokio::select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {} }
            std::process::exit(KILLED);
        });
    })
}
