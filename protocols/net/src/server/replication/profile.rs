//! Costs of the objects and fields of a run, before it is written.

use syncvar_runtime::unstable::object::{Location, MAX_CHANNELS, Slot, When, nanos};
use syncvar_runtime::{AudienceId, Encoding, NetId};

use crate::Framing;
use crate::server::context::Context;
use crate::server::objects::Objects;
use crate::server::replication::Replication;
use crate::server::visibility::Visibility;

impl Replication {
    /// Counts the fields that the jobs of a run will write for an audience.
    #[cold]
    pub(super) fn profile_run(
        &self,
        context: &mut Context,
        objects: &mut Objects,
        visibility: &Visibility,
        audience: AudienceId,
    ) {
        let now = nanos(context.clock.now());
        let interval = context.config.default_interval();
        let Some(profile) = &mut context.stats.profile else {
            return;
        };
        let speaks = visibility.audiences.get(audience).speaks(Framing::Compact);
        let encoding = if speaks {
            Encoding::Compact
        } else {
            Encoding::Unet
        };
        for job in &self.scratch.jobs {
            let Some(replicated) = objects.world.objects.get(job.net_id.0) else {
                continue;
            };
            let prefab = objects.world.pools.prefab(replicated.at.pool);
            let first = objects.prefab_infos.get(prefab as usize);
            let first = first.map_or(0, |info| info.first_behaviour);
            let name = objects.world.prefabs.get(prefab).map_or("", |it| &*it.name);
            let Some(slots) = objects.world.pools.slots_mut(replicated.at) else {
                continue;
            };
            let when = When {
                now,
                force: job.force,
                interval,
            };
            let due = slots
                .iter()
                .fold(0, |due, slot| due | due_channel(slot, when));
            let mask = |_: usize, slot: &dyn Slot| {
                let is_due = due >> (slot.info().channel % 64) & 1 == 1;
                if is_due { u64::MAX } else { 0 }
            };
            profile.count(job.net_id, name, first, slots, encoding, mask);
        }
    }
}

/// Counts the fields in a part of a restricted object.
#[cold]
pub(super) fn profile_part(
    context: &mut Context,
    objects: &mut Objects,
    id: NetId,
    at: Location,
    masks: &[u64],
) {
    let prefab = objects.world.pools.prefab(at.pool);
    let first = objects.prefab_infos.get(prefab as usize);
    let first = first.map_or(0, |info| info.first_behaviour);
    let name = objects.world.prefabs.get(prefab).map_or("", |it| &*it.name);
    let mask = |index: usize, _: &dyn Slot| masks.get(index).copied().unwrap_or_default();
    let slots = objects.world.pools.slots_mut(at);
    if let (Some(profile), Some(slots)) = (&mut context.stats.profile, slots) {
        profile.count(id, name, first, slots, Encoding::Compact, mask);
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
