//! Numbers of objects, connections, scene objects, audiences and assets.

mod hash128;

use std::fmt;

pub use hash128::NetworkHash128;

/// Number of a spawned object, equal on the server and on every client. Counted from 1 and
/// never reused; 0 stands for no object. Packed on the wire.
///
/// Each server counts by itself: in a program with two servers, keep an id beside its server. The same number means
/// a different object on a second server.
///
/// ```
/// use syncvar::prelude::*;
///
/// # #[derive(NetworkBehaviour, Default)]
/// # struct Door {
/// #     #[sync_var]
/// #     open: SyncVar<bool>,
/// # }
/// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Door>("door"));
/// let door: NetId = net.server.spawn(Door::default());
/// net.settle();
/// // The same number on all ends.
/// assert!(net.client(0).get::<Door>(door).is_some());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NetId(pub u32);

impl NetId {
    /// No object.
    pub const NONE: Self = Self(0);
}

impl fmt::Display for NetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("#{}", self.0))
    }
}

/// Number of a connection, counted from 1. After 2^32 - 1 connections the numbers begin anew; those of
/// present connections are skipped. Each server counts by itself, as with [`NetId`].
///
/// ```
/// use syncvar::prelude::*;
///
/// # #[derive(NetworkBehaviour, Default)]
/// # struct Door {
/// #     #[sync_var]
/// #     open: SyncVar<bool>,
/// # }
/// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Door>("door"));
/// let door = net.server.spawn(Door::default());
/// net.settle();
/// let connection: ConnectionId = net.connection(0);
/// net.server.hide(door, connection).unwrap();
/// net.settle();
/// assert!(net.client(0).get::<Door>(door).is_none());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionId(pub u32);

impl ConnectionId {
    /// Connection of a client to its server, for transports.
    pub const SERVER: Self = Self(0);
}

impl fmt::Display for ConnectionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "connection {}", self.0)
    }
}

/// Number of an object that is part of a scene.
///
/// ```
/// use syncvar::prelude::*;
/// use syncvar::NetworkSceneId;
///
/// # #[derive(NetworkBehaviour, Default)]
/// # struct Door {
/// #     #[sync_var]
/// #     open: SyncVar<bool>,
/// # }
/// const GATE: NetworkSceneId = NetworkSceneId(4);
///
/// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Door>("door"));
/// net.client_mut(0).add_scene_object(GATE, Door::default()).unwrap();
/// let gate = net.server.spawn_scene_object(GATE, Door::default()).unwrap();
/// net.settle();
/// assert_eq!(net.client(0).identity(gate).unwrap().scene_id(), Some(GATE));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NetworkSceneId(pub u32);

/// Position of an interned set of observers on a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AudienceId(pub u32);

impl AudienceId {
    /// Returns the position in the list of audiences.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Key of an ordered collection ([`ordered`](crate::unstable::ordered)): a value with a number, ordered by it.
pub trait Id: Copy {
    /// Returns the number.
    fn number(self) -> u64;

    /// Returns the id with a number that `number` returned.
    fn with_number(number: u64) -> Self;
}

macro_rules! narrow_ids {
    ($($id:ident)*) => {$(
        impl Id for $id {
            #[inline]
            fn number(self) -> u64 {
                self.0.into()
            }

            #[inline]
            #[expect(clippy::cast_possible_truncation, reason = "the number of an id of 32 bits")]
            fn with_number(number: u64) -> Self {
                Self(number as u32)
            }
        }
    )*};
}

narrow_ids!(AudienceId ConnectionId NetId NetworkSceneId);

impl Id for u32 {
    #[inline]
    fn number(self) -> u64 {
        self.into()
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a number of 32 bits")]
    fn with_number(number: u64) -> Self {
        number as Self
    }
}

impl Id for u64 {
    #[inline]
    fn number(self) -> u64 {
        self
    }

    #[inline]
    fn with_number(number: u64) -> Self {
        number
    }
}
