//! `Interest`: the interest management of a server.

use bevy_ecs::prelude::*;
use syncvar::interest::{Everyone, GroupTags, SpatialGrid, Tag};
use syncvar::{ConnectionId, NetId, NetworkServer, Prefabs, ServerConfig};

/// Entities that a client receives, besides entities with [`OnlyFor`](super::OnlyFor).
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq)]
pub enum Interest {
    /// All entities.
    #[default]
    Everything,
    /// Entities without a [`Room`](super::Room), and entities of its [`Groups`](super::Groups).
    Rooms,
    /// As [`Rooms`](Self::Rooms), of the entities near its `Viewpoint`. Needs the feature `transform`: the position of an
    /// entity is its `GlobalTransform`.
    Grid(Grid),
}

/// A grid over the positions of entities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// The plane of the cells.
    pub plane: Plane,
    /// Length of a cell; half of the view distance is a good value.
    pub cell: f32,
    /// View distance.
    pub distance: f32,
}

/// Plane of a [`Grid`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plane {
    /// A game in 2D.
    Xy,
    /// A game on the ground; y is up.
    Xz,
    /// A game in space.
    Xyz,
}

impl Grid {
    fn build(self) -> SpatialGrid {
        match self.plane {
            Plane::Xy => SpatialGrid::xy(self.cell, self.distance),
            Plane::Xz => SpatialGrid::xz(self.cell, self.distance),
            Plane::Xyz => SpatialGrid::xyz(self.cell, self.distance),
        }
    }
}

impl Interest {
    /// Makes a server with this interest management.
    pub(crate) fn server(self, prefabs: Prefabs, config: ServerConfig) -> NetworkServer {
        match self {
            Self::Everything => NetworkServer::with_config(prefabs, config),
            Self::Rooms => {
                let rooms = GroupTags::<Everyone>::default();
                NetworkServer::with_interest(prefabs, config, rooms)
            }
            Self::Grid(grid) => {
                let rooms = GroupTags::new(grid.build());
                NetworkServer::with_interest(prefabs, config, rooms)
            }
        }
    }
}

/// Sets the room of an object. Returns whether the server has rooms.
pub(super) fn set_room(server: &mut NetworkServer, id: NetId, room: Option<Tag>) -> bool {
    if let Ok(rooms) = server.interest_mut::<GroupTags<SpatialGrid>>() {
        return rooms.tag(id, room).is_ok();
    }
    let rooms = server.interest_mut::<GroupTags<Everyone>>();
    rooms.is_ok_and(|rooms| rooms.tag(id, room).is_ok())
}

/// Opens or closes a room for a connection.
pub(super) fn set_open(server: &mut NetworkServer, id: ConnectionId, room: Tag, is_open: bool) {
    // The connection is that of an entity, and a server without rooms has none to open.
    if let Ok(rooms) = server.interest_mut::<GroupTags<SpatialGrid>>() {
        if is_open {
            let _ = rooms.join(id, room);
        } else {
            rooms.leave(id, room);
        }
    } else if let Ok(rooms) = server.interest_mut::<GroupTags<Everyone>>() {
        if is_open {
            let _ = rooms.join(id, room);
        } else {
            rooms.leave(id, room);
        }
    }
}
