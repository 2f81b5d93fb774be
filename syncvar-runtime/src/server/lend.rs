//! Lending: the behaviours of an object outside of their pool, so that they can be called with the
//! whole server at hand.

use super::NetworkServer;
use super::owner::set_owned;
use crate::{ChangedFields, NetId};
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
        let spawned = self.objects.get(id.0)?;
        let (at, owned) = (spawned.at, spawned.owner);
        let mut slots = self.pools.take(at)?;
        slots.for_each_mut(|slot| slot.begin_change());
        let result = action(&mut *slots, self);
        slots.for_each_mut(|slot| {
            let refused = slot.end_change();
            if refused != 0 {
                let fields = ChangedFields::new(&slot.info().schema, refused);
                self.refuse_write(id, fields);
            }
        });
        let dirty = slots.iter().any(|slot| slot.dirty_bits() != 0);
        let stays = self
            .objects
            .get(id.0)
            .is_some_and(|spawned| spawned.at == at);
        let owner = self.objects.get(id.0).map(|spawned| spawned.owner);
        if owner != Some(owned) {
            set_owned(&mut *slots, owner.flatten().is_some());
        }
        self.pools.give_back(at, slots, stays);
        if stays && dirty {
            self.schedule.queue_dirty(id);
        }
        Some(result)
    }
}
