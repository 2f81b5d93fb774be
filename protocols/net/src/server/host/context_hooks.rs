//! Hooks with a context on a host: their object is checked out, and they may write other objects.

use syncvar_runtime::NetId;
use syncvar_runtime::unstable::object::DeferredHooks;

use super::hooks::{BehaviourKey, PendingHooks};
use crate::server::host::Host;
use crate::server::objects::Objects;

/// State of a behaviour before hooks run on its object.
pub(crate) struct StateBeforeHooks {
    /// Dirty bits.
    dirty: u64,
    /// Whether the application wrote the behaviour since the last update.
    is_written: bool,
}

impl Host {
    /// Remembers the values of all behaviours of an object, as written by hooks.
    pub(crate) fn begin_context_hooks(
        &mut self,
        objects: &mut Objects,
        id: NetId,
    ) -> Vec<StateBeforeHooks> {
        let mut before = Vec::new();
        if let Some(slots) = objects.world.slots_mut(id) {
            slots.for_each_mut(|slot| {
                let key = BehaviourKey::new(id, before.len());
                let written = self.written.get_or_insert_with(key, || PendingHooks {
                    before: slot.remember_for_hooks(u64::MAX),
                    by_hooks: true,
                });
                before.push(StateBeforeHooks {
                    dirty: slot.dirty_bits(),
                    is_written: !written.by_hooks,
                });
            });
        }
        before
    }

    /// Tells the writes of hooks to their own behaviour and the untouched behaviours from other writes.
    pub(crate) fn end_context_hooks(
        &mut self,
        objects: &Objects,
        id: NetId,
        hooks: &[DeferredHooks],
        before: &[StateBeforeHooks],
    ) {
        let Some(slots) = objects.world.slots(id) else {
            return;
        };
        for ((index, slot), before) in slots.iter().enumerate().zip(before) {
            let has_hooks = hooks.iter().any(|hooks| hooks.behaviour == index);
            let wrote = slot.dirty_bits() & !before.dirty != 0;
            if let Some(written) = self.written.get_mut(BehaviourKey::new(id, index)) {
                written.by_hooks = !before.is_written && (has_hooks || !wrote);
            }
        }
    }

    /// Reports the fields of a behaviour whose hooks were called: those known before, and those that the hooks
    /// wrote.
    pub(crate) fn report_context_hooks(
        &mut self,
        objects: &Objects,
        key: BehaviourKey,
        fields: u64,
        written: u64,
    ) {
        let slots = objects.world.slots(key.object);
        let slot = slots.and_then(|slots| slots.slot(key.behaviour));
        if let Some(slot) = slot.filter(|_| self.known.contains(key.object)) {
            self.report_changed(key, slot, fields | slot.dirty_bits() & !written);
        }
    }

    /// Reports the dirty fields of behaviours that hooks of other behaviours have written in this update.
    pub(crate) fn report_hook_writes(&mut self, objects: &Objects) {
        let Self {
            written,
            known,
            events,
            ..
        } = self;
        for (key, written) in written.iter_mut() {
            let slots = objects.world.slots(key.object);
            let slot = slots.and_then(|slots| slots.slot(key.behaviour));
            let Some(slot) = slot.filter(|_| !written.by_hooks) else {
                continue;
            };
            written.by_hooks = true;
            if slot.dirty_bits() != 0 && known.contains(key.object) {
                events.push(key.changed(slot, slot.dirty_bits()));
            }
        }
    }
}
