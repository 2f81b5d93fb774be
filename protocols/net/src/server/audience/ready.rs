//! Who is ready, who sees what, and what difference it makes to audiences.

use std::collections::BTreeMap;

use super::members::Members;
use super::{Area, AudienceId, Audiences, ConnectionId};
use crate::Framing;

impl Audiences {
    /// A connection has become ready: it joins every audience that admits it, to be written to in
    /// its dialect.
    pub(in crate::server) fn add_ready(&mut self, connection: ConnectionId, framing: Framing) {
        if self.framing(connection) == Some(framing) {
            return;
        }
        self.remove_ready(connection);
        let everyone = self.get_mut(Self::EVERYONE);
        everyone.speaking(framing).list(connection, true);
        for id in self.concerned(connection) {
            self.list(id, connection);
        }
    }

    /// A connection is no longer ready.
    pub(in crate::server) fn remove_ready(&mut self, connection: ConnectionId) {
        let Some(framing) = self.framing(connection) else {
            return;
        };
        for id in self.concerned(connection) {
            self.get_mut(id).speaking(framing).list(connection, false);
        }
    }

    /// A connection sees an area from now on. Appends the audiences that it joins by that to
    /// `changed`; there are none if it is not ready. What was written to them and waits for
    /// [`drain`](Self::drain) goes to it, too.
    pub(in crate::server) fn reveal(
        &mut self,
        connection: ConnectionId,
        area: Area,
        changed: &mut Vec<AudienceId>,
    ) {
        self.set_sight(connection, area, true, changed);
    }

    /// A connection sees an area no longer. Appends the audiences that it leaves by that to
    /// `changed`; there are none if it is not ready. It does not get what waits there.
    pub(in crate::server) fn conceal(
        &mut self,
        connection: ConnectionId,
        area: Area,
        changed: &mut Vec<AudienceId>,
    ) {
        self.set_sight(connection, area, false, changed);
    }

    /// Whether a connection sees an area, ready or not.
    pub(in crate::server) fn sees(&self, connection: ConnectionId, area: Area) -> bool {
        self.sight.sees(connection, area)
    }

    /// A connection is gone and its number will not come back: it sees nothing, and no members name
    /// it. Audiences may then have the same members. Returns those that are to be given up, each
    /// with the one to name instead: objects that everybody sees alike must not stay apart for ever.
    ///
    /// What was written to an audience that is given up still goes to its members, who are the
    /// same, with the next [`drain`](Self::drain).
    pub(in crate::server) fn forget(
        &mut self,
        connection: ConnectionId,
    ) -> BTreeMap<AudienceId, AudienceId> {
        self.remove_ready(connection);
        let seen: Vec<_> = self.sight.areas(connection).collect();
        for area in seen {
            self.sight.set(connection, area, false);
        }
        let naming: Vec<_> = self.naming(connection).collect();
        let mut merged = BTreeMap::new();
        for id in naming {
            let edit = |members: &mut Members| members.forget(connection);
            let found = self.edit(id, connection, edit);
            if found != id && self.get(id).users > 0 {
                merged.insert(id, found);
            }
        }
        merged
    }

    fn set_sight(
        &mut self,
        connection: ConnectionId,
        area: Area,
        sees: bool,
        changed: &mut Vec<AudienceId>,
    ) {
        if !self.sight.set(connection, area, sees) || self.framing(connection).is_none() {
            return;
        }
        let based: Vec<_> = self.based(area).collect();
        changed.extend(based.into_iter().filter(|id| self.list(*id, connection)));
    }

    /// What a connection speaks, if it is ready.
    fn framing(&self, connection: ConnectionId) -> Option<Framing> {
        let everyone = self.get(Self::EVERYONE);
        if everyone.unet.contain(connection) {
            Some(Framing::Unet)
        } else {
            let speaks = everyone.compact.contain(connection);
            speaks.then_some(Framing::Compact)
        }
    }

    /// Every audience that a connection belongs to, and some that it does not belong to; some twice.
    fn concerned(&self, connection: ConnectionId) -> Vec<AudienceId> {
        let areas = self.sight.areas(connection);
        let based = areas.flat_map(|area| self.based(area));
        let excepting = self.excepting.iter().copied();
        excepting
            .chain(self.naming(connection))
            .chain(based)
            .collect()
    }

    /// Lists a connection that is ready in an audience if it belongs to it, and takes it off the
    /// list if not. Returns whether that made a difference.
    pub(super) fn list(&mut self, id: AudienceId, connection: ConnectionId) -> bool {
        let Some(framing) = self.framing(connection) else {
            return false;
        };
        let belongs = self.admits(id, connection);
        let listeners = self.get_mut(id).speaking(framing);
        listeners.list(connection, belongs)
    }
}
