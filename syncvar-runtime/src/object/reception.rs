//! `Reception`: reading of received deltas. All fields of an object are read first, then its hooks run.

use super::hook_run::run_hooks;
use super::hooks::{DeferredHooks, Hooks};
use super::newest::{KeptFields, NewestWins};
use super::own_fields::{OwnFields, RestoreOwn, SaveOwn};
use super::slot::{HookContext, Slot, SlotInfo};
use super::slots::{FieldMasks, Slots, Visit};
use crate::behaviour::{HookFailure, Panicked};
use crate::limits::ReadBudget;
use crate::motion::ViewTime;
use crate::schema::{BehaviourClass, ChangedFields};
use crate::{Encoding, NetId, NetworkReader, ReadError, ReadResult};

/// A received delta of an object.
#[derive(Clone, Copy, Debug, Default)]
pub struct Entry<'a> {
    /// Id of the object.
    pub net_id: NetId,
    /// Row in the pool.
    pub row: u32,
    /// Set if the spawn of the object has been reported: hooks run, and changes are reported.
    pub announced: bool,
    /// Bits of the behaviours whose hooks do not run, by position: those of a prediction run.
    pub predicted: u64,
    /// Fields whose own values stay.
    pub own: OwnFields,
    /// Bytes of the delta.
    pub changes: &'a [u8],
}

/// Receiver of the results of applied deltas: a client.
pub trait ReceptionReport {
    /// Reports received fields of an object by the position and class of their behaviour, their bits and their
    /// tick. A client reports each delta: all arguments travel in registers.
    fn changed(
        &mut self,
        object: NetId,
        behaviour: usize,
        class: &'static BehaviourClass,
        fields: u64,
        tick: Option<u64>,
    );

    /// Reports the panic of a hook.
    fn hook_failed(&mut self, failure: HookFailure);

    /// Reports samples of fields with a hook at the view time.
    fn will_show(&mut self, object: NetId, behaviour: usize, fields: u64, tick: u32) {
        let _ = (object, behaviour, fields, tick);
    }

    /// Reports a received reference.
    fn referenced(&mut self, holder: NetId, target: NetId);
}

/// Context and results of the deltas in progress.
pub struct Reception<'a> {
    /// The message with the deltas.
    pub message: DeltaMessage<'a>,
    /// Memory for the deltas, and lists of their results.
    pub memory: ReceptionMemory<'a>,
    /// Memory and work that the deltas may take.
    pub budget: ReadBudget,
    /// Receiver of the reports.
    pub report: &'a mut dyn ReceptionReport,
    /// Time of the hooks.
    pub hooks: HookTime,
}

/// A message with deltas.
#[derive(Clone, Debug)]
pub struct DeltaMessage<'a> {
    /// Encoding of the values.
    pub encoding: Encoding,
    /// Channel of the message.
    pub channel: u8,
    /// Tick of the packet, for the reports; `None` without a tick.
    pub tick: Option<u64>,
    /// The same tick on the wire, for samples of interpolated fields.
    pub wire_tick: Option<u32>,
    /// Time of the view, if the view may have passed the newest sample of a field.
    pub view: Option<ViewTime<'a>>,
    /// Condition for fields with ticks; `None` on a reliable channel.
    pub newest: Option<NewestWins>,
}

/// Memory of a reception, for reuse.
#[derive(Debug)]
pub struct ReceptionMemory<'a> {
    /// Memory for fields that keep newer values.
    pub kept: &'a mut KeptFields,
    /// Received fields of the object in progress.
    pub masks: &'a mut FieldMasks,
    /// Targets of the references in the object in progress.
    pub targets: &'a mut Vec<NetId>,
    /// Unreadable objects.
    pub failed: &'a mut Vec<(NetId, ReadError)>,
    /// Objects with possible writes of hooks to owner-written fields.
    pub hooked: &'a mut Vec<NetId>,
    /// Hooks of objects whose hooks take a context, for
    /// [`CheckOut::run_hooks`](crate::unstable::world::CheckOut::run_hooks).
    pub deferred_hooks: &'a mut Vec<DeferredHooks>,
}

/// Time at which the hooks of received deltas run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookTime {
    /// No hook runs: the program receives events.
    Never,
    /// After the delta of the object. Hooks with a context are deferred.
    AfterDelta,
    /// All hooks are deferred, because further deltas belong to the same step.
    AfterStep,
}

impl Reception<'_> {
    /// Reads the delta of an object: all fields, then the hooks, then the reports.
    #[inline]
    pub(super) fn read<S: Slots>(
        &mut self,
        entry: &Entry<'_>,
        slots: &mut S,
        reader: &mut NetworkReader<'_>,
    ) {
        let result = if entry.own == OwnFields::Written || self.message.newest.is_some() {
            self.read_beside_own(entry, slots, reader)
        } else {
            self.read_all(slots, reader)
        };
        if let Some(targets) = reader.references()
            && !targets.is_empty()
        {
            self.report_references(entry.net_id, targets, result.is_ok());
        }
        if let Err(error) = result {
            slots.visit(0, &mut SkipHooks);
            self.memory.failed.push((entry.net_id, error));
            return;
        }
        let mut changes = ReportChanges::new(entry, self);
        slots.visit(0, &mut changes);
        if changes.written {
            self.memory.hooked.push(entry.net_id);
        }
    }

    /// Runs the hooks and reports of an object of a server of a different build, whose masks are known.
    pub(super) fn finish(
        &mut self,
        entry: &Entry<'_>,
        slots: &mut dyn Slots,
        result: ReadResult<()>,
        targets: &mut Vec<NetId>,
    ) {
        if !targets.is_empty() {
            self.report_references(entry.net_id, targets, result.is_ok());
        }
        if let Err(error) = result {
            slots.for_each_mut(|slot| slot.skip_hooks());
            self.memory.failed.push((entry.net_id, error));
            return;
        }
        let channel = self.message.channel;
        let mut changes = ReportChanges::new(entry, self);
        let mut index = 0;
        slots.for_each_mut(|slot| {
            // The channel of the class, which the visit compares, may differ from that of the server.
            changes.reception.message.channel = slot.info().channel;
            changes.slot(index, slot);
            index += 1;
        });
        let written = changes.written;
        self.message.channel = channel;
        if written {
            self.memory.hooked.push(entry.net_id);
        }
    }

    /// Reads a delta of which every field is taken.
    #[inline]
    fn read_all<S: Slots>(
        &mut self,
        slots: &mut S,
        reader: &mut NetworkReader<'_>,
    ) -> Result<(), ReadError> {
        let mut read = ReadChanges {
            channel: self.message.channel,
            reader,
            masks: self.memory.masks,
            result: Ok(()),
        };
        slots.visit(0, &mut read);
        read.result?;
        reader.finish()
    }

    /// Reads a delta of which some fields keep their values: those with a newer tick, and those that this
    /// client writes.
    fn read_beside_own<S: Slots>(
        &mut self,
        entry: &Entry<'_>,
        slots: &mut S,
        reader: &mut NetworkReader<'_>,
    ) -> Result<(), ReadError> {
        let Some(rule) = self.message.newest else {
            let mut save = SaveOwn::within(reader);
            slots.visit(0, &mut save);
            let saved = save.charge(reader);
            let result = saved.and_then(|()| self.read_all(slots, reader));
            slots.visit(0, &mut RestoreOwn);
            return result;
        };
        let own = entry.own;
        let mut read = ReadNewest {
            channel: self.message.channel,
            rule: NewestWins { own, ..rule },
            kept: self.memory.kept,
            reader,
            masks: self.memory.masks,
            result: Ok(()),
        };
        slots.visit(0, &mut read);
        read.result?;
        reader.finish()
    }

    /// Queues the hooks of a behaviour. Returns whether there is anything to run or report.
    #[inline(never)]
    fn defer<S: Slot + ?Sized>(
        &mut self,
        slot: &mut S,
        object: NetId,
        behaviour: usize,
        fields: u64,
    ) -> bool {
        let hooks = slot.take_hooks();
        if hooks.is_none() && fields == 0 {
            return false;
        }
        self.memory.deferred_hooks.push(DeferredHooks {
            object,
            behaviour,
            fields,
            tick: self.message.tick,
            reported: fields != 0,
            hooks: hooks.unwrap_or_default(),
        });
        true
    }

    #[cold]
    fn report_panic(&mut self, object: NetId, fields: ChangedFields, message: String) {
        let failure = HookFailure::new(object, fields.in_tick(self.message.tick), message);
        self.report.hook_failed(failure);
    }

    /// Reports the references of the object in progress.
    #[inline(never)]
    fn report_references(&mut self, holder: NetId, targets: &mut Vec<NetId>, is_read: bool) {
        for target in targets.drain(..) {
            if is_read {
                self.report.referenced(holder, target);
            }
        }
    }
}

/// Reads the deltas of the behaviours on a channel; ends with the first error.
struct ReadChanges<'a, 'b> {
    /// Channel of the deltas.
    channel: u8,
    /// Source of the bytes.
    reader: &'a mut NetworkReader<'b>,
    /// Fields read by each behaviour.
    masks: &'a mut FieldMasks,
    /// Result: the first error, when the bytes do not fit.
    result: Result<(), ReadError>,
}

impl Visit for ReadChanges<'_, '_> {
    #[inline]
    fn slot<S: Slot + ?Sized>(&mut self, index: u32, slot: &mut S) {
        let mut fields = 0;
        if self.result.is_ok() && slot.info().channel == self.channel {
            self.result = slot.deserialize(self.reader, false);
            fields = self.reader.take_report().seen;
        }
        if let Some(mask) = self.masks.get_mut(index as usize) {
            *mask = fields;
        }
    }
}

/// Like [`ReadChanges`], for fields with ticks.
struct ReadNewest<'a, 'b> {
    /// Channel of the deltas.
    channel: u8,
    /// Condition for fields with ticks.
    rule: NewestWins,
    /// Memory for the values of fields that stay.
    kept: &'a mut KeptFields,
    /// Source of the bytes.
    reader: &'a mut NetworkReader<'b>,
    /// Fields read by each behaviour.
    masks: &'a mut FieldMasks,
    /// Result: the first error, when the bytes do not fit.
    result: Result<(), ReadError>,
}

impl Visit for ReadNewest<'_, '_> {
    #[inline]
    fn slot<S: Slot + ?Sized>(&mut self, index: u32, slot: &mut S) {
        let mut fields = 0;
        if self.result.is_ok() && slot.info().channel == self.channel {
            (self.result, fields) = self.kept.read(slot, self.rule, self.reader, false);
        }
        if let Some(mask) = self.masks.get_mut(index as usize) {
            *mask = fields;
        }
    }
}

/// Discards the previous values for the hooks of an unreadable object.
struct SkipHooks;

impl Visit for SkipHooks {
    fn slot<S: Slot + ?Sized>(&mut self, _: u32, slot: &mut S) {
        slot.skip_hooks();
    }
}

/// Extent of a report.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    Nothing,
    /// The fields; no hook runs.
    Fields,
    /// The hooks, and then the fields.
    Hooks,
}

/// Calls the hooks of the received fields and reports the changes.
struct ReportChanges<'r, 'a> {
    object: NetId,
    extent: Extent,
    /// Bits of the behaviours whose hooks do not run.
    predicted: u64,
    /// Set if a field that the owner writes is dirty afterwards.
    written: bool,
    /// Set if hooks are gathered, and after a behaviour with deferred hooks: the hooks of an object keep
    /// their order.
    deferred: bool,
    reception: &'r mut Reception<'a>,
}

impl<'r, 'a> ReportChanges<'r, 'a> {
    #[inline]
    fn new(entry: &Entry<'_>, reception: &'r mut Reception<'a>) -> Self {
        Self {
            object: entry.net_id,
            // An invisible object is announced with this state later.
            extent: match (entry.announced, reception.hooks) {
                (false, _) => Extent::Nothing,
                (true, HookTime::Never) => Extent::Fields,
                (true, HookTime::AfterDelta | HookTime::AfterStep) => Extent::Hooks,
            },
            predicted: entry.predicted,
            written: false,
            deferred: reception.hooks == HookTime::AfterStep,
            reception,
        }
    }
}

impl Visit for ReportChanges<'_, '_> {
    #[inline]
    fn slot<S: Slot + ?Sized>(&mut self, index: u32, slot: &mut S) {
        if slot.info().channel != self.reception.message.channel {
            return;
        }
        let behaviour = index as usize;
        let dirty_bits = self
            .reception
            .memory
            .masks
            .get(behaviour)
            .map_or(0, |mask| *mask);
        if slot.info().interpolated != 0
            && let Some(tick) = self.reception.message.wire_tick
        {
            let view = { self.reception.message.view.as_ref() }
                .map(|view| view.moment(slot.info().send_interval));
            slot.record(dirty_bits, tick, view.as_ref());
            let shown = dirty_bits & slot.info().on_view;
            if shown != 0 && self.extent == Extent::Hooks {
                let report = &mut self.reception.report;
                report.will_show(self.object, behaviour, shown, tick);
            }
        }
        if self.extent == Extent::Nothing {
            slot.skip_hooks();
            return;
        }
        let is_predicted =
            self.predicted >> index & 1 == 1 && !slot.info().changes_presence(dirty_bits);
        if self.extent == Extent::Fields || is_predicted {
            slot.skip_hooks();
            self.report_fields(behaviour, slot.info(), dirty_bits);
            return;
        }
        if self.deferred || slot.info().hook_context == HookContext::Object {
            let (object, reception) = (self.object, &mut *self.reception);
            let is_deferred = reception.defer(slot, object, behaviour, dirty_bits);
            self.deferred |= is_deferred;
            return;
        }
        let called = run_hooks(slot, Hooks::LastRead);
        let owner_write = slot.info().policy.owner_write;
        self.written |= owner_write != 0 && slot.dirty_bits() & owner_write != 0;
        if let Err(Panicked(message)) = called {
            let fields = ChangedFields::new(slot.info().class, dirty_bits);
            self.reception.report_panic(self.object, fields, message);
        }
        self.report_fields(behaviour, slot.info(), dirty_bits);
    }
}

impl ReportChanges<'_, '_> {
    #[inline]
    fn report_fields(&mut self, behaviour: usize, info: &'static SlotInfo, dirty_bits: u64) {
        if dirty_bits != 0 {
            let report = &mut self.reception.report;
            let tick = self.reception.message.tick;
            report.changed(self.object, behaviour, info.class, dirty_bits, tick);
        }
    }
}
