//! The rules of callbacks on the server's world.

use syncvar_runtime::ConnectionId;
use syncvar_runtime::unstable::object::Location;
use syncvar_runtime::unstable::world::WorldObject;

use crate::server::objects::replicated::Replicated;

impl WorldObject for Replicated {
    #[inline]
    fn location(&self) -> Location {
        self.at
    }

    fn owner(&self) -> Option<ConnectionId> {
        self.owner
    }
}
