//! An object on the server: where its behaviours are, and what the update loop keeps about it.

use std::collections::BTreeMap;
use std::time::Duration;

use super::audience::Audiences;
use crate::AudienceId;
use crate::ConnectionId;
use crate::object::Location;

/// An object on the server. The update loop looks at it for every change, so it is kept short.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "seven facts that hold independently"
)]
pub(super) struct Spawned {
    /// Where its behaviours are.
    pub(super) at: Location,
    /// Who has been sent the object.
    pub(super) audience: AudienceId,
    /// Who should see it, from the next update on.
    pub(super) wanted: AudienceId,
    pub(super) owner: Option<ConnectionId>,
    /// What the writes of the owner must bear: another number each time it is given the object.
    pub(super) lease: u32,
    /// When the schedule will look at it again by itself.
    pub(super) wake: Option<Duration>,
    /// Whether the object has been spawned on the clients of its audience.
    pub(super) announced: bool,
    /// Whether it is in the schedule's list of objects to be shown or hidden.
    pub(super) moved: bool,
    /// Whether its changes are to be written with the next update, send interval or not: somebody is
    /// about to see it.
    pub(super) forced: bool,
    /// Whether the interest management says who sees it.
    pub(super) by_interest: bool,
    /// Whether some connections are owed the full state: they asked for it, or an earlier attempt to
    /// encode it failed. The server's list says which.
    pub(super) owing: bool,
    /// Whether some of its changes could not be written when they were last due. Nobody is given the
    /// full state until they can: it would hold those changes, which are still to come as such.
    pub(super) unsent: bool,
    /// Whether it has a scene id or a parent.
    pub(super) related: bool,
}

impl Spawned {
    /// Whether nothing is to be thought of but its changes.
    #[inline]
    pub(super) fn is_plain(&self) -> bool {
        let special = !self.announced | self.moved | self.forced | self.owing | self.unsent;
        !special & self.wake.is_none()
    }

    /// Names other audiences instead of those that are given up.
    pub(super) fn follow(
        &mut self,
        merged: &BTreeMap<AudienceId, AudienceId>,
        audiences: &mut Audiences,
    ) {
        for named in [&mut self.audience, &mut self.wanted] {
            if let Some(instead) = merged.get(named) {
                audiences.acquire(*instead);
                audiences.release(*named);
                *named = *instead;
            }
        }
    }
}
