//! An object on the server: its identity, and what the update loop keeps about it.

use std::collections::BTreeMap;
use std::time::Duration;

use super::ConnectionId;
use super::audience::{AudienceId, Audiences};
use crate::NetworkIdentity;

/// An object on the server.
#[derive(Debug)]
pub(super) struct Spawned {
    pub(super) identity: NetworkIdentity,
    pub(super) owner: Option<ConnectionId>,
    /// Who has been sent the object.
    pub(super) audience: AudienceId,
    /// Who should see it, from the next update on.
    pub(super) wanted: AudienceId,
    /// Whether the object has been spawned on the clients of its audience.
    pub(super) announced: bool,
    /// Whether it is in the schedule's list of objects to be shown or hidden.
    pub(super) moved: bool,
    /// When the schedule will look at it again by itself.
    pub(super) wake: Option<Duration>,
    /// Connections that must be sent the full state: they asked for it, or an earlier attempt to
    /// encode it failed.
    pub(super) owed: Vec<ConnectionId>,
    /// Whether some of its changes could not be written when they were last due. Nobody is given the
    /// full state until they can: it would hold those changes, which are still to come as such.
    pub(super) unsent: bool,
    /// The position of its first behaviour in the statistics.
    pub(super) first_behaviour: usize,
}

impl Spawned {
    /// Makes every change part of the state: nobody sees the object.
    pub(super) fn clear_dirty(&mut self) {
        self.identity
            .behaviours
            .for_each_mut(|slot| slot.clear_all_dirty_bits());
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
