//! Hooks of a host: a write remembers the former values, the next update compares them.

use std::fmt;

use syncvar_runtime::behaviour::Panicked;
use syncvar_runtime::ids::Id;
use syncvar_runtime::unstable::object::{
    DeferredHooks, ErasedHooks, HookContext, HookRun, Hooks, Location, Remembered, Slot, Slots,
    run_hooks_as_write,
};
use syncvar_runtime::{Callbacks, ChangedFields, HookFailure, NetId, NetworkBehaviour};

use super::Host;
use crate::ClientEvent;
use crate::server::context::Context;
use crate::server::objects::Objects;
use crate::server::objects::owner::refuse;
use crate::server::objects::schedule::Schedule;
use crate::server::visibility::Visibility;

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

    /// Returns the event of changed fields.
    pub(crate) fn changed(self, slot: &dyn Slot, fields: u64) -> ClientEvent {
        ClientEvent::Changed {
            object: self.object,
            behaviour: self.behaviour,
            fields: ChangedFields::new(slot.info().class, fields),
        }
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

impl Host {
    /// Remembers the first behaviour of this type before a write.
    #[cold]
    pub(crate) fn remember_by_type<B: NetworkBehaviour>(
        &mut self,
        objects: &mut Objects,
        id: NetId,
        at: Location,
    ) {
        let slots = objects.world.pools.slots(at);
        let index = slots.and_then(<dyn Slots>::position::<B>);
        self.remember_at(objects, id, at, index);
    }

    /// Remembers the behaviour at an index before a write.
    #[cold]
    pub(crate) fn remember_at(
        &mut self,
        objects: &mut Objects,
        id: NetId,
        at: Location,
        index: Option<usize>,
    ) {
        let runs_hooks = objects.world.callbacks == Callbacks::Run;
        let slots = objects.world.pools.slots_mut(at);
        if let (Some(slots), Some(index)) = (slots, index)
            && self.known.contains(id)
            && let Some(slot) = slots.slot_mut(index)
        {
            self.remember(BehaviourKey::new(id, index), slot, runs_hooks);
        }
    }

    /// Remembers all behaviours of an object before a write.
    #[cold]
    pub(crate) fn remember_object(&mut self, objects: &mut Objects, id: NetId) {
        let runs_hooks = objects.world.callbacks == Callbacks::Run;
        if let Some(slots) = objects.world.slots_mut(id) {
            self.remember_slots(id, slots, runs_hooks);
        }
    }

    /// Remembers all behaviours of an object that is checked out.
    pub(crate) fn remember_slots(&mut self, id: NetId, slots: &mut dyn Slots, runs_hooks: bool) {
        if self.known.contains(id) {
            let mut index = 0;
            slots.for_each_mut(|slot| {
                self.remember(BehaviourKey::new(id, index), slot, runs_hooks);
                index += 1;
            });
        }
    }
}

impl Host {
    /// Calls the initial hooks of an object that the local client begins to observe. If one of them takes
    /// a context, returns all of them for the check-out of the object instead.
    pub(crate) fn call_initial_hooks(
        &mut self,
        context: &mut Context,
        objects: &mut Objects,
        id: NetId,
    ) -> Vec<DeferredHooks> {
        let world = &mut objects.world;
        let Some(replicated) = world.objects.get(id.0) else {
            return Vec::new();
        };
        let pools = &mut world.pools;
        let prefab = world.prefabs.get(pools.prefab(replicated.at.pool));
        let slots = pools.slots_mut(replicated.at);
        let runs = world.callbacks == Callbacks::Run;
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
                let refused = self.call_hooks(key, slot, hooks.hooks, hooks.fields);
                if let Some(refused) = refused {
                    refuse(&mut context.events, id, refused);
                }
                if slot.dirty_bits() != 0 {
                    objects.schedule.queue_dirty(id);
                }
            }
        }
        Vec::new()
    }

    /// Calls the due hooks of objects that the local client observes, and reports the changed fields, until hooks
    /// need a context. Returns those for the check-out of their object.
    pub(crate) fn call_due_hooks(
        &mut self,
        context: &mut Context,
        objects: &mut Objects,
        visibility: &Visibility,
    ) -> Option<ContextHooks> {
        while let Some((key, pending)) = self.due.pop_first() {
            let id = key.object;
            if !self.known.contains(id) {
                continue;
            }
            let replicated = objects.world.objects.get(id.0);
            // An object about to leave its view runs no hooks.
            let Some(replicated) =
                replicated.filter(|replicated| self.observes(visibility, id, replicated))
            else {
                continue;
            };
            let Some(slots) = objects.world.pools.slots_mut(replicated.at) else {
                // The object is checked out.
                self.written.insert(key, pending);
                continue;
            };
            let Some(slot) = slots.slot_mut(key.behaviour) else {
                continue;
            };
            let schedule = &mut objects.schedule;
            let with_context = self.call_behaviour_hooks(context, schedule, key, slot, pending);
            if with_context.is_some() {
                return with_context;
            }
        }
        None
    }

    /// Calls the hooks of a written behaviour, and reports the changed fields. Returns hooks that need a context.
    fn call_behaviour_hooks(
        &mut self,
        context: &mut Context,
        schedule: &mut Schedule,
        key: BehaviourKey,
        slot: &mut dyn Slot,
        pending: PendingHooks,
    ) -> Option<ContextHooks> {
        let written = slot.dirty_bits();
        let mut fields = if pending.by_hooks { 0 } else { written };
        let mut before = pending.before;
        let changed = before
            .as_mut()
            .map_or(0, |before| slot.changed_since(before));
        if let Some(before) = before.filter(|_| changed != 0) {
            if slot.info().hook_context == HookContext::Object {
                return Some(ContextHooks {
                    key,
                    fields: fields | changed,
                    written,
                    hooks: DeferredHooks {
                        object: key.object,
                        behaviour: key.behaviour,
                        fields: changed,
                        tick: None,
                        reported: false,
                        hooks: before.into(),
                    },
                });
            }
            let refused = self.call_hooks(key, slot, before.into(), changed);
            if let Some(refused) = refused {
                refuse(&mut context.events, key.object, refused);
            }
            fields |= changed | slot.dirty_bits() & !written;
            if slot.dirty_bits() != 0 {
                schedule.queue_dirty(key.object);
            }
        }
        if fields != 0 {
            self.report_changed(key, slot, fields);
        }
        None
    }

    /// Reports changed fields of a behaviour.
    pub(crate) fn report_changed(&mut self, key: BehaviourKey, slot: &dyn Slot, fields: u64) {
        self.events.push(key.changed(slot, fields));
    }
}

/// Hooks of a behaviour that take a context, before they are called.
pub(crate) struct ContextHooks {
    pub(crate) key: BehaviourKey,
    pub(crate) hooks: DeferredHooks,
    /// Fields to report without those that the hooks write.
    pub(crate) fields: u64,
    /// Dirty fields before the hooks.
    pub(crate) written: u64,
}
