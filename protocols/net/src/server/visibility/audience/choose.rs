//! Finding or creating the audience of given members.

use std::sync::Arc;

use super::members::{Members, View};
use super::observers::Observers;
use super::{Audience, AudienceId, Audiences, Base, ConnectionId};

impl Audiences {
    /// Returns the audience with one connection shown or hidden, independent of areas. The caller's
    /// object moves there from audience `id`. If it is the only user and no bytes are unsent, `id`
    /// itself is edited: a series of steps then copies no set.
    pub(crate) fn with(
        &mut self,
        id: AudienceId,
        connection: ConnectionId,
        visible: bool,
    ) -> AudienceId {
        self.change(id, connection, Some(View::new(visible)))
    }

    /// Returns the audience without a connection. It lives until the next [`drain`](Self::drain),
    /// unless an object takes it. Audience `id` stays unchanged.
    pub(crate) fn without(&mut self, id: AudienceId, connection: ConnectionId) -> AudienceId {
        self.apart(id, connection, false)
    }

    /// Returns the audience with one more connection. It lives as long as the result of
    /// [`without`](Self::without).
    pub(crate) fn including(&mut self, id: AudienceId, connection: ConnectionId) -> AudienceId {
        self.apart(id, connection, true)
    }

    fn apart(&mut self, id: AudienceId, connection: ConnectionId, visible: bool) -> AudienceId {
        let view = Some(View::new(visible));
        let members = &self.get(id).members;
        if !members.would_change(connection, view) {
            return id;
        }
        let mut members = Members::clone(members);
        members.set_view(connection, view);
        if let Some(found) = self.by_members.get(&members) {
            return self.keep(*found);
        }
        let made = self.make(members);
        self.copy_ready(id, made);
        self.list(made, connection);
        self.keep(made)
    }

    /// Returns the audience with a single connection. It lives until the next [`drain`](Self::drain),
    /// unless an object takes it.
    pub(crate) fn only(&mut self, connection: ConnectionId) -> AudienceId {
        let mut members = Members::new(Base::Nobody);
        members.set_view(connection, Some(View::new(true)));
        if let Some(found) = self.by_members.get(&members) {
            return self.keep(*found);
        }
        let made = self.make(members);
        self.list(made, connection);
        self.keep(made)
    }

    /// Returns the audience of exactly these connections, for an object that takes it.
    pub(crate) fn exactly(&mut self, connections: &[ConnectionId]) -> AudienceId {
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

    /// Returns the audience of exactly these connections. It lives as long as that of
    /// [`without`](Self::without).
    pub(crate) fn only_these(&mut self, connections: &[ConnectionId]) -> AudienceId {
        let found = self.exactly(connections);
        self.keep(found)
    }

    /// Keeps an audience until the next drain, even without objects.
    fn keep(&mut self, id: AudienceId) -> AudienceId {
        if self.get(id).users == 0 && !Self::is_permanent(id) && self.unused.last() != Some(&id) {
            self.unused.push(id);
        }
        id
    }

    /// Like [`with`](Self::with), but removes the exception: base and owner decide again.
    pub(crate) fn restore(&mut self, id: AudienceId, connection: ConnectionId) -> AudienceId {
        self.change(id, connection, None)
    }

    /// Returns the audience with a new base and owner, the same exceptions, and these connections
    /// shown. Owners matter for areas only. Exceptions that repeat the base are dropped.
    pub(crate) fn rebase(
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
        let named: Vec<_> = members.mentioned().collect();
        let made = self.make(members);
        match base {
            Base::Everyone => self.copy_ready(Self::EVERYONE, made),
            Base::Nobody => {}
            Base::Area(area) => {
                let viewers: Vec<_> = self.area_viewers.viewers(area).collect();
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

    /// Creates an audience without ready members.
    pub(super) fn make(&mut self, members: Members) -> AudienceId {
        let id = self.free.pop().unwrap_or_else(|| {
            let count = u32::try_from(self.all.len());
            AudienceId(count.expect("fewer than 4 294 967 296 audiences"))
        });
        for connection in members.mentioned() {
            self.mentions.insert(connection, id);
        }
        match members.base() {
            Base::Everyone => self.everyone_based.insert(id),
            Base::Area(area) => self.area_based.insert(area, id),
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
                unet: Observers::default(),
                compact: Observers::default(),
                touched: false,
                free: false,
                users: 0,
            });
        }
        id
    }

    /// Edits one connection in the members of an audience, without its ready list. Returns the
    /// audience of these members: another one, if it existed before.
    pub(super) fn edit(
        &mut self,
        id: AudienceId,
        connection: ConnectionId,
        edit: impl FnOnce(&mut Members),
    ) -> AudienceId {
        self.forget_parts_of(id);
        let members = &mut self.all[id.index()].members;
        if self.by_members.get(members) == Some(&id) {
            self.by_members.remove(members);
        }
        edit(Arc::make_mut(members));
        if members.mentions(connection) {
            self.mentions.insert(connection, id);
        } else {
            self.mentions.remove(connection, id);
        }
        *self.by_members.entry(Arc::clone(members)).or_insert(id)
    }

    /// Copies the ready members of an audience to a second audience.
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
