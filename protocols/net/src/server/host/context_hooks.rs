//! Hooks with a context on a host: their object is checked out, and they may write other objects.

use syncvar_runtime::object::{DeferredHooks, Remembered};
use syncvar_runtime::world::CheckOut;
use syncvar_runtime::{ChangedFields, NetId};

use super::hooks::{BehaviourKey, PendingHooks};
use crate::ClientEvent;
use crate::server::NetworkServer;

/// State of a behaviour before hooks run on its object.
pub(crate) struct Before {
    /// Dirty bits.
    dirty: u64,
    /// Whether the application wrote it since the last update.
    is_written: bool,
}

impl NetworkServer {
    /// Calls the hooks of a behaviour and reports the changed fields.
    ///
    /// `hooks` are its position, its changed fields and their former values. `before` are the fields to
    /// report in any case, and the dirty bits.
    pub(crate) fn call_local_hooks_with(
        &mut self,
        object: NetId,
        (behaviour, changed, values): (usize, u64, Remembered),
        (fields, written): (u64, u64),
    ) {
        let hooks = DeferredHooks {
            object,
            behaviour,
            fields: changed,
            tick: None,
            reported: false,
            hooks: values.into(),
        };
        self.run_local_hooks(object, vec![hooks], |_| ());
        let slot = { self.objects.world.slots(object) }.and_then(|slots| slots.slot(behaviour));
        let Some((slot, host)) = slot.zip(self.host.as_mut()) else {
            return;
        };
        if host.known.contains(object) {
            let fields = fields | changed | slot.dirty_bits() & !written;
            let fields = ChangedFields::new(slot.info().class, fields);
            host.events.push(ClientEvent::Changed {
                object,
                behaviour,
                fields,
            });
        }
    }

    /// Runs hooks and then an action on an object that is checked out meanwhile. The next update checks
    /// the fields that the hooks write.
    pub(crate) fn run_local_hooks(
        &mut self,
        id: NetId,
        mut hooks: Vec<DeferredHooks>,
        last: impl FnOnce(&mut Self),
    ) {
        let before = self.begin_local_hooks(id);
        self.check_out(id, |slots, server| {
            server.call_hooks(slots, &mut hooks);
            last(server);
        });
        self.end_local_hooks(id, &hooks, &before);
    }

    /// Remembers the values of all behaviours of an object, as written by hooks.
    pub(crate) fn begin_local_hooks(&mut self, id: NetId) -> Vec<Before> {
        let mut before = Vec::new();
        if let (Some(host), Some(slots)) = (&mut self.host, self.objects.world.slots_mut(id)) {
            slots.for_each_mut(|slot| {
                let key = BehaviourKey::new(id, before.len());
                let written = host.written.get_or_insert_with(key, || PendingHooks {
                    before: slot.remember_for_hooks(u64::MAX),
                    by_hooks: true,
                });
                before.push(Before {
                    dirty: slot.dirty_bits(),
                    is_written: !written.by_hooks,
                });
            });
        }
        before
    }

    /// Tells the writes of hooks to their own behaviour and the untouched behaviours from other writes.
    pub(crate) fn end_local_hooks(
        &mut self,
        id: NetId,
        hooks: &[DeferredHooks],
        before: &[Before],
    ) {
        let (Some(host), Some(slots)) = (&mut self.host, self.objects.world.slots(id)) else {
            return;
        };
        for ((index, slot), before) in slots.iter().enumerate().zip(before) {
            let is_own = hooks.iter().any(|hooks| hooks.behaviour == index);
            let wrote = slot.dirty_bits() & !before.dirty != 0;
            if let Some(written) = host.written.get_mut(BehaviourKey::new(id, index)) {
                written.by_hooks = !before.is_written && (is_own || !wrote);
            }
        }
    }

    /// Reports the dirty fields of behaviours that hooks of other behaviours have written in this update.
    pub(crate) fn report_hook_writes(&mut self) {
        let Some(host) = &mut self.host else {
            return;
        };
        for (key, written) in host.written.iter_mut() {
            let BehaviourKey { object, behaviour } = key;
            let slots = self.objects.world.slots(object);
            let slot = slots.and_then(|slots| slots.slot(behaviour));
            let Some(slot) = slot.filter(|_| !written.by_hooks) else {
                continue;
            };
            written.by_hooks = true;
            if slot.dirty_bits() != 0 && host.known.contains(object) {
                host.events.push(ClientEvent::Changed {
                    object,
                    behaviour,
                    fields: ChangedFields::new(slot.info().class, slot.dirty_bits()),
                });
            }
        }
    }
}
