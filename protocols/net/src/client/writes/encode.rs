//! `WriteEncoder`: due owner writes of an object as bytes.

use crate::client::outbound::MissingFields;
use syncvar_runtime::limits::ReadBudget;
use syncvar_runtime::unstable::object::{Nanos, Slot, Slots, TranslationMemory, translate_write};
use syncvar_runtime::unstable::translate::behaviour::Converted;
use syncvar_runtime::unstable::translate::resolve::PrefabPlan;
use syncvar_runtime::{Encoding, NetworkReader, NetworkWriter};

/// Fields of a behaviour in the bytes of a part.
#[derive(Clone, Copy, Debug)]
pub(super) struct SentFields {
    pub(super) behaviour: u8,
    pub(super) channel: u8,
    pub(super) fields: u64,
    /// Lost fields among them, with their present values.
    pub(super) lost: u64,
    /// Fields that the next update repeats.
    pub(super) repeated: u64,
    /// Number of the behaviour's fields.
    pub(super) count: u32,
}

/// Bytes of some behaviours.
#[derive(Debug)]
pub(super) struct EncodedWrites {
    pub(super) writer: NetworkWriter,
    pub(super) sent: Vec<SentFields>,
    /// Begin of the behaviour that was written last.
    last: usize,
}

/// Encodes the due writes to the behaviours of an object.
#[derive(Debug)]
pub(super) struct WriteEncoder<'a> {
    pub(super) now: Nanos,
    /// Send interval of behaviours without one.
    interval: Nanos,
    /// Behaviours on reliable channels.
    pub(super) reliable: EncodedWrites,
    /// Behaviours whose packets may be lost.
    pub(super) lossy: EncodedWrites,
    /// Whether writes are left that are not due.
    pub(super) left: bool,
    /// Plan of the object for a server of a different build.
    plan: Option<&'a PrefabPlan>,
    /// Fields whose values do not fit the types of the server, by behaviour.
    pub(super) unfit: Vec<(usize, u64)>,
}

impl<'a> WriteEncoder<'a> {
    pub(super) fn new(
        now: Nanos,
        interval: Nanos,
        encoding: Encoding,
        plan: Option<&'a PrefabPlan>,
    ) -> Self {
        let part = || EncodedWrites {
            writer: NetworkWriter::with_encoding(encoding),
            sent: Vec::new(),
            last: 0,
        };
        Self {
            now,
            interval,
            reliable: part(),
            lossy: part(),
            left: false,
            plan,
            unfit: Vec::new(),
        }
    }

    /// Encodes all behaviours. `missing` returns the missing fields of a behaviour whose packets may be lost.
    pub(super) fn encode_all(
        &mut self,
        slots: &mut dyn Slots,
        missing: impl Fn(u8, &dyn Slot) -> Option<MissingFields>,
    ) {
        // A message has all missing fields of the object, so it supersedes the earlier messages.
        let mut sends_lossy = false;
        each(slots, |index, slot| {
            if let Some(missing) = missing(index, slot) {
                sends_lossy |= (missing.owed | missing.repeated) & !slot.dirty_bits() != 0;
                sends_lossy |= self.due(slot) != 0;
            }
        });
        each(slots, |index, slot| match missing(index, slot) {
            None => self.encode(index, slot),
            Some(missing) if sends_lossy => self.encode_lossy(index, slot, missing),
            Some(_) => self.left |= slot.dirty_bits() & slot.policy().owner_write != 0,
        });
        // Behaviours of which no value fits.
        self.reliable.sent.retain(|sent| sent.fields != 0);
        self.lossy.sent.retain(|sent| sent.fields != 0);
    }

    /// Returns the changed fields whose time has come.
    fn due(&self, slot: &mut dyn Slot) -> u64 {
        let info = slot.info();
        let passed = self.now.saturating_sub(slot.last_send());
        if passed <= info.interval(self.interval) {
            return 0;
        }
        let dirty = slot.dirty_bits() & slot.policy().owner_write;
        dirty & !slot.held_back(self.now).0
    }

    fn encode(&mut self, index: u8, slot: &mut dyn Slot) {
        let dirty = slot.dirty_bits() & slot.policy().owner_write;
        let fields = self.due(slot);
        self.left |= dirty != fields;
        if fields == 0 {
            return;
        }
        if self.reliable.write(index, slot, fields) {
            let converted = self.reliable.translate(index, self.plan);
            self.note_unfit(index, converted);
        } else {
            self.left = true;
        }
    }

    /// Encodes due and missing fields as whole values. Changed fields that are not due stay.
    fn encode_lossy(&mut self, index: u8, slot: &mut dyn Slot, missing: MissingFields) {
        let owner_write = slot.policy().owner_write;
        let (dirty, due) = (slot.dirty_bits() & owner_write, self.due(slot));
        self.left |= dirty != due;
        let others = (missing.owed | missing.flying) & owner_write & !dirty;
        let fields = due | others;
        if fields == 0 {
            return;
        }
        slot.set_dirty_bit(fields);
        let repeats = slot.info().redundancy > 0;
        if !self.lossy.write(index, slot, fields) {
            self.left = true;
            return;
        }
        let converted = self.lossy.translate(index, self.plan);
        if let Some(sent) = self.lossy.sent.last_mut() {
            sent.lost = missing.owed & sent.fields & others;
            sent.repeated = if repeats {
                due & sent.fields | sent.lost
            } else {
                0
            };
        }
        self.note_unfit(index, converted);
    }

    /// Notes the fields of a behaviour whose values do not fit.
    fn note_unfit(&mut self, index: u8, converted: Converted) {
        if converted.unfit_of_writer != 0 {
            self.unfit.push((index.into(), converted.unfit_of_writer));
        }
    }

    /// Returns whether the server is of a different build, so that the values are translated.
    pub(super) fn translates(&self) -> bool {
        self.plan.is_some()
    }
}

impl EncodedWrites {
    /// Writes some fields of a behaviour. Returns whether it has written them.
    fn write(&mut self, index: u8, slot: &mut dyn Slot, fields: u64) -> bool {
        let start = self.writer.len();
        self.last = start;
        self.writer.write_u8(index);
        let context = self.writer.context().with_fields(fields);
        let written = self
            .writer
            .with_context(context, |writer| slot.serialize(writer, false));
        if !written {
            self.writer.truncate(start);
            return false;
        }
        let info = slot.info();
        self.sent.push(SentFields {
            behaviour: index,
            channel: slot.channel(),
            fields,
            lost: 0,
            repeated: 0,
            count: info.schema.field_count(),
        });
        true
    }
}

impl EncodedWrites {
    /// Translates the behaviour that was written last, for a server of a different build. Values that do not fit are left out.
    fn translate(&mut self, index: u8, plan: Option<&PrefabPlan>) -> Converted {
        let written = self.writer.as_bytes().get(self.last..).unwrap_or_default();
        let (Some(plan), Some((_, delta))) = (plan, written.split_first()) else {
            return Converted::default();
        };
        let (index, delta) = (usize::from(index), &delta.to_vec());
        self.writer.truncate(self.last);
        let mut reader = NetworkReader::with_encoding(delta, self.writer.encoding())
            .with_budget(ReadBudget::UNLIMITED);
        let memory = &mut TranslationMemory::default();
        match translate_write(plan, index, &mut reader, &mut self.writer, memory) {
            Ok(converted) => {
                if let Some(sent) = self.sent.last_mut() {
                    sent.fields &= !converted.left_out;
                }
                converted
            }
            Err(error) => {
                tracing::error!(%error, "a client cannot read its own write");
                Converted::default()
            }
        }
    }
}

/// Calls a function with each behaviour and its position.
fn each(slots: &mut dyn Slots, mut action: impl FnMut(u8, &mut dyn Slot)) {
    let mut index = 0_u8;
    slots.for_each_mut(|slot| {
        action(index, slot);
        index = index.saturating_add(1);
    });
}
