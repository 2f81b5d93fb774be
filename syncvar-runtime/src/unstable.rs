//! Parts for the crates of this workspace: protocols, transports and test tools.
//!
//! No promise of stability: each version may rename, change or remove these items. Programs use the crate
//! `syncvar`, whose paths are stable.

/// Remote calls: commands of clients, calls of the server, and events of objects.
pub mod call {
    pub use crate::call::*;
}

/// Clock of a server or client, the time of a remote clock, and rates.
pub mod clock {
    pub use crate::clock::*;
}

/// Objects: behaviours, state in the update loop, and pools.
pub mod object {
    pub use crate::object::*;
}

/// Ordered collections of ids.
pub mod ordered {
    pub use crate::ordered::*;
}

/// Outgoing messages, cut into packets.
pub mod packet {
    pub use crate::packet::*;
}

/// Registry of the prefabs of both ends.
pub mod prefab {
    pub use crate::prefab::*;
}

/// Memory of lists that are filled and emptied again and again.
pub mod recent_use {
    pub use crate::recent_use::*;
}

/// Places of objects, scene ids and parents.
pub mod relations {
    pub use crate::relations::*;
}

/// Way of a call from the sender to a server or client: address, request and errors.
pub mod route {
    pub use crate::route::*;
}

/// Values by number in pages, in order.
pub mod table {
    pub use crate::table::*;
}

/// Values whose types are known from a schema.
pub mod translate {
    pub use crate::translate::*;
}

/// The world: objects, behaviours and the rules of callbacks, without a protocol.
pub mod world {
    pub use crate::world::*;
}
