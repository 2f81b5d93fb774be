//! Lending: the behaviours of an object outside of their pool, so that they can be called with the
//! whole server at hand.

use super::NetworkServer;
use crate::NetId;
use crate::identity::Slots;

impl NetworkServer {
    /// Lends the behaviours of an object to something that has the whole server at hand. The object is
    /// there meanwhile, but not its behaviours. Afterwards it is queued if anything has changed. Does
    /// nothing if there is no such object, or if it is lent already.
    pub(crate) fn lend<R>(
        &mut self,
        id: NetId,
        action: impl FnOnce(&mut dyn Slots, &mut Self) -> R,
    ) -> Option<R> {
        let at = self.objects.get(id.0)?.at;
        let mut slots = self.pools.take(at)?;
        slots.for_each_mut(|slot| slot.begin_change());
        let result = action(&mut *slots, self);
        slots.for_each_mut(|slot| {
            slot.end_change();
        });
        let dirty = slots.iter().any(|slot| slot.dirty_bits() != 0);
        let stays = self
            .objects
            .get(id.0)
            .is_some_and(|spawned| spawned.at == at);
        self.pools.give_back(at, slots, stays);
        if stays && dirty {
            self.schedule.queue_dirty(id);
        }
        Some(result)
    }
}
