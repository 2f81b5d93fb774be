//! Finding the audience of certain members, or making it.

use std::sync::Arc;

use super::listeners::Listeners;
use super::members::{Members, View};
use super::{Audience, AudienceId, Audiences, Base, ConnectionId};

impl Audiences {
    /// The audience that differs from this one by what is said about one connection: it is shown or
    /// hidden, whatever areas it sees. It is for an object that names this audience and will name
    /// that one instead. If no other object does, and nobody waits for what was written, this one is
    /// changed: many steps in a row then copy no set.
    pub(in crate::server) fn with(
        &mut self,
        id: AudienceId,
        connection: ConnectionId,
        visible: bool,
    ) -> AudienceId {
        self.change(id, connection, Some(View::new(visible)))
    }

    /// The audience that differs from this one in that a connection does not belong to it. As long as
    /// no object names it, it is there until the next [`drain`](Self::drain); this one stays as it is.
    pub(in crate::server) fn without(
        &mut self,
        id: AudienceId,
        connection: ConnectionId,
    ) -> AudienceId {
        let view = Some(View::new(false));
        let members = &self.get(id).members;
        if !members.would_change(connection, view) {
            return id;
        }
        let mut members = Members::clone(members);
        members.set_view(connection, view);
        if let Some(found) = self.by_members.get(&members) {
            return self.borrow(*found);
        }
        let made = self.make(members);
        self.copy_ready(id, made);
        self.list(made, connection);
        self.borrow(made)
    }

    /// The audience of one connection. As long as no object names it, it is there until the next
    /// [`drain`](Self::drain).
    pub(in crate::server) fn only(&mut self, connection: ConnectionId) -> AudienceId {
        let mut members = Members::new(Base::Nobody);
        members.set_view(connection, Some(View::new(true)));
        if let Some(found) = self.by_members.get(&members) {
            return self.borrow(*found);
        }
        let made = self.make(members);
        self.list(made, connection);
        self.borrow(made)
    }

    /// The audience of these connections, whatever they see. An object is about to name it.
    pub(in crate::server) fn exactly(&mut self, connections: &[ConnectionId]) -> AudienceId {
        let mut members = Members::new(Base::Nobody);
        for connection in connections {
            members.set_view(*connection, Some(View::new(true)));
        }
        if let Some(found) = self.by_members.get(&members) {
            return *found;
        }
        let made = self.make(members);
        self.list_all(made, connections);
        made
    }

    /// An audience that is going to be written to, whether an object names it or not.
    fn borrow(&mut self, id: AudienceId) -> AudienceId {
        if self.get(id).users == 0 && !Self::is_permanent(id) && self.unused.last() != Some(&id) {
            self.unused.push(id);
        }
        id
    }

    /// As [`with`](Self::with), but nothing is said about the connection any more: it belongs if the
    /// base has it, or if it is the owner.
    pub(in crate::server) fn restore(
        &mut self,
        id: AudienceId,
        connection: ConnectionId,
    ) -> AudienceId {
        self.change(id, connection, None)
    }

    /// The audience with another base and owner, where the same connections are shown and hidden,
    /// and also shown are these others. An owner makes a difference to areas only, as do those who
    /// are shown to everyone or hidden from nobody: they are not kept.
    pub(in crate::server) fn rebase(
        &mut self,
        id: AudienceId,
        base: Base,
        owner: Option<ConnectionId>,
        shown: &[ConnectionId],
    ) -> AudienceId {
        let members = &self.get(id).members;
        if members.are_based(base, owner) && shown.is_empty() {
            return id;
        }
        let members = members.rebased(base, owner, shown);
        if let Some(found) = self.by_members.get(&members) {
            return *found;
        }
        let named: Vec<_> = members.named().collect();
        let made = self.make(members);
        match base {
            Base::Everyone => self.copy_ready(Self::EVERYONE, made),
            Base::Nobody => {}
            Base::Area(area) => {
                let viewers: Vec<_> = self.sight.viewers(area).collect();
                self.list_all(made, &viewers);
            }
        }
        self.list_all(made, &named);
        made
    }

    fn change(
        &mut self,
        id: AudienceId,
        connection: ConnectionId,
        view: Option<View>,
    ) -> AudienceId {
        let audience = self.get(id);
        if !audience.members.would_change(connection, view) {
            return id;
        }
        if audience.users == 1 && !audience.touched && !Self::is_permanent(id) {
            let edit = |members: &mut Members| members.set_view(connection, view);
            let found = self.edit(id, connection, edit);
            self.list(id, connection);
            return found;
        }
        let mut members = Members::clone(&audience.members);
        members.set_view(connection, view);
        if let Some(found) = self.by_members.get(&members) {
            return *found;
        }
        let made = self.make(members);
        self.copy_ready(id, made);
        self.list(made, connection);
        made
    }

    /// A new audience, in which nobody is listed yet.
    pub(super) fn make(&mut self, members: Members) -> AudienceId {
        let id = self.free.pop().unwrap_or_else(|| {
            let count = u32::try_from(self.all.len());
            AudienceId(count.expect("fewer than 4 294 967 296 audiences"))
        });
        self.naming.extend(members.named().map(|c| (c, id)));
        match members.base() {
            Base::Everyone => self.excepting.insert(id),
            Base::Area(area) => self.based.insert((area, id)),
            Base::Nobody => false,
        };
        let members = Arc::new(members);
        self.by_members.insert(Arc::clone(&members), id);
        if let Some(audience) = self.all.get_mut(id.index()) {
            audience.members = members;
            audience.free = false;
        } else {
            self.all.push(Audience {
                members,
                unet: Listeners::default(),
                compact: Listeners::default(),
                touched: false,
                free: false,
                users: 0,
            });
        }
        id
    }

    /// Changes what is said about a connection in an audience, but not who is listed. Returns the
    /// audience that is found by these members now: another one, if it had them before.
    pub(super) fn edit(
        &mut self,
        id: AudienceId,
        connection: ConnectionId,
        edit: impl FnOnce(&mut Members),
    ) -> AudienceId {
        let members = &mut self.all[id.index()].members;
        if self.by_members.get(members) == Some(&id) {
            self.by_members.remove(members);
        }
        edit(Arc::make_mut(members));
        if members.name(connection) {
            self.naming.insert((connection, id));
        } else {
            self.naming.remove(&(connection, id));
        }
        *self.by_members.entry(Arc::clone(members)).or_insert(id)
    }

    /// Lists in one audience those who are listed in another.
    fn copy_ready(&mut self, from: AudienceId, to: AudienceId) {
        let from = self.get(from);
        let (unet, compact) = (from.unet.ready.clone(), from.compact.ready.clone());
        let to = self.get_mut(to);
        (to.unet.ready, to.compact.ready) = (unet, compact);
    }

    fn list_all(&mut self, id: AudienceId, connections: &[ConnectionId]) {
        for connection in connections {
            self.list(id, *connection);
        }
    }
}
