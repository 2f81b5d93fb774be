//! `ObserverView`: the objects as one connection observes them, for its losses.

use syncvar_runtime::{AudienceId, ConnectionId, NetId};

use crate::server::ledger::backlog::Backlog;
use crate::server::ledger::field_set::FieldSet;
use crate::server::ledger::streamed::StreamedFields;
use crate::server::objects::Objects;
use crate::server::objects::replicated::State;
use crate::server::outbound::write_records::WrittenChunk;
use crate::server::visibility::Visibility;

/// Fate of the fields of a lost chunk, for all observers of the chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outstanding {
    /// All fields have the values in the chunk, for all observers.
    Whole,
    /// Some of the fields are outstanding, or for some observers.
    Partial,
    /// A later frame wrote all fields.
    Nothing,
}

/// Objects as one connection observes them.
#[derive(Clone, Copy)]
pub(crate) struct ObserverView<'a> {
    objects: &'a Objects,
    visibility: &'a Visibility,
    connection: ConnectionId,
}

impl<'a> ObserverView<'a> {
    /// Returns the view of a connection.
    pub(crate) fn new(
        objects: &'a Objects,
        visibility: &'a Visibility,
        connection: ConnectionId,
    ) -> Self {
        Self {
            objects,
            visibility,
            connection,
        }
    }

    /// Returns the objects.
    pub(crate) fn objects(&self) -> &'a Objects {
        self.objects
    }

    /// Returns whether the connection is a ready member of an audience.
    pub(crate) fn observes(&self, audience: AudienceId) -> bool {
        self.visibility
            .audiences
            .get(audience)
            .observes(self.connection)
    }

    /// Returns whether a snapshot of an object is pending for the connection: it contains all earlier changes.
    pub(crate) fn awaits_snapshot(&self, object: NetId) -> bool {
        let receivers = self.visibility.pending_snapshots.get(object);
        receivers.is_some_and(|receivers| receivers.contains(&self.connection))
    }

    /// Returns the fields of a tick that the connection observes and reads, and that nothing later has carried to the
    /// connection. `observes` returns whether the connection is a ready member of an audience.
    pub(crate) fn outstanding(
        &self,
        streamed: &StreamedFields,
        set: &FieldSet,
        tick: u32,
        observes: impl FnOnce(AudienceId) -> bool,
    ) -> u64 {
        let Some(replicated) = self.objects.announced(set.net_id) else {
            return 0;
        };
        let slots = self.objects.world.pools.slots(replicated.at);
        let slot = slots.and_then(|slots| slots.slot(set.behaviour.into()));
        let Some((slot, ticks)) = slot.and_then(|slot| Some((slot, slot.ticks()?))) else {
            return 0;
        };
        let mut fields = ticks.changed_until(set.fields, tick);
        if fields == 0 {
            return 0;
        }
        let pending = replicated.is(State::SnapshotPending) && self.awaits_snapshot(set.net_id);
        if pending || !observes(replicated.audience) {
            return 0;
        }
        let policy = &slot.info().policy;
        if policy.restricted() != 0 {
            let role = self
                .visibility
                .groups
                .role(self.objects, set.net_id, self.connection);
            fields &= policy.readable(role);
            if replicated.owner == Some(self.connection) {
                // The owner has its writes, unless the server has corrected them.
                let echoed = slot.policy_state().map_or(0, |state| state.echoed);
                fields &= !(policy.owner_write & !echoed);
            }
        }
        streamed.missing(&FieldSet { fields, ..*set }, ticks)
    }

    /// Adds the outstanding fields of a tick to `missing`.
    pub(crate) fn add_outstanding(
        &self,
        streamed: &StreamedFields,
        sets: &[FieldSet],
        tick: u32,
        missing: &mut Vec<FieldSet>,
    ) {
        // Most objects of a chunk have the same audience.
        let mut former = None;
        for set in sets {
            let fields = self.outstanding(streamed, set, tick, |audience| match former {
                Some((same, observes)) if same == audience => observes,
                _ => {
                    let observes = self.observes(audience);
                    former = Some((audience, observes));
                    observes
                }
            });
            if fields != 0 {
                missing.push(FieldSet { fields, ..*set });
            }
        }
    }

    /// Removes fields from a backlog unless they are outstanding.
    pub(crate) fn refresh(&self, streamed: &StreamedFields, backlog: &mut Backlog) {
        let observes = |audience| self.observes(audience);
        backlog.refresh(|set, tick| self.outstanding(streamed, set, tick, observes));
    }
}

impl Outstanding {
    /// Returns the fate of some fields in a chunk.
    #[inline]
    pub(crate) fn of(objects: &Objects, set: &FieldSet, chunk: &WrittenChunk<'_>) -> Self {
        let Some(replicated) = objects.announced(set.net_id) else {
            return Self::Nothing;
        };
        let alike = replicated.audience == chunk.record.audience
            && !replicated.is(State::SnapshotPending)
            && { objects.prefab_info(replicated.at.pool) }.is_some_and(|info| info.repeatable);
        // Saves a look at the ticks, which are rarely in the cache.
        if alike && replicated.framed <= chunk.tick {
            return Self::Whole;
        }
        match objects.changed_until(set, chunk.tick) {
            0 => Self::Nothing,
            fields if alike && fields == set.fields => Self::Whole,
            _ => Self::Partial,
        }
    }
}
