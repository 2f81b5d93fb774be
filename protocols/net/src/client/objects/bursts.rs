//! Facts of a burst: which objects and which ownership the server has sent again.

use super::{Fact, Objects, ReplicaStage};
use syncvar_runtime::NetId;

/// Change of the objects, which the behaviours and the program learn.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ObjectChange {
    /// A new object.
    Spawned(NetId),
    /// A new owner.
    Owner { object: NetId, owned: bool },
    /// A new parent of an object.
    Parent(NetId),
    /// All scene objects for this client are spawned.
    SceneObjects,
}

impl Objects {
    /// Forgets which objects and which ownership the server has sent.
    pub(crate) fn begin_burst(&mut self) {
        for replica in self.world.objects.values_mut() {
            replica.set(Fact::Refreshed, false);
            replica.set(Fact::OwnedBeforeBurst, replica.is(Fact::Owned));
            replica.set(Fact::Owned, false);
        }
    }

    /// Counts all objects and their ownership as sent, for a burst of further changes.
    pub(crate) fn begin_jump(&mut self) {
        for replica in self.world.objects.values_mut() {
            replica.set(Fact::Refreshed, true);
            replica.set(Fact::OwnedBeforeBurst, replica.is(Fact::Owned));
        }
    }

    /// Returns the objects that the burst did not contain, ascending.
    pub(crate) fn missing_in_burst(&self) -> Vec<NetId> {
        self.world.ids(|replica| !replica.is(Fact::Refreshed))
    }

    /// Lists the changes by a burst by ascending id, and makes all new objects visible.
    pub(crate) fn burst_changes(&mut self) -> Vec<ObjectChange> {
        let mut changes = Vec::new();
        // Without a loop: a nested iterator checks each level for each object.
        self.world.objects.iter_mut().for_each(|(number, replica)| {
            let object = NetId(number);
            let owned = replica.is(Fact::Owned);
            if replica.is_visible() && owned != replica.is(Fact::OwnedBeforeBurst) {
                changes.push(ObjectChange::Owner { object, owned });
            }
            if !replica.is_visible() && !replica.is_poisoned() {
                replica.stage = ReplicaStage::Visible;
                changes.push(ObjectChange::Spawned(object));
            }
        });
        changes
    }
}
