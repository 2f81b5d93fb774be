//! `PendingSave`: the result of a save that takes several updates.

use std::sync::{Arc, Mutex, PoisonError};

use super::{Save, SaveError};

/// Place of the result.
pub(crate) type SaveResult = Mutex<Option<Result<Save, SaveError>>>;

/// Save in progress: each update of the server adds a slice of the objects. See
/// [`NetworkServer::begin_save`](crate::NetworkServer::begin_save).
///
/// Dropping it ends the save. It may wait in a different thread than that of the server.
#[derive(Debug, Default)]
pub struct PendingSave {
    pub(crate) result: Arc<SaveResult>,
}

impl PendingSave {
    /// Returns the save once, behind the update with its last slice. `None` before and later.
    pub fn poll(&self) -> Option<Result<Save, SaveError>> {
        let mut result = self.result.lock().unwrap_or_else(PoisonError::into_inner);
        result.take()
    }
}
