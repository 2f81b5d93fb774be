//! Received state of fields that this client begins or ends to read or write. Its unsent writes survive.

use super::{Inbound, ReadMemory, Reading};
use crate::client::objects::{Fact, Replica};
use crate::client::writes::{WritesApart, discard_writes};
use crate::message::LEAVES_GROUP;
use syncvar_runtime::unstable::object::{
    DeferredHooks, KeptFields, NewestWins, SaveOwn, Slots, TranslationMemory, Visit,
};
use syncvar_runtime::unstable::prefab::Prefab;
use syncvar_runtime::unstable::translate::resolve::PrefabPlan;
use syncvar_runtime::{NetId, NetworkReader, ReadError, ReadErrorKind};

/// Source of the state of an object, and memory for its read.
pub(crate) struct StateSource<'a> {
    /// Plan for a server of a different build.
    pub(super) plan: Option<&'a PrefabPlan>,
    /// Tick of the packet; `None` without headers.
    pub(super) tick: Option<u32>,
    /// Writes of this client that the snapshot treats apart.
    pub(super) apart: Option<&'a WritesApart>,
    pub(super) kept: &'a mut KeptFields,
    pub(super) memory: &'a mut TranslationMemory,
}

impl Replica {
    /// Reads a snapshot. Returns the result and whether writes of this client were kept.
    ///
    /// Writes to owned fields survive and are sent again, because the server may have sent the snapshot
    /// before they arrived. Refused writes do not. With `replaces_all` none survive: during a burst the ownership is unknown.
    ///
    /// An object that was there before has the tick of the packet: fields with ticks keep newer values, unless
    /// the object is poisoned, or with `replaces_all`: the server sends no datagrams with state until a burst has
    /// arrived, so a newer tick is forged.
    pub(crate) fn read_full(
        &mut self,
        slots: &mut dyn Slots,
        reader: &mut NetworkReader<'_>,
        replaces_all: bool,
        source: &mut StateSource<'_>,
    ) -> (Result<(), ReadError>, bool) {
        let keeps = self.keeps_own_writes() && !replaces_all;
        let mut saved = Ok(());
        if keeps {
            let (mut save, mut index) = (SaveOwn::within(reader), 0);
            slots.for_each_mut(|slot| {
                save.replaced = source.apart.map_or(0, |apart| apart.refused.of(index));
                save.slot(0, slot);
                index += 1;
            });
            saved = save.charge(reader);
        }
        let poisoned = self.is_poisoned();
        let result = saved.and_then(|()| {
            let newest = source.tick.filter(|_| !poisoned && !replaces_all);
            if let Some(tick) = source.tick.filter(|_| newest.is_none()) {
                slots.reset_ticks(tick);
            }
            let newest = newest.map(NewestWins::in_tick);
            slots.read_state(source.plan, reader, newest, source.kept, source.memory)
        });
        let mut kept = 0;
        if keeps {
            slots.for_each_mut(|slot| {
                if let Some(ruled) = slot.policy_slot() {
                    kept |= ruled.state.restore_as_written(ruled.behaviour);
                }
            });
            for (index, unfit) in &source.memory.unfit {
                let again = source
                    .apart
                    .map_or(0, |apart| unfit & apart.sent.of(*index));
                if let Some(slot) = slots.slot_mut(*index) {
                    slot.set_dirty_bit(again);
                    kept |= again;
                }
            }
        } else if self.is(Fact::Written) {
            discard_writes(slots);
        }
        (result, kept != 0)
    }
}

/// Received state of an owner or a member of a group.
#[derive(Debug)]
pub(crate) struct OwnerState {
    pub(crate) object: NetId,
    pub(crate) hooks: Vec<DeferredHooks>,
}

impl Inbound {
    /// Takes the values of fields that only the owner or the group may read, and the permit for writes. Returns the
    /// hooks to run; `None` for an unknown or poisoned object.
    pub(crate) fn read_owner_state(
        &mut self,
        payload: &[u8],
        lent: &mut Reading<'_>,
    ) -> Result<Option<OwnerState>, ReadError> {
        let mut reader =
            NetworkReader::with_encoding(payload, lent.session.server.framing.encoding())
                .with_budget(self.budget)
                .with_references(&mut self.memory.targets);
        let sent = self.packet.tick.unwrap_or_default();
        // It may have been written before the frame of its tick, whose values are as new or newer.
        let tick = sent.saturating_sub(1);
        let object = NetId(reader.read_packed_u32()?);
        let permit = reader.read_packed_u32()?;
        let world = &mut lent.objects.world;
        let Some(replica) = world.objects.get_mut(object.0) else {
            lent.context.stats.unknown_objects += 1;
            return Ok(None);
        };
        lent.writes.permits.insert(object, permit);
        if replica.is_poisoned() {
            return Ok(None);
        }
        let prefab = world.pools.prefab(replica.at.pool);
        let Some(slots) = world.pools.slots_mut(replica.at) else {
            return Ok(None);
        };
        let mut hooks = Vec::new();
        if reader.peek() == Some(LEAVES_GROUP) {
            reader.read_u8()?;
            let prefab = world.prefabs.get(prefab);
            hooks.extend(
                prefab
                    .into_iter()
                    .flat_map(|it| leave_group(object, slots, it, sent)),
            );
        }
        let mut read = Vec::new();
        let mut result = Ok(());
        let plan = lent.session.plan(prefab);
        let memory = &mut self.memory.translation;
        while reader.remaining() > 0 && result.is_ok() {
            result = read_fields(slots, plan, tick, &mut reader, memory, &mut read);
        }
        self.budget = reader.budget();
        let received = read.into_iter();
        hooks.extend(
            received.filter_map(|(index, fields)| take_hooks(slots, object, index, fields)),
        );
        if !replica.is_visible() || result.is_err() {
            hooks.clear();
        }
        lent.finish_owner_state(object, result, &mut self.memory);
        Ok(Some(OwnerState { object, hooks }))
    }
}

impl Reading<'_> {
    /// Ends a read: takes the references, or poisons the object.
    fn finish_owner_state(
        &mut self,
        object: NetId,
        result: Result<(), ReadError>,
        memory: &mut ReadMemory,
    ) {
        match result {
            Ok(()) => {
                self.add_references(object, &mut memory.targets);
                self.report_unfit(object, &mut memory.translation.unfit);
            }
            Err(error) => {
                memory.targets.clear();
                self.poison(object, error);
            }
        }
    }
}

/// Sets the fields of the group to the values of the prefab. Returns the hooks of the fields that differ.
fn leave_group(
    object: NetId,
    slots: &mut dyn Slots,
    prefab: &Prefab,
    tick: u32,
) -> Vec<DeferredHooks> {
    let hooks = slots.reset_fields(object, |_, slot| slot.policy().group, || prefab.make());
    // A frame of its tick with these fields was written before: a later frame is not for this client.
    slots.set_ticks(tick, |policy| policy.group);
    hooks
}

/// Reads the fields of a behaviour in a tick, and appends them to the list.
fn read_fields(
    slots: &mut dyn Slots,
    plan: Option<&PrefabPlan>,
    tick: u32,
    reader: &mut NetworkReader<'_>,
    memory: &mut TranslationMemory,
    read: &mut Vec<(usize, u64)>,
) -> Result<(), ReadError> {
    let position = usize::from(reader.read_u8()?);
    let Some((index, result)) = slots.read_owned(plan, position, reader, memory) else {
        let (what, value) = ("position of a behaviour", position as u64);
        return Err(reader.error(ReadErrorKind::InvalidValue { what, value }));
    };
    let Some(slot) = index.and_then(|index| slots.slot_mut(index)) else {
        return result.map(drop);
    };
    let fields = *result.as_ref().unwrap_or(&0);
    read.push((index.unwrap_or_default(), fields));
    if let Some(ticks) = slot.ticks_mut() {
        ticks.set(fields, tick);
    }
    if let Some(mut restricted) = slot.policy_slot() {
        restricted.mark_sent(fields);
    }
    result.map(drop)
}

/// Takes the hooks of the received fields of a behaviour.
fn take_hooks(
    slots: &mut dyn Slots,
    object: NetId,
    behaviour: usize,
    fields: u64,
) -> Option<DeferredHooks> {
    Some(DeferredHooks {
        object,
        behaviour,
        fields,
        tick: None,
        reported: true,
        hooks: slots.slot_mut(behaviour)?.take_hooks().unwrap_or_default(),
    })
}
