//! Received operations that are relayed.

use super::SyncList;
use super::log::Operation;
use crate::field::collection::charge_relayed;
use crate::{NetworkReader, SyncValue};

/// Limit of the operations of a delta that go on as such. They are kept until the next update, and a
/// larger write gains little over the whole list.
const MOST: usize = 1024;

/// Operations of a delta; `None` if the list goes on as a whole, or nowhere.
pub(super) struct Relay<T>(Option<Vec<Operation<T>>>);

impl<T: SyncValue> Relay<T> {
    pub(super) fn new(is_relaying: bool) -> Self {
        Self(is_relaying.then(Vec::new))
    }

    /// Records an operation with a number of new elements. Without memory or work for it, the list goes on
    /// as a whole: the write itself is valid.
    pub(super) fn add(
        &mut self,
        reader: &mut NetworkReader<'_>,
        values: usize,
        operation: impl FnOnce() -> Operation<T>,
    ) {
        let Some(operations) = &mut self.0 else {
            return;
        };
        let fits = operations.len() < MOST
            && charge_relayed::<Operation<T>>(reader).is_ok()
            && reader.charge::<T>(values).is_ok();
        if fits {
            operations.push(operation());
        } else {
            self.0 = None;
        }
    }

    /// Adds a run of removed elements to those of an operation.
    pub(super) fn add_run(
        &mut self,
        reader: &mut NetworkReader<'_>,
        runs: &mut Vec<(usize, usize)>,
        stay: usize,
        go: usize,
    ) {
        if self.0.is_some() {
            if runs.len() < MOST && reader.charge::<(usize, usize)>(1).is_ok() {
                runs.push((stay, go));
            } else {
                self.0 = None;
            }
        }
    }
}

impl<T: SyncValue> SyncList<T> {
    /// Adds the operations of a delta to the log.
    pub(super) fn relay(&mut self, relay: Relay<T>) {
        let elements = self.items.len();
        if let Some(operations) = relay.0
            && let Some(log) = self.record.received_log()
        {
            for operation in operations {
                log.append(operation);
            }
            if log.is_longer_than(elements) {
                self.record.set_dirty();
            }
        }
    }
}
