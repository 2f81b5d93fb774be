//! Default `on_serialize` and `on_deserialize`: the bytes of the derive, by visitors.

use super::visitors::{ReadFields, WriteFields};
use super::{FieldVisitor, NetworkBehaviour};
use crate::wire::Selection;
use crate::{NetworkReader, NetworkWriter, ReadResult, ReadResultExt, SyncField};

pub(super) fn serialize<B: NetworkBehaviour>(
    behaviour: &mut B,
    writer: &mut NetworkWriter,
    initial_state: bool,
) -> bool {
    let own_bits = const { B::SCHEMA.own_bits() };
    let mut previous = B::Previous::default();
    let dirty_bits = if initial_state {
        0
    } else {
        writer.fields() & behaviour.sync_var_dirty_bits()
    };
    let mut base = WriteBase {
        writer,
        dirty_bits,
        initial_state,
        written: false,
    };
    behaviour.visit(&mut previous, &mut base);
    let base_written = base.written;
    if own_bits == 0 {
        return base_written;
    }
    if initial_state {
        let policy = const { &B::SCHEMA.policy_bits() };
        let fields = own_bits & const { selection_of::<B>() }.write(policy, writer);
        let fields = WriteFields { writer, fields };
        behaviour.visit(&mut previous, &mut OwnFields(fields));
        return true;
    }
    writer.write_dirty_bits(dirty_bits);
    let own_dirty = dirty_bits & own_bits;
    let fields = own_dirty;
    behaviour.visit(
        &mut previous,
        &mut OwnFields(WriteDeltas { writer, fields }),
    );
    base_written || own_dirty != 0
}

pub(super) fn deserialize<B: NetworkBehaviour>(
    behaviour: &mut B,
    reader: &mut NetworkReader<'_>,
    initial_state: bool,
) -> ReadResult<B::Previous> {
    let own_bits = const { B::SCHEMA.own_bits() };
    let mut previous = B::Previous::default();
    let mut base = ReadBase {
        reader,
        derived_bits: const { B::SCHEMA.dirty_bits() },
        initial_state,
        result: Ok(()),
    };
    behaviour.visit(&mut previous, &mut base);
    base.result?;
    if own_bits == 0 {
        return Ok(previous);
    }
    let result = Ok(());
    let result = if initial_state {
        let policy = const { &B::SCHEMA.policy_bits() };
        let fields = own_bits & const { selection_of::<B>() }.read(policy, reader)?;
        let mut fields = OwnFields(ReadFields {
            reader,
            fields,
            result,
        });
        behaviour.visit(&mut previous, &mut fields);
        fields.0.result
    } else {
        let fields = own_bits & reader.read_dirty_bits_of::<B>().at(B::SCHEMA.name)?;
        let mut fields = OwnFields(ReadDeltas {
            reader,
            fields,
            result,
        });
        behaviour.visit(&mut previous, &mut fields);
        fields.0.result
    };
    result.map(|()| previous)
}

/// Selection of the fields in the snapshot of a class without its base.
const fn selection_of<B: NetworkBehaviour>() -> Selection {
    Selection::of(B::SCHEMA.own_bits(), &B::SCHEMA.policy_bits())
}

/// Visits the fields of a class without those of its base.
struct OwnFields<V>(V);

impl<V: FieldVisitor> FieldVisitor for OwnFields<V> {
    #[inline]
    fn field<A: SyncField>(&mut self, bit: u64, name: &'static str, field: A) {
        self.0.field(bit, name, field);
    }

    #[inline]
    fn base<B: NetworkBehaviour>(&mut self, _: &mut B, _: &mut B::Previous) {}
}

struct WriteBase<'a> {
    writer: &'a mut NetworkWriter,
    dirty_bits: u64,
    initial_state: bool,
    written: bool,
}

impl FieldVisitor for WriteBase<'_> {
    #[inline]
    fn field<A: SyncField>(&mut self, _: u64, _: &'static str, _: A) {}

    #[inline]
    fn base<B: NetworkBehaviour>(&mut self, base: &mut B, _: &mut B::Previous) {
        self.written = if self.initial_state {
            base.on_serialize(self.writer, true)
        } else {
            self.writer
                .write_base(self.dirty_bits, base, B::on_serialize)
        };
    }
}

struct WriteDeltas<'a> {
    writer: &'a mut NetworkWriter,
    fields: u64,
}

impl FieldVisitor for WriteDeltas<'_> {
    #[inline]
    fn field<A: SyncField>(&mut self, bit: u64, name: &'static str, field: A) {
        if self.fields & bit != 0 {
            field.write_delta(self.writer.at(name));
        }
    }
}

struct ReadBase<'a, 'b> {
    reader: &'a mut NetworkReader<'b>,
    derived_bits: u64,
    initial_state: bool,
    result: ReadResult<()>,
}

impl FieldVisitor for ReadBase<'_, '_> {
    #[inline]
    fn field<A: SyncField>(&mut self, _: u64, _: &'static str, _: A) {}

    #[inline]
    fn base<B: NetworkBehaviour>(&mut self, base: &mut B, previous: &mut B::Previous) {
        let read = self.reader.with_derived_bits(self.derived_bits, |reader| {
            base.on_deserialize(reader, self.initial_state)
        });
        self.result = read.map(|read| *previous = read);
    }
}

struct ReadDeltas<'a, 'b> {
    reader: &'a mut NetworkReader<'b>,
    fields: u64,
    result: ReadResult<()>,
}

impl FieldVisitor for ReadDeltas<'_, '_> {
    #[inline]
    fn field<A: SyncField>(&mut self, bit: u64, name: &'static str, mut field: A) {
        if self.fields & bit != 0 && self.result.is_ok() {
            self.result = field.read_delta(self.reader).at(name);
        }
    }
}
