//! Costs of the objects and fields of a run, before it is written.

use std::time::Duration;

use syncvar_runtime::object::{Location, MAX_CHANNELS, Slot, When, nanos};
use syncvar_runtime::{AudienceId, Encoding, NetId};

use crate::Framing;
use crate::server::NetworkServer;

impl NetworkServer {
    /// Counts the fields of one part of a restricted object.
    #[cold]
    pub(super) fn profile_part(&mut self, (id, at): (NetId, Location), masks: &[u64]) {
        let prefab = self.objects.world.pools.prefab(at.pool);
        let first = self.objects.prefab_infos.get(prefab as usize);
        let name = self
            .objects
            .world
            .prefabs
            .get(prefab)
            .map_or("", |it| &*it.name);
        let names = (name, first.map_or(0, |info| info.first_behaviour));
        let mask = |index: usize, _: &dyn Slot| masks.get(index).copied().unwrap_or_default();
        if let (Some(profile), Some(slots)) = (
            &mut self.context.stats.profile,
            self.objects.world.pools.slots_mut(at),
        ) {
            profile.count(id, names, slots, Encoding::Compact, mask);
        }
    }

    /// Counts the fields that the jobs of a run will write for an audience.
    #[cold]
    pub(super) fn profile_run(&mut self, audience: AudienceId, now: Duration) {
        let Some(profile) = &mut self.context.stats.profile else {
            return;
        };
        let speaks = self
            .visibility
            .audiences
            .get(audience)
            .speaks(Framing::Compact);
        let encoding = if speaks {
            Encoding::Compact
        } else {
            Encoding::Unet
        };
        for job in &self.replication.scratch.jobs {
            let Some(replicated) = self.objects.world.objects.get(job.net_id.0) else {
                continue;
            };
            let pool = replicated.at.pool;
            let prefab = self.objects.world.pools.prefab(pool);
            let first = self.objects.prefab_infos.get(prefab as usize);
            let name = self
                .objects
                .world
                .prefabs
                .get(prefab)
                .map_or("", |it| &*it.name);
            let Some(slots) = self.objects.world.pools.slots_mut(replicated.at) else {
                continue;
            };
            let when = When {
                now: nanos(now),
                force: job.force,
                interval: self.context.config.default_interval(),
            };
            let due = slots
                .iter()
                .fold(0, |due, slot| due | due_channel(slot, when));
            let mask = |_: usize, slot: &dyn Slot| {
                let is_due = due >> (slot.info().channel % 64) & 1 == 1;
                if is_due { u64::MAX } else { 0 }
            };
            let names = (name, first.map_or(0, |info| info.first_behaviour));
            profile.count(job.net_id, names, slots, encoding, mask);
        }
    }
}

/// Returns the bit of a behaviour's channel, if the behaviour is due.
fn due_channel(slot: &dyn Slot, when: When) -> u64 {
    let info = slot.info();
    let waited = when.now.saturating_sub(slot.last_send());
    let is_due = slot.dirty_bits() != 0 && (when.force || waited > info.interval(when.interval));
    let is_open = usize::from(info.channel) < MAX_CHANNELS;
    if is_due && is_open {
        1 << info.channel
    } else {
        0
    }
}
