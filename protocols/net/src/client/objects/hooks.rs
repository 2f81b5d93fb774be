//! Hooks of received values in the pool. A hook with a context needs a checked-out object: the conductor runs it.

use super::Objects;
use crate::client::ClientEvent;
use syncvar_runtime::behaviour::Panicked;
use syncvar_runtime::events::Events;
use syncvar_runtime::schema::PolicyBits;
use syncvar_runtime::unstable::object::{DeferredHooks, Hooks, Location, run_hooks};
use syncvar_runtime::{Callbacks, ChangedFields, HookFailure, NetId};

impl Objects {
    /// Returns the hooks that ask for the initial values.
    #[cold]
    pub(crate) fn initial_hooks(&mut self, object: NetId, at: Location) -> Vec<DeferredHooks> {
        let prefab = self.world.prefabs.get(self.world.pools.prefab(at.pool));
        let slots = self.world.pools.slots_mut(at);
        let (Some(prefab), Some(slots)) = (prefab, slots) else {
            return Vec::new();
        };
        slots.initial_hooks(object, prefab.make().slots_mut())
    }

    /// Sets some restricted fields to the values of the prefab, as changes of a tick. Returns their hooks.
    #[cold]
    pub(crate) fn reset_fields(
        &mut self,
        object: NetId,
        tick: u32,
        fields: impl Fn(&PolicyBits) -> u64,
    ) -> Vec<DeferredHooks> {
        let Some(at) = self.world.objects.get(object.0).map(|replica| replica.at) else {
            return Vec::new();
        };
        let prefab = self.world.prefabs.get(self.world.pools.prefab(at.pool));
        let (Some(prefab), Some(slots)) = (prefab, self.world.pools.slots_mut(at)) else {
            return Vec::new();
        };
        let hooks = slots.reset_fields(object, |_, slot| fields(slot.policy()), || prefab.make());
        slots.set_ticks(tick, fields);
        hooks
    }

    /// Returns whether a hook in the list of an object may take a context.
    pub(crate) fn needs_context(&self, object: NetId, hooks: &[DeferredHooks]) -> bool {
        let slots = self.world.slots(object);
        slots.is_some_and(|slots| slots.needs_context(hooks))
    }

    /// Calls hooks without a context, and reports the changes.
    pub(crate) fn call_in_pool(
        &mut self,
        hooks: Vec<DeferredHooks>,
        events: &mut Events<ClientEvent>,
    ) {
        let runs = self.world.callbacks == Callbacks::Run;
        for mut hooks in hooks {
            let slots = self.world.slots_mut(hooks.object);
            if let Some(slot) = slots.and_then(|slots| slots.slot_mut(hooks.behaviour)) {
                let arguments = std::mem::take(&mut hooks.hooks);
                let called = if runs {
                    run_hooks(slot, Hooks::Changed(arguments))
                } else {
                    Ok(())
                };
                let fields =
                    ChangedFields::new(slot.info().class, hooks.fields).in_tick(hooks.tick);
                self.report_hooks(&hooks, fields, called, events);
            }
        }
    }

    /// Calls the waiting hooks of a behaviour without a context, and reports its changes. Returns whether fields that this
    /// client writes as the owner are dirty.
    pub(crate) fn call_waiting(
        &mut self,
        hooks: &mut DeferredHooks,
        events: &mut Events<ClientEvent>,
    ) -> bool {
        let slots = self.world.slots_mut(hooks.object);
        let Some(slot) = slots.and_then(|slots| slots.slot_mut(hooks.behaviour)) else {
            return false;
        };
        let arguments = std::mem::take(&mut hooks.hooks);
        let called = run_hooks(slot, Hooks::Changed(arguments));
        let has_written = slot.policy().owner_write & slot.dirty_bits() != 0;
        let fields = ChangedFields::new(slot.info().class, hooks.fields).in_tick(hooks.tick);
        self.report_hooks(hooks, fields, called, events);
        has_written
    }

    /// Reports the end of a behaviour's hooks: a panic, and then the fields, if the hooks ask for it.
    pub(crate) fn report_hooks(
        &mut self,
        hooks: &DeferredHooks,
        fields: ChangedFields,
        result: Result<(), Panicked>,
        events: &mut Events<ClientEvent>,
    ) {
        let (object, behaviour) = (hooks.object, hooks.behaviour);
        if let Err(Panicked(message)) = result {
            let failure = HookFailure::new(object, fields, message);
            events.push(ClientEvent::HookFailed(Box::new(failure)));
        }
        if hooks.reported {
            if self.world.callbacks == Callbacks::Events {
                let (class, bits) = (fields.behaviour_type(), fields.dirty_bits());
                self.received.add(class, object, behaviour, bits);
            }
            events.push(ClientEvent::Changed {
                object,
                behaviour,
                fields,
            });
        }
    }
}
