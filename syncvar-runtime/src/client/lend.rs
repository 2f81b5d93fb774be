//! Lending: the behaviours of an object outside of their pool, so that they can be called with the
//! whole client at hand.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::NetworkClient;
use crate::NetId;
use crate::identity::Slots;

impl NetworkClient {
    /// Lends the behaviours of an object to something that has the whole client at hand. The object is
    /// there meanwhile, but not its behaviours. What comes up for it is done when they are given back.
    /// Does nothing if there is no such object, or if it is lent already.
    pub(crate) fn lend<R>(
        &mut self,
        id: NetId,
        action: impl FnOnce(&mut dyn Slots, &mut Self) -> R,
    ) -> Option<R> {
        let at = self.objects.get(id.0)?.at;
        let mut slots = self.pools.take(at)?;
        self.lent.push(id);
        self.begin_writes(id, &mut *slots);
        // What is lent is given back, whatever happens.
        let result = catch_unwind(AssertUnwindSafe(|| action(&mut *slots, self)));
        self.run_waiting(id, &mut *slots);
        self.end_writes(id, &mut *slots);
        self.pools.give_back(at, slots);
        if let Some(leaving) = self.lent.pop() {
            self.remove(id, leaving);
        }
        match result {
            Ok(result) => Some(result),
            Err(panicked) => resume_unwind(panicked),
        }
    }
}
