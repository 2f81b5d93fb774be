//! Groups that read fields: groups of objects, and members of groups.

use syncvar_runtime::interest::Tag;
use syncvar_runtime::schema::Role;
use syncvar_runtime::unstable::ordered::Relation;
use syncvar_runtime::{ConnectionId, NetId};

use crate::server::ground::Ground;
use crate::server::objects::Objects;
use crate::server::objects::replicated::State;
use crate::server::visibility::Visibility;
use crate::server::visibility::owner_state::ReadableChange;

/// Groups of objects and connections.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    /// The tag of an object, at most one.
    objects: Relation<NetId, Tag>,
    pub(crate) members: Relation<ConnectionId, Tag>,
}

impl Groups {
    /// Returns the group of an object.
    pub(crate) fn of(&self, object: NetId) -> Option<Tag> {
        self.objects.rights().of(object).next()
    }

    /// Returns the objects of a group, ascending.
    pub(crate) fn objects(&self, tag: Tag) -> impl Iterator<Item = NetId> {
        self.objects.lefts().of(tag)
    }

    /// Returns the members of a group, ascending.
    pub(crate) fn members(&self, tag: Tag) -> impl Iterator<Item = ConnectionId> {
        self.members.lefts().of(tag)
    }

    /// Returns whether a connection is a member of a group.
    pub(crate) fn contain(&self, tag: Tag, connection: ConnectionId) -> bool {
        self.members.contains(connection, tag)
    }

    /// Returns whether no object has a group.
    pub(crate) fn is_empty(&self) -> bool {
        self.objects.rights().is_empty()
    }

    /// Returns the role of a connection for an object.
    pub(crate) fn role(&self, objects: &Objects, id: NetId, connection: ConnectionId) -> Role {
        let replicated = objects.world.objects.get(id.0);
        if replicated.is_some_and(|replicated| replicated.owner == Some(connection)) {
            Role::Owner
        } else if !self.is_empty() && { self.of(id) }
            .is_some_and(|tag| self.contain(tag, connection))
        {
            Role::Member
        } else {
            Role::Observer
        }
    }

    /// Divides connections by their roles for an object.
    pub(crate) fn divide_by_role(
        &self,
        objects: &Objects,
        id: NetId,
        connections: impl Iterator<Item = ConnectionId>,
    ) -> [(Role, Vec<ConnectionId>); 3] {
        let roles = [Role::Observer, Role::Member, Role::Owner];
        let mut parts = roles.map(|role| (role, Vec::new()));
        for connection in connections {
            let role = self.role(objects, id, connection);
            let part = parts.iter_mut().find(|(other, _)| *other == role);
            if let Some((_, part)) = part {
                part.push(connection);
            }
        }
        parts
    }

    /// Returns the announced objects with a group and fields for it, ascending.
    pub(crate) fn announced_objects(&self, objects: &Objects) -> Vec<NetId> {
        if self.is_empty() {
            return Vec::new();
        }
        let all = objects.world.objects.iter();
        let announced = all.filter(|(_, replicated)| replicated.is(State::Announced));
        let has_fields = |id: &NetId| {
            let policy = objects.policy(*id);
            self.of(*id).is_some() && policy.is_some_and(|policy| policy.group != 0)
        };
        announced
            .map(|(number, _)| NetId(number))
            .filter(has_fields)
            .collect()
    }

    /// Sets or removes the group of an object.
    pub(crate) fn set(&mut self, object: NetId, tag: Option<Tag>) {
        self.objects.forget(object);
        if let Some(tag) = tag {
            self.objects.insert(object, tag);
        }
    }

    pub(crate) fn forget_object(&mut self, object: NetId) {
        self.objects.forget(object);
    }

    pub(crate) fn forget_connection(&mut self, connection: ConnectionId) {
        self.members.forget(connection);
    }
}

impl Visibility {
    /// Returns the observers of an announced object among some connections, with their roles.
    pub(crate) fn roles_of(
        &self,
        objects: &Objects,
        id: NetId,
        connections: &[ConnectionId],
    ) -> Vec<(ConnectionId, Role)> {
        let Some(replicated) = objects.announced(id) else {
            return Vec::new();
        };
        let audience = self.audiences.get(replicated.audience);
        let observing = connections.iter().filter(|it| audience.observes(**it));
        let role = |it: &ConnectionId| (*it, self.groups.role(objects, id, *it));
        observing.map(role).collect()
    }

    /// Sends observers with changed roles the fields of an object's group that they read from now on, or the end of the
    /// group.
    pub(crate) fn send_group_changes(
        &mut self,
        ground: &mut Ground<'_>,
        id: NetId,
        observers: &[(ConnectionId, Role)],
    ) {
        for (connection, former) in observers.iter().copied() {
            let role = self.groups.role(ground.objects, id, connection);
            let change = match (former, role) {
                (Role::Observer, Role::Member) => ReadableChange {
                    fields: &|info| info.policy.group,
                    ..ReadableChange::NONE
                },
                (Role::Member, Role::Observer) => ReadableChange {
                    leaves_group: true,
                    ..ReadableChange::NONE
                },
                _ => continue,
            };
            self.send_owner_state(ground, connection, id, &change);
        }
    }
}
