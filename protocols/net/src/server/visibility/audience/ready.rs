//! Effects of readiness and of areas on audiences.

use super::members::Members;
use super::{Area, AudienceId, Audiences, ConnectionId};
use crate::Framing;

impl Audiences {
    /// Adds a ready connection to all its audiences, in its framing.
    pub(crate) fn add_ready(&mut self, connection: ConnectionId, framing: Framing) {
        if self.framing(connection) == Some(framing) {
            return;
        }
        self.remove_ready(connection);
        self.forget_groups();
        let everyone = self.get_mut(Self::EVERYONE);
        everyone.of_mut(framing).list(connection, true);
        for id in self.candidates(connection) {
            self.list(id, connection);
        }
    }

    /// Removes a connection from the ready members.
    pub(crate) fn remove_ready(&mut self, connection: ConnectionId) {
        let Some(framing) = self.framing(connection) else {
            return;
        };
        for id in self.candidates(connection) {
            self.get_mut(id).of_mut(framing).list(connection, false);
        }
    }

    /// Adds an area to the view of a connection, and appends the audiences it joins to `changed`:
    /// none unless it is ready. Unsent bytes of these audiences reach it with
    /// [`drain`](Self::drain).
    pub(crate) fn reveal(
        &mut self,
        connection: ConnectionId,
        area: Area,
        changed: &mut Vec<AudienceId>,
    ) {
        self.set_view_of_area(connection, area, true, changed);
    }

    /// Removes an area from the view of a connection, and appends the audiences it leaves to
    /// `changed`: none unless it is ready. Their unsent bytes do not reach it.
    pub(crate) fn conceal(
        &mut self,
        connection: ConnectionId,
        area: Area,
        changed: &mut Vec<AudienceId>,
    ) {
        self.set_view_of_area(connection, area, false, changed);
    }

    /// Lets one connection see all areas, and none by name; `None` for no connection. It is not ready.
    pub(crate) fn set_everywhere(&mut self, connection: Option<ConnectionId>) {
        self.area_viewers.set_everywhere(connection);
    }

    /// Returns whether a connection sees an area, ready or not.
    pub(crate) fn sees(&self, connection: ConnectionId, area: Area) -> bool {
        self.area_viewers.sees(connection, area)
    }

    /// Removes a closed connection from all areas and members. Audiences may become equal then.
    /// Returns the duplicates, ascending, and their replacements, so that objects with equal
    /// observers share one audience again.
    ///
    /// Unsent bytes of a duplicate still reach its members, which are the same, with the next
    /// [`drain`](Self::drain).
    pub(crate) fn forget(&mut self, connection: ConnectionId) -> Vec<(AudienceId, AudienceId)> {
        self.remove_ready(connection);
        self.forget_parts();
        let seen: Vec<_> = self.area_viewers.areas(connection).collect();
        for area in seen {
            self.area_viewers.set(connection, area, false);
        }
        let mentions: Vec<_> = self.mentioning(connection).collect();
        let mut merged = Vec::new();
        for id in mentions {
            let edit = |members: &mut Members| members.forget(connection);
            let found = self.edit(id, connection, edit);
            if found != id && self.get(id).users > 0 {
                merged.push((id, found));
            }
        }
        merged
    }

    fn set_view_of_area(
        &mut self,
        connection: ConnectionId,
        area: Area,
        sees: bool,
        changed: &mut Vec<AudienceId>,
    ) {
        if !self.area_viewers.set(connection, area, sees) || self.framing(connection).is_none() {
            return;
        }
        let based: Vec<_> = self.based_on(area).collect();
        changed.extend(based.into_iter().filter(|id| self.list(*id, connection)));
    }

    /// Returns the framing of a ready connection.
    fn framing(&self, connection: ConnectionId) -> Option<Framing> {
        let everyone = self.get(Self::EVERYONE);
        if everyone.unet.contain(connection) {
            Some(Framing::Unet)
        } else {
            let speaks = everyone.compact.contain(connection);
            speaks.then_some(Framing::Compact)
        }
    }

    /// Returns a superset of a connection's audiences, some twice.
    fn candidates(&self, connection: ConnectionId) -> Vec<AudienceId> {
        let areas = self.area_viewers.areas(connection);
        let based = areas.flat_map(|area| self.based_on(area));
        let sees_all = self.area_viewers.sees_all(connection);
        let all_based = self.area_based.iter().filter(|_| sees_all);
        let everyone_based = self.everyone_based.iter();
        everyone_based
            .chain(self.mentioning(connection))
            .chain(based)
            .chain(all_based.map(|(_, audience)| audience))
            .collect()
    }

    /// Adds a ready connection to the ready members of an audience, or removes it, by its
    /// membership. Returns whether the list changed.
    pub(super) fn list(&mut self, id: AudienceId, connection: ConnectionId) -> bool {
        let Some(framing) = self.framing(connection) else {
            return false;
        };
        let belongs = self.admits(id, connection);
        let observers = self.get_mut(id).of_mut(framing);
        observers.list(connection, belongs)
    }
}
