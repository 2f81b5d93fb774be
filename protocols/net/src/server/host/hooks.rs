//! The hooks of a host: what fields were is remembered when a behaviour is lent for writing, and
//! compared with the next update.

use std::collections::btree_map::Entry;
use std::fmt;

use super::Host;
use crate::behaviour::{Panicked, contain};
use crate::object::{Location, Remembered, Slot, Slots};
use crate::server::NetworkServer;
use crate::server::owner::refuse;
use crate::{ChangedFields, HookFailure};
use crate::{ClientEvent, NetId, NetworkBehaviour};

/// A behaviour that has been lent for writing since the last update.
pub(super) struct Lent {
    /// What its fields with a hook were before; nothing if it has none.
    before: Option<Remembered>,
    /// Whether only its own hooks have had it: what they write is told by the update that calls them, but
    /// for its effect on hooks.
    by_hooks: bool,
}

impl fmt::Debug for Lent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lent")
            .field("by_hooks", &self.by_hooks)
            .finish_non_exhaustive()
    }
}

impl Host {
    /// A behaviour is about to be lent for writing.
    fn remember(&mut self, place: (NetId, usize), slot: &dyn Slot) {
        match self.lent.entry(place) {
            Entry::Occupied(mut lent) => lent.get_mut().by_hooks = false,
            Entry::Vacant(vacant) => {
                let before = slot.remember_for_hooks(u64::MAX);
                let by_hooks = false;
                vacant.insert(Lent { before, by_hooks });
            }
        }
    }

    /// Calls the hooks for these fields; what they write is looked at with the next update. A panic is
    /// told. Returns the fields that were not theirs to write.
    fn call_hooks(
        &mut self,
        place: (NetId, usize),
        slot: &mut dyn Slot,
        (told, fields): (Remembered, u64),
    ) -> Option<ChangedFields> {
        let again = Lent {
            before: slot.remember_for_hooks(u64::MAX),
            by_hooks: true,
        };
        self.lent.insert(place, again);
        slot.begin_change();
        let called = contain(|| slot.call_hooks_with(told));
        let refused = slot.end_change();
        let schema = &slot.info().schema;
        if let Err(Panicked(message)) = called {
            let fields = ChangedFields::new(schema, fields);
            let failure = HookFailure::new(place.0, fields, message);
            self.events.push(ClientEvent::HookFailed(Box::new(failure)));
        }
        (refused != 0).then(|| ChangedFields::new(schema, refused))
    }

    /// Takes what is to be looked at with this update.
    fn begin_hooks(&mut self) {
        for (place, lent) in std::mem::take(&mut self.lent) {
            match self.due.entry(place) {
                Entry::Occupied(mut due) => due.get_mut().by_hooks &= lent.by_hooks,
                Entry::Vacant(vacant) => {
                    vacant.insert(lent);
                }
            }
        }
    }
}

impl NetworkServer {
    /// The first behaviour of this type on an object is about to be lent for writing. To be called only if
    /// there is a local client.
    #[cold]
    pub(in crate::server) fn remember_first_for_local<B: NetworkBehaviour>(
        &mut self,
        id: NetId,
        at: Location,
    ) {
        let slots = self.pools.slots(at);
        let index = slots.and_then(<dyn Slots>::position::<B>);
        self.remember_for_local(id, at, index);
    }

    /// The behaviour at a position of an object is about to be lent for writing.
    #[cold]
    pub(in crate::server) fn remember_for_local(
        &mut self,
        id: NetId,
        at: Location,
        index: Option<usize>,
    ) {
        let slots = self.pools.slots(at);
        if let (Some(host), Some(slots), Some(index)) = (&mut self.host, slots, index)
            && host.known.contains(&id)
            && let Some(slot) = slots.slot(index)
        {
            host.remember((id, index), slot);
        }
    }

    /// All behaviours of an object are about to be written to.
    #[cold]
    pub(in crate::server) fn remember_object_for_local(&mut self, id: NetId, at: Location) {
        let count = self.pools.slots(at).map_or(0, Slots::len);
        for index in 0..count {
            self.remember_for_local(id, at, Some(index));
        }
    }

    /// All behaviours of an object have been taken out of their pool, to be called.
    pub(in crate::server) fn remember_all_for_local(&mut self, id: NetId, slots: &dyn Slots) {
        if let Some(host) = &mut self.host
            && host.known.contains(&id)
        {
            for (index, slot) in slots.iter().enumerate() {
                host.remember((id, index), slot);
            }
        }
    }

    /// Calls the hooks that are told of what an object is like when the local client meets it.
    pub(super) fn call_initial_hooks_locally(&mut self, id: NetId) {
        let (Some(host), Some(spawned)) = (&mut self.host, self.objects.get(id.0)) else {
            return;
        };
        let prefab = self.prefabs.get(self.pools.prefab(spawned.at.pool));
        let slots = self.pools.slots_mut(spawned.at);
        let slots = slots.filter(|slots| slots.has_initial_hooks());
        let (Some(prefab), Some(slots)) = (prefab, slots) else {
            return;
        };
        let made = prefab.make();
        for index in 0..slots.len() {
            let told = slots.initial_changes(index, made.slots());
            if let (Some(told), Some(slot)) = (told, slots.slot_mut(index)) {
                let fields = slot.info().schema.dirty_bits();
                let refused = host.call_hooks((id, index), slot, (told, fields));
                if let Some(refused) = refused {
                    refuse(&mut self.events, id, refused);
                }
                if slot.dirty_bits() != 0 {
                    self.schedule.queue_dirty(id);
                }
            }
        }
    }

    /// Calls the hooks of what the local client sees and has changed, and tells it what that is.
    pub(in crate::server) fn call_local_hooks(&mut self) {
        if let Some(host) = &mut self.host {
            host.begin_hooks();
        }
        while let Some(host) = &mut self.host
            && let Some(((id, behaviour), lent)) = host.due.pop_first()
        {
            if !host.known.contains(&id) {
                continue;
            }
            let spawned = self.objects.get(id.0);
            // It is told nothing more of what it is about to lose sight of.
            let Some(spawned) = spawned.filter(|spawned| self.is_for_local(id, spawned)) else {
                continue;
            };
            let Some(host) = &mut self.host else {
                break;
            };
            let Some(slots) = self.pools.slots_mut(spawned.at) else {
                // It is lent this very moment.
                host.lent.insert((id, behaviour), lent);
                continue;
            };
            let Some(slot) = slots.slot_mut(behaviour) else {
                continue;
            };
            let written = slot.dirty_bits();
            let mut fields = if lent.by_hooks { 0 } else { written };
            if let Some(mut before) = lent.before {
                let changed = slot.changed_since(&mut before);
                if changed != 0 {
                    let refused = host.call_hooks((id, behaviour), slot, (before, changed));
                    if let Some(refused) = refused {
                        refuse(&mut self.events, id, refused);
                    }
                    fields |= changed | slot.dirty_bits() & !written;
                    if slot.dirty_bits() != 0 {
                        self.schedule.queue_dirty(id);
                    }
                }
            }
            if fields != 0 {
                host.events.push(ClientEvent::Changed {
                    object: id,
                    behaviour,
                    fields: ChangedFields::new(&slot.info().schema, fields),
                });
            }
        }
    }
}
