//! What behaviours are told of the life of their objects.

use syncvar_runtime::NetId;
use syncvar_runtime::lend::{Late, Tells};

use super::MirrorServer;

impl MirrorServer {
    /// Does what had to wait until nothing is lent any more.
    pub(super) fn run_waiting_calls(&mut self) {
        if self.lent.depth() == 0 {
            self.run_local_calls();
            self.run_late();
        }
    }
}

impl Tells for MirrorServer {
    fn has_lifecycle(&self, id: NetId) -> bool {
        self.entry(id).is_some_and(|entry| entry.lifecycle)
    }

    fn late(&mut self) -> &mut Late {
        &mut self.late
    }
}
