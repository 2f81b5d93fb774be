//! Positions of entities: `GlobalTransform`.

use bevy_ecs::prelude::*;
use bevy_transform::components::GlobalTransform;
use syncvar::interest::{GroupTags, SpatialGrid};
use syncvar::values::{Quaternion, Vector3};
use syncvar::{NetId, NetworkServer};

use super::{Interest, NetBudget};
use crate::{Connection, Net, Replicated, Server};

/// Entity from whose position a [`Connection`] sees the world: its player, or a camera.
///
/// With [`Interest::Grid`] the client receives the entities near it; without a viewpoint it receives none that has a position. A
/// [`NetBudget`] prefers near entities.
///
/// ```
/// # use bevy_app::prelude::*;
/// # use bevy_ecs::prelude::*;
/// # use bevy_transform::components::Transform;
/// # use bevy_syncvar::prelude::*;
/// use bevy_syncvar::Viewpoint;
///
/// # let mut app = App::new();
/// app.add_observer(|joined: On<ClientJoined>, mut commands: Commands| {
///     let player = commands.spawn((Replicated, Transform::default())).id();
///     commands.entity(joined.entity).insert(Viewpoint(player));
/// });
/// ```
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Viewpoint(pub Entity);

type MovedFilter = (
    With<Replicated>,
    Or<(Changed<GlobalTransform>, Changed<Net>)>,
);

/// Gives the objects and the connections their positions. A server without a grid and budgets needs none.
pub(crate) fn collect_positions(
    mut server: ResMut<Server>,
    interest: Res<Interest>,
    moved: Query<(&Net, &GlobalTransform), MovedFilter>,
    viewers: Query<(&Connection, &Viewpoint)>,
    places: Query<&GlobalTransform>,
    budgets: Query<(), With<NetBudget>>,
) {
    let has_grid = matches!(*interest, Interest::Grid(_));
    if !has_grid && budgets.is_empty() {
        return;
    }
    let server: &mut NetworkServer = &mut server;
    for (net, place) in &moved {
        if net.id() != NetId::NONE {
            // An object that could not be spawned has been reported.
            let _ = server.set_transform(net.id(), position(place), rotation(place));
        }
    }
    for (connection, viewpoint) in &viewers {
        let Ok(place) = places.get(viewpoint.0) else {
            continue;
        };
        let (id, at) = (connection.id(), position(place));
        let seen = server.set_viewpoint(id, Some(at));
        let watched = match server.interest_mut::<GroupTags<SpatialGrid>>() {
            Ok(rooms) => rooms.inner_mut().watch(id, at),
            Err(_) => Ok(()),
        };
        if let Err(error) = seen.and(watched) {
            tracing::warn!(%id, %error, "a viewpoint has no effect");
        }
    }
}

fn position(place: &GlobalTransform) -> Vector3 {
    let at = place.translation();
    Vector3::new(at.x, at.y, at.z)
}

fn rotation(place: &GlobalTransform) -> Quaternion {
    let turned = place.rotation();
    Quaternion::new(turned.x, turned.y, turned.z, turned.w)
}
