//! Lag compensation: the world as a client has seen it.

use std::mem;

use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;

use crate::registry::{Registry, ServerParts};
use crate::{Connections, NetEntities, Replicate, Server, ShadowOf};

/// Event of a server around a look into the past, for worlds beside the components: an observer updates the colliders of a
/// physics engine, such as its tree of bounding boxes.
#[derive(Event, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rewound {
    /// Whether the components have the values of the past now, or those of the present again.
    pub is_past: bool,
}

/// Values that clients have seen, for systems of a server. [`RewindWorld`] is for systems that need the whole world.
///
/// ```
/// use bevy_ecs::prelude::*;
/// use bevy_syncvar::prelude::*;
///
/// #[derive(Component, Replicate)]
/// struct Target {
///     #[sync_var(interpolate = linear, history = 0.5)]
///     x: f32,
/// }
///
/// #[derive(Event, NetValue)]
/// struct Shot {
///     x: f32,
/// }
///
/// fn on_shot(
///     shot: On<FromClient<Shot>>,
///     targets: Query<Entity, With<Target>>,
///     past: Past,
///     mut commands: Commands,
/// ) {
///     for target in &targets {
///         let seen = past.seen::<Target>(shot.client, target);
///         if seen.is_some_and(|seen| (seen.x - shot.event.x).abs() < 0.5) {
///             commands.entity(target).despawn();
///         }
///     }
/// }
/// # let mut app = bevy_app::App::new();
/// # app.add_plugins(ServerPlugin::alone()).replicate::<Target>().net_event::<Shot>().add_observer(on_shot);
/// # app.update();
/// ```
#[derive(SystemParam)]
pub struct Past<'w> {
    server: Option<Res<'w, Server>>,
    connections: Option<Res<'w, Connections>>,
    entities: Res<'w, NetEntities>,
}

impl Past<'_> {
    /// Returns a component of an entity as a client has seen it when it sent its newest input or event: the fields with a
    /// `history`, and the last sent values of the others. The client's own entities are those of the present. The viewer is the entity
    /// of a connection, or an entity whose owner has seen the component.
    ///
    /// `None` for a viewer without a connection, and for an entity without the component.
    pub fn seen<C: Replicate<Shadow: Clone>>(&self, viewer: Entity, entity: Entity) -> Option<C> {
        let server = self.server.as_ref()?;
        let connection = self.connections.as_ref()?.id(viewer);
        let connection = connection.or_else(|| server.owner(self.entities.id(viewer)?))?;
        let id = self.entities.id(entity)?;
        let mut shadow = server.get::<C::Shadow>(id)?.clone();
        if server.owner(id) != Some(connection) {
            server.rewind(connection, |past| {
                if let Some(view) = past.view::<C::Shadow>(id) {
                    view.write_into(&mut shadow);
                }
            });
        }
        Some(shadow.create(&self.entities))
    }
}

/// Looks of a server into the past, on [`World`].
pub trait RewindWorld {
    /// Runs a function while the fields with a `history` have the values that a client has seen when it sent its newest input
    /// or event. The entities of that client stay in the present. Outside, no change is visible.
    ///
    /// In `FixedUpdate` these are the values at the input of the tick. `None` for an entity that is no connection.
    ///
    /// ```
    /// use bevy_app::prelude::*;
    /// use bevy_ecs::prelude::*;
    /// use bevy_syncvar::RewindWorld;
    /// use bevy_syncvar::prelude::*;
    ///
    /// #[derive(Component, Replicate)]
    /// struct Target {
    ///     #[sync_var(interpolate = linear, history = 0.5)]
    ///     x: f32,
    /// }
    ///
    /// #[derive(Event, NetValue, Clone)]
    /// struct Shot {
    ///     x: f32,
    /// }
    ///
    /// fn on_shot(shot: On<FromClient<Shot>>, mut commands: Commands) {
    ///     let (client, x) = (shot.client, shot.event.x);
    ///     commands.queue(move |world: &mut World| {
    ///         let hit = world.rewind(client, |world| {
    ///             let mut targets = world.query::<(Entity, &Target)>();
    ///             let hit = targets.iter(world).find(|(_, target)| (target.x - x).abs() < 0.5);
    ///             hit.map(|(entity, _)| entity)
    ///         });
    ///         if let Some(Some(target)) = hit {
    ///             world.despawn(target);
    ///         }
    ///     });
    /// }
    /// # let mut app = App::new();
    /// # app.add_plugins(ServerPlugin::alone()).replicate::<Target>().net_event::<Shot>().add_observer(on_shot);
    /// # app.update();
    /// ```
    fn rewind<R>(&mut self, client: Entity, look: impl FnOnce(&mut World) -> R) -> Option<R>;
}

impl RewindWorld for World {
    fn rewind<R>(&mut self, client: Entity, look: impl FnOnce(&mut World) -> R) -> Option<R> {
        let connection = self.get_resource::<Connections>()?.id(client)?;
        let mut registry = mem::take(&mut *self.resource_mut::<Registry>());
        ServerParts::lend(self, |parts| {
            for known in registry.iter_mut() {
                known.rewind(parts, connection);
            }
        });
        *self.resource_mut::<Registry>() = registry;
        self.trigger(Rewound { is_past: true });
        let result = look(self);
        let mut registry = mem::take(&mut *self.resource_mut::<Registry>());
        self.resource_scope(|world, entities: Mut<NetEntities>| {
            for known in registry.iter_mut() {
                known.end_rewind(world, &entities);
            }
        });
        *self.resource_mut::<Registry>() = registry;
        self.trigger(Rewound { is_past: false });
        Some(result)
    }
}
