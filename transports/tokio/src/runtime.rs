//! tokio runtime of the sockets.

use std::io;
use std::sync::{Mutex, PoisonError};
use std::thread;

use tokio::runtime::{Builder, Handle};

/// Runtime of the programs without one. Its thread runs until the process ends.
static BACKGROUND: Mutex<Option<Handle>> = Mutex::new(None);

/// Returns the runtime of the caller, or else the runtime of this crate.
pub(crate) fn handle() -> io::Result<Handle> {
    if let Ok(handle) = Handle::try_current() {
        return Ok(handle);
    }
    let mut background = BACKGROUND.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(handle) = &*background {
        return Ok(handle.clone());
    }
    let runtime = Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .build()?;
    let handle = runtime.handle().clone();
    let thread = thread::Builder::new().name("syncvar-sockets".into());
    thread.spawn(move || runtime.block_on(std::future::pending::<()>()))?;
    *background = Some(handle.clone());
    Ok(handle)
}
