//! Rules of entities and of connections, as components.

use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use syncvar::error::ObjectError;
use syncvar::interest::Tag;
use syncvar::{Budget, ConnectionId, NetId, NetworkServer};

use super::interest::{set_open, set_room};
use crate::{Connection, Connections, Net, Server};

/// Connections that receive a [`Replicated`](crate::Replicated) entity; all others do not. It goes before the
/// [`Interest`](super::Interest).
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_syncvar::prelude::*;
/// # use bevy_syncvar::OnlyFor;
/// # let mut world = World::new();
/// # let connection = world.spawn_empty().id();
/// world.spawn((Replicated, OnlyFor(vec![connection])));
/// ```
#[derive(Component, Clone, Debug, Default, PartialEq, Eq)]
pub struct OnlyFor(pub Vec<Entity>);

/// Group of an entity: its members read the fields with `#[sync_var(read = group)]`.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group(pub Tag);

/// Room of an entity: with [`Interest::Rooms`](super::Interest::Rooms) and [`Interest::Grid`](super::Interest::Grid) only the
/// connections with its tag in their [`Groups`] receive the entity.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room(pub Tag);

/// Priority of an entity for connections with a [`NetBudget`]: 1 by default. Under load, an entity of priority 2 is sent
/// twice as often as an entity of priority 1.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub struct Priority(pub f32);

/// Groups and rooms of a [`Connection`].
#[derive(Component, Clone, Debug, Default, PartialEq, Eq)]
pub struct Groups(pub Vec<Tag>);

/// Budget of a [`Connection`]: the bytes that it receives in one frame. The rest follows by [`Priority`] and age.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub struct NetBudget(pub Budget);

/// A component of an entity that sets a property of its object; `None` without the component.
pub(crate) trait EntityRule: Component + Sized {
    fn apply(
        rule: Option<&Self>,
        id: NetId,
        server: &mut NetworkServer,
        connections: &Connections,
    ) -> Result<(), ObjectError>;
}

impl EntityRule for OnlyFor {
    fn apply(
        rule: Option<&Self>,
        id: NetId,
        server: &mut NetworkServer,
        connections: &Connections,
    ) -> Result<(), ObjectError> {
        let Some(Self(entities)) = rule else {
            return server.show_by_interest(id);
        };
        server.hide_from_all(id)?;
        let present = entities.iter();
        for connection in present.filter_map(|entity| connections.id(*entity)) {
            server.show(id, connection)?;
        }
        Ok(())
    }
}

impl EntityRule for Group {
    fn apply(
        rule: Option<&Self>,
        id: NetId,
        server: &mut NetworkServer,
        _: &Connections,
    ) -> Result<(), ObjectError> {
        server.set_group(id, rule.map(|rule| rule.0))
    }
}

impl EntityRule for Room {
    fn apply(
        rule: Option<&Self>,
        id: NetId,
        server: &mut NetworkServer,
        _: &Connections,
    ) -> Result<(), ObjectError> {
        if !set_room(server, id, rule.map(|rule| rule.0)) && rule.is_some() {
            tracing::warn!(%id, "a room has no effect: the plugin's `interest` has no rooms");
        }
        Ok(())
    }
}

impl EntityRule for Priority {
    fn apply(
        rule: Option<&Self>,
        id: NetId,
        server: &mut NetworkServer,
        _: &Connections,
    ) -> Result<(), ObjectError> {
        server.set_priority(id, rule.map_or(1.0, |rule| rule.0))
    }
}

/// A component of a connection that sets a property of it; `None` without the component.
pub(crate) trait ConnectionRule: Component + Sized {
    fn apply(
        rule: Option<&Self>,
        id: ConnectionId,
        server: &mut NetworkServer,
    ) -> Result<(), ObjectError>;
}

impl ConnectionRule for Groups {
    fn apply(
        rule: Option<&Self>,
        id: ConnectionId,
        server: &mut NetworkServer,
    ) -> Result<(), ObjectError> {
        let wanted = rule.map_or(&[][..], |rule| &rule.0);
        let former: Vec<Tag> = server.groups_of(id).collect();
        for tag in former.iter().filter(|tag| !wanted.contains(tag)) {
            server.leave_group(id, *tag)?;
            set_open(server, id, *tag, false);
        }
        for tag in wanted.iter().filter(|tag| !former.contains(tag)) {
            server.join_group(id, *tag)?;
            set_open(server, id, *tag, true);
        }
        Ok(())
    }
}

impl ConnectionRule for NetBudget {
    fn apply(
        rule: Option<&Self>,
        id: ConnectionId,
        server: &mut NetworkServer,
    ) -> Result<(), ObjectError> {
        server.set_budget(id, rule.map(|rule| rule.0))
    }
}

type ChangedRule<T, R> = Or<(Changed<R>, Changed<T>)>;

/// Entities with a rule that has changed, or without a rule that they had.
#[derive(SystemParam)]
pub(crate) struct EntityRules<'w, 's, R: EntityRule> {
    changed: Query<'w, 's, (&'static Net, &'static R), ChangedRule<Net, R>>,
    removed: RemovedComponents<'w, 's, R>,
    without: Query<'w, 's, &'static Net, Without<R>>,
}

impl<R: EntityRule> EntityRules<'_, '_, R> {
    fn apply(&mut self, server: &mut NetworkServer, connections: &Connections) {
        let mut set = |net: &Net, rule: Option<&R>| {
            if net.id() != NetId::NONE
                && let Err(error) = R::apply(rule, net.id(), server, connections)
            {
                tracing::warn!(id = %net.id(), %error, "a rule of an entity has no effect");
            }
        };
        for entity in self.removed.read() {
            if let Ok(net) = self.without.get(entity) {
                set(net, None);
            }
        }
        for (net, rule) in &self.changed {
            set(net, Some(rule));
        }
    }
}

/// Connections with a rule that has changed, or without a rule that they had.
#[derive(SystemParam)]
pub(crate) struct ConnectionRules<'w, 's, R: ConnectionRule> {
    changed: Query<'w, 's, (&'static Connection, &'static R), ChangedRule<Connection, R>>,
    removed: RemovedComponents<'w, 's, R>,
    without: Query<'w, 's, &'static Connection, Without<R>>,
}

impl<R: ConnectionRule> ConnectionRules<'_, '_, R> {
    fn apply(&mut self, server: &mut NetworkServer) {
        let mut set = |connection: &Connection, rule: Option<&R>| {
            let id = connection.id();
            if let Err(error) = R::apply(rule, id, server) {
                tracing::warn!(%id, %error, "a rule of a connection has no effect");
            }
        };
        for entity in self.removed.read() {
            if let Ok(connection) = self.without.get(entity) {
                set(connection, None);
            }
        }
        for (connection, rule) in &self.changed {
            set(connection, Some(rule));
        }
    }
}

type ObjectRules<'w, 's> = (
    EntityRules<'w, 's, OnlyFor>,
    EntityRules<'w, 's, Group>,
    EntityRules<'w, 's, Room>,
    EntityRules<'w, 's, Priority>,
);

/// Sets the properties of objects and connections whose rules have changed.
pub(crate) fn collect_rules(
    mut server: ResMut<Server>,
    connections: Res<Connections>,
    mut objects: ObjectRules<'_, '_>,
    mut groups: ConnectionRules<'_, '_, Groups>,
    mut budgets: ConnectionRules<'_, '_, NetBudget>,
) {
    let server = &mut **server;
    let (only_for, group, room, priority) = &mut objects;
    only_for.apply(server, &connections);
    group.apply(server, &connections);
    room.apply(server, &connections);
    priority.apply(server, &connections);
    groups.apply(server);
    budgets.apply(server);
}
