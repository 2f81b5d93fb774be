//! Groups that read fields.

use syncvar_runtime::interest::Tag;
use syncvar_runtime::{ConnectionId, NetId, ObjectError};

use crate::server::NetworkServer;
use crate::server::api::rooms::Rooms;
use crate::server::visibility::groups::Groups;

impl NetworkServer {
    /// Sets or removes the group of an object. Its fields with `#[sync_var(read = group)]` travel to the
    /// owner and to the observers that are [members](Self::join_group) of the group. Without a group the
    /// owner alone reads them.
    ///
    /// Pending changes of the object are sent at once, to the present readers. Then each new reader receives
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
            self.objects.note_facts(id);
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

    /// Changes groups. Observers of these objects, among the connections, receive the fields that they
    /// read from then on, and reset the fields that they read no more.
    fn regroup(
        &mut self,
        objects: &[NetId],
        connections: &[ConnectionId],
        change: impl FnOnce(&mut Groups),
    ) {
        let Rooms {
            mut ground,
            visibility,
            replication,
            ..
        } = self.rooms();
        let mut observers = Vec::new();
        for id in objects.iter().copied() {
            let policy = ground.objects.policy(id);
            if policy.is_none_or(|policy| policy.group == 0) {
                continue;
            }
            visibility.hide_at_once(&mut ground, id);
            let observing = visibility.roles_of(ground.objects, id, connections);
            if !observing.is_empty() {
                // A change belongs to the members of the group at the time of the change.
                replication.flush_restricted(&mut ground, visibility, id);
                observers.push((id, observing));
            }
        }
        change(&mut visibility.groups);
        visibility.audiences.forget_groups();
        if !observers.is_empty() {
            // Earlier messages go first.
            visibility.deliver(&mut ground);
        }
        for (id, observing) in observers {
            visibility.send_group_changes(&mut ground, id, &observing);
        }
    }
}
