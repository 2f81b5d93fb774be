//! Lifecycle callbacks.

use syncvar_runtime::NetId;
use syncvar_runtime::lend::{Late, Tells};

use super::MirrorServer;

impl MirrorServer {
    /// Runs the deferred calls and events once no object is checked out.
    pub(super) fn run_deferred(&mut self) {
        if self.world.checked_out.depth() == 0 {
            self.run_local_calls();
            self.run_late();
        }
    }
}

impl Tells for MirrorServer {
    fn has_lifecycle(&self, id: NetId) -> bool {
        self.world.entry(id).is_some_and(|entry| entry.lifecycle)
    }

    fn late(&mut self) -> &mut Late {
        &mut self.world.deferred
    }
}
