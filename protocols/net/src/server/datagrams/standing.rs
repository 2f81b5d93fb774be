//! Lost fields that are still worth a repair.

use syncvar_runtime::object::Slots;
use syncvar_runtime::{AudienceId, ConnectionId, NetId};

use crate::server::NetworkServer;
use crate::server::datagrams::frames::{Entry, WrittenChunk};
use crate::server::datagrams::shown::Shown;
use crate::server::objects::replicated::{Replicated, State};
use crate::server::replication::bandwidth::backlog::Backlog;

/// Standing of an entry of a lost chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// All its fields have the values in the chunk, for all observers.
    Whole,
    /// Some of its fields stand, or for some observers.
    Partial,
    /// A later frame wrote all its fields.
    Nothing,
}

impl NetworkServer {
    /// Returns the fields of an entry whose last frame was that of a tick or an earlier one.
    pub(super) fn changed_until(&self, entry: &Entry, tick: u32) -> u64 {
        let replicated = self.objects.world.objects.get(entry.net_id.0);
        let slots = replicated.and_then(|it| self.objects.world.pools.slots(it.at));
        let slot = slots.and_then(|slots| slots.slot(entry.behaviour.into()));
        let ticks = slot.and_then(|slot| slot.ticks());
        ticks.map_or(0, |ticks| ticks.changed_until(entry.fields, tick))
    }

    /// Returns the fields of an entry of a tick that a connection observes and reads, and that nothing later
    /// has carried to it. `observes` returns whether it is a ready member of an audience.
    pub(in crate::server) fn standing(
        &self,
        connection: ConnectionId,
        shown: &Shown,
        entry: &Entry,
        tick: u32,
        observes: impl FnOnce(AudienceId) -> bool,
    ) -> u64 {
        let Some(replicated) = self.announced(entry.net_id) else {
            return 0;
        };
        let slots = self.objects.world.pools.slots(replicated.at);
        let slot = slots.and_then(|slots| slots.slot(entry.behaviour.into()));
        let Some((slot, ticks)) = slot.and_then(|slot| Some((slot, slot.ticks()?))) else {
            return 0;
        };
        let mut fields = ticks.changed_until(entry.fields, tick);
        if fields == 0 {
            return 0;
        }
        let is_pending = || {
            // A pending snapshot contains these values.
            let receivers = self.visibility.pending_snapshots.get(entry.net_id);
            receivers.is_some_and(|receivers| receivers.contains(&connection))
        };
        let pending = replicated.is(State::SnapshotPending) && is_pending();
        if pending || !observes(replicated.audience) {
            return 0;
        }
        let policy = &slot.info().policy;
        if policy.restricted() != 0 {
            fields &= policy.readable(self.role(entry.net_id, connection));
            if replicated.owner == Some(connection) {
                // The owner has what it wrote, unless the server has corrected it.
                let echoed = slot.policy_state().map_or(0, |state| state.echoed);
                fields &= !(policy.owner_write & !echoed);
            }
        }
        shown.missing(entry.net_id, entry.behaviour, fields, ticks)
    }

    /// Returns the standing of an entry of a chunk.
    #[inline]
    pub(super) fn standing_for_all(&self, entry: &Entry, chunk: &WrittenChunk<'_>) -> Standing {
        let Some(replicated) = self.announced(entry.net_id) else {
            return Standing::Nothing;
        };
        let alike = replicated.audience == chunk.record.audience
            && !replicated.is(State::SnapshotPending)
            && { self.objects.prefab_info(replicated.at.pool) }.is_some_and(|info| info.repeatable);
        // Saves a look at the ticks, which are rarely in the cache.
        if alike && replicated.framed <= chunk.tick {
            return Standing::Whole;
        }
        let slots = self.objects.world.pools.slots(replicated.at);
        let slot = slots.and_then(|slots| slots.slot(entry.behaviour.into()));
        let ticks = slot.and_then(|slot| slot.ticks());
        match ticks.map_or(0, |ticks| ticks.changed_until(entry.fields, chunk.tick)) {
            0 => Standing::Nothing,
            fields if alike && fields == entry.fields => Standing::Whole,
            _ => Standing::Partial,
        }
    }

    /// Returns an object by the id in an entry. An object that is not announced is another one with a reused id.
    #[inline]
    fn announced(&self, id: NetId) -> Option<&Replicated> {
        let replicated = self.objects.world.objects.get(id.0);
        replicated.filter(|it| it.is(State::Announced))
    }

    pub(super) fn is_in(&self, connection: ConnectionId, audience: AudienceId) -> bool {
        self.visibility.audiences.get(audience).observes(connection)
    }

    /// Adds the standing fields of entries of a tick.
    pub(super) fn add_standing(
        &self,
        connection: ConnectionId,
        shown: &Shown,
        (entries, tick): (&[Entry], u32),
        owed: &mut Vec<Entry>,
    ) {
        // Most objects of a chunk have the same audience.
        let mut former = None;
        for entry in entries {
            let fields = self.standing(connection, shown, entry, tick, |audience| match former {
                Some((same, observes)) if same == audience => observes,
                _ => {
                    let observes = self.is_in(connection, audience);
                    former = Some((audience, observes));
                    observes
                }
            });
            if fields != 0 {
                owed.push(Entry { fields, ..*entry });
            }
        }
    }

    /// Adds standing fields to the backlog of a connection. The list is empty afterwards.
    pub(in crate::server) fn owe(
        &mut self,
        connection: ConnectionId,
        shown: &Shown,
        owed: &mut Vec<Entry>,
    ) {
        if owed.is_empty() {
            return;
        }
        let Some(known) = self.sessions.connections.get_mut(connection.0) else {
            return owed.clear();
        };
        let backlog = known.backlog.take();
        let mut backlog = backlog.unwrap_or_else(|| Box::new(Backlog::new(None)));
        // Later in its tick a backlog has no field that has changed since.
        if backlog.oldest() < Some(self.replication.frames.tick()) {
            self.refresh_backlog(connection, shown, &mut backlog);
        }
        owed.sort_unstable_by_key(|entry| (entry.net_id, entry.channel, entry.behaviour));
        let objects = &self.objects.world.objects;
        let pools = &self.objects.world.pools;
        let width = |id: NetId| {
            let replicated = objects.get(id.0);
            let slots = replicated.and_then(|it| pools.slots(it.at));
            slots.map_or(0, Slots::len)
        };
        let tick = self.replication.frames.tick();
        let log = &mut self.replication.losses;
        backlog.add_owed(owed, width, log, tick);
        owed.clear();
        if let Some(known) = self.sessions.connections.get_mut(connection.0) {
            known.backlog = Some(backlog);
            self.replication.bandwidth.add_connection(connection);
        }
    }

    /// Removes the fields from a backlog that no longer stand.
    pub(in crate::server) fn refresh_backlog(
        &self,
        connection: ConnectionId,
        shown: &Shown,
        backlog: &mut Backlog,
    ) {
        let observes = |audience| self.is_in(connection, audience);
        backlog.refresh(|entry, tick| self.standing(connection, shown, entry, tick, observes));
    }
}
