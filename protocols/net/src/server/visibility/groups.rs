//! Groups that read fields: the group of each object, and the members of each group.

use syncvar_runtime::interest::Tag;
use syncvar_runtime::ordered::Relation;
use syncvar_runtime::schema::Role;
use syncvar_runtime::{ConnectionId, NetId, ObjectError};

use crate::server::NetworkServer;
use crate::server::api::rooms::Rooms;
use crate::server::objects::Objects;
use crate::server::objects::replicated::State;
use crate::server::visibility::owner_state::ReadableChange;

/// Groups of objects and connections.
#[derive(Debug, Default)]
pub(in crate::server) struct Groups {
    /// The tag of an object, at most one.
    objects: Relation<NetId, Tag>,
    members: Relation<ConnectionId, Tag>,
}

impl Groups {
    /// Returns the group of an object.
    pub(in crate::server) fn of(&self, object: NetId) -> Option<Tag> {
        self.objects.rights().of(object).next()
    }

    /// Returns the objects of a group, ascending.
    fn objects(&self, tag: Tag) -> impl Iterator<Item = NetId> {
        self.objects.lefts().of(tag)
    }

    /// Returns the members of a group, ascending.
    pub(in crate::server) fn members(&self, tag: Tag) -> impl Iterator<Item = ConnectionId> {
        self.members.lefts().of(tag)
    }

    /// Returns whether a connection is a member of a group.
    pub(in crate::server) fn contain(&self, tag: Tag, connection: ConnectionId) -> bool {
        self.members.contains(connection, tag)
    }

    /// Returns whether no object has a group.
    pub(in crate::server) fn is_empty(&self) -> bool {
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

    fn set(&mut self, object: NetId, tag: Option<Tag>) {
        self.objects.forget(object);
        if let Some(tag) = tag {
            self.objects.insert(object, tag);
        }
    }

    pub(in crate::server) fn forget_object(&mut self, object: NetId) {
        self.objects.forget(object);
    }

    pub(in crate::server) fn forget_connection(&mut self, connection: ConnectionId) {
        self.members.forget(connection);
    }
}

impl NetworkServer {
    /// Sets or removes the group of an object. Its fields with `#[sync_var(read = group)]` travel to the
    /// owner and to the observers that are [members](Self::join_group) of the group. Without a group the
    /// owner alone reads them.
    ///
    /// Pending changes of the object are sent at once, to the former readers. Then each new reader receives
    /// the values of these fields, and each former one sets them to the values of the prefab, with hooks
    /// and [`ClientEvent::Changed`](crate::ClientEvent::Changed). Costs time in proportion to the members
    /// of both groups.
    ///
    /// The [interest management](syncvar_runtime::InterestManagement) decides whether a connection sees
    /// the object; a group decides about fields of a visible object.
    ///
    /// ```
    /// use syncvar::prelude::*;
    /// use syncvar::interest::Tag;
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Tank {
    ///     #[sync_var]
    ///     heading: SyncVar<f32>,
    ///     #[sync_var(read = group)]
    ///     ammunition: SyncVar<u32>,
    /// }
    ///
    /// const RED: Tag = Tag(1);
    ///
    /// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Tank>("tank"));
    /// net.connect(); // a second client
    /// let tank = net.server.spawn(Tank { ammunition: 40.into(), ..Tank::default() });
    /// net.server.set_group(tank, Some(RED)).unwrap();
    /// net.server.join_group(net.connection(0), RED).unwrap();
    /// net.settle();
    /// assert_eq!(net.client(0).get::<Tank>(tank).unwrap().ammunition, 40);
    /// assert_eq!(net.client(1).get::<Tank>(tank).unwrap().ammunition, 0); // never sent
    /// ```
    ///
    /// # Errors
    ///
    /// When the object does not exist.
    pub fn set_group(&mut self, id: NetId, group: Option<Tag>) -> Result<(), ObjectError> {
        self.objects.world.expect_object(id)?;
        let former = self.visibility.groups.of(id);
        if former != group {
            let tags = former.into_iter().chain(group);
            let groups = &self.visibility.groups;
            let concerned: Vec<_> = tags.flat_map(|tag| groups.members(tag)).collect();
            self.regroup(&[id], &concerned, |groups| groups.set(id, group));
        }
        Ok(())
    }

    /// Returns the group of an object.
    pub fn group(&self, id: NetId) -> Option<Tag> {
        self.visibility.groups.of(id)
    }

    /// Adds a connection to a group: it reads the fields with `#[sync_var(read = group)]` of the group's
    /// objects that it observes. A connection may join any number of groups, and leaves them when it
    /// closes. Costs time in proportion to the objects of the group. See [`set_group`](Self::set_group).
    ///
    /// # Errors
    ///
    /// When the connection is not connected.
    pub fn join_group(&mut self, connection: ConnectionId, group: Tag) -> Result<(), ObjectError> {
        self.sessions.expect(connection)?;
        if !self.is_in_group(connection, group) {
            let objects: Vec<_> = self.visibility.groups.objects(group).collect();
            self.regroup(&objects, &[connection], |groups| {
                groups.members.insert(connection, group);
            });
        }
        Ok(())
    }

    /// Removes a connection from a group, if it is a member.
    ///
    /// # Errors
    ///
    /// When the connection is not connected.
    pub fn leave_group(&mut self, connection: ConnectionId, group: Tag) -> Result<(), ObjectError> {
        self.sessions.expect(connection)?;
        if self.is_in_group(connection, group) {
            let objects: Vec<_> = self.visibility.groups.objects(group).collect();
            self.regroup(&objects, &[connection], |groups| {
                groups.members.remove(connection, group);
            });
        }
        Ok(())
    }

    /// Returns the members of a group, ascending.
    ///
    /// ```
    /// use syncvar::prelude::*;
    /// use syncvar::interest::Tag;
    ///
    /// const RED: Tag = Tag(1);
    ///
    /// let mut net = MemoryNetwork::pair(Prefabs::new);
    /// let ann = net.connection(0);
    /// net.server.join_group(ann, RED)?;
    /// assert!(net.server.members_of(RED).eq([ann]));
    /// assert!(net.server.groups_of(ann).eq([RED]));
    /// # Ok::<(), syncvar::error::ObjectError>(())
    /// ```
    pub fn members_of(&self, group: Tag) -> impl Iterator<Item = ConnectionId> {
        self.visibility.groups.members(group)
    }

    /// Returns the groups of a connection, ascending.
    pub fn groups_of(&self, connection: ConnectionId) -> impl Iterator<Item = Tag> {
        self.visibility.groups.members.rights().of(connection)
    }

    /// Returns whether a connection is a member of a group.
    pub fn is_in_group(&self, connection: ConnectionId, group: Tag) -> bool {
        self.visibility.groups.contain(group, connection)
    }

    /// Returns the role of a connection for an object.
    pub(crate) fn role(&self, id: NetId, connection: ConnectionId) -> Role {
        self.visibility.groups.role(&self.objects, id, connection)
    }

    /// Divides connections by their roles for an object.
    pub(in crate::server) fn divide_by_role(
        &self,
        id: NetId,
        connections: impl Iterator<Item = ConnectionId>,
    ) -> [(Role, Vec<ConnectionId>); 3] {
        let roles = [Role::Observer, Role::Member, Role::Owner];
        let mut parts = roles.map(|role| (role, Vec::new()));
        for connection in connections {
            let role = self.role(id, connection);
            let part = parts.iter_mut().find(|(other, _)| *other == role);
            if let Some((_, part)) = part {
                part.push(connection);
            }
        }
        parts
    }

    /// Returns whether the object has a group and fields for it.
    pub(in crate::server) fn is_grouped(&self, id: NetId) -> bool {
        !self.visibility.groups.is_empty()
            && self.visibility.groups.of(id).is_some()
            && self
                .objects
                .policy(id)
                .is_some_and(|policy| policy.group != 0)
    }

    /// Returns the announced objects with a group and fields for it, ascending.
    pub(in crate::server) fn grouped_objects(&self) -> Vec<NetId> {
        let groups = &self.visibility.groups;
        if groups.is_empty() {
            return Vec::new();
        }
        let objects = self.objects.world.objects.iter();
        let announced = objects.filter(|(_, replicated)| replicated.is(State::Announced));
        announced
            .map(|(number, _)| NetId(number))
            .filter(|id| self.is_grouped(*id))
            .collect()
    }

    /// Changes groups. Observers of these objects, among the connections, receive the fields that they
    /// read from then on, and reset the ones that they read no more.
    fn regroup(
        &mut self,
        objects: &[NetId],
        connections: &[ConnectionId],
        change: impl FnOnce(&mut Groups),
    ) {
        let mut observers = Vec::new();
        for id in objects {
            if self
                .objects
                .policy(*id)
                .is_none_or(|policy| policy.group == 0)
            {
                continue;
            }
            self.hide_at_once(*id);
            let observing = connections.iter().filter(|it| self.observes(*id, **it));
            let observing: Vec<_> = observing.map(|it| (*it, self.role(*id, *it))).collect();
            if !observing.is_empty() {
                // A change belongs to those who are in the group when it is made.
                self.flush_restricted(*id);
                observers.push((*id, observing));
            }
        }
        change(&mut self.visibility.groups);
        self.visibility.audiences.forget_groups();
        if !observers.is_empty() {
            // Earlier messages go first.
            self.deliver();
        }
        for (id, observing) in observers {
            for (connection, former) in observing {
                let change = match (former, self.role(id, connection)) {
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
                let Rooms {
                    mut ground,
                    visibility,
                    ..
                } = self.rooms();
                visibility.send_owner_state(&mut ground, connection, id, &change);
            }
        }
    }

    /// Returns whether a remote connection observes an announced object.
    fn observes(&self, id: NetId, connection: ConnectionId) -> bool {
        let replicated = self.objects.world.objects.get(id.0);
        let announced = replicated.filter(|replicated| replicated.is(State::Announced));
        announced.is_some_and(|replicated| {
            let audience = self.visibility.audiences.get(replicated.audience);
            audience.observes(connection)
        })
    }
}
