//! Hooks of a host: a write remembers the former values, the next update compares them.

use std::fmt;

use syncvar_runtime::behaviour::Panicked;
use syncvar_runtime::ids::Id;
use syncvar_runtime::object::{
    DeferredHooks, ErasedHooks, HookContext, HookRun, Hooks, Location, Remembered, Slot, Slots,
    run_hooks_as_write,
};
use syncvar_runtime::{Callbacks, ChangedFields, HookFailure, NetId, NetworkBehaviour};

use super::Host;
use crate::ClientEvent;
use crate::server::NetworkServer;
use crate::server::objects::owner::refuse;

/// Object and index of a behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BehaviourKey {
    pub(crate) object: NetId,
    pub(crate) behaviour: usize,
}

impl Id for BehaviourKey {
    fn number(self) -> u64 {
        self.object.number() << 32 | self.behaviour as u64
    }

    fn with_number(number: u64) -> Self {
        Self {
            object: NetId::with_number(number >> 32),
            behaviour: u32::with_number(number) as usize,
        }
    }
}

impl BehaviourKey {
    pub(crate) fn new(object: NetId, behaviour: usize) -> Self {
        Self { object, behaviour }
    }
}

/// A behaviour written since the last update.
pub(crate) struct PendingHooks {
    /// Former values of its fields with a hook. None without hooks.
    pub(crate) before: Option<Remembered>,
    /// Whether only its hooks wrote it. The update that called them reports these writes, except
    /// for their own hooks.
    pub(crate) by_hooks: bool,
}

impl fmt::Debug for PendingHooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingHooks")
            .field("by_hooks", &self.by_hooks)
            .finish_non_exhaustive()
    }
}

impl Host {
    /// Remembers the values of a behaviour before a write.
    pub(crate) fn remember(&mut self, key: BehaviourKey, slot: &mut dyn Slot, runs_hooks: bool) {
        let written = self.written.get_or_insert_with(key, || PendingHooks {
            before: if runs_hooks {
                slot.remember_for_hooks(u64::MAX)
            } else {
                None
            },
            by_hooks: false,
        });
        written.by_hooks = false;
    }

    /// Calls the hooks for these fields, and reports a panic. The next update checks the fields
    /// that the hooks write. Returns the refused writes.
    pub(crate) fn call_hooks(
        &mut self,
        key: BehaviourKey,
        slot: &mut dyn Slot,
        before: ErasedHooks,
        fields: u64,
    ) -> Option<ChangedFields> {
        let again = PendingHooks {
            before: slot.remember_for_hooks(u64::MAX),
            by_hooks: true,
        };
        self.written.insert(key, again);
        let HookRun { refused, result } = run_hooks_as_write(slot, Hooks::Changed(before));
        let class = slot.info().class;
        if let Err(Panicked(message)) = result {
            let fields = ChangedFields::new(class, fields);
            let failure = HookFailure::new(key.object, fields, message);
            self.events.push(ClientEvent::HookFailed(Box::new(failure)));
        }
        (refused != 0).then(|| ChangedFields::new(class, refused))
    }

    /// Moves the written behaviours to the due ones.
    pub(crate) fn begin_hooks(&mut self) {
        while let Some((key, written)) = self.written.pop_first() {
            let by_hooks = written.by_hooks;
            self.due.get_or_insert_with(key, || written).by_hooks &= by_hooks;
        }
    }
}

impl NetworkServer {
    /// Remembers the first behaviour of this type before a write. Only called with a local client.
    #[cold]
    pub(crate) fn remember_local_by_type<B: NetworkBehaviour>(&mut self, id: NetId, at: Location) {
        let slots = self.objects.world.pools.slots(at);
        let index = slots.and_then(<dyn Slots>::position::<B>);
        self.remember_local(id, at, index);
    }

    /// Remembers the behaviour at an index before a write.
    #[cold]
    pub(crate) fn remember_local(&mut self, id: NetId, at: Location, index: Option<usize>) {
        let runs_hooks = self.objects.world.callbacks == Callbacks::Run;
        let slots = self.objects.world.pools.slots_mut(at);
        if let (Some(host), Some(slots), Some(index)) = (&mut self.host, slots, index)
            && host.known.contains(id)
            && let Some(slot) = slots.slot_mut(index)
        {
            host.remember(BehaviourKey::new(id, index), slot, runs_hooks);
        }
    }

    /// Remembers all behaviours of an object before a write.
    #[cold]
    pub(crate) fn remember_local_object(&mut self, id: NetId, at: Location) {
        let count = self.objects.world.pools.slots(at).map_or(0, Slots::len);
        for index in 0..count {
            self.remember_local(id, at, Some(index));
        }
    }

    /// Remembers all behaviours of an object that is checked out.
    pub(crate) fn remember_local_slots(&mut self, id: NetId, slots: &mut dyn Slots) {
        let runs_hooks = self.objects.world.callbacks == Callbacks::Run;
        if let Some(host) = &mut self.host
            && host.known.contains(id)
        {
            let mut index = 0;
            slots.for_each_mut(|slot| {
                host.remember(BehaviourKey::new(id, index), slot, runs_hooks);
                index += 1;
            });
        }
    }

    /// Calls the initial hooks of an object that the local client begins to observe. If one of them takes
    /// a context, it returns all of them for the object's check-out instead.
    pub(crate) fn call_initial_hooks_locally(&mut self, id: NetId) -> Vec<DeferredHooks> {
        let (Some(host), Some(replicated)) = (&mut self.host, self.objects.world.objects.get(id.0))
        else {
            return Vec::new();
        };
        let prefab = self
            .objects
            .world
            .prefabs
            .get(self.objects.world.pools.prefab(replicated.at.pool));
        let slots = self.objects.world.pools.slots_mut(replicated.at);
        let runs = self.objects.world.callbacks == Callbacks::Run;
        let slots = slots.filter(|slots| runs && slots.has_initial_hooks());
        let (Some(prefab), Some(slots)) = (prefab, slots) else {
            return Vec::new();
        };
        let hooks = slots.initial_hooks(id, prefab.make().slots_mut());
        if slots.needs_context(&hooks) {
            return hooks;
        }
        for hooks in hooks {
            if let Some(slot) = slots.slot_mut(hooks.behaviour) {
                let key = BehaviourKey::new(id, hooks.behaviour);
                let refused = host.call_hooks(key, slot, hooks.hooks, hooks.fields);
                if let Some(refused) = refused {
                    refuse(&mut self.context.events, id, refused);
                }
                if slot.dirty_bits() != 0 {
                    self.objects.schedule.queue_dirty(id);
                }
            }
        }
        Vec::new()
    }

    /// Calls the hooks of written behaviours that the local client observes, and reports the
    /// changed fields.
    pub(crate) fn call_local_hooks(&mut self) {
        if let Some(host) = &mut self.host {
            host.begin_hooks();
        }
        let mut with_context = false;
        while let Some(host) = &mut self.host
            && let Some((key, pending)) = host.due.pop_first()
        {
            let BehaviourKey {
                object: id,
                behaviour,
            } = key;
            if !host.known.contains(id) {
                continue;
            }
            let replicated = self.objects.world.objects.get(id.0);
            // An object about to leave its view runs no hooks.
            let Some(replicated) =
                replicated.filter(|replicated| self.is_visible_locally(id, replicated))
            else {
                continue;
            };
            let Some(host) = &mut self.host else {
                break;
            };
            let Some(slots) = self.objects.world.pools.slots_mut(replicated.at) else {
                // The object is checked out.
                host.written.insert(key, pending);
                continue;
            };
            let Some(slot) = slots.slot_mut(behaviour) else {
                continue;
            };
            let written = slot.dirty_bits();
            let mut fields = if pending.by_hooks { 0 } else { written };
            if let Some(mut before) = pending.before {
                let changed = slot.changed_since(&mut before);
                if changed != 0 && slot.info().hook_context == HookContext::Object {
                    with_context = true;
                    let hooks = (behaviour, changed, before);
                    self.call_local_hooks_with(id, hooks, (fields, written));
                    continue;
                }
                if changed != 0 {
                    let refused = host.call_hooks(key, slot, before.into(), changed);
                    if let Some(refused) = refused {
                        refuse(&mut self.context.events, id, refused);
                    }
                    fields |= changed | slot.dirty_bits() & !written;
                    if slot.dirty_bits() != 0 {
                        self.objects.schedule.queue_dirty(id);
                    }
                }
            }
            if fields != 0 {
                host.events.push(ClientEvent::Changed {
                    object: id,
                    behaviour,
                    fields: ChangedFields::new(slot.info().class, fields),
                });
            }
        }
        if with_context {
            self.report_hook_writes();
        }
    }
}
