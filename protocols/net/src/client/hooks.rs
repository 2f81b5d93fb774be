//! Hooks of received values: in the pool, or on a checked-out object if one takes a context.

use super::NetworkClient;
use syncvar_runtime::object::{DeferredHooks, Hooks, Location, run_hooks};
use syncvar_runtime::schema::PolicyBits;
use syncvar_runtime::world::{CallbackReport, CheckOut, Protocol};
use syncvar_runtime::{Callbacks, ChangedFields, NetId};

impl NetworkClient {
    /// Runs the hooks with a context, after all deltas of a message.
    #[inline]
    pub(super) fn run_deferred_hooks(&mut self) {
        if !self.inbound.waiting.list.is_empty() {
            self.run_waiting_hooks();
        }
    }

    #[inline(never)]
    fn run_waiting_hooks(&mut self) {
        let mut waiting = self.inbound.waiting.take();
        for hooks in waiting.chunk_by_mut(|one, next| one.object == next.object) {
            let Some(object) = hooks.first().map(|hooks| hooks.object) else {
                continue;
            };
            // A check-out moves the object into memory of its own.
            if self.needs_context(object, hooks) {
                self.check_out(object, |slots, side| side.call_hooks(slots, hooks));
            } else {
                hooks.iter_mut().for_each(|hooks| self.call_waiting(hooks));
            }
        }
        waiting.clear();
        self.inbound.waiting.give_back(waiting);
        if !self.writes.from_hooks.is_empty() {
            self.take_hook_writes();
        }
    }

    /// Calls the hooks of a behaviour without a context, and reports its changes.
    fn call_waiting(&mut self, hooks: &mut DeferredHooks) {
        let slots = self.objects.world.slots_mut(hooks.object);
        let Some(slot) = slots.and_then(|slots| slots.slot_mut(hooks.behaviour)) else {
            return;
        };
        let arguments = std::mem::take(&mut hooks.hooks);
        let called = run_hooks(slot, Hooks::Changed(arguments));
        if slot.info().policy.owner_write & slot.dirty_bits() != 0 {
            self.writes.from_hooks.push(hooks.object);
        }
        let fields = ChangedFields::new(slot.info().class, hooks.fields).in_tick(hooks.tick);
        self.report(CallbackReport::HooksCalled {
            hooks,
            fields,
            result: called,
        });
    }

    /// Runs the hooks of an object, and reports its changes.
    pub(super) fn run_received_hooks(&mut self, object: NetId, mut hooks: Vec<DeferredHooks>) {
        let tick = self.inbound.packet.network_tick;
        for hooks in &mut hooks {
            hooks.tick = tick;
        }
        let runs = self.objects.world.callbacks == Callbacks::Run;
        if runs && self.needs_context(object, &hooks) {
            self.run_hooks(hooks);
        } else {
            self.call_in_pool(hooks);
        }
    }

    /// Returns the hooks that ask for the initial values.
    #[cold]
    pub(super) fn initial_hooks(&mut self, object: NetId, at: Location) -> Vec<DeferredHooks> {
        let prefab = self
            .objects
            .world
            .prefabs
            .get(self.objects.world.pools.prefab(at.pool));
        let slots = self.objects.world.pools.slots_mut(at);
        let (Some(prefab), Some(slots)) = (prefab, slots) else {
            return Vec::new();
        };
        slots.initial_hooks(object, prefab.make().slots_mut())
    }

    /// Sets some restricted fields to the values of the prefab, with their hooks.
    #[cold]
    pub(super) fn reset_fields(&mut self, object: NetId, fields: impl Fn(&PolicyBits) -> u64) {
        let Some(replica) = self.objects.world.objects.get(object.0) else {
            return;
        };
        let at = replica.at;
        let prefab = self
            .objects
            .world
            .prefabs
            .get(self.objects.world.pools.prefab(at.pool));
        if let (Some(prefab), Some(slots)) = (prefab, self.objects.world.pools.slots_mut(at)) {
            let hooks = slots.reset_fields(object, &fields, || prefab.make());
            slots.set_ticks(self.inbound.packet.tick.unwrap_or_default(), fields);
            self.run_received_hooks(object, hooks);
        }
    }

    /// Returns whether one of these hooks of an object may take a context.
    pub(super) fn needs_context(&self, object: NetId, hooks: &[DeferredHooks]) -> bool {
        let slots = self.objects.world.slots(object);
        slots.is_some_and(|slots| slots.needs_context(hooks))
    }

    /// Calls hooks without a context, and reports the changes.
    pub(super) fn call_in_pool(&mut self, hooks: Vec<DeferredHooks>) {
        let runs = self.objects.world.callbacks == Callbacks::Run;
        for mut hooks in hooks {
            let slots = self.objects.world.slots_mut(hooks.object);
            if let Some(slot) = slots.and_then(|slots| slots.slot_mut(hooks.behaviour)) {
                let arguments = std::mem::take(&mut hooks.hooks);
                let called = if runs {
                    run_hooks(slot, Hooks::Changed(arguments))
                } else {
                    Ok(())
                };
                let fields =
                    ChangedFields::new(slot.info().class, hooks.fields).in_tick(hooks.tick);
                self.report(CallbackReport::HooksCalled {
                    hooks: &hooks,
                    fields,
                    result: called,
                });
            }
        }
    }
}
