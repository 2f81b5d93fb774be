//! `Ownership`: objects of one connection.

use syncvar_runtime::NetId;
use syncvar_runtime::unstable::object::OwnerMemory;
use syncvar_runtime::unstable::ordered::Ids;

/// Objects that a connection owns.
#[derive(Debug, Default)]
pub(crate) struct Ownership {
    pub(crate) objects: Ids<NetId>,
    /// Players by number.
    pub(crate) players: Vec<(i16, NetId)>,
    /// Memory that the writes of the connection have added to the objects.
    pub(crate) memory: OwnerMemory,
}

impl Ownership {
    /// Adds an object, or removes the object with its memory.
    pub(crate) fn set(&mut self, id: NetId, owned: bool) {
        if owned {
            self.objects.insert(id);
        } else {
            self.objects.remove(id);
            self.memory.remove(id);
        }
    }

    /// Removes the number of a player.
    pub(crate) fn remove_player(&mut self, number: i16) {
        self.players.retain(|(taken, _)| *taken != number);
    }

    /// Returns the number of an object that is a player.
    pub(crate) fn number_of(&self, id: NetId) -> Option<i16> {
        let mut players = self.players.iter();
        let player = players.find(|(_, player)| *player == id);
        player.map(|(number, _)| *number)
    }
}
