//! Lending: the behaviours of an object outside of their pool, so that they can be called with the
//! whole client at hand.

use super::NetworkClient;
use crate::NetId;
use crate::identity::Slots;

impl NetworkClient {
    /// Lends the behaviours of an object to something that has the whole client at hand. The object is
    /// there meanwhile, but not its behaviours. Does nothing if there is no such object, or if it is
    /// lent already.
    pub(crate) fn lend<R>(
        &mut self,
        id: NetId,
        action: impl FnOnce(&mut dyn Slots, &mut Self) -> R,
    ) -> Option<R> {
        let at = self.objects.get(id.0)?.at;
        let mut slots = self.pools.take(at)?;
        let result = action(&mut *slots, self);
        let stays = self
            .objects
            .get(id.0)
            .is_some_and(|replica| replica.at == at);
        self.pools.give_back(at, slots, stays);
        Some(result)
    }
}
